"""The images of one camera, a key frame each, as an image tower takes them."""

from __future__ import annotations

from functools import lru_cache

import polars as pl
from PIL import Image

from probe4d.errors import InputError
from probe4d.evidence.photographs import whole_photograph
from probe4d.evidence.readings import KeyFrameReadings
from probe4d.scenes.tables import Scenes
from probe4d.store.files import inside
from probe4d.wording import listed

__all__ = ["CameraImages"]


class CameraImages(KeyFrameReadings):
    """The images of a camera. It may be used from several threads.

    Args:
        scenes: The scenes.
        channel: The camera.

    Attributes:
        scenes: The scenes.
        channel: The camera.

    Raises:
        InputError: No scene has such a camera.
    """

    def __init__(self, scenes: Scenes, channel: str) -> None:
        super().__init__(scenes, channel)
        self.channel = channel
        cameras = scenes.sensors.filter(pl.col("modality") == "camera")["channel"].unique().sort().to_list()
        if channel not in cameras:
            raise InputError(
                f"has no camera {channel}.",
                path=self._tables,
                remedy=f"Take one of {listed(cameras)}." if cameras else "It has no cameras at all.",
            )
        self._files = lru_cache(maxsize=4)(self._found_files)  # of the scenes at hand

    def of(self, scene: str, frame: int) -> Image.Image:
        """The image of a key frame, RGB, in its full size.

        Raises:
            InputError: There is no such scene or key frame, it has no such reading, or the file is missing, damaged or
                no image.
        """
        self._refuse_beyond(scene, frame)
        file = self._files(scene).get(frame)
        if file is None:
            raise self._no_reading(scene, frame, self.channel)
        return whole_photograph(inside(self.scenes.root, file))

    def _found_files(self, scene: str) -> dict[int, str]:
        readings = self.scenes.sensors.filter((pl.col("scene") == scene) & (pl.col("channel") == self.channel))
        return dict(readings.select("frame", "file").iter_rows())
