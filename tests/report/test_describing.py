"""Finding a question and putting it into lines."""

from __future__ import annotations

import msgspec
import pytest
from report_making import benchmark, many_questions, one_of_each
from view_making import view_question

from probe4d.errors import InputError
from probe4d.report.describing import description, find_question, prompt_of
from probe4d.report.measured import measured
from probe4d.report.reference import answer_in_words

QUESTIONS = many_questions()
BENCHMARK = benchmark(QUESTIONS)
MOTION = next(one for one in one_of_each() if one.family == "motion")


@pytest.mark.parametrize("place", [0, 7, -1])
def test_a_question_is_found_by_its_id(place: int) -> None:
    assert find_question(BENCHMARK, QUESTIONS[place].id) == QUESTIONS[place]


def test_the_shortest_beginning_of_its_own_will_do() -> None:
    wanted = QUESTIONS[3].id
    own = next(n for n in range(1, 17) if sum(one.id.startswith(wanted[:n]) for one in QUESTIONS) == 1)
    assert find_question(BENCHMARK, wanted[:own]).id == wanted


@pytest.mark.parametrize("shared", ["", "1"])
def test_a_shared_beginning_is_refused_with_examples(shared: str) -> None:
    among = [one.id for one in QUESTIONS if one.id.startswith(shared)]
    with pytest.raises(InputError, match=f"{len(among)} question ids begin with '{shared}'") as refusal:
        find_question(BENCHMARK, shared)
    assert sum(identity in str(refusal.value) for identity in among) == 3


@pytest.mark.parametrize("unknown", ["zzz", "no id", QUESTIONS[0].id + "0", "\x1b[31m", "*", "[a-f]"])
def test_an_unknown_id_is_refused_with_the_nearest(unknown: str) -> None:
    with pytest.raises(InputError, match="holds no question") as refusal:
        find_question(BENCHMARK, unknown)
    assert any(one.id in str(refusal.value) for one in QUESTIONS)


def test_the_nearest_id_begins_alike() -> None:
    wanted = QUESTIONS[5].id
    with pytest.raises(InputError, match=f"{wanted} begins most like it"):
        find_question(BENCHMARK, wanted[:-1] + "x")


def test_everything_measured_is_told() -> None:
    rows = dict(measured(MOTION))
    assert rows["rule"] == "motion-rule"
    assert rows["margin"] == "10.00 metres to the nearest decision boundary"
    assert rows["distance delta"] == "-12.00 m"
    assert rows["lateral delta"] == "+0.00 m"
    assert rows["car, frame 1"].startswith(
        "16.49 m away; x +16.00 m, y +4.00 m; 60 LiDAR returns; box scene-0001-car-1-1"
    )


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"present": ["car", "bus"]}, ("classes present", "car, bus")),
        ({"present": []}, ("classes present", "none")),
        ({"interval": [3, 9]}, ("interval", "frames 3 to 9")),
        ({"below_threshold": True}, ("below threshold", "right sign, but less than the rule asks for")),
        ({"bearing_deg": -31.25}, ("bearing", "-31.25°")),
        ({"ego_motion": {"text": "It stands."}}, ("ego motion", "It stands.")),
        ({"poses": [{"frame": 3, "token": "abc"}]}, ("ego poses", "frame 3: abc")),
        ({"event": {"kind": "class-near", "detail": "20"}}, ("event", "kind class-near; detail 20")),
        ({"a_new_fact": True}, ("a new fact", "yes")),
        ({"scene_token": "abc"}, ("scene token", "abc")),
        ({"nested": [[1, 2]]}, ("nested", "[[1, 2]]")),
        ({"objects": [{"label": "car"}]}, ("car", "")),
        ({"claim": None}, ("claim", "none")),
        ({"measured": {}}, ("measured", "nothing")),
    ],
)
def test_facts_read_as_words(facts: dict[str, object], told: tuple[str, str]) -> None:
    assert told in measured(msgspec.structs.replace(MOTION, facts=facts))


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"elevation_difference_m": -1.25}, ("height of the centres, object 1 less object 2", "-1.25 m")),
        ({"depth_difference_m": 3.0}, ("depth before the camera, object 1 less object 2", "+3.00 m")),
        ({"volume_difference_m3": 2.5}, ("volume, object 1 less object 2", "+2.50 m³")),
        ({"distance_m": 12.3456}, ("distance", "12.35 m")),
        ({"ego_lateral_m": 3.2}, ("lateral offset from the ego vehicle", "3.20 m")),
        ({"bearing_deg": -121.66}, ("bearing", "-121.66°")),
        ({"unit": "metres"}, ("unit of the answer", "metres")),
        ({"distances_m": [3.0, 4.5]}, ("distance of B. the bus", "4.50 m")),
        ({"volumes_m3": [30.0, 45.25]}, ("volume of A. the truck", "30.00 m³")),
        ({"distances_m": [3.0]}, ("distances", "3.0")),
        ({"witness": "b0x"}, ("box that decides", "b0x")),
        ({"witness": None}, ("box that decides", "none is around")),
        ({"hidden_after_m": None}, ("hidden once the ego vehicle has driven", "never hidden")),
        ({"hidden_after_m": 12.25}, ("hidden once the ego vehicle has driven", "12.25 m")),
        ({"gap_m": 1.5}, ("gap between the footprints", "1.50 m")),
        ({"spot_length_m": 6.0}, ("length of the parking spot", "6.00 m")),
    ],
)
def test_facts_about_a_view_read_as_words(facts: dict[str, object], told: tuple[str, str]) -> None:
    asked = view_question(["car"], ["truck", "bus"], facts=facts)
    assert told in measured(asked)


