"""Replies about pairs, as models write them: what is taken, and what is said of the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.benchmarks.b4dl.replies.faults import FAULTS
from probe4d.benchmarks.b4dl.replies.reading import ReadPairs, read_description, read_pairs
from probe4d.benchmarks.b4dl.tasks import DESCRIBE, FAMILIES, TASKS

CAR = ("Is there a car in frame 012?", "Yes.")
BUS = ("Is there a bus from frame 012 to frame 020?", "No.")
BOTH = [CAR, BUS]

GOOD = {
    "as asked for": "Q: {0}\nA: {1}\nQ: {2}\nA: {3}",
    "blank lines between": "Q: {0}\n\nA: {1}\n\n\nQ: {2}\n\nA: {3}\n",
    "lines end as on Windows": "Q: {0}\r\nA: {1}\r\n\r\nQ: {2}\r\nA: {3}",
    "one line a pair": "Q: {0} A: {1}\nQ: {2} A: {3}",
    "one line in all": "Q: {0} A: {1} Q: {2} A: {3}",
    "lower case": "q: {0}\na: {1}\nq: {2}\na: {3}",
    "numbered with a colon": "Q1: {0}\nA1: {1}\nQ2: {2}\nA2: {3}",
    "numbered with a point": "Q1. {0}\nA1. {1}\nQ2. {2}\nA2. {3}",
    "numbered with a bracket": "Q1) {0}\nA1) {1}\nQ2) {2}\nA2) {3}",
    "numbered with a dash": "Q1 - {0}\nA1 - {1}\nQ2 - {2}\nA2 - {3}",
    "letters with a point": "Q. {0}\nA. {1}\nQ. {2}\nA. {3}",
    "bold marks": "**Q:** {0}\n**A:** {1}\n\n**Q:** {2}\n**A:** {3}",
    "bold marks and numbers": "**Q1:** {0}\n**A1:** {1}\n**Q2**: {2}\n**A2**: {3}",
    "all bold": "**Q: {0}**\n**A: {1}**\n**Q: {2}**\n**A: {3}**",
    "list of bold pairs": "1. **Q: {0}**\n   **A: {1}**\n2. **Q: {2}**\n   **A: {3}**",
    "list items": "- Q: {0}\n- A: {1}\n- Q: {2}\n- A: {3}",
    "words": "Question: {0}\nAnswer: {1}\nQuestion 2: {2}\nAnswer 2: {3}",
    "headings": "### Question 1\n{0}\n### Answer 1\n{1}\n\n### Question 2\n{2}\n**Answer:** {3}",
    "headings around pairs": "## Pair 1\nQ: {0}\nA: {1}\n\n## Pair 2\nQ: {2}\nA: {3}",
    "names of pairs": "**Pair 1**\nQ: {0}\nA: {1}\n**Pair 2:**\nQ: {2}\nA: {3}",
    "rules between": "Q: {0}\nA: {1}\n\n---\n\nQ: {2}\nA: {3}\n***\n",
    "quoted": "> Q: {0}\n> A: {1}\n>\n> Q: {2}\n> A: {3}",
    "numbers and answers": "1. {0}\nA: {1}\n2. {2}\nA: {3}",
    "numbers alone": "1. {0}\n   {1}\n2. {2}\n   {3}",
    "numbers and points": "1) **{0}**\n   - {1}\n2) **{2}**\n   - {3}",
    "numbers in one line": "1. {0} {1}\n2. {2} {3}",
    "no mark of the answer": "Q: {0}\n{1}\nQ: {2}\n{3}",
    "several lines": "Q:\n{0}\nA:\n{1}\n\nQ:\n{2}\nA:\n{3}",
    "after thoughts": "<think>Q: Is this a draft?\nA: Yes.\n</think>\nQ: {0}\nA: {1}\nQ: {2}\nA: {3}",
    "fenced": "```\nQ: {0}\nA: {1}\nQ: {2}\nA: {3}\n```",
    "a word before": "Sure! Here are the pairs:\n\nQ: {0}\nA: {1}\nQ: {2}\nA: {3}",
    "a word after": "Q: {0}\nA: {1}\nQ: {2}\nA: {3}\n\nLet me know if you need more.",
    "table": "| Question | Answer |\n|---|---|\n| {0} | {1} |\n| {2} | {3} |",
    "table with a word around": "Here:\n\n| Question | Answer |\n| :--- | ---: |\n| {0} | {1} |\n| {2} | {3} |\n\nEnd.",
    "table with numbers": "| # | QUESTION | ANSWER |\n|--:|---|---|\n| 1 | {0} | {1} |\n| 2 | {2} | {3} |",
    "table with more columns": "|No.|q|Frame|a|Type|\n|-|-|-|-|-|\n|1|{0}|12|{1}|x|\n|2|{2}||{3}|y|",
    "table of other order": "| Answer | Question |\n|---|---|\n| {1} | {0} |\n| {3} | {2} |",
    "table without outer pipes": "Question | Answer\n--- | ---\n{0} | {1}\n{2} | {3}",
    "table without a rule": "| Question | Answer |\n| {0} | {1} |\n\n| {2} | {3} |",
    "table with half of its outer pipes": "| Question | Answer\n|---|---\n| {0} | {1}\n{2} | {3} |",
    "table in bold": "| **Question** | **Answer** |\n|:-:|:-:|\n| **{0}** | `{1}` |\n| *{2}* | **{3}** |",
    "table with marks": "| Q | A |\n|---|---|\n| Q1: {0} | A1: {1} |\n| **Q2:** {2} | **A2:** {3} |",
    "fenced table": "```markdown\n| Question | Answer |\n|---|---|\n| {0} | {1} |\n| {2} | {3} |\n```",
    "quoted table": "> | Question | Answer |\n> |---|---|\n> | {0} | {1} |\n> | {2} | {3} |",
    "two tables": "## One\n| Q | A |\n|---|---|\n| {0} | {1} |\n## Two\n| A | Q |\n|---|---|\n| {3} | {2} |",
    "table and lines": "| Q | A |\n|---|---|\n| {0} | {1} |\n\nQ: {2}\nA: {3}",
    "lines and table": "Q: {0}\nA: {1}\n\n| Q | A |\n|---|---|\n| {2} | {3} |",
    "objects": '[{{"question": "{0}", "answer": "{1}"}}, {{"question": "{2}", "answer": "{3}"}}]',
    "fenced objects": '```json\n[\n {{"Q": "{0}", "A": "{1}"}},\n {{"Q": "{2}", "A": "{3}"}}\n]\n```',
    "named list": '{{"qa_pairs": [{{"question": "{0}", "answer": "{1}"}}, {{"question": "{2}", "answer": "{3}"}}]}}',
    "object a line": '{{"question": "{0}", "answer": "{1}"}}\n{{"question": "{2}", "answer": "{3}"}}\n',
    "objects after a word": 'Here they are:\n[{{"q": "{0}", "a": "{1}"}}, {{"q": "{2}", "a": "{3}"}}]\nDone.',
}


@pytest.mark.parametrize("form", GOOD)
def test_pairs_are_found_in_every_form(form: str) -> None:
    found = read_pairs("binary", GOOD[form].format(*CAR, *BUS), "stop", 12, 20)
    assert found == ReadPairs(BOTH, [], 8)


def test_booleans_of_objects_are_yes_and_no() -> None:
    text = json.dumps([{"question": CAR[0], "answer": True}, {"question": BUS[0], "answer": False}])
    assert read_pairs("binary", text, "stop", 12, 20).pairs == [(CAR[0], "Yes"), (BUS[0], "No")]


def test_answers_of_several_lines_become_one_line_and_lose_nothing() -> None:
    text = "Q: What happens?\nA: A car slows.\n\nIt then:\n- stops\n- waits.\nQ: What else?\nA: A bus passes."
    found = read_pairs("comprehensive", text, "stop", 12, 20)
    assert found.pairs[0] == ("What happens?", "A car slows. It then: - stops - waits.")
    assert found.pairs[1] == ("What else?", "A bus passes.")


CUT = {
    "in an answer": ("Q: {0}\nA: {1}\nQ: {2}\nA: N", [CAR]),
    "after an answer that may go on": ("Q: {0}\nA: {1}\nQ: {2}\nA: {3}", [CAR]),
    "in a question": ("Q: {0}\nA: {1}\nQ: Is there", [CAR]),
    "in thoughts": ("<think>Q: {0}\nA: {1}", []),
    "in a cell": ("| Q | A |\n|---|---|\n| {0} | {1} |\n| {2} | N", [CAR]),
    "in a table's question": ("| Q | A |\n|---|---|\n| {0} | {1} |\n| Is there", [CAR]),
    "after a cell of several": ("| Q | A | Type |\n|---|---|---|\n| {0} | {1} | x |\n| {2} | {3} |", [CAR]),
    "at a pipe of the text": ("| Q | A |\n|---|---|\n| {0} | {1} |\n| {2} | No \\|", [CAR]),
    "after a table without outer pipes": ("Q | A\n---|---\n{0} | {1}\n{2} | {3}", [CAR]),
    "in the text after a table": ("| Q | A |\n|---|---|\n| {0} | {1} |\nQ: {2}\nA: N", [CAR]),
    "in a header": ("| Question | Ans", []),
    "in an object": ('[{{"question": "{0}", "answer": "{1}"}}, {{"question": "{2}", "answer": "N', [CAR]),
    "in a key": ('```json\n[{{"question": "{0}", "answer": "{1}"}}, {{"quest', [CAR]),
    "in a named list": ('{{"pairs": [{{"question": "{0}", "answer": "{1}"}}, {{"question": "{2}"', [CAR]),
}


@pytest.mark.parametrize("place", CUT)
def test_of_a_reply_that_was_cut_the_last_pair_is_not_taken(place: str) -> None:
    text, taken = CUT[place]
    found = read_pairs("binary", text.format(*CAR, *BUS), "max_tokens", 12, 20)
    assert found.pairs == taken
    assert [fault.kind for fault in found.faults] == ["cut"]
    assert found.missing == 10 - len(taken)


def test_whole_objects_of_a_reply_that_was_cut_after_them_are_taken() -> None:
    objects = [json.dumps({"question": question, "answer": answer}) for question, answer in BOTH]
    found = read_pairs("binary", f"[{', '.join(objects)},", "max_tokens", 12, 20)
    assert found == ReadPairs(BOTH, [], 8)


def test_whole_rows_of_a_reply_that_was_cut_after_them_are_taken() -> None:
    rows = "| Q | A |\n|---|---|\n| {} | {} |\n| {} | {} |\n".format(*CAR, *BUS)
    assert read_pairs("binary", rows, "max_tokens", 12, 20) == ReadPairs(BOTH, [], 8)


def test_a_row_with_more_cells_than_its_header_is_told_and_one_with_fewer_lacks_what_they_held() -> None:
    text = "| Q | A |\n|---|---|\n| Is a|b there? | No. |\n| {} | {} |\n| Is it? |\n| | Yes. |\n| | |".format(*CAR)
    found = read_pairs("binary", text, "stop", 12, 20)
    assert found.pairs == [CAR]
    assert [(fault.kind, fault.question, fault.answer) for fault in found.faults] == [
        ("no-answer", "Is it?", None),
        ("no-question", None, "Yes."),
        ("too-wide", None, None),
    ]


def test_pipes_and_breaks_of_cells_are_characters_and_spaces_of_the_text() -> None:
    text = "| Q | A |\n|---|---|\n| Is a\\|b &#124; c there? | It is.<br>It moves.<br/>Fast \\\\|"
    assert read_pairs("comprehensive", text, "stop", 12, 20).pairs == [
        ("Is a|b | c there?", "It is. It moves. Fast \\\\")
    ]


def test_other_tables_and_pipes_hold_no_pairs() -> None:
    for text in (
        "| Frame | Object |\n|---|---|\n| 12 | car? |",
        "| Question | Question | Answer |\n|---|---|---|\n| Is it? | Is it? | Yes. |",
        "| Question |\n|---|\n| Is it? |",
        "|" * 20,
    ):
        found = read_pairs("binary", text, "stop", 12, 20)
        assert (found.pairs, [fault.kind for fault in found.faults]) == ([], ["no-pairs"])
    assert read_pairs("comprehensive", "Q: Is it?\nA: It is | Q | A.", "stop", 12, 20).pairs == [
        ("Is it?", "It is | Q | A.")
    ]
    marked = read_pairs("comprehensive", "Q: Is it left | right?\nA: It is | was left.", "stop", 12, 20)
    assert marked.pairs == [("Is it left | right?", "It is | was left.")]


def test_an_object_that_is_broken_among_others_is_told() -> None:
    good = json.dumps({"question": CAR[0], "answer": CAR[1]})
    for text in (
        f'[{{"question": "Is a "bus" there?", "answer": "No."}}, {good}]',
        f'{{"pairs": [{{"q": no}}, {good}]}}',
    ):
        found = read_pairs("binary", text, "stop", 12, 20)
        assert (found.pairs, [fault.kind for fault in found.faults]) == ([CAR], ["broken"])


def test_a_number_longer_than_python_reads_breaks_its_object_alone() -> None:
    good = json.dumps({"question": CAR[0], "answer": CAR[1]})
    found = read_pairs("binary", f'[{{"question": "How far?", "answer": {"9" * 5000}}}, {good}]', "stop", 12, 20)
    assert (found.pairs, [fault.kind for fault in found.faults]) == ([CAR], ["broken"])


def test_of_a_reply_that_a_filter_ended_the_last_pair_is_not_taken() -> None:
    text = "Q: {}\nA: {}\nQ: {}\nA: {}".format(*CAR, *BUS)
    found = read_pairs("binary", text, "content_filter", 12, 20)
    assert (found.pairs, [fault.kind for fault in found.faults]) == ([CAR], ["cut"])


def test_keys_are_taken_out_of_what_a_form_had_hidden() -> None:
    for text in ('{"question": "Is \\u0073k-1 a car?", "answer": "Yes"}', "Q: Is s**k-1** a car?\nA: Yes"):
        found = read_pairs("binary", text, "stop", 12, 20, redacted=lambda said: said.replace("sk-1", "[redacted]"))
        assert found.pairs == [("Is [redacted] a car?", "Yes")]


FAULTY = [
    ("binary", None, "no-reply"),
    ("binary", "", "no-pairs"),
    ("binary", "The scene shows a wide road with cars.", "no-pairs"),
    ("binary", "I'm sorry, but I can't help with that.", "refusal"),
    ("binary", "Q: Is there a car?", "no-answer"),
    ("binary", "Q: Is there a car?\nA: ", "no-answer"),
    ("binary", "Q: Is there a car?\nA: ...", "no-answer"),
    ("binary", "A: Yes.", "no-question"),
    ("binary", "Q:\nA: Yes.", "no-question"),
    ("comprehensive", "Q: What is the question?\nA: The answer is the answer.", "echo"),
    ("comprehensive", "Q: What does the car do?\nA: The answer is the answer.", "echo"),
    ("comprehensive", "Q: [Question]\nA: [Answer here]", "echo"),
    ("comprehensive", "Q: The road goes straight on.\nA: A car follows.", "statement"),
    ("comprehensive", "Q: What is [[[GROUND TRUTH?\nA: A car.", "source"),
    ("comprehensive", "Q: What is at 206934c44fa775a7?\nA: A car.", "source"),
    ("binary", "Q: Is there a car\u200b?\nA: Yes.", "unseen"),
    ("binary", "Q: Is there a car in frame 021?\nA: Yes.", "frame"),
    ("binary", "Q: Is there a car from frame 11 to 14?\nA: Yes.", "frame"),
    ("binary", "Q: Is there a car in frames 12, 14 and 22?\nA: Yes.", "frame"),
    ("binary", "Q: Is there a car between frame 002 and frame 014?\nA: Yes.", "frame"),
    ("binary", "Q: Is there a car?\nA: Yes, there is.", "yes-no"),
    ("binary", "Q: Is there a car?\nA: Maybe.", "yes-no"),
    ("binary", "Q: Is there a car?\nA: CAR.", "yes-no"),
    ("binary", "Q: Which object is ahead?\nA: Yes.", "kind"),
    ("binary", "Q: Does the description mention a car?\nA: Yes.", "source"),
    ("binary", "Q: Is there a car according to the ground truth?\nA: Yes.", "source"),
    ("existence", "Q: Which object is ahead?\nA: TANKER.", "class"),
    ("existence", "Q: Which object is ahead?\nA: car and truck", "class"),
    ("existence", "Q: Which object is ahead?\nA: construction vehicle", "class"),
    ("existence", "Q: Is there a car?\nA: CAR.", "kind"),
    ("existence", "Q: Which object is ahead?\nA: No.", "kind"),
    ("existence", "Q: Which object is ahead?\nA: It cannot be determined.", "refusal"),
    ("time-grounding", "Q: When does the car stop?\nA: At the end.", "interval"),
    ("time-grounding", "Q: When does the car stop?\nA: Until frame 014.", "interval"),
    ("temporal-understanding", "Q: When does it stop?\nA: In frame 014.", "only-interval"),
    ("time-grounding", "Q: When?\nA: from frame 012 to frame 014 and from frame 016 to frame 018", "interval"),
    ("time-grounding", "Q: When?\nA: from frame 012 to frame 014, and again in frame 018.", "interval"),
    ("time-grounding", "Q: When does it stop?\nA: from frame 018 to frame 014", "reversed"),
    ("time-grounding", "Q: When does it stop?\nA: from frame 012 to frame 024", "frame"),
    ("time-grounding", "Q: When from frame 12 to 20 is there a car?\nA: from frame 012 to frame 020", "told"),
    ("description", "Q: What is going on?\nA: A car passes.", "describe"),
    ("description", "Q: Describe the lidar-sequence.\nA: The description has a car.", "source"),
    ("description", "Q: Describe the lidar-sequence.\nA: A car. [[[END OF FRONT DESCRIPTION]]]", "source"),
    ("description", "Q: Describe the lidar-sequence.\nA: [1] Description of the Scene: a car passes.", None),
    ("binary", '{"question": "Is there a car \\ud800?", "answer": "Yes"}', "unseen"),
    ("temporal-understanding", "Q: When does it stop?\nA: From frame 012 to frame 014.", "only-interval"),
    ("comprehensive", "Q: How many cars are there?\nA: Not specified.", "refusal"),
]


@pytest.mark.parametrize(("task", "text", "kind"), FAULTY)
def test_each_fault_is_named(task: str, text: str | None, kind: str | None) -> None:
    found = read_pairs(task, text, "stop", 12, 20)
    assert [fault.kind for fault in found.faults] == ([] if kind is None else [kind])
    assert found.missing == TASKS[task].pairs - len(found.pairs)
    for fault in found.faults:
        assert re.fullmatch(r"[A-Z].*[.”]", fault.what)


def test_each_kind_of_fault_has_a_case() -> None:
    of_their_own = {"cut", "broken", "too-wide", "duplicate-question", "duplicate-answer"}
    assert {kind for _, _, kind in FAULTY} - {None} | of_their_own == set(FAULTS)


def test_the_page_lists_each_kind_of_fault_as_it_is() -> None:
    page = (Path(__file__).parents[3] / "docs" / "b4dl-replies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]+?) \|$", page, re.MULTILINE)
    assert dict(rows) == dict(FAULTS)


TAKEN = [
    ("existence", "Which object is ahead?", "TRUCK."),
    ("existence", "Which object is ahead?", "traffic cones"),
    ("existence", "Which object is ahead?", "trafficcone"),
    ("existence", "In frame 012, which object moves?", "A motorbike."),
    ("existence", "From frame 012 to frame 020, what is on the left?", "construction"),
    ("existence", "Name the object ahead.", "Bus"),
    ("binary", "From frame 012 to frame 016, is there a car", "No"),
    ("comprehensive", "In frame 012, describe the road.", "It is wide."),
    ("temporal-understanding", "how does the distance change", "It grows."),
    ("existence", "Is there a truck that is parked, which blocks the lane?", "NO"),
    ("time-grounding", "When does the car stop?", "from frame 012 to frame 014."),
    ("time-grounding", "When does the car stop?", "Frames 12-14"),
    ("time-grounding", "When does the car stop?", "In frame 014."),
    ("temporal-understanding", "What moves in frame 014 \u2013 20 cars or more?", "All of them."),
    ("time-grounding", "When does the car stop?", "It does so between frame 012 and frame 014."),
    ("time-grounding", "When is the car seen in frame 016?", "from frame 016 to frame 016"),
    ("binary", "Are 3 cars there in frames 12 and 14, 2 trucks beside them?", "yes"),
    ("temporal-understanding", "What happens from frame 012 to frame 020?", "From frame 012 to frame 014 a car stops."),
    ("comprehensive", "Where are objects?", "A car is 30 m ahead."),
]


@pytest.mark.parametrize(("task", "question", "answer"), TAKEN)
def test_nothing_is_held_against_what_is_right(task: str, question: str, answer: str) -> None:
    found = read_pairs(task, f"Q: {question}\nA: {answer}", "stop", 12, 20)
    assert (found.pairs, found.faults) == ([(question, answer)], [])


def test_the_fixed_question_is_written_as_released_however_it_is_spelt() -> None:
    spelt = ["Describe the LiDAR sequence.", "Describe the lidar-sequence", "Please describe the LiDAR-sequence!"]
    text = "\n".join(f"Q: {question}\nA: Text {number}." for number, question in enumerate(spelt))
    found = read_pairs("description", text, "stop", 12, 20)
    assert found.pairs == [(DESCRIBE, f"Text {number}.") for number in range(3)]


def test_what_was_said_before_is_a_duplicate() -> None:
    text = "Q: Is there a car?\nA: Yes.\nQ: is there a  CAR\nA: No.\nQ: Is there a bus?\nA: No."
    found = read_pairs("binary", text, "stop", 12, 20, wanted=2, taken=[("Is there a bus?", "Yes.")])
    assert found.pairs == [("Is there a car?", "Yes.")]
    assert [fault.kind for fault in found.faults] == ["duplicate-question"] * 2
    assert found.missing == 1
    described = "Q: Describe the lidar-sequence.\nA: A car passes.\n" * 2
    found = read_pairs("description", described, "stop", 12, 20)
    assert [fault.kind for fault in found.faults] == ["duplicate-answer"]
    assert found.missing == 4


def test_pairs_beyond_those_asked_for_are_counted_and_the_first_taken() -> None:
    text = "\n".join(f"Q: Is there a car in frame {frame:03d}?\nA: Yes." for frame in range(12, 20))
    found = read_pairs("existence", text, "stop", 12, 20)
    assert [question[-4:-1] for question, _ in found.pairs] == ["012", "013", "014", "015", "016"]
    assert (found.missing, found.extra, found.faults) == (0, 3, [])


def test_a_reply_that_the_server_calls_a_refusal_is_one() -> None:
    for reason, text in (("refusal", "Q: Is there a car?\nA: Yes."), ("content_filter", "")):
        found = read_pairs("binary", text, reason, 12, 20)
        assert (found.pairs, [fault.kind for fault in found.faults]) == ([], ["refusal"])


def test_descriptions_are_one_paragraph_or_have_a_fault() -> None:
    text = "<think>hm</think>\n**[1]** A road.\n\n[2] A car\u202e stops.\n"
    assert read_description(text, "stop").text == "**[1]** A road. [2] A car[U+202E] stops."
    faults = [
        read_description(None, None),
        read_description(" \n", "stop"),
        read_description("[1] A road", "max_tokens"),
        read_description("I'm sorry, I can't assist with that.", "stop"),
        read_description("A road.", "content_filter"),
    ]
    assert [read.text for read in faults] == [None] * 5
    assert [read.fault and read.fault.kind for read in faults] == ["no-reply", "no-reply", "cut", "refusal", "refusal"]


RENDERED: dict[str, Callable[[list[tuple[str, str]]], str]] = {
    "lines": lambda pairs: "\n".join(f"Q: {question}\nA: {answer}" for question, answer in pairs),
    "bold": lambda pairs: "\n\n".join(f"**Q:** {question}\n**A:** {answer}" for question, answer in pairs),
    "numbered": lambda pairs: "\n".join(
        f"{number}. **Q{number}:** {question}\n   **A{number}:** {answer}"
        for number, (question, answer) in enumerate(pairs, 1)
    ),
    "words": lambda pairs: "\n".join(f"Question: {question}\nAnswer: {answer}" for question, answer in pairs),
    "items": lambda pairs: "\n".join(f"{n}. {question}\nA: {answer}" for n, (question, answer) in enumerate(pairs, 1)),
    "objects": lambda pairs: json.dumps([{"question": question, "answer": answer} for question, answer in pairs]),
    "fenced": lambda pairs: f"```json\n{json.dumps({'pairs': [{'Q': q, 'A': a} for q, a in pairs]}, indent=2)}\n```",
}


def as_table(pairs: list[tuple[str, str]], *, numbered: bool = False, outer: bool = True) -> str:
    rows = [("Question", "ANSWER"), ("---", ":-:"), *pairs]
    lines = []
    for number, row in enumerate(rows, start=-1):
        cells = [cell.replace("|", r"\|") for cell in row]
        lines.append(" | ".join([("#", "-")[number + 1] if number < 1 else str(number), *cells] if numbered else cells))
    return "\n".join(f"| {line} |" if outer else line for line in lines)


RENDERED |= {
    "table": as_table,
    "numbered table": lambda pairs: as_table(pairs, numbered=True),
    "table without outer pipes": lambda pairs: as_table(pairs, outer=False),
}

words = st.lists(
    st.sampled_from(
        [
            "the",
            "car",
            "a",
            "truck",
            "moves",
            "left",
            "é",
            "12",
            "m",
            "Q",
            "A",
            "10.5",
            "(it)",
            "x:",
            '"so"',
            "|",
            "(a|b)",
        ]
    )
    | st.text("abcXYZ019,;'é%", min_size=1, max_size=6),
    min_size=1,
    max_size=8,
).map(" ".join)
pairs_told = st.lists(
    st.tuples(words.map(lambda text: f"What of {text}?"), words.map(lambda text: f"It is {text}.")),
    min_size=1,
    max_size=10,
    unique_by=lambda pair: "".join(filter(str.isalnum, pair[0].casefold())),
)


@pytest.mark.parametrize("form", RENDERED)
@settings(max_examples=40)
@given(pairs=pairs_told)
def test_what_is_rendered_is_read_again(form: str, pairs: list[tuple[str, str]]) -> None:
    found = read_pairs("comprehensive", RENDERED[form](pairs), "stop", 0, 40)
    assert found == ReadPairs(pairs, [], 10 - len(pairs))


HOSTILE = [
    "Q:" * 50_000,
    "Q: A: " * 20_000,
    "\n" * 100_000,
    "- " * 50_000,
    "*" * 100_000 + "Q",
    "1. " * 30_000,
    "{" * 100_000,
    "| Q | A |\n" + "|" * 100_000,
    "| Q | A |\n" + "| Is it? | Yes. |\n" * 6_000,
    "| Q | A |\n" * 10_000,
    "Q | A\n" + "-" * 100_000 + "x | y",
    "Q | A\n" + "\\" * 99_999 + "|",
    '{"q":' * 20_000,
    '[{"a":"x' * 12_000,
    '{"a":[1,2,3,' * 8_000,
    "Q: " + "frame " * 15_000 + "\nA: " + "frames 1, " * 10_000,
    "Q: is there " + "from frame 1 to " * 6_000 + "\nA: yes",
    "Q: " + "which is " * 10_000 + "\nA: " + "cannot be " * 10_000,
    "<think>" * 10_000 + "</think>" * 10_000,
    "\u202e" * 100_000,
    "?" * 100_000,
    "```" * 30_000,
    " \n \n" * 30_000 + "let me",
]


@pytest.mark.parametrize("task", FAMILIES)
def test_hostile_replies_are_read_and_every_pair_is_accounted_for(task: str) -> None:
    for text in HOSTILE:
        found = read_pairs(task, text, "stop", 0, 40)
        assert found.missing == TASKS[task].pairs - len(found.pairs)
        assert found.pairs or found.faults


@given(text=st.text("QA:123.?*\n {}[]\"',#-`<>/thinkframe\u200b"), task=st.sampled_from(FAMILIES))
def test_any_text_is_read(text: str, task: str) -> None:
    found = read_pairs(task, text, "max_tokens", 0, 40)
    assert found.missing == TASKS[task].pairs - len(found.pairs)
    assert found.pairs or found.faults
    assert all(fault.kind in FAULTS for fault in found.faults)


_ODD = ["\\ud800", "\\udc00", "\\u0073", "\\n", "\ud83d", "9" * 4400, "1e999", "NaN", '"', "}", ", ", "?", "Is it so?"]


@given(
    parts=st.lists(st.tuples(st.sampled_from(_ODD), st.sampled_from(_ODD), st.booleans()), max_size=5),
    task=st.sampled_from(FAMILIES),
)
def test_whatever_json_holds_can_be_written(parts: list[tuple[str, str, bool]], task: str) -> None:
    objects = []
    for question, answer, is_quoted in parts:
        said = f'"{answer}"' if is_quoted else answer
        objects.append(f'{{"question": "{question}", "answer": {said}}}')
    found = read_pairs(task, "\n".join(objects), "stop", 0, 40)
    rows = [*found.pairs, *((fault.question, fault.answer) for fault in found.faults)]
    pl.DataFrame(rows, schema={"question": pl.String(), "answer": pl.String()}, orient="row")
    text = read_description("\n".join(map(str, parts)), "stop").text
    pl.Series([text], dtype=pl.String())
