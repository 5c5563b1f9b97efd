"""Families of runs: which runs differ in one thing, what it did, and whether answers follow the scene shown."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import polars as pl
import pytest
from diagnosis_making import benchmark_of, driving_benchmark, mixture, oracle, question, run_of

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.comparing.comparisons import FamilyComparison
from probe4d.diagnosis.comparing.run_families import find_run_families
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.errors import InputError
from probe4d.models.generation import Generation
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.run import Run
from probe4d.runs.selection import Selection

BENCHMARK = driving_benchmark(3, scenes=6, per_family=10)

BLIND = EvidencePlan()
CAMERAS = EvidencePlan(kind="own", view="cameras")


def asked_run(name: str, evidence: EvidencePlan | None = BLIND, **record: Any) -> Run:
    run = run_of(name, BENCHMARK, oracle)
    about: dict[str, Any] = {"model": "m", "generation": Generation(), "evidence": evidence} | record
    return dataclasses.replace(run, record=msgspec.structs.replace(run.record, **about))


def found(*runs: Run) -> list[tuple[str, str]]:
    return [(one.kind, one.name) for one in find_run_families(runs, lambda run, against: 30).comparisons]


def test_evidence_is_held_against_none_and_spoilt_evidence_against_ones_own() -> None:
    runs = [
        asked_run("blind"),
        asked_run("cameras", CAMERAS),
        asked_run("above", EvidencePlan(kind="own", view="birds-eye")),
        *(asked_run(kind, EvidencePlan(kind=kind, view="cameras")) for kind in ("black", "shuffled", "other-scene")),
    ]  # fmt: skip
    assert found(*runs) == [
        ("evidence", "cameras vs blind"),
        ("evidence", "above vs blind"),
        ("evidence", "black vs cameras"),
        ("evidence", "shuffled vs cameras"),
        ("evidence", "other-scene vs cameras"),
    ]
    assert sorted(found(*reversed(runs))) == sorted(found(*runs))
    assert [one.evidence for one in find_run_families(runs, lambda run, against: 30).comparisons] == [
        ("cameras", "none"),
        ("birds-eye", "none"),
        ("black:cameras", "cameras"),
        ("shuffled:cameras", "cameras"),
        ("other-scene:cameras", "cameras"),
    ]


def test_a_model_of_lidar_is_one_with_and_without_its_features() -> None:
    lidar = EvidencePlan(kind="own", view="lidar", span="scene")
    told: dict[str, Any] = {"checkpoint": "c", "sampling": "same"}
    shown = asked_run("shown", lidar, parameters={**told, "features": "f", "keep_logits": False})
    blind = asked_run("blind", parameters={**told, "features": None, "keep_logits": False})
    kept = asked_run("kept", lidar, setting="tscd:1", parameters={**told, "features": "f", "keep_logits": True})
    assert found(shown, blind, kept) == [("evidence", "shown vs blind"), ("setting", "kept vs shown")]
    others = asked_run("others", lidar, setting="tscd:1", parameters={**told, "features": "g"})
    released = asked_run("released", lidar, parameters={**told, "features": "f", "sampling": "released"})
    assert found(shown, others) == found(released, kept) == []


def test_what_decoding_came_to_is_compared_whoever_chose_it() -> None:
    lidar = EvidencePlan(kind="own", view="lidar", span="scene")
    told = {"parameters": {"checkpoint": "c", "sampling": "same"}}
    usual = {"temperature": 0.05, "max_tokens": 32}
    left = asked_run("left", lidar, **told, hints=usual)
    moved = asked_run("moved", lidar, **told, hints=usual, model="lidar-lm:elsewhere", setting="tscd:1")
    assert found(left, moved) == [("setting", "moved vs left")]
    given = asked_run("given", lidar, **told, generation=Generation(**usual), setting="tscd:1")
    assert found(left, given) == [("setting", "given vs left")]
    later = asked_run("later", lidar, **told, hints={**usual, "temperature": 0.1}, setting="tscd:1")
    assert found(left, later) == []
    thinking = asked_run("thinking", lidar, **told, hints={**usual, "max_tokens": 2048}, setting="chain-of-thought")
    assert found(left, thinking) == [("setting", "thinking vs left")]


def test_seeds_matter_only_where_something_is_drawn() -> None:
    spoilt, seeded = (
        EvidencePlan(kind="shuffled", view="cameras", seed=7),
        EvidencePlan(kind="own", view="cameras", seed=9),
    )
    assert found(asked_run("own", seeded), asked_run("spoilt", spoilt)) == [("evidence", "spoilt vs own")]
    assert found(asked_run("own", seeded), asked_run("ego", CAMERAS, setting="ego")) == [("setting", "ego vs own")]
    others = [asked_run(f"s{seed}", EvidencePlan(kind="shuffled", view="cameras", seed=seed)) for seed in (1, 2)]
    ego = asked_run("ego", EvidencePlan(kind="shuffled", view="cameras", seed=2), setting="ego")
    assert found(*others, ego) == [("setting", "ego vs s2")]


@pytest.mark.parametrize(
    "record",
    [
        {"model": "another"},
        {"generation": Generation(temperature=0.5)},
        {"generation": None},
        {"parameters": {"quantisation": "int4"}},
        {"setting": "ego"},
        {"evidence": None},
        {"evidence": EvidencePlan(kind="black", view="cameras")},
    ],
)
def test_whatever_else_differs_makes_strangers(record: dict[str, Any]) -> None:
    assert found(asked_run("blind"), asked_run("other", **{"evidence": CAMERAS} | record)) == []


def test_span_and_view_have_to_be_the_same() -> None:
    shuffled = EvidencePlan(kind="shuffled", view="cameras", span="scene")
    assert found(asked_run("own", CAMERAS), asked_run("shuffled", shuffled)) == []
    whole = msgspec.structs.replace(CAMERAS, span="scene")
    assert found(asked_run("own", whole), asked_run("shuffled", shuffled)) == [("evidence", "shuffled vs own")]


def test_settings_are_held_against_the_default_with_the_same_evidence() -> None:
    runs = [
        asked_run("plain"),
        asked_run("seen", CAMERAS),
        asked_run("warned", setting="anti-position", parameters={"base_url": "http://localhost:1"}),
        asked_run("ego", layout="ego", setting="ego"),
        asked_run("seen ego", CAMERAS, layout="ego", setting="ego"),
    ]
    assert found(*runs) == [
        ("evidence", "seen vs plain"),
        ("evidence", "seen ego vs ego"),
        ("setting", "warned vs plain"),
        ("setting", "ego vs plain"),
        ("setting", "seen ego vs seen"),
    ]
    imported = [asked_run("a", None, generation=None), asked_run("b", None, generation=None, setting="anti-position")]
    assert found(*imported) == [("setting", "b vs a")]
    assert find_run_families(imported, lambda run, against: 3).comparisons == (
        FamilyComparison("setting", "b", "a", ("unknown", "unknown"), ("anti-position", "default"), 3, "m"),
    )


def served_by(run: Run, *names: str | None) -> Run:
    """The run as answered by servers that called their models so, in turn."""
    said = [names[place % len(names)] for place in range(run.answers.height)]
    return dataclasses.replace(run, answers=run.answers.with_columns(model=pl.Series(said, dtype=pl.String)))


@pytest.mark.parametrize(("first", "second"), [(["a"], ["b"]), (["a"], ["a", "b"]), (["a", None], ["b"])])
def test_runs_whose_servers_named_other_models_are_not_compared(
    first: list[str | None], second: list[str | None]
) -> None:
    runs = [served_by(asked_run("blind"), *first), served_by(asked_run("cameras", CAMERAS), *second)]
    diagnosis = diagnose(BENCHMARK, runs)
    assert diagnosis.run_families == ()
    (warning,) = (sentence for sentence in diagnosis.warnings if "servers" in sentence)
    assert warning.startswith("cameras and blind have one model by their records")
    assert all(f"{name} in blind" in warning or name is None for name in first)


def test_servers_that_say_nothing_or_the_same_leave_runs_comparable() -> None:
    for names in (["a"], ["b", "a", None], [None]):
        runs = [served_by(asked_run("blind"), "b", "a") if len(names) > 1 else served_by(asked_run("blind"), "a")]
        runs.append(served_by(asked_run("cameras", CAMERAS), *names))
        assert found(*runs) == [("evidence", "cameras vs blind")]


def figure(diagnosis: Diagnosis, run: str, metric: str) -> dict[str, Any]:
    rows = diagnosis.figures.filter(run=run, metric=metric, family="all", format="all", relation="all")
    assert rows.height == 1
    return rows.row(0, named=True)


def said_by(benchmark: Benchmark, name: str, texts: list[str], evidence: EvidencePlan) -> Run:
    replies = dict(zip(benchmark.table["id"], texts, strict=True))
    run = run_of(name, benchmark, lambda asked: replies[asked.id])
    return dataclasses.replace(run, record=msgspec.structs.replace(run.record, model="m", evidence=evidence))


def made(n: int) -> Benchmark:
    return benchmark_of([question(i, "B", scene=f"s{i}", options=("car", "bus", "van")) for i in range(n)])


def test_what_evidence_adds_by_hand() -> None:
    benchmark = made(5)
    blind = said_by(benchmark, "blind", ["A", "A", "B", "?", "C"], BLIND)
    seen = said_by(benchmark, "seen", ["B", "A", "B", "hm", "B"], CAMERAS)
    diagnosis = diagnose(benchmark, [blind, seen])
    assert diagnosis.run_families == (
        FamilyComparison("evidence", "seen", "blind", ("cameras", "none"), ("default", "default"), 5, "m"),
    )
    assert [one.name for one in diagnosis.comparisons] == ["seen vs blind"]
    expected = {"accuracy_of_first": 0.6, "accuracy_of_second": 0.2, "accuracy_change": 0.4, "answers_alike": 0.6}
    for metric, value in expected.items():
        row = figure(diagnosis, "seen vs blind", metric)
        assert (row["value"], row["n"]) == (pytest.approx(value), 5)
        assert row["low"] <= value <= row["high"]
    # With the other run first, the comparison with it is the reverse, and the family keeps its direction.
    reversed_ = diagnose(benchmark, [seen, blind])
    assert [one.name for one in reversed_.comparisons] == ["blind vs seen"]
    assert reversed_.run_families == diagnosis.run_families
    assert figure(reversed_, "seen vs blind", "accuracy_change") == figure(
        diagnosis, "seen vs blind", "accuracy_change"
    )
    assert reversed_.changes.filter(comparison="seen vs blind").equals(diagnosis.changes)


def test_runs_of_a_family_are_compared_on_what_both_were_asked() -> None:
    part = asked_run("seen", CAMERAS, selection=Selection(families=("distance",)))
    ids = BENCHMARK.table.filter(family="distance")["id"]
    part = dataclasses.replace(part, answers=part.answers.filter(pl.col("question").is_in(ids.implode())))
    diagnosis = diagnose(BENCHMARK, [asked_run("blind"), part])
    assert [(one.name, one.questions) for one in diagnosis.run_families] == [("seen vs blind", 10)]
    assert figure(diagnosis, "seen vs blind", "answers_alike")["n"] == 10


def test_a_run_against_itself_changes_nothing() -> None:
    diagnosis = diagnose(BENCHMARK, [run_of("m", BENCHMARK, mixture(1, 0.5))], compare=["m:m"])
    change, alike = (figure(diagnosis, "m vs m", metric) for metric in ("accuracy_change", "answers_alike"))
    assert [change[end] for end in ("value", "low", "high")] == [0, 0, 0]
    assert [alike[end] for end in ("value", "low", "high")] == [1, 1, 1]
    assert diagnosis.run_families == ()


def shown(benchmark: Benchmark, texts: list[str], there: list[str | None]) -> Run:
    run = said_by(benchmark, "other", texts, EvidencePlan(kind="other-scene", view="cameras"))
    return dataclasses.replace(run, answers=run.answers.with_columns(shown_answer=pl.Series(there, dtype=pl.String)))


def test_who_follows_the_scene_shown_by_hand() -> None:
    benchmark = made(6)  # the reference is B
    # Follows, keeps, does neither, is unreadable; the answer there is the same, or not known.
    run = shown(benchmark, ["A", "B", "C", "?", "B", "B"], ["A", "C", "A", "A", "B", None])
    diagnosis = diagnose(benchmark, [run])
    follows, keeps = (figure(diagnosis, "other", metric) for metric in ("follows_shown", "keeps_own"))
    assert [(row["value"], row["n"]) for row in (follows, keeps)] == [(0.25, 4), (0.25, 4)]
    assert follows["low"] <= 0.25 <= follows["high"]
    plain = diagnose(benchmark, [shown(benchmark, ["B"] * 6, [None] * 6)])
    assert not plain.figures["metric"].is_in(["follows_shown", "keeps_own"]).any()


def test_an_answer_of_the_scene_shown_that_is_none_is_refused() -> None:
    benchmark = made(2)
    with pytest.raises(InputError, match=r"other: says that 'Yes' would be the answer to question \w{16}"):
        diagnose(benchmark, [shown(benchmark, ["A", "B"], ["A", "Yes"])])
