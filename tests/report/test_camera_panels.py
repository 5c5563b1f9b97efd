"""Camera panels: outlines where the image shows the objects, their words or letters, lines with distances."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from view_making import PLACES_M, token, view_fact, view_question, view_scenes

from placed_boxes import FOCAL_PX
from probe4d.benchmarks.question import Question
from probe4d.report.camera_panels import WIDTH, CameraPanels
from probe4d.report.drawing import picture_svg
from probe4d.report.picture import Pictures
from probe4d.report.shapes import Label, Panel, apart

SCENES = view_scenes()
SCALE = WIDTH / 1600

PAIR = view_question(["car", "truck"])
NUMBER = view_question(
    ["car", "truck"],
    format="number",
    template="bearing",
    answer="30.96",
    facts={"bearing_deg": 30.96, "unit": "degrees"},
)
CLOSEST = view_question(
    ["car"],
    ["truck", "bus", "cone"],
    answer="C",
    facts={"distances_m": [11.6619, 9.4868, 8.6023], "margin_unit": "metres"},
)
LARGEST = view_question([], ["truck", "bus"], answer="A", template="largest", facts={"volumes_m3": [8.0, 7.5]})
NEAR = view_question(["car"], template="near-object", rule="near-object", facts={"witness": token("cone")})
RISK = view_question([], template="pedestrian-risk", rule="pedestrian-risk", facts={"witness": token("cone")})


def panel(question: Question) -> Panel:
    found = CameraPanels(SCENES, [question]).panel(question)
    assert found is not None
    return found


def texts(found: Panel) -> dict[str, list[str]]:
    """Texts of the labels by what they stand for."""
    by_kind: dict[str, list[str]] = {}
    for label in found.labels:
        by_kind.setdefault(label.kind, []).append(label.text)
    return by_kind


def kinds(found: Panel) -> list[str]:
    return [shape.kind for shape in found.shapes if shape.kind != "rim"]


def test_an_object_is_outlined_where_the_image_shows_it() -> None:
    found = panel(PAIR)
    left, top, right, bottom = map(float, re.findall(r"-?[\d.]+", found.shapes[1].d)[:4])
    half = FOCAL_PX * 1 / 19  # of the nearer face, 19 m ahead
    expected = [(800 - half) * SCALE, (450 - half) * SCALE, (800 + half) * SCALE, (450 + half) * SCALE]
    assert found.shapes[1].kind == "box target"
    assert [left, top, right, bottom] == pytest.approx(expected, abs=0.06)
    assert (found.width, found.height) == (WIDTH, 450.0)
    assert found.title == "CAM_FRONT, frame 000"


def test_a_pair_has_a_line_with_its_distance() -> None:
    found = panel(PAIR)
    assert kinds(found) == ["box target", "box second", "between"]
    away = math.dist(PLACES_M["car"], PLACES_M["truck"])
    assert texts(found) == {"target": ["the car"], "second": ["the truck"], "between": [f"{away:.2f} m"]}


def test_a_number_asked_for_stands_at_the_line() -> None:
    away = math.dist(PLACES_M["car"], PLACES_M["truck"])
    assert texts(panel(NUMBER))["between"] == [f"{away:.2f} m, bearing 30.96°"]


def test_a_number_of_one_object_stands_behind_its_words() -> None:
    length = view_question(["car"], format="number", answer="2.00", facts={"length_m": 2.0, "unit": "metres"})
    assert texts(panel(length)) == {"target": ["the car, length 2.00 m"]}


def test_options_have_letters_distances_and_lines_and_the_right_one_differs() -> None:
    found = panel(CLOSEST)
    assert kinds(found).count("between") == 3
    assert texts(found)["right"] == ["C, 8.60 m"]
    assert sorted(texts(found)["option"]) == ["A, 11.66 m", "B, 9.49 m"]
    assert texts(found)["target"] == ["the car"]
    assert "between" not in texts(found)


def test_options_alone_have_no_lines() -> None:
    found = panel(LARGEST)
    assert kinds(found) == ["box right", "box option"]
    assert texts(found) == {"right": ["A, 8.00 m³"], "option": ["B, 7.50 m³"]}


def test_options_of_the_same_words_keep_their_letters() -> None:
    twins = view_question(["car"], ["truck", "bus"], answer="B", words={"truck": "the van", "bus": "the van"})
    assert texts(panel(twins)) == {"option": ["A"], "right": ["B"], "target": ["the car"]}


@pytest.mark.parametrize("volumes", [[8.0], [8.0, None], "large", None])
def test_options_that_were_not_all_compared_have_letters_alone(volumes: object) -> None:
    asked = msgspec.structs.replace(LARGEST, facts={**LARGEST.facts, "volumes_m3": volumes})
    assert texts(panel(asked)) == {"right": ["A"], "option": ["B"]}


def test_options_that_were_not_all_measured_have_no_letters() -> None:
    facts = {"objects": [view_fact("bus")]}
    asked = msgspec.structs.replace(LARGEST, facts=facts)
    assert texts(panel(asked)) == {"option": ["the bus"]}


def test_what_decides_is_outlined_with_its_distance() -> None:
    near = panel(NEAR)
    away = math.dist(PLACES_M["car"], PLACES_M["cone"])
    assert texts(near) == {"witness": ["car (decides)"], "target": ["the car"], "between": [f"{away:.2f} m"]}
    assert texts(panel(RISK)) == {"witness": [f"car (decides), {math.hypot(*PLACES_M['cone']):.2f} m"]}


@pytest.mark.parametrize(("rule", "size"), [("wide-vehicle", "width"), ("bridge", "height")])
def test_what_decides_by_its_size_has_its_size(rule: str, size: str) -> None:
    asked = msgspec.structs.replace(RISK, rule=rule)
    assert texts(panel(asked)) == {"witness": [f"car (decides), {size} 2.00 m"]}


def test_what_the_image_does_not_show_is_said() -> None:
    behind = view_question([], rule="near-ego", facts={"witness": token("behind")})
    assert texts(panel(behind)) == {"absent": ["outside this image: car (decides)"]}
    beside = view_question(["car", "behind"])
    assert texts(panel(beside))["absent"] == ["outside this image: the behind"]


@pytest.mark.parametrize("facts", [{"witness": None}, {}, {"objects": None}, {"objects": ["no object"], "witness": 7}])
def test_a_view_in_which_nothing_decides_has_a_panel_without_shapes(facts: dict[str, object]) -> None:
    found = panel(view_question([], facts=facts))
    assert (found.shapes, found.labels) == ([], [])


@pytest.mark.parametrize(
    "fields", [{"channel": None}, {"channel": "CAM_BACK"}, {"scene": "elsewhere"}, {"frames": (9,)}, {"frames": ()}]
)
def test_questions_about_no_view_of_the_scenes_have_no_panel(fields: dict[str, object]) -> None:
    asked = msgspec.structs.replace(PAIR, **fields)
    assert CameraPanels(SCENES, [asked]).panel(asked) is None


def test_long_words_are_cut_in_the_picture() -> None:
    asked = view_question(["car"], words={"car": "the white car " * 9})
    (label,) = panel(asked).labels
    assert label.text.endswith("…")
    assert len(label.text) < 40


def test_the_view_from_above_lies_behind_it_and_compares_with_the_same_object() -> None:
    drawn = Pictures(SCENES, SCENES.names, CameraPanels(SCENES, [CLOSEST])).picture(CLOSEST)
    assert drawn is not None
    assert [one.title for one in drawn.panels] == ["CAM_FRONT, frame 000", "frame 000"]
    assert {label.text for label in drawn.panels[1].labels} == {"the car", "A 11.7 m", "B 9.5 m", "C 8.6 m"}
    assert drawn.words.startswith("Camera image CAM_FRONT, frame 000: ")


def test_left_of_an_image_is_no_sector_of_the_view_from_above() -> None:
    drawn = Pictures(SCENES, SCENES.names).picture(msgspec.structs.replace(PAIR, relation="left"))
    assert drawn is not None
    assert not [shape for shape in drawn.panels[0].shapes if shape.kind.startswith("sector")]


def test_what_decides_is_seen_from_above_too() -> None:
    drawn = Pictures(SCENES, SCENES.names).picture(RISK)
    assert drawn is not None
    assert [label.text for label in drawn.panels[0].labels] == [f"car (decides) {math.hypot(*PLACES_M['cone']):.1f} m"]


@pytest.mark.parametrize("text", ["<b>&\"'", "\x00\x07\x1b[31m", "\u202eabc", "x" * 3000, "]]>", "\ud7ff\ufffe"])
def test_hostile_words_leave_the_svg_whole(text: str) -> None:
    asked = view_question(["car", "truck"], words={"car": text})
    svg = picture_svg(asked, Pictures(SCENES, SCENES.names, CameraPanels(SCENES, [asked])))
    assert svg is not None
    root = ElementTree.fromstring(svg)
    assert {element.tag.split("}")[1] for element in root.iter()} <= {"svg", "style", "rect", "text", "path"}


@given(st.lists(st.tuples(st.floats(0, 700), st.floats(0, 300)), max_size=8))
def test_labels_of_a_camera_panel_do_not_overlap(places: list[tuple[float, float]]) -> None:
    labels = [Label("option", x, y, "start", f"A, {number} m") for number, (x, y) in enumerate(places)]
    moved = apart(labels, height=450, gap=19, letter_width=8.8)
    assert sorted(label.text for label in moved) == sorted(label.text for label in labels)
    for number, one in enumerate(moved):
        for other in moved[:number]:
            assert abs(one.x - other.x) >= 8 * len(one.text) or abs(one.y - other.y) >= 18
