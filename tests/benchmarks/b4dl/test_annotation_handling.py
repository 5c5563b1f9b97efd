"""What annotations have of gaps, noise, missing and contradicting values, and the choice for a prompt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from annotation_making import DRIVES, annotated, events, said, window

from placed_streets import SCENE, Place, Thing, moving, still, street
from probe4d.benchmarks.b4dl.annotations import ANNOTATIONS_SCHEMA, annotations_of, phrases_for_prompt
from probe4d.errors import InputError

COMING = moving(24, 1, (-5, 0), 180.0)


def without(places: list[Place | None], *frames: int) -> list[Place | None]:
    return [None if frame in frames else place for frame, place in enumerate(places)]


def test_a_table_has_the_columns_that_are_documented() -> None:
    for things in ([], [Thing("it", COMING)]):
        assert dict(annotated(things).schema) == ANNOTATIONS_SCHEMA
    nothing = annotations_of(window(street()).clear(), street())
    assert nothing.is_empty()
    assert dict(nothing.schema) == ANNOTATIONS_SCHEMA


def test_nothing_is_said_across_a_gap_in_a_track() -> None:
    assert events(annotated([Thing("it", without(COMING, 4))])) == [("approaches", 0, 3), ("approaches", 5, 9)]
    assert events(annotated([Thing("it", without(COMING, 2, 5, 8))])) == []


def test_what_enters_or_leaves_is_spoken_of_while_it_is_there() -> None:
    assert events(annotated([Thing("it", without(COMING, 0, 1, 2, 9))])) == [("approaches", 3, 8)]


def test_key_frames_without_returns_are_gaps_and_unknown_returns_are_not() -> None:
    assert said(annotated([Thing("it", COMING, lidar_points=0)])) == []
    unknown = annotated([Thing("it", COMING, lidar_points=None)])
    assert events(unknown) == [("approaches", 0, 9)]
    assert unknown.filter(track="it")["lidar_points"].to_list() == [None]


def test_only_key_frames_of_the_window_count() -> None:
    things = [Thing("it", COMING), Thing("late", without(still(10, 0), 0, 1, 2, 3, 4, 5, 6))]
    whole = street(things, DRIVES)
    (start, end) = 2, 7
    inside = annotations_of(window(whole, start, end), whole)
    assert inside["start_frame"].min() == start
    assert inside["end_frame"].max() == end
    far = [(900.0 + 9 * frame, 7.0, 80.0) for frame in range(10)]
    changed = [
        replace(
            thing, places=[place if start <= frame <= end else far[frame] for frame, place in enumerate(thing.places)]
        )
        for thing in things
    ]
    other = street(changed, [p if start <= frame <= end else far[frame] for frame, p in enumerate(DRIVES)])
    assert annotations_of(window(other, start, end), other).equals(inside)


@pytest.mark.parametrize("end", [3, 4])
def test_of_one_or_two_key_frames_nothing_is_said(end: int) -> None:
    assert annotated([Thing("it", COMING)], DRIVES, start=3, end=end).is_empty()


def test_nothing_is_said_of_the_ego_vehicle_across_a_missing_key_frame() -> None:
    assert said(annotated([], DRIVES, spacing_us=800_000), None) == []


def test_boxes_of_parked_cars_that_tremble_do_not_move() -> None:
    draws = np.random.default_rng(3)
    for number in range(40):
        shifts = draws.uniform(-0.2, 0.2, (10, 2))
        places = [(20.0 + x, 3.0 + y, 5.0 * x) for x, y in shifts]
        attributes = ["vehicle.parked"] if number % 2 else []
        noun = "parked car" if number % 2 else "stationary car"
        assert said(annotated([Thing("it", places, attributes=attributes)])) == [
            f"A {noun} ahead stays where it is from frame 000 to frame 009."
        ]


def test_cones_barriers_and_what_else_cannot_move_are_not_spoken_of() -> None:
    for category in ("movable_object.barrier", "movable_object.trafficcone", "static_object.bicycle_rack"):
        assert said(annotated([Thing("it", still(20, 0), category=category)], DRIVES)) == []


def test_two_boxes_of_a_track_at_a_key_frame_are_one_object() -> None:
    scenes = street([Thing("it", COMING)], cameras=False)
    again = scenes.boxes.filter(pl.col("frame") == 3).with_columns(
        token=pl.lit("again"), ego_x=pl.col("ego_x") + 40, x=pl.col("x") + 40
    )
    doubled = replace(scenes, boxes=pl.concat([scenes.boxes, again]).sort("scene", "frame", "track"))
    assert annotations_of(window(doubled), doubled).equals(annotations_of(window(scenes), scenes))


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        (["vehicle.moving"], "A moving car"),
        (["vehicle.parked"], "A car"),
        (["vehicle.stopped"], "A car"),
        (["of.another.dataset"], "A car"),
        ({frame: ["vehicle.moving"] for frame in (2, 5)}, "A moving car"),
        ({2: ["vehicle.moving"], 5: ["vehicle.stopped"]}, "A car"),
        ([], "A car"),
    ],
)
def test_an_attribute_is_said_where_all_key_frames_agree_and_geometry_does_not_contradict(
    attributes: list[str] | dict[int, list[str]], words: str
) -> None:
    for phrase in said(annotated([Thing("it", COMING, attributes=attributes)])):
        assert phrase.startswith(f"{words} ahead")


@pytest.mark.parametrize(
    ("attribute", "words"),
    [
        ("vehicle.moving", "A stationary car"),
        ("vehicle.stopped", "A stopped car"),
        ("vehicle.parked", "A parked car"),
        ("cycle.without_rider", "A car without a rider"),
        ("pedestrian.standing", "A standing car"),
        ("pedestrian.sitting_lying_down", "A sitting or lying car"),
    ],
)
def test_what_stands_is_called_after_its_annotation(attribute: str, words: str) -> None:
    (phrase,) = said(annotated([Thing("it", still(20, 0), attributes=[attribute])]))
    assert phrase.startswith(f"{words} ahead stays")


def test_a_car_annotated_as_parked_is_never_said_to_move_by_itself() -> None:
    drives = [Thing("it", moving(12, 0, (0, 4), 90.0), attributes=["vehicle.parked"])]
    assert not {"crosses-left", "stops", "starts", "turns-left", "keeps-distance"} & {
        e for e, *_ in events(annotated(drives))
    }


def test_people_are_called_by_what_they_are_annotated_as() -> None:
    for kind, words in (("adult", "pedestrian"), ("stroller", "stroller"), ("police_officer", "police officer")):
        (phrase,) = said(annotated([Thing("it", still(20, 0), category=f"human.pedestrian.{kind}")]))
        assert phrase.startswith(f"A stationary {words} ahead")


def test_a_word_that_begins_with_a_vowel_has_its_article() -> None:
    (phrase,) = said(annotated([Thing("it", still(10, 0), category="animal")]))
    assert phrase.startswith("A stationary animal")
    (phrase,) = said(annotated([Thing("it", COMING, category="animal")]))
    assert phrase.startswith("An animal ahead approaches")


def test_results_do_not_depend_on_the_order_of_boxes_nor_on_how_many_sequences_there_are() -> None:
    scenes = street(
        [Thing("b", COMING), Thing("a", still(12, -4)), Thing("c", moving(3, 4, (5, 0)))], DRIVES, cameras=False
    )
    both = pl.concat([window(scenes, 2, 8).with_columns(sequence=pl.lit("part")), window(scenes)])
    together = annotations_of(both, scenes)
    assert together["sequence"].unique(maintain_order=True).to_list() == ["part", f"{SCENE}/0"]
    alone = [annotations_of(both.filter(sequence=name), scenes) for name in ("part", f"{SCENE}/0")]
    assert together.equals(pl.concat(alone))
    shuffled = replace(scenes, boxes=scenes.boxes.sample(fraction=1, shuffle=True, seed=1))
    assert annotations_of(both, shuffled).equals(together)


def test_the_ego_vehicle_comes_first_and_objects_follow_by_their_start() -> None:
    table = annotated([Thing("late", without(COMING, 0, 1)), Thing("early", COMING)], DRIVES)
    assert table["track"][0] is None
    own = table.filter(pl.col("track").is_not_null())
    assert own["start_frame"].is_sorted()


def test_sequences_of_other_scenes_are_refused() -> None:
    scenes = street()
    with pytest.raises(InputError, match="has no scene 'elsewhere', which sequence 'elsewhere/0' is of"):
        annotations_of(window(scenes).with_columns(scene=pl.lit("elsewhere"), sequence=pl.lit("elsewhere/0")), scenes)
    for start, end in ((0, 10), (-1, 4), (5, 4)):
        with pytest.raises(InputError, match=f"has 10 key frames in street; .* goes from {start} to {end}"):
            annotations_of(window(scenes, start, end), scenes)
    with pytest.raises(InputError, match="sequences are given twice: 'street/0'"):
        annotations_of(pl.concat([window(scenes)] * 2), scenes)


def test_a_prompt_gets_the_ego_vehicle_first_and_motion_before_standing() -> None:
    crowd = [Thing(f"parked {number}", still(20 + 2 * number, 6.0)) for number in range(9)]
    crossing = Thing("walker", moving(40, 0, (0, 1.5), 90.0), (0.6, 0.6, 1.8), "human.pedestrian.adult")
    table = annotated([*crowd, crossing], DRIVES)
    phrases = phrases_for_prompt(table, f"{SCENE}/0", most=4)
    assert len(phrases) == 4
    assert phrases[0].startswith("The ego vehicle drives straight on")
    assert any("crosses in front of the ego vehicle" in phrase for phrase in phrases)
    assert not any("stays" in phrase for phrase in phrases)
    starts = [int(phrase.split("from frame ")[-1][:3]) for phrase in phrases[1:]]
    assert starts == sorted(starts)
    every = phrases_for_prompt(table, f"{SCENE}/0", most=500)
    assert len(every) == table["phrase"].n_unique()
    assert phrases_for_prompt(table, "another") == []
    assert len(phrases_for_prompt(table, f"{SCENE}/0", most=1)) == 1
