"""Asking that ended early goes on past what failed, records hold no key, and what was taken out of answers is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asking_run import benchmark_of

from making import Model
from probe4d.errors import InputError
from probe4d.models.generation import Generation
from probe4d.models.request import ModelFailure, Request
from probe4d.models.secrets import REDACTED
from probe4d.runs.ask import ask
from probe4d.runs.journal import open_journal
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import prepare
from probe4d.runs.run import Answer, RunRecord, read_run
from probe4d.runs.summary import summary_of

KEY = "fake-key-that-no-file-may-hold"


def number(request: Request) -> int:
    """Which of the questions it asks."""
    return int("".join(filter(str.isdigit, request.text.rpartition("Is it")[2])))


def refusing(first: int, end: int, *, fatal_at: int | None = None) -> Callable[[Request], str]:
    """What a model does that refuses these questions, each on its own."""

    def reply(request: Request) -> str:
        if number(request) == fatal_at:
            raise ModelFailure("out of credit", fatal=True)
        if first <= number(request) < end:
            raise ModelFailure("the question is too long")
        return "Yes"

    return reply


def test_a_run_goes_on_past_questions_that_failed_before(tmp_path: Path) -> None:
    """They come first, and are more than those that end a run without any answer."""
    benchmark = benchmark_of(60)
    with pytest.raises(ModelFailure, match="out of credit"):
        ask(benchmark, tmp_path / "run", model=Model(refusing(2, 22, fatal_at=40)))
    run = ask(benchmark, tmp_path / "run", model=Model(refusing(2, 22)))
    assert (summary_of(run).answers, summary_of(run).unanswered) == (40, 20)


def test_a_run_that_nothing_answers_costs_few_calls(tmp_path: Path) -> None:
    model = Model(refusing(0, 300))
    with pytest.raises(ModelFailure, match="10 requests in a row got no answer, the last one because the question is"):
        ask(benchmark_of(300), tmp_path / "run", model=model)
    assert len(model.asked) < 30
    errors = (tmp_path / "run" / "errors.jsonl").read_text().splitlines()
    assert len(errors) >= 10, "the failure that ends asking is listed with the others"


def test_answers_in_which_a_key_was_are_counted(tmp_path: Path) -> None:
    model = Model(lambda request: f"It is {REDACTED}." if number(request) < 3 else "Yes")
    assert summary_of(ask(benchmark_of(8), tmp_path / "run", model=model)).redacted == 3


def test_reasoning_in_which_a_key_was_is_counted(tmp_path: Path) -> None:
    thoughts = {"0": f"Of {REDACTED}.", "1": None, "2": "Of a car."}
    answers = [Answer(question=name, text="Yes", reasoning=reasoning) for name, reasoning in thoughts.items()]
    with open_journal(tmp_path / "run", RunRecord(model="m", benchmark="a" * 64)) as journal:
        journal.put([*answers, Answer(question="3", text=REDACTED, reasoning=REDACTED)])
    assert summary_of(read_run(tmp_path / "run")).redacted == 2


@pytest.mark.parametrize("fields", [{"system": f"It is {KEY}."}, {"extra_body": {"deep": [{"note": KEY}]}}])
def test_no_generation_option_puts_a_key_into_a_record(monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any]) -> None:
    monkeypatch.setenv("FAKE_API_KEY", KEY)
    with pytest.raises(InputError, match="holds a key") as caught:
        prepare(benchmark_of(2), RunPlan(generation=Generation(**fields)))
    assert KEY not in str(caught.value)
