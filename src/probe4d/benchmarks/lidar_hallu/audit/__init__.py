"""Derives every reference answer of a built LiDAR-Hallu benchmark again, by a path of its own.

The audit reads a question's text and options as a model would, reads the dataset's raw tables by itself, and
measures with other mathematics than the rules; it imports neither the rules nor `probe4d.scenes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.lidar_hallu.audit.answers import Derived, Unanswerable, derive_answer, told_boxes
from probe4d.benchmarks.lidar_hallu.audit.comparing import TOLERANCE, differences
from probe4d.benchmarks.lidar_hallu.audit.events import definition_fault, derive_event, distractor_faults
from probe4d.benchmarks.lidar_hallu.audit.integrity import benchmark_findings, question_faults
from probe4d.benchmarks.lidar_hallu.audit.measuring import MeasuredScene, measure_scene
from probe4d.benchmarks.lidar_hallu.audit.motion_words import ego_motion
from probe4d.benchmarks.lidar_hallu.audit.tables import read_key_frames
from probe4d.benchmarks.lidar_hallu.audit.wording import Asked, about_frames, read_stem
from probe4d.benchmarks.question import Evidence, Question
from probe4d.benchmarks.suite import Finding
from probe4d.errors import InputError

__all__ = ["audit"]

_FRAME = "ego at reference LiDAR time: x forward, y left, z up, metres"


class _Measuring(NamedTuple):
    """The parameters of the build that decide answers."""

    min_lidar_points: int
    min_margin: float
    annotated_deg: tuple[float, float] | None
    told_events: bool
    published_distractors: bool


def audit(benchmark: Benchmark, dataroot: Path | str) -> list[Finding]:
    """Derive every answer of a benchmark again and check what the benchmark promises of itself.

    Answers, the facts behind them (positions in metres, bearings in degrees, tokens of ego poses and boxes,
    ego-motion text), margins, evidence and identities are compared to 1e-6. Events that B4DL tells of cannot be
    derived from a dataset: of those, bounds and options are checked.

    Args:
        benchmark: A benchmark that was built, not imported.
        dataroot: Folder of the dataset that it was built from, or the folder of tables to use inside it.

    Returns:
        Every difference, by question in benchmark order, then those of the benchmark as a whole.

    Raises:
        InputError: The benchmark was imported, or the dataset's tables cannot be read.
    """
    record = benchmark.record
    if record.parameters.get("imported"):
        raise InputError(
            "was imported, not built: its answers are the release's, and no dataset holds what they follow from.",
            path=benchmark.path,
            remedy="Check a benchmark that `probe4d build` wrote.",
        )
    measuring = _measuring(benchmark)
    folder = _tables(Path(dataroot), record.source.version)
    names = {question.scene for question in benchmark.questions}
    channel = str(record.parameters.get("reference_channel"))
    scenes = {
        name: measure_scene(
            key_frames, min_lidar_points=measuring.min_lidar_points, annotated_deg=measuring.annotated_deg
        )
        for name, key_frames in read_key_frames(folder, channel=channel, scenes=names).items()
    }
    findings = [finding for question in benchmark.questions for finding in _question(question, scenes, measuring)]
    return [*findings, *benchmark_findings(benchmark)]


def _measuring(benchmark: Benchmark) -> _Measuring:
    parameters = benchmark.record.parameters
    annotated = parameters.get("annotated_sector")
    return _Measuring(
        min_lidar_points=int(parameters.get("min_lidar_points", 1)),
        min_margin=float(parameters.get("min_margin", 0.0)),
        annotated_deg=None if annotated is None else (float(annotated[0]), float(annotated[1])),
        told_events=parameters.get("events") is not None,
        published_distractors=parameters.get("distractors") == "published",
    )


def _tables(dataroot: Path, version: str) -> Path:
    for folder in (dataroot, dataroot / version):
        if (folder / "sample_annotation.json").is_file():
            return folder
    raise InputError(
        f"holds no tables of version {version!r}, which the benchmark was built from.",
        path=dataroot,
        remedy="Give the dataset's folder, or name another version with --version.",
    )


def _question(question: Question, scenes: Mapping[str, MeasuredScene], measuring: _Measuring) -> Iterator[Finding]:
    faults = list(question_faults(question))
    yield from (Finding(question=question.id, rule=rule, what=f"{what}.") for rule, what in faults)
    if any(rule in ("template", "options", "answer") for rule, _ in faults):
        return
    try:
        for what in _differing(question, scenes, measuring):
            yield Finding(question=question.id, rule=question.rule, what=f"{what}.")
    except Unanswerable as error:
        what = f"{error}{_lost(question, scenes)}."
        yield Finding(question=question.id, rule=question.rule, what=what)


def _lost(question: Question, scenes: Mapping[str, MeasuredScene]) -> str:
    """Name the boxes in a question's facts that are not seen, or not then."""
    frames = scenes[question.scene].annotated if question.scene in scenes else ()
    seen = {(sight.frame, sight.box) for frame in frames for sights in frame.values() for sight in sights}
    lost = sorted(box for frame, box in told_boxes(question) if (frame, box) not in seen)
    return f"; of the boxes in its facts {', '.join(lost)} cannot be measured there" if lost else ""


def _differing(question: Question, scenes: Mapping[str, MeasuredScene], measuring: _Measuring) -> Iterator[str]:
    scene = scenes.get(question.scene)
    if scene is None:
        raise Unanswerable(f"the dataset has no scene {question.scene!r}")
    yield from differences("keyframes", question.keyframes, len(scene.key_frames))
    asked = _asked(question, measuring)
    if question.family == "temporal":
        derived = derive_event(question, asked, scene)
        yield from distractor_faults(question, published=measuring.published_distractors)
    else:
        derived = derive_answer(question, asked, scene)
    for name, value in _expected(asked, derived).items():
        tolerance = TOLERANCE
        if name == "margin" and question.family == "position":
            tolerance = _bearing_tolerance_deg(derived)
        yield from differences(name, getattr(question, name), value, tolerance=tolerance)
    yield from _differing_facts(question, asked, derived, scene, measuring)
    if derived.margin is not None and derived.margin < measuring.min_margin - TOLERANCE:
        yield f"the margin {derived.margin:g} is below the benchmark's {measuring.min_margin:g}"


def _asked(question: Question, measuring: _Measuring) -> Asked:
    asked = read_stem(question.template, question.question or "")
    if asked is None:
        raise Unanswerable(f"{question.question!r} is not how {question.template} is worded")
    if question.family == "temporal" and measuring.told_events:
        return Asked()
    if question.family == "temporal" and asked.event is None:
        raise Unanswerable(f"{question.question!r} asks of no event that geometry gives")
    about_ego = question.family == "temporal" and asked.label is None
    confined = None if about_ego else measuring.annotated_deg
    if confined is not None:
        confined = (float(f"{confined[0]:g}"), float(f"{confined[1]:g}"))  # as the text writes them
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
    question: Question, asked: Asked, derived: Derived, scene: MeasuredScene, measuring: _Measuring
) -> Iterator[str]:
    told_motion = question.facts.get("ego_motion")
    told_text = str(told_motion.get("text")) if isinstance(told_motion, Mapping) else ""
    text = about_frames(question.question or "", question.options)
    facts = {
        "coordinate_frame": _FRAME,
        "min_lidar_points": measuring.min_lidar_points,
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
