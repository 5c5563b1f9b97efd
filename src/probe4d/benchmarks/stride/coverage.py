"""What situations a benchmark covers: the counts behind Figure 3 of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.stride.manoeuvres import MANOEUVRES, SPEED_CHANGES
from probe4d.benchmarks.stride.tags import TAGS
from probe4d.benchmarks.stride.templates import CODES, FAMILIES, Template

__all__ = ["Coverage", "coverage_of"]

ALL = "all"


class Coverage(NamedTuple):
    """Counts of distinct clips: five key frames and, of some templates, a target.

    Attributes:
        clips: Distinct clips.
        tags: Columns family (or `all`), tag, clips (with the tag) and share (of the clips of the family); a row for
            each tag and each family that has clips.
        manoeuvres: Columns manoeuvre, speed_change, clips and share (of the clips of the manoeuvre), of the clips of
            trajectory questions whose future the scene holds; a row for each that there is.
    """

    clips: int
    tags: pl.DataFrame
    manoeuvres: pl.DataFrame


def coverage_of(taken: Mapping[str, pl.DataFrame], templates: Mapping[str, Template]) -> Coverage:
    """Count what the candidates that were taken cover (Fig. 3).

    Args:
        taken: By template (see `Candidates.pools`), at least one of them with a row.
        templates: The templates of the edition.
    """
    clips = pl.concat(
        [
            table.select("scene", "frame", "tags", "manoeuvre", "speed_change", family=pl.lit(templates[name].family))
            for name, table in taken.items()
        ]
    ).unique(["scene", "frame", "family"], keep="any")
    whole = clips.unique(["scene", "frame"], keep="any").with_columns(family=pl.lit(ALL))
    moved = clips.filter((pl.col("family") == CODES["TRJ"]) & pl.col("manoeuvre").is_not_null())
    return Coverage(whole.height, _tags(pl.concat([whole, clips])), _manoeuvres(moved))


def _tags(clips: pl.DataFrame) -> pl.DataFrame:
    counted = clips.group_by("family").agg(
        pl.len().alias("of"), *(pl.col("tags").list.contains(tag).sum().alias(tag) for tag in TAGS)
    )
    return (
        counted.unpivot(list(TAGS), index=["family", "of"], variable_name="tag", value_name="clips")
        .sort(_place("family", (ALL, *FAMILIES)), _place("tag", tuple(TAGS)))
        .select("family", "tag", pl.col("clips").cast(pl.Int64), share=pl.col("clips") / pl.col("of"))
    )


def _manoeuvres(clips: pl.DataFrame) -> pl.DataFrame:
    return (
        clips.group_by("manoeuvre", "speed_change")
        .agg(clips=pl.len().cast(pl.Int64))
        .with_columns(share=pl.col("clips") / pl.col("clips").sum().over("manoeuvre"))
        .sort(_place("manoeuvre", MANOEUVRES), _place("speed_change", SPEED_CHANGES))
    )


def _place(name: str, order: tuple[str, ...]) -> pl.Expr:
    return pl.col(name).replace_strict(list(order), list(range(len(order))), return_dtype=pl.Int32)
