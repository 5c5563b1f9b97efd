"""What the verdict says of shortcuts: which feature of the words the answers follow, and how far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from probe4d.diagnosis.shortcuts import THRESHOLD, stands_out
from probe4d.report.lookup import asked
from probe4d.report.statement import ONE_ANSWER, Statement

__all__ = ["followed", "standing"]

ALONE, MOSTLY = 0.99, 0.95
"""Shares of answers from which they follow a feature alone, and below which they only mostly do."""


def followed(own: pl.DataFrame, nouns: Mapping[str, str]) -> Iterator[Statement]:
    """Name shortcuts, and features that answers lean on without being named.

    Args:
        own: A run's shortcuts.
        nouns: What the feature `relation` is called, by family.
    """
    named = own.filter("named")
    for row in named.iter_rows(named=True):
        if row["feature"] == "letter" and row["share"] >= ONE_ANSWER:
            continue  # the verdict says so where it speaks of one answer
        yield Statement("bad", _accusation(row, _noun(row, nouns)))
    if not own.height or named.height:
        return
    leaning = [row for row in own.iter_rows(named=True) if _leans(row)]
    # Two features together predict what each of them does, so single ones come first.
    leaning.sort(key=lambda row: (" and " in row["feature"], -row["share"]))
    best: dict[tuple[str, str], dict[str, Any]] = {}
    for row in leaning:
        best.setdefault((row["family"], row["format"]), row)
    for row in best.values():
        yield Statement("note", _suspicion(row, _noun(row, nouns)))
    if not best:
        can = "can be told to explain" if (own["beyond"] >= THRESHOLD).any() else "explains"
        yield Statement("note", f"No single feature of the words {can} its answers beyond what the truth explains.")


def standing(row: Mapping[str, Any]) -> str:
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


def _leans(row: Mapping[str, Any]) -> bool:
    """Whether answers follow a feature clearly more than the true ones do, without its being named."""
    return (
        not row["named"]
        and row["feature"] != "letter"
        and stands_out(row["excess"], row["low"])
        and row["share"] - max(row["truth"], row["constant"]) >= THRESHOLD
    )


def _noun(row: Mapping[str, Any], nouns: Mapping[str, str]) -> str:
    return str(row["feature"]).replace("relation", nouns.get(row["family"], "predicate"))


def _accusation(row: Mapping[str, Any], noun: str) -> str:
    how = f"follow the {noun} alone, whatever the scene"
    if row["share"] < ALONE:
        how = f"mostly follow the {noun}" if row["share"] < MOSTLY else f"nearly always follow the {noun}"
    return (
        f"{asked(row['family'], row['format']).capitalize()}: its answers {how}. That predicts "
        f"{round(row['share'] * row['n']):,} of {row['n']:,}, a constant answer {round(row['constant'] * row['n']):,}. "
        f"The rule: {row['rule']}."
    )


def _suspicion(row: Mapping[str, Any], noun: str) -> str:
    share, constant, truth = (round(row[name] * row["n"]) for name in ("share", "constant", "truth"))
    questions = asked(row["family"], row["format"]).capitalize()
    return (
        f"{questions}: the {noun} predicts {share:,} of its {row['n']:,} answers, a constant answer {constant:,}, "
        f"but only {truth:,} of the true answers. It leans on the words in part, though knowing the truth explains "
        "too many of its answers for a shortcut to be named."
    )
