"""Which candidates are asked: up to so many a template, the most challenging first, spread as widely as they allow.

Candidates are taken one by one. Each time the one comes next whose answer (of open questions: whose parts' answers,
and of trajectories besides whose manoeuvre with its change of speed) was taken least often; among those that are equal
in this, one that makes a link, overlaps no clip taken, has the tag taken least often, is of the scene taken least
often, scores highest, and has the lowest rank, each of these before the next. A scene gives a template no more
questions than its cap, a clip no more than one; open questions of which more parts can be told come first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.stride.candidates import KEY
from probe4d.benchmarks.stride.tags import ORDINARY, TAGS
from probe4d.benchmarks.stride.templates import CODES, Template
from probe4d.benchmarks.stride.thresholds import HISTORY_FRAMES

__all__ = ["curated"]

Numbers = NDArray[np.int64]


def curated(
    pools: Mapping[str, pl.DataFrame], templates: Mapping[str, Template], *, per_template: int, most_per_scene: int
) -> dict[str, pl.DataFrame]:
    """Take candidates of every template; open ones first, so that the others can be their parts.

    Args:
        pools: Candidates by template (see `Candidates.pools`).
        templates: The templates of the edition.
        per_template: Most questions of a template.
        most_per_scene: Most questions of a template about one scene.

    Returns:
        By template, in the order of the pools, the rows taken, in the order in which they were taken.
    """
    taken: dict[str, pl.DataFrame] = {}
    for name in sorted(pools, key=lambda name: not templates[name].parts):
        pool, template = pools[name], templates[name]
        whole = [table for opener, table in taken.items() if name in templates[opener].parts]
        cap = 1 if template.shows_scene else most_per_scene  # more than one would show the same
        draw = _Draw(template, pool, _makes_link(template, pool, whole), templates)
        taken[name] = pool[draw.taken(per_template, cap)]
    return {name: taken[name] for name in pools}


def _makes_link(template: Template, pool: pl.DataFrame, whole: Sequence[pl.DataFrame]) -> Numbers:
    """1 for candidates that are a part of an open question taken, else 0."""
    if not whole:
        return np.zeros(pool.height, dtype=np.int64)
    about = KEY if template.has_target else KEY[:2]
    opened = pl.concat([table.select(about) for table in whole]).unique().with_columns(found=1)
    found = pool.select(about).join(opened, on=about, how="left", maintain_order="left")
    return found["found"].fill_null(0).to_numpy().astype(np.int64)


class _Draw:
    """The draw of one template."""

    def __init__(
        self, template: Template, pool: pl.DataFrame, linked: Numbers, templates: Mapping[str, Template]
    ) -> None:
        cell = pl.concat_str(pl.col("manoeuvre", "speed_change").fill_null(""), separator="|")
        if template.parts:
            self._turns = [_Turns(_part_codes(pool, [name for name in template.parts if templates[name].options]))]
        elif template.options:
            self._turns = [_Turns([_codes(pool["answer"])])]
        else:
            self._turns = []
        if template.family == CODES["TRJ"]:
            self._turns.append(_Turns([_codes(pool.select(cell).to_series())]))
        self._missing = np.zeros(pool.height, dtype=np.int64)
        if template.parts:
            self._missing = len(template.parts) - pool["parts"].list.len().to_numpy().astype(np.int64)
        self._unlinked = 1 - linked
        self._tags = _TagTurns(pool["tags"])
        self._scene = _codes(pool["scene"])
        self._of_scene = np.zeros(self._scene.max(initial=-1) + 1, dtype=np.int64)
        self._frame = pool["frame"].to_numpy().astype(np.int64)
        self._overlaps = np.zeros(pool.height, dtype=np.int64)
        self._best_first = pool.with_row_index("at").sort("challenge", "rank", *KEY, descending=[True] + [False] * 4)

    def taken(self, most: int, cap: int) -> list[int]:
        """Places of the rows taken, in the order in which they are."""
        left: Numbers = self._best_first["at"].to_numpy().astype(np.int64)
        order: list[int] = []
        while left.size and len(order) < most:
            place = self._next(left)
            order.append(place)
            self._take(place)
            scene, frame = self._scene[place], self._frame[place]
            full = self._of_scene[scene] >= cap
            same = (self._scene[left] == scene) & (full | (self._frame[left] == frame))
            left = left[~same]
        return order

    def _next(self, left: Numbers) -> int:
        """The one among those left, best first, that comes next."""
        costs_of: list[Callable[[Numbers], Numbers]] = [
            lambda at: self._missing[at],
            *(turns.cost for turns in self._turns),
            lambda at: self._unlinked[at],
            lambda at: self._overlaps[at],
            self._tags.cost,
            lambda at: self._of_scene[self._scene[at]],
        ]
        for cost in costs_of:
            costs = cost(left)
            left = left[costs == costs.min()]
        return int(left[0])

    def _take(self, place: int) -> None:
        for turns in self._turns:
            turns.take(place)
        self._tags.take(place)
        scene = self._scene[place]
        self._of_scene[scene] += 1
        near = np.abs(self._frame - self._frame[place]) <= HISTORY_FRAMES
        self._overlaps += near & (self._scene == scene)


class _Turns:
    """How often each value was taken: who has the rarest comes next.

    Args:
        columns: Codes of the values, a column each of which counts for itself; -1 for none.
    """

    def __init__(self, columns: Sequence[Numbers]) -> None:
        self._columns = columns
        self._counts = [np.zeros(codes.max(initial=-1) + 2, dtype=np.int64) for codes in columns]

    def cost(self, at: Numbers) -> Numbers:
        """How often the values at these places were taken, summed over columns."""
        total = np.zeros(at.size, dtype=np.int64)
        for codes, counts in zip(self._columns, self._counts, strict=True):
            total += np.where(codes[at] < 0, 0, counts[codes[at]])
        return total

    def take(self, place: int) -> None:
        """Count the values at a place."""
        for codes, counts in zip(self._columns, self._counts, strict=True):
            counts[codes[place]] += 1


class _TagTurns:
    """How often each tag was taken; a candidate costs what its rarest does."""

    def __init__(self, tags: pl.Series) -> None:
        names = (*TAGS, ORDINARY)
        has = [(tags.list.len() == 0) if name == ORDINARY else tags.list.contains(name) for name in names]
        self._has = np.array([column.to_numpy() for column in has]).T.reshape(len(tags), len(names))
        self._counts = np.zeros(len(names), dtype=np.int64)

    def cost(self, at: Numbers) -> Numbers:
        """How often the rarest tag at these places was taken."""
        costs: Numbers = np.where(self._has[at], self._counts, np.iinfo(np.int64).max).min(axis=1)
        return costs

    def take(self, place: int) -> None:
        """Count the tags at a place."""
        self._counts += self._has[place]


def _codes(values: pl.Series) -> Numbers:
    """A number for each distinct value, the same whatever the order of the rows."""
    return values.rank("dense").fill_null(0).to_numpy().astype(np.int64) - 1


def _part_codes(pool: pl.DataFrame, parts: Sequence[str]) -> list[Numbers]:
    """The answers to each part, -1 where it cannot be told."""
    told = pl.col("parts").list
    answers = pool.select(
        told.eval(pl.element().filter(pl.element().struct.field("template") == name).struct.field("answer"))
        .list.first()
        .alias(name)
        for name in parts
    )
    return [_codes(answers[name]) for name in parts]
