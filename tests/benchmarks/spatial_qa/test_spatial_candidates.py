"""Candidates of spatial-qa: which questions scenes allow, and what is left out and counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl
import pytest
from street_making import streets

from placed_boxes import camera, placed, seen
from probe4d.benchmarks.question import LETTERS
from probe4d.benchmarks.spatial_qa.candidates import Candidates, candidates_of, in_hundredths, merged
from probe4d.benchmarks.spatial_qa.measuring import Measuring
from probe4d.benchmarks.spatial_qa.pools import OBJECTS
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES
from probe4d.benchmarks.spatial_qa.views import Filters

MEASURING = Measuring(seed=42, filters=Filters(min_side_px=5), captions=None, ambiguous="drop")


def found(boxes: Iterable[Mapping[str, object]], measuring: Measuring = MEASURING) -> Candidates:
    return candidates_of(seen(boxes), measuring)


def asked_of(candidates: Candidates, template: str) -> list[tuple[str, ...]]:
    """Tracks of the objects that each candidate of a template mentions."""
    pool, tracks = candidates.pools[template], candidates.objects["track"]
    columns = [tracks.gather(pool[column]).to_list() for column in OBJECTS if column in pool.columns]
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0.00"), (-0.001, "0.00"), (12.345678, "12.35"), (-0.5, "-0.50"), (1234.5, "1234.50"), (1.006, "1.01")],
)
def test_numbers_are_written_with_two_decimals(number: float, text: str) -> None:
    assert pl.DataFrame({"distance_m": [number]}).select(in_hundredths("distance_m")).item() == text


def test_an_angle_that_rounds_to_minus_180_is_180() -> None:
    angles = pl.DataFrame({"bearing_deg": [-179.996, -179.99, 180.0]})
    assert angles.select(in_hundredths("bearing_deg")).to_series().to_list() == ["180.00", "-179.99", "180.00"]


def test_relations_run_over_ordered_pairs_and_quantities_over_unordered_ones() -> None:
    candidates = found([placed("a", 10, 0), placed("b", 20, 3, 1), placed("c", 30, -4, 2)])
    assert sorted(asked_of(candidates, "above")) == [(one, other) for one in "abc" for other in "abc" if one != other]
    assert sorted(asked_of(candidates, "distance")) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert sorted(asked_of(candidates, "height")) == [("a",), ("b",), ("c",)]


def test_equal_measures_are_no_candidates_and_are_counted() -> None:
    candidates = found([placed("a", 10, 0), placed("b", 20, 3)])
    assert candidates.pools["above"].is_empty()
    assert candidates.pools["left"].height == 2
    assert candidates.exclusions["above: objects equal in what is compared"] == 2


def test_objects_one_above_the_other_have_no_bearing() -> None:
    candidates = found([placed("low", 20, 0, 0), placed("high", 20, 0, 4)])
    assert candidates.pools["bearing"].is_empty()
    assert candidates.pools["distance"]["answer"].to_list() == ["4.00"]
    assert candidates.exclusions["bearing: one object is right above the other"] == 1


def test_choices_need_enough_objects_and_have_distinct_ones() -> None:
    four = [placed(track, 10 + 5 * at, at - 2) for at, track in enumerate("abcd")]
    candidates = found(four)
    assert candidates.pools["closest-to-object"].is_empty()
    assert candidates.exclusions["closest-to-object: fewer than 4 objects to choose from"] == 4
    assert candidates.exclusions["largest: two options are equally good"] == 1
    ((*options,),) = asked_of(candidates, "closest-to-ego")
    assert sorted(options) == list("abcd")
    assert candidates.pools["closest-to-ego"]["answer"].to_list() == [LETTERS[options.index("a")]]
    assert len(asked_of(candidates, "closer-to-object")) == 4
    for reference, *others in asked_of(candidates, "closer-to-object"):
        assert len({reference, *others}) == 3
    more = found([*four, placed("e", 40, 0)])
    for reference, *others in asked_of(more, "closest-to-object"):
        assert sorted({reference, *others}) == list("abcde")


def test_the_answer_to_a_choice_is_the_option_that_the_measures_say() -> None:
    candidates = candidates_of(streets(), MEASURING)
    for name, column, best in (
        ("closest-to-object", "distances_m", min),
        ("closer-to-ego", "distances_m", min),
        ("largest", "volumes_m3", max),
    ):
        for answer, measures in candidates.pools[name].select("answer", column).iter_rows():
            assert measures[LETTERS.index(answer)] == best(measures)


def test_words_that_two_objects_share_are_never_asked_about_but_count_as_surroundings() -> None:
    boxes = [placed("a", 10, 0), placed("b", 12, 3), placed("c", 30, -4, category="human.pedestrian.adult")]
    captions = {"a": "the car", "b": "The Car", "c": "the man"}
    measuring = Measuring(seed=42, filters=Filters(min_side_px=5), captions=captions, ambiguous="drop")
    candidates = found(boxes, measuring)
    assert asked_of(candidates, "width") == [("c",)]
    assert candidates.pools["near-ego"]["answer"].to_list() == ["Yes"]
    assert candidates.exclusions["object shares its words with another one of the image"] == 2


def test_what_only_a_filtered_object_has_is_no_candidate() -> None:
    wide = placed("wide", 15, 3, size=(8.0, 2.6, 3.0), visibility=1)
    candidates = found([placed("a", 20, 0, size=(4.0, 1.8, 1.5)), wide])
    assert candidates.pools["wide-vehicle"].is_empty()
    reason = "wide-vehicle: only an object that the filters left out has what is asked for"
    assert candidates.exclusions[reason] == 1


def test_parking_spots_fit_about_as_often_as_not_and_only_vehicles_are_parked() -> None:
    candidates = candidates_of(streets(tuple(f"scene-{at}" for at in range(12))), MEASURING)
    pool = candidates.pools["parking"]
    kinds = candidates.objects["kind"].gather(pool["object_1"])
    assert set(kinds) == {"vehicle"}
    assert pool.height > 100
    assert 0.35 < (pool["answer"] == "Yes").mean() < 0.65
    for size in ("spot_length_m", "spot_width_m", "clearance_m"):
        assert pool[size].equals(pool[size].round(1))
        assert (pool[size] > 0).all()


def test_an_object_hidden_behind_what_the_camera_passes_is_never_asked_about() -> None:
    boxes = [placed("a", -20, 3), placed("b", -30, 3)]
    candidates = candidates_of(seen(boxes, [camera("CAM_BACK", 180)]), MEASURING)
    assert candidates.pools["occlusion"].is_empty()
    assert candidates.exclusions["occlusion: object 1 does not begin ahead of the camera"] == 2


def test_candidates_of_groups_of_scenes_are_those_of_all_scenes() -> None:
    scenes = streets()
    whole = candidates_of(scenes, MEASURING)
    parts = merged([candidates_of(scenes.select([name]), MEASURING) for name in scenes.names])
    assert parts.exclusions == whole.exclusions
    assert parts.answers == whole.answers
    assert parts.objects["token"].to_list() == whole.objects["token"].to_list()
    for name in TEMPLATES:
        assert sorted(asked_of(parts, name)) == sorted(asked_of(whole, name))
        rows = [
            pool.select("view", "answer", "margin").sort(pl.all()) for pool in (parts.pools[name], whole.pools[name])
        ]
        assert rows[0].equals(rows[1])
