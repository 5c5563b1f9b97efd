"""Candidates to questions: words, facts, evidence and identity, as columns."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.question import QUESTION_SCHEMA, question_ids
from probe4d.benchmarks.spatial_qa.candidates import Candidates
from probe4d.benchmarks.spatial_qa.pools import OBJECTS
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES, Template, stem

__all__ = ["SUITE_NAME", "Drafting"]

SUITE_NAME = "spatial-qa"

_DECIMALS = 6
_UNITS = {"meters": "metres", "degrees": "degrees"}
"""Units of numbers in prompts, and in facts."""

_FACTS = {size: f"{size}_m" for size in ("length", "width", "height")}
"""What facts call a measure of a pool, where its column has another name."""

_NO_FACTS = (*OBJECTS, "view", "answer", "margin")


class Drafting:
    """Turns candidates into questions.

    Args:
        candidates: Where objects and images of the candidates are found.
        needs: Annotations that all answers rest on.
    """

    def __init__(self, candidates: Candidates, *, needs: tuple[str, ...]) -> None:
        facts = {"fact": _object_facts(), "option_fact": _object_facts(pl.col("refer").alias("label"))}
        self._objects = candidates.objects.select("refer", "entity", "category", "lidar_points", **facts)
        self._views = candidates.views.select("scene", "frame", "channel", "keyframes")
        self._needs = list(needs)

    def questions(self, name: str, pool: pl.DataFrame) -> pl.DataFrame:
        """Word the candidates of a template.

        Args:
            name: Name of the template.
            pool: Its candidates, all or some (see `pools`).

        Returns:
            Columns of `QUESTION_SCHEMA`; `order` counts the rows of the pool from 0.
        """
        template = TEMPLATES[name]
        mentioned = [column for column in OBJECTS if column in pool.columns]
        places = range(1, len(mentioned) + 1)
        options = places[len(places) - template.options :]
        named = places[: len(places) - template.options]
        table = self._with_words(pool, mentioned)
        frames = pl.concat_list("frame")
        columns = {
            "id": pl.lit(""),
            "suite": pl.lit(SUITE_NAME),
            "family": pl.lit(template.level),
            "template": pl.lit(name),
            "relation": pl.lit(template.relation, pl.String),
            "format": pl.lit(template.format),
            "frames": frames,
            "entities": _list_of("entity", named),
            "question": stem(template),
            "options": _list_of("refer", options),
            "evidence": pl.struct(frames=frames, views=pl.concat_list("channel")),
            "rule": pl.lit(template.rule),
            "facts": _facts(template, pool, named, options),
            "lidar_points": _fewest_points(places),
            "context": pl.concat_str(pl.lit(name), *(f"category_{place}" for place in named), separator="|"),
            "features": _list_of("category", options),
            "needs": pl.lit(pl.Series([self._needs])).first(),
            "links": _list_of("", ()),
            "order": pl.int_range(pl.len()),
            "prompt": pl.lit(None, pl.String),
        }
        questions = table.select(
            columns.get(column, pl.col(column)).cast(kind).alias(column) for column, kind in QUESTION_SCHEMA.items()
        )
        return questions.with_columns(id=question_ids(questions))

    def _with_words(self, pool: pl.DataFrame, mentioned: list[str]) -> pl.DataFrame:
        """A pool with what is known of its images and objects; the latter with the object's place as suffix."""
        table = pool.hstack(self._views[pool["view"]])
        for place, column in enumerate(mentioned, start=1):
            table = table.hstack(self._objects[pool[column]].select(pl.all().name.suffix(f"_{place}")))
        return table.with_columns(refer="refer_1") if mentioned else table


def _object_facts(*more: pl.Expr) -> pl.Expr:
    """Each object as it stands in facts: a JSON object, without what its question says of it."""
    place = [pl.col(f"ego_{axis}").round(_DECIMALS).alias(axis) for axis in "xyz"]
    return _as_json([*more, pl.col("token").alias("box"), *place])


def _facts(template: Template, pool: pl.DataFrame, named: range, options: range) -> pl.Expr:
    """Facts as JSON, for each row of a pool with words."""
    measured = {column: _FACTS.get(column, column) for column in pool.columns if column not in _NO_FACTS}
    units = {"unit": template.unit and _UNITS[template.unit], "margin_unit": _margin_unit(template)}
    rest = _as_json(
        [
            *(pl.col(column).alias(name) for column, name in measured.items()),
            *(pl.lit(unit).alias(name) for name, unit in units.items() if unit),
        ]
    )
    told = [*(f"fact_{place}" for place in named), *(f"option_fact_{place}" for place in options)]
    objects = pl.concat_str(told, separator=",") if told else pl.lit("")
    return pl.concat_str(pl.lit('{"objects":['), objects, pl.lit("],"), rest.str.slice(1))


def _as_json(columns: Sequence[pl.Expr]) -> pl.Expr:
    encoded: pl.Expr = pl.struct(columns).struct.json_encode()
    return encoded


def _margin_unit(template: Template) -> str | None:
    """Unit of the margins of a template; null for numbers and occlusions, which have none."""
    if template.unit or template.rule == "occlusion":
        return None
    return "cubic metres" if "volume" in template.rule else "metres"


def _list_of(what: str, places: Sequence[int]) -> pl.Expr:
    if not places:
        return pl.lit([], pl.List(pl.String))
    return pl.concat_list(f"{what}_{place}" for place in places)


def _fewest_points(places: Sequence[int]) -> pl.Expr:
    """Fewest LiDAR returns on an object; null where one is unknown, or none is mentioned."""
    points = [pl.col(f"lidar_points_{place}") for place in places]
    if not points:
        return pl.lit(None, pl.Int32)
    return pl.when(pl.all_horizontal(one.is_not_null() for one in points)).then(pl.min_horizontal(points))
