"""What inspect-ai finds of Probe4D by its entry point: tasks, and the scorers that read replies as `diagnose` does.

Only inspect-ai and exported task files import this module; the rest of Probe4D does not need inspect-ai.
"""

from __future__ import annotations

import atexit
import inspect
import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, Content, ContentImage, ContentText, GenerateConfig
from inspect_ai.solver import generate

from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.source import open_source
from probe4d.benchmarks.suites import build
from probe4d.errors import InputError
from probe4d.evidence.pictures import PictureOptions
from probe4d.exchange.exports.export import export
from probe4d.exchange.exports.items import ExportItem, left_out_lines
from probe4d.exchange.exports.jsonl import read_items, read_left_out
from probe4d.exchange.inspect_scorers import mean_by, parsed_answer, parsed_interval, parsed_number, valid_rate
from probe4d.runs.evidence_plan import Span, evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.selection import Selection
from probe4d.runs.settings import setting_named
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes
from probe4d.store.files import inside
from probe4d.wording import listed

__all__ = ["exported_task", "lidar_hallu", "mean_by", "parsed_answer", "parsed_interval", "parsed_number", "valid_rate"]

_LOG = logging.getLogger(__name__)


@task(name="lidar-hallu")
def lidar_hallu(
    dataroot: str | None = None,
    benchmark: str | None = None,
    version: str | None = None,
    split: str | None = None,
    per_family: int = 2000,
    seed: int = 42,
    setting: str = "default",
    families: str | Sequence[str] = (),
    sample: int | None = None,
    limit: int | None = None,
    evidence: str = "none",
    evidence_span: Span = "question",
    evidence_seed: int = 42,
    max_frames: int = 16,
    max_side_px: int = 1024,
    jpeg_quality: int = 85,
    **others: object,
) -> Task:
    """LiDAR-Hallu: existence, position, motion, distance and time of objects around the ego vehicle.

    Args:
        dataroot: Folder of a dataset; without `benchmark` the questions are built from it.
        benchmark: Folder of a benchmark that was built before.
        version: Folder of the dataset's tables.
        split: Official split that is built, or `all`.
        per_family: Questions that are built in each family.
        seed: Seed of the build.
        setting: Setting that asks each prompt once, such as `default` or `anti-position`; for repetitions give
            inspect-ai's own `--epochs`.
        families: Families asked; empty asks all.
        sample: Number of questions drawn, stratified.
        limit: Number of questions, from the first.
        evidence: What is shown, as `probe4d ask --evidence` names it; its pictures come from `dataroot`.
        evidence_span: Whether the question's frames are shown (`question`), or its whole scene (`scene`).
        evidence_seed: Seed of wrong orders and of other scenes.
        max_frames: Most frames shown.
        max_side_px: Longest side of a picture, pixels.
        jpeg_quality: Quality of camera images and grids, 1 to 95.
        others: Refused, so that a name that is misspelt does not ask everything; but for `model`, which inspect-ai
            offers to every task.

    Raises:
        InputError: Neither dataset nor benchmark is given, or one of the arguments cannot be used.
    """
    _refuse_others(sorted(others.keys() - {"model"}))
    pictures = PictureOptions(max_side_px=max_side_px, jpeg_quality=jpeg_quality)
    shown = evidence_named(evidence, span=evidence_span, max_frames=max_frames, seed=evidence_seed, pictures=pictures)
    if shown.kind != "none" and dataroot is None:
        raise InputError("showing evidence needs the dataset.", remedy="Give -T dataroot=DATAROOT.")
    scenes = None
    if benchmark is not None:
        asked = read_benchmark(benchmark)
        if shown.kind != "none" and dataroot is not None:
            scenes, _ = open_source(asked, dataroot, version=version)  # other tables are refused by the export
    elif dataroot is not None:
        scenes = open_scenes(dataroot, version=version)
        asked = build("lidar-hallu", scenes, split=split, per_family=per_family, seed=seed)
    else:
        raise InputError("the task needs questions.", remedy="Give -T dataroot=DATAROOT or -T benchmark=BENCH.")
    chosen = tuple(families.split(",")) if isinstance(families, str) else tuple(families)
    selection = Selection(families=chosen, sample=sample, limit=limit, seed=seed)
    return _exported_first(asked, RunPlan(setting=setting, evidence=shown, selection=selection), scenes)


def _refuse_others(names: Sequence[str]) -> None:
    if names:
        known = [name for name in inspect.signature(lidar_hallu).parameters if name != "others"]
        raise InputError(
            f"the task takes no argument {listed(names, 'or')}; it takes {listed(known)}.",
            remedy="Mend the -T NAME=VALUE.",
        )


def _exported_first(benchmark: Benchmark, plan: RunPlan, scenes: Scenes | None) -> Task:
    """Let an export word the questions and make their pictures, anew for each evaluation.

    inspect-ai reads pictures while it evaluates, so that the folder stays until this process ends. Those rendered
    before come out of the picture cache, which looks at the sensor files that they were made of.
    """
    private = tempfile.TemporaryDirectory(prefix="probe4d-inspect-")
    atexit.register(private.cleanup)
    folder = Path(private.name, "export")  # inside, for what is exported may be read by others of the machine
    export(benchmark, folder, to="inspect", plan=plan, scenes=scenes)
    return exported_task(folder, setting=plan.setting)


def exported_task(folder: Path | str, *, name: str = "lidar-hallu", setting: str = "default") -> Task:
    """The task of an exported folder; what the export left out is logged as a warning.

    Args:
        folder: Folder with `questions.jsonl` and the pictures that it names.
        name: Name of the dataset in the log.
        setting: Setting in which it was exported.

    Raises:
        InputError: A line is none that an export writes, or a picture lies outside the folder.
    """
    folder = Path(folder)
    how = setting_named(setting)
    for line in left_out_lines(read_left_out(folder)):
        _LOG.warning(line)
    items = read_items(folder)
    asked = {item.scored_as for item in items}
    scorers = {"label": parsed_answer, "interval": parsed_interval, "number": parsed_number}
    return Task(
        dataset=MemoryDataset([_sample(item, folder) for item in items], name=name),
        solver=generate(),
        scorer=[scorer(setting=how.name) for kind, scorer in scorers.items() if kind in asked],
        config=GenerateConfig(**how.hints),
    )


def _sample(item: ExportItem, folder: Path) -> Sample:
    pictures: list[Content] = [ContentImage(image=str(inside(folder, path))) for path in item.evidence]
    return Sample(
        id=item.key,
        input=[ChatMessageUser(content=[*pictures, ContentText(text=item.prompt)] if pictures else item.prompt)],
        choices=list(item.options) or None,
        target=item.answer,
        metadata={
            "question": item.id,
            "variant": item.variant,
            "family": item.family,
            "format": item.format,
            "unit": item.unit,
            "family_unit": f"{item.family} in {item.unit}" if item.unit else None,
            "relation": item.relation,
            "scene": item.scene,
            "frames": list(item.frames),
            "shown_scene": item.shown_scene,
        },
    )
