from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

import msgspec
import polars as pl
import pytest

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.evidence.rendering import Renderer
from probe4d.models.generation import Generation
from probe4d.models.request import Request
from probe4d.models.tokens import tokens_by_length
from probe4d.runs.dry_run import dry_run
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import prepare
from probe4d.runs.selection import Selection
from probe4d.scenes.tables import Scenes


def test_calls_and_tokens_are_those_of_every_variant(built: Benchmark) -> None:
    generation = Generation(system="Look closely.", max_tokens=50)
    prepared = prepare(built, RunPlan(setting="permuted:3", generation=generation))
    seen = dry_run(prepared, model="openai/m")
    assert seen.calls == sum(min(3, max(1, len(one.options))) for one in built.questions)
    assert sum(seen.questions.values()) == built.table.height
    assert list(seen.questions) == list(built.record.counts)
    requests = [request for request in prepared.requests(prepared.asked) if isinstance(request, Request)]
    system = tokens_by_length(["Look closely."]) * seen.calls
    assert seen.text_tokens == tokens_by_length([request.text for request in requests]) + system
    assert seen.reply_tokens == 50 * seen.calls
    assert seen.pictures is None
    assert seen.example is not None
    assert (seen.example.text, seen.example.system) == (requests[0].text, "Look closely.")
    assert seen.example.options == {"max_tokens": 50}


def test_a_given_tokenizer_counts(built: Benchmark) -> None:
    prepared = prepare(built, RunPlan(selection=Selection(limit=7)))
    seen = dry_run(prepared, model="m/n", count_tokens=lambda texts: 10 * len(texts))
    assert (seen.calls, seen.text_tokens) == (7, 70)


def test_pictures_are_counted_and_the_example_shows_the_very_bytes(built: Benchmark, scenes: Scenes) -> None:
    plan = evidence_named("birds-eye", span="scene", max_frames=4)
    prepared = prepare(built, RunPlan(evidence=plan), scenes=scenes)
    seen = dry_run(prepared, model="vllm/Qwen3-VL")
    shown = [prepared.shown.of[question].pictures for question, _ in prepared.asked]
    assert seen.pictures is not None
    assert seen.pictures.shown == sum(map(len, shown)) == 4 * seen.calls
    assert seen.pictures.distinct == len({picture for pictures in shown for picture in pictures})
    assert 0 < seen.pictures.rendered <= seen.pictures.distinct
    assert seen.pictures.bytes_each is not None
    assert seen.pictures.tokens is not None
    assert seen.example is not None
    with Renderer(scenes, plan.pictures, cache=False) as renderer:
        images = [renderer.render(picture) for picture in shown[0]]
    assert [one.digest for one in seen.example.pictures] == [hashlib.sha256(one.content).hexdigest() for one in images]
    assert [one.bytes for one in seen.example.pictures] == [len(one.content) for one in images]
    width_px, height_px = seen.example.pictures[0].width_px, seen.example.pictures[0].height_px
    assert f"{width_px}x{height_px}" in seen.pictures.sizes
    assert max(width_px, height_px) <= 1024


def test_no_provider_rule_means_no_token_figure(built: Benchmark, scenes: Scenes) -> None:
    part = Selection(limit=2)
    prepared = prepare(built, RunPlan(evidence=evidence_named("birds-eye"), selection=part), scenes=scenes)
    pictures = dry_run(prepared, model="openai-api/x/y").pictures
    assert pictures is not None
    assert pictures.tokens is None


def test_what_cannot_be_asked_is_counted_by_reason(built: Benchmark) -> None:
    withheld = pl.int_range(pl.len()) >= 3
    table = built.table.head(5).with_columns(
        pl.when(~withheld).then(pl.col(name)).alias(name) for name in ("question", "prompt")
    )
    seen = dry_run(prepare(Benchmark(table, built.record)), model="m/n")
    assert seen.calls == 3
    assert sum(seen.left_out.values()) == 2
    assert msgspec.json.decode(msgspec.json.encode(seen))["left_out"] == seen.left_out


def test_missing_files_leave_questions_out_and_damaged_ones_are_said(
    built: Benchmark, scenes: Scenes, tmp_path: Path
) -> None:
    elsewhere = dataclasses.replace(scenes, root=tmp_path)
    plan, part = evidence_named("birds-eye"), Selection(limit=3)
    seen = dry_run(prepare(built, RunPlan(evidence=plan, selection=part), scenes=elsewhere), model="m/n")
    assert (seen.calls, sum(seen.left_out.values()), seen.pictures, seen.example) == (0, 3, None, None)
    for file in scenes.sensors.filter(channel="LIDAR_TOP")["file"]:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(b"no scan")
    seen = dry_run(prepare(built, RunPlan(evidence=plan, selection=part), scenes=elsewhere), model="m/n")
    assert (seen.calls, seen.left_out, seen.example) == (3, {}, None)
    assert seen.failures
    assert all("LIDAR_TOP" in failure for failure in seen.failures)
    assert seen.pictures is not None
    assert (seen.pictures.rendered, seen.pictures.bytes_each) == (0, None)


def test_nothing_is_written(built: Benchmark, scenes: Scenes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE4D_CACHE", str(tmp_path))
    part = Selection(limit=2)
    prepared = prepare(built, RunPlan(evidence=evidence_named("birds-eye"), selection=part), scenes=scenes)
    dry_run(prepared, model="m/n")
    assert list(tmp_path.iterdir()) == []
