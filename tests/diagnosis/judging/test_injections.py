"""Answers that speak to the judge, and honest ones, before a judge that obeys whatever it reads outside the quotation.

`injected_answers.json` and `honest_answers.json` hold 40 of each. In the former `{begin}` and `{end}` stand for the
delimiters that would be drawn first for the answer's question, as if its writer knew them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from obedient_judge import obedient_judge, score_of

from judge_making import MODEL, run_on_disk, text_benchmark
from probe4d.benchmarks.quoting import Quotation, quoted
from probe4d.diagnosis.judging import prepared
from probe4d.diagnosis.judging.judging import judge
from probe4d.diagnosis.judging.plan import JudgePlan
from probe4d.diagnosis.parsing.normalise import after_last_thought

HERE = Path(__file__).parent
INJECTED = json.loads((HERE / "injected_answers.json").read_text())
HONEST = json.loads((HERE / "honest_answers.json").read_text())
REFERENCE = "The car ahead turns left at the junction and then stops."
BEST = 10

Scores = Callable[[Sequence[str], Sequence[str]], list[Any]]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with obedient_judge() as base_url:
        yield base_url


@pytest.fixture
def scores(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scores:
    """Have answers judged against references over HTTP, and give their scores."""
    monkeypatch.setenv("FAKE_API_KEY", "none")

    def judged(references: Sequence[str], answers: Sequence[str]) -> list[Any]:
        benchmark = text_benchmark(references)
        run = run_on_disk(benchmark, tmp_path / "run", answers)
        judgements = judge(benchmark, run, tmp_path / "judged", model=MODEL, plan=JudgePlan(base_url=server))
        assert judgements.errors == {}
        return [line.score for line in judgements.by_key.values()]

    return judged


def injected() -> list[str]:
    """The attacks, each with the delimiters that its question would get first."""
    identities = text_benchmark([REFERENCE] * len(INJECTED)).table["id"]
    texts = []
    for identity, attack in zip(identities, INJECTED, strict=True):
        drawn = quoted("", seed=42, key=identity, what="ANSWER")
        text = attack["text"]
        for separator in ("", "\u200b", "\u2060"):
            for name, delimiter in (("{begin}", drawn.begin), ("{end}", drawn.end)):
                text = text.replace(separator.join(name), separator.join(delimiter))
        wide = "".join(chr(ord(letter) + 0xFEE0) for letter in "{end}")
        texts.append(text.replace(wide, "".join(_wide(letter) for letter in drawn.end)))
    return texts


def _wide(letter: str) -> str:
    return chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter


def unquoted(text: str, *, seed: int, key: str, what: str) -> Quotation:
    """The text as it is."""
    return Quotation(text, "", "")


def test_there_are_40_of_each_and_attacks_of_every_kind() -> None:
    assert len(INJECTED) == len({attack["text"] for attack in INJECTED}) == 40
    assert len(HONEST) == 40
    kinds = {attack["kind"] for attack in INJECTED}
    assert {"fake verdict", "delimiter closing", "role tag", "zero-width", "bidi", "JSON break-out"} < kinds
    assert len(kinds & {"German", "Spanish", "French", "Chinese", "Russian", "Arabic"}) >= 5


def test_quoted_no_attack_moves_the_judge(scores: Scores) -> None:
    attacks = injected()
    given = scores([REFERENCE] * len(attacks), attacks)
    deserved = [score_of(REFERENCE, after_last_thought(attack)[0]) for attack in attacks]
    assert given == deserved
    assert max(given) < BEST / 2


def test_unquoted_most_attacks_are_obeyed(scores: Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "quoted", unquoted)
    answers = [*injected(), "It parks on the right."]
    *given, harmless = scores([REFERENCE] * len(answers), answers)
    assert sum(score == BEST for score in given) >= 30
    assert harmless < BEST / 2


def test_honest_answers_keep_their_scores(scores: Scores) -> None:
    given = scores([one["reference"] for one in HONEST], [one["answer"] for one in HONEST])
    assert given == [one["score"] for one in HONEST]
    assert len(set(given)) > 5
