"""lm-evaluation-harness, datasets, mlcroissant and pandas load the exports: `make soak` installs them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from export_making import HOSTILE, hostile_benchmark
from grounded_making import replied
from measured_making import replied_numbers

from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.suites import build, suite_prompt
from probe4d.diagnosis.diagnose import diagnose
from probe4d.exchange.answers import import_answers
from probe4d.exchange.exports.export import export
from probe4d.exchange.exports.huggingface import TABLE_SCHEMA
from probe4d.exchange.exports.jsonl import read_items
from probe4d.exchange.interval_replies import INTERVAL_METRICS
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.run import read_run
from probe4d.scenes.opening import open_scenes

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-harnesses" / "bin" / "python"

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module", params=["hostile", "pictured"])
def loaded(
    request: pytest.FixtureRequest, simulated: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Benchmark, Path, dict[str, Any]]:
    """A benchmark, its exports and what the harnesses see in them."""
    folder = tmp_path_factory.mktemp(request.param)
    shows: dict[str, Any] = {}
    if request.param == "hostile":
        benchmark = hostile_benchmark(folder / "bench")
    else:
        scenes = open_scenes(simulated)
        build("lidar-hallu", scenes, folder / "bench", per_family=12)
        benchmark = read_benchmark(folder / "bench")
        shows = {"plan": RunPlan(evidence=evidence_named("birds-eye", max_frames=2)), "scenes": scenes}
    for to in ("lm-eval", "huggingface", "vlmevalkit", "jsonl"):
        export(benchmark, folder / "exports" / to, to=to, **shows)  # type: ignore[arg-type]
    return benchmark, folder / "exports", found_in(folder)


def found_in(folder: Path) -> dict[str, Any]:
    """What the harnesses see in the exports of a folder."""
    if not PYTHON.exists():
        pytest.skip("the harnesses are not installed in .venv-harnesses; run `make harnesses`")
    script = ROOT / "tests" / "peers" / "load_exports.py"
    done = subprocess.run(
        [PYTHON, script, folder / "exports"],
        env={**os.environ, "HF_HOME": str(folder / "hub"), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads((folder / "exports" / "found.json").read_text())
    return found


def test_lm_eval_asks_every_prompt_and_finds_every_answer(loaded: tuple[Benchmark, Path, dict[str, Any]]) -> None:
    benchmark, _, found = loaded
    seen = found["lm-eval"]
    assert seen["prompts"] == seen["expected"]
    assert sum(seen["samples"].values()) == 2 * benchmark.table.height
    assert seen["results"]["probe4d_lidar_hallu"]["exact_match,answer"] == 1.0
    assert seen["results"]["probe4d_lidar_hallu_likelihood"]["acc,none"] == 1.0
    assert {str(version) for version in seen["versions"].values()} == {benchmark.record.version}


def test_datasets_reads_the_table_by_the_card(loaded: tuple[Benchmark, Path, dict[str, Any]]) -> None:
    _, exports, found = loaded
    items = read_items(exports / "jsonl")
    rows = found["huggingface"]["rows"]
    assert found["huggingface"]["features"] == list(TABLE_SCHEMA)
    assert [row["id"] for row in rows] == [item.id for item in items]
    for row, item in zip(rows, items, strict=True):
        assert (row["prompt"], tuple(row["options"]), row["answer"]) == (item.prompt, item.options, item.answer)
        assert tuple(row["pictures"]) == item.evidence
        assert all((exports / "huggingface" / path).is_file() for path in row["pictures"])


def test_croissant_is_valid_and_gives_the_records(loaded: tuple[Benchmark, Path, dict[str, Any]]) -> None:
    _, exports, found = loaded
    assert found["huggingface"]["errors"] == []
    (warning,) = found["huggingface"]["warnings"]
    assert "datePublished" in warning  # whoever publishes it knows when
    assert found["huggingface"]["records"] == [[item.id, item.prompt] for item in read_items(exports / "jsonl")]


def test_pandas_reads_the_table_for_vlmevalkit(loaded: tuple[Benchmark, Path, dict[str, Any]]) -> None:
    benchmark, exports, found = loaded
    cells = found["vlmevalkit"]["lidar_hallu"]
    items = read_items(exports / "jsonl")
    assert cells["index"] == list(range(len(items)))
    assert cells["id"] == [item.id for item in items]
    assert cells["question"] == [f"{item.preamble}{item.question}" for item in items]
    options = zip(*(cells[letter] for letter in "ABCD"), strict=True)
    for item, row in zip(items, options, strict=True):
        assert row == (item.options or ("Yes", "No", None, None))
    assert benchmark.table.height == len(items) >= len(HOSTILE)


def test_lm_eval_scores_words_and_intervals_as_diagnose_does_and_gives_replies_back(tmp_path: Path) -> None:
    benchmark, said = replied(tmp_path / "bench")
    for to in ("lm-eval", "vlmevalkit"):
        export(benchmark, tmp_path / "exports" / to, to=to)
    word = suite_prompt("b4dl", "default")
    replies = {word(question): said[question.id].text for question in benchmark.questions}
    (tmp_path / "exports" / "replies.json").write_text(json.dumps(replies), encoding="utf-8")
    found = found_in(tmp_path)
    seen = found["lm-eval"]
    assert seen["prompts"] == sorted(replies)
    labels = sum(question.format != "interval" for question in benchmark.questions)
    assert sum(seen["samples"].values()) == len(replies) + labels

    logged = sorted((tmp_path / "exports" / "logged").rglob("samples_*.jsonl"))
    assert len(logged) == 3
    (tmp_path / "replies.jsonl").write_bytes(b"".join(path.read_bytes() for path in logged))
    import_answers(benchmark, tmp_path / "replies.jsonl", tmp_path / "run", model="m")
    figures = diagnose(benchmark, [read_run(tmp_path / "run")]).figures.filter(run="run", relation="all")
    diagnosed = {
        (row["metric"], row["family"]): row["value"]
        for row in figures.filter(pl.col("family") != "all").iter_rows(named=True)
    }
    words = seen["results"]["probe4d_b4dl_existence_text"]
    assert words["exact_match,answer"] == pytest.approx(diagnosed["accuracy", "existence"])
    assert words["valid,answer"] == pytest.approx(diagnosed["valid_rate", "existence"])
    group = seen["results"]["probe4d_b4dl_intervals"]
    for metric in INTERVAL_METRICS:
        assert group[f"{metric},answer"] == pytest.approx(diagnosed[metric, "time-grounding"]), metric
    assert seen["results"]["probe4d_b4dl_likelihood"]["acc,none"] == 1.0

    open_ended = found["vlmevalkit"]["b4dl_openended"]
    intervals = [question for question in benchmark.questions if question.format == "interval"]
    assert open_ended["question"] == [word(question) for question in intervals]
    assert open_ended["answer"] == [question.answer for question in intervals]
    assert set(open_ended["image_path"]) == {"[]"}


def test_lm_eval_scores_numbers_as_diagnose_does_and_gives_replies_back(tmp_path: Path) -> None:
    benchmark, said = replied_numbers(tmp_path / "bench")
    for to in ("lm-eval", "vlmevalkit"):
        export(benchmark, tmp_path / "exports" / to, to=to)
    word = suite_prompt("spatial-qa", "default")
    replies = {word(question): said[question.id].text for question in benchmark.questions}
    (tmp_path / "exports" / "replies.json").write_text(json.dumps(replies), encoding="utf-8")
    found = found_in(tmp_path)
    seen = found["lm-eval"]
    assert seen["prompts"] == sorted(replies)

    logged = sorted((tmp_path / "exports" / "logged").rglob("samples_*.jsonl"))
    assert len(logged) == 3
    (tmp_path / "replies.jsonl").write_bytes(b"".join(path.read_bytes() for path in logged))
    import_answers(benchmark, tmp_path / "replies.jsonl", tmp_path / "run", model="m")
    figures = diagnose(benchmark, [read_run(tmp_path / "run")]).figures.filter(run="run", format="number")
    diagnosed = {(row["metric"], row["family"], row["relation"]): row["value"] for row in figures.iter_rows(named=True)}
    for unit, families in {"metres": ("quantitative", "sizes"), "degrees": ("quantitative",)}.items():
        group = seen["results"][f"probe4d_spatial_qa_{unit}"]
        for metric in ("tolerance_accuracy", "valid_rate"):
            assert group[f"{metric},answer"] == pytest.approx(diagnosed[metric, "all", unit])
        for family in families:
            task = seen["results"][f"probe4d_spatial_qa_{family}_number_{unit}"]
            for metric in ("tolerance_accuracy", "valid_rate", "mean_absolute_error"):
                assert task[f"{metric},answer"] == pytest.approx(diagnosed[metric, family, unit])
    wrapped = seen["results"]["probe4d_spatial_qa_quantitative_number_degrees"]["mean_absolute_error_wrapped,answer"]
    assert wrapped == pytest.approx(diagnosed["mean_absolute_error_wrapped", "quantitative", "degrees"])
    assert found["vlmevalkit"]["spatial_qa_openended"]["question"] == [
        word(question) for question in benchmark.questions
    ]
