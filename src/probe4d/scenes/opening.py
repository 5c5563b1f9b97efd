"""Opens a dataset."""

from __future__ import annotations

from pathlib import Path

from probe4d.scenes.nuscenes.cached import open_tables
from probe4d.scenes.nuscenes.folder import find_tables
from probe4d.scenes.tables import Scenes

__all__ = ["open_scenes"]


def open_scenes(dataroot: Path | str, *, version: str | None = None, reference_channel: str | None = None) -> Scenes:
    """Open a dataset in the nuScenes schema as tables.

    Args:
        dataroot: The dataset's folder: the one that holds the folder of tables and the sensor files.
        version: Name of the folder of tables, such as `v1.0-mini`; may be left out where there is only one.
        reference_channel: Channel of the LiDAR whose times and poses the key frames take; may be left out
            where the dataset has LIDAR_TOP or only one LiDAR. In a dataset of cameras alone it is one of them, and
            may be left out where there is a CAM_FRONT or FRONT, or only one camera.

    Returns:
        Scenes with their key frames, boxes and key-frame sensor readings. What could not be used is counted
        in `Scenes.dropped`.

    Raises:
        InputError: The folder is no such dataset, or a table or row that others rest on cannot be used; the
            sentence names the file, the row or token, and what to do.
    """
    return open_tables(find_tables(dataroot, version), reference_channel)
