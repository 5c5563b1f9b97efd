"""Exports of questions about one camera's view: its image, with the objects outlined that are called by letters."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest
from inspect_ai.model import ContentImage
from PIL import Image

from lettered_making import lettered_benchmark, lettered_scenes
from probe4d.evidence.pictures import PictureOptions
from probe4d.exchange.exports import HARNESSES
from probe4d.exchange.exports.export import export
from probe4d.exchange.exports.jsonl import read_items
from probe4d.exchange.inspect_registry import exported_task
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan

SIZE_PX = (256, 144)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    scenes = lettered_scenes(folder / "scenes")
    benchmark = lettered_benchmark(scenes, folder / "bench")
    evidence = evidence_named("one-camera", pictures=PictureOptions(max_side_px=SIZE_PX[0]))
    for to in HARNESSES:
        export(benchmark, folder / to, to=to, plan=RunPlan(evidence=evidence), scenes=scenes)
    return folder


@pytest.mark.parametrize("to", HARNESSES)
def test_questions_about_the_same_objects_share_a_file(exported: Path, to: str) -> None:
    files = sorted((exported / to / "pictures").iterdir())
    assert len(files) == 3, "A and B, B and C, and the plain image"
    for path in files:
        with Image.open(path) as image:
            assert (image.format, image.size) == ("JPEG", SIZE_PX)
    assert len({path.name for harness in HARNESSES for path in (exported / harness / "pictures").iterdir()}) == 3


def test_they_are_named_where_each_harness_looks_for_them(exported: Path) -> None:
    items = read_items(exported / "jsonl")
    shown = [item.evidence for item in items]
    assert shown[0] == shown[1] != shown[2]
    assert all(len(paths) == 1 for paths in shown)
    assert [item.preamble.count("each with its letter") for item in items] == [1, 1, 1, 0]
    assert pl.read_parquet(exported / "huggingface" / "questions.parquet")["pictures"].to_list() == list(
        map(list, shown)
    )
    with open(next((exported / "vlmevalkit").glob("*.tsv")), newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["image_path"] for row in rows] == [paths[0] for paths in shown]
    assert "one-camera" in (exported / "vlmevalkit" / "README.md").read_text()


def test_an_exported_task_shows_them_before_the_text(exported: Path) -> None:
    for sample, item in zip(exported_task(exported / "inspect").dataset, read_items(exported / "jsonl"), strict=True):
        picture, text = sample.input[0].content  # type: ignore[union-attr]
        assert isinstance(picture, ContentImage)
        assert Path(picture.image) == exported / "inspect" / item.evidence[0]
        assert text.text == item.prompt
