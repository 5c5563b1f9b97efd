"""Derives every reference answer of a built LiDAR-Hallu benchmark again, by a path of its own.

The audit reads a question's text and options as a model would, reads the dataset's raw tables by itself, and
measures with other mathematics than the rules; it imports neither `probe4d.scenes` nor anything that builds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.auditing.comparing import TOLERANCE, differences
from probe4d.benchmarks.auditing.suite_audit import SuiteAudit
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.lidar_hallu.audit.answers import Derived, Unanswerable, derive_answer, told_boxes
from probe4d.benchmarks.lidar_hallu.audit.draw import drawn_options
from probe4d.benchmarks.lidar_hallu.audit.events import definition_fault, derive_event, distractor_faults
from probe4d.benchmarks.lidar_hallu.audit.integrity import annotated_again_findings, benchmark_findings, question_faults
from probe4d.benchmarks.lidar_hallu.audit.measuring import MeasuredScene, annotated_again, measure_scene
from probe4d.benchmarks.lidar_hallu.audit.motion_words import ego_motion
from probe4d.benchmarks.lidar_hallu.audit.tables import read_key_frames
from probe4d.benchmarks.lidar_hallu.reading import Asked, about_frames, read_stem
from probe4d.benchmarks.question import Evidence, Question
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["audit"]

_FRAME = "ego at reference LiDAR time: x forward, y left, z up, metres"


class _Parameters(msgspec.Struct, frozen=True):
    """The parameters of the build that decide answers, as `benchmark.json` has them."""

    reference_channel: str
    min_lidar_points: int = 1
    min_margin: float = 0.0
    annotated_sector: tuple[float, float] | None = None
    events_sha256: str | None = None
    distractors: str = "matched"
    per_family: int | None = None

    @property
    def told_events(self) -> bool:
        """Whether B4DL tells of the events."""
        return self.events_sha256 is not None


class _Audit(SuiteAudit[_Parameters, MeasuredScene]):
    """Compares answers, the facts behind them, margins, evidence and identities, numbers to 1e-6.

    Events that B4DL tells of cannot be derived from a dataset: of those, bounds and options are checked.
    """

    parameters_of = _Parameters

    def __init__(self, benchmark: Benchmark, folder: Path, parameters: _Parameters) -> None:
        super().__init__(benchmark, folder, parameters)
        self._annotated_again: list[tuple[str, ...]] = []

    def scenes(self, names: Sequence[str]) -> Iterator[MeasuredScene | None]:
        asked = self.parameters
        measure = partial(measure_scene, min_lidar_points=asked.min_lidar_points, annotated_deg=asked.annotated_sector)
        recorded = read_key_frames(self.folder, channel=asked.reference_channel, scenes=names)
        for name in names:
            yield measure(recorded[name]) if name in recorded else None

    def check(self, scene: MeasuredScene, questions: pl.DataFrame) -> None:
        self._check(scene, questions)
        self._annotated_again += annotated_again(scene, self.parameters.min_lidar_points)

    def check_without_scene(self, name: str, questions: pl.DataFrame) -> None:
        self._check(None, questions)

    def of_the_whole(self) -> Iterator[AuditFinding]:
        yield from benchmark_findings(self.benchmark, per_family=self.parameters.per_family)
        yield from annotated_again_findings(self.benchmark.record, self._annotated_again)

    def _check(self, scene: MeasuredScene | None, questions: pl.DataFrame) -> None:
        asked, seed = self.benchmark.questions, self.benchmark.record.seed
        for place in questions["place"]:
            for what, rule in _faults(asked[place], scene, self.parameters, seed):
                self.findings.add(place, what, rule=rule)


audit = _Audit.audit


def _faults(
    question: Question, scene: MeasuredScene | None, parameters: _Parameters, seed: int | None
) -> Iterator[tuple[str, str | None]]:
    """What is wrong with a question, each with the name of the check; null for the question's own rule."""
    faults = list(question_faults(question))
    yield from ((what, rule) for rule, what in faults)
    if any(rule in ("template", "options", "answer") for rule, _ in faults):
        return
    try:
        for what in _differing(question, scene, parameters, seed):
            yield what, None
    except Unanswerable as error:
        yield f"{error}{_lost(question, scene)}", None


def _lost(question: Question, scene: MeasuredScene | None) -> str:
    """Name the boxes in a question's facts that are not seen, or not then."""
    frames = () if scene is None else scene.annotated
    seen = {(sight.frame, sight.box) for frame in frames for sights in frame.values() for sight in sights}
    lost = sorted(box for frame, box in told_boxes(question) if (frame, box) not in seen)
    return f"; of the boxes in its facts {', '.join(lost)} cannot be measured there" if lost else ""


