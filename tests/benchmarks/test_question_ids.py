from __future__ import annotations

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from making import question
from probe4d.benchmarks.question import QUESTION_SCHEMA, Question, derived_id, question_ids, to_table

TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\/\b\f\n\r\t\0\x1f\x7f\u2028é車🚗'), max_size=12)
LISTS = st.lists(TEXTS, max_size=4).map(tuple)

QUESTIONS = st.builds(
    question,
    suite=TEXTS,
    template=TEXTS,
    scene=TEXTS,
    frames=st.lists(st.integers(-(2**31), 2**31 - 1), max_size=3).map(tuple),
    entities=LISTS,
    channel=TEXTS | st.none(),
    question=TEXTS | st.none(),
    options=LISTS,
)


@given(st.lists(QUESTIONS, max_size=6))
@example([question(question='{"":}', scene='{"":', channel="}")])
def test_ids_of_a_table_are_those_of_its_questions(questions: list[Question]) -> None:
    assert question_ids(to_table(questions)).to_list() == [derived_id(one) for one in questions]


def test_every_character_is_written_as_in_a_single_id() -> None:
    questions = [question(question=chr(code)) for code in [*range(0x3000), 0xFFFD, 0x1F697, 0x10FFFF]]
    assert question_ids(to_table(questions)).to_list() == [derived_id(one) for one in questions]


@pytest.mark.parametrize("rows_at_once", [1, 2, 5])
def test_ids_of_many_rows_are_in_their_order(rows_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probe4d.benchmarks.question.ROWS_AT_ONCE", rows_at_once)
    questions = [question(place) for place in range(5)]
    assert question_ids(to_table(questions)).to_list() == [derived_id(one) for one in questions]


def test_ids_need_only_what_identifies_a_question() -> None:
    table = to_table([question(1), question(2)]).select(pl.exclude("id", "facts", "answer", "evidence"))
    assert question_ids(table).to_list() == [derived_id(question(1)), derived_id(question(2))]
    assert question_ids(pl.DataFrame(schema=QUESTION_SCHEMA)).to_list() == []
