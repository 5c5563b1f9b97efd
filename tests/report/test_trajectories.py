"""Waypoints seen from above: every point where it is in metres, and whatever else a reader has to know."""

from __future__ import annotations

import io
import json
import re
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from report_making import scenes

from probe4d.benchmarks.question import Question
from probe4d.report.drawing import panel_svg, picture_png, picture_svg
from probe4d.report.picture import Pictures, picture_of_waypoints
from probe4d.report.shapes import PANEL, Panel
from probe4d.report.trajectories import Trajectory, reference_of, waypoint_panel
from waypoint_making import waypoint_question

AHEAD = [(2.0, 0.0), (4.0, 0.5), (6.0, 1.5)]
BEHIND = [(-6.0, 0.0), (-4.0, 0.0), (-2.0, 0.0)]
METRES = st.floats(-150.0, 150.0).map(lambda value: round(value, 2))
SCENES = scenes()


def asked(points: list[tuple[float, float]], direction: str = "future") -> Question:
    """A question about a scene that there is."""
    made = waypoint_question(0, direction, points)
    return msgspec.structs.replace(made, scene="scene-0001", frames=(3, 4, 5, 6, 7), keyframes=12)


def line(panel: Panel, colour: str) -> list[tuple[float, float]]:
    """The way of a colour, back in metres."""
    assert panel.extent is not None
    (path,) = (shape.d for shape in panel.shapes if shape.kind == f"way {colour}")
    scale = PANEL / 2 / panel.extent
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path)]
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return [((PANEL / 2 - y) / scale, (PANEL / 2 - x) / scale) for x, y in pairs]


def texts(panel: Panel) -> list[str]:
    return [label.text for label in panel.labels]


@given(points=st.lists(st.tuples(METRES, METRES), min_size=1, max_size=8))
def test_every_waypoint_of_the_reference_is_where_it_is(points: list[tuple[float, float]]) -> None:
    panel = waypoint_panel(asked(points))
    assert panel.extent is not None
    for own, right in zip(line(panel, "ink"), [(0.0, 0.0), *points], strict=True):
        assert own == pytest.approx(right, abs=0.06 * panel.extent / (PANEL / 2) * 2)


def test_the_future_begins_at_the_ego_vehicle_and_the_past_ends_there() -> None:
    assert line(waypoint_panel(asked(AHEAD)), "ink")[0] == (0.0, 0.0)
    assert line(waypoint_panel(asked(BEHIND, "past")), "ink")[-1] == (0.0, 0.0)
    assert "+1.5 s" in texts(waypoint_panel(asked(AHEAD)))
    assert "\u22121.5 s" in texts(waypoint_panel(asked(BEHIND, "past")))


def test_answers_are_named_in_their_colours_and_the_reference_lies_over_them() -> None:
    ways = [Trajectory("one", "run-0", tuple(AHEAD)), Trajectory("two", "run-1", ((1.0, 1.0), (2.0, 2.0), (3.0, 3.0)))]
    panel = waypoint_panel(asked(AHEAD), ways)
    names = {label.text: label.kind for label in panel.labels}
    assert {"reference": "way-name ink", "one": "way-name run-0", "two": "way-name run-1"}.items() <= names.items()
    assert [shape.kind for shape in panel.shapes][-2:] == ["way ink", "way-dots ink"]
    assert [round(x) for point in line(panel, "run-1")[1:] for x in point] == [1, 1, 2, 2, 3, 3]


def test_a_wild_answer_leaves_the_picture_and_does_not_shrink_it() -> None:
    panel = waypoint_panel(asked(AHEAD), [Trajectory("wild", "run-0", ((90.0, 0.0), (180.0, 0.0), (270.0, 0.0)))])
    assert panel.extent == waypoint_panel(asked(AHEAD)).extent
    assert "wild (leaves the picture)" in texts(panel)


def test_who_stands_still_has_a_picture() -> None:
    panel = waypoint_panel(asked([(0.0, 0.0)] * 3))
    assert panel.extent == 12
    assert texts(panel) == ["reference"]


def test_the_picture_is_that_of_the_query_frame_with_its_boxes() -> None:
    pictures = Pictures(SCENES, SCENES.names)
    drawn = pictures.picture(asked(AHEAD))
    assert drawn is not None
    assert [(panel.frame, panel.title) for panel in drawn.panels] == [(7, "query frame 007")]
    assert pictures.faint(drawn.scene, 7)
    elsewhere = msgspec.structs.replace(asked(AHEAD), frames=(97, 98, 99))
    assert pictures.picture(elsewhere) is None


def test_it_needs_no_scene() -> None:
    drawn = picture_of_waypoints(asked(AHEAD), [Trajectory("one", "run-0", tuple(AHEAD))])
    assert drawn.panels[0].frame is None
    assert "scene-0001" in drawn.words
    assert "reference, one" in drawn.words


def test_a_file_wraps_a_long_reference_and_is_a_whole_image() -> None:
    pictures = Pictures(SCENES, SCENES.names)
    question = asked([(1.25 * step, -0.75) for step in range(1, 9)])
    svg = picture_svg(question, pictures)
    png = picture_png(question, pictures)
    assert svg is not None
    assert png is not None
    texts_drawn = [one.text or "" for one in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert max(map(len, texts_drawn)) < 60
    assert json.dumps(json.loads(question.answer)) in " ".join(texts_drawn).replace("Reference: ", "")
    assert Image.open(io.BytesIO(png)).width > 800


def test_a_panel_for_a_page_says_what_it_shows_and_escapes_it() -> None:
    way = Trajectory("<script>alert(1)</script>", "run-0", tuple(AHEAD))
    svg = panel_svg(waypoint_panel(asked(AHEAD), [way]), "A & B", "Seen from above")
    tree = ElementTree.fromstring(svg)
    assert tree.get("aria-label") == "A & B"
    assert "<script" not in svg


def test_an_answer_that_is_no_list_draws_the_ego_vehicle_alone() -> None:
    broken = msgspec.structs.replace(asked(AHEAD), answer="straight on", facts={})
    assert reference_of(broken) == ()
    assert texts(waypoint_panel(broken)) == ["reference"]
