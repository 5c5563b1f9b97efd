"""Whether a checkpoint can be asked as wanted, as far as can be told before torch is imported and weights are read."""

from __future__ import annotations

from pathlib import Path

from probe4d.models.lidar_lm.answering_options import LidarArguments, LidarOptions, refuse_other_layout
from probe4d.models.lidar_lm.checkpoints.record import (
    base_folder,
    is_released,
    read_record,
    refuse_ego_text,
    refuse_no_checkpoint,
)
from probe4d.models.lidar_lm.checkpoints.released_record import LAYOUT, released_base
from probe4d.models.lidar_lm.features import FeatureFolder

__all__ = ["refuse_unfit_checkpoint"]


def refuse_unfit_checkpoint(
    checkpoint: Path, options: LidarOptions, arguments: LidarArguments, features: FeatureFolder | None
) -> None:
    """Refuse what a checkpoint cannot be asked with, by what it says of itself.

    Args:
        checkpoint: Its folder.
        options: How it is asked.
        arguments: What it is opened with.
        features: The features that it is shown; null where none are.

    Raises:
        InputError: The folder is no checkpoint, its base is not there, or it was trained with another layout, other
            features, or an ego text that it says itself.
    """
    refuse_no_checkpoint(checkpoint)
    base = None if arguments.base is None else Path(arguments.base)
    if is_released(checkpoint):
        released_base(checkpoint, base)
        refuse_other_layout(LAYOUT, options, checkpoint)
        return
    record = read_record(checkpoint)
    refuse_ego_text(checkpoint, record, arguments.ego_text)
    base_folder(checkpoint, record, base)
    refuse_other_layout(record.layout, options, checkpoint)
    if features is not None:
        said = features.record.encoder is not None  # where it is not, the model warns of it once it is opened
        features.refuse_other(encoder=record.encoder if said else None, width=record.feature_width)
