"""Shows what the answers of models depend on."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.answers import read_answers
from probe4d.diagnosis.contrasts import add_contrasts
from probe4d.diagnosis.controls import CONTENT, FIXED, content_control, fixed_control
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.interventions import add_changes, changes_table
from probe4d.diagnosis.leads import add_yes_leads
from probe4d.diagnosis.overview import PARSER_CHANGED
from probe4d.diagnosis.pairs import EGO, PLAIN, PromptPairs, add_pairs, fits_layout, pairs_table, prompt_pairs
from probe4d.diagnosis.relations import add_relations
from probe4d.diagnosis.scores import add_scores
from probe4d.diagnosis.sheet import SCORED_FORMATS, Sheet, code_labels, label_of, make_sheet
from probe4d.diagnosis.shortcuts import shortcuts_table
from probe4d.diagnosis.slices import slices_table
from probe4d.diagnosis.tables import RECORDS_SCHEMA, Comparison, Diagnosis
from probe4d.diagnosis.wording import counted
from probe4d.diagnosis.writing import FORMULA
from probe4d.errors import InputError
from probe4d.runs.run import Run

__all__ = ["Diagnosis", "diagnose"]

_CONTROLS = (FIXED, CONTENT)

_FEW_SCENES = 10


def diagnose(
    benchmark: Benchmark,
    runs: Sequence[Run],
    *,
    parser: str = "default",
    compare: Sequence[str] = (),
    allow_missing: bool = False,
) -> Diagnosis:
    """Score runs beside their controls and show what their answers depend on (LiDAR-Hallu, Sec. IV).

    Args:
        benchmark: The questions; those of other formats than yes-no and choice are left out, with a warning.
        runs: Runs of that benchmark, named after their folders; the first is compared with each other one.
        parser: Parser of the replies: `default`, `published` or `older`.
        compare: Further comparisons, `X:Y` for what X changed against Y; both may be controls.
        allow_missing: Count questions without an answer as wrong instead of refusing the run.

    Returns:
        Every figure, record, pair, shortcut, slice and change.

    Raises:
        InputError: Two runs have one name, a name is reserved for controls or begins like a formula, a run does
            not fit the benchmark, or a comparison names an unknown run.
    """
    names = _checked_names(runs)
    sheet = make_sheet(benchmark)
    answers = read_answers(benchmark, sheet, runs, parser=parser, allow_missing=allow_missing)
    by_run = answers.records.partition_by("run", as_dict=True)
    labels = [code_labels(by_run[(name,)]["label"], sheet.questions) for name in names]
    sheet = sheet.answered([*names, *_CONTROLS], [*labels, fixed_control(sheet), content_control(sheet)])
    comparisons = _comparisons(names, compare)
    layouts = {run.name: EGO if run.record.layout == EGO else PLAIN for run in runs}
    pairs = _pairs(sheet, layouts)

    figures = Figures(sheet, benchmark.record.suite)
    add_scores(figures, sheet)
    add_relations(figures, sheet)
    for one in pairs:
        add_pairs(figures, sheet, one, [name for name in sheet.names if _layout(name, layouts) == one.layout])
    add_yes_leads(figures, sheet)
    add_contrasts(figures, sheet)
    _add_parser_changes(figures, sheet, by_run)
    shortcuts = shortcuts_table(sheet, sheet.names)
    _add_shortcut_shares(figures, sheet, shortcuts)
    add_changes(figures, sheet, comparisons)
    return Diagnosis(
        benchmark=benchmark,
        runs=tuple(runs),
        parser=parser,
        comparisons=comparisons,
        figures=figures.table(),
        records=_records(sheet, answers.records),
        pairs=pairs_table(sheet, pairs),
        shortcuts=shortcuts,
        slices=slices_table(sheet),
        changes=changes_table(sheet, comparisons),
        warnings=(*_doubts(sheet, benchmark), *_unpaired(sheet, layouts), *answers.warnings),
    )


def _checked_names(runs: Sequence[Run]) -> list[str]:
    names: list[str] = []
    for run in runs:
        if run.name.startswith("control:"):
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


def _comparisons(names: Sequence[str], compare: Sequence[str]) -> tuple[Comparison, ...]:
    known = (*names, *_CONTROLS)
    found = [Comparison(name, names[0]) for name in names[1:]]
    for text in compare:
        # Names of controls hold a colon themselves, so every colon is tried.
        colons = [place for place, character in enumerate(text) if character == ":"]
        fitting = [Comparison(text[:place], text[place + 1 :]) for place in colons]
        fitting = [one for one in fitting if one.run in known and one.against in known]
        if not fitting:
            raise InputError(
                f"the comparison {text!r} is not of the form X:Y with names among {', '.join(known)}.",
                remedy="Name a run by its folder.",
            )
        found.append(fitting[0])
    return tuple(dict.fromkeys(found))


def _pairs(sheet: Sheet, layouts: dict[str, str]) -> list[PromptPairs]:
    used = {_layout(name, layouts) for name in sheet.names}
    return [prompt_pairs(sheet, layout) for layout in (PLAIN, EGO) if layout in used and fits_layout(sheet, layout)]


def _unpaired(sheet: Sheet, layouts: dict[str, str]) -> list[str]:
    return [
        f"{name} was asked in the {layout} layout, but the benchmark does not hold the ego-motion text of its prompts: "
        "it has no pairs of one prompt."
        for name, layout in layouts.items()
        if not fits_layout(sheet, layout)
    ]


def _layout(name: str, layouts: dict[str, str]) -> str:
    """Layout of a run; controls see what the baseline sees."""
    return layouts.get(name, next(iter(layouts.values()), PLAIN))


def _add_parser_changes(figures: Figures, sheet: Sheet, by_run: dict[tuple[object, ...], pl.DataFrame]) -> None:
    """Add parser_changed_<other>: how many records another parser would have read as another label."""
    for (run,), records in by_run.items():
        for column in [name for name in records.columns if name.startswith("other_")]:
            changed = int(records["label"].ne_missing(records[column]).sum())
            metric = PARSER_CHANGED + column.removeprefix("other_")
            figures.add_values(metric, sheet.everything, [str(run)], [changed / records.height], records.height)


def _add_shortcut_shares(figures: Figures, sheet: Sheet, shortcuts: pl.DataFrame) -> None:
    """Add shortcut_share where a shortcut is named; its interval is that of the excess, in shortcuts.csv."""
    cells = {(cell.family, cell.format): cell for cell in sheet.cells}
    for row in shortcuts.filter("named").iter_rows(named=True):
        figures.add_values(
            "shortcut_share", cells[row["family"], row["format"]], [row["run"]], [row["share"]], row["n"]
        )


def _records(sheet: Sheet, records: pl.DataFrame) -> pl.DataFrame:
    kinds = sheet.questions["format"]
    parts = [records.drop(name for name in records.columns if name.startswith("other_"))]
    for control in _CONTROLS:
        codes = sheet.labels[sheet.row(control)]
        said = [label_of(code, kind) for code, kind in zip(codes.tolist(), kinds, strict=True)]
        columns: dict[str, object] = {
            "run": control,
            "question": sheet.questions["id"],
            "state": "valid",
            "label": said,
        }
        part = pl.DataFrame(columns).with_columns(
            pl.lit(None, pl.String).alias("variant"), pl.lit(None, pl.String).alias("text")
        )
        parts.append(part.select(parts[0].columns))
    correct: npt.NDArray[np.bool_] = sheet.correct.reshape(-1)
    return pl.concat(parts).with_columns(correct=pl.Series(correct)).select(list(RECORDS_SCHEMA))


def _doubts(sheet: Sheet, benchmark: Benchmark) -> list[str]:
    counts = benchmark.table.filter(~pl.col("format").is_in(SCORED_FORMATS)).group_by("format").len().sort("format")
    doubts = [
        f"{counted(n, 'question')} of the format {kind} {'is' if n == 1 else 'are'} not scored."
        for kind, n in counts.iter_rows()
    ]
    scenes = int(sheet.scenes.max()) + 1
    if scenes < _FEW_SCENES:
        number = "is 1" if scenes == 1 else f"are {scenes}"
        doubts.append(f"Intervals are too narrow: they resample whole scenes, and there {number}.")
    return doubts
