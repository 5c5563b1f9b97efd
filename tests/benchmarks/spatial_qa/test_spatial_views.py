"""Which objects of camera images are left to be asked about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from placed_boxes import FOCAL_PX, camera, placed, seen
from probe4d.benchmarks.spatial_qa.views import VIEWS_SCHEMA, Filters, objects_in_views
from probe4d.errors import InputError

AHEAD_M = 8.0
"""Where a face of a metre is 100 pixels wide."""


def facing(track: str, width_px: float, height_px: float, **given: Any) -> dict[str, object]:
    """A box whose image box is as large as that: its near face is, and its far face lies behind it."""
    width, height = (side * AHEAD_M / FOCAL_PX for side in (width_px, height_px))
    return placed(track, AHEAD_M + 0.5, 0.0, size=(1.0, width, height), **given)


def test_an_object_in_view_has_its_places_and_sizes() -> None:
    box = placed("a", 11, 3, 1, size=(2, 2, 2), yaw_deg=90, visibility=4, category="vehicle.bus.bendy")
    found, exclusions = objects_in_views(seen([box], [camera(moved_m=1.0)]), Filters())
    assert found.schema == VIEWS_SCHEMA
    row = found.row(0, named=True)
    named = ("scene", "frame", "channel", "token", "track", "category", "label", "kind", "visibility", "lidar_points")
    assert [row[name] for name in named] == [
        "scene-a",
        0,
        "CAM_FRONT",
        "box scene-a 0 a",
        "a",
        "vehicle.bus.bendy",
        "bus",
        "vehicle",
        4,
        7,
    ]
    edges = [800 - FOCAL_PX * 4 / 9, 450 - FOCAL_PX * 2 / 9, 800 - FOCAL_PX * 2 / 11, 450]
    np.testing.assert_allclose([row[name] for name in ("left_px", "top_px", "right_px", "bottom_px")], edges)
    np.testing.assert_allclose([row[name] for name in ("camera_x", "camera_y", "camera_z")], [-3, -1, 10])
    assert [row[name] for name in ("ego_x", "ego_y", "ego_z", "ego_yaw")] == [11, 3, 1, np.pi / 2]
    assert [row[name] for name in ("length", "width", "height")] == [2, 2, 2]
    assert exclusions == {}


@pytest.mark.parametrize(
    ("category", "kind"),
    [
        ("vehicle.car", "vehicle"),
        ("vehicle.bicycle", "vehicle"),
        ("vehicle.motorcycle", "vehicle"),
        ("vehicle.emergency.police", "vehicle"),
        ("vehicle.trailer", "vehicle"),
        ("human.pedestrian.adult", "pedestrian"),
        ("human.pedestrian.stroller", "pedestrian"),
        ("animal", None),
        ("movable_object.barrier", None),
        ("static_object.bicycle_rack", None),
    ],
)
def test_vehicles_and_pedestrians_are_known_by_their_category(category: str, kind: str | None) -> None:
    found, _ = objects_in_views(seen([facing("a", 100, 100, category=category)]), Filters())
    assert found["kind"].to_list() == [kind]


def test_image_boxes_of_at_most_the_smallest_side_are_left_out() -> None:
    boxes = [
        facing("wide", 400, 39.9),
        facing("high", 39.9, 400),
        facing("square", 40.1, 40.1),
        facing("tiny", 10, 10),
    ]
    found, exclusions = objects_in_views(seen(boxes), Filters())
    assert found["track"].to_list() == ["square"]
    assert exclusions == {"image box at most 40 px wide or high": 3}
    half_a_metre = facing("border", 50, 50)  # no number on the way to its 50 pixels is rounded
    on_border = objects_in_views(seen([half_a_metre]), Filters(min_side_px=50))
    assert on_border.exclusions == {"image box at most 50 px wide or high": 1}


def test_what_is_cut_off_by_the_border_of_the_image_is_measured_as_it_shows() -> None:
    at_border = placed("a", 8.5, 8.0, size=(1.0, 1.0, 1.0))  # from 750 to 850 px left of the middle: 50 px show
    assert objects_in_views(seen([at_border]), Filters()).objects["left_px"].to_list() == [0.0]
    assert objects_in_views(seen([at_border]), Filters(min_side_px=101)).objects.is_empty()


@pytest.mark.parametrize(
    ("filters", "kept", "exclusions"),
    [
        (Filters(), ["four", "unknown"], {"visibility below level 4": 2}),
        (Filters(min_visibility=3), ["four", "three", "unknown"], {"visibility below level 3": 1}),
        (Filters(min_visibility=1), ["four", "one", "three", "unknown"], {}),
        (
            Filters(unknown_visibility="drop"),
            ["four"],
            {"visibility below level 4": 2, "visibility unknown": 1},
        ),
        (Filters(min_visibility=1, unknown_visibility="drop"), ["four", "one", "three"], {"visibility unknown": 1}),
    ],
)
def test_visibility(filters: Filters, kept: list[str], exclusions: dict[str, int]) -> None:
    levels = {"one": 1, "three": 3, "four": 4, "unknown": None}
    found = objects_in_views(
        seen([facing(track, 100, 100, visibility=level) for track, level in levels.items()]), filters
    )
    assert found.objects["track"].to_list() == kept
    assert found.exclusions == exclusions
    assert found.objects["visibility"].null_count() == ("unknown" in kept)


def test_each_image_box_is_left_out_for_one_reason() -> None:
    boxes = [
        facing("small and hidden", 10, 10, visibility=1),
        facing("small and unknown", 10, 10, visibility=None),
        facing("hidden", 100, 100, visibility=1),
        facing("unknown", 100, 100, visibility=None),
        facing("shown", 100, 100),
        placed("behind", -20, 0, visibility=1),
    ]
    found, exclusions = objects_in_views(seen(boxes), Filters(unknown_visibility="drop"))
    assert found["track"].to_list() == ["shown"]
    assert exclusions == {
        "image box at most 40 px wide or high": 2,
        "visibility below level 4": 1,
        "visibility unknown": 1,
    }


def test_an_object_is_in_every_view_that_shows_it_in_order() -> None:
    boxes = [placed(track, 10, y, frame=frame) for frame in (1, 0) for track, y in (("b", 9.0), ("a", 0.0))]
    cameras = [camera(name, yaw, frame=frame) for frame in (0, 1) for name, yaw in (("FRONT", 0), ("LEFT", 60))]
    found = objects_in_views(seen(boxes, cameras), Filters(min_side_px=0)).objects
    assert found.select("frame", "channel", "track").rows() == [
        (frame, channel, track)
        for frame in (0, 1)
        for channel, track in (("FRONT", "a"), ("FRONT", "b"), ("LEFT", "b"))
    ]


def test_without_cameras_there_are_no_objects() -> None:
    found = objects_in_views(seen([placed("a", 10, 0)], []), Filters())
    assert found.objects.schema == VIEWS_SCHEMA
    assert found == (found.objects, {})
    assert found.objects.is_empty()


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"min_visibility": 0}, "level from 1 to 4, not 0"),
        ({"min_visibility": 5}, "level from 1 to 4, not 5"),
        ({"unknown_visibility": "guess"}, "kept or dropped, not 'guess'"),
        ({"min_side_px": -1.0}, "at least 0 px, not -1"),
        ({"min_side_px": float("nan")}, "at least 0 px, not nan"),
    ],
)
def test_filters_that_make_no_sense_are_refused(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Filters(**given)


def test_a_camera_without_image_size_is_refused() -> None:
    with pytest.raises(InputError, match="CAM_FRONT has no image size"):
        objects_in_views(seen([placed("a", 10, 0)], [camera() | {"width": None}]), Filters())
