"""Pairs of questions with opposite answers."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.report import charts
from probe4d.report.lookup import Lookup, percent
from probe4d.report.sections.part import (
    Key,
    Section,
    Table,
    cells,
    number,
    number_columns,
    share,
    title_of,
    word_columns,
)
from probe4d.wording import counted

__all__ = ["pairs"]

PAIR_COLOURS = {"both right": "right", "one right": "letter-2", "neither": "wrong"}


def pairs(lookup: Lookup, names: Sequence[str]) -> Section:
    """Chart how many pairs are right on both sides, one or none: pairs of one prompt, then of one object.

    The metrics begin with `pair` and `contrast`; the table adds what chance gives at the answerer's own rate of Yes.

    Args:
        lookup: The figures.
        names: Runs and controls, in order.
    """
    drawn, rows = [], []
    for prefix, kind_of_pair in (("pair", "same words"), ("contrast", "same object")):
        for family, kind in cells(lookup, f"{prefix}s"):
            title = f"{title_of(family, kind)}, {kind_of_pair}"
            shares = []
            for name in names:
                total = lookup.get(name, f"{prefix}s", family, kind)
                counts = [lookup.get(name, f"{prefix}s_{part}", family, kind) for part in ("both", "one", "neither")]
                if total is None:
                    continue
                if not total.value:
                    rows.append((title, name, number(total), *[""] * 7))
                    continue
                parts = zip(PAIR_COLOURS, counts, strict=True)
                line = f"{name}, {counted(round(total.value), 'pair')}"
                shares += [(line, part, figure.value / total.value) for part, figure in parts if figure is not None]
                rates = [
                    share(lookup.get(name, f"{prefix}_{metric}", family, kind))
                    for metric in ("reference_sampling", "item_accuracy", "same_answer")
                ]
                every = lookup.get(name, f"{prefix}s_all_both", family, kind)
                told = "" if every is None else f"{every.value:,.0f} of {every.n:,}"
                rows.append((title, name, number(total), *map(number, counts), *rates, told))
            if shares:
                table = pl.DataFrame(shares, schema=["name", "part", "share"], orient="row")
                words = "; ".join(f"{name} {part} {percent(share)}" for name, part, share in shares)
                drawn.append(charts.bars(title, words, table, PAIR_COLOURS))
    return Section(
        "pairs",
        "Same words, opposite truth",
        "Two scenes, one prompt, and the right answer is Yes in one, No in the other. Whoever ignores the scene gives "
        "the same answer twice and never has both right. Same-object pairs ask two things of one object over one "
        "interval, of which one is true.",
        drawn,
        Table(
            "Pairs with opposite answers",
            (
                *word_columns("Questions", "Run"),
                *number_columns("Pairs", "Both right", "One right", "Neither"),
                *number_columns("By chance at its own Yes rate", "Items right", "Same answer"),
                *number_columns("Both right of all opposite pairs"),
            ),
            rows,
        ),
        [Key("bar", colour, part) for part, colour in PAIR_COLOURS.items()],
    )
