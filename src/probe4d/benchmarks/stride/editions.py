"""What is asked of a kind of data: its templates, the rules that answer them, the signals that these measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from probe4d.benchmarks.card import SuiteCard
from probe4d.benchmarks.stride.card import CARD
from probe4d.benchmarks.stride.rules import RULES, Rule
from probe4d.benchmarks.stride.signals import Signals, signals_of
from probe4d.benchmarks.stride.templates import TEMPLATES, Template

__all__ = ["ANNOTATED", "Edition"]


@dataclass(frozen=True)
class Edition:
    """Everything of a build that depends on the kind of data; it is sent to worker processes.

    Attributes:
        templates: Templates by id, in the order in which they are told of.
        rules: Rules of those that are not composed of others.
        signals: (scenes, labels, seed=) to signals.
        card: What it says of itself on a dataset card.
        measured: How much there is to measure in each scene, by name, where it is not the annotated boxes.
        horizon_s: How far ahead TRJ-5 asks, where that can be chosen.
    """

    templates: Mapping[str, Template]
    rules: Mapping[str, Rule]
    signals: Callable[..., Signals]
    card: SuiteCard
    measured: Mapping[str, int] | None = None
    horizon_s: float | None = None


ANNOTATED = Edition(templates=TEMPLATES, rules=RULES, signals=signals_of, card=CARD)
"""Scenes with annotated boxes."""
