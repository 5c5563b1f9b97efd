"""Every export is read back, and holds the benchmark's questions letter for letter."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from export_making import CARD, HOSTILE, export_benchmark, hostile_benchmark, hostile_question, yaml_of
from hypothesis import given, settings
from hypothesis import strategies as st

from making import legible_alone
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import QUESTION_SCHEMA, to_table
from probe4d.benchmarks.suites import suite_prompt
from probe4d.errors import InputError
from probe4d.exchange.exports import HARNESSES
from probe4d.exchange.exports.export import export
from probe4d.exchange.exports.huggingface import TABLE_SCHEMA
from probe4d.exchange.exports.items import Exported, left_out_lines
from probe4d.exchange.exports.jsonl import read_items
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.selection import Selection


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return hostile_benchmark(tmp_path_factory.mktemp("hostile") / "bench")


@pytest.fixture(scope="module")
def exports(hostile: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exports")
    for to in HARNESSES:
        export(hostile, folder / to, to=to)
    return folder


def prompts(benchmark: Benchmark) -> dict[str, str]:
    word = suite_prompt("lidar-hallu", "default")
    return {question.id: word(question) for question in benchmark.questions}


@pytest.mark.parametrize("to", HARNESSES)
def test_digests_name_every_file_and_nothing_leads_out(exports: Path, to: str) -> None:
    folder = exports / to
    digests = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert digests == {
        name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items() if name != "SHA256SUMS"
    }
    assert str(exports).encode() not in b"".join(path.read_bytes() for path in files.values())
    assert "Licence of the source" in (folder / "README.md").read_text()


@pytest.mark.parametrize("to", HARNESSES)
def test_a_part_of_a_benchmark_is_exported_without_reading_the_rest(to: str, built: Benchmark, tmp_path: Path) -> None:
    stored = legible_alone(built, [one.id for one in built.questions[:5]], tmp_path / "bench")
    (tmp_path / "bench" / "README.md").write_text(CARD)
    done = export(stored, tmp_path / "out", to=to, plan=RunPlan(selection=Selection(limit=5)))
    assert len(done.items) == 5


def test_jsonl_holds_every_question(exports: Path, hostile: Benchmark) -> None:
    lines = [json.loads(line) for line in (exports / "jsonl" / "questions.jsonl").read_bytes().split(b"\n") if line]
    assert {line["id"]: line["prompt"] for line in lines} == prompts(hostile)
    assert [line["id"] for line in lines] == hostile.table["id"].to_list()
    assert [line["options"] for line in lines] == hostile.table["options"].to_list()
    assert [line["answer"] for line in lines] == hostile.table["answer"].to_list()
    assert {tuple(line["evidence"]) for line in lines} == {()}
    assert json.loads(msgspec.json.encode(read_items(exports / "jsonl"))) == lines


def test_vlmevalkit_reads_every_cell_as_it_was(exports: Path, hostile: Benchmark) -> None:
    with open(exports / "vlmevalkit" / "lidar_hallu.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    questions = {question.id: question for question in hostile.questions}
    assert [row["index"] for row in rows] == [str(n) for n in range(len(questions))]
    for row in rows:
        question = questions[row["id"]]
        assert row["question"] == question.question
        options = question.options or ("Yes", "No", "", "")
        assert tuple(row[letter] for letter in "ABCD") == options
        assert row["answer"] == (question.answer if question.options else {"Yes": "A", "No": "B"}[question.answer])
        assert row["category"] == question.family
    assert "image_path" not in rows[0]


def test_lm_eval_takes_texts_from_columns_and_never_as_templates(exports: Path, hostile: Benchmark) -> None:
    folder = exports / "lm-eval"
    group = yaml_of(folder / "probe4d_lidar_hallu.yaml")
    seen = {}
    for name in group["task"]:
        for task in (yaml_of(folder / f"{name}.yaml"), yaml_of(folder / f"{name}_likelihood.yaml")):
            (file,) = task["dataset_kwargs"]["data_files"].values()
            lines = [json.loads(line) for line in (folder / file).read_bytes().split(b"\n") if line]
            assert (task["doc_to_text"], task["doc_to_target"]) == ("prompt", "answer")
            assert {"prompt", "answer", "choices"} <= set(lines[0])
            assert all(line["answer"] in line["choices"] for line in lines)
            assert task["metadata"]["version"] == "1.0"
            assert not Path(file).is_absolute()
        seen |= {line["id"]: line["prompt"] for line in lines}
    assert seen == prompts(hostile)
    for name in ("probe4d_lidar_hallu", "probe4d_lidar_hallu_likelihood"):
        tasks = yaml_of(folder / f"{name}.yaml")["task"]
        assert [yaml_of(folder / f"{task}.yaml")["task"] for task in tasks] == tasks


def test_a_family_cannot_name_a_file_outside(tmp_path: Path) -> None:
    families = ("../../out", "a b", "a-b", "a/b")
    questions = [hostile_question(n, "choice", family) for n, family in enumerate(families)]
    export(export_benchmark(questions, tmp_path / "bench"), tmp_path / "in" / "export", to="lm-eval")
    assert {path.name for path in tmp_path.iterdir()} == {"bench", "in"}
    assert len(list((tmp_path / "in" / "export").glob("*.jsonl"))) == len(families)


def test_huggingface_holds_the_table_its_card_and_croissant(exports: Path, hostile: Benchmark) -> None:
    folder = exports / "huggingface"
    table = pl.read_parquet(folder / "questions.parquet")
    assert table.schema == pl.Schema(TABLE_SCHEMA)
    kept = [name for name in QUESTION_SCHEMA if name not in ("evidence", "prompt")]
    assert table.select(kept).equals(hostile.table.select(kept))
    assert dict(table.select("id", "prompt").iter_rows()) == prompts(hostile)
    card = (folder / "README.md").read_text()
    assert card.startswith(CARD.rstrip())
    assert "its own; {{ ask }}" in card
    assert "do not publish" not in card
    croissant = json.loads((folder / "croissant.json").read_bytes())
    assert croissant["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    licence = {"@type": "sc:CreativeWork", "name": "see-card", "description": "its own; {{ ask }}"}
    assert croissant["license"] == licence
    assert croissant["isBasedOn"] == {"@type": "sc:Dataset", "name": "d, v"}
    (file,) = croissant["distribution"]
    assert file["sha256"] == hashlib.sha256((folder / "questions.parquet").read_bytes()).hexdigest()
    fields = croissant["recordSet"][0]["field"]
    assert [field["source"]["extract"]["column"] for field in fields] == table.columns


def test_rotations_are_lines_of_their_own_with_the_answer_moved_along(tmp_path: Path) -> None:
    benchmark = export_benchmark([hostile_question(0, "choice"), hostile_question(1, "yes-no")], tmp_path / "bench")
    export(benchmark, tmp_path / "out", to="jsonl", plan=RunPlan(setting="permuted:4"))
    lines = read_items(tmp_path / "out")
    assert len(lines) == 5
    question = benchmark.questions[0]
    right = question.options["ABCD".index(question.answer)]
    for turn, line in enumerate(line for line in lines if line.options):
        assert (line.id, line.variant) == (question.id, f"rotation-{turn}")
        assert line.options["ABCD".index(line.answer)] == right
        assert line.options[0] == question.options[turn]
        assert f"A. {question.options[turn]}\n" in line.prompt
    assert len({line.key for line in lines}) == 5


def test_a_part_can_be_exported(hostile: Benchmark, tmp_path: Path) -> None:
    export(hostile, tmp_path / "out", to="jsonl", plan=RunPlan(selection=Selection(limit=3)))
    assert [item.id for item in read_items(tmp_path / "out")] == hostile.table["id"].to_list()[:3]


@pytest.mark.parametrize("to", ["inspect", "lm-eval", "vlmevalkit"])
def test_what_a_harness_cannot_score_is_left_out_and_counted(to: str, tmp_path: Path) -> None:
    benchmark = export_benchmark([hostile_question(0, "choice"), hostile_question(1, "text")], tmp_path / "bench")
    done = export(benchmark, tmp_path / "out", to=to)  # type: ignore[arg-type]  # one of HARNESSES
    assert [item.id for item in done.items] == [benchmark.questions[0].id]
    assert "- left out: 1 × " in (tmp_path / "out" / "README.md").read_text()
    (line,) = (tmp_path / "out" / "left_out.jsonl").read_text().splitlines()
    assert json.loads(line)["question"] == benchmark.questions[1].id
    only_text = export_benchmark([hostile_question(1, "text")], tmp_path / "text")
    with pytest.raises(InputError, match=r"can be exported to .* \(1 × .* has nothing that scores free text"):
        export(only_text, tmp_path / "none", to=to)  # type: ignore[arg-type]
    assert not (tmp_path / "none").exists()


def test_bad_input_is_refused_and_nothing_is_written(hostile: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "thesis.txt").write_text("long work")
    (tmp_path / "file").write_text("")
    for out, what in (("used", "is not empty"), ("file", "is a file")):
        with pytest.raises(InputError, match=what):
            export(hostile, tmp_path / out, to="jsonl")
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"to": "elsewhere"}, "there is no export to 'elsewhere'"),
        ({"to": "jsonl", "plan": RunPlan(setting="nice")}, "there is no setting 'nice'"),
        ({"to": "jsonl", "plan": RunPlan(setting="repeat:3")}, "other seeds, which no export can hold"),
        ({"to": "vlmevalkit", "plan": RunPlan(setting="anti-position")}, "cannot follow the setting 'anti-position'"),
        ({"to": "jsonl", "plan": RunPlan(evidence=evidence_named("birds-eye"))}, "needs|the dataset"),
        ({"to": "jsonl", "plan": RunPlan(setting="ego")}, "no question can be exported .*ego-motion"),
    ]
    for arguments, what in refusals:
        with pytest.raises(InputError, match=what):
            export(hostile, tmp_path / "out", **arguments)
    bare = Benchmark(hostile.table, hostile.record)
    with pytest.raises(InputError, match=r"has no README.md"):
        export(bare, tmp_path / "out", to="huggingface")
    assert {path.name for path in tmp_path.iterdir()} == {"used", "file"}


@pytest.mark.parametrize("option", ["None", "NA", "n/a"])
def test_an_option_that_vlmevalkit_would_lose_is_refused(option: str, tmp_path: Path) -> None:
    question = msgspec.structs.replace(hostile_question(0, "choice"), options=("a", option, "b", "c"))
    with pytest.raises(InputError, match=f"has the option '{option}'"):
        export(export_benchmark([question], tmp_path / "bench"), tmp_path / "out", to="vlmevalkit")


def test_a_text_that_is_kept_back_is_left_out(tmp_path: Path) -> None:
    secrets = [msgspec.structs.replace(hostile_question(n, "choice"), question=None) for n in (0, 1)]
    known = hostile_question(2, "choice")
    done = export(export_benchmark([*secrets, known], tmp_path / "bench"), tmp_path / "out", to="jsonl")
    assert [item.id for item in done.items] == [known.id]
    assert [left.question for left in done.left_out] == [question.id for question in secrets]
    (line,) = left_out_lines(done.left_out)
    assert line.startswith("left out: 2 × the release keeps the text of the question back")


def test_exports_need_no_extra(hostile: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("inspect_ai", "datasets", "pandas", "pyarrow", "yaml"):
        monkeypatch.setitem(sys.modules, name, None)
    done = [export(hostile, tmp_path / to, to=to) for to in HARNESSES]
    assert all(isinstance(one, Exported) and len(one.items) == 2 * len(HOSTILE) for one in done)


def test_an_export_of_no_question_says_so(tmp_path: Path) -> None:
    benchmark = export_benchmark([], tmp_path / "bench")
    assert to_table([]).height == 0
    with pytest.raises(InputError, match=r"no question can be exported \(none is selected\)"):
        export(benchmark, tmp_path / "out", to="jsonl")


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1).filter(
    lambda text: text not in ("None", "NA", "nan", "null", "NULL", "NaN", "N/A", "n/a")
)


@settings(max_examples=60)
@given(stem=TEXTS, options=st.lists(TEXTS, min_size=2, max_size=6), family=TEXTS)
def test_any_text_is_read_back_as_it_was(stem: str, options: list[str], family: str) -> None:
    question = msgspec.structs.replace(
        hostile_question(0, "choice", family),
        question=stem,
        options=tuple(options),
        features=tuple(options),
        answer="B",
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        benchmark = export_benchmark([question], folder / "bench")
        for to in HARNESSES:
            export(benchmark, folder / to, to=to)
        (item,) = read_items(folder / "jsonl")
        assert (item.question, item.options, item.family) == (stem, tuple(options), family)
        with open(folder / "vlmevalkit" / "lidar_hallu.tsv", encoding="utf-8", newline="") as file:
            (row,) = csv.DictReader(file, delimiter="\t")
        assert [row["question"], *(row[letter] for letter in "ABCDEF"[: len(options)])] == [stem, *options]
        assert row["category"] == family
        (name,) = yaml_of(folder / "lm-eval" / "probe4d_lidar_hallu.yaml")["task"]
        (file_name,) = yaml_of(folder / "lm-eval" / f"{name}.yaml")["dataset_kwargs"]["data_files"].values()
        (line,) = (folder / "lm-eval" / file_name).read_bytes().splitlines()
        assert (json.loads(line)["question"], json.loads(line)["prompt"]) == (stem, item.prompt)
        assert pl.read_parquet(folder / "huggingface" / "questions.parquet")["prompt"].to_list() == [item.prompt]
