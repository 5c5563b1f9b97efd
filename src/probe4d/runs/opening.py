"""Opens the model that a run names: one that inspect-ai reaches, or a LiDAR language model on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from probe4d.errors import InputError
from probe4d.models.hosted import open_model
from probe4d.models.request import Model
from probe4d.runs.plan import Course, RunPlan
from probe4d.wording import listed

if TYPE_CHECKING:
    from probe4d.models.lidar_lm.answering import LidarModel

__all__ = ["open_named", "open_reader"]

_ARGUMENTS = ("base", "device")
"""What a LiDAR language model is opened with beside its options: its base's folder, and where it runs."""


def open_reader(name: str, plan: RunPlan, *, features: Path | str | None, course: Course | None = None) -> LidarModel:
    """Open a LiDAR language model by its name.

    Args:
        name: `lidar-lm:` and the folder of a checkpoint.
        plan: What is asked and how.
        features: Folder of the features that it is shown; null where it is shown none.
        course: Requests at once, which are decoded together; null takes the usual ones.

    Raises:
        InputError: A package of the extra `lidar` is missing, or checkpoint and features cannot be used.
    """
    from probe4d.models.lidar_lm.needs import refuse_missing

    refuse_missing()
    from probe4d.models.lidar_lm.answering import LidarModel
    from probe4d.models.lidar_lm.features import FeatureFolder

    if unknown := sorted(plan.arguments.keys() - _ARGUMENTS):
        raise InputError(
            f"a LiDAR language model takes no argument {unknown[0]!r}.",
            remedy=f"It takes {listed(_ARGUMENTS)} (as -M NAME=VALUE).",
        )
    if plan.base_url is not None:
        raise InputError(f"{name} runs here, and has no server.", remedy="Leave base_url (--base-url) out.")
    if (plan.evidence.view == "lidar") != (features is not None):
        raise InputError(
            f"with the evidence {plan.evidence.name} a LiDAR language model is shown "
            + ("features, of which there is no folder." if features is None else "no features."),
            remedy="Give a folder that `probe4d encode` wrote (features=, --features)."
            if features is None
            else "Leave the folder of features out (features=, --features), or give the evidence lidar.",
        )
    return LidarModel(
        name,
        None if features is None else FeatureFolder(features),
        options=plan.lidar,
        generation=plan.generation,
        max_connections=(course or Course()).max_connections,
        **plan.arguments,
    )


def open_named(name: str, plan: RunPlan, course: Course) -> Model:
    """Open a model that inspect-ai reaches, by its name (see `probe4d.models.hosted.open_model`)."""
    return open_model(
        name,
        base_url=plan.base_url,
        arguments=plan.arguments,
        generation=plan.generation,
        max_connections=course.max_connections,
        max_retries=course.max_retries,
        timeout_s=course.timeout_s,
    )
