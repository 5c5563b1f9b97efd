"""What the verdict says of shortcuts: which feature of the words the answers follow, and how far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from probe4d.diagnosis.shortcuts.attribution import NEARLY_ALL, THRESHOLD, stands_out
from probe4d.report.lookup import asked
from probe4d.report.statement import FEW, ONE_ANSWER, Statement

__all__ = ["followed", "standing"]

ALONE = 0.99
"""Share of answers from which they follow a feature alone; below `NEARLY_ALL` they only mostly do."""

Row = Mapping[str, Any]
"""A row of `SHORTCUTS_SCHEMA`."""


def followed(own: pl.DataFrame, nouns: Mapping[str, str], *, judging: bool = True) -> Iterator[Statement]:
    """Name shortcuts, and, of `FEW` answers or more, features that these lean on without being named.

    Args:
        own: A run's shortcuts.
        nouns: What the feature `relation` is called, by family.
        judging: Whether the scenes are enough for a shortcut to speak against the run.
    """
    named = own.filter("named")
    row: Row
    for row in named.iter_rows(named=True):
        if row["feature"] == "letter" and row["share"] >= ONE_ANSWER:
            continue  # the verdict says so where it speaks of one answer
        yield Statement("bad" if judging else "note", _accusation(row, _noun(row, nouns)))
    cells = set(named.select("family", "format").iter_rows())
    enough = own.filter(pl.col("n") >= FEW)
    unnamed = [row for row in enough.iter_rows(named=True) if (row["family"], row["format"]) not in cells]
    alike = _best(row for row in unnamed if _looks_like_knowing(row))
    for row in alike.values():
        yield Statement("note", _either(row, _noun(row, nouns)))
    if not enough.height or cells:
        return
    leaning = _best(row for row in unnamed if _leans(row) and (row["family"], row["format"]) not in alike)
    for row in leaning.values():
        yield Statement("note", _suspicion(row, _noun(row, nouns)))
    if not leaning and not alike:
        can = "can be told to explain" if (enough["beyond"] >= THRESHOLD).any() else "explains"
        yield Statement("note", f"No single feature of the words {can} its answers beyond what the truth explains.")


def _best(rows: Iterable[Row]) -> dict[tuple[str, str], Row]:
    """Of each family and format the row that predicts most; two features together only where no single one is there."""
    best: dict[tuple[str, str], Row] = {}
    for row in sorted(rows, key=lambda row: (" and " in row["feature"], -row["share"])):
        best.setdefault((row["family"], row["format"]), row)
    return best


def standing(row: Row) -> str:
    """How a row of shortcuts stands in one word: `named`, `partly`, `truth`, `second`; empty if nothing stands out.

    `truth`: being right explains the gain; `partly`: only some of it; `second`: another feature of the same
    questions predicts more, or two together too little more.
    """
    if row["named"]:
        return "named"
    if not stands_out(row["excess"], row["low"]):
        return ""
    if stands_out(row["beyond"], row["beyond_low"]):
        return "second"
    return "partly" if _leans(row) else "truth"


def _leans(row: Row) -> bool:
    """Whether answers follow a feature clearly more than the true ones do, without its being named."""
    return (
        not row["named"]
        and row["feature"] != "letter"
        and stands_out(row["excess"], row["low"])
        and row["share"] - max(row["truth"], row["constant"]) >= THRESHOLD
    )


def _looks_like_knowing(row: Row) -> bool:
    """Whether a feature predicts nearly all answers, and no more is left to be told from knowing."""
    return not row["named"] and row["share"] >= NEARLY_ALL and row["excess"] >= THRESHOLD


def _noun(row: Row, nouns: Mapping[str, str]) -> str:
    return str(row["feature"]).replace("relation", nouns.get(row["family"], "predicate"))


def _accusation(row: Row, noun: str) -> str:
    predicted, n, constant = round(row["share"] * row["n"]), row["n"], round(row["constant"] * row["n"])
    questions = asked(row["family"], row["format"]).capitalize()
    if row["feature"] == "letter":
        return f"{questions}: it {row['rule']}, in {predicted:,} of {n:,}; a random letter gives {constant:,}."
    how = f"follow the {noun} alone, whatever the scene"
    if row["share"] < ALONE:
        how = f"mostly follow the {noun}" if row["share"] < NEARLY_ALL else f"nearly always follow the {noun}"
    return (
        f"{questions}: its answers {how}. That predicts {predicted:,} of {n:,}, a constant answer {constant:,}. "
        f"The rule: {row['rule']}."
    )


def _either(row: Row, noun: str) -> str:
    share, truth = (round(row[name] * row["n"]) for name in ("share", "truth"))
    questions = asked(row["family"], row["format"]).capitalize()
    return (
        f"{questions}: the {noun} predicts {share:,} of its {row['n']:,} answers, and {truth:,} of the true ones. "
        f"Answers that follow the {noun} and answers of who knows cannot be told apart "
        "on these questions."
    )


def _suspicion(row: Row, noun: str) -> str:
    share, constant, truth = (round(row[name] * row["n"]) for name in ("share", "constant", "truth"))
    questions = asked(row["family"], row["format"]).capitalize()
    return (
        f"{questions}: the {noun} predicts {share:,} of its {row['n']:,} answers, a constant answer {constant:,}, "
        f"but only {truth:,} of the true answers. It leans on the words in part, though knowing the truth explains "
        "too many of its answers for a shortcut to be named."
    )
