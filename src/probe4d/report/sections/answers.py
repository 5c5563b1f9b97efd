"""Which answers are given, beside the references."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.question import LETTERS
from probe4d.report import charts
from probe4d.report.lookup import asked, percent
from probe4d.report.sections.part import Key, Section, Table, number_columns, word_columns

__all__ = ["answers_given"]


def answers_given(given: pl.DataFrame, names: Sequence[str]) -> Section:
    """Chart how often each label is given, valid or not, beside the references.

    Args:
        given: Counts as `labels_given` makes them.
        names: Runs and controls, in order.
    """
    drawn, rows = [], []
    none = "no valid answer"
    letters = sorted(
        set(given.filter(pl.col("format") == "choice")["answer"])
        | set(given.filter(pl.col("format") == "choice")["label"].drop_nulls())
    )
    palette = {
        "choice": {letter: f"letter-{LETTERS.index(letter) % 6}" for letter in letters} | {none: "letter-none"},
        "yes-no": {"Yes": "letter-0", "No": "letter-3", none: "letter-none"},
    }
    for kind in ("yes-no", "choice"):
        asked_so = given.filter(pl.col("format") == kind)
        for family in asked_so["family"].unique(maintain_order=True):
            own = asked_so.filter(pl.col("family") == family)
            answered = own.group_by("run", pl.col("label").fill_null(none)).agg(pl.col("n").sum())
            reference = (
                own.filter(pl.col("run") == names[0]).group_by(pl.col("answer").alias("label")).agg(pl.col("n").sum())
            )
            counts = pl.concat([reference.select(pl.lit("reference").alias("run"), "label", "n"), answered])
            shares = counts.with_columns(share=pl.col("n") / pl.col("n").sum().over("run"))
            rank = {name: place for place, name in enumerate(["reference", *names])}
            shares = shares.sort(pl.col("run").replace_strict(rank), "label").rename({"run": "name", "label": "part"})
            title = asked(family, kind).capitalize()
            words = "; ".join(
                f"{name} {part} {percent(share)}"
                for name, part, share in shares.select("name", "part", "share").iter_rows()
            )
            drawn.append(charts.bars(title, words, shares.select("name", "part", "share"), palette[kind]))
            rows += [
                (title, name, part, percent(share), f"{n:,}")
                for name, part, n, share in shares.select("name", "part", "n", "share").iter_rows()
            ]
    used = {part: colour for kind in palette.values() for part, colour in kind.items()}
    seen = set(given["label"].drop_nulls()) | set(given["answer"])
    shown = {part for part in used if part in seen or (part == none and given["label"].null_count())}
    return Section(
        "answers",
        "What is answered",
        "Shares of the answers given, beside those of the references. A row of one colour is a model that says the "
        "same whatever it is shown.",
        drawn,
        Table("Answers given", (*word_columns("Questions", "Run", "Answer"), *number_columns("Share", "Count")), rows),
        [Key("bar", colour, part) for part, colour in used.items() if part in shown],
    )
