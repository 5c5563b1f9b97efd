"""Questions with options: which of two or four objects is closest or largest (App. D, Direct Reasoning)."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.question import LETTERS
from probe4d.benchmarks.spatial_qa.pools import OBJECTS, Pools, answered, count_out, drawn_ranks
from probe4d.benchmarks.spatial_qa.rules import best_option, quantities
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES

__all__ = ["choice_pools"]


class _Choice(NamedTuple):
    """What a choice is about.

    Attributes:
        asked_of: Column that tells its questions apart: an object that options are measured against, or an image.
        measure: Column of what is compared.
        measures: Column of what was measured of all options.
    """

    asked_of: str
    measure: str
    measures: str = "distances_m"


_CHOICES = {
    "closest-to-object": _Choice("object_1", "distance_m"),
    "closest-to-ego": _Choice("view", "ego_distance_m"),
    "largest": _Choice("view", "volume_m3", "volumes_m3"),
    "closer-to-object": _Choice("object_1", "distance_m"),
    "closer-to-ego": _Choice("view", "ego_distance_m"),
}


def choice_pools(
    askable: pl.DataFrame, pairs: pl.DataFrame, views: pl.DataFrame, seed: int, left_out: Counter[str]
) -> Pools:
    """Draw one question for each object, or each image, that has enough others to choose from.

    Args:
        askable: Objects that questions may mention, as in `Measured`.
        pairs: Ordered pairs of them, with the columns of `pair_measures`, and object and rank with both suffixes.
        views: Images, as in `Measured`.
        seed: Seed of the build.
        left_out: Where objects and images with too few others, and questions of equal options, are counted.
    """
    words = askable.select(option="object", words=pl.col("refer").str.to_lowercase())
    of_pairs = pairs.select("view", "object_1", "distance_m", asked_rank="rank_1", option="object_2", rank="rank_2")
    of_views = quantities(askable).select("view", "ego_distance_m", "volume_m3", option="object", rank="rank")
    of_views = of_views.join(views.select("view", asked_rank="rank"), on="view", how="left", maintain_order="left")
    offered = {
        "object_1": of_pairs.join(words, on="option", how="left", maintain_order="left")
        .join(words.rename({"option": "object_1", "words": "own"}), on="object_1", how="left", maintain_order="left")
        .filter(pl.col("words") != pl.col("own")),
        "view": of_views.join(words, on="option", how="left", maintain_order="left"),
    }
    asked = {"object_1": askable.height, "view": views.height}
    pools = {}
    for name, (asked_of, measure, measures) in _CHOICES.items():
        drawn = _drawn(offered[asked_of].rename({measure: "measures"}), name, asked_of, seed)
        reason = f"fewer than {TEMPLATES[name].options} objects to choose from"
        count_out(left_out, name, reason, asked[asked_of] - drawn.height)
        judged = best_option(drawn, largest=name == "largest").rename({"measures": measures})
        pools[name] = answered(_with_letters(judged, name, asked_of), name, "two options are equally good", left_out)
    return pools


def _drawn(offered: pl.DataFrame, template: str, asked_of: str, seed: int) -> pl.DataFrame:
    """The options of each question as lists, `options` and `measures`, in a drawn order; no words come twice."""
    count = TEMPLATES[template].options
    ranked = offered.with_columns(
        drawn=drawn_ranks(seed, template, offered["asked_rank"], offered["rank"]),
        place=drawn_ranks(seed, f"{template}/order", offered["asked_rank"], offered["rank"]),
    )
    options = (
        ranked.sort(asked_of, "drawn")
        .unique([asked_of, "words"], keep="first", maintain_order=True)
        .filter(pl.int_range(pl.len()).over(asked_of) < count, pl.len().over(asked_of) >= count)
    )
    return (
        options.sort(asked_of, "place")
        .group_by(asked_of, maintain_order=True)
        .agg(pl.col("view").first().alias("in_view"), "option", "measures")
    )


def _with_letters(judged: pl.DataFrame, template: str, asked_of: str) -> pl.DataFrame:
    """Answers as letters, and options as the last objects that the question mentions."""
    first = 1 if asked_of == "object_1" else 0
    letters = pl.Series(list(LETTERS), dtype=pl.String)
    options = {OBJECTS[first + place]: pl.col("option").list.get(place) for place in range(TEMPLATES[template].options)}
    return judged.with_columns(view="in_view", answer=letters.gather(judged["best"]), **options).drop(
        "in_view", "option", "best"
    )
