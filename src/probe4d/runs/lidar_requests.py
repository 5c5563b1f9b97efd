"""What a request to a LiDAR language model says beside its text: features, ego motion, seeds, temporal contrast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import msgspec

from probe4d.benchmarks.question import LETTERS, Question
from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.lidar_lm.answering_options import LidarOptions
from probe4d.models.lidar_lm.decoding.shuffling import shuffled_order
from probe4d.models.request import Contrast, Request
from probe4d.runs.exhibits import Exhibit
from probe4d.runs.plan import RunPlan
from probe4d.runs.settings import Setting, TemporalContrast, Variant
from probe4d.runs.told_motion import ToldMotion

if TYPE_CHECKING:
    from probe4d.models.lidar_lm.features import FeatureFolder

__all__ = ["FeatureReader", "LidarRequests", "refuse_unfit_setting"]

_SHUFFLE_SEED = 42
_SAMPLING_SEED = 1234
_SEEDS_APART = 1_000_000
"""Between two seeds of one question, so that no other question of a family is drawn with either."""


@runtime_checkable
class FeatureReader(Protocol):
    """A model that reads LiDAR features."""

    @property
    def features(self) -> FeatureFolder | None:
        """The features that it is shown; null where none are."""

    @property
    def ego_text(self) -> EgoText:
        """Which text about the ego vehicle it is asked with."""

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was opened with, for the run's record."""

    def drawing(self, *, is_contrasted: bool) -> dict[str, Any]:
        """How tokens are drawn, with contrast or without: `sampling`, and generation options with their values."""

    def prompt_text(self, question: str, ego_text: str | None = None) -> str:
        """What is read before the answer, as one text."""

    def prompt_tokens(self, request: Request) -> int:
        """Count the tokens of a request, without its feature rows."""


class LidarRequests:
    """Completes requests for a LiDAR language model.

    Seeds are those of LiDAR-Hallu (section V-B): 1234 and 42, plus the question's place in its family's file.

    Args:
        motion: What the model is told of the ego vehicle's motion.
        contrast: Temporal contrast of the setting; null decodes plainly.
        seed: Seed of the first question of each family; null takes LiDAR-Hallu's.
    """

    def __init__(self, motion: ToldMotion, contrast: TemporalContrast | None, *, seed: int | None = None) -> None:
        self._motion = motion
        self._contrast = contrast
        self._seed = _SAMPLING_SEED if seed is None else seed

    def completed(self, request: Request, question: Question, variant: Variant, exhibit: Exhibit) -> Request:
        """The request with what only a LiDAR language model takes.

        Raises:
            InputError: The question's ego motion is not known.
        """
        return msgspec.structs.replace(
            request,
            features=exhibit.features,
            contrast=self._contrasted(question.order, exhibit),
            ego_text=self._motion.of(question, request.text, exhibit.frames),
            labels=_labels(question),
            seed=self._seed + question.order + _SEEDS_APART * (variant.seed_offset or 0),
        )

    def _contrasted(self, order: int, exhibit: Exhibit) -> Contrast | None:
        if self._contrast is None or exhibit.features is None:
            return None
        rows = len(exhibit.features.frames)
        shuffled = shuffled_order(rows, _SHUFFLE_SEED + order) if self._contrast.is_shuffled else range(rows)
        return Contrast(alpha=self._contrast.alpha, order=tuple(shuffled))


def _labels(question: Question) -> tuple[str, ...]:
    """The labels by which a question can be answered; none of a word, a number or free text."""
    if question.format == "yes-no":
        return ("Yes", "No")
    return tuple(LETTERS[: len(question.options)]) if question.format == "choice" else ()


def refuse_unfit_setting(setting: Setting, plan: RunPlan, *, of_lidar: bool) -> None:
    """Refuse a setting or options that a model cannot be asked with.

    Args:
        setting: How questions are asked.
        plan: What is asked and how.
        of_lidar: Whether the model is a LiDAR language model.

    Raises:
        InputError: It cannot.
    """
    if not of_lidar and plan.lidar != LidarOptions():
        raise InputError(
            "sampling, keep_logits, layout and force (--sampling, --keep-logits, --layout, --force) are options of "
            "LiDAR language models.",
            remedy="Leave them out, or give --model lidar-lm:CHECKPOINT.",
        )
    if setting.contrast is not None and (not of_lidar or plan.evidence.view != "lidar"):
        raise InputError(
            f"the setting {setting.name} contrasts the feature rows that a LiDAR language model is shown.",
            remedy="Give --model lidar-lm:CHECKPOINT with --features, or another setting.",
        )
    if of_lidar and setting.layout == "ego":
        raise InputError(
            "a LiDAR language model is asked with the ego-motion text that it was trained with.",
            remedy=f"Leave the setting {setting.name} out.",
        )
