"""Which sensor files a picture is made from."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl

from probe4d.errors import InputError
from probe4d.evidence.camera_grid import in_grid_order
from probe4d.evidence.pictures import Picture
from probe4d.scenes.geometry import SE3, bearing_deg
from probe4d.scenes.sensor_files import list_files, unlisted
from probe4d.scenes.tables import Scenes

__all__ = ["Source", "Sources"]

_EXTRINSICS = tuple(f"sensor_{name}" for name in ("qw", "qx", "qy", "qz", "x", "y", "z"))
_COLUMNS = ("scene", "frame", "channel", "modality", "file", "width", "height", *_EXTRINSICS)


class Source(NamedTuple):
    """A sensor reading of a key frame.

    Attributes:
        channel: Its sensor.
        file: Path in the dataset folder.
        size_px: Width and height of a camera's image as the dataset has them; null where it does not say.
        extrinsics: ego_SE3_sensor: quaternion w-x-y-z, then x, y, z in metres.
    """

    channel: str
    file: str
    size_px: tuple[int, int] | None
    extrinsics: tuple[float, ...]

    @property
    def ego_SE3_sensor(self) -> SE3:
        """The extrinsics as a transform."""
        return SE3.from_quaternion(self.extrinsics[:4], self.extrinsics[4:])


class Sources:
    """Finds the sensor readings of pictures.

    Args:
        scenes: The scenes that pictures are taken from.
    """

    def __init__(self, scenes: Scenes) -> None:
        self._root = scenes.root
        self._tables = scenes.root / scenes.version
        self._scenes = scenes
        self._sensors = scenes.sensors.select(_COLUMNS)
        self._cameras: dict[str, dict[str, Source]] = {}

    def of(self, picture: Picture) -> tuple[Source, ...]:
        """The readings that a picture shows, cameras in the order of the grid.

        Raises:
            InputError: There is no such key frame, or it has no such reading.
        """
        first, count = self._rows.get((picture.scene, picture.frame), (0, 0))
        readings = {source.channel: source for source in map(_source, self._sensors[first : first + count].iter_rows())}
        wanted = self.channels(picture)
        for channel in wanted:
            if channel not in readings:
                raise self._no_reading(picture, channel)
        return tuple(readings[channel] for channel in wanted)

    def channels(self, picture: Picture) -> tuple[str, ...]:
        """The sensors that a picture shows, cameras in the order of the grid.

        Raises:
            InputError: The scene has no camera, or not one that the picture names, or the dataset no LiDAR.
        """
        if picture.view == "birds-eye":
            return (self._scenes.lidar_channel,)
        if picture.view == "one-camera" and len(picture.channels) != 1:
            raise ValueError(f"a picture of one camera names it alone, not {picture.channels}")
        cameras = self.cameras(picture.scene)
        if not picture.channels and not cameras:
            raise InputError("has no cameras.", path=self._tables, row=picture.scene)
        for channel in picture.channels:
            if channel not in cameras:
                raise InputError(f"has no camera {channel}.", path=self._tables, row=picture.scene)
        return tuple(channel for channel in cameras if channel in (picture.channels or cameras))

    def cameras(self, scene: str) -> dict[str, Source]:
        """The first reading of every camera of a scene, in the order of the grid; empty where it has none."""
        if scene not in self._cameras:
            is_camera = (pl.col("scene") == scene) & (pl.col("modality") == "camera")
            first = self._sensors.filter(is_camera).unique("channel", keep="first", maintain_order=True)
            sources = {source.channel: source for source in map(_source, first.iter_rows())}
            bearings = {channel: _bearing_deg(source.ego_SE3_sensor) for channel, source in sources.items()}
            self._cameras[scene] = {channel: sources[channel] for channel in in_grid_order(bearings)}
        return self._cameras[scene]

    def missing(self, pictures: Iterable[Picture]) -> dict[Picture, str]:
        """Pictures that cannot be made since a reading is not in the tables, or its file not in the folder.

        Args:
            pictures: Any number; blank ones are never missing.

        Returns:
            What is missing of each such picture, in their order.
        """
        reasons: dict[Picture, str] = {}
        wanted: list[tuple[int, str, int, str]] = []
        distinct = [picture for picture in dict.fromkeys(pictures) if not picture.black]
        for number, picture in enumerate(distinct):
            try:
                wanted.extend((number, picture.scene, picture.frame, channel) for channel in self.channels(picture))
            except InputError as error:
                reasons[picture] = str(error)
        for number, channel, file, is_there, is_outside in self._found(wanted).iter_rows():
            picture = distinct[number]
            if file is None:
                reasons.setdefault(picture, str(self._no_reading(picture, channel)))
            elif is_outside or not is_there:
                reasons.setdefault(picture, str(unlisted(self._root, file)))
        return {picture: reasons[picture] for picture in distinct if picture in reasons}

    def _found(self, wanted: list[tuple[int, str, int, str]]) -> pl.DataFrame:
        """Number of the picture, channel, file (null without a reading), whether it is there and whether outside."""
        schema = {"number": pl.Int64(), **{name: self._sensors.schema[name] for name in ("scene", "frame", "channel")}}
        readings = pl.DataFrame(wanted, schema=schema, orient="row").join(
            self._sensors.select("scene", "frame", "channel", "file"),
            on=["scene", "frame", "channel"],
            how="left",
            maintain_order="left",
        )
        files = readings.select(filename="file").drop_nulls().unique()
        listed = list_files(self._root, files).select("exists", "outside", file="filename")
        return readings.join(listed, on="file", how="left", maintain_order="left").select(
            "number", "channel", "file", "exists", "outside"
        )

    def _no_reading(self, picture: Picture, channel: str) -> InputError:
        row = f"{picture.scene}, key frame {picture.frame}"
        return InputError(f"has no reading of {channel}.", path=self._tables, row=row)

    @cached_property
    def _rows(self) -> dict[tuple[str, int], tuple[int, int]]:
        """First row and number of rows of each key frame in the table, which is sorted by scene and frame."""
        frames = (
            self._sensors.with_row_index()
            .group_by("scene", "frame", maintain_order=True)
            .agg(pl.col("index").first(), pl.len())
        )
        return {(scene, frame): (first, count) for scene, frame, first, count in frames.iter_rows()}


def _source(row: tuple[Any, ...]) -> Source:
    _scene, _frame, channel, _modality, file, width, height, *extrinsics = row
    size = (width, height) if width and height and width > 0 and height > 0 else None
    return Source(channel, file, size, tuple(extrinsics))


def _bearing_deg(ego_SE3_camera: SE3) -> float:
    """Bearing of a camera's optical axis, its z."""
    forward, left, _up = ego_SE3_camera.rotation[:, 2]
    return float(bearing_deg(forward, left))
