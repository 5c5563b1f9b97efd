"""The ablation of B4DL's Table 4 and the single-frame comparator of its Table 3, small: one script, one table.

Run with `python examples/b4dl_ablation/ablation.py`. What is finished stays: a run that was broken off goes on when it
is repeated.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "learn"))

from learning import captions, learn, tokenizer_of
from tiny_model import tiny_encoder
from writer import ScriptedWriter

import probe4d
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.suites import build
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.exchange.exports.training import export_training
from probe4d.models.generation import Generation
from probe4d.models.lidar_lm.encoder import save_encoder
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.models.lidar_lm.training.rows import TrainingRow, read_training_rows
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.selection import Selection
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

LIDAR = evidence_named("lidar", span="scene")
METRICS = {
    "Accuracy": ("all", "paper_accuracy"),
    "mIoU": ("time-grounding", "interval_miou_inclusive"),
    "BLEU-4": ("all", "bleu_4_macro"),
    "ROUGE-L": ("all", "rouge_l_macro"),
}
"""Columns of the table: family and metric in `figures.csv`."""


class Cell(NamedTuple):
    """A model of the table.

    Attributes:
        name: Name of its run.
        phrases: Whether its data were written with annotation phrases; null learns from single key frames.
        ego_text: Text about the ego vehicle (the metatoken).
    """

    name: str
    phrases: bool | None
    ego_text: EgoText


CELLS = (
    Cell("neither", False, "none"),
    Cell("phrases", True, "none"),
    Cell("metatoken", False, "paper"),
    Cell("phrases-and-metatoken", True, "paper"),
    Cell("single-frame", None, "none"),
)


class Ground(NamedTuple):
    """What all models share: scenes to learn from and others to be asked about, with a folder of features of each."""

    learnt: Scenes
    asked: Scenes
    learnt_features: Path
    asked_features: Path


def main() -> None:
    """Simulate, encode, write data, train, ask, diagnose; then print the table."""
    given = _arguments()
    out: Path = given.out
    ground = prepare(out, given.training_scenes, given.scenes)
    test = written(out / "bench", ground.asked, phrases=True, grounded="drop")
    for run in ablate(ground, test, out, epochs=given.epochs, sample=given.sample, seed=given.seed):
        print(run, flush=True)
    print(diagnosed(out))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/b4dl-ablation"), help="where everything goes")
    parser.add_argument("--training-scenes", type=int, default=8)
    parser.add_argument("--scenes", type=int, default=4, help="scenes that are asked about")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--sample", type=int, default=240, help="questions that each model is asked")
    parser.add_argument("--seed", type=int, default=1, help="of each training")
    return parser.parse_args()


def prepare(out: Path, training_scenes: int, scenes: int) -> Ground:
    """Simulate both datasets and encode them with an encoder of random weights."""
    if not (out / "encoder" / "encoder.json").exists():
        torch.manual_seed(0)
        (out / "encoder").mkdir(parents=True, exist_ok=True)
        save_encoder(tiny_encoder().eval(), out / "encoder")
    for name, count, seed in (("learnt", training_scenes, 911), ("asked", scenes, 912)):
        _probe4d("simulate", out / name, "--scenes", count, "--seed", seed)
        _probe4d("encode", out / name, "--encoder", out / "encoder", "--out", out / f"{name}-features")
    opened = [open_scenes(out / name) for name in ("learnt", "asked")]
    return Ground(opened[0], opened[1], out / "learnt-features", out / "asked-features")


def written(path: Path, scenes: Scenes, *, phrases: bool, grounded: str = "keep") -> Benchmark:
    """A benchmark of the scripted writer; one that was written before is read."""
    if not (path / "benchmark.json").exists():
        build("b4dl", scenes, path, generator=ScriptedWriter(), annotations=phrases, grounded=grounded)
    return read_benchmark(path)


def ablate(
    ground: Ground,
    test: Benchmark,
    out: Path,
    *,
    epochs: int,
    sample: int | None,
    seed: int,
    cells: Sequence[Cell] = CELLS,
) -> Iterator[str]:
    """Train and ask a model for every cell, and tell of each."""
    features = FeatureFolder(ground.learnt_features)
    rows = {cell: training_rows(ground, cell, out) for cell in cells}
    texts = [
        text for of_cell in rows.values() for row in of_cell for text in (row.prompt, row.answer, row.ego_text or "")
    ]
    tokenizer = tokenizer_of(texts)
    for cell in cells:
        loss = learn(rows[cell], features, out / "models" / cell.name, tokenizer, epochs=epochs, seed=seed)
        plan = RunPlan(
            setting="released",
            evidence=LIDAR,
            selection=Selection(sample=min(sample, test.table.height)),
            generation=Generation(temperature=0, max_tokens=48),
        )
        model = f"lidar-lm:{out / 'models' / cell.name}"
        run = probe4d.ask(
            test, out / "runs" / cell.name, model=model, plan=plan, scenes=ground.asked, features=ground.asked_features
        )
        yield f"{cell.name}: {len(rows[cell]):,} rows, last loss {loss:.2f}, {run.answers.height:,} answers"


def training_rows(ground: Ground, cell: Cell, out: Path) -> list[TrainingRow]:
    """What a model learns from."""
    if cell.phrases is None:
        return list(captions(ground.learnt))
    data = f"data-{'with' if cell.phrases else 'without'}-phrases"
    benchmark = written(out / data, ground.learnt, phrases=cell.phrases)
    folder = out / "rows" / cell.name
    if not folder.exists():
        plan = RunPlan(setting="released", evidence=LIDAR)
        export_training(benchmark, folder, plan=plan, ego_text=cell.ego_text, scenes=ground.learnt)
    return read_training_rows(folder)


def diagnosed(out: Path, cells: Sequence[Cell] = CELLS) -> str:
    """Score all runs beside the controls, and give the table."""
    runs = [out / "runs" / cell.name for cell in cells]
    _probe4d(
        "diagnose", out / "bench", *runs, "--text-metrics", "bleu,rouge-l", "--allow-missing", "--out", out / "report"
    )
    return table_of(pl.read_csv(out / "report" / "figures.csv", infer_schema=False))


def table_of(figures: pl.DataFrame) -> str:
    """The table of Markdown: a row a run and control, in the order of the figures."""
    figures = figures.filter(pl.col("relation").is_null() | (pl.col("relation") == "all"))
    cells = {
        (run, title): f"{float(value):.3f}"
        for title, (family, metric) in METRICS.items()
        for run, value in figures.filter(family=family, metric=metric).select("run", "value").iter_rows()
    }
    runs = list(dict.fromkeys(run for run, _ in cells))
    lines = [
        " | ".join(["", "run", *METRICS, ""]).strip(),
        " | ".join(["", "---", *["---"] * len(METRICS), ""]).strip(),
    ]
    lines += [" | ".join(["", run, *(cells.get((run, one), "-") for one in METRICS), ""]).strip() for run in runs]
    return "\n".join(lines)


def _probe4d(*words: object) -> None:
    """Run a command of Probe4D, shown as one would type it."""
    given = [str(word) for word in words]
    print("$ probe4d", *given, flush=True)
    subprocess.run([sys.executable, "-m", "probe4d", *given], check=True)  # noqa: S603  (our own)


if __name__ == "__main__":
    main()
