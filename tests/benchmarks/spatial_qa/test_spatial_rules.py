"""Relations, quantities, options and judgments of pairs, on boxes placed by hand."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from spatial_making import in_view, objects

from probe4d.benchmarks.spatial_qa.rules import (
    RELATIONS,
    best_option,
    collision,
    fits_spot,
    in_half_open_circle,
    pair_measures,
    pairs_of,
    passes_between,
    quantities,
    related,
)

METRES = st.floats(-60, 60)
SIZES = st.floats(0.2, 15)
PLACED = st.fixed_dictionaries(
    {
        **dict.fromkeys(("ego_x", "ego_y", "ego_z", "camera_x", "camera_z"), METRES),
        **dict.fromkeys(("length", "width", "height"), SIZES),
        "ego_yaw": st.floats(-math.pi, math.pi),
    }
)
OPPOSITE = {
    "above": "below",
    "left": "right",
    "in-front": "behind",
    "larger": "smaller",
    "longer": "shorter-in-length",
    "taller": "shorter-in-height",
    "wider": "thinner",
}


def pair(first: dict[str, Any], second: dict[str, Any]) -> pl.DataFrame:
    """The pair of two objects of a view, in this order."""
    return pairs_of(objects(in_view("a", **first), in_view("b", **second))).filter(pl.col("track_1") == "a")


def measured(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    return pair_measures(pair(first, second)).row(0, named=True)


def judged(relation: str, first: dict[str, Any], second: dict[str, Any]) -> tuple[bool | None, float | None]:
    return related(pair_measures(pair(first, second)), relation).select("holds", "margin").row(0)


def test_objects_are_paired_within_their_view_in_both_orders() -> None:
    table = objects(
        in_view("a"), in_view("b"), in_view("c"), in_view("a", frame=1), in_view("b", channel="CAM_BACK", frame=1)
    )
    pairs = pairs_of(table)
    assert pairs.select("frame", "track_1", "track_2").rows() == [
        (0, *tracks) for tracks in ("ab", "ac", "ba", "bc", "ca", "cb")
    ]
    assert set(pairs.columns) == {"scene", "frame", "channel"} | {
        f"{name}_{number}" for name in table.columns if name not in ("scene", "frame", "channel") for number in (1, 2)
    }


@pytest.mark.parametrize(
    ("relation", "changed", "margin"),
    [
        ("above", {"ego_z": 1.5}, 0.7),
        ("left", {"camera_x": -2.0}, 2.0),
        ("in-front", {"camera_z": 4.0}, 5.0),
        ("in-front", {"camera_z": -1.0}, 10.0),  # its centre behind the camera, some of it still in the image
        ("larger", {"length": 5.5}, 3.04),
        ("larger", {"length": 3.0, "width": 3.0, "height": 3.0}, 13.32),  # shorter, yet of more volume
        ("longer", {"length": 4.6}, 0.1),
        ("taller", {"height": 3.0}, 1.4),
        ("wider", {"width": 2.5}, 0.6),
    ],
)
def test_a_relation_holds_its_opposite_does_not_and_the_other_way_round(
    relation: str, changed: dict[str, float], margin: float
) -> None:
    opposite = OPPOSITE[relation]
    assert judged(relation, changed, {}) == (True, pytest.approx(margin))
    assert judged(opposite, changed, {}) == (False, pytest.approx(margin))
    assert judged(relation, {}, changed) == (False, pytest.approx(margin))
    assert judged(opposite, {}, changed) == (True, pytest.approx(margin))


def test_above_compares_centres_so_that_a_tall_object_is_above_a_low_one_beside_it() -> None:
    bus, child = {"ego_z": 1.6, "height": 3.2}, {"ego_z": 0.6, "height": 1.2}
    assert judged("above", bus, child) == (True, pytest.approx(1.0))
    standing_on_a_low_wall = {"ego_z": 1.4, "height": 1.0}  # from 0.9 to 1.9 m, inside the height of the bus
    assert judged("below", standing_on_a_low_wall, bus) == (True, pytest.approx(0.2))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("tiny", [0.0, 1e-8, -1e-8])
def test_equal_objects_have_no_answer(relation: str, tiny: float) -> None:
    nearly = {
        name: in_view("a")[name] + tiny for name in ("ego_z", "camera_x", "camera_z", "length", "width", "height")
    }
    assert judged(relation, nearly, {}) == (None, None)


@given(PLACED, PLACED)
def test_relations_exclude_each_other_and_turn_around_with_the_pair(
    first: dict[str, float], second: dict[str, float]
) -> None:
    there, back = pair_measures(pair(first, second)), pair_measures(pair(second, first))
    for relation, opposite in OPPOSITE.items():
        holds, margin = related(there, relation).select("holds", "margin").row(0)
        assert related(there, opposite).select("holds", "margin").row(0) == (
            None if holds is None else not holds,
            margin,
        )
        assert related(back, opposite).select("holds", "margin").row(0) == (holds, margin)
        assert (holds is None) == (margin is None)
        assert margin is None or margin >= 1e-6


def test_each_measure_decides_two_relations_and_each_relation_has_one_opposite() -> None:
    assert set(OPPOSITE) | set(OPPOSITE.values()) == set(RELATIONS)
    for relation, opposite in OPPOSITE.items():
        assert RELATIONS[relation].measure == RELATIONS[opposite].measure
        assert RELATIONS[relation].sign == -RELATIONS[opposite].sign


def test_edges_are_measured_in_the_ego_frame() -> None:
    edge = measured({"ego_x": 1.0, "ego_y": -2.0, "ego_z": 1.0}, {"ego_x": 4.0, "ego_y": 2.0, "ego_z": 13.0})
    assert (edge["distance_m"], edge["longitudinal_m"], edge["lateral_m"]) == (13.0, 3.0, 4.0)
    assert edge["bearing_deg"] == pytest.approx(math.degrees(math.atan2(4, 3)))


@pytest.mark.parametrize(
    ("forward", "left", "bearing"),
    [
        (1.0, 0.0, 0.0),
        (0.0, 1.0, 90.0),
        (0.0, -1.0, -90.0),
        (-1.0, 0.0, 180.0),
        (-1.0, -0.0, 180.0),
        (-1.0, -4e-8, 180.0),
        (-1.0, 1.0, 135.0),
        (-1.0, -1.0, -135.0),
        (0.0, 0.0, None),
    ],
)
def test_bearings_count_from_the_heading_to_the_left_and_end_with_180(
    forward: float, left: float, bearing: float | None
) -> None:
    edge = measured({"ego_x": 0.0, "ego_y": 0.0, "ego_z": 0.0}, {"ego_x": forward, "ego_y": left, "ego_z": 2.0})
    assert edge["bearing_deg"] == bearing


def test_a_rounded_bearing_is_brought_back_into_the_half_open_circle() -> None:
    rounded = pl.DataFrame({"b": [-179.999, -179.99, 179.999, 180.0, 0.0]}).select(
        in_half_open_circle(pl.col("b").round(2))
    )
    assert rounded.to_series().to_list() == [180.0, -179.99, 180.0, 180.0, 0.0]


def test_objects_with_one_centre_are_at_distance_0_without_a_bearing() -> None:
    edge = measured({}, {"length": 9.0})
    assert [edge[name] for name in ("distance_m", "longitudinal_m", "lateral_m", "bearing_deg")] == [0, 0, 0, None]


@given(PLACED, PLACED)
def test_edges_are_the_same_from_both_ends_but_for_the_bearing(
    first: dict[str, float], second: dict[str, float]
) -> None:
    there, back = measured(first, second), measured(second, first)
    for name in ("distance_m", "longitudinal_m", "lateral_m"):
        assert there[name] == back[name]
    assert there["distance_m"] + 2e-6 >= math.hypot(there["longitudinal_m"], there["lateral_m"])
    if there["bearing_deg"] is None:
        assert back["bearing_deg"] is None
    else:
        assert -180 < there["bearing_deg"] <= 180
        assert math.remainder(there["bearing_deg"] - back["bearing_deg"] - 180, 360) == pytest.approx(0, abs=1e-9)


@given(PLACED, PLACED, st.floats(-math.pi, math.pi))
def test_a_turn_about_the_ego_vehicle_changes_only_directions(
    first: dict[str, float], second: dict[str, float], angle: float
) -> None:
    def turned(box: dict[str, float]) -> dict[str, float]:
        cos, sin = math.cos(angle), math.sin(angle)
        x, y = box["ego_x"], box["ego_y"]
        place = {"ego_x": cos * x - sin * y, "ego_y": sin * x + cos * y, "ego_yaw": box["ego_yaw"] + angle}
        return box | place

    before, after = measured(first, second), measured(turned(first), turned(second))
    unchanged = ["distance_m", *(relation.measure for relation in RELATIONS.values())]
    for name in unchanged:
        assert after[name] == pytest.approx(before[name], abs=2e-6)
    gaps = [
        collision(pair_measures(pair(*boxes)))["gap_m"].item()
        for boxes in ((first, second), (turned(first), turned(second)))
    ]
    assert gaps[0] == pytest.approx(gaps[1], abs=2e-6)
    ego = [quantities(objects(in_view("a", **box)))["ego_distance_m"].item() for box in (first, turned(first))]
    assert ego[0] == pytest.approx(ego[1], abs=2e-6)
    if before["bearing_deg"] is not None and min(before["longitudinal_m"], before["lateral_m"]) > 0.1:
        swung = math.remainder(after["bearing_deg"] - before["bearing_deg"] - math.degrees(angle), 360)
        assert swung == pytest.approx(0, abs=1e-3)


def test_objects_are_measured_against_the_ego_origin() -> None:
    row = quantities(objects(in_view("a", ego_x=-3.0, ego_y=-4.0, ego_z=12.0, length=2.0, width=3.0, height=4.0)))
    names = ("ego_distance_m", "ego_longitudinal_m", "ego_lateral_m", "volume_m3")
    assert row.select(names).row(0) == (13.0, 3.0, 4.0, 24.0)


@pytest.mark.parametrize(
    ("measures", "largest", "best", "margin"),
    [
        ([5.0, 3.0, 9.0, 3.5], False, 1, 0.5),
        ([5.0, 3.0, 9.0, 3.5], True, 2, 4.0),
        ([5.0, 3.0, 9.0, 3.0], False, None, None),
        ([5.0, 3.0, 9.0, 3.0], True, 2, 4.0),  # only equals at the top take the answer away
        ([5.0, 3.0, 9.0, 3.0 + 4e-8], False, None, None),
        ([2.0, 1.0], False, 1, 1.0),
        ([2.0, 1.0], True, 0, 1.0),
        ([2.0, 2.0], True, None, None),
    ],
)
def test_the_best_option_is_the_only_least_or_greatest(
    measures: list[float], largest: bool, best: int | None, margin: float | None
) -> None:
    found = best_option(pl.DataFrame({"measures": [measures]}), largest=largest)
    assert found.select("best", "margin").row(0) == (best, margin)


@given(st.lists(st.floats(0, 100), min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_the_best_option_does_not_depend_on_the_order_of_options(measures: list[float], random: Any) -> None:
    def best_measure(options: list[float]) -> tuple[float | None, float | None]:
        best, margin = best_option(pl.DataFrame({"measures": [options]})).select("best", "margin").row(0)
        return None if best is None else options[best], margin

    shuffled = random.sample(measures, len(measures))
    assert best_measure(measures) == best_measure(shuffled)


def test_options_of_several_questions_are_judged_row_by_row() -> None:
    found = best_option(pl.DataFrame({"measures": [[1.0, 2.0], [4.0, 3.0, 2.0, 1.0]]}))
    assert found["best"].to_list() == [0, 3]


@pytest.mark.parametrize(
    ("forward", "width", "holds", "margin", "gap"),
    [
        (3.0, 2.0, True, 7.0, 0.0),  # footprints overlap
        (10.0, 2.0, True, 0.0, 5.5),
        (10.1, 2.0, None, None, 5.6),
        (14.5, 2.0, None, None, 10.0),
        (14.6, 2.0, False, 0.1, 10.1),
    ],
)
def test_objects_collide_if_even_their_centres_come_together(
    forward: float, width: float, holds: bool | None, margin: float | None, gap: float
) -> None:
    boxes = pair({"width": width}, {"ego_x": 10.0 + forward, "width": width})
    row = collision(pair_measures(boxes)).row(0, named=True)
    assert (row["holds"], row["gap_m"]) == (holds, pytest.approx(gap))
    assert row["margin"] == (None if margin is None else pytest.approx(margin))


def test_height_counts_for_the_distance_of_centres_but_not_for_the_gap() -> None:
    boxes = pair({"ego_z": 0.5}, {"ego_z": 11.5})
    row = collision(pair_measures(boxes)).row(0, named=True)
    assert (row["distance_m"], row["gap_m"], row["holds"]) == (11.0, 0.0, None)


@pytest.mark.parametrize(
    ("vehicle_width", "holds", "margin"), [(1.1, True, 0.0), (1.0, True, 0.1), (1.2, False, 0.1), (3.1, False, 2.0)]
)
def test_a_vehicle_passes_between_if_the_gap_is_as_wide(vehicle_width: float, holds: bool, margin: float) -> None:
    boxes = pair({}, {"ego_y": 3.0}).with_columns(vehicle_width_m=vehicle_width)
    assert passes_between(boxes).select("holds", "margin", "gap_m").row(0) == (
        holds,
        pytest.approx(margin),
        pytest.approx(1.1),
    )


def test_nothing_passes_between_overlapping_objects_and_turned_ones_leave_another_gap() -> None:
    overlapping = pair({}, {"ego_y": 1.0}).with_columns(vehicle_width_m=0.5)
    assert passes_between(overlapping).select("holds", "gap_m").row(0) == (False, 0.0)
    across = pair({}, {"ego_y": 5.0, "ego_yaw": math.pi / 2}).with_columns(vehicle_width_m=1.8)
    assert passes_between(across).select("holds", "gap_m").row(0) == (True, 1.8)  # 5 - 1.9 / 2 - 4.5 / 2


@pytest.mark.parametrize(
    ("spot_length", "spot_width", "holds", "margin"),
    [
        (5.5, 2.9, True, 0.0),
        (6.0, 3.0, True, 0.1),
        (5.5, 2.8, False, 0.1),
        (5.2, 3.5, False, 0.3),
        (5.2, 2.5, False, 0.5),
    ],
)
def test_an_object_fits_with_clearance_on_all_sides(
    spot_length: float, spot_width: float, holds: bool, margin: float
) -> None:
    spot = objects(in_view("a")).with_columns(spot_length_m=spot_length, spot_width_m=spot_width, clearance_m=0.5)
    assert fits_spot(spot).select("holds", "margin").row(0) == (holds, pytest.approx(margin))


@given(SIZES, SIZES, SIZES, SIZES, st.floats(0, 1), st.floats(0, 2 * math.pi))
def test_no_spot_within_the_margin_changes_the_answer(
    length: float, width: float, spot_length: float, spot_width: float, clearance: float, angle: float
) -> None:
    spot = pl.DataFrame(
        {
            "length": length,
            "width": width,
            "spot_length_m": spot_length,
            "spot_width_m": spot_width,
            "clearance_m": clearance,
        }
    )
    holds, margin = fits_spot(spot).select("holds", "margin").row(0)
    assume(margin > 1e-4)
    step = 0.999 * margin
    moved = spot.with_columns(
        spot_length_m=spot_length + step * math.cos(angle), spot_width_m=spot_width + step * math.sin(angle)
    )
    assert fits_spot(moved)["holds"].item() == holds


@given(PLACED, PLACED)
def test_judgments_of_a_pair_do_not_depend_on_its_order(first: dict[str, float], second: dict[str, float]) -> None:
    there, back = (pair_measures(pair(*boxes)) for boxes in ((first, second), (second, first)))
    assert (
        collision(there).select("holds", "margin", "gap_m").equals(collision(back).select("holds", "margin", "gap_m"))
    )
    gap = collision(there)["gap_m"].item()
    assert gap <= there["distance_m"].item() + 1e-6
