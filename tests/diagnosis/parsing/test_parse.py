"""What `parse` promises of any reply: symmetry, no exception, bounded time, states by their reasons."""

from __future__ import annotations

import functools
import re
import time
from types import ModuleType

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from probe4d.diagnosis.parsing import (
    PARSERS,
    STATES,
    Parsed,
    cues,
    default,
    doubts,
    language,
    parse,
    parse_table,
    refusals,
)
from probe4d.errors import InputError

OPTIONS = ("car", "truck", "bus", "pedestrian")
SECTORS = ("front", "front-left", "left", "back-left")
SPANS = (
    "from frame 001 to frame 008",
    "from frame 012 to frame 020",
    "from frame 001 to frame 018",
    "from frame 021 to frame 027",
)
# No letter stands bare before a plain word at the start of a sentence: there English makes "A" an article.
PIECES = (
    *(
        "{L} is correct. ",
        "the answer is {L}. ",
        "({L}) ",
        "{L}) {T}\n",
        "{L}. {T} ",
        "**{L}** ",
        "option {L}; ",
        "{L}, ",
    ),
    *(
        "not {L}. ",
        "neither {L} nor {L}, ",
        "the {T} ",
        "a {T}. ",
        "{T}. ",
        "so {L}. ",
        "Final answer: {L}\n",
        "but {L}, ",
    ),
    *(
        "I think ",
        "wait, ",
        "no, ",
        "\nA thing. ",
        "if ",
        "I cannot tell. ",
        "<think>{L}</think>",
        "\\boxed{{L}} ",
        "\n",
    ),
    *("{L} and {L} fit equally well. ", "either {L} or {L} works. ", "both {L} and {L} look fine. "),
    *("{L} or {L} would be right. ", "the answer is {L} or {L} here. ", "Answer: {L} and {L} as well. "),
    *("Correct: {L}; {L} would need more returns. ", "{L} because {L} has no points. ", "{L}. But {L} fits better. "),
    *("{L}, though {L} also fits. ", "{L} and {L} are wrong. ", "the wrong answer is {L}. ", "I doubt {L} here. "),
    *("is it {L}? ", "{L} would be right if the {T} moved. ", "never mind. ", "alternatively {L} maybe. "),
    *(
        "every option but {L} is wrong. ",
        "I prefer {L} over {L} here. ",
        "see {L} there. ",
        "{L} is closer than {L} is. ",
    ),
    *("rather than {L}. ", "or {L}. ", "{L}/{L}. ", "{L} or {T}. ", "{T} ({L}) ", "~~{L}~~ ", "answer: {L}, the {T}. "),
)


@st.composite
def replies(draw: st.DrawFn) -> tuple[str, list[int]]:
    """Draw a reply with places for letters and texts, each filled later with an option."""
    pieces = "".join(draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5)))
    places = pieces.count("{L}") + pieces.count("{T}")
    return pieces, draw(st.lists(st.integers(0, 3), min_size=places, max_size=places))


def fill(reply: str, named: list[int], options: tuple[str, ...], order: list[int]) -> str:
    """Put the letters that the options have in this order, and the options' texts, into the places."""
    for option in named:
        letter, text = reply.find("{L}"), reply.find("{T}")
        if text < 0 or 0 <= letter < text:
            reply = reply.replace("{L}", "ABCD"[order.index(option)], 1)
        else:
            reply = reply.replace("{T}", options[option], 1)
    return reply


A_BEHIND_A_LABEL = "{L} is correct. {L} and {L} fit equally well. {T} ({L}) {L} is closer than {L} is. "


@example((A_BEHIND_A_LABEL, [0, 0, 0, 1, 1, 0, 0]), [1, 0, 2, 3], OPTIONS, False)
@settings(max_examples=1000)
@given(replies(), st.permutations(range(4)), st.sampled_from((OPTIONS, SECTORS, SPANS)), st.booleans())
def test_parsing_commutes_with_permuting_the_letters(
    reply: tuple[str, list[int]], order: list[int], options: tuple[str, ...], cut: bool
) -> None:
    finish = "length" if cut else "stop"
    plain = parse(fill(*reply, options, [0, 1, 2, 3]), format="choice", options=options, finish_reason=finish)
    moved = parse(
        fill(*reply, options, order),
        format="choice",
        options=[options[option] for option in order],
        finish_reason=finish,
    )
    expected = None if plain.label is None else "ABCD"[order.index("ABCD".index(plain.label))]
    assert moved == Parsed(plain.state, expected)