def test_objects_of_a_view_have_their_letters_and_height() -> None:
    rows = dict(measured(view_question(["car"], ["truck", "bus"])))
    assert rows["the car, frame 0"] == "x +20.00 m, y +0.00 m, z +0.00 m; box box scene-a 0 car-0"
    assert rows["B. the bus, frame 0"].startswith("x +25.00 m, y -8.00 m, z +1.00 m")


@pytest.mark.parametrize(
    ("facts", "told"),
    [({}, "2.50 (unit of the rule)"), ({"margin_unit": "degrees"}, "2.50 degrees")],
)
def test_margins_have_their_unit(facts: dict[str, object], told: str) -> None:
    rows = dict(measured(msgspec.structs.replace(MOTION, margin=2.5, facts=facts)))
    assert rows["margin"] == f"{told} to the nearest decision boundary"
    assert "margin unit" not in rows


def test_the_reference_has_its_text() -> None:
    choice = next(one for one in one_of_each() if one.family == "distance")
    assert answer_in_words(choice) == "C. pedestrian"
    assert answer_in_words(MOTION) == "Yes"
    number = view_question(["car"], format="number", answer="12.35", facts={"unit": "metres"})
    assert answer_in_words(number) == "12.35 metres"


def test_a_description_has_all_lines() -> None:
    choice = next(one for one in one_of_each() if one.family == "distance")
    lines = description(choice, "the prompt\nin lines").split("\n")
    starts = [line.split("  ")[0].strip() for line in lines]
    assert starts[:3] == ["question", "scene", "text"]
    assert [line.split()[-1] for line in lines if line.startswith("  ")][:4] == ["car", "bus", "pedestrian", "truck"]
    assert lines[-3:] == ["prompt", "  the prompt", "  in lines"]


def test_a_question_about_a_view_names_its_camera() -> None:
    assert "asked about: 000, CAM_FRONT" in description(view_question(["car"]), None)


def test_prompts_are_those_of_the_suite() -> None:
    assert prompt_of(MOTION, "default") == f'{MOTION.question}\nOnly answer with "No" or "Yes".'
    with pytest.raises(InputError, match="no setting 'loud'; it has default"):
        prompt_of(MOTION, "loud")


def test_wording_that_a_release_keeps_back_gives_no_prompt() -> None:
    kept_back = msgspec.structs.replace(MOTION, question=None)
    assert prompt_of(kept_back, "default") is None
    assert "(not released)" in description(kept_back, None)
    assert "prompt" not in description(kept_back, None).split("\n")
