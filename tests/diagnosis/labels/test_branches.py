"""What logits of both branches say of an answer: worked out by hand here, and carried into figures and verdict."""

from __future__ import annotations

from typing import Any

import pytest

from making import benchmark_of, question, run_of
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.labels.branches import branches_of
from probe4d.report.lookup import percent
from probe4d.report.verdict import verdicts


def kept(**labels: tuple[float, float | None]) -> list[dict[str, Any]]:
    return [
        {"token": place, "text": label, "label": label, "clean": clean, "shuffled": shuffled}
        for place, (label, (clean, shuffled)) in enumerate(labels.items())
    ]


def run(logits: list[Any], setting: str = "tscd:1", scenes: int = 1) -> Any:
    benchmark = benchmark_of([question(place, scene=f"s{place % scenes}") for place in range(len(logits))])
    rows = [
        {"question": one.id, "text": "Yes", "first_logits": logit}
        for one, logit in zip(benchmark.questions, logits, strict=True)
    ]
    return benchmark, run_of("r", benchmark, rows, setting=setting)


@pytest.mark.parametrize(
    ("logits", "alike", "shared", "moved"),
    [
        (kept(Yes=(3.0, 3.0), No=(1.0, 1.0)), True, 1.0, False),  # the order says nothing
        (kept(Yes=(3.0, 2.0), No=(1.0, 1.0)), True, 0.5, False),  # half of the margin of 2
        (kept(Yes=(3.0, 1.0), No=(1.0, 1.0)), True, 0.0, False),  # all of it comes from the order
        (kept(Yes=(3.0, 0.0), No=(1.0, 2.0)), False, 0.0, False),
        (kept(Yes=(1.2, 2.0), No=(1.0, 0.0)), True, 1.0, True),  # 1.2 - 0.8 is less than 1 + 1
        (kept(No=(1.2, 2.0), Yes=(1.0, 0.0)), True, 1.0, True),  # whatever the label
    ],
)
def test_a_preference_is_parted_into_what_both_branches_have_and_the_rest(
    logits: Any, alike: bool, shared: float, moved: bool
) -> None:
    _, one = run([logits])
    (row,) = branches_of(one).iter_rows(named=True)
    assert (row["alike"], row["moved"]) == (alike, moved)
    assert row["shared"] == pytest.approx(shared)


def test_tokens_that_are_no_labels_and_runs_without_contrast_say_nothing() -> None:
    other = {"token": 9, "text": "Well", "label": None, "clean": 9.0, "shuffled": -9.0}
    _, one = run([[*kept(Yes=(3.0, 2.0), No=(1.0, 1.0)), other]])
    assert branches_of(one)["shared"].to_list() == pytest.approx([0.5])
    assert not branches_of(run([kept(Yes=(3.0, None), No=(1.0, None))])[1]).height
    assert not branches_of(run([kept(Yes=(3.0, 2.0), No=(1.0, 1.0))], setting="default")[1]).height
    assert not branches_of(run([None])[1]).height
    assert not branches_of(run([kept(Yes=(3.0, 2.0))])[1]).height


def test_the_figures_and_the_verdict_tell_it() -> None:
    half, whole = kept(Yes=(3.0, 2.0), No=(1.0, 1.0)), kept(Yes=(1.2, 2.0), No=(1.0, 0.0))
    benchmark, one = run([half, whole, None] * 12, scenes=12)
    diagnosis = diagnose(benchmark, [one])
    totals = diagnosis.figures.filter(run="r", family="all", format="all", relation="all")
    told = {row["metric"]: (row["value"], row["n"]) for row in totals.iter_rows(named=True)}
    assert told["branches_alike"] == (1.0, 24)
    assert told["preference_shared"] == (0.75, 24)
    assert told["contrast_moved"] == (0.5, 24)
    sentences = [statement.text for verdict in verdicts(diagnosis) for statement in verdict.statements]
    assert any(f"{percent(0.75)} of its preference is there whatever their order" in sentence for sentence in sentences)


def test_a_run_without_logits_has_no_such_figures() -> None:
    benchmark, one = run([None, None])
    assert not diagnose(benchmark, [one]).figures.filter(metric="branches_alike").height
