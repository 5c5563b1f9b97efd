"""How often true claims get a Yes, and false ones, relation by relation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import polars as pl

from probe4d.diagnosis.controls.answerers import FIXED
from probe4d.report import charts
from probe4d.report.lookup import Lookup, in_words, percent
from probe4d.report.sections.part import Key, Section, Table, bounds, count, number_columns, share, word_columns

__all__ = ["relations"]


def relations(lookup: Lookup, names: Sequence[str]) -> Section:
    """Chart tpr and fpr by family and relation, a chart for each answerer; the table adds fpr_below_threshold.

    control:fixed is left out, which never says Yes.

    Args:
        lookup: The figures.
        names: Runs and controls, in order.
    """
    drawn, rows = [], []
    families = [family for family, _ in lookup.cells("tpr", ("yes-no",)) if family != "all"]
    colours = charts.run_colours(names)
    for name in names:
        if name == FIXED:
            continue
        lines = []
        for family in families:
            for relation in ("all", *lookup.relations("tpr", family)):
                true = lookup.get(name, "tpr", family, "yes-no", relation)
                false = lookup.get(name, "fpr", family, "yes-no", relation)
                told = [in_words(family), in_words(relation)]
                label = told[0] if relation == "all" else ": ".join(told)
                near_miss = lookup.get(name, "fpr_below_threshold", family, "yes-no", relation)
                if true is not None or false is not None:
                    rates = [(share(one), bounds(one), count(one)) for one in (true, false, near_miss)]
                    rows.append((name, *told, *chain.from_iterable(rates)))
                if true is not None and false is not None:
                    lines.append((label, false.value, true.value, f"n {true.n + false.n:,}"))
        if lines:
            table = pl.DataFrame(lines, schema=["name", "false", "true", "told"], orient="row")
            words = "; ".join(f"{label} TPR {percent(true)} FPR {percent(false)}" for label, false, true, _ in lines)
            drawn.append(charts.ranges(name, words, table, colours[name]))
    return Section(
        "relations",
        "Yes to true claims, Yes to false ones",
        "Of the claims that are true, the share answered Yes (TPR, filled); of those that are false, the same (FPR, "
        "hollow). A model that sees the relation has a long line with its filled end to the right; where both ends "
        "meet, the answer has nothing to do with the scene.",
        drawn,
        Table(
            "TPR and FPR by relation",
            (
                *word_columns("Run", "Family", "Relation"),
                *number_columns("TPR", "95 % interval", "n true"),
                *number_columns("FPR", "95 % interval", "n false"),
                *number_columns("FPR below threshold", "95 % interval", "n below"),
            ),
            rows,
        ),
        [Key("dot", "ink", "true claims (TPR)"), Key("ring", "ink", "false claims (FPR)")],
    )
