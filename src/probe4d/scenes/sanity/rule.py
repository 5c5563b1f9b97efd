"""What a sanity rule is: an id, a name, how bad it is, what to do, and a function that finds the offenders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from probe4d.scenes.sanity.dataset import Dataset

__all__ = ["GROUPS", "Find", "Rule", "Severity", "register", "rule", "rules"]

Find = Callable[["Dataset"], pl.Series]
"""Gives the offenders: tokens where the rows have some, else a short name of the place."""


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"  # geometry or questions come out wrong, or the dataset cannot be opened
    WARNING = "warning"  # something is missing or odd; what is there can be used
    INFO = "info"  # worth knowing


@dataclass(frozen=True)
class Rule:
    """One thing that can be wrong with a dataset.

    Attributes:
        id: Three letters of the group and a number; stays the same for ever.
        name: The id in words.
        severity: How bad it is.
        description: What is wrong, as a sentence about the offenders.
        remedy: What to do about it.
        find: Gives the offenders.
        needs: Tables that `find` reads. Without them the rule is not checked.
        whole: Tables of which no row may be lost (malformed, or with a dangling reference), since `find`
            counts or looks for what is absent. Otherwise the rule is not checked.
    """

    id: str
    name: str
    severity: Severity
    description: str
    remedy: str
    find: Find
    needs: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()


GROUPS: dict[str, str] = {
    "TAB": "Tables and rows",
    "DUP": "Repeated tokens",
    "REF": "References",
    "SCN": "Scenes",
    "CHN": "Chains",
    "CNT": "Counts",
    "TIM": "Times",
    "VAL": "Numbers of poses and boxes",
    "EGO": "Ego motion",
    "BOX": "Boxes",
    "TRK": "Tracks",
    "ANN": "Annotations",
    "SEN": "Sensors",
    "CAM": "Cameras",
    "FIL": "Files",
}
"""What the first three letters of an id stand for, in the order in which rules are listed."""

_registered: dict[str, Rule] = {}


def register(rule: Rule) -> None:
    """Add a rule to those that `rules` gives.

    Raises:
        ValueError: A rule has this id or this name already, or the id is of no group.
    """
    if rule.id in _registered or any(rule.name == other.name for other in _registered.values()):
        raise ValueError(f"there are two rules {rule.id} or {rule.name!r}")
    if rule.id[:3] not in GROUPS:
        raise ValueError(f"the rule {rule.id} is of no group")
    _registered[rule.id] = rule


def rules() -> list[Rule]:
    """Every rule, by group and number."""
    order = list(GROUPS)
    return sorted(_registered.values(), key=lambda rule: (order.index(rule.id[:3]), rule.id))


def rule(
    id: str,
    name: str,
    severity: Severity,
    description: str,
    remedy: str,
    *,
    needs: tuple[str, ...] = (),
    whole: tuple[str, ...] = (),
) -> Callable[[Find], Find]:
    """Register the decorated function as the `find` of a rule (arguments as in `Rule`)."""

    def decorate(find: Find) -> Find:
        register(Rule(id, name, severity, description, remedy, find, needs=needs, whole=whole))
        return find

    return decorate