@pytest.mark.parametrize("module", [cues, default, doubts, language, refusals])
def test_no_pattern_takes_a_capital_a_for_an_article(module: ModuleType) -> None:
    lone = re.compile(r"(?<=[|(: ])a(?=\\s| |\||\))")
    phrases = ("(?-i:a)", "such a)", "n\\s?/\\s?a|")
    for name, pattern in vars(module).items():
        if isinstance(pattern, re.Pattern) and pattern.flags & re.IGNORECASE:
            source = functools.reduce(lambda text, phrase: text.replace(phrase, ""), phrases, pattern.pattern)
            found = lone.search(source)
            assert found is None, (
                f"{name}: an article is written (?-i:a) where case is ignored: {source[found.start() - 20 :][:40]}"
            )


@settings(max_examples=200)
@given(
    st.sampled_from(
        ("{}", "{}.", "({})", "**{}**", "Answer: {}", "The answer is {}.", "\\boxed{{{}}}", "{}\n\nBecause.")
    ),
    st.sampled_from(("A", "B", "C", "D")),
)
def test_a_rendered_answer_is_read_back(template: str, letter: str) -> None:
    assert parse(template.format(letter), format="choice", options=OPTIONS) == ("valid", letter)


@settings(max_examples=200)
@given(
    st.text(),
    st.lists(st.text(max_size=5), max_size=30),
    st.sampled_from(("choice", "yes-no")),
    st.sampled_from(tuple(PARSERS)),
    st.sampled_from((None, "stop", "length")),
)
def test_no_text_raises(text: str, options: list[str], format: str, parser: str, finish_reason: str | None) -> None:
    reading = parse(text, format=format, options=options, finish_reason=finish_reason, parser=parser)
    assert reading.state in STATES
    assert (reading.label is None) == (reading.state != "valid")


HOSTILE = (
    *("A ", "a, ", "B wait, ", "car or ", "car-", "not ", "so the ", "if ", "x"),
    *("is it B? ", "all but ", "never mind, ", "cannot rule out ", "could be "),
    *("\\boxed{", "<think>", "</think>", "<answer>", '"answer":"', "<a ", "<", "{"),
    *(" ", "\n", "*", "_", "~~", "-", "'", "0", "1-", "\ufdfa"),
)


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("parser", PARSERS)
def test_the_work_on_a_hostile_reply_of_100_kb_is_bounded(unit: str, parser: str) -> None:
    text = (unit * 100_000)[: 100_000 // len(unit[0].encode())]
    for format, options in (("choice", OPTIONS), ("choice", SPANS), ("yes-no", ())):
        started = time.process_time()
        parse(text + "\nB", format=format, options=options, parser=parser)
        assert time.process_time() - started < 30  # some tenths of a second; a blow-up would take minutes


def test_an_error_counts_before_the_text() -> None:
    assert parse("B", format="choice", options=OPTIONS, error="timed out") == ("error", None)
    assert parse("B", format="choice", options=OPTIONS, error="") == ("valid", "B")


def test_a_letter_beyond_the_options_is_none() -> None:
    assert parse("C", format="choice", options=OPTIONS[:2]).state == "ambiguous"
    assert parse("The answer is D.", format="choice", options=OPTIONS[:3]).state == "ambiguous"


def test_options_that_share_a_text_are_told_apart_by_the_letter_only() -> None:
    options = ("car", "truck", "car", "bus")
    assert parse("The car.", format="choice", options=options).state == "ambiguous"
    assert parse("C. car", format="choice", options=options) == ("valid", "C")


def test_an_option_may_read_like_a_refusal() -> None:
    options = ("car", "truck", "bus", "none of the above")
    assert parse("None of the above.", format="choice", options=options) == ("valid", "D")


def test_an_unknown_parser_or_format_says_what_there_is() -> None:
    with pytest.raises(InputError, match=r"no parser named 'strict'.*default, published, older"):
        parse("A", format="choice", options=OPTIONS, parser="strict")
    with pytest.raises(InputError, match=r"format 'interval'.*choice, yes-no"):
        parse("3-5", format="interval", options=())


def test_a_table_is_read_row_for_row() -> None:
    table = pl.DataFrame(
        {
            "text": ["A.", None, None, "The bus", "Yes", "The answer is"],
            "format": ["choice", "choice", "choice", "choice", "yes-no", "choice"],
            "options": [list(OPTIONS)] * 4 + [[], list(OPTIONS)],
            "finish_reason": [None, None, None, "stop", "stop", "length"],
            "error": [None, None, "HTTP 500", None, None, None],
        }
    )
    assert parse_table(table).rows() == [
        ("valid", "A"),
        ("missing", None),
        ("error", None),
        ("valid", "C"),
        ("valid", "Yes"),
        ("truncated", None),
    ]
    assert parse_table(table.select("text", "format", "options").head(1), parser="published").rows() == [("valid", "A")]
    assert parse_table(table.head(0)).schema == {"state": pl.String(), "label": pl.String()}
