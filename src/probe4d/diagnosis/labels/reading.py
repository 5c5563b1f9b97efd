"""From replies to labels: every reply to a yes-no or choice question read by the parser."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.question import LETTERS
from probe4d.diagnosis.parsing import PARSERS, parse_table
from probe4d.diagnosis.parsing.once import REPLY, read_once
from probe4d.diagnosis.sheets.labels import INVALID, LabelSheet, code_labels
from probe4d.diagnosis.tables import RECORDS_SCHEMA
from probe4d.errors import InputError

__all__ = ["read_labels", "shown_options", "turned_back"]


def read_labels(rows: pl.DataFrame, sheet: LabelSheet, *, parser: str) -> pl.DataFrame:
    """Read every reply to the questions of a sheet; what was not answered has the state `missing`.

    Args:
        rows: What runs answered, columns of `ANSWERED_SCHEMA`; other questions may be among them.
        sheet: The questions.
        parser: Name of the parser.

    Returns:
        One row for each row given that answers a question of the sheet, in their order. Columns of `RECORDS_SCHEMA`
        without `correct`, labels in the letters of the question itself; `other_<parser>`: the label by each other
        parser; `item`: position in the sheet; `main`: whether this is the run's first variant, whose answers are the
        run's own; `rotation`: of the options as they were shown; `code`: label code; `shown_code`: that of the
        answer true of the scene shown, null where the run does not know one.

    Raises:
        InputError: What would be true of the scene shown is no answer to its question.
    """
    items = sheet.questions.select(question="id").with_row_index("item")
    return _coded(_parsed(rows.join(items, on="question", maintain_order="left"), parser))


def _parsed(rows: pl.DataFrame, parser: str) -> pl.DataFrame:
    """Parse every distinct reply once, by every parser, with the options in the order in which they were shown."""
    others = {f"other_{name}": name for name in PARSERS if name != parser}

    def read(replies: pl.DataFrame) -> pl.DataFrame:
        asked = replies.select("finish_reason", "error", "format", text="part", options="shown")
        by_others = (parse_table(asked, parser=name)["label"].alias(column) for column, name in others.items())
        return parse_table(asked, parser=parser).with_columns(by_others)

    rows = rows.with_columns(shown=shown_options()).with_columns(shown_key=pl.col("shown").list.join("\x1f"))
    read_rows = read_once(rows, [*REPLY, "format", "shown_key"], read, lists=["shown"])
    return read_rows.with_columns(turned_back(column) for column in ("label", *others))


def shown_options() -> pl.Expr:
    """`Variant.shown` of a table with the columns options and rotation, which is less than the number of options."""
    options, rotation = pl.col("options"), pl.col("rotation")
    return pl.concat_list(options.list.slice(rotation), options.list.head(rotation))


def turned_back(column: str) -> pl.Expr:
    """`Variant.letter_of` for a column of letters, in such a table."""
    places = {letter: place for place, letter in enumerate(LETTERS)}
    place = pl.col(column).replace_strict(places, default=None, return_dtype=pl.Int64)
    letters = dict(enumerate(LETTERS))
    back = (place + pl.col("rotation")) % pl.col("options").list.len()
    return (
        pl.when(pl.col("rotation") > 0)
        .then(back.replace_strict(letters, default=None, return_dtype=pl.String))
        .otherwise(pl.col(column))
        .alias(column)
    )


def _coded(rows: pl.DataFrame) -> pl.DataFrame:
    """Put label codes beside the labels.

    Raises:
        InputError: What would be true of the scene shown is no answer to its question.
    """
    codes = {
        name: pl.Series(name, code_labels(rows[column], rows))
        for name, column in (("code", "label"), ("shown_code", "shown_answer"))
    }
    rows = rows.with_columns(codes.values())
    known = pl.col("shown_answer").is_not_null()
    for run, question, answer in (
        rows.filter(known, shown_code=INVALID).select("run", "question", "shown_answer").head(1).iter_rows()
    ):
        raise InputError(
            f"says that {answer!r} would be the answer to question {question} in the scene shown, which is none of "
            "its answers.",
            path=run,
            remedy="Ask it again.",
        )
    others = [name for name in rows.columns if name.startswith("other_")]
    read = [name for name in RECORDS_SCHEMA if name != "correct"]
    return rows.with_columns(shown_code=pl.when(known).then("shown_code")).select(
        *read, *others, "item", "main", "rotation", "code", "shown_code"
    )
