"""Words that stand for objects: captions and markers, and which are not unique."""

from __future__ import annotations

from pathlib import Path

from spatial_making import in_view, objects

from probe4d.benchmarks.captions import read_captions
from probe4d.benchmarks.spatial_qa.referring import by_captions, by_markers, same_words


def test_captions_are_read_and_put_beside_their_tracks(tmp_path: Path) -> None:
    path = tmp_path / "captions.jsonl"
    path.write_text(
        '{"track": "b", "caption": " the  man in\\na tan t-shirt "}\n'
        '{"track": "c", "caption": null}\n'
        '{"track": "other", "caption": "bus"}\n'
    )
    table = objects(in_view("a"), in_view("b"), in_view("c"), in_view("b", frame=1))
    found = by_captions(table, read_captions(path))
    assert found.objects.select("track", "frame", "refer").rows() == [
        ("b", 0, "the man in a tan t-shirt"),
        ("b", 1, "the man in a tan t-shirt"),
    ]
    assert found.exclusions == {"object has no caption": 2}
    assert by_captions(table.clear(), {}).exclusions == {}


def test_letters_go_from_left_to_right_in_each_image() -> None:
    table = objects(
        in_view("a", left_px=300.0),
        in_view("b", left_px=10.0),
        in_view("c", left_px=300.0, top_px=50.0),
        in_view("a", channel="CAM_BACK", left_px=1.0),
    )
    found = by_markers(table).objects
    refer = {(channel, track): refer for channel, track, refer in found.select("channel", "track", "refer").iter_rows()}
    assert refer == {
        ("CAM_FRONT", "b"): "object E",
        ("CAM_FRONT", "c"): "object F",
        ("CAM_FRONT", "a"): "object G",
        ("CAM_BACK", "a"): "object E",
    }
    assert by_markers(table.sample(fraction=1, shuffle=True, seed=1)).objects.equals(found)


def test_letters_go_on_after_z() -> None:
    found = by_markers(objects(*(in_view(f"{n:02d}", left_px=float(n)) for n in range(30)))).objects
    assert found["refer"].to_list()[20:25] == ["object Y", "object Z", "object AA", "object AB", "object AC"]
    assert not same_words(found).any()
    assert by_markers(found.drop("refer").clear()).objects.is_empty()


def test_the_same_words_in_one_image_are_ambiguous_and_in_two_are_not() -> None:
    table = objects(in_view("a"), in_view("b"), in_view("c"), in_view("d", channel="CAM_BACK"), in_view("e", frame=1))
    words = {"a": "White car", "b": "white car", "c": "black car", "d": "white car", "e": "white car"}
    found = by_captions(table, words).objects
    assert same_words(found).to_list() == [True, True, False, False, False]
