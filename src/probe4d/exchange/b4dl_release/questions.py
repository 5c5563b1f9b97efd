"""Makes questions of released rows, in columns, and tells which rows none can be made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.b4dl.released_wording import answer_as_released
from probe4d.benchmarks.b4dl.replies.answer_forms import classes_named
from probe4d.benchmarks.b4dl.tasks import SUITE_NAME, VOCABULARY
from probe4d.benchmarks.question import QUESTION_SCHEMA, question_ids

__all__ = ["LeftOutRow", "Made", "questions_of"]


class LeftOutRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row that no question is made of: a line of `left_out.jsonl`."""

    file: str
    row: str
    reason: str


class Made(NamedTuple):
    """Questions, columns of `QUESTION_SCHEMA`, and the rows that none could be made of."""

    table: pl.DataFrame
    left_out: list[LeftOutRow]


def questions_of(rows: pl.DataFrame) -> Made:
    """Make questions of rows.

    Their ids cover the answer beside what ids cover else, since the release asks some questions several times of one
    scene, and does not always say of which sequence; of rows that are alike in all of it, all but the first also their
    number.

    Args:
        rows: Columns of `PLACED_SCHEMA` and those that `with_tasks` adds.
    """
    bounds = pl.col("reference").str.split("-").list.eval(pl.element().cast(pl.Int32, strict=False))
    reason = (
        pl.when((pl.col("question") == "") | (pl.col("answer") == ""))
        .then(pl.lit("its question or its answer is empty"))
        .when((pl.col("format") == "interval") & (bounds.list.first() > bounds.list.last()))
        .then(pl.lit("its interval ends before it begins"))
        .when((pl.col("format") == "interval") & (bounds.list.last() >= pl.col("keyframes")))
        .then(pl.lit("its interval ends behind the last key frame of its scene"))
    )
    rows = rows.with_columns(reason=reason)
    lost = rows.filter(pl.col("reason").is_not_null()).select("file", "row", "reason")
    left_out = [LeftOutRow(file=file, row=row, reason=why) for file, row, why in lost.iter_rows()]
    return Made(_table(rows.filter(pl.col("reason").is_null())), left_out)


def _table(rows: pl.DataFrame) -> pl.DataFrame:
    frames = pl.col("indices").fill_null([])
    empty = pl.lit([], dtype=pl.List(pl.String()))
    table = rows.with_columns(
        suite=pl.lit(SUITE_NAME),
        scene=pl.coalesce("scene_name", "scene_id"),
        frames=frames,
        entities=empty,
        options=pl.when("is_class").then(pl.lit(list(VOCABULARY))).otherwise(empty),
        released_answer=pl.col("answer"),
        answer=pl.col("reference"),
        evidence=pl.struct(frames=frames, views=empty),
        rule=pl.lit("released"),
        context=pl.Series(list(_contexts(rows)), dtype=pl.String()),
        order=pl.int_range(pl.len(), dtype=pl.Int32).over("family"),
        features=empty,
        needs=empty,
        links=empty,
        relation=pl.lit(None, dtype=pl.String()),
        channel=pl.lit(None, dtype=pl.String()),
        margin=pl.lit(None, dtype=pl.Float64()),
        lidar_points=pl.lit(None, dtype=pl.Int32()),
        prompt=pl.lit(None, dtype=pl.String()),
    )
    table = table.with_columns(facts=pl.Series(list(_facts(table)), dtype=pl.String()))
    return table.with_columns(_ids(table)).select(pl.col(name).cast(kind) for name, kind in QUESTION_SCHEMA.items())


def _contexts(table: pl.DataFrame) -> Iterator[str]:
    """What text alone can predict: of yes and no the classes named, of an interval how many frames are looked at."""
    for kind, question, indices in table.select("format", "question", "indices").iter_rows():
        match kind:
            case "yes-no":
                yield " ".join(sorted(classes_named(question)))
            case "interval" if indices:
                yield f"{len(indices)} frames"
            case _:
                yield ""


def _facts(table: pl.DataFrame) -> Iterator[str]:
    """The facts of each row as JSON; what the release does not say is null.

    `released_answer` is there only where an answer is worded otherwise than the release words such answers as a rule.
    """
    encode = msgspec.json.Encoder(order="sorted").encode
    names = ["scene_id", "scene_token", "sequence", "start", "end", "split", "description"]
    worded = table.select("format", "options", "answer").iter_rows()
    for values, (kind, options, answer), said in zip(
        table.select(names).iter_rows(), worded, table["released_answer"], strict=True
    ):
        facts = dict(zip(names, values, strict=True))
        facts["human_annotation"] = facts.pop("description")
        if answer_as_released(kind, options, answer) != said:
            facts["released_answer"] = said
        yield encode(facts).decode()


def _ids(table: pl.DataFrame) -> pl.Series:
    alike = ["template", "scene", "start", "end", "question", "answer"]
    number = pl.int_range(pl.len()).over(alike).cast(pl.String())
    key = pl.when(number == "0").then(pl.concat_list("answer")).otherwise(pl.concat_list("answer", number))
    return question_ids(table.with_columns(entities=key))
