"""Datasets that are annotated only in a part of what surrounds the ego vehicle (see design/partly-annotated.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.geometry import SECTOR_BOUNDS_DEG, SECTORS
from probe4d.scenes.tables import Scenes

__all__ = ["AnnotatedSector", "annotated_behind"]

BORDER_DEG = 1e-6
"""How far beyond a border of the annotated sector a bearing counts as on it: more than rounding ever moves it."""


class AnnotatedSector(NamedTuple):
    """The bearings in which a dataset is annotated, counter-clockwise from `start_deg` to `end_deg`, both included.

    Bearings are measured at the ego origin, counter-clockwise from straight ahead, in [-180, 180].
    """

    start_deg: float
    end_deg: float

    @classmethod
    def checked(cls, start_deg: float, end_deg: float) -> AnnotatedSector:
        """The range between two bearings, rounded to the six digits with which questions name them.

        -180 and 180 are one bearing, and the range from it to itself is all around: a range starts at -180 and
        ends at 180 there, whichever of the two is given.

        Raises:
            InputError: A bearing is not between -180 and 180, or both are the same number.
        """
        start, end = (float(f"{bearing:g}") + 0.0 for bearing in (start_deg, end_deg))  # + 0.0: never "-0"
        if not (-180 <= start <= 180 and -180 <= end <= 180) or start == end:
            raise InputError(
                f"the annotated sector {start_deg:g}:{end_deg:g} is not two different bearings FROM:TO between -180 "
                "and 180 degrees.",
                remedy="Count counter-clockwise from straight ahead, as in -45:45 for what lies ahead.",
            )
        return cls(-180.0 if start == 180 else start, 180.0 if end == -180 else end)

    @classmethod
    def parse(cls, text: str) -> AnnotatedSector:
        """Read `FROM:TO` in degrees, such as `-45:45` (see `checked`).

        Raises:
            InputError: It is not two numbers between -180 and 180, or both are the same.
        """
        try:
            start, end = (float(part) for part in text.split(":"))
        except ValueError:
            raise InputError(
                f"the annotated sector {text!r} is not two bearings FROM:TO in degrees.",
                remedy="Count counter-clockwise from straight ahead, as in -45:45 for what lies ahead.",
            ) from None
        return cls.checked(start, end)

    @classmethod
    def of(cls, given: str | Sequence[float] | None) -> AnnotatedSector | None:
        """Read `FROM:TO` or take two bearings; null where nothing is given.

        Raises:
            InputError: See `parse` and `checked`.
        """
        if given is None:
            return None
        return cls.parse(given) if isinstance(given, str) else cls.checked(*given)

    @property
    def width_deg(self) -> float:
        """Width of the range in (0, 360]."""
        return (self.end_deg - self.start_deg) % 360 or 360.0

    def contains(self, bearing_deg: pl.Expr) -> pl.Expr:
        """Whether bearings in degrees, [-180, 180], lie in the range, or at most `BORDER_DEG` beyond its ends."""
        after, before = bearing_deg >= self.start_deg - BORDER_DEG, bearing_deg <= self.end_deg + BORDER_DEG
        inside = after & before if self.start_deg < self.end_deg else after | before
        if 180 in (-self.start_deg, self.end_deg):  # one bearing, whose other name lies at the other end
            return inside | (bearing_deg.abs() >= 180 - BORDER_DEG)
        return inside

    def sectors(self) -> tuple[str, ...]:
        """The sectors that share more than a border with the range."""
        kept = []
        for sector in SECTORS:
            low, high = SECTOR_BOUNDS_DEG[sector]
            starts_inside = (low - self.start_deg) % 360 < self.width_deg
            begins_before = (self.start_deg - low) % 360 < (high - low) % 360
            if starts_inside or begins_before:
                kept.append(sector)
        return tuple(kept)


def annotated_behind(scenes: Scenes) -> bool:
    """Whether any box lies behind the ego vehicle; where none does, annotations are likely not all around."""
    return bool(scenes.boxes.select((pl.col("ego_x") < 0).any()).item())
