"""What facts say, however they are written: what is missing or of another form is null."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from probe4d.benchmarks.facts import OptionMeasures, PointedObject, option_measures, pointed_objects, witness_of
from probe4d.benchmarks.question import Question

WHOLE = PointedObject(
    label="object A", frame=3, box="b0x", track="t", x=12.5, y=-3.0, z=1.0, distance_m=12.9, lidar_points=7
)

values = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
anything = st.recursive(values, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner))
objects = st.dictionaries(st.sampled_from(PointedObject.__struct_fields__), anything)


def saying(**facts: Any) -> Question:
    return making.question("q", options=("the truck", "the bus"), facts=facts)


def test_an_object_is_read_whole_and_what_else_its_facts_say_is_passed_over() -> None:
    fact = {**msgspec.to_builtins(WHOLE), "yaw": 1.5}
    assert pointed_objects(saying(objects=[fact])) == (WHOLE,)


@given(objects)
def test_each_field_that_fits_is_kept_whatever_the_others_are(fact: dict[str, Any]) -> None:
    (found,) = pointed_objects(saying(objects=[fact]))
    for name in PointedObject.__struct_fields__:
        (alone,) = pointed_objects(saying(objects=[{name: fact.get(name)}]))
        assert getattr(found, name) == getattr(alone, name)
        assert getattr(found, name) is None or getattr(found, name) == fact[name]


@given(anything)
def test_no_facts_break_the_reading(told: Any) -> None:
    asked = saying(objects=told, witness=told, distances_m=told, volumes_m3=told)
    assert len(pointed_objects(asked)) == (0 if told is None else len(told) if isinstance(told, list) else 1)
    assert witness_of(asked) == (told if isinstance(told, str) else None)
    assert (option_measures(asked) is None) or [float(one) for one in told] == list(option_measures(asked).values)  # type: ignore[union-attr]


def of_a_view(*objects: Any, **fields: Any) -> Question:
    asked = {"channel": "CAM_FRONT", "frames": (3,), "entities": ("the car",), "options": ("the truck", "the bus")}
    return making.question("q", facts={"objects": list(objects)}, **asked | fields)


def test_what_a_question_about_a_view_says_of_its_objects_need_not_stand_in_the_facts() -> None:
    found = pointed_objects(of_a_view({"box": "a"}, {"box": "b", "label": "a lorry", "frame": 4}, {"x": 1.0}))
    assert found == (
        PointedObject(label="the car", frame=3, box="a"),
        PointedObject(label="a lorry", frame=4, box="b"),
        PointedObject(label="the bus", frame=3, x=1.0),
    )


def test_what_is_not_known_of_an_object_stays_so() -> None:
    said = ({"box": "a"}, {}, {"box": "c"})
    words, nothing = [one.label for one in pointed_objects(of_a_view(*said))], pointed_objects(of_a_view(*said))[1]
    assert (words, nothing) == (["the car", None, "the bus"], PointedObject())
    assert pointed_objects(of_a_view({"box": "a"}, frames=(3, 4), options=())) == (
        PointedObject(label="the car", box="a"),
    )
    assert pointed_objects(of_a_view({"box": "a"})) == (PointedObject(frame=3, box="a"),)
    assert pointed_objects(of_a_view(*said, channel=None))[0] == PointedObject(box="a")


def test_questions_that_name_no_object_have_none() -> None:
    assert pointed_objects(saying()) == ()
    assert pointed_objects(saying(objects=[])) == ()


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        ({"distances_m": [3.0, 4]}, OptionMeasures("distances_m", "distance_m", (3.0, 4.0))),
        ({"volumes_m3": [30.5, 2.0]}, OptionMeasures("volumes_m3", "volume_m3", (30.5, 2.0))),
        ({"distances_m": [3.0]}, None),
        ({"distances_m": [3.0, None]}, None),
        ({"distances_m": [3.0, True]}, None),
        ({"distances_m": "far"}, None),
        ({}, None),
    ],
)
def test_options_were_compared_only_where_each_has_a_number(
    facts: dict[str, object], found: OptionMeasures | None
) -> None:
    assert option_measures(saying(**facts)) == found
