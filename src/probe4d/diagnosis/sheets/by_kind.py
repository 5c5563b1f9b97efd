"""The questions of a benchmark by the kind of their answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.sheets.answer_sheet import AnswerSheet
from probe4d.diagnosis.sheets.intervals import IntervalSheet, make_interval_sheet
from probe4d.diagnosis.sheets.judged import JudgedSheet
from probe4d.diagnosis.sheets.labels import LabelSheet, make_label_sheet
from probe4d.diagnosis.sheets.numbers import NumberSheet, make_number_sheet
from probe4d.diagnosis.sheets.texts import TextSheet, no_text_questions, text_questions
from probe4d.diagnosis.sheets.waypoints import WaypointSheet, make_waypoint_sheet

__all__ = ["Sheets"]


@dataclass(frozen=True, eq=False)
class Sheets:
    """The questions of a benchmark, a sheet for each kind of answer, which is made when it is first looked at.

    Each sheet may hold none; nobody has answered any. Looking at one raises an `InputError` where a question of its
    kind has a reference that is none, or facts that do not fit.

    Attributes:
        benchmark: The benchmark.
        is_judged: Whether judges score free answers; without that `judged` is empty.
        is_measured: Whether metrics of words score free answers; without that `texts` is empty.
    """

    benchmark: Benchmark
    is_judged: bool = False
    is_measured: bool = False

    @cached_property
    def labels(self) -> LabelSheet:
        """The questions whose answer is a label: yes or no, a letter, or a word of a vocabulary."""
        return make_label_sheet(self.benchmark)

    @cached_property
    def numbers(self) -> NumberSheet:
        """The questions for a number of a known unit."""
        return make_number_sheet(self.benchmark)

    @cached_property
    def intervals(self) -> IntervalSheet:
        """The questions for an interval."""
        return make_interval_sheet(self.benchmark)

    @cached_property
    def waypoints(self) -> WaypointSheet:
        """The questions for waypoints."""
        return make_waypoint_sheet(self.benchmark)

    @cached_property
    def judged(self) -> JudgedSheet:
        """The questions of free text whose answers are judged."""
        return JudgedSheet.of(self.benchmark, self._free_text if self.is_judged else no_text_questions())

    @cached_property
    def texts(self) -> TextSheet:
        """The questions of free text whose answers are compared with their references by metrics of words."""
        return TextSheet.of(self.benchmark, self._free_text if self.is_measured else no_text_questions())

    @property
    def of_every_kind(self) -> tuple[AnswerSheet, ...]:
        """All of them."""
        return (self.labels, self.numbers, self.intervals, self.waypoints, self.judged, self.texts)

    @cached_property
    def _free_text(self) -> pl.DataFrame:
        return text_questions(self.benchmark)
