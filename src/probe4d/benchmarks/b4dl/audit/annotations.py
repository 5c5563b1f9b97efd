"""Holds the phrases of a folder, and where their objects are, against the recorded scenes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from probe4d.benchmarks.auditing.comparing import differences
from probe4d.benchmarks.auditing.record import whole
from probe4d.benchmarks.b4dl.audit.drive import Drive
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["Annotations"]

_FILE = "annotations.parquet"
_COLUMNS = (
    *("scene", "sequence", "track", "event", "start_frame", "end_frame", "phrase", "lidar_points"),
    *("range_start_m", "range_end_m", "ego_x_start_m", "ego_y_start_m", "ego_x_end_m", "ego_y_end_m"),
    *("start_box", "end_box"),
)


class Annotations:
    """The phrases of a benchmark.

    Args:
        folder: Folder of the benchmark; null where it lies in none.
    """

    def __init__(self, folder: Path | None) -> None:
        self._by_scene: dict[str, list[dict[str, Any]]] = {}
        self._fault: str | None = None
        if folder is None:
            return
        try:
            table = pl.read_parquet(folder / _FILE, columns=list(_COLUMNS))
        except (OSError, pl.exceptions.PolarsError) as error:
            self._fault = f"{_FILE} cannot be read ({str(error).splitlines()[0]})"
            return
        for row in table.iter_rows(named=True):
            self._by_scene.setdefault(row["scene"], []).append(row)

    def of_file(self) -> Iterator[AuditFinding]:
        """That the file cannot be read."""
        if self._fault is not None:
            yield whole("files", self._fault)

    def findings(self, scene: str, drive: Drive) -> Iterator[AuditFinding]:
        """What is wrong with the phrases about a scene.

        Frames, boxes, and places and distances at both ends are derived; what is said to happen between is not.
        """
        for row in self._by_scene.get(scene, []):
            of = f"{_FILE}: {row['sequence']}, {row['event']} of {row['track'] or 'the ego vehicle'}"
            for what in _faults(drive, row):
                yield whole("annotations", f"{of}: {what}")


def _faults(drive: Drive, row: Mapping[str, Any]) -> Iterator[str]:
    first, last = row["start_frame"], row["end_frame"]
    if not 0 <= first <= last < drive.key_frames:
        yield f"frames {first} to {last} lie outside the scene's {drive.key_frames} key frames"
        return
    if any(f"frame {frame:03d}" not in row["phrase"] for frame in (first, last)):
        yield f"the phrase does not say frames {first} to {last}: {row['phrase']!r}"
    if row["track"] is None:
        return
    track = drive.row_of(row["track"])
    if track is None or not drive.there[track, [first, last]].all():
        yield f"has no box in frame {first} or {last}"
        return
    points = drive.lidar_points[track, first : last + 1]
    known = points[points >= 0]
    derived: dict[str, Any] = {"lidar_points": int(known.min()) if known.size else None}
    for end, frame in (("start", first), ("end", last)):
        at = drive.seen_at[track, frame]
        derived[f"range_{end}_m"] = float(np.abs(at))
        derived |= {f"ego_x_{end}_m": float(at.real), f"ego_y_{end}_m": float(at.imag)}
        derived[f"{end}_box"] = drive.tokens[track, frame]
    for name, value in derived.items():
        yield from differences(name, row[name], value)
