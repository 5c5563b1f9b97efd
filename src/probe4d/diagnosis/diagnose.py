"""Shows what the answers of models depend on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark, BenchmarkRecord
from probe4d.benchmarks.suite import Average, LinkedContrast
from probe4d.benchmarks.suites import SUITES
from probe4d.diagnosis.answers import gather_answers
from probe4d.diagnosis.comparing.model_names import models_table
from probe4d.diagnosis.comparing.runs import compare_runs
from probe4d.diagnosis.controls.answerers import is_control
from probe4d.diagnosis.controls.fitting import ControlAnswers, control_answers
from probe4d.diagnosis.free_text.diagnosis import diagnose_texts
from probe4d.diagnosis.intervals.diagnosis import diagnose_intervals
from probe4d.diagnosis.judging.diagnosis import diagnose_judgements, judgements_by_run
from probe4d.diagnosis.judging.judgements import Judgements
from probe4d.diagnosis.labels.diagnosis import diagnose_labels
from probe4d.diagnosis.linked import linked_table
from probe4d.diagnosis.numbers.diagnosis import diagnose_numbers
from probe4d.diagnosis.sheets.by_kind import Sheets
from probe4d.diagnosis.sheets.texts import text_questions
from probe4d.diagnosis.side_by_side import in_order
from probe4d.diagnosis.statistics.bootstrap import FEW_SCENES
from probe4d.diagnosis.tables import Diagnosis
from probe4d.diagnosis.text_metrics.metric import TextMetric
from probe4d.diagnosis.waypoints.diagnosis import diagnose_waypoints
from probe4d.diagnosis.words_alone import balance_shines_through, words_alone
from probe4d.diagnosis.writing import FORMULA
from probe4d.errors import InputError
from probe4d.runs.run import Run
from probe4d.wording import counted

__all__ = ["Diagnosis", "diagnose"]


def diagnose(
    benchmark: Benchmark,
    runs: Sequence[Run],
    *,
    parser: str = "default",
    compare: Sequence[str] = (),
    allow_missing: bool = False,
    model_names: Mapping[str, str] = MappingProxyType({}),
    fit_controls: Benchmark | None = None,
    judgements: Sequence[Judgements] = (),
    text_metrics: Sequence[TextMetric] = (),
    workers: int = 1,
    done: Callable[[object], None] | None = None,
) -> Diagnosis:
    """Score runs beside their controls and show what their answers depend on (LiDAR-Hallu, Sec. IV).

    Args:
        benchmark: The questions. Scored are yes-no and choice questions, those for a word of a vocabulary, those for
            a number whose facts name its unit, those for an interval, those for waypoints, and with judgements or
            metrics of words those of free text; others are left out, with a warning.
        runs: Runs of that benchmark, named after their folders; the first is compared with each other one.
        parser: Parser of the replies that are labels: `default`, `published` or `older`.
        compare: Further comparisons, `X:Y` for what X changed against Y; both may be controls.
        allow_missing: Count questions without an answer as wrong instead of refusing the run.
        model_names: What the models of some runs are called, by the name of the run, where their records do not tell
            family and size (see `named_model`).
        fit_controls: Benchmark that the controls learn from (see `probe4d.diagnosis.controls.fitting`); null lets them
            learn from the questions that are asked.
        judgements: What judges made of the free answers of runs, for each run that is judged.
        text_metrics: Metrics of words by which free answers are compared with their references.
        workers: Processes that compare texts.
        done: Told of each thousand free answers that metrics of words compared, and of each thousand questions that
            the control beside them looked for.

    Returns:
        Every figure, record, pair, shortcut, slice and change.

    Raises:
        InputError: No question of the benchmark can be scored, two runs have one name, a name is reserved for
            controls or begins like a formula, a run does not fit the benchmark, an unknown run is named, controls
            learn nothing from the benchmark that they are to learn from, or judgements are of other runs or answers.
    """
    names = _checked_names(runs)
    suite = benchmark.record.suite
    averages, contrasts, balanced = _told_by_suite(benchmark.record)
    sheets = Sheets(benchmark, is_judged=bool(judgements), is_measured=bool(text_metrics))
    by_run = judgements_by_run(judgements, runs, benchmark)
    scored = _scored(sheets)
    gathered = gather_answers(benchmark, scored, runs, allow_missing=allow_missing)
    controls = control_answers(sheets, fit_controls)
    labels = diagnose_labels(
        sheets.labels, runs, gathered.rows, parser=parser, suite=suite, averages=averages, controls=controls
    )
    numbers = diagnose_numbers(sheets.numbers, names, gathered.rows, suite=suite, averages=averages, controls=controls)
    intervals = diagnose_intervals(sheets.intervals, names, gathered.rows, suite=suite, controls=controls)
    waypoints = diagnose_waypoints(sheets.waypoints, names, gathered.rows, suite=suite)
    judged = diagnose_judgements(sheets.judged, by_run, gathered.rows, suite=suite)
    texts = diagnose_texts(
        sheets.texts,
        names,
        gathered.rows,
        text_metrics,
        suite=suite,
        learned=_texts_learned(controls) if text_metrics else None,
        workers=workers,
        done=done,
    )
    compared = compare_runs(
        labels.book,
        numbers.book,
        intervals.book,
        waypoints.book,
        judged,
        texts.book,
        runs,
        compare,
        suite=suite,
        averages=averages,
    )
    return Diagnosis(
        benchmark=benchmark,
        runs=tuple(runs),
        parser=parser,
        comparisons=compared.comparisons,
        figures=pl.concat(
            [
                labels.figures,
                compared.figures,
                numbers.figures,
                intervals.figures,
                waypoints.figures,
                judged.figures,
                texts.figures,
            ]
        ),
        records=labels.records,
        pairs=labels.pairs,
        shortcuts=_united(labels.shortcuts, intervals.shortcuts, names),
        slices=labels.slices,
        changes=compared.changes,
        models=models_table(runs, model_names),
        run_families=compared.run_families,
        variants=labels.variants,
        numbers=numbers.numbers,
        intervals=intervals.intervals,
        waypoints=waypoints.waypoints,
        judged=judged.judged,
        judges=judged.judges,
        texts=texts.texts,
        text_fingerprints=texts.fingerprints,
        linked=linked_table(benchmark, labels.records, judged.judged, judged.judges, contrasts),
        words_alone=words_alone(sheets, controls),
        averages=averages,
        balanced_in_context=balanced,
        learned_from=controls.learned_from,
        warnings=(
            *filter(None, [controls.told, balance_shines_through(balanced, controls.learned_from)]),
            *_doubts(benchmark, scored, gathered.rows.filter(pl.col("run").is_in(names[:1]))),
            *map(_said_of_unpaired, labels.unpaired),
            *gathered.warnings,
            *compared.warnings,
            *judged.warnings,
        ),
    )


def _told_by_suite(record: BenchmarkRecord) -> tuple[tuple[Average, ...], tuple[LinkedContrast, ...], bool]:
    """Averages and contrasts of the suite's paper, and whether Yes and No are equally frequent in every context."""
    suite = SUITES.get(record.suite)
    if suite is None:
        return (), (), False
    balanced = suite.balanced_in_context
    return suite.averages, suite.linked_contrasts, balanced is not None and balanced(record)