def _differing(
    question: Question, scene: MeasuredScene | None, parameters: _Parameters, seed: int | None
) -> Iterator[str]:
    if scene is None:
        raise Unanswerable(f"the dataset has no scene {question.scene!r}")
    yield from differences("keyframes", question.keyframes, len(scene.key_frames))
    asked = _asked(question, parameters)
    if question.family == "temporal":
        derived = derive_event(question, asked, scene)
        yield from distractor_faults(
            question, published=parameters.distractors == "published", told=parameters.told_events
        )
    else:
        derived = derive_answer(question, asked, scene)
    if question.options and seed is not None:
        yield from differences("options", question.options, drawn_options(question, asked, seed))
    for name, value in _expected(asked, derived).items():
        tolerance = TOLERANCE
        if name == "margin" and question.family == "position":
            tolerance = _bearing_tolerance_deg(derived)
        yield from differences(name, getattr(question, name), value, tolerance=tolerance)
    yield from _differing_facts(question, asked, derived, scene, parameters)
    if derived.margin is not None and derived.margin < parameters.min_margin - TOLERANCE:
        yield f"the margin {derived.margin:g} is below the benchmark's {parameters.min_margin:g}"


def _asked(question: Question, parameters: _Parameters) -> Asked:
    asked = read_stem(question.template, question.question or "")
    if asked is None:
        raise Unanswerable(f"{question.question!r} is not how {question.template} is worded")
    if question.family == "temporal" and parameters.told_events:
        return Asked()
    if question.family == "temporal" and asked.event is None:
        raise Unanswerable(f"{question.question!r} asks of no event that geometry gives")
    about_ego = question.family == "temporal" and asked.label is None
    confined = None if about_ego else parameters.annotated_sector
    if asked.annotated_deg != confined:
        raise Unanswerable(f"the text confines itself to bearings {asked.annotated_deg}, the benchmark to {confined}")
    return asked


def _expected(asked: Asked, derived: Derived) -> dict[str, Any]:
    """The fields that follow from text and answer, by name."""
    points = [sight.lidar_points for sight in derived.sights]
    known = [count for count in points if count is not None]
    return {
        "answer": derived.answer,
        "rule": derived.rule,
        "relation": asked.relation,
        "frames": asked.frames,
        "entities": () if asked.label is None else (asked.label,),
        "evidence": Evidence(frames=derived.shown),
        "margin": derived.margin,
        "lidar_points": min(known) if known and len(known) == len(points) else None,
        "context": derived.context,
        "features": derived.features,
        "needs": derived.needs,
    }


def _differing_facts(
    question: Question, asked: Asked, derived: Derived, scene: MeasuredScene, parameters: _Parameters
) -> Iterator[str]:
    told_motion = question.facts.get("ego_motion")
    told_text = str(told_motion.get("text")) if isinstance(told_motion, Mapping) else ""
    text = about_frames(question.question or "", question.options)
    facts = {
        "coordinate_frame": _FRAME,
        "min_lidar_points": parameters.min_lidar_points,
        "poses": [{"frame": frame, "token": scene.key_frames[frame].pose_token} for frame in derived.measured_at],
        "objects": [_object(sight) for sight in derived.sights],
        "ego_motion": ego_motion(text, scene.key_frames, told=told_text),
        **derived.facts,
    }
    stored = dict(question.facts)
    if "bearing_deg" in stored and "bearing_deg" in facts:
        yield from differences(
            "facts.bearing_deg",
            stored.pop("bearing_deg"),
            facts.pop("bearing_deg"),
            tolerance=_bearing_tolerance_deg(derived),
        )
    if isinstance(stored.get("event"), dict) and "event" in facts:
        stored["event"] = dict(stored["event"])
        definition = stored["event"].pop("definition", None)
        fault = definition_fault(asked, definition) if asked.event is not None else None
        if fault is not None:
            yield fault
    yield from differences("facts", stored, facts)


def _object(sight: Any) -> dict[str, Any]:
    return {name: value for name, value in sight._asdict().items() if name != "bearing_deg"}


def _bearing_tolerance_deg(derived: Derived) -> float:
    """What a bearing may differ by where its object may be elsewhere by `TOLERANCE` metres."""
    return max(TOLERANCE, 60 * TOLERANCE / max(derived.sights[0].distance_m, TOLERANCE))
