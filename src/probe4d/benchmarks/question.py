"""The one record type for a question of any suite, its identity and its columns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec
import polars as pl

from probe4d.errors import InputError
from probe4d.store.hashing import digest

__all__ = [
    "FORMATS",
    "INTERVAL",
    "LETTERS",
    "NUMBER",
    "QUESTION_SCHEMA",
    "REQUIRED_COLUMNS",
    "ROWS_AT_ONCE",
    "TEXT",
    "WAYPOINTS",
    "Evidence",
    "Format",
    "Question",
    "derived_id",
    "has_vocabulary",
    "is_free_text",
    "question_id",
    "question_ids",
    "questions_from",
    "to_table",
]

Format = Literal["yes-no", "choice", "number", "interval", "text", "waypoints"]
NUMBER: Final = "number"
INTERVAL: Final = "interval"
TEXT: Final = "text"
"""The format of free text, and of an answer that is one of the words in a question's options."""
WAYPOINTS: Final = "waypoints"

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The letters of the options of a choice question, in order."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a model should be shown: key frames of the scene and the views of each.

    Attributes:
        frames: Key-frame indices, ascending.
        views: Sensor channels; empty means all.
    """

    frames: tuple[int, ...] = ()
    views: tuple[str, ...] = ()


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question whose answer was measured. `questions.parquet` holds one column for each field.

    Attributes:
        id: First 16 hexadecimal digits of the digest of the fields that `question_id` takes.
        suite: Suite that made it, such as `lidar-hallu`.
        family: Family inside the suite, such as `existence`.
        template: Template inside the family, such as `existence-yes-no`.
        relation: Proposed sector or predicate; null where none is proposed.
        format: Form of the answer.
        scene: Name of the scene, or the release's own scene id for imported records.
        keyframes: Number of key frames of that scene (the feature-sequence length of a 4D LiDAR model); null where
            imported records do not say.
        frames: Key-frame indices that the question asks about.
        channel: Camera asked about; null unless the question is about one camera's view.
        entities: What is asked about: class names, captions or markers.
        question: The wording, without options and directive; null where a release keeps it back.
        options: Of a choice question, the texts of the options in the order of their letters. A question of the format
            `text` may have a vocabulary here: then its answer is one of these words. Else empty.
        answer: `Yes` or `No`, a letter, a number, an interval `start-end` (first and last key frame, both inside, such
            as `3-9`), text, or a JSON list of waypoints [x, y] in metres, in the ego frame of the last frame that is
            asked about.
        evidence: Frames and views to be shown.
        rule: Name of the rule that gave the answer.
        facts: What the rule measured: positions, distances, coordinate frame, pose and box tokens. Of a question for
            a number they hold its `unit`, `metres` or `degrees`; without one its answers are not scored.
            `probe4d.benchmarks.facts` lists the keys and reads them.
        margin: Distance of the measurement from the decision boundary, in the rule's unit; null without one.
        lidar_points: Fewest LiDAR returns on an entity at a frame asked about; null where unknown.
        context: What of the question's text can predict the answer, such as class and proposed sector.
        features: The same for each option of a choice question, in order; else empty.
        needs: Annotations that the answer rests on, such as `boxes` or `visibility`.
        links: Ids of related questions, such as the same-object contrast.
        order: Position in its family's file.
        prompt: The whole prompt, where it is fixed, as in imported records; else null.
    """

    id: str
    suite: str
    family: str
    template: str
    relation: str | None = None
    format: Format
    scene: str
    keyframes: int | None
    frames: tuple[int, ...] = ()
    channel: str | None = None
    entities: tuple[str, ...] = ()
    question: str | None
    options: tuple[str, ...] = ()
    answer: str
    evidence: Evidence = Evidence()
    rule: str
    facts: dict[str, Any] = {}
    margin: float | None = None
    lidar_points: int | None = None
    context: str = ""
    features: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    order: int
    prompt: str | None = None


QUESTION_SCHEMA: dict[str, pl.DataType] = {
    "id": pl.String(),
    "suite": pl.String(),
    "family": pl.String(),
    "template": pl.String(),
    "relation": pl.String(),
    "format": pl.String(),
    "scene": pl.String(),
    "keyframes": pl.Int32(),
    "frames": pl.List(pl.Int32()),
    "channel": pl.String(),
    "entities": pl.List(pl.String()),
    "question": pl.String(),
    "options": pl.List(pl.String()),
    "answer": pl.String(),
    "evidence": pl.Struct({"frames": pl.List(pl.Int32()), "views": pl.List(pl.String())}),
    "rule": pl.String(),
    "facts": pl.String(),  # a JSON object: each rule measures other things
    "margin": pl.Float64(),
    "lidar_points": pl.Int32(),
    "context": pl.String(),
    "features": pl.List(pl.String()),
    "needs": pl.List(pl.String()),
    "links": pl.List(pl.String()),
    "order": pl.Int32(),
    "prompt": pl.String(),
}
"""Columns of `questions.parquet`, in order."""