def _texts_learned(controls: ControlAnswers) -> pl.DataFrame | None:
    """Questions of free text that the control beside free answers looks through; null for those that are asked."""
    return None if controls.learnable is None else text_questions(controls.learnable)


def _scored(sheets: Sheets) -> pl.DataFrame:
    """Columns `id`, `format` and `scene` of the questions that are scored, in benchmark order."""
    benchmark = sheets.benchmark
    scored = pl.concat([sheet.questions.select("id") for sheet in sheets.of_every_kind])
    if not scored.height:
        raise InputError(
            "holds no question that can be scored: no yes-no or choice question, none for a word of a vocabulary, no "
            "number whose facts name its unit, no interval, no waypoints, and no free text with judgements or metrics "
            "of words.",
            path=benchmark.path,
            remedy="Give a benchmark that holds some, or for free text judgements (judgements=, --judgements) or "
            "metrics of words (text_metrics=, --text-metrics).",
        )
    return benchmark.columns("id", "format", "scene").join(scored, on="id", how="semi", maintain_order="left")


def _united(one: pl.DataFrame, other: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Two tables with a column `run` as one: the runs in order, then the controls."""
    both = pl.concat([one, other])
    return in_order(both, "run", list(dict.fromkeys([*names, *both["run"]])))


def _checked_names(runs: Sequence[Run]) -> list[str]:
    names: list[str] = []
    for run in runs:
        if is_control(run.name):
            raise InputError(
                f"the name {run.name!r} is reserved for controls.", path=run.path, remedy="Rename the run folder."
            )
        if re.match(FORMULA, run.name):
            raise InputError(
                f"the name {run.name!r} begins like a formula of a spreadsheet.",
                path=run.path,
                remedy="Rename the run folder so that it begins with none of = + - @.",
            )
        if run.name in names:
            raise InputError(
                f"two runs are named {run.name!r}; a run is named after its folder.",
                path=run.path,
                remedy="Rename one of the folders.",
            )
        names.append(run.name)
    return names


def _said_of_unpaired(run: str) -> str:
    return (
        f"{run} was asked with ego-motion text, but the benchmark does not hold that of its prompts: "
        "it has no pairs of one prompt."
    )


def _doubts(benchmark: Benchmark, scored: pl.DataFrame, first: pl.DataFrame) -> list[str]:
    """What speaks against the figures as a whole; `first` is what the first run answered, if there is one."""
    others = benchmark.columns("id", "format").join(scored, on="id", how="anti")
    counts = others.group_by("format").len().sort("format")
    doubts = [
        f"{counted(n, 'question')} of the format {kind} {'is' if n == 1 else 'are'} not scored."
        for kind, n in counts.iter_rows()
    ]
    asked = scored.join(first, left_on="id", right_on="question", how="semi") if first.height else scored
    scenes = asked["scene"].n_unique()
    if scenes == 1:
        doubts.append("There are no intervals: they resample whole scenes, and there is 1.")
    elif scenes < FEW_SCENES:
        doubts.append(f"Intervals are too narrow: they resample whole scenes, and there are {scenes}.")
    return doubts
