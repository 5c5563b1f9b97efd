"""The picture of a question: the right frames, the right boxes, the right words, in the page and as PNG."""

from __future__ import annotations

import io
import re
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from PIL import Image
from report_making import fact, one_of_each, question, scenes

from probe4d.benchmarks.question import Question
from probe4d.errors import InputError
from probe4d.report.drawing import picture_png, picture_svg, write_picture
from probe4d.report.picture import Picture, Pictures
from probe4d.report.shapes import PANEL
from probe4d.scenes.classes import CLASSES

SCENES = scenes()
PICTURES = Pictures(SCENES, SCENES.names)
QUESTIONS = {one.template: one for one in one_of_each()}


def picture(template: str) -> Picture:
    drawn = PICTURES.picture(QUESTIONS[template])
    assert drawn is not None
    return drawn


def kinds(drawn: Picture, panel: int = 0) -> list[str]:
    return [shape.kind for shape in drawn.panels[panel].shapes]


def texts(drawn: Picture, panel: int = 0) -> list[str]:
    return [label.text for label in drawn.panels[panel].labels]


@pytest.mark.parametrize(
    ("template", "titles"),
    [
        ("existence-yes-no", ["frame 003"]),
        ("existence-choice", ["frame 003"]),
        ("position-yes-no", ["frame 003"]),
        ("position-choice", ["frame 003"]),
        ("motion-yes-no", ["frame 001 start", "frame 009 end"]),
        ("distance-choice", ["frame 003"]),
        (
            "temporal-choice",
            ["frame 005 start", "frame 009 end", "intervals offered; the event takes place in frames 5 to 9"],
        ),
    ],
)
def test_every_template_has_its_panels(template: str, titles: list[str]) -> None:
    drawn = picture(template)
    assert [panel.title for panel in drawn.panels] == titles
    assert drawn.words.startswith("Bird's-eye view of scene-0001")


def test_what_was_measured_is_pointed_out_with_its_distance_and_bearing() -> None:
    drawn = picture("position-choice")
    assert "car 12.6 m, +18.4°" in texts(drawn)
    assert {"measure target", "box target", "heading target"} <= set(kinds(drawn))


def test_the_box_is_drawn_where_it_is() -> None:
    drawn = picture("position-choice")
    box = next(shape.d for shape in drawn.panels[0].shapes if shape.kind == "box target")
    corners = [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+) ([\d.]+)", box)]
    centre = [sum(values) / 4 for values in zip(*corners, strict=True)]
    scale = PANEL / 2 / (drawn.panels[0].extent or 0)
    # The car of `scenes` at frame 3: 12 m ahead, 4 m to the left.
    assert centre == pytest.approx([PANEL / 2 - 4 * scale, PANEL / 2 - 12 * scale], abs=0.1)


def test_proposed_and_true_sector_are_told_apart() -> None:
    assert {"sector-asked", "sector-true"} <= set(kinds(picture("position-yes-no")))
    assert {"front", "asked: back"} <= set(texts(picture("position-yes-no")))
    right = msgspec.structs.replace(QUESTIONS["position-yes-no"], relation="front")
    drawn = PICTURES.picture(right)
    assert drawn is not None
    assert "sector-asked" not in kinds(drawn)


def test_motion_shows_track_ego_way_and_the_other_end() -> None:
    drawn = picture("motion-yes-no")
    for panel in (0, 1):
        assert {"ego-way", "track", "ghost", "box target"} <= set(kinds(drawn, panel))
    assert texts(drawn, 0) == ["car 16.5 m"]
    assert texts(drawn, 1) == ["car 4.0 m"]
    track = next(shape.d for shape in drawn.panels[0].shapes if shape.kind == "track")
    assert track.count("L") == 8  # frames 1 to 9
    way = next(shape.d for shape in drawn.panels[0].shapes if shape.kind == "ego-way")
    scale = PANEL / 2 / (drawn.panels[0].extent or 0)
    end = [float(number) for number in way.split("L")[-1].split()]
    assert end == pytest.approx([PANEL / 2, PANEL / 2 - 16 * scale], abs=0.1)


def test_the_right_option_stands_out() -> None:
    drawn = picture("distance-choice")
    assert {"box target", "box option"} <= set(kinds(drawn))
    by_kind = {label.kind: label.text for label in drawn.panels[0].labels}
    assert by_kind == {"target": "pedestrian 5.8 m", "option": "car 12.6 m"}


