"""`--to training`: what a LiDAR language model learns from, a row for every prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark, BenchmarkRecord
from probe4d.benchmarks.held_out import HELD_OUT, held_out
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.source import SceneNames
from probe4d.benchmarks.suites import suite_named
from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.exchange.exports.folder import collected, refuse_seeds, seal
from probe4d.exchange.exports.items import Exported, ExportItem
from probe4d.exchange.exports.notes import readme
from probe4d.exchange.scaling import scaled_size
from probe4d.models.lidar_lm.training.rows import ROWS_FILE, TrainingRow, write_training_rows
from probe4d.runs.evidence_plan import EvidencePlan, evidence_named
from probe4d.runs.frames import frames_shown
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import Prepared, prepare
from probe4d.runs.run import LeftOut
from probe4d.runs.selection import CHOSEN_BY, Selection, selected
from probe4d.runs.told_motion import ToldMotion
from probe4d.scenes.tables import Scenes
from probe4d.store.files import write_text
from probe4d.store.folders import refuse_full, whole_folder

__all__ = ["export_training"]

_HOW = f"""\
`{ROWS_FILE}` holds a row for every prompt: `scene` and `frames` (the key frames whose features are shown; null shows \
the whole scene), `prompt`, `answer`, and with it the ego vehicle's motion in words where it is trained with \
(`ego_text`). So that features of other scenes are refused, it says how many key frames the scene has (`keyframes`) \
and which dataset it is of (`dataset`, a fingerprint). Train on it with

```
probe4d encode DATAROOT --encoder CHECKPOINT --out FEATURES
probe4d train projector {{folder}} --base LANGUAGE_MODEL --features FEATURES --out PROJECTOR
probe4d train lora {{folder}} --from PROJECTOR --features FEATURES --out CHECKPOINT
```

