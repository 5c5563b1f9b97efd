"""What each question shows: which pictures, and the lines of the prompt that list them, or which LiDAR features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from probe4d.benchmarks.question import Question
from probe4d.benchmarks.suite import ANSWERS_SCHEMA
from probe4d.errors import InputError
from probe4d.evidence.camera_grid import SURROUND
from probe4d.evidence.pictures import Picture, View
from probe4d.evidence.sources import Sources
from probe4d.models.request import FeatureRows
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.frames import frames_shown, wrong_order
from probe4d.runs.known_scenes import KnownScenes, known_scenes
from probe4d.runs.other_scenes import other_scenes
from probe4d.runs.preamble import preamble
from probe4d.runs.run import LeftOut
from probe4d.scenes.tables import Scenes

if TYPE_CHECKING:
    from probe4d.models.lidar_lm.features import FeatureFolder

__all__ = ["Elsewhere", "Exhibit", "Exhibits", "exhibits"]

Elsewhere = Callable[[Sequence[Question], Scenes], pl.DataFrame]
"""Says what would be right if questions were asked of each of some scenes, in the columns of `ANSWERS_SCHEMA`."""

Reasons = dict[str, tuple[str, str | None]]
"""Why questions cannot be asked with some evidence, by their ids: the reason, and what it was for this question."""


@dataclass(frozen=True)
class Exhibit:
    """What one question shows.

    Attributes:
        pictures: In the order shown.
        features: LiDAR features, where these are shown instead of pictures.
        preamble: Text before the question that lists the pictures; empty without.
        shown_scene: Scene shown, where it is not the question's own.
        shown_answer: The reference answer that the question would have in that scene; null without one.
    """

    pictures: tuple[Picture, ...] = ()
    features: FeatureRows | None = None
    preamble: str = ""
    shown_scene: str | None = None
    shown_answer: str | None = None

    @property
    def frames(self) -> tuple[int, ...] | None:
        """Key frames in the order shown; null where nothing is."""
        if self.features is not None:
            return self.features.frames
        return tuple(picture.frame for picture in self.pictures) or None


@dataclass(frozen=True)
class Exhibits:
    """What the questions of a run show.

    Attributes:
        of: Exhibit by question id.
        left_out: Questions that cannot be asked with this evidence, in the order of the questions.
    """

    of: dict[str, Exhibit]
    left_out: tuple[LeftOut, ...] = field(default=())


@dataclass(frozen=True)
class _Shown:
    """The key frames that a question shows, and those whose numbers it shows them under.

    `elsewhere` tells that the scene is not the question's own, and `shown_answer` what would be right in it.
    """

    scene: str
    frames: tuple[int, ...]
    labels: tuple[int, ...]
    elsewhere: bool = False
    shown_answer: str | None = None


def exhibits(
    questions: Sequence[Question],
    plan: EvidencePlan,
    scenes: Scenes | None,
    *,
    features: FeatureFolder | None = None,
    elsewhere: Elsewhere | None = None,
) -> Exhibits:
    """Choose what every question shows; the choice for one does not depend on the others.

    Args:
        questions: The questions, of one benchmark.
        plan: What is shown with each.
        scenes: Scenes of the dataset that the benchmark was built from; null where nothing is shown, or features are
            that need no dataset.
        features: LiDAR features; null where pictures are shown, or nothing.
        elsewhere: Says what would be right in other scenes; without it any other scene may be shown.

    Raises:
        InputError: The plan needs scenes or features, and there are none; or features of a scene that is asked
            about or shown cannot be read, or have another number of key frames than its questions or the dataset say.
    """
    if plan.kind == "none":
        nothing = Exhibit()
        return Exhibits({question.id: nothing for question in questions})
    shows_features = plan.view == "lidar"
    if shows_features != (features is not None):
        raise InputError(
            f"the evidence {plan.name} is shown to LiDAR language models, with their features, and to no others."
            if shows_features
            else f"a LiDAR language model is shown features, not {plan.name}.",
            remedy="Give --model lidar-lm:CHECKPOINT with --features, or other evidence.",
        )
    known = known_scenes(scenes, features)
    if features is not None:
        features.refuse_other(frames=_keyframes_told(questions, known))
    reasons: Reasons = {}
    own = shown = _own_frames(questions, plan, known, reasons)
    if plan.kind == "shuffled":
        shown = _shuffled(shown, plan, reasons)
    elif plan.kind == "other-scene":
        shown = _from_other_scenes(questions, shown, plan, known, _truths(questions, shown, scenes, elsewhere), reasons)
    if features is not None:
        used = (*own.values(), *shown.values())
        features.refuse_other(frames={one.scene: known.keyframes(one.scene) for one in used})
        of = {identity: _of_features(one) for identity, one in shown.items()}
    elif scenes is not None:
        of = _exhibited(_pictures(questions, shown, plan, scenes), shown, Sources(scenes), reasons)
    return Exhibits(of, tuple(_left_out(question.id, reasons) for question in questions if question.id in reasons))


def _keyframes_told(questions: Sequence[Question], known: KnownScenes) -> dict[str, int]:
    """Number of key frames of each scene that could be shown, as far as its questions tell it."""
    told = {known.name_of(question): question.keyframes for question in questions}
    return {scene: keyframes for scene, keyframes in told.items() if scene is not None and keyframes is not None}


def _of_features(shown: _Shown) -> Exhibit:
    scene = shown.scene if shown.elsewhere else None
    return Exhibit(features=FeatureRows(shown.scene, shown.frames), shown_scene=scene, shown_answer=shown.shown_answer)


def _truths(
    questions: Sequence[Question], shown: Mapping[str, _Shown], scenes: Scenes | None, elsewhere: Elsewhere | None
) -> pl.DataFrame:
    """What would be right in other scenes, in the columns of `ANSWERS_SCHEMA`."""
    if elsewhere is None:
        return pl.DataFrame(schema=ANSWERS_SCHEMA)
    if scenes is None:
        raise InputError(
            "which other scene has another right answer is measured in the dataset.",
            remedy="Give the dataset that the benchmark was built from (scenes=, --data).",
        )
    return elsewhere([question for question in questions if question.id in shown], scenes)


def _left_out(identity: str, reasons: Reasons) -> LeftOut:
    reason, detail = reasons[identity]
    return LeftOut(question=identity, reason=reason, detail=detail)


def _own_frames(
    questions: Sequence[Question], plan: EvidencePlan, known: KnownScenes, reasons: Reasons
) -> dict[str, _Shown]:
    shown: dict[str, _Shown] = {}
    for question in questions:
        scene = known.name_of(question)
        if scene is None:
            what = "dataset" if plan.view != "lidar" else "features"
            reasons[question.id] = (f"its scene is not in the {what}", f"{question.scene} is not in {known.where}")
            continue
        keyframes = known.keyframes(scene)
        frames = frames_shown(question, plan, keyframes)
        if not frames:
            reasons[question.id] = ("its scene has no key frames", scene)
            continue
        if beyond := [frame for frame in frames if not 0 <= frame < keyframes]:
            detail = f"it shows key frame {beyond[0]}, and {scene} has {keyframes}"
            reasons[question.id] = ("it shows key frames that its scene does not have", detail)
            continue
        shown[question.id] = _Shown(scene, frames, frames)
    return shown


def _shuffled(shown: Mapping[str, _Shown], plan: EvidencePlan, reasons: Reasons) -> dict[str, _Shown]:
    mixed: dict[str, _Shown] = {}
    for identity, own in shown.items():
        if len(own.frames) < 2:
            reasons[identity] = ("it shows fewer than two key frames, which have no wrong order", None)
        else:
            mixed[identity] = _Shown(own.scene, wrong_order(own.frames, seed=plan.seed, key=identity), own.labels)
    return mixed


def _from_other_scenes(
    questions: Sequence[Question],
    shown: Mapping[str, _Shown],
    plan: EvidencePlan,
    known: KnownScenes,
    answers: pl.DataFrame,
    reasons: Reasons,
) -> dict[str, _Shown]:
    placed = [question for question in questions if question.id in shown]
    own = {identity: one.scene for identity, one in shown.items()}
    chosen = other_scenes(placed, own, known.lengths, answers, seed=plan.seed)
    replaced: dict[str, _Shown] = {}
    for identity, one in shown.items():
        if identity in chosen:
            scene, answer = chosen[identity]
            replaced[identity] = _Shown(scene, one.frames, one.labels, elsewhere=True, shown_answer=answer)
        else:
            reasons[identity] = ("no other scene as long as its own has another right answer to it", one.scene)
    return replaced


def _pictures(
    questions: Sequence[Question], shown: Mapping[str, _Shown], plan: EvidencePlan, scenes: Scenes
) -> dict[str, tuple[Picture, ...]]:
    """The pictures of each question; cameras among the views that it lists narrow the grid down to them."""
    others = scenes.sensors.filter(pl.col("modality") != "camera")["channel"].unique().to_list()
    view: View = "birds-eye" if plan.view == "birds-eye" else "cameras"
    pictures: dict[str, tuple[Picture, ...]] = {}
    for question in questions:
        if (one := shown.get(question.id)) is None:
            continue
        listed = question.evidence.views if view == "cameras" else ()
        channels = tuple(channel for channel in listed if channel not in others)
        pictures[question.id] = tuple(
            Picture(view, one.scene, frame, label, channels, plan.kind == "black")
            for frame, label in zip(one.frames, one.labels, strict=True)
        )
    return pictures


def _exhibited(
    pictures: Mapping[str, tuple[Picture, ...]],
    shown: Mapping[str, _Shown],
    sources: Sources,
    reasons: Reasons,
) -> dict[str, Exhibit]:
    """Exhibits of the questions whose pictures can be made; for the others the first thing that is missing."""
    missing = sources.missing(picture for several in pictures.values() for picture in several)
    of: dict[str, Exhibit] = {}
    for identity, several in pictures.items():
        lacking = next((missing[picture] for picture in several if picture in missing), None)
        if lacking is not None:
            reasons[identity] = ("a reading, or its file, of what it would show is missing", lacking)
            continue
        one = shown[identity]
        lines = preamble(several, _cameras(several[0], sources))
        of[identity] = Exhibit(
            several,
            preamble=lines,
            shown_scene=one.scene if one.elsewhere else None,
            shown_answer=one.shown_answer,
        )
    return of


def _cameras(picture: Picture, sources: Sources) -> tuple[str, ...]:
    """Cameras of a grid in its order; those of nuScenes where a blank one stands for a scene without cameras."""
    if picture.view != "cameras":
        return ()
    cameras = tuple(sources.cameras(picture.scene)) or tuple(SURROUND)
    return tuple(channel for channel in cameras if channel in (picture.channels or cameras))
