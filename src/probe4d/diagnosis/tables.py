"""What a diagnosis is: tables of figures, of records, of pairs, of shortcuts, each with fixed columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.comparing.comparisons import Comparison, FamilyComparison
from probe4d.diagnosis.judging.judgements import JudgeRecord
from probe4d.diagnosis.text_metrics.fingerprint import Fingerprint
from probe4d.runs.run import Run

AnswerKind = Literal["labels", "numbers", "intervals", "waypoints", "judged", "texts"]
"""How an answer is scored; each kind has a table of its own."""

__all__ = [
    "CHANGES_SCHEMA",
    "COUNTS",
    "FIGURES_SCHEMA",
    "INTERVALS_SCHEMA",
    "JUDGED_SCHEMA",
    "LINKED_SCHEMA",
    "MODELS_SCHEMA",
    "NUMBERS_SCHEMA",
    "PAIRS_SCHEMA",
    "RECORDS_SCHEMA",
    "SHORTCUTS_SCHEMA",
    "SLICES_SCHEMA",
    "TEXTS_SCHEMA",
    "WAYPOINTS_SCHEMA",
    "WORDS_ALONE_SCHEMA",
    "AnswerKind",
    "Diagnosis",
]

FIGURES_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),  # folder name of a run, a control (see `side_by_side.control_beside`), or `X vs Y`
    "suite": pl.String(),
    "family": pl.String(),  # `all` for totals
    "format": pl.String(),  # as in Question, `all` for totals; pair rows carry `yes-no`
    "relation": pl.String(),  # what a family is split by: sector or predicate, `template:X`, unit; else `all`
    "metric": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),  # 95 % whole-scene bootstrap interval; null where there is none
    "high": pl.Float64(),
    "n": pl.Int64(),  # denominator
}

COUNTS = frozenset({
    *("selected_a", "rescues", "damages", "repairs", "regressions", "changed_wrong", "pairs_all_both"),
    *(f"{kind}{part}" for kind in ("pairs", "contrasts") for part in ("", "_both", "_one", "_neither")),
})  # fmt: skip
"""Metrics whose values are counts; all others are fractions or differences of these, or errors in metres or degrees."""

RECORDS_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "question": pl.String(),  # id
    "variant": pl.String(),
    "text": pl.String(),  # the reply as given; null for controls and missing answers
    "state": pl.String(),  # valid, ambiguous, refused, truncated, empty, error, missing
    "label": pl.String(),  # letter, Yes or No; null unless valid
    "correct": pl.Boolean(),
}
"""One row for each run (controls among them) and question asked of it, runs in order, questions in benchmark order.

