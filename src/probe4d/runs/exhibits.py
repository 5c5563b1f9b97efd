"""What each question shows: which pictures, and the lines of the prompt that list them, or which LiDAR features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from probe4d.benchmarks.question import Question
from probe4d.benchmarks.suite import ANSWERS_SCHEMA
from probe4d.errors import InputError
from probe4d.evidence.pictures import Picture
from probe4d.models.request import FeatureRows
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.frames import Shown, frames_shown, wrong_order
from probe4d.runs.known_scenes import KnownScenes, known_scenes
from probe4d.runs.marks import Marks, marks_of, marks_of_targets
from probe4d.runs.other_scenes import other_scenes
from probe4d.runs.pictured import pictured
from probe4d.runs.reasons import Reasons
from probe4d.runs.run import LeftOut
from probe4d.scenes.tables import Scenes

if TYPE_CHECKING:
    from probe4d.models.lidar_lm.features import FeatureFolder

__all__ = ["Elsewhere", "Exhibit", "Exhibits", "exhibits"]

Elsewhere = Callable[[Sequence[Question], Scenes], pl.DataFrame]
"""Says what would be right if questions were asked of each of some scenes, in the columns of `ANSWERS_SCHEMA`."""


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


def exhibits(
    questions: Sequence[Question],
    plan: EvidencePlan,
    scenes: Scenes | None,
    *,
    features: FeatureFolder | None = None,
    elsewhere: Elsewhere | None = None,
    before_letters: str | None = None,
) -> Exhibits:
    """Choose what every question shows; the choice for one does not depend on the others.

    Args:
        questions: The questions, of one benchmark.
        plan: What is shown with each.
        scenes: Scenes of the dataset that the benchmark was built from; null where nothing is shown, or features are
            that need no dataset.
        features: LiDAR features; null where pictures are shown, or nothing.
        elsewhere: Says what would be right in other scenes; without it any other scene may be shown.
        before_letters: What stands before the letters of objects that are marked in the pictures, such as `object `;
            null where the questions call none by a letter.

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
    marks: dict[str, Marks] = {}
    if before_letters is not None and scenes is not None and features is None:
        asked = [question for question in questions if question.id in shown]
        marks = marks_of(asked, plan.view, scenes, reasons, before_letters=before_letters)
    if scenes is not None and features is None:
        marks |= marks_of_targets([one for one in questions if one.id in shown], plan.view, scenes, reasons)
        shown = {identity: one for identity, one in shown.items() if identity not in reasons}
    if plan.kind == "shuffled":
        shown = _shuffled(shown, plan, reasons)
    elif plan.kind == "other-scene":
        # What is marked is the question's own object, wherever it is shown: nothing is right of it elsewhere.
        asked = [question for question in questions if question.id in shown and question.id not in marks]
        shown = _from_other_scenes(questions, shown, plan, known, _truths(asked, scenes, elsewhere), reasons)
    if features is not None:
        used = (*own.values(), *shown.values())
        features.refuse_other(frames={one.scene: known.keyframes(one.scene) for one in used})
        of = {identity: _of_features(one) for identity, one in shown.items()}
    elif scenes is not None:
        of = {
            identity: _of_pictures(shown[identity], *found)
            for identity, found in pictured(questions, shown, plan, scenes, marks, reasons).items()
        }
    return Exhibits(of, tuple(_left_out(question.id, reasons) for question in questions if question.id in reasons))


def _keyframes_told(questions: Sequence[Question], known: KnownScenes) -> dict[str, int]:
    """Number of key frames of each scene that could be shown, as far as its questions tell it."""
    told = {known.name_of(question): question.keyframes for question in questions}
    return {scene: keyframes for scene, keyframes in told.items() if scene is not None and keyframes is not None}


def _of_features(shown: Shown) -> Exhibit:
    scene = shown.scene if shown.elsewhere else None
    return Exhibit(features=FeatureRows(shown.scene, shown.frames), shown_scene=scene, shown_answer=shown.shown_answer)


def _of_pictures(shown: Shown, pictures: tuple[Picture, ...], text: str) -> Exhibit:
    scene = shown.scene if shown.elsewhere else None
    return Exhibit(pictures, preamble=text, shown_scene=scene, shown_answer=shown.shown_answer)


def _truths(questions: Sequence[Question], scenes: Scenes | None, elsewhere: Elsewhere | None) -> pl.DataFrame:
    """What would be right in other scenes, in the columns of `ANSWERS_SCHEMA`."""
    if elsewhere is None:
        return pl.DataFrame(schema=ANSWERS_SCHEMA)
    if scenes is None:
        raise InputError(
            "which other scene has another right answer is measured in the dataset.",
            remedy="Give the dataset that the benchmark was built from (scenes=, --data).",
        )
    return elsewhere(questions, scenes)


def _left_out(identity: str, reasons: Reasons) -> LeftOut:
    reason, detail = reasons[identity]
    return LeftOut(question=identity, reason=reason, detail=detail)


def _own_frames(
    questions: Sequence[Question], plan: EvidencePlan, known: KnownScenes, reasons: Reasons
) -> dict[str, Shown]:
    shown: dict[str, Shown] = {}
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
        shown[question.id] = Shown(scene, frames, frames)
    return shown


def _shuffled(shown: Mapping[str, Shown], plan: EvidencePlan, reasons: Reasons) -> dict[str, Shown]:
    mixed: dict[str, Shown] = {}
    for identity, own in shown.items():
        if len(own.frames) < 2:
            reasons[identity] = ("it shows fewer than two key frames, which have no wrong order", None)
        else:
            mixed[identity] = Shown(own.scene, wrong_order(own.frames, seed=plan.seed, key=identity), own.labels)
    return mixed


def _from_other_scenes(
    questions: Sequence[Question],
    shown: Mapping[str, Shown],
    plan: EvidencePlan,
    known: KnownScenes,
    answers: pl.DataFrame,
    reasons: Reasons,
) -> dict[str, Shown]:
    placed = [question for question in questions if question.id in shown]
    own = {identity: one.scene for identity, one in shown.items()}
    chosen = other_scenes(placed, own, known.lengths, answers, seed=plan.seed)
    replaced: dict[str, Shown] = {}
    for identity, one in shown.items():
        if identity in chosen:
            scene, answer = chosen[identity]
            replaced[identity] = Shown(scene, one.frames, one.labels, elsewhere=True, shown_answer=answer)
        else:
            reasons[identity] = ("no other scene as long as its own has another right answer to it", one.scene)
    return replaced
