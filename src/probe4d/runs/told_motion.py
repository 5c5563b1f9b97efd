"""What a LiDAR language model is told of the ego vehicle's motion with a question, in asking and in training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from probe4d.benchmarks.question import Question
from probe4d.benchmarks.source import SceneNames
from probe4d.errors import InputError
from probe4d.evidence.ego_text import EgoTexts
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.runs.run import LeftOut
from probe4d.scenes.tables import Scenes

__all__ = ["ToldMotion", "held_text"]


class ToldMotion:
    """Finds the ego-motion text that goes with a question.

    Args:
        kind: Which text.
        scenes: The scenes whose ego motion is told; null where the questions hold it.

    Raises:
        InputError: The text needs the dataset.
    """

    def __init__(self, kind: EgoText, scenes: Scenes | None) -> None:
        if kind == "paper" and scenes is None:
            raise InputError(
                "the ego-motion text of the B4DL paper is measured in the dataset.",
                remedy="Give the dataset that the benchmark was built from (scenes=, --data).",
            )
        self._kind = kind
        self._names = None if scenes is None else SceneNames(scenes)
        self._texts = None if kind == "none" or scenes is None else EgoTexts(scenes.keyframes, kind)

    def of(self, question: Question, text: str, frames: Sequence[int] | None) -> str | None:
        """The text that goes with a question; null where none is told.

        Args:
            question: The question.
            text: Its whole text, with options and directive.
            frames: Key frames that are shown with it; null where the whole scene is, or nothing.

        Raises:
            InputError: The question's ego motion is not known (see `missing`).
        """
        if self._kind == "none":
            return None
        held = self._held(question)
        if held is not None:
            return held
        scene = self._scene(question)
        if self._texts is None or scene is None:
            raise InputError(
                "the question holds no ego-motion text, which the model is asked with.",
                row=f"question {question.id}",
                remedy="Give the dataset that the benchmark was built from (scenes=, --data).",
            )
        return self._texts.of(scene, text, frames)

    def missing(self, question: Question) -> LeftOut | None:
        """Why a question cannot be asked with its ego-motion text; null where it can."""
        if self._kind == "none" or self._held(question) is not None or self._scene(question) is not None:
            return None
        return LeftOut(
            question=question.id,
            reason="its ego motion, which the model is asked with, is not known",
            detail=f"{question.scene} (a dataset, scenes= or --data, may tell it)",
        )

    def _held(self, question: Question) -> str | None:
        return held_text(question) if self._kind == "question" else None

    def _scene(self, question: Question) -> str | None:
        return None if self._names is None else self._names.of(question)


def held_text(question: Question) -> str | None:
    """LiDAR-Hallu's ego-motion text, where the question holds it."""
    motion = question.facts.get("ego_motion")
    text = motion.get("text") if isinstance(motion, Mapping) else None
    return text if isinstance(text, str) else None
