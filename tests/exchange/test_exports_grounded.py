"""Words of a vocabulary and intervals of frames go to every harness, and are scored there as `diagnose` scores them."""

from __future__ import annotations

import ast
import csv
import sys
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from export_making import SCORING, exported_to_all, lines_of, run_that_said, scoring, yaml_of
from grounded_making import CLASSES, Said, benchmark_of_all, grounded, replied

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Format
from probe4d.benchmarks.suites import suite_prompt
from probe4d.diagnosis.diagnose import diagnose
from probe4d.errors import InputError
from probe4d.exchange.answers import import_answers
from probe4d.exchange.exports import Harness
from probe4d.exchange.exports.export import export
from probe4d.exchange.exports.jsonl import read_items
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.run import Run, read_run
from probe4d.scenes.opening import open_scenes


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Benchmark, dict[str, Said]]:
    return replied(tmp_path_factory.mktemp("grounded") / "bench")


@pytest.fixture(scope="module")
def exports(asked: tuple[Benchmark, dict[str, Said]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported_to_all(asked[0], tmp_path_factory.mktemp("exports"))


@pytest.fixture(scope="module")
def figures(asked: tuple[Benchmark, dict[str, Said]], tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """The figures of a run that replied so."""
    return figures_of(asked[0], run_that_said(*asked, tmp_path_factory.mktemp("runs") / "run"))


def figures_of(benchmark: Benchmark, run: Run) -> pl.DataFrame:
    return diagnose(benchmark, [run], allow_missing=True).figures.filter(run=run.name, relation="all")


def value(figures: pl.DataFrame, metric: str, kind: Format) -> float:
    return float(figures.filter(metric=metric, format=kind, family="all")["value"].item())


def test_lm_eval_scores_replies_as_diagnose_does(
    asked: tuple[Benchmark, dict[str, Said]], exports: Path, figures: pl.DataFrame
) -> None:
    benchmark, said = asked
    folder = exports / "lm-eval"
    cells = {"text": "probe4d_b4dl_existence_text", "interval": "probe4d_b4dl_time_grounding_interval"}
    module = scoring(folder)
    for kind, cell in cells.items():
        task = yaml_of(folder / f"{cell}.yaml")
        _, function = task["process_results"].split(" scoring.")
        docs = lines_of(folder / f"{cell}.jsonl")
        assert [doc["id"] for doc in docs] == benchmark.table.filter(format=kind)["id"].to_list()
        scores = [getattr(module, function)(doc, [said[doc["id"]].text]) for doc in docs]
        named = [metric["metric"] for metric in task["metric_list"]]
        assert all(set(score) == set(named) for score in scores)
        means = {metric: sum(score[metric] for score in scores) / len(scores) for metric in named}
        diagnosed = {"exact_match": "accuracy", "valid": "valid_rate"}
        for metric, mean in means.items():
            assert mean == pytest.approx(value(figures, diagnosed.get(metric, metric), kind)), metric
        worth = "exact_match" if kind == "text" else "interval_miou_inclusive"
        assert [score[worth] for score in scores] == pytest.approx([said[doc["id"]].worth for doc in docs])


def test_lm_eval_has_a_group_for_each_kind_of_answer(exports: Path) -> None:
    folder = exports / "lm-eval"
    labels = ["probe4d_b4dl_existence_text", "probe4d_b4dl_binary_yes_no"]
    intervals = ["probe4d_b4dl_time_grounding_interval"]
    groups = {name: yaml_of(folder / f"probe4d_b4dl{name}.yaml") for name in ("", "_likelihood", "_intervals")}
    assert {name: group["task"] for name, group in groups.items()} == {
        "": labels,
        "_likelihood": [f"{cell}_likelihood" for cell in labels],
        "_intervals": intervals,
    }
    for group in (groups[""], groups["_intervals"]):
        for cell in group["task"]:
            measured = {metric["metric"] for metric in yaml_of(folder / f"{cell}.yaml")["metric_list"]}
            assert {metric["metric"] for metric in group["aggregate_metric_list"]} <= measured
    words = yaml_of(folder / "probe4d_b4dl_existence_text_likelihood.yaml")
    assert words["doc_to_choice"] == "choices"
    assert all(doc["choices"] == list(CLASSES) for doc in lines_of(folder / "probe4d_b4dl_existence_text.jsonl"))
    assert not (folder / "probe4d_b4dl_time_grounding_interval_likelihood.yaml").exists()
    assert "--tasks probe4d_b4dl,probe4d_b4dl_intervals " in (folder / "README.md").read_text()


def test_what_scores_for_lm_eval_needs_python_alone(exports: Path) -> None:
    tree = ast.parse((exports / "lm-eval" / "scoring.py").read_text(encoding="utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
    }
    assert imported <= sys.stdlib_module_names


def test_vlmevalkit_gets_words_as_options_and_intervals_in_a_table_of_their_own(
    asked: tuple[Benchmark, dict[str, Said]], exports: Path, figures: pl.DataFrame, tmp_path: Path
) -> None:
    benchmark, said = asked
    questions = {question.id: question for question in benchmark.questions}
    word = suite_prompt("b4dl", "default")
    of_tables = {name: table(exports / "vlmevalkit" / f"{name}.tsv") for name in ("b4dl", "b4dl_openended")}
    for row in of_tables["b4dl"]:
        question = questions[row["id"]]
        options = question.options or ("Yes", "No")
        assert [row[letter] for letter in "ABCDEF" if row[letter]] == list(options)
        assert options["ABCDEF".index(row["answer"])] == question.answer
        assert row["question"] == question.question
    assert "image_path" not in of_tables["b4dl"][0]
    for row in of_tables["b4dl_openended"]:
        question = questions[row["id"]]
        assert (row["question"], row["answer"], row["image_path"]) == (word(question), question.answer, "[]")
        row["prediction"] = said[question.id].text
    assert not {"A", "B"} & of_tables["b4dl_openended"][0].keys()  # which would make choices of it
    assert {row["id"] for rows in of_tables.values() for row in rows} == set(questions)
    for rows in of_tables.values():
        assert [row["index"] for row in rows] == [str(n) for n in range(len(rows))]

    answered = tmp_path / "M_b4dl_openended.tsv"
    pl.DataFrame(of_tables["b4dl_openended"]).write_csv(answered, separator="\t", quote_style="always")
    import_answers(benchmark, answered, tmp_path / "run", model="m", allow_missing=True)
    imported = figures_of(benchmark, read_run(tmp_path / "run"))
    for metric in ("interval_miou_inclusive", "interval_recall_0.5_half_open", "interval_parse_rate"):
        assert value(imported, metric, "interval") == pytest.approx(value(figures, metric, "interval"))


def table(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_pictures_go_with_words_and_intervals(built: Benchmark, simulated: Path, tmp_path: Path) -> None:
    asked = [question for question in built.questions if len(question.frames) > 1][:2]
    formats: list[dict[str, Any]] = [
        {"format": "text", "options": CLASSES, "features": (), "answer": "car"},
        {"format": "interval", "options": (), "features": (), "answer": "0-2"},
    ]
    questions = [
        msgspec.structs.replace(question, suite="b4dl", template=kind["format"], **kind)
        for question, kind in zip(asked, formats, strict=True)
    ]
    benchmark = benchmark_of_all(questions, tmp_path / "bench", source=built.record.source)
    plan = RunPlan(evidence=evidence_named("birds-eye", max_frames=2))
    for to in SCORING:
        export(benchmark, tmp_path / to, to=to, plan=plan, scenes=open_scenes(simulated))
    tables = [table(tmp_path / "vlmevalkit" / f"{name}.tsv") for name in ("b4dl", "b4dl_openended")]
    tasks = [yaml_of(path) for path in sorted((tmp_path / "lm-eval").glob("*_text.yaml"))]
    tasks += [yaml_of(path) for path in sorted((tmp_path / "lm-eval").glob("*_interval.yaml"))]
    for (row,), task, item in zip(tables, tasks, read_items(tmp_path / "inspect"), strict=True):
        assert len(item.evidence) == 2
        assert ast.literal_eval(row["image_path"]) == list(item.evidence)
        assert item.preamble
        assert row["question"].startswith(item.preamble)
        assert task["doc_to_image"] == "!function opening.pictures"
        assert task["process_results"].startswith("!function scoring.")
        (doc,) = lines_of(tmp_path / "lm-eval" / task["dataset_kwargs"]["data_files"]["test"])
        assert doc["prompt"] == "<image><image>" + item.prompt


@pytest.mark.parametrize("to", SCORING)
def test_what_nothing_scores_is_counted_by_reason(to: Harness, tmp_path: Path) -> None:
    questions = [
        grounded(0, "text", "A car turns left."),
        grounded(1, "text", "A truck stops."),
        grounded(2, "number", "12.5"),
        grounded(3, "interval", "3-9"),
    ]
    done = export(benchmark_of_all(questions, tmp_path / "bench"), tmp_path / "out", to=to)
    assert [item.id for item in done.items] == [questions[3].id]
    reasons = {left.question: left.reason for left in done.left_out}
    assert [reasons[question.id].split("scores ")[1] for question in questions[:3]] == [
        "free text",
        "free text",
        "numbers of no known unit",
    ]
    assert {line["question"] for line in lines_of(tmp_path / "out" / "left_out.jsonl")} == set(reasons)
    readme = (tmp_path / "out" / "README.md").read_text()
    assert "- left out: 2 × " in readme
    assert "- left out: 1 × " in readme


@pytest.mark.parametrize("to", SCORING)
@pytest.mark.parametrize("answer", ["9-3", "from 3 to 9", "3", ""])
def test_a_right_answer_that_is_none_is_refused(to: Harness, answer: str, tmp_path: Path) -> None:
    wrong = msgspec.structs.replace(grounded(0, "interval", "3-9"), answer=answer)
    with pytest.raises(InputError, match=f"question {wrong.id} of format interval has the right answer"):
        export(benchmark_of_all([wrong], tmp_path / "bench"), tmp_path / "out", to=to)
    van = grounded(0, "text", "van", options=CLASSES)
    with pytest.raises(InputError, match="has the right answer 'van', which is none to it"):
        export(benchmark_of_all([van], tmp_path / "van"), tmp_path / "out", to=to)
    assert not (tmp_path / "out").exists()


def test_vlmevalkit_has_no_letters_for_many_words(tmp_path: Path) -> None:
    words = tuple(f"class {number}" for number in range(26))
    few, many = (grounded(n, "text", "class 0", options=words[:size]) for n, size in enumerate((25, 26)))
    done = export(benchmark_of_all([few, many], tmp_path / "bench"), tmp_path / "out", to="vlmevalkit")
    assert [item.id for item in done.items] == [few.id]
    assert [left.reason for left in done.left_out] == ["VLMEvalKit has letters for no more than 25 options or words"]
