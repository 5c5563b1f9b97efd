"""What verdict and report say of a run in variants: what may be held beside it, and alike in both places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from diagnosis_making import benchmark_of, driving_benchmark, letter_shown, mixture, random_answerer, run_of, varied_run

from probe4d.benchmarks.question import Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.models.generation import Generation
from probe4d.report.lookup import Lookup
from probe4d.report.sections import sections
from probe4d.report.statement import Statement
from probe4d.report.variants import of_variants
from probe4d.report.verdict import verdicts
from probe4d.runs.evidence_plan import EvidencePlan, evidence_named
from probe4d.runs.run import Run
from probe4d.runs.settings import Variant

BENCHMARK = driving_benchmark(5, scenes=12, per_family=40)
BLIND = EvidencePlan()


def asked(name: str, setting: str, seen: EvidencePlan = BLIND, **record: Any) -> Run:
    """A run of one model that always answers A, or No."""
    about = {"model": "m", "generation": Generation(), "evidence": seen} | record
    return varied_run(name, BENCHMARK, always_first, setting=setting, **about)


def always_first(about: Question, _: Variant) -> str:
    return "A" if about.options else "No"


def said_of(diagnosis: Diagnosis, name: str) -> list[Statement]:
    return [one for verdict in verdicts(diagnosis) if verdict.run == name for one in verdict.statements]


def in_section(diagnosis: Diagnosis, anchor: str, name: str) -> list[Statement]:
    shown = [one for section in sections(diagnosis) if section.anchor == anchor for one in section.statements]
    return [one for one in shown if one.text.startswith(f"{name}: ")]


@pytest.mark.parametrize(
    ("seen", "tone"), [("cameras", "bad"), ("black", "note"), ("shuffled", "note"), ("none", "note")]
)
def test_a_section_accuses_of_an_order_whom_the_verdict_accuses(seen: str, tone: str) -> None:
    own = asked("own", "permuted:4", evidence_named("cameras"))
    other = [] if seen == "cameras" else [asked("other", "permuted:4", evidence_named(seen))]
    diagnosis = diagnose(BENCHMARK, [own, *other])
    name = other[0].name if other else "own"
    (shown,) = in_section(diagnosis, "variants", name)
    assert shown.tone == tone
    assert shown.text.startswith(f"{name}: Its answers change with the order of the options. ")
    assert Statement(tone, shown.text.removeprefix(f"{name}: ")) in said_of(diagnosis, name)  # type: ignore[arg-type]


@pytest.mark.parametrize(("seen", "tone"), [("cameras", "good"), ("black", "note")])
def test_a_section_praises_a_setting_where_the_verdict_does(seen: str, tone: str) -> None:
    runs = []
    for name, setting, share in (("usual", "default", 0.2), ("warned", "anti-position", 0.9)):
        answers = run_of(name, BENCHMARK, mixture(7, share)).answers
        runs.append(Run(name, asked(name, setting, evidence_named(seen)).record, answers))
    diagnosis = diagnose(BENCHMARK, runs)
    (shown,) = in_section(diagnosis, "run-families", "warned")
    assert shown.tone == tone
    assert Statement(tone, shown.text.removeprefix("warned: ")) in said_of(diagnosis, "warned")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "held"),
    [
        ({}, True),
        ({"parameters": {"base_url": "http://localhost:1"}}, True),
        ({"seen": EvidencePlan(seed=9)}, True),
        ({"seen": evidence_named("cameras")}, False),
        ({"parameters": {"quantisation": "int4"}}, False),
        ({"model": "another"}, False),
        ({"served": "b"}, False),
    ],
)
def test_noise_is_that_of_the_same_model_shown_the_same(changed: dict[str, Any], held: bool) -> None:
    served = changed.get("served")
    again = asked("again", "repeat:3", **{key: value for key, value in changed.items() if key != "served"})
    runs = [by_server(asked("turned", "permuted:4"), "a"), by_server(again, served)]
    (told,) = (one for one in said_of(diagnose(BENCHMARK, runs), "turned") if "in 4 orders" in one.text)
    assert ("in one order asked again (again)." in told.text) == held


def by_server(run: Run, name: str | None) -> Run:
    return Run(run.name, run.record, run.answers.with_columns(model=pl.lit(name, pl.String)))


def test_guessers_are_said_to_prefer_no_letter() -> None:
    choices = benchmark_of([one for one in driving_benchmark(5, scenes=12, per_family=60).questions if one.options])
    guessers = [varied_run(f"{seed}", choices, guessing(seed), setting="permuted:4") for seed in range(60)]
    lookup = Lookup.of(diagnose(choices, guessers))
    told = [of_variants(one, guessers, lookup) for one in guessers]
    accused = [one.run for one in told if one is not None and "prefers" in one.statement.text]
    assert None not in told
    assert len(accused) <= 3  # 5 %; where the interval lies above 0 it would be nine


def test_the_letter_named_is_the_one_given_beyond_what_options_say() -> None:
    choices = benchmark_of([one for one in driving_benchmark(5, scenes=12, per_family=60).questions if one.options])

    def reply(about: Question, way: Variant) -> str:
        """Of ten questions, five and three by what options say, two by the letter."""
        place = about.order % 10
        return "B" if place >= 8 else letter_shown(about, "A" if place < 5 else "B", way)

    run = varied_run("m", choices, reply, setting="permuted:2")
    diagnosis = diagnose(choices, [run])
    rows = diagnosis.figures.filter(run="m", family="all", format="choice")
    given, over = (
        dict(rows.filter(pl.col("relation") != "all", metric=metric).select("relation", "value").iter_rows())
        for metric in ("variants_letter", "variants_letter_excess")
    )
    assert given == pytest.approx({"A": 0.4, "B": 0.35, "C": 0.0, "D": 0.25})
    assert over == pytest.approx({"A": -0.05, "B": 0.1, "C": -0.05, "D": 0.0})
    told = of_variants(run, [run], Lookup.of(diagnosis))
    assert told is not None
    assert "It gives the letter B in 35.0\u202f% of its answers: the letter that it prefers comes 10.0 " in (
        told.statement.text
    )


def guessing(seed: int) -> Callable[[Question, Variant], str]:
    guess = random_answerer(seed)
    return lambda about, _: guess(about)
