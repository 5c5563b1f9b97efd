"""The example that repeats an ablation of B4DL in small: its writer, its single-frame data, and its cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from probe4d.benchmarks.b4dl.build import verdicts_in
from probe4d.benchmarks.b4dl.tasks import FAMILIES
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.models.lidar_lm.features import FeatureRecord, start_features, write_rows
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

EXAMPLE = Path(__file__).parents[1] / "examples"
WIDTH = 768


@pytest.fixture(autouse=True)
def example(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("learn", "b4dl_ablation"):
        monkeypatch.syspath_prepend(str(EXAMPLE / name))


@pytest.fixture(scope="module")
def street(photographed: Path) -> Scenes:
    return open_scenes(photographed)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where everything goes; what one test wrote, another reads."""
    return tmp_path_factory.mktemp("ablation")


def data(out: Path, street: Scenes, name: str) -> Benchmark:
    """What the writer makes of the street with phrases, or without."""
    from ablation import written

    return written(out / f"data-{name}-phrases", street, phrases=name == "with")


def ground_of(street: Scenes, features: Path) -> Any:
    """The street to learn from and to be asked about, with features that say nothing."""
    from ablation import Ground

    start_features(features, FeatureRecord(encoder="e" * 16, width=WIDTH))
    draw = np.random.default_rng(0)
    for scene, keyframes in street.scenes.select("scene", "keyframes").iter_rows():
        write_rows(features, scene, draw.normal(size=(keyframes, WIDTH)).astype(np.float32))
    return Ground(street, street, features, features)


def test_phrases_make_the_data_right_and_guesses_do_not(street: Scenes, out: Path) -> None:
    shares = {}
    for name in ("with", "without"):
        benchmark = data(out, street, name)
        assert set(FAMILIES) == set(benchmark.table["family"].unique())
        told = verdicts_in(out / f"data-{name}-phrases")
        shares[name] = told["contradicted"] / (told["contradicted"] + told["supported"])
    assert shares["with"] < 0.1 < shares["without"]


def test_single_frame_data_count_what_is_near(street: Scenes) -> None:
    from learning import captions

    rows = list(captions(street))
    assert all(row.frames is not None and len(row.frames) == 1 for row in rows)
    assert rows[0].answer.startswith("Near the ego vehicle: ")
    assert {row.scene for row in rows} == set(street.names)


def test_a_model_learns_from_the_data_with_what_it_is_told(street: Scenes, out: Path) -> None:
    from ablation import CELLS, training_rows

    ground = ground_of(street, out / "features")
    asked = data(out, street, "with").table.height
    for cell in (CELLS[1], CELLS[3]):
        rows = training_rows(ground, cell, out)
        assert len(rows) == asked
        assert {row.ego_text is not None for row in rows} == {cell.ego_text != "none"}


@pytest.mark.parametrize(
    "names",
    [
        ["single-frame"],
        pytest.param(["neither", "phrases", "metatoken", "phrases-and-metatoken"], marks=pytest.mark.soak),
    ],
    ids=len,
)
def test_cells_are_trained_and_asked(names: list[str], street: Scenes, out: Path) -> None:
    from ablation import CELLS, ablate

    ground = ground_of(street, out / f"features-{len(names)}")
    cells = [cell for cell in CELLS if cell.name in names]
    told = list(ablate(ground, data(out, street, "with"), out, epochs=1, sample=3, seed=1, cells=cells))
    assert [line.split(":")[0] for line in told] == names
    assert all("3 answers" in line for line in told)


def test_every_run_and_control_stands_in_the_table() -> None:
    from ablation import METRICS, table_of

    rows = [
        {"run": run, "family": family, "relation": None, "metric": metric, "value": "0.25"}
        for family, metric in list(METRICS.values())[:2]
        for run in ("a", "control:content")
    ]
    table = table_of(pl.DataFrame(rows, schema_overrides={"relation": pl.String()})).splitlines()
    assert table[0] == "| run | Accuracy | mIoU | BLEU-4 | ROUGE-L |"
    assert table[2:] == ["| a | 0.250 | 0.250 | - | - |", "| control:content | 0.250 | 0.250 | - | - |"]