A run that asked in variants is here with its first one; `Diagnosis.variants` holds all of them.
"""

NUMBERS_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "question": pl.String(),  # id
    "variant": pl.String(),
    "text": pl.String(),  # the reply as given; null for the controls and missing answers
    "state": pl.String(),  # as in RECORDS_SCHEMA
    "reason": pl.String(),  # why an ambiguous reply has no value
    "unit": pl.String(),  # metres, degrees
    "reference": pl.Float64(),
    "value": pl.Float64(),  # null unless valid
    "within_tolerance": pl.Boolean(),  # false unless valid
}
"""The same for questions whose answer is a number of a known unit."""

INTERVALS_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "question": pl.String(),  # id
    "variant": pl.String(),
    "text": pl.String(),  # the reply as given; null for the controls and missing answers
    "state": pl.String(),  # as in RECORDS_SCHEMA
    "reason": pl.String(),  # why an ambiguous reply has no interval
    "reference_first": pl.Int64(),  # key frames, both ends inside
    "reference_last": pl.Int64(),
    "first": pl.Int64(),  # null unless valid
    "last": pl.Int64(),
    "iou_inclusive": pl.Float64(),  # 0 unless valid
    "iou_half_open": pl.Float64(),
}
"""The same for questions whose answer is an interval of key frames."""

WAYPOINTS_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "question": pl.String(),  # id
    "variant": pl.String(),
    "relation": pl.String(),  # future-waypoints, past-waypoints
    "text": pl.String(),  # the reply as given; null for the controls and missing answers
    "parsed": pl.Boolean(),
    "state": pl.String(),  # as in RECORDS_SCHEMA
    "reason": pl.String(),  # why an ambiguous reply has no waypoints
    "waypoints": pl.List(pl.List(pl.Float64())),  # [x, y] in metres, as many as asked for; null unless parsed
    "ade_m": pl.Float64(),  # null unless parsed
    "fde_m": pl.Float64(),
    "ade_m_penalised": pl.Float64(),  # the ego vehicle stands at the origin where nothing was parsed
    "fde_m_penalised": pl.Float64(),
}
"""The same for questions whose answer is a list of waypoints."""

JUDGED_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "question": pl.String(),  # id
    "variant": pl.String(),
    "answer": pl.String(),  # what was judged of the reply
    "state": pl.String(),  # scored, unscored (by its judge); error, missing, refused, truncated, empty: not judged
    "score": pl.Float64(),  # on the scale of the run's rubric; null unless scored
    "aspects": pl.List(pl.Struct({"aspect": pl.String(), "score": pl.Float64()})),  # where several
    "reason": pl.String(),  # in the judge's words
    "fault": pl.String(),  # why a judge left it unscored
}
"""One row for each judged run and question of free text asked of it, runs in order, questions in benchmark order."""

TEXTS_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "question": pl.String(),  # id
    "variant": pl.String(),
    "answer": pl.String(),  # what was compared of the reply; empty where there is none
    "reference": pl.String(),
    "state": pl.String(),  # valid; error, missing (both empty texts), refused, truncated, empty
    "source": pl.String(),  # id of the question whose reference a control gives; null for runs
    "bleu_4": pl.Float64(),  # 0 to 1; null where the metric was not asked for
    "rouge_l": pl.Float64(),
    "meteor": pl.Float64(),
    "bertscore": pl.Float64(),
}
"""One row for each run (controls among them) and question of free text asked of it, where metrics were asked for."""

LINKED_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "kind": pl.String(),  # contrast, parts, parts-right: see `probe4d.diagnosis.linked`
    "name": pl.String(),  # of the contrast in words; else the family of the whole
    "one": pl.String(),  # relation, or `all`
    "other": pl.String(),
    "one_value": pl.Float64(),  # accuracy, or mean score as a part of the best one
    "one_chance": pl.Float64(),  # of guessing; null of scores
    "one_n": pl.Int64(),
    "other_value": pl.Float64(),
    "other_chance": pl.Float64(),
    "other_n": pl.Int64(),
    "difference": pl.Float64(),  # one less other
    "low": pl.Float64(),  # 95 % interval, both sides drawn from the same scenes; null with one scene
    "high": pl.Float64(),
    "scenes": pl.Int64(),
}

PAIRS_SCHEMA: dict[str, pl.DataType] = {
    "layout": pl.String(),
    "pair": pl.Int32(),
    "family": pl.String(),
    "positive": pl.String(),  # id of the question whose answer is Yes
    "negative": pl.String(),
}

SHORTCUTS_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "family": pl.String(),
    "format": pl.String(),
    "feature": pl.String(),  # class, relation, frame, letter, ...
    "rule": pl.String(),  # the rule in words
    "share": pl.Float64(),  # of the model's own answers that the feature predicts, leave one scene out
    "constant": pl.Float64(),  # the same for a constant answer
    "excess": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "named": pl.Boolean(),  # excess and beyond >= 0.10 and well above 0, and the best of its family and format
    "n": pl.Int64(),  # valid answers
    "beyond": pl.Float64(),  # excess that remains once the reference answer is known: what being right cannot explain
    "beyond_low": pl.Float64(),
    "beyond_high": pl.Float64(),
    "truth": pl.Float64(),  # share of the references that the feature predicts: the `share` of who is always right
}

SLICES_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "family": pl.String(),
    "format": pl.String(),
    "by": pl.String(),  # `margin` or `lidar_points`
    "unit": pl.String(),  # of `from` and `to`
    "from": pl.Float64(),  # lower bound, inclusive
    "to": pl.Float64(),  # upper bound, exclusive; null is open
    "accuracy": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Int64(),
}

MODELS_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "model": pl.String(),  # as in the run's record, or as stated for it
    "model_family": pl.String(),  # null where what answered is no model
    "parameters": pl.Float64(),  # null where the name does not say
}

WORDS_ALONE_SCHEMA: dict[str, pl.DataType] = {
    "family": pl.String(),
    "format": pl.String(),
    "template": pl.String(),
    "control": pl.String(),  # `control:content`, of numbers `control:median`
    "metric": pl.String(),  # `accuracy`, of numbers `tolerance_accuracy`, of intervals `interval_miou_inclusive`
    "value": pl.Float64(),
    "low": pl.Float64(),  # as in FIGURES_SCHEMA
    "high": pl.Float64(),
    "n": pl.Int64(),
    "scenes": pl.Int64(),  # that the questions are from
    "chance": pl.Float64(),  # of guessing; null of numbers and intervals
    "fixed": pl.Float64(),  # the same metric of `control:fixed`
    "known": pl.Float64(),  # share of the questions on which there was something to learn from
    "settled": pl.Float64(),  # of yes-no questions, the share whose context other scenes answer alike
    "settled_value": pl.Float64(),  # accuracy on these
    "nearly_solved": pl.Boolean(),
    "learned_from": pl.String(),  # fingerprint of the benchmark that the control learned from
}
"""One row for each template, over all questions of the benchmark."""

CHANGES_SCHEMA: dict[str, pl.DataType] = {
    "comparison": pl.String(),  # `X vs Y`
    "question": pl.String(),
    "change": pl.String(),  # repaired, regressed, changed-wrong
}


@dataclass(frozen=True)
class Diagnosis:
    """What the answers of some runs depend on.

    Attributes:
        benchmark: The questions.
        runs: The runs in the order given; the first is the baseline of comparisons, and the questions that it was
            asked are those of the controls.
        parser: Name of the parser that read the answers.
        comparisons: The comparisons with the first run, and those asked for.
        run_families: The comparisons within families of runs; some of them may be among `comparisons` too.
        models: Columns of `MODELS_SCHEMA`.
        figures: Columns of `FIGURES_SCHEMA`.
        records: Columns of `RECORDS_SCHEMA`.
        pairs: Columns of `PAIRS_SCHEMA`.
        shortcuts: Columns of `SHORTCUTS_SCHEMA`.
        slices: Columns of `SLICES_SCHEMA`.
        changes: Columns of `CHANGES_SCHEMA`.
        variants: Columns of `RECORDS_SCHEMA`: every answer of the runs that asked in variants, in the letters of
            the question itself; empty if none did. `figures` holds under the run's name `variants_alike`,
            `variants_pairs_alike`, `variants_all_right`, `variants_any_right` and `variants_accuracy`.
        numbers: Columns of `NUMBERS_SCHEMA`.
        intervals: Columns of `INTERVALS_SCHEMA`.
        waypoints: Columns of `WAYPOINTS_SCHEMA`.
        judged: Columns of `JUDGED_SCHEMA`.
        judges: Record of the judge of each judged run, by the run's name.
        texts: Columns of `TEXTS_SCHEMA`.
        text_fingerprints: What each metric of free text was computed with, by its name in `figures`.
        linked: Columns of `LINKED_SCHEMA`.
        words_alone: Columns of `WORDS_ALONE_SCHEMA`.
        averages: Averages of the paper of the benchmark's suite.
        balanced_in_context: Whether Yes and No were made equally frequent in every context of the benchmark.
        learned_from: Fingerprint of the benchmark that the controls learned from; null where that is this one.
        warnings: What the reader should know, as sentences.
    """

    benchmark: Benchmark
    runs: tuple[Run, ...]
    parser: str
    comparisons: tuple[Comparison, ...]
    figures: pl.DataFrame
    records: pl.DataFrame
    pairs: pl.DataFrame
    shortcuts: pl.DataFrame
    slices: pl.DataFrame
    changes: pl.DataFrame
    models: pl.DataFrame
    run_families: tuple[FamilyComparison, ...] = ()
    variants: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=RECORDS_SCHEMA))
    numbers: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=NUMBERS_SCHEMA))
    intervals: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=INTERVALS_SCHEMA))
    waypoints: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=WAYPOINTS_SCHEMA))
    judged: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=JUDGED_SCHEMA))
    judges: Mapping[str, JudgeRecord] = field(default_factory=dict)
    texts: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=TEXTS_SCHEMA))
    text_fingerprints: Mapping[str, Fingerprint] = field(default_factory=dict)
    linked: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=LINKED_SCHEMA))
    words_alone: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=WORDS_ALONE_SCHEMA))
    averages: tuple[Average, ...] = ()
    balanced_in_context: bool = False
    learned_from: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def answered(self) -> dict[AnswerKind, pl.DataFrame]:
        """The tables that hold a row for each answerer and question asked of it, by the kind of answer.

        Each has at least the columns run, question, variant and state. A free answer that was judged and compared
        with its reference is in two of them.
        """
        return {
            "labels": self.records,
            "numbers": self.numbers,
            "intervals": self.intervals,
            "waypoints": self.waypoints,
            "judged": self.judged,
            "texts": self.texts,
        }

    def answerers(self, *of: AnswerKind) -> list[str]:
        """Runs in the order given, then the controls that answer.

        Args:
            of: Which kinds of answers controls have to give to be among them; none given are all.
        """
        tables = self.answered
        answered = [tables[kind]["run"].unique(maintain_order=True) for kind in of or tables]
        return list(dict.fromkeys([*(run.name for run in self.runs), *chain.from_iterable(answered)]))
