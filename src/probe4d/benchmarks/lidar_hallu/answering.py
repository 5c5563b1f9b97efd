"""What would be right if a question were asked of another scene: the rules of this suite, for many at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import polars as pl

from probe4d.benchmarks.annotated_sector import AnnotatedSector
from probe4d.benchmarks.intervals import interval_in
from probe4d.benchmarks.lidar_hallu.events import measured_events
from probe4d.benchmarks.lidar_hallu.reading import Asked, read_stem
from probe4d.benchmarks.lidar_hallu.rules import (
    INTERVAL_FRAMES,
    Objects,
    measured_objects,
    motion_pairs,
    nearest_objects,
    predicate_answers,
)
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.suite import ANSWERS_SCHEMA
from probe4d.scenes.tables import Scenes

__all__ = ["answers_in"]

SAME_EVENT = 0.5
"""An option names an event that shares at least this part of the key frames that either of the two has.

Two scenes rarely have an event at the same key frames to the last one. With half, two options that do not overlap can
both name it only where they halve it.
"""

_ASKED_SCHEMA: dict[str, pl.DataType] = {
    "question": pl.String(),
    "template": pl.String(),
    "min_lidar_points": pl.Int64(),
    "from_deg": pl.Float64(),
    "to_deg": pl.Float64(),
    "frame": pl.Int32(),
    "end": pl.Int32(),
    "label": pl.String(),
    "relation": pl.String(),
    "kind": pl.String(),
    "detail": pl.String(),
    "options": pl.List(pl.String()),
    "letters": pl.List(pl.String()),
}


class _Measured(NamedTuple):
    """What is measured once for all questions that measure alike."""

    scenes: Scenes
    objects: Objects
    nearest: pl.DataFrame


def answers_in(questions: Sequence[Question], scenes: Scenes) -> pl.DataFrame:
    """Answer questions as if they were asked of each of some scenes; see `probe4d.benchmarks.suite.Suite`.

    A question is what its text says (see `reading`); the fewest LiDAR returns that its answer rests on are those
    in its facts, 1 where they say none. Nothing is right where a question's class, track or event is not there,
    where its key frames are not, or where its wording is none of this suite's.
    """
    asked = pl.DataFrame(list(filter(None, map(_asked, questions))), schema=_ASKED_SCHEMA, orient="row")
    found = [pl.DataFrame(schema=ANSWERS_SCHEMA)]
    for (points, start, end), group in asked.group_by("min_lidar_points", "from_deg", "to_deg", maintain_order=True):
        sector = None if start is None else AnnotatedSector(start, end)
        objects = measured_objects(scenes, min_lidar_points=points, annotated_sector=sector)
        measured = _Measured(scenes, objects, nearest_objects(objects.annotated))
        for (template,), part in group.group_by("template", maintain_order=True):
            found.append(_RULES[str(template)](part, measured).select(list(ANSWERS_SCHEMA)))
    return pl.concat(found)


def _asked(question: Question) -> tuple[Any, ...] | None:
    asked = None if question.question is None else read_stem(question.template, question.question)
    if asked is None or question.template not in _RULES:
        return None
    points = question.facts.get("min_lidar_points")
    return (
        question.id,
        question.template,
        points if isinstance(points, int) else 1,
        *(asked.annotated_deg or (None, None)),
        *_frames(asked),
        asked.label,
        asked.relation,
        asked.event,
        asked.detail,
        question.options,
        list(LETTERS[: len(question.options)]),
    )


def _frames(asked: Asked) -> tuple[int | None, int | None]:
    return (asked.frames[0], asked.frames[-1]) if asked.frames else (None, None)


def _yes_no(holds: pl.Expr) -> pl.Expr:
    return pl.when(holds).then(pl.lit("Yes")).otherwise(pl.lit("No"))


def _offered(asked: pl.DataFrame) -> pl.DataFrame:
    """One row an option, with its letter as `answer`."""
    return asked.explode("options", "letters").rename({"options": "option", "letters": "answer"})


def _existence_yes_no(asked: pl.DataFrame, measured: _Measured) -> pl.DataFrame:
    seen = measured.nearest.select("scene", "frame", "label", present=pl.lit(True))
    return (
        asked.join(measured.scenes.keyframes.select("scene", "frame"), on="frame")
        .join(seen, on=["scene", "frame", "label"], how="left")
        .with_columns(answer=_yes_no(pl.col("present").is_not_null()))
    )


def _existence_choice(asked: pl.DataFrame, measured: _Measured) -> pl.DataFrame:
    return _offered(asked).join(measured.nearest, left_on=["frame", "option"], right_on=["frame", "label"])


def _position_yes_no(asked: pl.DataFrame, measured: _Measured) -> pl.DataFrame:
    nearest = asked.join(measured.nearest.select("scene", "frame", "label", "sector"), on=["frame", "label"])
    return nearest.with_columns(answer=_yes_no(pl.col("sector") == pl.col("relation")))


def _position_choice(asked: pl.DataFrame, measured: _Measured) -> pl.DataFrame:
    where = measured.nearest.select("scene", "frame", "label", option="sector")
    return _offered(asked).join(where, on=["frame", "label", "option"])


def _motion_yes_no(asked: pl.DataFrame, measured: _Measured) -> pl.DataFrame:
    starts = measured.nearest.join(asked.select("frame", "label").unique(), on=["frame", "label"], how="semi")
    judged = predicate_answers(motion_pairs(starts, measured.objects.everywhere))
    moved = judged.select("scene", "frame", "label", "holds", relation="predicate")
    followed = asked.filter(pl.col("end") - pl.col("frame") == INTERVAL_FRAMES)
    return followed.join(moved, on=["frame", "label", "relation"]).with_columns(answer=_yes_no(pl.col("holds")))


def _distance_choice(asked: pl.DataFrame, measured: _Measured) -> pl.DataFrame:
    closest = measured.nearest.unique(["scene", "frame"], keep="first", maintain_order=True)
    return _offered(asked).join(closest, left_on=["frame", "option"], right_on=["frame", "label"])


def _temporal_choice(asked: pl.DataFrame, measured: _Measured) -> pl.DataFrame:
    """Options that name the event of the same kind there, where it would make a question (see `SAME_EVENT`)."""
    events, _ = measured_events(measured.scenes, measured.objects.annotated, measured.nearest)
    condition = ["kind", "label", "detail"]
    there = events.select("scene", *condition, first="start", last="end")
    offered = _offered(asked.drop_nulls("kind"))
    ends = [interval_in(option) or (None, None) for option in offered["option"]]
    intervals = pl.DataFrame(ends, schema={"from": pl.Int32, "to": pl.Int32}, orient="row")
    offered = pl.concat([offered, intervals], how="horizontal").drop_nulls("from")
    both = offered.join(there, on=condition, nulls_equal=True)
    shared = pl.min_horizontal("to", "last") - pl.max_horizontal("from", "first") + 1
    either = pl.max_horizontal("to", "last") - pl.min_horizontal("from", "first") + 1
    return both.filter(shared >= SAME_EVENT * either)


_RULES: dict[str, Callable[[pl.DataFrame, _Measured], pl.DataFrame]] = {
    "existence-yes-no": _existence_yes_no,
    "existence-choice": _existence_choice,
    "position-yes-no": _position_yes_no,
    "position-choice": _position_choice,
    "motion-yes-no": _motion_yes_no,
    "distance-choice": _distance_choice,
    "temporal-choice": _temporal_choice,
}
