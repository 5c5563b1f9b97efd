"""Reads what people and judges said of the same answers: a CSV or JSON-lines file, a row each answer."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from probe4d.diagnosis.agreement.with_people import JudgeLabels
from probe4d.errors import InputError
from probe4d.store.rows import Row, read_rows
from probe4d.wording import listed

__all__ = ["Scale", "read_judge_labels"]

Scale = Literal[10, 100]
"""The best score."""

_ITEM = ("item", "question_id", "id", "question")
_HUMAN = ("human", "human_score")
_ABOUT = (*_ITEM, *_HUMAN, "scene", "reference", "answer")
"""Columns that are no judge's, by the names that are known."""

_FARTHEST = 1e9
"""From 0, of a score on a scale of its own: what is farther is none, and its square no number."""


def read_judge_labels(
    path: Path | str, *, scale: Scale = 10, judges: Sequence[str] = (), unscaled: Collection[str] = ()
) -> JudgeLabels:
    """Read a file of scores.

    Columns: `item` (or `question_id`, `id`, `question`), `human` (or `human_score`), and one for each judge, under any
    name. There may be `scene`, by which items are resampled then, and the texts `reference` and `answer`. An empty
    score is none; an empty answer is an answer that says nothing, and an empty reference is none.

    Args:
        path: A `.jsonl` file or, under any other name, one with separated values and a header, UTF-8.
        scale: The best score; the worst is 0.
        judges: Columns that are judges'; every other column where none is named.
        unscaled: Judges among them whose scores are on no such scale.

    Raises:
        InputError: The file cannot be read, a column is missing or has no name, a score is no number or off the scale,
            an item is missing or comes twice, or no item has a score of people.
    """
    path = Path(path)
    rows = [_named(path, row) for row in read_rows(path)]
    columns = list(dict.fromkeys(name for row in rows for name in row.values))
    item, human = _column(path, columns, _ITEM, "what was judged"), _column(path, columns, _HUMAN, "people's scores")
    found = _judges(path, columns, judges, unscaled)
    labels = JudgeLabels(
        items=_items(path, rows, item),
        human=_scores(path, rows, human, scale),
        judges={name: _scores(path, rows, name, None if name in unscaled else scale) for name in found},
        scale=scale,
        unscaled=frozenset(unscaled),
        scenes=[_text(path, row, "scene") for row in rows] if "scene" in columns else None,
        references=[_optional(path, row, "reference") or None for row in rows] if "reference" in columns else None,
        answers=[_optional(path, row, "answer") for row in rows] if "answer" in columns else None,
    )
    if np.isnan(labels.human).all():
        raise InputError(f"has no score of people: {human!r} is empty in every row.", path=path)
    return labels


def _named(path: Path, row: Row) -> Row:
    """The row with names of columns as they are known: without blanks around them, known ones in small letters."""
    values: dict[str, Any] = {}
    for name, value in row.values.items():
        plain = name.strip()
        plain = plain.casefold() if plain.casefold() in _ABOUT else plain
        if not plain or plain in values:
            what = f"has the column {plain!r} twice" if plain else "has a column without a name"
            raise InputError(f"{what}.", path=path, row=row.where, remedy="Name or remove it.")
        values[plain] = value
    return Row(row.where, values)


def _column(path: Path, columns: Sequence[str], names: Sequence[str], what: str) -> str:
    for name in names:
        if name in columns:
            return name
    raise InputError(
        f"has no column for {what} ({listed(names, 'or')}); found are {', '.join(columns)}.",
        path=path,
        remedy="Name the column so.",
    )


def _judges(path: Path, columns: Sequence[str], named: Sequence[str], unscaled: Collection[str]) -> list[str]:
    found = list(dict.fromkeys(named)) or [name for name in columns if name not in _ABOUT]
    for name in [*found, *unscaled]:
        if name not in columns:
            raise InputError(f"has no column {name!r}; found are {', '.join(columns)}.", path=path)
        if name not in found or name in _ABOUT:
            raise InputError(f"has the column {name!r}, which is no judge's.", path=path)
    return found


def _items(path: Path, rows: Sequence[Row], column: str) -> list[str]:
    seen: dict[str, str] = {}
    for row in rows:
        item = _text(path, row, column)
        if item in seen:
            raise InputError(
                f"judges {item!r} again, as {seen[item]} does.",
                path=path,
                row=row.where,
                remedy="Give each answer one row: the mean of several people, and an item for each of its answers.",
            )
        seen[item] = row.where
    return list(seen)


def _text(path: Path, row: Row, column: str) -> str:
    """What has to be there; a number is taken for the text of its digits."""
    value = row.values.get(column)
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not text:
        raise InputError(f"has no {column!r}, where a text was expected.", path=path, row=row.where)
    return text


def _optional(path: Path, row: Row, column: str) -> str | None:
    value = row.values.get(column)
    if value is None or isinstance(value, str):
        return value
    raise InputError(
        f"has in {column!r} {value!r}, where a text was expected.", path=path, row=row.where, remedy="Mend that row."
    )


def _scores(path: Path, rows: Sequence[Row], column: str, scale: int | None) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([_score(path, row, column, scale) for row in rows], dtype=np.float64)


def _score(path: Path, row: Row, column: str, scale: int | None) -> float:
    """A score; NaN where there is none.

    Args:
        path: The file, for errors.
        row: The row.
        column: Whose score.
        scale: The best score; null where the column has a scale of its own.
    """
    value = row.values.get(column)
    if value is None or (isinstance(value, str) and not value.strip()):
        return math.nan
    try:
        score = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        score = math.nan
    if not math.isfinite(score):
        raise InputError(
            f"has in {column!r} {value!r}, where a score was expected.",
            path=path,
            row=row.where,
            remedy="Leave it empty where there is none; if the column is no judge's, name those that are "
            "(judges=, --judge NAME).",
        )
    lowest, highest = (0.0, float(scale)) if scale is not None else (-_FARTHEST, _FARTHEST)
    if not lowest <= score <= highest:
        remedy = "Say so if the best score is 100 (scale=, --scale 100)" if highest < score <= 100 else "Mend the score"
        raise InputError(
            f"has in {column!r} {value}, which is not between {lowest:g} and {highest:g}.",
            path=path,
            row=row.where,
            remedy=f"{remedy}; name a judge with a scale of its own (unscaled=, --unscaled NAME).",
        )
    return score
