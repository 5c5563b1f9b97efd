"""Readings of sensors at key frames: which there are, known before any is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.sensor_files import list_files, unlisted
from probe4d.scenes.tables import Scenes
from probe4d.wording import counted

__all__ = ["KeyFrameReadings"]


class KeyFrameReadings:
    """What a sensor read at the key frames of scenes, each of them in a file.

    Args:
        scenes: The scenes.
        read: Channel of the sensor whose files are read.
        beside: Sensors that a key frame must have a reading of as well, whose files are not read.

    Attributes:
        scenes: The scenes.
    """

    def __init__(self, scenes: Scenes, read: str, beside: Sequence[str] = ()) -> None:
        self.scenes = scenes
        self._tables = scenes.root / scenes.version
        self._read = read
        self._channels = [read, *beside]
        self._frames: dict[str, int] = dict(scenes.scenes.select("scene", "keyframes").iter_rows())

    def frames(self, scene: str) -> int:
        """Number of key frames of a scene.

        Raises:
            InputError: There is no such scene.
        """
        if scene not in self._frames:
            remedy = f"Take one that it has, such as {next(iter(self._frames))}." if self._frames else "It has none."
            raise InputError(f"has no scene {scene!r}.", path=self._tables, remedy=remedy)
        return self._frames[scene]

    def missing(self, scenes: Iterable[str]) -> dict[tuple[str, int], str]:
        """What is missing of scenes, by scene and key frame in their order: a reading, or the file that is read."""
        wanted = self.scenes.keyframes.select("scene", "frame").filter(pl.col("scene").is_in(list(scenes)))
        each = wanted.join(pl.DataFrame({"channel": self._channels}), how="cross")
        readings = each.join(
            self.scenes.sensors.select("scene", "frame", "channel", filename="file"),
            on=["scene", "frame", "channel"],
            how="left",
            maintain_order="left",
        )
        unread = readings.filter(pl.col("filename").is_null())
        reasons = {
            (scene, frame): str(self._no_reading(scene, frame, channel))
            for scene, frame, channel, _ in unread.iter_rows()
        }
        files = readings.filter((pl.col("channel") == self._read) & pl.col("filename").is_not_null())
        absent = list_files(self.scenes.root, files).filter(~pl.col("exists") | pl.col("outside"))
        for scene, frame, file in absent.select("scene", "frame", "filename").iter_rows():
            reasons.setdefault((scene, frame), str(unlisted(self.scenes.root, file)))
        return dict(sorted(reasons.items()))

    def _refuse_beyond(self, scene: str, frame: int) -> None:
        """Refuse a key frame that its scene does not have."""
        count = self.frames(scene)
        if not 0 <= frame < count:
            raise InputError(
                f"has no key frame {frame}.",
                path=self._tables,
                row=scene,
                remedy=f"It has {counted(count, 'key frame')}, numbered from 0.",
            )

    def _no_reading(self, scene: str, frame: int, channel: str) -> InputError:
        return InputError(f"has no reading of {channel}.", path=self._tables, row=f"{scene}, key frame {frame}")
