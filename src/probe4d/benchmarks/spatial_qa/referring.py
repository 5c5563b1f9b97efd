"""How questions refer to objects: by captions, or by letters that are drawn into the image.

A table of objects in views holds a row for each object in each camera image of each key frame (see `views`); what
is added here is `refer`, the words that stand for the object in a question.
"""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

__all__ = ["BEFORE_LETTERS", "NO_CAPTION", "VIEW", "Referred", "by_captions", "by_markers", "same_words"]

VIEW = ("scene", "frame", "channel")
"""What tells one camera image of a key frame from all others."""

BEFORE_LETTERS = "object "
"""What stands before the letter of an object."""

NO_CAPTION = "object has no caption"
"""Why objects are left out to which no caption is given."""

_LETTERS = 26
_FIRST = len("ABCD")  # the letters of options


class Referred(NamedTuple):
    """Objects that questions can refer to.

    Attributes:
        objects: The table with the column `refer`, in which nothing is missing.
        exclusions: Number of rows that were left out, by reason.
    """

    objects: pl.DataFrame
    exclusions: dict[str, int]


def by_captions(objects: pl.DataFrame, captions: dict[str, str]) -> Referred:
    """Let questions refer to objects by their captions; objects without one are left out.

    Args:
        objects: Objects in views.
        captions: Captions by instance token.
    """
    table = pl.DataFrame(
        {"track": list(captions), "refer": list(captions.values())}, schema={"track": pl.String, "refer": pl.String}
    )
    found = objects.join(table, on="track", how="inner", maintain_order="left")
    without = objects.height - found.height
    return Referred(found, {NO_CAPTION: without} if without else {})


def by_markers(objects: pl.DataFrame) -> Referred:
    """Let questions refer to objects by letters, from left to right in each image: E to Z, then AA, AB and so on.

    A to D are the letters of options. Who answers "A" means that option, and no object that another option offers.

    Args:
        objects: Objects in views.
    """
    ordered = objects.sort(*VIEW, "left_px", "top_px", "track")
    number = pl.int_range(pl.len()).over(VIEW)
    most = ordered.select(number.max()).item() if ordered.height else None
    letters = pl.Series([_letters(_FIRST + place) for place in range(0 if most is None else most + 1)], dtype=pl.String)
    places = ordered.select(number).to_series()
    marked = ordered.with_columns(refer=BEFORE_LETTERS + letters.gather(places))
    return Referred(marked.sort(*VIEW, "track"), {})


def same_words(objects: pl.DataFrame) -> pl.Series:
    """Whether another object of the same image is referred to by the same words, without regard to case: bool.

    Args:
        objects: Objects in views with `refer`.
    """
    return objects.select(pl.len().over(*VIEW, pl.col("refer").str.to_lowercase()) > 1).to_series()


def _letters(place: int) -> str:
    """Letters of a place from 0, as columns of spreadsheets have them."""
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, _LETTERS)
        letters = chr(ord("A") + letter) + letters
    return letters
