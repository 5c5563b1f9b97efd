"""Which candidates are taken: caps, balance, links, tags by turns, scores, ties."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from stride_making import pool_of

from probe4d.benchmarks.stride.curation import curated
from probe4d.benchmarks.stride.templates import TEMPLATES

SECTORS = TEMPLATES["SP-2"].options


def taken(name: str, rows: list[dict[str, Any]], most: int = 50, cap: int = 5) -> pl.DataFrame:
    return curated({name: pool_of(rows)}, TEMPLATES, per_template=most, most_per_scene=cap)[name]


def test_the_highest_score_comes_first_and_ties_go_to_the_lowest_rank() -> None:
    rows = [
        {"scene": scene, "challenge": score, "rank": rank}
        for scene, score, rank in [("a", 1, 0), ("b", 3, 9), ("c", 3, 4)]
    ]
    assert taken("SP-2", rows)["scene"].to_list() == ["c", "b", "a"]


def test_answers_are_balanced_as_far_as_there_are() -> None:
    rows = [
        {"scene": f"s{place}", "answer": answer, "challenge": 9.0 if answer == "front" else 1.0}
        for place, answer in enumerate(["front"] * 20 + ["left"] * 6 + ["rear"] * 2)
    ]
    found = taken("SP-2", rows, most=14)
    assert Counter(found["answer"]) == {"front": 6, "left": 6, "rear": 2}


def test_trajectories_are_balanced_over_manoeuvre_and_change_of_speed() -> None:
    cells = [("straight on", "steady")] * 20 + [("left", "slows down")] * 3 + [("left", "steady")] * 3
    rows = [
        {"scene": f"s{place}", "answer": str(place), "manoeuvre": manoeuvre, "speed_change": change}
        for place, (manoeuvre, change) in enumerate(cells)
    ]
    found = taken("TRJ-5", rows, most=9)
    assert Counter(found.select("manoeuvre", "speed_change").rows()) == dict.fromkeys({*cells}, 3)


def test_a_scene_gives_no_more_than_its_cap_and_a_clip_one_question() -> None:
    rows = [{"frame": frame, "track": track} for frame in range(4, 30) for track in ("x", "y")]
    found = taken("SP-3", rows, cap=4)
    assert found.height == 4
    assert found["frame"].is_unique().all()
    assert found["frame"].sort().diff().drop_nulls().min() >= 5  # nor do the clips overlap


def test_tags_take_turns() -> None:
    rows = [{"scene": f"s{place}", "tags": ["pedestrian"], "challenge": 5.0} for place in range(9)]
    rows += [{"scene": f"n{place}", "tags": ["night", "pedestrian"], "challenge": 1.0} for place in range(2)]
    rows += [{"scene": f"o{place}", "tags": [], "challenge": 0.0} for place in range(2)]
    found = taken("SP-3", [row | {"answer": "10 to 20 m"} for row in rows], most=6)
    assert Counter(tuple(tags) for tags in found["tags"]) == {("pedestrian",): 2, ("night", "pedestrian"): 2, (): 2}


def test_parts_of_open_questions_come_before_others_of_their_answer() -> None:
    of_part = {"template": "SP-2", "answer": "front", "facts": "{}"}
    whole = pool_of([{"scene": "z", "frame": 9, "track": "x", "answer": ""}]).with_columns(
        parts=pl.lit([of_part, of_part])
    )
    rows = [{"scene": scene, "frame": 9, "track": "x", "challenge": score} for scene, score in [("a", 9.0), ("z", 1.0)]]
    found = curated({"SP-2": pool_of(rows), "SP-7": whole}, TEMPLATES, per_template=1, most_per_scene=5)
    assert [*found] == ["SP-2", "SP-7"]
    assert found["SP-2"]["scene"].to_list() == ["z"]


def test_open_questions_of_which_more_can_be_told_come_first() -> None:
    parts = [
        [{"template": name, "answer": "x", "facts": "{}"} for name in names]
        for names in (("SP-2", "SP-1"), ("SP-2", "SP-1", "SP-3"))
    ]
    pool = pool_of([{"scene": "a", "challenge": 9.0}, {"scene": "b"}]).with_columns(parts=pl.Series(parts))
    assert curated({"SP-7": pool}, TEMPLATES, per_template=1, most_per_scene=1)["SP-7"]["scene"].to_list() == ["b"]


CANDIDATES = st.lists(
    st.fixed_dictionaries(
        {
            "scene": st.sampled_from("abc"),
            "frame": st.integers(4, 12),
            "track": st.sampled_from("xyz"),
            "answer": st.sampled_from(SECTORS),
            "challenge": st.sampled_from([0.0, 1.5, 3.0]),
            "tags": st.lists(st.sampled_from(["pedestrian", "night"]), unique=True),
        }
    ),
    max_size=40,
    unique_by=lambda row: (row["scene"], row["frame"], row["track"]),
)


@settings(max_examples=40)
@given(rows=CANDIDATES, most=st.integers(1, 12), cap=st.integers(1, 5), seed=st.integers(0, 9))
def test_any_draw_keeps_its_caps_and_does_not_depend_on_the_order_of_rows(
    rows: list[dict[str, Any]], most: int, cap: int, seed: int
) -> None:
    ranked = [row | {"rank": place} for place, row in enumerate(rows)]
    found = taken("SP-2", ranked, most, cap)
    assert found.height <= most
    assert all(count <= cap for count in Counter(found["scene"]).values())
    assert found.select("scene", "frame").is_unique().all()
    if found.height < most:  # then nothing that may be taken is left
        clips, full = {*found.select("scene", "frame").rows()}, Counter(found["scene"])
        assert all((row["scene"], row["frame"]) in clips or full[row["scene"]] == cap for row in rows)
    if ranked:
        other = pool_of(ranked).sample(fraction=1, shuffle=True, seed=seed)
        again = curated({"SP-2": other}, TEMPLATES, per_template=most, most_per_scene=cap)["SP-2"]
        assert again.equals(found)