@pytest.mark.parametrize("answer", ["Yes", "No"])
def test_moving_to_the_right_is_no_sector(answer: str) -> None:
    drawn = PICTURES.picture(msgspec.structs.replace(QUESTIONS["motion-yes-no"], relation="right", answer=answer))
    assert drawn is not None
    assert not [kind for panel in (0, 1) for kind in kinds(drawn, panel) if kind.startswith("sector")]


@pytest.mark.parametrize("template", ["existence-yes-no", "existence-choice"])
def test_the_nearest_of_its_class_is_pointed_out_where_nothing_was_measured(template: str) -> None:
    assert texts(picture(template)) == ["car 12.6 m"]
    assert kinds(picture(template)).count("box target") == 1


def test_the_nearest_at_the_start_is_followed_where_nothing_was_measured() -> None:
    imported = msgspec.structs.replace(QUESTIONS["motion-yes-no"], entities=("pedestrian",), facts={})
    drawn = PICTURES.picture(imported)
    assert drawn is not None
    assert texts(drawn, 0) == ["pedestrian 8.6 m"]
    assert texts(drawn, 1) == ["pedestrian 10.3 m"]
    assert "track" in kinds(drawn, 0)


def test_the_nearest_of_every_option_is_shown_where_nothing_was_measured() -> None:
    drawn = PICTURES.picture(msgspec.structs.replace(QUESTIONS["distance-choice"], facts={}))
    assert drawn is not None
    assert {label.kind: label.text for label in drawn.panels[0].labels} == {
        "target": "pedestrian 5.8 m",
        "option": "car 12.6 m",
    }


def test_the_true_sector_is_known_from_the_answer_too() -> None:
    without_facts = msgspec.structs.replace(QUESTIONS["position-choice"], facts={})
    drawn = PICTURES.picture(without_facts)
    assert drawn is not None
    assert "sector-true" in kinds(drawn)
    denied = msgspec.structs.replace(QUESTIONS["position-yes-no"], facts={})
    drawn = PICTURES.picture(denied)
    assert drawn is not None
    assert "sector-asked" in kinds(drawn)
    assert "sector-true" not in kinds(drawn)


def test_absence_is_said() -> None:
    absent = question("existence", "yes-no", entities=("bus",), answer="No")
    drawn = PICTURES.picture(absent)
    assert drawn is not None
    assert texts(drawn) == ["no bus measured here"]
    without_returns = question("existence", "yes-no", entities=("truck",), answer="No")
    drawn = PICTURES.picture(without_returns)
    assert drawn is not None
    assert texts(drawn) == ["no truck measured here"]
    described = question("description", "text", entities=("description 1",), answer="A bus passes.")
    drawn = PICTURES.picture(described)
    assert drawn is not None
    assert texts(drawn) == []


def test_intervals_are_bars_over_the_key_frames() -> None:
    panel = picture("temporal-choice").panels[-1]
    assert panel.extent is None
    bars = [shape for shape in panel.shapes if shape.kind.startswith("box")]
    assert [bar.kind for bar in bars] == ["box option", "box option", "box target", "box option"]
    first = [float(bar.d[1:].split()[0]) for bar in bars]
    assert first[0] < first[3] < first[1] < first[2]  # they begin at 0, 1, 2 and 5


def test_an_object_whose_box_is_gone_is_drawn_as_a_point() -> None:
    lost = {**fact(3), "box": "no-such-token"}
    facts = {"objects": [lost], "poses": [{"frame": 3, "token": "scene-0001-p3"}]}
    drawn = PICTURES.picture(question("position", "choice", options=("front",), answer="A", facts=facts))
    assert drawn is not None
    assert "box target" in kinds(drawn)
    assert "heading target" not in kinds(drawn)


@pytest.mark.parametrize("kept", [("label",), ("label", "frame"), ("label", "frame", "x"), ("frame", "x", "y"), ()])
def test_an_object_whose_facts_do_not_say_where_it_is_is_the_nearest_of_its_class(kept: tuple[str, ...]) -> None:
    facts = {"objects": [{name: value for name, value in fact(3).items() if name in kept}]}
    drawn = PICTURES.picture(question("position", "choice", options=("front",), answer="A", facts=facts))
    assert drawn is not None
    assert kinds(drawn).count("box target") == 1
    assert ("heading target" in kinds(drawn)) == ("y" not in kept), "a place alone is drawn as a point"


