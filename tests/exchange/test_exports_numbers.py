"""Questions for a number of a known unit go to every harness, and are scored there as `diagnose` scores them."""

from __future__ import annotations

import ast
import csv
import sys
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from export_making import SCORING, exported_to_all, lines_of, run_that_said, scoring, yaml_of
from measured_making import Measured, benchmark_of_numbers, measured, replied_numbers

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.suites import suite_prompt
from probe4d.diagnosis.diagnose import diagnose
from probe4d.errors import InputError
from probe4d.exchange.answers import import_answers
from probe4d.exchange.exports import Harness
from probe4d.exchange.exports.export import export
from probe4d.exchange.exports.jsonl import read_items
from probe4d.runs.run import Answer, Run, RunRecord, read_run, write_run

CELLS = {
    ("quantitative", "metres"): "probe4d_spatial_qa_quantitative_number_metres",
    ("sizes", "metres"): "probe4d_spatial_qa_sizes_number_metres",
    ("quantitative", "degrees"): "probe4d_spatial_qa_quantitative_number_degrees",
}
METRICS = ("tolerance_accuracy", "valid_rate", "mean_absolute_error", "mean_absolute_error_wrapped")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Benchmark, dict[str, Measured]]:
    return replied_numbers(tmp_path_factory.mktemp("measured") / "bench")


