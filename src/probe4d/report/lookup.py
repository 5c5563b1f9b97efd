"""Figures by name, what answers consist of, and numbers as a reader expects them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.question import INTERVAL, NUMBER
from probe4d.diagnosis.intervals.scores import MIOU
from probe4d.diagnosis.sheets.grouping import TEMPLATE, families_in_order
from probe4d.diagnosis.sheets.labels import SCORED_FORMATS
from probe4d.diagnosis.statistics.interval_overlaps import CONVENTIONS
from probe4d.diagnosis.statistics.number_errors import TOLERANCE
from probe4d.diagnosis.tables import Diagnosis
from probe4d.scenes.geometry import SECTORS
from probe4d.wording import in_percent

NARROW = "\u202f"  # a narrow space that no line breaks at
SAME = "the same in every scene"
WITHIN = f"within {100 * TOLERANCE:.0f}{NARROW}%"  # of the truth, where a number is right
_NO_WIDTH = 1e-9  # of an interval whose draws all gave the same

__all__ = [
    "NARROW",
    "SAME",
    "WITHIN",
    "Figure",
    "Lookup",
    "asked",
    "asked_freely",
    "how_right",
    "in_words",
    "interval",
    "labels_given",
    "percent",
    "points",
    "relations_in_order",
]


class Figure(NamedTuple):
    """A value, its 95 % interval where there is one, and its denominator."""

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Lookup:
    """Looks figures up by what they are about.

    Attributes:
        rows: Figures by run, metric, family, format and relation.
        families: Families of questions in the benchmark's order, whichever of them the first run was asked.
    """

    rows: dict[tuple[str, str, str, str, str], Figure]
    families: tuple[str, ...]

    @classmethod
    def of(cls, diagnosis: Diagnosis) -> Lookup:
        """Index the figures of a diagnosis; rows without a value are left out."""
        table = diagnosis.figures
        keys = ("run", "metric", "family", "format", "relation")
        filled = table.filter(pl.col("value").is_not_null() & pl.col("value").is_not_nan())
        rows = filled.select(*keys, "value", "low", "high", "n").iter_rows()
        return cls(
            {
                (run, metric, family, kind, relation): Figure(*rest)
                for run, metric, family, kind, relation, *rest in rows
            },
            families_in_order(diagnosis.benchmark.record, set(table["family"]) - {"all"}),
        )

    def get(
        self, run: str, metric: str, family: str = "all", kind: str = "all", relation: str = "all"
    ) -> Figure | None:
        """One figure, or null."""
        return self.rows.get((run, metric, family, kind, relation))

    def without_intervals(self, names: Collection[str]) -> Lookup:
        """The same figures, but those of these answerers or comparisons with their values alone."""
        rows = {
            key: figure._replace(low=None, high=None) if key[0] in names else figure
            for key, figure in self.rows.items()
        }
        return replace(self, rows=rows)

    def cells(self, metric: str, kinds: Sequence[str] = SCORED_FORMATS) -> list[tuple[str, str]]:
        """(family, format) pairs that have this metric for some run, formats as given, those of all families last."""
        found = {
            (family, kind) for _, name, family, kind, relation in self.rows if name == metric and relation == "all"
        }
        return [cell for cell in product((*self.families, "all"), kinds) if cell in found]

    def relations(self, metric: str, family: str, kind: str = "yes-no") -> list[str]:
        """Relations into which a family is split, in the order of `relations_in_order`; not its templates."""
        found = {key[4] for key in self.rows if key[1:4] == (metric, family, kind)} - {"all"}
        return relations_in_order(name for name in found if not name.startswith(TEMPLATE))


def labels_given(diagnosis: Diagnosis) -> pl.DataFrame:
    """Count what each answerer said.

    Returns:
        Columns run, family, format, relation, answer (the reference), label (null where invalid), state, n.
    """
    questions = diagnosis.benchmark.columns("id", "family", "format", "relation", "answer").rename({"id": "question"})
    keys = ["run", "family", "format", "relation", "answer", "label", "state"]
    counts = diagnosis.records.join(questions, on="question", maintain_order="left")
    return counts.group_by(keys, maintain_order=True).len("n")


def relations_in_order(relations: Iterable[str]) -> list[str]:
    """Sectors from the front counter-clockwise, other relations by name."""
    found = set(relations)
    return [name for name in SECTORS if name in found] if found <= set(SECTORS) else sorted(found)


def in_words(name: str) -> str:
    """A family or relation as it is read: `direct reasoning`, `shorter in length`; sectors keep their hyphen."""
    return name if name in SECTORS else name.replace("-", " ")


def percent(value: float) -> str:
    """A share as a percentage with one decimal."""
    return f"{in_percent(value)}{NARROW}%"


def points(value: float, *, signed: bool = True) -> str:
    """A difference of shares in percentage points, with its sign or without."""
    return in_percent(value, signed=signed).replace("-", "\u2212") + " points"


def interval(figure: Figure, *, signed: bool = False) -> str:
    """The 95 % interval in words; empty where there is none."""
    if figure.low is None or figure.high is None:
        return ""
    if figure.high - figure.low < _NO_WIDTH:
        return SAME
    low, high = (in_percent(end, signed=signed).replace("-", "\u2212") for end in (figure.low, figure.high))
    return f"95{NARROW}% interval {low} to {high}"


def how_right(kind: str) -> str:
    """The metric that says how right answers of a format are: of intervals, which are not right or wrong, the mIoU."""
    return {NUMBER: "tolerance_accuracy", INTERVAL: MIOU + CONVENTIONS[0]}.get(kind, "accuracy")


def asked(family: str, kind: str) -> str:
    """Questions of a family and format in words, such as `position yes-no questions`; those for a word `word`."""
    words = [word for word in (in_words(family), "word" if kind == "text" else kind) if word != "all"]
    return " ".join([*words, "questions"]) if words else "all questions"


def asked_freely(family: str) -> str:
    """Questions of free text of a family in words, such as `description text questions`."""
    return "text questions" if family == "all" else f"{in_words(family)} text questions"
