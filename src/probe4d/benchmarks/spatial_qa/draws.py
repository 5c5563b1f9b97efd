"""Which candidates a sample holds: as many of each template, of each answer, and of each scene, as there are.

Within a template and an answer scenes take turns: each gives its question of lowest rank before any gives its
second, so that a crowded scene gives no more than the others as long as these have any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

import polars as pl

from probe4d.benchmarks.spatial_qa.candidates import Candidates
from probe4d.benchmarks.spatial_qa.pools import OBJECTS, Pools, drawn_ranks
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES, Template

__all__ = ["Balance", "Draw", "Sample", "foremost", "sample"]

Balance = Literal["answers", "contents"]


class Draw(NamedTuple):
    """What is drawn.

    Attributes:
        size: Number of questions, as many of each template.
        balance: What is balanced: the answers to each template (`answers`), or of yes-no questions those to each
            template, relation and pair of categories, so that these give nothing away (`contents`).
        seed: Seed of the build.
    """

    size: int
    balance: Balance
    seed: int

    def quota(self, template: Template) -> int:
        """Number of questions of a template: the first ones take what is left when all have as many."""
        place = list(TEMPLATES).index(template.name)
        return self.size // len(TEMPLATES) + (place < self.size % len(TEMPLATES))

    def by_content(self, template: Template) -> bool:
        """Whether the contents of a template are balanced."""
        return self.balance == "contents" and template.format == "yes-no"


class Sample(NamedTuple):
    """Drawn candidates.

    Attributes:
        pools: Candidates by template.
        shortfalls: What was asked for and could not be had, as sentences.
    """

    pools: Pools
    shortfalls: list[str]


def sample(candidates: Candidates, draw: Draw) -> Sample:
    """Draw questions."""
    pools: Pools = {}
    even = sum(draw.quota(template) // _kinds(template) * _kinds(template) for template in TEMPLATES.values())
    shortfalls = [_uneven(even, draw.size)] if even < draw.size else []
    for name, pool in candidates.pools.items():
        template = TEMPLATES[name]
        turns = _by_turns(candidates, template, pool, draw)
        per_answer = draw.quota(template) // _kinds(template)
        drawn = _paired(turns, per_answer) if draw.by_content(template) else _even(turns, per_answer, template)
        pools[name] = drawn.select(pool.columns)
        shortfalls += _short(template, candidates.answers[name], drawn.height, draw)
    return Sample(pools, shortfalls)


def _uneven(even: int, size: int) -> str:
    return f"{even:,} of {size:,} questions asked for, since the answers to a template are equally many."


def foremost(candidates: Candidates, draw: Draw) -> Candidates:
    """Cut the candidates of whole scenes to those that a draw could take if there were no other scenes."""
    pools = {}
    for name, pool in candidates.pools.items():
        template = TEMPLATES[name]
        turns = _by_turns(candidates, template, pool, draw)
        pools[name] = turns.filter(pl.col("turn") < draw.quota(template) // _kinds(template)).select(pool.columns)
    return candidates._replace(pools=pools)


def _kinds(template: Template) -> int:
    """How many answers there are that are drawn alike."""
    return 1 if template.format == "number" else template.options or 2


def _by_turns(candidates: Candidates, template: Template, pool: pl.DataFrame, draw: Draw) -> pl.DataFrame:
    """Candidates in the order of being drawn, and their place in it: `turn`, among those of one `kind`."""
    objects, views = candidates.objects, candidates.views
    mentioned = [objects[pool[column]] for column in OBJECTS if column in pool.columns]
    keys = [one["rank"] for one in mentioned] or [views["rank"].gather(pool["view"])]
    categories = [one["category"] for one in mentioned] if draw.by_content(template) else []
    kind = [pl.lit("") if template.format == "number" else pl.col("answer"), *categories]
    ranked = pool.with_columns(
        scene=views["scene"].gather(pool["view"]),
        rank=pl.Series(drawn_ranks(draw.seed, f"sample/{template.name}", *keys)),
        content=pl.concat_str(categories or [pl.lit("")], separator="|"),
        kind=pl.concat_str(kind, separator="|"),
    )
    in_turn = ranked.with_columns(turn=pl.col("rank").rank("ordinal").over("scene", "kind")).sort("turn", "rank")
    return in_turn.with_columns(turn=pl.int_range(pl.len()).over("kind"))


def _even(turns: pl.DataFrame, per_answer: int, template: Template) -> pl.DataFrame:
    """The first of each answer, as many as there are of every one."""
    there = turns.group_by("kind").len()["len"]
    fewest = min(there.to_list()) if there.len() == _kinds(template) else 0
    return turns.filter(pl.col("turn") < min(per_answer, fewest))


def _paired(turns: pl.DataFrame, pairs: int) -> pl.DataFrame:
    """A Yes and a No of the same content at a time; contents take turns as well."""
    both = turns.filter(pl.col("answer").n_unique().over("content", "turn") == 2)
    first = both.filter(answer="Yes").sort("turn", "rank").head(pairs).select("content", "turn")
    return both.join(first, on=["content", "turn"], how="semi", maintain_order="left")


def _short(template: Template, there: Counter[str], drawn: int, draw: Draw) -> Iterator[str]:
    kinds, quota = _kinds(template), draw.quota(template)
    if drawn >= quota // kinds * kinds:
        return
    counts = ", ".join(f"{count:,} {answer}".rstrip() for answer, count in sorted(there.items())) or "none"
    alike = " of the same categories" if draw.by_content(template) else ""
    needs = f"; as many of each answer{alike} are taken" if kinds > 1 else ""
    yield f"{template.level}, {template.name}: {drawn:,} of {quota:,} questions (candidates: {counts}{needs})."
