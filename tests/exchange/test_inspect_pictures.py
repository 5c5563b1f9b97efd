"""The task of the entry point shows the pictures of the dataset as it lies there now."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import ContentImage

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.suites import suite_prompt
from probe4d.errors import InputError
from probe4d.evidence import rendering
from probe4d.evidence.pictures import PictureOptions
from probe4d.exchange.inspect_registry import lidar_hallu
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import prepare
from probe4d.scenes.tables import Scenes


@pytest.fixture
def arguments(built: Benchmark, simulated: Path) -> dict[str, Any]:
    return {"benchmark": str(built.path), "dataroot": str(simulated), "evidence": "birds-eye", "limit": 2}


def shown_in(sample: Sample) -> tuple[list[Path], str]:
    """The pictures that a sample shows, and the text behind them."""
    assert isinstance(sample.input, list)
    *pictures, text = sample.input[0].content
    assert all(isinstance(picture, ContentImage) for picture in pictures)
    return [Path(picture.image) for picture in pictures], text.text


def test_pictures_go_before_the_text_and_are_rendered_once(
    built: Benchmark, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = [shown_in(sample) for sample in lidar_hallu(**arguments).dataset]
    monkeypatch.delattr(rendering, "draw_birds_eye")  # what was rendered comes out of the cache
    second = [shown_in(sample) for sample in lidar_hallu(**arguments).dataset]
    for (pictures, text), (again, same_text), question in zip(first, second, built.questions, strict=False):
        assert pictures
        for path in (*pictures, *again):
            assert hashlib.sha256(path.read_bytes()).hexdigest() == path.stem
        assert [path.name for path in pictures] == [path.name for path in again]
        assert text == same_text
        assert text.endswith(suite_prompt("lidar-hallu", "default")(question))


def test_a_repaired_dataset_is_asked_whole(built: Benchmark, scenes: Scenes, tmp_path: Path) -> None:
    shutil.copytree(scenes.root, tmp_path / "data", copy_function=os.link)
    files = [tmp_path / "data" / file for file in scenes.sensors.filter(channel="LIDAR_TOP")["file"]]
    for file in files[::2]:
        file.rename(file.with_suffix(".away"))
    arguments = {"benchmark": str(built.path), "dataroot": str(tmp_path / "data"), "evidence": "birds-eye"}
    assert 0 < len(lidar_hallu(**arguments).dataset) < built.table.height
    for file in files[::2]:
        file.with_suffix(".away").rename(file)
    assert len(lidar_hallu(**arguments).dataset) == built.table.height
    shown = shown_in(lidar_hallu(**arguments, limit=1).dataset[0])[0]
    for file in files:
        content = file.read_bytes()
        file.unlink()  # a link to the file of other tests
        file.write_bytes(content[: len(content) // 2])
    assert shown_in(lidar_hallu(**arguments, limit=1).dataset[0])[0][0].name != shown[0].name


def test_arguments_are_those_of_a_plan(built: Benchmark, scenes: Scenes, arguments: dict[str, Any]) -> None:
    task = lidar_hallu(
        **arguments | {"evidence": "shuffled:birds-eye"},
        evidence_span="scene",
        evidence_seed=7,
        max_frames=3,
        max_side_px=256,
        jpeg_quality=50,
    )
    pictures = PictureOptions(max_side_px=256, jpeg_quality=50)
    evidence = evidence_named("shuffled:birds-eye", span="scene", seed=7, max_frames=3, pictures=pictures)
    prepared = prepare(built, RunPlan(evidence=evidence), scenes=scenes)
    with prepared.rendering() as renderer:
        for sample, request in zip(task.dataset, prepared.requests(prepared.asked, renderer=renderer), strict=False):
            names, text = shown_in(sample)
            assert (sample.id, text) == (request.key, request.text)
            assert [path.stem for path in names] == [image.digest for image in request.images]
            assert len(names) == 3


def test_evidence_needs_the_dataset(arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"needs the dataset\. Give -T dataroot"):
        lidar_hallu(**arguments | {"dataroot": None})


def test_an_evaluation_leaves_no_pictures(arguments: dict[str, Any], tmp_path: Path) -> None:
    code = (
        f"from probe4d.exchange.inspect_registry import lidar_hallu; print(len(lidar_hallu(**{arguments!r}).dataset))"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, env=environment, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr
    assert list(tmp_path.iterdir()) == []
