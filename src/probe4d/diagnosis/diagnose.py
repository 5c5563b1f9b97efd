"""Shows what the answers of models depend on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.suites import SUITES
from probe4d.diagnosis.answer_book import AnswerBook, book_of
from probe4d.diagnosis.answers import gather_answers
from probe4d.diagnosis.bootstrap import FEW_SCENES
from probe4d.diagnosis.branches import branches_of
from probe4d.diagnosis.comparing import compare_runs
from probe4d.diagnosis.controls import is_control
from probe4d.diagnosis.examination import CONTROLS, Examination, examine
from probe4d.diagnosis.fitting import control_answers
from probe4d.diagnosis.labels import read_labels
from probe4d.diagnosis.model_names import models_table
from probe4d.diagnosis.number_diagnosis import diagnose_numbers
from probe4d.diagnosis.number_sheet import NumberSheet, make_number_sheet
from probe4d.diagnosis.pairs import EGO, EGO_PAPER, PLAIN, pairs_table
from probe4d.diagnosis.sheet import SCORED_FORMATS, Sheet, label_of, make_sheet
from probe4d.diagnosis.tables import RECORDS_SCHEMA, Diagnosis, control_beside, in_order
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
) -> Diagnosis:
    """Score runs beside their controls and show what their answers depend on (LiDAR-Hallu, Sec. IV).

    Args:
        benchmark: The questions. Yes-no and choice questions are scored, and those for a number whose facts name its
            unit; others are left out, with a warning.
        runs: Runs of that benchmark, named after their folders; the first is compared with each other one.
        parser: Parser of the replies to yes-no and choice questions: `default`, `published` or `older`.
        compare: Further comparisons, `X:Y` for what X changed against Y; both may be controls.
        allow_missing: Count questions without an answer as wrong instead of refusing the run.
        model_names: What the models of some runs are called, by the name of the run, where their records do not tell
            family and size (see `named_model`).
        fit_controls: Benchmark that the controls learn from (see `probe4d.diagnosis.fitting`); null lets them learn
            from the questions that are asked.

    Returns:
        Every figure, record, pair, shortcut, slice and change.

    Raises:
        InputError: No question of the benchmark can be scored, two runs have one name, a name is reserved for
            controls or begins like a formula, a run does not fit the benchmark, an unknown run is named, or controls
            learn nothing from the benchmark that they are to learn from.
    """
    names = _checked_names(runs)
    suite = benchmark.record.suite
    averages = SUITES[suite].averages if suite in SUITES else ()
    sheet, number_sheet = make_sheet(benchmark), make_number_sheet(benchmark)
    scored = _scored(benchmark, sheet, number_sheet)
    gathered = gather_answers(benchmark, scored, runs, allow_missing=allow_missing)
    controls = control_answers(benchmark, sheet, number_sheet, fit_controls)
    fitted = controls.learned_from is not None
    records = read_labels(gathered.rows, sheet, parser=parser)
    answers = records.filter("main")
    book = book_of(sheet, names, answers)
    layouts = {run.name: run.record.layout if run.record.layout in (EGO, EGO_PAPER) else PLAIN for run in runs}
    branches = {run.name: branches_of(run) for run in runs}
    # Runs that were asked the same questions are examined together.
    sets = book.sets()
    examined = [
        examine(
            book.part(items, asked),
            layouts,
            records,
            branches,
            suite=suite,
            averages=averages,
            content=controls.content.labels[items] if fitted or items.size == sheet.scenes.size else None,
        )
        for items, asked in sets
    ]
    first = examined[0].sheet
    for control in CONTROLS:
        book = book.with_answerer(control, sets[0][0], first.labels[first.row(control)])
    numbers = diagnose_numbers(
        number_sheet,
        names,
        gathered.rows,
        suite=suite,
        averages=averages,
        controls=controls.numbers if fitted else None,
    )
    compared = compare_runs(book, numbers.book, runs, compare, suite=suite, averages=averages)
    return Diagnosis(
        benchmark=benchmark,
        runs=tuple(runs),
        parser=parser,
        comparisons=compared.comparisons,
        figures=pl.concat(
            [
                _united([one.figures for one in examined], names),
                *(_controls_beside(one) for one in examined[1:]),
                compared.figures,
                numbers.figures,
            ]
        ),
        records=_records(book, answers),
        pairs=pairs_table(first, examined[0].pairs),
        shortcuts=_united([one.shortcuts for one in examined], names),
        slices=_united([one.slices for one in examined], names),
        changes=compared.changes,
        models=models_table(runs, model_names),
        run_families=compared.run_families,
        variants=_variants(sheet, records),
        numbers=numbers.numbers,
        words_alone=words_alone(
            sheet,
            controls.content,
            number_sheet,
            controls.numbers,
            learned_from=controls.learned_from or benchmark.fingerprint,
        ),
        learned_from=controls.learned_from,
        warnings=(
            *filter(None, [controls.told, balance_shines_through(benchmark, controls.learned_from)]),
            *_doubts(benchmark, scored, gathered.rows.filter(pl.col("run").is_in(names[:1]))),
            *(sentence for one in examined for sentence in _unpaired(one)),
            *gathered.warnings,
            *compared.warnings,
        ),
    )


def _scored(benchmark: Benchmark, sheet: Sheet, numbers: NumberSheet) -> pl.DataFrame:
    """Columns `id`, `format` and `scene` of the questions that are scored, in benchmark order."""
    scored = pl.concat([sheet.questions.select("id"), numbers.questions.select("id")])
    if not scored.height:
        raise InputError(
            f"holds no question that can be scored: none of the formats {' or '.join(SCORED_FORMATS)}, and no number "
            "whose facts name its unit.",
            path=benchmark.path,
            remedy="Give a benchmark that holds some.",
        )
    return benchmark.table.select("id", "format", "scene").join(scored, on="id", how="semi", maintain_order="left")


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


def _united(tables: Sequence[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    """The rows of all runs in order, then those of the controls beside the first run, whose questions are theirs."""
    runs = [table.filter(~pl.col("run").is_in(CONTROLS)) for table in tables]
    return in_order(pl.concat([*runs, tables[0].filter(pl.col("run").is_in(CONTROLS))]), "run", [*names, *CONTROLS])


def _controls_beside(examined: Examination) -> pl.DataFrame:
    """Figures of the controls on the questions of runs that were not asked what the first was, named after these."""
    runs = [name for name in examined.sheet.names if name not in CONTROLS]
    return pl.concat(
        [
            examined.figures.filter(run=control).with_columns(run=pl.lit(control_beside(control, run)))
            for run in runs
            for control in CONTROLS
        ]
    )


def _unpaired(examined: Examination) -> list[str]:
    return [
        f"{name} was asked with ego-motion text, but the benchmark does not hold that of its prompts: "
        "it has no pairs of one prompt."
        for name in examined.unpaired
    ]


def _records(book: AnswerBook[Sheet], answers: pl.DataFrame) -> pl.DataFrame:
    parts = [_with_correct(book.sheet, answers)]
    for control in CONTROLS:
        items = book.items(control)
        asked = book.sheet.questions[items]
        codes = book.answers[book.names.index(control), items]
        said = [label_of(code, kind) for code, kind in zip(codes.tolist(), asked["format"], strict=True)]
        rows = pl.DataFrame({"run": control, "question": asked["id"], "state": "valid", "label": said}).with_columns(
            pl.lit(None, pl.String).alias("variant"),
            pl.lit(None, pl.String).alias("text"),
            correct=pl.Series(codes == book.sheet.references[items]),
        )
        parts.append(rows.select(list(RECORDS_SCHEMA)))
    return pl.concat(parts)


def _variants(sheet: Sheet, records: pl.DataFrame) -> pl.DataFrame:
    """Every answer of the runs that asked in more than one variant."""
    return _with_correct(sheet, records.filter((~pl.col("main")).any().over("run")))


def _with_correct(sheet: Sheet, records: pl.DataFrame) -> pl.DataFrame:
    references = pl.Series(sheet.references[records["item"].to_numpy()])
    return records.with_columns(correct=records["code"] == references).select(list(RECORDS_SCHEMA))


def _doubts(benchmark: Benchmark, scored: pl.DataFrame, first: pl.DataFrame) -> list[str]:
    """What speaks against the figures as a whole; `first` is what the first run answered, if there is one."""
    others = benchmark.table.select("id", "format").join(scored, on="id", how="anti")
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