A model has seen the scenes that it was trained on: ask it about others."""


def export_training(
    benchmark: Benchmark,
    out: Path | str,
    *,
    plan: RunPlan | None = None,
    ego_text: EgoText = "none",
    scenes: Scenes | None = None,
    scale: float | None = None,
    with_held_out: bool = False,
    begun: Callable[[int], object] | None = None,
    done: Callable[[ExportItem], object] | None = None,
) -> Exported:
    """Write the rows that train a LiDAR language model on a benchmark, with its reference answers.

    Args:
        benchmark: The questions.
        out: Folder to write, new or empty.
        plan: Setting, selection, and of the evidence `lidar` the span: the whole scene, as LiDAR-Hallu trains and
            asks, or the question's frames. Null takes every question once with its whole scene.
        ego_text: Which text about the ego vehicle's motion goes into every row, from its question alone.
        scenes: The scenes of the benchmark, for texts that its questions do not hold.
        scale: Per cent of each family and format that is learnt from, drawn with the seed of the selection; null
            takes all. Of one seed a smaller part lies inside a larger one (B4DL, App. E).
        with_held_out: Whether questions about scenes that are held out for tests (see `held_out`) are rows as well;
            else they are left out.
        begun: Told how many rows there are, before the first.
        done: Told of each prompt.

    Returns:
        What was written.

    Raises:
        InputError: The folder is in use, setting, selection, scale or evidence cannot be had, a text needs the scenes,
            or no question is left.
    """
    out = Path(out)
    refuse_full(out)
    plan = plan or RunPlan(evidence=evidence_named("lidar"))
    _refuse_other_evidence(plan, ego_text)
    motion = ToldMotion(ego_text, scenes)
    usable = _Usable(benchmark, plan.selection, [])
    if not with_held_out:
        usable = _without_held_out(benchmark, plan.selection, scenes)
    selection = _scaled(usable.benchmark, usable.selection, scale)
    worded = msgspec.structs.replace(plan, evidence=EvidencePlan(), selection=selection)
    prepared = _told(prepare(usable.benchmark, worded), motion)
    prepared = replace(prepared, left_out=(*usable.left_out, *prepared.left_out))
    refuse_seeds(prepared)
    rows = _Rows(plan.evidence, ego_text, motion, scenes, benchmark.record)
    if begun is not None:
        begun(len(prepared.asked))
    with whole_folder(out) as folder:
        exported = replace(collected(benchmark, prepared, folder, done=done), evidence=plan.evidence.name)
        items = [(item, prepared.asked[item.id, item.variant][0]) for item in exported.items]
        write_training_rows([rows.of(*one) for one in items], folder / ROWS_FILE)
        write_text(folder / "README.md", readme(exported, "training", _HOW.format(folder=out.name)))
        seal(exported.left_out, folder)
    return exported


class _Usable(NamedTuple):
    """What may be learnt from: a part of a benchmark, which of it, and the wanted questions that may not."""

    benchmark: Benchmark
    selection: Selection | None
    left_out: list[LeftOut]


def _without_held_out(benchmark: Benchmark, selection: Selection | None, scenes: Scenes | None) -> _Usable:
    tested = held_out(benchmark, scenes)
    chosen_by = benchmark.columns(*CHOSEN_BY)
    usable, lost = chosen_by.filter(~tested), chosen_by.filter(tested)
    if selection is not None and selection.families:
        lost = lost.filter(pl.col("family").is_in(list(selection.families)))
        emptied = set(lost["family"]) - set(usable["family"])
        families = tuple(family for family in selection.families if family not in emptied)
        usable = usable if families else usable.clear()
        selection = msgspec.structs.replace(selection, families=families)
    if usable.is_empty():
        raise InputError(
            f"no question may be learnt from: of each {HELD_OUT}.",
            path=benchmark.path,
            remedy="Export a benchmark of training scenes, or give --with-held-out (with_held_out=True) all the same.",
        )
    left_out = [LeftOut(question=name, reason=HELD_OUT) for name in lost["id"]]
    return _Usable(replace(benchmark, table=benchmark.rows(usable["id"])), selection, left_out)


def _scaled(benchmark: Benchmark, selection: Selection | None, scale: float | None) -> Selection | None:
    """The selection, with the scale as its sample."""
    if scale is None:
        return selection
    selection = selection or Selection()
    if selection.sample is not None:
        raise InputError(
            "a sample and a scale both say how many questions are learnt from.", remedy="Give one of them."
        )
    rows = selected(benchmark.columns(*CHOSEN_BY), Selection(families=selection.families)).height
    return msgspec.structs.replace(selection, sample=scaled_size(rows, scale))


def _refuse_other_evidence(plan: RunPlan, ego_text: EgoText) -> None:
    if not plan.evidence.is_own or plan.evidence.view != "lidar":
        raise InputError(
            f"training rows show LiDAR features, not the evidence {plan.evidence.name}.",
            remedy="Give --evidence lidar.",
        )
    if plan.setting == "ego" and ego_text != "none":
        raise InputError(
            f"the setting ego puts the ego vehicle's motion into every prompt already, and --ego-text {ego_text} would "
            "put it there twice.",
            remedy="Leave one of them out.",
        )


def _told(prepared: Prepared, motion: ToldMotion) -> Prepared:
    """The same without the questions whose ego motion is to be told and is not known, which are left out."""
    questions = {question.id: question for question, _ in prepared.asked.values()}
    untold = {identity: left for identity, question in questions.items() if (left := motion.missing(question))}
    asked = {key: one for key, one in prepared.asked.items() if one[0].id not in untold}
    return replace(prepared, asked=asked, left_out=(*prepared.left_out, *untold.values()))


class _Rows:
    """Makes training rows of worded questions."""

    def __init__(
        self, evidence: EvidencePlan, kind: EgoText, motion: ToldMotion, scenes: Scenes | None, record: BenchmarkRecord
    ) -> None:
        self._evidence, self._kind, self._motion = evidence, kind, motion
        self._dataset = record.source.fingerprint
        self._spoken = suite_named(record.suite).spoken
        self._names = None if scenes is None else SceneNames(scenes)

    def of(self, item: ExportItem, question: Question) -> TrainingRow:
        """The row of a prompt, with the ego text that the model will be asked with."""
        scene = (self._names and self._names.of(question)) or question.scene
        frames = self._frames(question)
        return TrainingRow(
            scene=scene,
            frames=frames,
            prompt=item.prompt,
            answer=item.answer if self._spoken is None else self._spoken(question),
            ego_text=self._motion.of(question, item.prompt, frames),
            ego_text_kind=self._kind,
            keyframes=question.keyframes,
            dataset=self._dataset,
        )

    def _frames(self, question: Question) -> tuple[int, ...] | None:
        """The key frames shown; null for the whole scene."""
        is_whole = self._evidence.span == "scene" or not question.evidence.frames
        if is_whole and (question.keyframes is None or question.keyframes <= self._evidence.max_frames):
            return None
        return frames_shown(question, self._evidence, question.keyframes or 0)
