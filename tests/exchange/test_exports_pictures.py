"""Exports with pictures: files of their own, named by their digests, in the order shown."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from export_making import yaml_of

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.exchange.exports import HARNESSES
from probe4d.exchange.exports.export import export
from probe4d.exchange.exports.items import left_out_lines
from probe4d.exchange.exports.jsonl import read_items
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.selection import Selection
from probe4d.scenes.opening import open_scenes


def test_pictures_that_are_not_on_disk_are_counted_by_what_is_missing(
    built: Benchmark, simulated: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(simulated, data)
    clouds = sorted((data / "samples").glob("LIDAR_TOP/*"))
    for path in clouds[: len(clouds) // 2]:
        path.unlink()
    done = export(
        built,
        tmp_path / "out",
        to="jsonl",
        plan=RunPlan(evidence=evidence_named("birds-eye")),
        scenes=open_scenes(data),
    )
    lost = {left.question for left in done.left_out}
    assert lost
    assert lost.isdisjoint(item.id for item in done.items)
    assert {*lost, *(item.id for item in done.items)} == set(built.table["id"])
    assert all("is not there" in left.reason or "missing" in left.reason for left in done.left_out)
    assert 0 < len(left_out_lines(done.left_out)) <= 11


def test_an_export_of_which_nothing_is_left_counts_the_reasons_in_one_sentence(
    built: Benchmark, simulated: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(simulated, data, ignore=shutil.ignore_patterns("LIDAR_TOP"))
    with pytest.raises(InputError) as caught:
        export(
            built,
            tmp_path / "out",
            to="jsonl",
            plan=RunPlan(evidence=evidence_named("birds-eye")),
            scenes=open_scenes(data),
        )
    first = built.table["id"][0]
    assert f"no question can be exported ({built.table.height} × a reading, or its file" in str(caught.value)
    assert f" is missing, {first} for one: {data / 'samples'}" in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(data))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def pictured(built: Benchmark, simulated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictured")
    plan, scenes = evidence_named("birds-eye", max_frames=2), open_scenes(simulated)
    part = Selection(families=("existence", "motion"), limit=24)  # of one picture each, and of two
    for to in HARNESSES:
        export(built, folder / to, to=to, plan=RunPlan(evidence=plan, selection=part), scenes=scenes)
    return folder


def test_a_dataset_is_called_what_it_is_and_not_by_its_format(pictured: Path) -> None:
    folder, title = pictured / "huggingface", "Probe4D's simulation (v1.0-sim, in nuScenes format)"
    card = (folder / "README.md").read_text()
    assert "\nlicense: cc0-1.0\nlanguage:\n" in card
    assert f"questions from {title}\n" in card
    assert card.count(f"- Dataset: {title}, split `all`") == 2
    croissant = json.loads((folder / "croissant.json").read_bytes())
    assert croissant["license"] == "https://creativecommons.org/publicdomain/zero/1.0/"
    assert croissant["isBasedOn"]["name"] == title
    assert croissant["citeAs"].endswith(f"from {title}")


@pytest.mark.parametrize("to", HARNESSES)
def test_pictures_are_files_named_by_their_digests(pictured: Path, to: str) -> None:
    folder = pictured / to
    files = sorted((folder / "pictures").iterdir())
    assert [path.stem for path in files] == [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    readme = (folder / "README.md").read_text()
    assert "the questions too: CC0 1.0 Universal" in readme
    assert "simulated sensor data, whose licence they share: they may be passed on" in readme
    assert "do not publish" not in readme


def test_pictures_of_other_datasets_are_not_for_publishing(built: Benchmark, simulated: Path, tmp_path: Path) -> None:
    source = msgspec.structs.replace(built.record.source, licence="its own")
    bound = Benchmark(built.table, msgspec.structs.replace(built.record, source=source), built.path)
    plan = RunPlan(evidence=evidence_named("birds-eye"), selection=Selection(limit=1))
    export(bound, tmp_path / "out", to="jsonl", plan=plan, scenes=open_scenes(simulated))
    assert "do not publish" in (tmp_path / "out" / "README.md").read_text()


def test_pictures_are_referenced_in_the_order_shown(pictured: Path) -> None:
    items = read_items(pictured / "jsonl")
    assert {path for item in items for path in item.evidence} == {
        f"pictures/{path.name}" for path in (pictured / "jsonl" / "pictures").iterdir()
    }
    assert {len(item.evidence) for item in items} == {1, 2}
    assert all(item.preamble and item.prompt.startswith(item.preamble) for item in items)

    table = pl.read_parquet(pictured / "huggingface" / "questions.parquet")
    assert table["pictures"].to_list() == [list(item.evidence) for item in items]
    croissant = json.loads((pictured / "huggingface" / "croissant.json").read_bytes())
    assert [entry["@type"] for entry in croissant["distribution"]] == ["cr:FileObject", "cr:FileSet"]

    with open(pictured / "vlmevalkit" / "lidar_hallu.tsv", newline="") as file:
        paths = [row["image_path"] for row in csv.DictReader(file, delimiter="\t")]
    assert paths == [item.evidence[0] if len(item.evidence) == 1 else str(list(item.evidence)) for item in items]


def test_a_picture_shown_twice_is_written_once(built: Benchmark, simulated: Path, tmp_path: Path) -> None:
    export(
        built,
        tmp_path / "out",
        to="jsonl",
        plan=RunPlan(
            setting="permuted:4",
            evidence=evidence_named("birds-eye"),
            selection=Selection(families=("distance",), limit=2),
        ),
        scenes=open_scenes(simulated),
    )
    items = read_items(tmp_path / "out")
    assert len(items) == 8
    assert len(list((tmp_path / "out" / "pictures").iterdir())) == len({item.evidence for item in items}) == 2


def test_lm_eval_opens_the_pictures(pictured: Path) -> None:
    folder = pictured / "lm-eval"
    assert "pip install pillow" in (folder / "README.md").read_text()
    tasks = yaml_of(folder / "probe4d_lidar_hallu.yaml")["task"]
    assert all(yaml_of(folder / f"{task}.yaml")["doc_to_image"] == "!function opening.pictures" for task in tasks)
    line = json.loads((folder / f"{tasks[0]}.jsonl").read_bytes().splitlines()[0])
    assert line["prompt"].startswith("<image>" * len(line["evidence"]))
    names: dict[str, Any] = {"__file__": str(folder / "opening.py")}
    exec((folder / "opening.py").read_text(), names)
    opened = names["pictures"](line)
    assert [picture.size > (0, 0) for picture in opened] == [True] * len(line["evidence"])
    for picture in opened:
        picture.close()
