"""The figures published for the released answers come out of the released answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probe4d.benchmarks.benchmark import read_benchmark
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.exchange.lidar_hallu_release import import_lidar_hallu
from probe4d.runs.run import read_run

pytestmark = pytest.mark.real_data

FORMATS = {"binary": "yes-no", "mcq": "choice"}
RUN = "B4DL"
CONTROL = "control:content"


@pytest.fixture(scope="module")
def released(real_data: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("released")
    import_lidar_hallu(real_data("lidar_hallu_release"), folder / "benchmark", folder / RUN)
    return folder


@pytest.fixture(scope="module", params=["published", "default"])
def diagnosis(request: pytest.FixtureRequest, released: Path) -> Diagnosis:
    return diagnose(read_benchmark(released / "benchmark"), [read_run(released / RUN)], parser=request.param)


@pytest.fixture(scope="module")
def published(real_data: Callable[[str], Path]) -> Any:
    return json.loads((real_data("lidar_hallu_release") / "published.json").read_text())


def figure(
    diagnosis: Diagnosis, run: str, family: str, kind: str, metric: str, relation: str = "all"
) -> tuple[float, Any, int]:
    """Value, interval and denominator of the one row that fits."""
    rows = diagnosis.figures.filter(
        pl.col("run") == run,
        pl.col("family") == family,
        pl.col("format") == kind,
        pl.col("relation") == relation,
        pl.col("metric") == metric,
    )
    assert rows.height == 1, (run, family, kind, relation, metric, rows.height)
    row = rows.row(0, named=True)
    return row["value"], [row["low"], row["high"]], row["n"]


def test_accuracies(diagnosis: Diagnosis, published: Any) -> None:
    accuracy = published["accuracy"]
    expected = {
        (family, FORMATS[kind]): pair
        for family in published["binary_rates"] | published["mcq_fixed_answer_A"]
        if family != "all"
        for kind, pair in accuracy[family].items()
    }
    expected |= {("all", "all"): accuracy["all"], ("all", "yes-no"): accuracy["all_binary"]}
    expected |= {("all", "choice"): accuracy["all_mcq"]}
    assert len(expected) == 10
    for (family, kind), (right, n) in expected.items():
        value, _, denominator = figure(diagnosis, RUN, family, kind, "accuracy")
        assert (round(value * n), denominator) == (right, n)
        assert value == pytest.approx(right / n, abs=1e-12)


def test_every_answer_is_valid(diagnosis: Diagnosis, published: Any) -> None:
    assert figure(diagnosis, RUN, "all", "all", "valid_rate")[0] == published["valid_rate"]


def test_fixed_answer_accounts(diagnosis: Diagnosis, published: Any) -> None:
    for family, expected in published["mcq_fixed_answer_A"].items():
        for metric in ("selected_a", "constant_a", "rescues", "damages"):
            name = metric.replace("_a", "_A")
            assert figure(diagnosis, RUN, family, "choice", metric)[0] == pytest.approx(expected[name], abs=1e-12)
        value, interval, n = figure(diagnosis, RUN, family, "choice", "excess_over_a")
        assert value == pytest.approx((expected["rescues"] - expected["damages"]) / n, abs=1e-12)
        assert interval == pytest.approx(expected["excess_ci"], abs=1e-9)


def test_yes_no_rates(diagnosis: Diagnosis, published: Any) -> None:
    for family, expected in published["binary_rates"].items():
        for metric in ("tpr", "fpr"):
            assert figure(diagnosis, RUN, family, "yes-no", metric)[0] == pytest.approx(expected[metric], abs=1e-12)


def test_motion_predicates(diagnosis: Diagnosis, published: Any) -> None:
    for relation, (n, positives, negatives, right, tpr, fpr) in published["motion_predicates"].items():
        value, _, denominator = figure(diagnosis, RUN, "motion", "yes-no", "accuracy", relation)
        assert (round(value * denominator), denominator) == (right, n)
        value, _, denominator = figure(diagnosis, RUN, "motion", "yes-no", "tpr", relation)
        assert (value, denominator) == (pytest.approx(tpr, abs=1e-12), positives)
        value, _, denominator = figure(diagnosis, RUN, "motion", "yes-no", "fpr", relation)
        assert (value, denominator) == (pytest.approx(fpr, abs=1e-12), negatives)


def test_content_control(diagnosis: Diagnosis, published: Any) -> None:
    for family, formats in published["content_controls"].items():
        for name, expected in formats.items():
            kind = FORMATS[name]
            value, interval, n = figure(diagnosis, CONTROL, family, kind, "accuracy")
            assert (round(value * n), n) == (expected["correct"], expected["n"])
            assert interval == pytest.approx(expected["ci"], abs=1e-9)
            if kind == "yes-no":
                for metric in ("tpr", "fpr"):
                    assert figure(diagnosis, CONTROL, family, kind, metric)[0] == pytest.approx(
                        expected[metric], abs=1e-12
                    )
            else:
                for metric in ("selected_a", "rescues", "damages"):
                    count = figure(diagnosis, CONTROL, family, kind, metric)[0]
                    assert count == expected[metric.replace("_a", "_A")]
                assert figure(diagnosis, CONTROL, family, kind, "excess_over_a")[1] == pytest.approx(
                    expected["excess_ci"], abs=1e-9
                )


def test_exact_prompt_pairs(diagnosis: Diagnosis, published: Any) -> None:
    expected = published["exact_prompt_pairs"]
    for family in ("existence", "position", "motion", "all"):
        pairs, both, one, neither, item_accuracy, same = expected[family]
        found = {
            metric: figure(diagnosis, RUN, family, "yes-no", metric)[0]
            for metric in (
                "pairs",
                "pairs_both",
                "pairs_one",
                "pairs_neither",
                "pair_item_accuracy",
                "pair_same_answer",
            )
        }
        assert [found[name] for name in ("pairs", "pairs_both", "pairs_one", "pairs_neither")] == [
            pairs,
            both,
            one,
            neither,
        ]
        assert found["pair_item_accuracy"] == pytest.approx(item_accuracy, abs=1e-12)
        assert found["pair_same_answer"] * pairs == pytest.approx(same, abs=1e-9)
    table = diagnosis.pairs.join(diagnosis.benchmark.table, left_on="positive", right_on="id", suffix="_question")
    assert table["prompt"].n_unique() == expected["distinct_prompts"]
    paired = pl.concat([diagnosis.pairs["positive"], diagnosis.pairs["negative"]]).unique()
    scenes = diagnosis.benchmark.table.filter(pl.col("id").is_in(paired.implode()))["scene"].n_unique()
    assert scenes == expected["scenes"]


def test_every_opposite_pair_of_a_prompt(diagnosis: Diagnosis) -> None:
    value, interval, n = figure(diagnosis, RUN, "all", "yes-no", "pairs_all_both")
    assert (value, interval, n) == (68, [None, None], 563)


def test_a_prompt_only_answerer_gets_no_pair_right(diagnosis: Diagnosis) -> None:
    assert figure(diagnosis, "control:fixed", "all", "yes-no", "pairs_both")[0] == 0
    assert figure(diagnosis, "control:fixed", "all", "yes-no", "pair_item_accuracy")[0] == 0.5


def test_the_proposed_sector_predicts_position_answers(diagnosis: Diagnosis) -> None:
    row = diagnosis.shortcuts.row(
        by_predicate=(pl.col("run") == RUN)
        & (pl.col("family") == "position")
        & (pl.col("format") == "yes-no")
        & pl.col("named"),
        named=True,
    )
    assert row["feature"] == "relation"
    assert (round(row["share"] * row["n"]), round(row["constant"] * row["n"]), row["n"]) == (978, 741, 1000)
    assert row["rule"] == "answers No when the proposed sector is back or front, else Yes"
    assert figure(diagnosis, RUN, "position", "yes-no", "shortcut_share")[0] == pytest.approx(0.978)
