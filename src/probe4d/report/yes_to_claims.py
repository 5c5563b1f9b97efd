"""What a verdict says of Yes to true claims and to false ones, and of pairs of one prompt."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from probe4d.report.lookup import Figure, Lookup, in_words, interval, percent, points
from probe4d.report.statement import FEW, TELLING, Statement, excludes_chance, falls_short

__all__ = ["of_claims", "of_pairs"]


def of_claims(lookup: Lookup, own: pl.DataFrame, run: str, content: str, *, seen: bool) -> Iterator[Statement]:
    """Say whether Yes goes to true claims more than to false ones, and more so than words alone achieve.

    Families in which every answer is the same are left out.

    Args:
        lookup: The figures.
        own: The labels that the run gave, as `labels_given` counts them.
        run: The run.
        content: Name of the content control on the questions of the run.
        seen: Whether the run saw the scenes, so that telling claims apart speaks for it.
    """
    said = own.filter(pl.col("format") == "yes-no").group_by("family").agg(pl.col("label").n_unique())
    constant = set(said.filter(pl.col("label") == 1)["family"])
    for family, kind in lookup.cells("tpr", ("yes-no",)):
        true, false = lookup.get(run, "tpr", family, kind), lookup.get(run, "fpr", family, kind)
        if family == "all" or family in constant or true is None or false is None or min(true.n, false.n) < FEW:
            continue
        lead, over = (lookup.get(run, metric, family, kind) for metric in ("yes_lead", "yes_lead_over_words"))
        blind = [lookup.get(content, metric, family, kind) for metric in ("tpr", "fpr")]
        if lead is None:
            continue
        rates = (
            f"Says Yes to {percent(true.value)} of {true.n:,} true {in_words(family)} claims and to "
            f"{percent(false.value)} of {false.n:,} false ones"
        )
        words = "" if None in blind else " and ".join(percent(figure.value) for figure in blind if figure is not None)
        yield _judged(rates, lead, over, words, seen=seen)


def _judged(rates: str, lead: Figure, over: Figure | None, words: str, *, seen: bool) -> Statement:
    """The sentence that the intervals carry, with the difference that it rests on; none of it says more than these."""
    told = f"{rates} ({_difference(lead)})"
    if lead.low is None or lead.high is None:
        return Statement("note", f"{told}.")
    if falls_short(lead):
        return Statement("bad", f"{told}: false claims get a Yes more often than true ones.")
    if lead.high < 0:
        return Statement("bad", f"{told}: true claims get a Yes no more often than false ones.")
    if over is not None and over.high is not None and over.high < 0:
        beaten = f"the words alone, without the scene, do better ({words}): a difference of {_difference(over)}"
        return Statement("bad", f"{rates}; {beaten}.")
    if lead.low <= 0:
        if lead.high < TELLING:
            return Statement("bad", f"{told}: it does not tell them apart.")
        return Statement("note", f"{told}, no difference that can be told from chance.")
    if over is None or over.low is None:
        return Statement("note", f"{told}.")
    beside = f"{words}; beside them {_difference(over)}"
    if excludes_chance(lead) and excludes_chance(over):
        much = "which words alone do not achieve" if seen else "more than the statistics of the words give"
        return Statement("good" if seen else "note", f"{told}, {much} ({beside}).")
    if over.low <= 0 or over.value <= 0:
        return Statement("note", f"{told}, not to be told from what the words alone achieve ({beside}).")
    return Statement("note", f"{told}, somewhat more than the words alone achieve ({beside}).")


def _difference(figure: Figure) -> str:
    return f"{points(figure.value)}; {interval(figure, signed=True) or 'no interval'}"


def of_pairs(lookup: Lookup, run: str) -> Iterator[Statement]:
    """Say how many pairs with the same words and opposite truth are right on both sides."""
    pairs, both, chance = (
        lookup.get(run, metric, "all", "yes-no") for metric in ("pairs", "pairs_both", "pair_reference_sampling")
    )
    if pairs is None or both is None or chance is None or pairs.value < FEW:
        return
    share, lead = both.value / pairs.value, lookup.get(run, "pair_lead", "all", "yes-no")
    behind = lead is not None and lead.high is not None and lead.high < 0
    yield Statement(
        "good" if share > 0.5 and excludes_chance(lead) else "bad" if behind or not both.value else "note",
        f"Of {pairs.value:,.0f} pairs with the same words and opposite truth it gets both right in {both.value:,.0f} "
        f"({percent(share)}). A model that ignores the scene gets 0; one that says Yes at random as often as it does "
        f"gets {percent(chance.value)}.",
    )