REQUIRED_COLUMNS: tuple[str, ...] = tuple(
    name
    for name in QUESTION_SCHEMA
    if name not in ("relation", "keyframes", "channel", "question", "margin", "lidar_points", "prompt")
)
"""Columns without null: a missing list is an empty one, missing facts are `{}`."""

FORMATS: tuple[str, ...] = get_args(Format)

ROWS_AT_ONCE = 100_000
"""Rows of a large table that are held as Python objects at a time."""


def has_vocabulary(options: str = "options") -> pl.Expr:
    """Whether the answer to a question is one of the words in its options: of the format `text`, with a vocabulary.

    Args:
        options: Name of the column of options.
    """
    return (pl.col("format") == "text") & (pl.col(options).list.len().fill_null(0) > 0)


def is_free_text() -> pl.Expr:
    """Whether the answer to a question is free text: of the format `text`, without a vocabulary."""
    return (pl.col("format") == "text") & (pl.col("options").list.len().fill_null(0) == 0)


def question_id(
    *,
    suite: str,
    template: str,
    scene: str,
    frames: Sequence[int],
    entities: Sequence[str],
    channel: str | None,
    question: str | None,
    options: Sequence[str],
) -> str:
    """Identity of a question: the same question has the same id in every build.

    Returns:
        The first 16 hexadecimal digits of SHA-256 over the canonical JSON list of the arguments in this order.
    """
    key = [suite, template, scene, list(frames), list(entities), channel, question, list(options)]
    return digest(key)[:16]


def derived_id(question: Question) -> str:
    """The identity that the fields of a question give it (see `question_id`), whatever its `id` says."""
    return question_id(
        suite=question.suite,
        template=question.template,
        scene=question.scene,
        frames=question.frames,
        entities=question.entities,
        channel=question.channel,
        question=question.question,
        options=question.options,
    )


def question_ids(table: pl.DataFrame) -> pl.Series:
    """The identity of each question of a table, as `question_id` gives it.

    Args:
        table: The columns of `QUESTION_SCHEMA` that `question_id` takes; others are not looked at.

    Returns:
        Ids in the order of the rows, as strings.
    """
    named = ("suite", "template", "scene", "frames", "entities", "channel", "question", "options")
    key = pl.format(f"[{','.join('{}' for _ in named)}]", *(_as_json(name) for name in named)).cast(pl.Binary())
    prefixes: list[bytes] = []
    for rows in table.select(named).iter_slices(ROWS_AT_ONCE):
        prefixes += [hashlib.sha256(row).digest()[:8] for row in rows.select(key).to_series()]
    return pl.Series("id", prefixes, dtype=pl.Binary()).bin.encode("hex")


def _as_json(name: str) -> pl.Expr:
    """The values of a column as JSON, to the byte as `store.hashing.canonical_json` writes them."""
    return pl.struct(pl.col(name).alias("")).struct.json_encode().str.strip_prefix('{"":').str.strip_suffix("}")


def to_table(questions: Iterable[Question]) -> pl.DataFrame:
    """Turn Questions into a table with the columns of `QUESTION_SCHEMA`."""
    rows = [msgspec.to_builtins(question) for question in questions]
    for row in rows:
        row["facts"] = msgspec.json.encode(row["facts"], order="sorted").decode()
    columns = {name: [row[name] for row in rows] for name in QUESTION_SCHEMA}
    return pl.DataFrame(columns, schema=QUESTION_SCHEMA)


def questions_from(table: pl.DataFrame, *, path: Path | None = None) -> list[Question]:
    """Turn a table with the columns of `QUESTION_SCHEMA` into Questions, row by row.

    Args:
        table: The table.
        path: The file that it was read from, for the error.

    Raises:
        InputError: A value does not fit its field.
    """
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    questions = []
    for row in table.iter_rows(named=True):
        try:
            questions.append(msgspec.convert({**row, "facts": decode(row["facts"])}, Question))
        except (msgspec.DecodeError, RecursionError, TypeError) as error:
            raise InputError(
                f"question {row['id']} does not fit ({error}).",
                path=path,
                remedy="Build or import the benchmark again.",
            ) from error
    return questions
