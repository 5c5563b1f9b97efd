"""Looking for cues first saves work and changes no reading."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.diagnosis.parsing import Parsed, parse
from probe4d.diagnosis.parsing.adversarial import AdversarialAnswer, adversarial_answers
from probe4d.diagnosis.parsing.cues import NEAR, Before, Cues, folded

OPTIONS = ("car", "truck", "bus", "none of the above")
WORDS = (
    *("A", "B", "C", "D", "a", "b", "car", "truck", "bus", "Yes", "No", "the", "option", "choice", "is", "final"),
    *("answer", "therefore", "so", "not", "isn't", "cannot", "neither", "if", "unless", "wait", "actually", "no,"),
    *("let me reconsider", "rather than", "\u4e0d", "\u0130f", "instead of", "guess:", "correct letter", "i'll say"),
    *(",", ".", "\n", "(", ")", "**", "or", "and", "because", "nearest:", "go with", "opt for", "i would say"),
    *("wrong", "doubt", "unlikely", "second best", "least likely", "runner-up:", "all but", "false answer:", "hardly"),
    *("?", "provided", "were the", "never mind", "that is wrong", "forget it", "maybe", "not.", "also fits", "works"),
)


class _Everywhere(Cues):
    """As if every place were a cue of every kind."""

    def before(self, place: int) -> Before:
        places = list(range(min(place, NEAR)))
        return Before(places, places, places)

    @property
    def conditions(self) -> bool:
        return True

    @property
    def asks(self) -> bool:
        return True

    @property
    def withdraws(self) -> bool:
        return True

    @property
    def corrects(self) -> bool:
        return True

    @property
    def says_no(self) -> bool:
        return True


def _readings(answer: AdversarialAnswer) -> Parsed:
    shown = answer.shown(range(len(answer.options)))
    return parse(
        shown.text,
        format=answer.format,
        options=shown.options,
        finish_reason=answer.finish_reason,
        error=answer.error,
    )


def test_adversarial_answers_read_the_same_with_every_place_a_cue(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = adversarial_answers()
    readings = [_readings(answer) for answer in answers]
    monkeypatch.setattr("probe4d.diagnosis.parsing.default.Cues", _Everywhere)
    assert [_readings(answer) for answer in answers] == readings


@given(st.lists(st.sampled_from(WORDS), max_size=60), st.booleans())
@settings(max_examples=300)
def test_replies_of_telling_words_read_the_same_with_every_place_a_cue(words: list[str], choice: bool) -> None:
    text = " ".join(words)
    format, options = ("choice", OPTIONS) if choice else ("yes-no", ())
    reading = parse(text, format=format, options=options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("probe4d.diagnosis.parsing.default.Cues", _Everywhere)
        assert parse(text, format=format, options=options) == reading


@given(st.text())
def test_folding_keeps_every_character_in_its_place(text: str) -> None:
    assert len(folded(text)) == len(text)