@pytest.fixture(scope="module")
def exports(asked: tuple[Benchmark, dict[str, Measured]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported_to_all(asked[0], tmp_path_factory.mktemp("exports"))


@pytest.fixture(scope="module")
def figures(asked: tuple[Benchmark, dict[str, Measured]], tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """The figures of a run that replied so."""
    return figures_of(asked[0], run_that_said(*asked, tmp_path_factory.mktemp("runs") / "run"))


def figures_of(benchmark: Benchmark, run: Run) -> pl.DataFrame:
    return diagnose(benchmark, [run]).figures.filter(run=run.name, format="number")


def value(figures: pl.DataFrame, metric: str, family: str, unit: str) -> float:
    return float(figures.filter(metric=metric, family=family, relation=unit)["value"].item())


def table(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_items_have_the_unit_of_their_answers(asked: tuple[Benchmark, dict[str, Measured]], exports: Path) -> None:
    items = read_items(exports / "inspect")
    assert [(item.id, item.unit) for item in items] == [(one.id, one.facts["unit"]) for one in asked[0].questions]


def test_lm_eval_scores_numbers_as_diagnose_does(
    asked: tuple[Benchmark, dict[str, Measured]], exports: Path, figures: pl.DataFrame
) -> None:
    folder, said = exports / "lm-eval", asked[1]
    module = scoring(folder)
    for (family, unit), cell in CELLS.items():
        task = yaml_of(folder / f"{cell}.yaml")
        assert task["process_results"] == "!function scoring.number"
        docs = lines_of(folder / f"{cell}.jsonl")
        assert {(doc["family"], doc["unit"]) for doc in docs} == {(family, unit)}
        scores = [module.number(doc, [said[doc["id"]].text]) for doc in docs]
        expected = METRICS if unit == "degrees" else METRICS[:3]
        assert [metric["metric"] for metric in task["metric_list"]] == list(expected)
        assert [metric["higher_is_better"] for metric in task["metric_list"]] == [True, True, False, False][
            : len(expected)
        ]
        for metric in expected:
            of_metric = [score[metric] for score in scores if metric in score]
            assert sum(of_metric) / len(of_metric) == pytest.approx(value(figures, metric, family, unit)), metric
        assert [bool(score["tolerance_accuracy"]) for score in scores] == [said[doc["id"]].right for doc in docs]
        assert ["mean_absolute_error" in score for score in scores] == [
            said[doc["id"]].value is not None for doc in docs
        ]


def test_lm_eval_has_a_group_for_each_unit(exports: Path) -> None:
    folder = exports / "lm-eval"
    for unit in ("metres", "degrees"):
        group = yaml_of(folder / f"probe4d_spatial_qa_{unit}.yaml")
        assert group["task"] == [cell for (_, of_unit), cell in CELLS.items() if of_unit == unit]
        assert [one["metric"] for one in group["aggregate_metric_list"]] == ["tolerance_accuracy", "valid_rate"]
    assert not (folder / "probe4d_spatial_qa.yaml").exists()
    assert not list(folder.glob("*likelihood*"))
    assert "--tasks probe4d_spatial_qa_metres,probe4d_spatial_qa_degrees " in (folder / "README.md").read_text()


def test_what_scores_numbers_for_lm_eval_is_one_file_that_needs_python_alone(exports: Path) -> None:
    tree = ast.parse((exports / "lm-eval" / "scoring.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [node.module or "" if isinstance(node, ast.ImportFrom) else node.names[0].name for node in imports]
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    targets = [node.targets[0] for node in tree.body if isinstance(node, ast.Assign)]
    defined += [target.id for target in targets if isinstance(target, ast.Name)]
    assert [name for name, times in Counter(defined).items() if times > 1] == []  # no part hides what is another's


def test_vlmevalkit_asks_for_numbers_and_gives_them_back(
    asked: tuple[Benchmark, dict[str, Measured]], exports: Path, figures: pl.DataFrame, tmp_path: Path
) -> None:
    benchmark, said = asked
    word = suite_prompt("spatial-qa", "default")
    assert [path.name for path in (exports / "vlmevalkit").glob("*.tsv")] == ["spatial_qa_openended.tsv"]
    rows = table(exports / "vlmevalkit" / "spatial_qa_openended.tsv")
    for question, row in zip(benchmark.questions, rows, strict=True):
        assert (row["id"], row["question"], row["answer"]) == (question.id, word(question), question.answer)
        assert row["l2-category"] == f"{question.family} number {question.facts['unit']}"
        row["prediction"] = said[question.id].text
    answered = tmp_path / "M_spatial_qa_openended.tsv"
    pl.DataFrame(rows).write_csv(answered, separator="\t", quote_style="always")
    import_answers(benchmark, answered, tmp_path / "run", model="m")
    imported = figures_of(benchmark, read_run(tmp_path / "run"))
    for family, unit in CELLS:
        for metric in METRICS[:3]:
            assert value(imported, metric, family, unit) == pytest.approx(value(figures, metric, family, unit))


@pytest.mark.parametrize("to", SCORING)
@pytest.mark.parametrize("unit", [None, "furlongs"])
def test_a_number_of_no_known_unit_is_left_out(to: Harness, unit: str | None, tmp_path: Path) -> None:
    known, unknown = measured(0, "distance", "metres", "3.5"), measured(1, "distance", unit, "3.5")
    benchmark = benchmark_of_numbers([known, unknown], tmp_path / "bench")
    done = export(benchmark, tmp_path / "out", to=to)
    assert [item.id for item in done.items] == [known.id]
    (left,) = done.left_out
    assert left.question == unknown.id
    assert left.reason.endswith("has nothing that scores numbers of no known unit")
    assert "- left out: 1 × " in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.parametrize("to", SCORING)
@pytest.mark.parametrize("answer", ["about 12", "12 m", "nan", "inf", ""])
def test_a_right_answer_that_is_no_number_is_refused(to: Harness, answer: str, tmp_path: Path) -> None:
    wrong = measured(0, "distance", "metres", answer)
    with pytest.raises(InputError, match=f"question {wrong.id} of format number has the right answer"):
        export(benchmark_of_numbers([wrong], tmp_path / "bench"), tmp_path / "out", to=to)
    assert not (tmp_path / "out").exists()


def test_the_values_that_replies_are_said_to_hold_are_those_of_the_diagnosis(
    asked: tuple[Benchmark, dict[str, Measured]], tmp_path: Path
) -> None:
    benchmark, said = asked
    answers = [Answer(question=name, text=reply.text) for name, reply in said.items()]
    write_run(tmp_path / "run", RunRecord(model="m", benchmark=benchmark.fingerprint), answers)
    numbers = diagnose(benchmark, [read_run(tmp_path / "run")]).numbers.filter(run="run")
    for row in numbers.iter_rows(named=True):
        reply = said[row["question"]]
        assert (row["value"], row["within_tolerance"]) == (reply.value, reply.right)
