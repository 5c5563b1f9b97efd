"""Figures of judged answers: which mean holds what, over which questions, and what a diagnosis refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import probe4d
from judge_making import run_on_disk, text_benchmark, verdict
from making import Model, benchmark_of, question
from probe4d.diagnosis.judging.plan import JudgePlan
from probe4d.diagnosis.statistics.bootstrap import DRAWS, SEED
from probe4d.errors import InputError

ANSWERS: list[Any] = ["s8", "s4", "", "s6", "bad", {"text": "s9", "finish_reason": "length"}, None, "s2"]
"""What is judged says its score itself; `bad` gets a reply without a verdict."""

FIELDS: dict[int, dict[str, Any]] = {
    place: {"family": "temporal-memory", "template": "TM-6", "relation": "motion"} for place in (4, 5, 6, 7)
}


def scored(request: Any) -> str:
    answer = request.text.split("]]]\n", 1)[1].split("\n[[[", 1)[0]
    return "no verdict" if answer == "bad" else verdict(float(answer[1:]), f"since {answer}")


def judged(benchmark: probe4d.Benchmark, run: probe4d.Run, out: Path, **plan: Any) -> probe4d.Judgements:
    return probe4d.judge(benchmark, run, out, model=Model(scored), plan=JudgePlan(**plan))


@pytest.fixture(scope="module")
def bench() -> probe4d.Benchmark:
    return text_benchmark([f"reference {n}" for n in range(8)], fields=FIELDS)


@pytest.fixture
def run(bench: probe4d.Benchmark, tmp_path: Path) -> probe4d.Run:
    return run_on_disk(bench, tmp_path / "run", ANSWERS)


def figures_of(diagnosis: probe4d.Diagnosis, family: str, relation: str = "all") -> dict[str, tuple[float, int]]:
    rows = diagnosis.figures.filter(run="run", family=family, relation=relation, format="text")
    return {metric: (value, n) for metric, value, n in rows.select("metric", "value", "n").iter_rows()}


def bootstrap(scenes: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    """The interval of a mean over resampled scenes, directly."""
    codes = np.unique(scenes, return_inverse=True)[1]
    drawn = np.random.default_rng(SEED).integers(0, codes.max() + 1, size=(DRAWS, codes.max() + 1))
    sums, counts = np.bincount(codes, values), np.bincount(codes)
    low, high = np.quantile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), (0.025, 0.975))
    return low, high


def test_means_hold_what_they_say(bench: probe4d.Benchmark, run: probe4d.Run, tmp_path: Path) -> None:
    judgements = judged(bench, run, tmp_path / "judged")
    diagnosis = probe4d.diagnose(bench, [run], allow_missing=True, judgements=[judgements])
    assert diagnosis.judged["state"].to_list() == [
        "scored", "scored", "empty", "scored", "unscored", "truncated", "missing", "scored",
    ]  # fmt: skip
    families = [figures_of(diagnosis, family)["judge_mean_all"][0] for family in bench.record.counts]
    assert figures_of(diagnosis, "all") == {
        "judge_mean_all": (pytest.approx(20 / 7), 7),  # the unscored one is in no mean
        "judge_mean_all_macro": (pytest.approx(sum(families) / 2), 2),
        "judge_mean_valid": (5.0, 4),
        "judged_share": (0.5, 8),
        "unscored_share": (0.125, 8),
    }
    for part in ("all", "motion", "template:TM-6"):
        assert figures_of(diagnosis, "temporal-memory", part) == {
            "judge_mean_all": (pytest.approx(2 / 3), 3),
            "judge_mean_valid": (2.0, 1),
            "judged_share": (0.25, 4),
            "unscored_share": (0.25, 4),
        }
    assert figures_of(diagnosis, "spatial-perception", "motion") == {}
    (row,) = diagnosis.figures.filter(metric="judge_mean_all", family="all").iter_rows(named=True)
    expected = bootstrap([0, 0, 1, 1, 2, 3, 3], [8, 4, 0, 6, 0, 0, 2])
    assert (row["low"], row["high"]) == pytest.approx(expected, abs=1e-9)
    assert diagnosis.judged.filter(state="scored")["reason"].to_list() == [
        "since s8",
        "since s4",
        "since s6",
        "since s2",
    ]
    assert "The judge of run left 1 answer unscored; it is in no mean." in diagnosis.warnings
    assert not any("text" in warning and "not scored" in warning for warning in diagnosis.warnings)


def test_tables_and_page_are_written(bench: probe4d.Benchmark, run: probe4d.Run, tmp_path: Path) -> None:
    judgements = judged(bench, run, tmp_path / "judged")
    diagnosis = probe4d.diagnose(bench, [run], allow_missing=True, judgements=[judgements])
    probe4d.write_report(diagnosis, tmp_path / "report", page=False)
    figures = pl.read_csv(tmp_path / "report" / "figures.csv")
    assert {"judge_mean_all", "judge_mean_valid", "judged_share", "unscored_share"} <= set(figures["metric"])
    assert pl.read_parquet(tmp_path / "report" / "judged.parquet").equals(diagnosis.judged)
    others = benchmark_of([question(n, scene=f"scene-{n}") for n in range(4)])
    probe4d.write_report(probe4d.diagnose(others, []), tmp_path / "report", page=False)
    assert not (tmp_path / "report" / "judged.parquet").exists()


def test_other_formats_are_what_they_are_without(tmp_path: Path) -> None:
    mixed = text_benchmark(
        ["reference 0", "Yes", "reference 2", "No"], fields={1: {"format": "yes-no"}, 3: {"format": "yes-no"}}
    )
    run = run_on_disk(mixed, tmp_path / "run", ["s3", "Yes", "s5", "Yes"])
    judgements = judged(mixed, run, tmp_path / "judged")
    assert len(judgements.by_key) == 2
    without = probe4d.diagnose(mixed, [run])
    assert "2 questions of the format text are not scored." in without.warnings
    beside = probe4d.diagnose(mixed, [run], judgements=[judgements])
    assert beside.figures.filter(pl.col("format") != "text").equals(without.figures)
    assert beside.records.equals(without.records)
    assert figures_of(beside, "all")["judge_mean_all"] == (4.0, 2)


def test_judgements_of_something_else_are_refused(bench: probe4d.Benchmark, run: probe4d.Run, tmp_path: Path) -> None:
    judgements = judged(bench, run, tmp_path / "judged")
    again = judged(bench, run, tmp_path / "again", rubric="b4dl")
    other_answers = run_on_disk(bench, tmp_path / "elsewhere" / "run", ["s1", *ANSWERS[1:]])
    other_run = run_on_disk(bench, tmp_path / "other", ANSWERS)
    other_bench = text_benchmark(["reference"] * 9)
    reworded = replace(bench, table=bench.table.with_columns(answer=pl.col("answer") + "!"))
    its_run = run_on_disk(other_bench, tmp_path / "its" / "run", ["s1"] * 9)
    for questions, runs, given, said in (
        (bench, [other_run], [judgements], "judges the run 'run', which is not among those given"),
        (bench, [run], [judgements, again], "judges the run 'run' a second time, after"),
        (bench, [other_answers], [judgements], "judges another answer to question 0000000000000000 than run holds"),
        (other_bench, [its_run], [judgements], "judges answers to another benchmark"),
        (reworded, [run], [judgements], "judges by other references than the benchmark has now"),
        (bench, [run], [], "no free text with judgements"),
    ):
        with pytest.raises(InputError, match=said):
            probe4d.diagnose(questions, runs, allow_missing=True, judgements=given)


def test_runs_side_by_side(bench: probe4d.Benchmark, run: probe4d.Run, tmp_path: Path) -> None:
    second = run_on_disk(bench, tmp_path / "second", ["s80"] * 8)
    third = run_on_disk(bench, tmp_path / "third", ["s1"] * 8)
    judgements = [
        judged(bench, second, tmp_path / "judged-second", rubric="b4dl"),
        judged(bench, run, tmp_path / "judged"),
    ]
    diagnosis = probe4d.diagnose(bench, [run, second, third], allow_missing=True, judgements=judgements)
    assert list(diagnosis.judges) == ["run", "second"]
    assert (
        "second was judged by another rubric and another prompt than run: their scores do not compare."
        in diagnosis.warnings
    )
    assert "third has no judgements: its 8 free answers are not scored." in diagnosis.warnings
    rows = diagnosis.figures.filter(metric="judge_mean_valid", family="all", relation="all")
    assert rows.filter(run="second")["value"].to_list() == [80.0]


def test_of_variants_the_first_is_judged(tmp_path: Path) -> None:
    asked_twice = text_benchmark(["reference 0", "reference 1"])
    run = probe4d.ask(
        asked_twice,
        tmp_path / "run",
        model=Model(lambda request: "s4" if request.key.endswith("seed-0") else "s9"),
        plan=probe4d.RunPlan(setting="repeat:2"),
    )
    assert run.answers.height == 4
    judgements = judged(asked_twice, run, tmp_path / "judged")
    assert list(judgements.by_key) == [f"{identity}/seed-0" for identity in asked_twice.table["id"]]
    diagnosis = probe4d.diagnose(asked_twice, [run], judgements=[judgements])
    assert diagnosis.judged["variant"].to_list() == ["seed-0"] * 2
    assert figures_of(diagnosis, "all")["judge_mean_all"] == (4, 2)


def test_aspects_have_means_of_their_own(bench: probe4d.Benchmark, run: probe4d.Run, tmp_path: Path) -> None:
    def scored_apart(request: Any) -> str:
        answer = request.text.split("]]]\n", 1)[1].split("\n[[[", 1)[0]
        return "none" if answer == "bad" else f'{{"coherence": 90, "relevance": 60, "correctness": {answer[1:]}}}'

    plan = JudgePlan(rubric="b4dl-without-reference")
    judgements = probe4d.judge(bench, run, tmp_path / "judged", model=Model(scored_apart), plan=plan)
    diagnosis = probe4d.diagnose(bench, [run], allow_missing=True, judgements=[judgements])
    figures = figures_of(diagnosis, "all")
    assert figures["judge_mean_valid_coherence"] == (90, 4)
    assert figures["judge_mean_valid_correctness"] == (5, 4)
    assert figures["judge_mean_valid"] == (pytest.approx((90 + 60 + 5) / 3), 4)
    assert diagnosis.judged["aspects"][0].to_list() == [
        {"aspect": "coherence", "score": 90},
        {"aspect": "relevance", "score": 60},
        {"aspect": "correctness", "score": 8},
    ]


def test_a_judging_that_is_not_done_is_told(bench: probe4d.Benchmark, run: probe4d.Run, tmp_path: Path) -> None:
    judged(bench, run, tmp_path / "judged")
    file = tmp_path / "judged" / "judgements.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:2]))
    partly = probe4d.read_judgements(tmp_path / "judged")
    diagnosis = probe4d.diagnose(bench, [run], allow_missing=True, judgements=[partly])
    assert diagnosis.judged.filter(state="unscored")["fault"].to_list() == ["was not judged"] * 3
    assert figures_of(diagnosis, "all")["unscored_share"] == (0.375, 8)


def test_runs_judged_alike_are_compared_question_by_question(
    bench: probe4d.Benchmark, run: probe4d.Run, tmp_path: Path
) -> None:
    second = run_on_disk(bench, tmp_path / "second", ["s7", "s7", "s7", "bad", "s7", "s7", "", "s7"])
    others = run_on_disk(bench, tmp_path / "others", ["s7"] * 8)
    judgements = [judged(bench, one, tmp_path / f"judged-{one.name}") for one in (run, second)]
    judgements.append(judged(bench, others, tmp_path / "judged-others", rubric="b4dl"))
    diagnosis = probe4d.diagnose(bench, [run, second, others], allow_missing=True, judgements=judgements)
    compared = diagnosis.figures.filter(pl.col("run").str.contains(" vs "), family="all", relation="all")
    values = {
        (name, metric): (value, n)
        for name, metric, value, n in compared.select("run", "metric", "value", "n").iter_rows()
    }
    both = [(8, 7), (4, 7), (0, 7), (0, 7), (0, 0), (2, 7)]  # without the two that a judge left unscored
    first, other = (sum(pair[side] for pair in both) / len(both) for side in (0, 1))
    assert values == {
        ("second vs run", "judge_mean_all_change"): (pytest.approx(other - first), 6),
        ("second vs run", "judge_mean_all_of_first"): (pytest.approx(other), 6),
        ("second vs run", "judge_mean_all_of_second"): (pytest.approx(first), 6),
    }
    assert not any("no question in common" in warning for warning in diagnosis.warnings)
    assert diagnosis.changes.is_empty()
