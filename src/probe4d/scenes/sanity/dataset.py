"""The tables of a dataset that may be broken, linked as far as they can be, for the rules to look at.

A reference becomes the number of the row that it names (the columns lose `_token`: `scene_token` is
`scene`): null where it names none, -1 where it is empty and may be. What is wrong with a row is kept
beside the tables and the row no longer takes part, so that one fault is named by one rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import polars as pl

from probe4d.scenes.nuscenes.readings import PREFERRED_REFERENCES, reference_channels
from probe4d.scenes.sanity.links import NONE, Links, find_links
from probe4d.scenes.sanity.reading import BadRow, RawTable, read_table
from probe4d.scenes.sanity.rows import REFERENCES, TABLES, Reference
from probe4d.scenes.sensor_files import list_files

__all__ = ["Dataset", "read_dataset"]

_LEFT_OUT = -2
"""Row number of a row that is there but left out: its token dangles nowhere, and yet there is no row to look at."""


@dataclass
class Dataset:
    """What the rules look at.

    Attributes:
        root: The dataset's folder.
        version: Name of the table folder.
        wanted_channel: The reference channel that the user named, if any.
        tables: The tables that could be read, without malformed rows and repeated tokens.
        absent: Tables of which there is no file.
        unreadable: Why a table could not be read.
        malformed: Rows left out, by table.
        duplicates: Tokens of repeated rows, by table.
        dangling: Tokens of the rows whose reference names no row, by table and column.
    """

    root: Path
    version: str
    wanted_channel: str | None
    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)
    malformed: dict[str, list[BadRow]] = field(default_factory=dict)
    duplicates: dict[str, pl.Series] = field(default_factory=dict)
    dangling: dict[tuple[str, str], pl.Series] = field(default_factory=dict)
    _links: dict[str, Links] = field(default_factory=dict, repr=False)

    def __getitem__(self, table: str) -> pl.DataFrame:
        return self.tables[table]

    @cached_property
    def incomplete(self) -> frozenset[str]:
        """Tables of which rows are left out, or do not say where they belong."""
        lost = {table for table, rows in self.malformed.items() if rows}
        for reference in REFERENCES:
            key = (reference.table, reference.column)
            if not reference.optional and key in self.dangling and len(self.dangling[key]):
                lost.add(reference.table)
        return frozenset(lost)

    @cached_property
    def sensors(self) -> pl.DataFrame:
        """`calibrated_sensor` with the channel and modality of its sensor (null without)."""
        sensor = self["sensor"]
        calibrations = self["calibrated_sensor"]
        return calibrations.with_columns(
            sensor["channel"].gather(calibrations["sensor"]), sensor["modality"].gather(calibrations["sensor"])
        )

    @cached_property
    def readings(self) -> pl.DataFrame:
        """Key-frame rows of `sample_data` with channel, modality, and scene and time of their key frame."""
        readings = self["sample_data"].filter("is_key_frame")
        sample = self["sample"]
        return readings.with_columns(
            self.sensors["channel"].gather(readings["calibrated_sensor"]),
            self.sensors["modality"].gather(readings["calibrated_sensor"]),
            sample["scene"].gather(readings["sample"]),
            sample["timestamp"].gather(readings["sample"]).alias("sample_timestamp"),
        )

    @cached_property
    def reference_channel(self) -> str | None:
        """The sensor that gives key frames their pose: the one asked for, a preferred one, or the one used most.

        Opening refuses to guess as the last does (SEN009); here it lets the other rules be asked.
        """
        if self.wanted_channel is not None:
            return self.wanted_channel
        if "sensor" not in self.tables:
            return None
        channels = self.references
        if not channels:
            return None
        for channel in PREFERRED_REFERENCES:
            if channel in channels:
                return channel
        if not {"sample_data", "calibrated_sensor", "sample"} <= self.tables.keys():
            return channels[0]
        used = dict(self.readings.group_by("channel").len().iter_rows())
        return max(channels, key=lambda channel: (used.get(channel, 0), -channels.index(channel)))

    @cached_property
    def references(self) -> list[str]:
        """Channels that may give key frames their pose: the LiDARs, or the cameras where there is nothing else."""
        return reference_channels(dict(self["sensor"].select("channel", "modality").drop_nulls().iter_rows()))

    @cached_property
    def keyframes(self) -> pl.DataFrame:
        """`sample` with its number in its scene by time (`frame`) and its ego pose at the reference reading."""
        pose = self["ego_pose"].with_row_index("ego_pose").cast({"ego_pose": pl.Int64})
        reference = (
            self.readings.filter(pl.col("channel") == pl.lit(self.reference_channel, dtype=pl.String))
            .unique("sample", keep="first", maintain_order=True)
            .select("sample", "ego_pose")
            .join(pose.select("ego_pose", "x", "y", "z"), on="ego_pose")
        )
        return self.frames.join(reference, on="sample", how="left", maintain_order="left")

    @cached_property
    def frames(self) -> pl.DataFrame:
        """`sample` with its row number (`sample`) and its number in its scene by time (`frame`)."""
        return (
            self["sample"]
            .with_row_index("sample")
            .cast({"sample": pl.Int64})
            .with_columns(pl.col("timestamp").rank("ordinal").over("scene").cast(pl.Int64).alias("frame"))
        )

    @cached_property
    def boxes(self) -> pl.DataFrame:
        """`sample_annotation` with its row number (`box`) and scene, frame and time of its key frame."""
        boxes = self["sample_annotation"].with_row_index("box").cast({"box": pl.Int64})
        return boxes.with_columns(
            self.frames[column].gather(boxes["sample"]) for column in ("scene", "frame", "timestamp")
        )

    @cached_property
    def files(self) -> pl.DataFrame:
        """Readings with what there is of their files (columns as in `list_files`, and token)."""
        return list_files(self.root, self["sample_data"].select("token", "filename", "is_key_frame"))

    def links(self, table: str) -> Links:
        """The chains of key frames (by scene), boxes (by track) or readings (by scene and sensor)."""
        if table not in self._links:
            frame = self[table]
            if table == "sample":
                group = frame["scene"]
            elif table == "sample_annotation":
                group = frame["instance"]
            else:
                scene = self["sample"]["scene"].gather(frame["sample"])
                sensor = self["calibrated_sensor"]["sensor"].gather(frame["calibrated_sensor"])
                group = scene * len(self["sensor"]) + sensor
            self._links[table] = find_links(frame["prev"], frame["next"], group)
        return self._links[table]


def read_dataset(
    root: Path, version: str, reference_channel: str | None, done: Callable[[str], None] | None = None
) -> Dataset:
    """Read the tables of a dataset in whatever state they are; nothing about their content makes this raise.

    Args:
        root: The dataset's folder.
        version: Name of the table folder in it.
        reference_channel: The reference sensor that the user named, if any.
        done: Told of each table that has been read.
    """
    data = Dataset(root, version, reference_channel)
    for name, kind in TABLES.items():
        path = root / version / f"{name}.json"
        if not path.is_file():
            data.absent.append(name)
        else:
            _take(data, name, read_table(path, kind))
        if done is not None:
            done(name)
    for name in TABLES:
        _link(data, name)
    return data


def _take(data: Dataset, name: str, raw: RawTable) -> None:
    data.malformed[name] = raw.bad
    if raw.frame is None:
        data.unreadable[name] = raw.fault
        return
    first = raw.frame["token"].is_first_distinct()
    data.duplicates[name] = raw.frame.filter(~first)["token"]
    data.tables[name] = raw.frame.filter(first)


def _link(data: Dataset, name: str) -> None:
    """Put row numbers in place of the tokens in the references of one table."""
    if name not in data.tables:
        return
    frame = data.tables[name]
    for reference in REFERENCES:
        if reference.table != name:
            continue
        if frame.schema[reference.column] == pl.List:
            _check_list(data, reference, frame)
            continue
        known = _known(data, reference.target)
        found = frame.select(reference.column).join(
            known, left_on=reference.column, right_on="token", how="left", maintain_order="left"
        )["row"]
        empty = frame[reference.column].fill_null("") == ""
        if reference.target in data.tables and not _has_unnamed_rows(data, reference.target):
            dangles = found.is_null() & ~empty if reference.optional else found.is_null()
            data.dangling[name, reference.column] = frame.filter(dangles)["token"]
        if reference.optional:
            found = found.set(empty, NONE)
        number = found.set(found == _LEFT_OUT, None).alias(reference.column.removesuffix("_token"))
        frame = frame.drop(reference.column).with_columns(number)
    data.tables[name] = frame


def _known(data: Dataset, target: str) -> pl.DataFrame:
    """Row numbers of the tokens of a table; those of rows that are left out have `_LEFT_OUT`."""
    schema = {"token": pl.String(), "row": pl.Int64()}
    rows = pl.DataFrame(schema=schema)
    if target in data.tables:
        rows = data.tables[target].select("token").with_row_index("row").select("token", pl.col("row").cast(pl.Int64))
    tokens = [row.token for row in data.malformed.get(target, []) if row.token is not None]
    if not tokens:
        return rows
    left_out = pl.DataFrame({"token": tokens, "row": _LEFT_OUT}, schema=schema)
    return pl.concat([rows, left_out]).unique("token", keep="first", maintain_order=True)


def _has_unnamed_rows(data: Dataset, target: str) -> bool:
    """Whether rows are left out whose token is unknown, so that any token may have been theirs."""
    return any(row.token is None for row in data.malformed.get(target, []))


def _check_list(data: Dataset, reference: Reference, frame: pl.DataFrame) -> None:
    if reference.target not in data.tables or _has_unnamed_rows(data, reference.target):
        return
    named = frame.select("token", reference.column).explode(reference.column, empty_as_null=True).drop_nulls()
    known = _known(data, reference.target)
    stray = named.join(known, left_on=reference.column, right_on="token", how="anti", maintain_order="left")
    data.dangling[reference.table, reference.column] = stray["token"].unique(maintain_order=True)
