"""Opens the model that a run names: one that inspect-ai reaches, or a LiDAR language model on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from probe4d.errors import InputError
from probe4d.models.course import Course
from probe4d.models.hosted_job import HostedModel
from probe4d.models.lidar_lm.answering_options import PREFIX, LidarArguments, LidarOptions, refuse_foreign
from probe4d.models.request import Model
from probe4d.runs.lidar_requests import refuse_unfit_setting
from probe4d.runs.plan import RunPlan
from probe4d.runs.requests import hints_of
from probe4d.runs.settings import Setting, setting_named
from probe4d.wording import listed

if TYPE_CHECKING:
    from probe4d.models.lidar_lm.answering import LidarModel

__all__ = ["open_named", "open_reader"]


def open_reader(name: str, plan: RunPlan, *, features: Path | str | None, course: Course | None = None) -> LidarModel:
    """Open a LiDAR language model by its name.

    What can be refused without the model is refused before torch is imported, which takes its time.

    Args:
        name: `lidar-lm:` and the folder of a checkpoint.
        plan: What is asked and how.
        features: Folder of the features that it is shown; null where it is shown none.
        course: Requests at once, which are decoded together; null takes the usual ones.

    Raises:
        InputError: A package of the extra `lidar` is missing, or checkpoint and features cannot be used.
    """
    setting = setting_named(plan.setting)
    arguments = _arguments(plan)
    _refuse_options(name, plan, setting, shows_features=features is not None)
    checkpoint = Path(name.removeprefix(PREFIX))
    if name == PREFIX or not checkpoint.is_dir():
        raise InputError(
            f"{name} names no folder of a checkpoint.",
            remedy=f"Give {PREFIX} and a folder that `probe4d train` wrote, or a released one.",
        )
    from probe4d.models.lidar_lm.features import FeatureFolder
    from probe4d.models.lidar_lm.fitting import refuse_unfit_checkpoint
    from probe4d.models.lidar_lm.needs import refuse_missing

    refuse_missing()
    shown = None if features is None else FeatureFolder(features)
    options = _lidar_options(plan, setting)
    refuse_unfit_checkpoint(checkpoint, options, arguments, shown)
    from probe4d.models.lidar_lm.answering import LidarModel

    return LidarModel(
        name,
        shown,
        options=options,
        generation=msgspec.structs.replace(plan.generation, **hints_of(setting, plan.generation)),
        max_connections=(course or Course()).connections(name),
        arguments=arguments,
    )


def _arguments(plan: RunPlan) -> LidarArguments:
    """What the plan's arguments say to a LiDAR language model."""
    known = LidarArguments.__struct_fields__
    if unknown := sorted(plan.arguments.keys() - set(known)):
        raise InputError(
            f"a LiDAR language model takes no argument {unknown[0]!r}.",
            remedy=f"It takes {listed(known)} (as -M NAME=VALUE).",
        )
    try:
        return msgspec.convert(plan.arguments, LidarArguments)
    except msgspec.ValidationError as error:
        raise InputError(
            f"a LiDAR language model takes no such argument ({error}).",
            remedy="Give folder and device as text, and none, question or paper as ego_text (as -M NAME=VALUE).",
        ) from error


def _refuse_options(name: str, plan: RunPlan, setting: Setting, *, shows_features: bool) -> None:
    """Refuse what no LiDAR language model can be asked, whichever it is."""
    refuse_foreign(plan.generation)
    refuse_unfit_setting(setting, plan, of_lidar=True)
    if plan.base_url is not None:
        raise InputError(f"{name} runs here, and has no server.", remedy="Leave base_url (--base-url) out.")
    if (plan.evidence.view == "lidar") != shows_features:
        raise InputError(
            f"with the evidence {plan.evidence.name} a LiDAR language model is shown "
            + ("no features." if shows_features else "features, of which there is no folder."),
            remedy="Give the evidence lidar, or none and no folder of features (features=, --features)."
            if shows_features
            else "Give a folder that `probe4d encode` wrote (features=, --features).",
        )
    if setting.contrast is not None and plan.lidar.sampling == "released":
        raise InputError(
            f"the setting {setting.name} draws from all tokens, which is the sampling same, not released.",
            remedy="Leave the sampling out (sampling, --sampling).",
        )
    if plan.generation.top_p is not None and _lidar_options(plan, setting).sampling == "same":
        raise InputError(
            "where tokens are drawn from all, top_p (--top-p) has no effect.",
            remedy="Leave it out, or ask in the setting default with the sampling released.",
        )


def _lidar_options(plan: RunPlan, setting: Setting) -> LidarOptions:
    usual = "released" if setting.contrast is None else "same"
    return msgspec.structs.replace(plan.lidar, sampling=plan.lidar.sampling or usual)


def open_named(name: str, plan: RunPlan, course: Course) -> Model:
    """Open a model that inspect-ai reaches, by its name (see `probe4d.models.hosted.open_model`)."""
    asked = HostedModel(name=name, base_url=plan.base_url, arguments=plan.arguments, generation=plan.generation)
    return asked.opened(course)
