"""From generated pairs and verdicts to questions: their form, their identity, and what grounding does to them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from making import question, scenes_of, table_of
from probe4d.benchmarks.b4dl.card import CARD, card_sections
from probe4d.benchmarks.b4dl.drafting import Drafted, Grounded, questions_of
from probe4d.benchmarks.b4dl.pairs import PAIRS_SCHEMA, VERDICTS_SCHEMA
from probe4d.benchmarks.b4dl.prompts import PROMPTS
from probe4d.benchmarks.b4dl.sequences import SEQUENCES_SCHEMA
from probe4d.benchmarks.b4dl.tasks import DESCRIBE, FAMILIES, VOCABULARY
from probe4d.benchmarks.question import Evidence, derived_id, question_ids, to_table
from probe4d.errors import InputError

SCENES = scenes_of(
    scenes=[
        {"scene": "a", "keyframes": 40, "split": "train"},
        {"scene": "b", "keyframes": 39, "split": "val"},
    ]
)
SEQUENCES = table_of(
    [
        {"scene": "a", "sequence": "a/0", "frames": [12, 14, 16], "start": 12, "end": 16},
        {"scene": "a", "sequence": "a/1", "frames": [14, 16, 18, 20], "start": 14, "end": 20},
        {"scene": "b", "sequence": "b/0", "frames": [12, 14, 16], "start": 12, "end": 16},
    ],
    SEQUENCES_SCHEMA,
)

Pair = tuple[str, str, str, str]
"""Sequence, task, question, answer."""


def drafted(*pairs: Pair, verdicts: list[dict[str, Any]] | None = None, grounded: Grounded = "keep") -> Drafted:
    """Questions of pairs, numbered in their sequence and task; verdicts in the order of the pairs."""
    numbers: dict[tuple[str, str], int] = {}
    rows: list[dict[str, Any]] = []
    for sequence, task, asked, answer in pairs:
        number = numbers[sequence, task] = numbers.get((sequence, task), -1) + 1
        rows.append({"sequence": sequence, "task": task, "number": number, "question": asked, "answer": answer})
    told = [
        {"sequence": row["sequence"], "task": row["task"], "number": row["number"], "facts": "{}", **verdict}
        for row, verdict in zip(rows, verdicts or [], strict=False)
    ]
    table, of_pairs = table_of(rows, PAIRS_SCHEMA), table_of(told, VERDICTS_SCHEMA)
    return questions_of(table, of_pairs, SEQUENCES, SCENES, generator="some/model", grounded=grounded)


FORMS = [
    (("existence", "Is there a car and a bus?", "YES."), ("existence-presence", "yes-no", "Yes", ())),
    (("existence", "Which object is ahead?", "TRUCK."), ("existence-class", "text", "truck", VOCABULARY)),
    (("existence", "Which object is ahead?", "Trafficcones"), ("existence-class", "text", "traffic cone", VOCABULARY)),
    (("binary", "Does the car stop?", "no"), ("binary", "yes-no", "No", ())),
    (("time-grounding", "When?", "from frame 012 to frame 014."), ("time-grounding", "interval", "12-14", ())),
    (("description", DESCRIBE, "A car passes."), ("description", "text", "A car passes.", ())),
    (("temporal-understanding", "What changes?", "A car."), ("temporal-understanding", "text", "A car.", ())),
    (("comprehensive", "What is there?", "A car."), ("comprehensive", "text", "A car.", ())),
]


@pytest.mark.parametrize(("pair", "form"), FORMS)
def test_each_task_has_its_form(pair: tuple[str, str, str], form: tuple[object, ...]) -> None:
    [made] = drafted(("a/0", *pair)).questions
    assert (made.template, made.format, made.answer, made.options) == form
    assert (made.suite, made.family, made.scene, made.keyframes) == ("b4dl", pair[0], "a", 40)
    assert made.frames == (12, 14, 16)
    assert made.evidence == Evidence(frames=(12, 14, 16))
    assert made.question == pair[1]
    assert made.rule == "generated"
    assert made.id == derived_id(made)


def test_facts_tell_where_a_question_comes_from_and_what_geometry_says() -> None:
    verdict = {
        "verdict": "supported",
        "claim": "presence",
        "why": "A car is there.",
        "facts": '{"candidates": 1, "range_m": 9.5}',
    }
    [made] = drafted(("a/0", "binary", "Is there a car or an SUV?", "Yes."), verdicts=[verdict]).questions
    assert made.facts == {
        "sequence": "a/0",
        "start": 12,
        "end": 16,
        "generator": "some/model",
        "verdict": "supported",
        "claim": "presence",
        "why": "A car is there.",
        "measured": {"candidates": 1, "range_m": 9.5},
        "corrected": False,
    }
    assert (made.relation, made.needs) == ("presence", ("boxes",))
    assert made.context == "presence car suv"
    assert made.entities == ("car",)


def test_a_verdict_on_the_ego_vehicle_alone_needs_no_boxes() -> None:
    verdict = {"verdict": "supported", "claim": "stops", "facts": '{"way_m": 0.1}'}
    [made] = drafted(("a/0", "binary", "Does the ego vehicle stop?", "Yes."), verdicts=[verdict]).questions
    assert made.needs == ()


def test_a_pair_without_a_verdict_is_undecided_and_needs_nothing() -> None:
    [binary, timed, text] = drafted(
        ("a/0", "binary", "Is it wide?", "Yes."),
        ("a/1", "time-grounding", "When is it wide?", "from frame 014 to frame 016"),
        ("a/0", "comprehensive", "How wide is it for a car?", "Very."),
    ).questions
    assert [made.facts["verdict"] for made in (binary, timed, text)] == ["undecided"] * 3
    assert [made.needs for made in (binary, timed, text)] == [()] * 3
    assert [made.relation for made in (binary, timed, text)] == [None] * 3
    assert [made.context for made in (binary, timed, text)] == ["", "4 frames", ""]


MIXED: tuple[Pair, ...] = (
    ("a/0", "binary", "Is there a car?", "Yes."),
    ("a/0", "binary", "Is there a bus?", "Yes."),
    ("a/0", "binary", "Is it late?", "Yes."),
    ("a/0", "time-grounding", "When does the car stop?", "from frame 012 to frame 014"),
    ("a/0", "existence", "Which object is ahead?", "BUS."),
)
SAID = [
    {"verdict": "supported", "claim": "presence"},
    {"verdict": "contradicted", "claim": "presence", "correct": "No."},
    {"verdict": "undecided"},
    {"verdict": "contradicted", "claim": "stops", "correct": "from frame 014 to frame 016"},
    {"verdict": "contradicted", "claim": "presence"},
]


def test_contradicted_answers_are_kept_dropped_or_corrected() -> None:
    kept = drafted(*MIXED, verdicts=SAID)
    assert [made.answer for made in kept.questions] == ["bus", "Yes", "Yes", "Yes", "12-14"]
    assert kept.left_out == {}
    dropped = drafted(*MIXED, verdicts=SAID, grounded="drop")
    assert [made.answer for made in dropped.questions] == ["Yes", "Yes"]
    assert dropped.left_out == {
        f"{task}: answers that geometry contradicts": 1 for task in ("binary", "existence", "time-grounding")
    }
    corrected = drafted(*MIXED, verdicts=SAID, grounded="correct")
    assert [made.answer for made in corrected.questions] == ["Yes", "No", "Yes", "14-16"]
    assert corrected.left_out == {"existence: answers that geometry contradicts without giving another": 1}
    bus, car = corrected.questions[1], corrected.questions[3]
    assert (bus.facts["corrected"], bus.facts["generated_answer"], bus.facts["verdict"]) == (
        True,
        "Yes.",
        "contradicted",
    )
    assert (car.facts["corrected"], car.facts["generated_answer"]) == (True, "from frame 012 to frame 014")
    assert "generated_answer" not in corrected.questions[0].facts
    assert [made.id for made in kept.questions if made.question == bus.question] == [bus.id]


def test_questions_stand_by_family_and_sequence_and_are_counted_in_their_family() -> None:
    pairs: list[Pair] = [
        (sequence, task, f"{task} {number}?", "It is so.")
        for sequence in ("b/0", "a/1", "a/0")
        for task in ("comprehensive", "temporal-understanding")
        for number in range(2)
    ]
    made = drafted(*pairs).questions
    assert [one.family for one in made] == ["temporal-understanding"] * 6 + ["comprehensive"] * 6
    assert [one.facts["sequence"] for one in made[:6]] == ["a/0", "a/0", "a/1", "a/1", "b/0", "b/0"]
    assert [one.order for one in made] == [*range(6), *range(6)]


def test_the_same_words_about_other_frames_or_another_description_are_another_question() -> None:
    made = drafted(
        ("a/0", "binary", "Is there a car?", "Yes."),
        ("a/1", "binary", "Is there a car?", "Yes."),
        ("b/0", "binary", "Is there a car?", "Yes."),
        *(("a/0", "description", DESCRIBE, f"Text {number}.") for number in range(5)),
        *(("a/1", "description", DESCRIBE, f"Text {number}.") for number in range(5)),
    ).questions
    assert len({one.id for one in made}) == len(made) == 13
    table = to_table(made)
    assert question_ids(table).to_list() == table["id"].to_list()


def test_two_questions_of_one_identity_become_one_and_the_other_is_counted() -> None:
    made = drafted(("a/0", "binary", "Is there a car?", "Yes."), ("a/0", "binary", "Is there a car?", "No."))
    assert [one.answer for one in made.questions] == ["Yes"]
    assert made.left_out == {"binary: questions that were asked before of the same frames": 1}


def test_what_is_not_of_its_form_is_refused() -> None:
    with pytest.raises(InputError, match=r"'Maybe\.' is not of the form of binary"):
        drafted(("a/0", "binary", "Is there a car?", "Maybe."))
    with pytest.raises(InputError, match="grounded must be one of keep, drop, correct, not 'all'"):
        drafted(grounded="all")  # type: ignore[arg-type]


def test_prompts_are_the_question_bare_or_with_the_form_of_its_answer() -> None:
    asked = {made.template: made for pair, _ in FORMS for made in drafted(("a/0", *pair)).questions}
    for made in asked.values():
        assert PROMPTS["released"](made) == made.question
        assert PROMPTS["default"](made).startswith(f"{made.question}\nAnswer ")
    assert PROMPTS["default"](asked["binary"]) == "Does the car stop?\nAnswer with Yes or No only."
    assert PROMPTS["default"](asked["time-grounding"]).endswith('in the form "from frame 000 to frame 000".')
    assert PROMPTS["default"](asked["existence-class"]).endswith(f"this list only: {', '.join(VOCABULARY)}.")
    for prompt in PROMPTS.values():
        with pytest.raises(InputError, match="has no text"):
            prompt(question(question=None))


def test_the_card_counts_as_the_papers_table_and_tells_what_geometry_contradicts() -> None:
    table = to_table(drafted(*MIXED, ("b/0", "binary", "Is there a bus?", "No."), verdicts=SAID).questions)
    verdicts = table_of(
        [{"task": "binary", "verdict": verdict} for verdict in ("supported", "contradicted", "undecided", "supported")]
        + [{"task": "existence", "verdict": "undecided"}]
        + [{"task": "description", "verdict": "undecided"}] * 6,
        VERDICTS_SCHEMA,
    )
    faults = pl.DataFrame({"task": ["binary", "binary", "existence"], "kind": ["frame", "frame", "cut"]})
    told = "\n".join(card_sections(table, verdicts, faults, SEQUENCES, SCENES))
    for row in (
        "| statistics | train | val | total |",
        "| sequences | 2 | 1 | 3 |",
        "| longest sequence (key frames from its first to its last) | 7 | 5 | 7 |",
        "| shortest sequence (key frames from its first to its last) | 5 | 5 | 5 |",
        "| binary | 3 | 1 | 4 |",
        "| comprehensive | 0 | 0 | 0 |",
        "| all questions | 5 | 1 | 6 |",
        "| binary | 2 (50.0 %) | 1 (25.0 %) | 1 (25.0 %) | 33.3 % |",
        "| existence | 0 (0.0 %) | 0 (0.0 %) | 1 (100.0 %) | none is decidable |",
        "| these together | 2 (40.0 %) | 1 (20.0 %) | 2 (40.0 %) | 33.3 % |",
        "| names a frame outside the sequence | 0 | 2 |",
        "| the reply was cut within this pair, at its limit or by a filter | 1 | 0 |",
    ):
        assert row in told.splitlines()
    assert "| description | 0 (0.0 %)" not in told
    assert set(CARD.rules) == set(FAMILIES)


def test_the_card_of_nothing_measured_says_so() -> None:
    table = to_table(drafted(("a/0", "comprehensive", "What?", "This.")).questions)
    verdicts = table_of([{"task": "comprehensive", "verdict": "undecided"}], VERDICTS_SCHEMA)
    faults = pl.DataFrame(schema={"task": pl.String, "kind": pl.String})
    told = "\n".join(card_sections(table, verdicts, faults, SEQUENCES, SCENES))
    assert "| these together | 0 | 0 | 0 | none is decidable |" in told
    assert "not taken" not in told