def test_a_question_measured_in_other_records_has_no_picture(tmp_path: Path) -> None:
    elsewhere = {
        "objects": [{**fact(3), "box": "box-of-another-dataset"}],
        "poses": [{"frame": 3, "token": "pose-of-another-dataset"}],
    }
    one = question("position", "choice", options=("front",), answer="A", facts=elsewhere)
    assert PICTURES.picture(one) is None
    with pytest.raises(InputError, match="holds none of the records it was measured from"):
        write_picture(one, SCENES, tmp_path / "x.png")
    assert not (tmp_path / "x.png").exists()


@pytest.mark.parametrize("template", ["position-yes-no", "position-choice", "distance-choice", "motion-yes-no"])
def test_labels_keep_clear_of_the_boxes_they_name(template: str) -> None:
    for panel in picture(template).panels:
        boxes = [shape.d for shape in panel.shapes if shape.kind.startswith("box")]
        named = [label for label in panel.labels if label.text.endswith(("m", "°"))]
        assert len(named) == len(boxes)
        for label in named:
            width = 6.0 * len(label.text)
            low = label.x - width if label.anchor == "end" else label.x
            for d in boxes:
                corners = [tuple(map(float, step.split())) for step in d.strip("MZ").split("L")]
                columns, rows = zip(*corners, strict=True)
                beside = low + width < min(columns) or low > max(columns)
                assert beside or label.y < min(rows) or label.y - 10 > max(rows)


def test_faint_boxes_are_whole_decimetres_and_degrees() -> None:
    rows = PICTURES.faint("scene-0001", 3)
    car = next(row for row in rows if row[5] == CLASSES.index("car"))
    assert car == [120, 40, 45, 19, 6, 0, 1]
    truck = next(row for row in rows if row[5] == CLASSES.index("truck"))
    assert truck[6] == 0, "no LiDAR returns"
    assert PICTURES.faint("scene-0001", 99) == []


def test_a_scene_is_found_by_the_token_that_an_import_keeps() -> None:
    imported = question("existence", "yes-no", scene="009539313", facts={"scene_token": "token-scene-0002"})
    drawn = Pictures(SCENES, ["token-scene-0002"]).picture(imported)
    assert drawn is not None
    assert drawn.scene == "scene-0002"


@pytest.mark.parametrize(
    "one",
    [
        question("existence", "yes-no", scene="elsewhere"),
        question("existence", "yes-no", frames=(99,)),
        question("existence", "yes-no", frames=()),
    ],
)
def test_no_scene_or_frame_means_no_picture(one: Question) -> None:
    assert PICTURES.picture(one) is None
    assert picture_png(one, PICTURES) is None


@pytest.mark.parametrize("template", list(QUESTIONS))
def test_png_shows_something(template: str) -> None:
    png = picture_png(QUESTIONS[template], PICTURES)
    assert png is not None
    image = Image.open(io.BytesIO(png)).convert("RGB")
    assert image.width >= 800
    colours = image.getcolors(1 << 24)
    assert colours is not None
    assert len(colours) > 50


def test_text_is_rendered() -> None:
    one = QUESTIONS["existence-yes-no"]
    words = msgspec.structs.replace(one, question="W" * 30)
    blank = msgspec.structs.replace(one, question=" ")
    assert _ink(words) > 1.02 * _ink(blank)


def _ink(one: Question) -> int:
    png = picture_png(one, PICTURES)
    assert png is not None
    image = Image.open(io.BytesIO(png)).convert("L").crop((0, 0, 860, 60))
    return sum(255 - value for value in image.tobytes())


@pytest.mark.parametrize("text", ["<b>&\"'", "\x00\x07\x1b[31m", "\u202eabc", "x" * 3000, "]]>", "\ud7ff\ufffe"])
def test_hostile_text_leaves_the_svg_whole(text: str) -> None:
    one = msgspec.structs.replace(
        QUESTIONS["distance-choice"], question=text, options=(text, "bus", "pedestrian", "car")
    )
    svg = picture_svg(one, PICTURES)
    assert svg is not None
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert {element.tag.split("}")[1] for element in root.iter()} <= {"svg", "style", "rect", "text", "path"}


def test_write_picture_refuses_another_dataset(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="dataset that the benchmark was built from"):
        write_picture(question("existence", "yes-no", scene="elsewhere"), SCENES, tmp_path / "x.png")
    assert list(tmp_path.iterdir()) == []


def test_write_picture_is_whole(tmp_path: Path) -> None:
    path = write_picture(QUESTIONS["motion-yes-no"], SCENES, tmp_path / "deep" / "x.png")
    with Image.open(path) as image:
        assert image.format == "PNG"
    assert [other.name for other in path.parent.iterdir()] == ["x.png"]
