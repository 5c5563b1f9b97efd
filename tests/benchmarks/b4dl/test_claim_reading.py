"""What is read of questions and answers, and what is left alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.b4dl.claims.reading import MOST_CHARACTERS, Read, Unread, read_pair
from probe4d.benchmarks.b4dl.claims.vocabulary import meaning_of
from probe4d.benchmarks.b4dl.replies.answer_forms import FORMS, canonical_answer

YES = canonical_answer("binary", "Yes.")


def fields_of(question: str, answer: str = "Yes.") -> dict[str, Any]:
    short = canonical_answer("existence", answer) or canonical_answer("time-grounding", answer)
    read = read_pair(question, short)
    assert isinstance(read, Read), read
    claim = read.claim
    told = {name: getattr(claim, name) for name in claim.__struct_fields__}
    told["subject"] = claim.subject and claim.subject.word
    told["other"] = claim.other and claim.other.word
    return told


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Is there a pedestrian to the left of the ego vehicle from frame 012 to frame 020?",
            {"kind": "presence", "subject": "pedestrian", "place": "left", "frames": (12, 20), "narrowed": False},
        ),
        ("Are there any people on the right-hand side?", {"subject": "person", "place": "right", "frames": None}),
        ("In frame 010, is a bus visible behind the ego vehicle?", {"place": "back", "frames": (10, 10)}),
        ("Is there a traffic cone ahead on the left?", {"subject": "traffic cone", "place": "front-left"}),
        ("Is the car at the rear right of the ego vehicle?", {"place": "back-right", "definite": True}),
        ("Does the bus get closer as the ego vehicle drives on?", {"kind": "nears", "narrowed": True}),
        ("Is at least one person walking?", {"kind": "moves", "subject": "person", "definite": False}),
        ("Are there other cars nearby?", {"kind": "presence", "narrowed": True}),
        ("Can a car be seen moving away?", {"kind": "recedes"}),
        ("Is there a red car near the crosswalk?", {"kind": "presence", "narrowed": True}),
        ("Does frame 010 contain a car?", {"subject": "car", "frames": (10, 10), "narrowed": False}),
        ("Do frames 4 to 8 show at least two cars ahead?", {"kind": "count", "place": "front", "frames": (4, 8)}),
        (
            "Is there a bus anywhere in the sequence from frame 004 to frame 008?",
            {"kind": "presence", "subject": "bus", "frames": (4, 8), "narrowed": False},
        ),
        ("Are there no trucks between frames 4 and 8?", {"negated": True, "frames": (4, 8)}),
        ("Is there not a truck?", {"negated": True}),
        ("Is the truck visible throughout the sequence?", {"time": "throughout"}),
        ("Does a truck appear at any point?", {"time": "some"}),
        ("Are there more than three cars?", {"kind": "count"}),
        ("Is a car within 12.5 m of the ego vehicle?", {"kind": "within", "distance_m": 12.5}),
        ("Is the truck closer to the ego vehicle than the bus?", {"kind": "nearer", "other": "bus"}),
        ("Is a bus the nearest vehicle to the ego vehicle?", {"kind": "nearest", "subject": "bus"}),
        ("Does the truck ahead move away from the ego vehicle?", {"kind": "recedes", "place": "front"}),
        ("Does a car approach the ego car from behind?", {"kind": "approaches", "place": "back"}),
        ("Is a pedestrian crossing from left to right?", {"kind": "crosses-rightwards"}),
        ("Is the car still moving?", {"kind": "moves"}),
        ("Is the car parked on the left?", {"kind": "parked", "place": "left"}),
        ("Does the car remain stationary?", {"kind": "stands", "strict": True}),
        ("Does the car not move?", {"kind": "moves", "negated": True}),
        ("Is the truck overtaken by the ego vehicle?", {"kind": "is-overtaken"}),
        ("Does the ego vehicle pass the parked bus?", {"kind": "falls-behind", "narrowed": True}),
        ("Is the ego vehicle stopped at the traffic light?", {"kind": "stands", "subject": None, "narrowed": True}),
        ("Does the distance between the ego vehicle and the truck decrease?", {"kind": "nears", "subject": "truck"}),
        ("Does the distance to the car ahead grow?", {"kind": "gets-farther", "place": "front"}),
        ("Does a car come nearer?", {"kind": "nears"}),
        ("Do the cars stay where they are?", {"kind": "stands", "strict": True}),
        ("Does the pedestrian remain on the left side?", {"kind": "presence", "time": "throughout", "place": "left"}),
        ("Does a pedestrian cross the road from right to left?", {"kind": "crosses-leftwards"}),
        ("Does the ego vehicle appear to be moving?", {"kind": "moves", "subject": None}),
        ("Do you see a bus?", {"kind": "presence", "subject": "bus"}),
        ("Has the truck stopped?", {"kind": "parked", "subject": "truck"}),
        ("Does our ego-vehicle speed up?", {"kind": "accelerates", "subject": None}),
        ("Can an ambulance be seen?", {"subject": "emergency vehicle"}),
    ],
)  # fmt: skip
def test_questions_are_read(question: str, expected: dict[str, Any]) -> None:
    assert fields_of(question).items() >= expected.items()


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Which object is present behind the ego vehicle in frame 010?", "BUS.", {"subject": "bus", "place": "back"}),
        ("What type of object is approaching?", "a motorcycle", {"kind": "approaches", "subject": "motorcycle"}),
        ("Which object looks the largest?", "TRUCK", {"kind": "presence", "subject": "truck", "narrowed": True}),
        ("When does the ego vehicle turn left?", "from frame 003 to frame 008", {"kind": "turns-left"}),
        ("During which frames is a bicycle visible ahead?", "frames 3-8.", {"subject": "bicycle", "place": "front"}),
        ("From which frame to which frame is the car moving?", "from frame 3 to frame 8", {"kind": "moves"}),
        ("What is the frame range in which the ego vehicle is turning left?", "frames 3-8", {"kind": "turns-left"}),
        ("What are the frames during which a bus is visible behind?", "frame 3", {"subject": "bus", "place": "back"}),
        ("What is the interval when the truck moves away?", "from frame 3 to frame 8", {"kind": "recedes"}),
        ("Which frames show a bicycle?", "from frame 003 to frame 008.", {"kind": "presence"}),
    ],
)
def test_answers_of_classes_and_intervals_are_read(question: str, answer: str, expected: dict[str, Any]) -> None:
    assert fields_of(question, answer).items() >= expected.items()


@pytest.mark.parametrize(
    "question",
    [
        "Is there a bus stop ahead?",
        "Is there a pedestrian crossing in front of the ego vehicle?",
        "Is there a car to the left of the truck?",
        "Is there a car on the left in the rear view?",
        "Is there a car in the left lane of the road?",
        "Is there only a truck?",
        "Are all cars parked?",
        "Has the car disappeared?",
        "Is the car no longer visible?",
        "Does the car leave the scene?",
        "Does the truck move away from the sidewalk?",
        "Does the car move in the same direction as the ego vehicle?",
        "Is the car stationary relative to the ego vehicle?",
        "Is the car closer in frame 004 than in frame 008?",
        "Is there a car before frame 010?",
        "Is there a car from frame 010 to frame 004?",
        "Isn't there a car?",
        "Is there a car? Is there a truck?",
        "Could there be a car?",
        "Is there a dinosaur?",
        "Is there a pedestrian riding a bicycle?",
        "Is the area behind the ego vehicle free of pedestrians?",
        "Does the car approach the ego vehicle before it turns?",
        "Does the vehicle stop?",
        "Does the car remain stationary while the ego vehicle passes?",
        "Can the car turn left?",
        "Are there no cars throughout the sequence?",
        "Does the truck change lanes?",
        "Does the pedestrian stay out of view?",
        "",
        "?",
    ],
)
def test_what_may_mean_something_else_is_not_read(question: str) -> None:
    assert isinstance(read_pair(question, YES), Unread)


@pytest.mark.parametrize("task", ["existence", "binary", "time-grounding", "temporal-understanding", "comprehensive"])
@pytest.mark.parametrize("answer", ["Yes, there is.", "It turns.", "", "CAR or BUS", "Yes. No.", "frame", "-"])
def test_free_text_is_no_answer_that_is_read(answer: str, task: str) -> None:
    assert isinstance(read_pair("Is there a car?", canonical_answer(task, answer)), Unread)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_class_that_an_answer_may_have_is_known(form: str) -> None:
    for spelt in (form, f"A {form.upper()}."):
        read = read_pair("Which object is ahead?", canonical_answer("existence", spelt))
        assert isinstance(read, Read)
        assert (read.claim.subject, read.answer_class) == (meaning_of(FORMS[form]), True)
    asked = read_pair(f"Is there a {form} ahead?", YES)
    assert isinstance(asked, Read)
    assert asked.claim.subject == meaning_of(FORMS[form])


_WORDS = (
    "is there a car the frame frames 003 to from ahead left of and not ego vehicle , moving closer than within 5 meters"
)
hostile = st.one_of(st.text(max_size=400), st.lists(st.sampled_from(_WORDS.split()), max_size=60).map(" ".join))


@given(question=hostile, answer=st.one_of(st.just("Yes."), st.just("CAR."), st.just("in frame 3"), hostile))
def test_any_text_is_read_or_not_read(question: str, answer: str) -> None:
    read = read_pair(
        question, canonical_answer("temporal-understanding", answer) or canonical_answer("time-grounding", answer)
    )
    assert isinstance(read, Read) or read.why.endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        "a " * 150,
        "is there a" + " very" * 80,
        "from " * 75,
        "frame 0 to " * 30,
        "(" * 299,
        "left " * 70,
        "\u202e" * 200,
    ],
)
def test_texts_that_make_patterns_try_again_are_not_read(text: str) -> None:
    assert isinstance(read_pair(text[:MOST_CHARACTERS], YES), Unread)
    assert isinstance(read_pair(f"Is there a car {text}"[:MOST_CHARACTERS], YES), Unread)
    assert isinstance(read_pair(text * 1000, YES), Unread)
