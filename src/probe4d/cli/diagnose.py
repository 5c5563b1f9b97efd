"""`probe4d diagnose`: what do the answers depend on?"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from probe4d.cli import app, output

if TYPE_CHECKING:
    from probe4d.diagnosis.tables import Diagnosis


@app.command("diagnose")
def diagnose_command(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a benchmark.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Folder for the report and its tables: new, empty, or of an earlier report."),
    ],
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="[RUN]...", help="Run folders, the baseline first.")
    ] = None,
    data: Annotated[Path | None, typer.Option(metavar="DATAROOT", help="Dataset, for the report's pictures.")] = None,
    version: Annotated[
        str | None, typer.Option("--version", help="Folder of tables; left out: the one it was built from.")
    ] = None,
    compare: Annotated[
        list[str] | None, typer.Option(metavar="X:Y", help="A further comparison: what X changed against Y.")
    ] = None,
    parser: Annotated[Literal["default", "published", "older"], typer.Option(help="How replies are read.")] = "default",
    model_name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RUN=NAME",
            help="What the model of a run is called, such as LLaVA-v1.6-13b: runs are listed by family and size.",
        ),
    ] = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Count questions without an answer as wrong.")
    ] = False,
    fit_controls: Annotated[
        Path | None,
        typer.Option(metavar="BENCH", help="Benchmark that controls learn from; left out: the one diagnosed."),
    ] = None,
    judgements: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER", help="What `probe4d judge run` made of a run's free answers; repeatable, one a run."
        ),
    ] = None,
    text_metrics: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="Compare free answers with their references by bleu, rouge-l, meteor, bert-score; left out: none.",
        ),
    ] = "",
    wordnet: Annotated[
        Path | None, typer.Option(metavar="DIR", help="WordNet's files, for meteor, such as /usr/share/wordnet.")
    ] = None,
    bert_encoder: Annotated[
        str | None,
        typer.Option(
            metavar="DIR[:LAYER]",
            help="Encoder for bert-score; of roberta-large it is layer 17, of others the layer has to be named.",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(help="Where that encoder runs, such as cpu or cuda; left out: an accelerator if there is one."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes that compare texts.")] = 1,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write the tables only, no report.html.")] = False,
) -> None:
    """Score runs beside controls that see no sensor, and show what their answers depend on."""
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.diagnosis.diagnose import diagnose
    from probe4d.diagnosis.judging.judgements import read_judgements
    from probe4d.diagnosis.overview import parser_changes
    from probe4d.diagnosis.text_metrics.chosen import text_metrics_named
    from probe4d.diagnosis.writing import refuse_foreign
    from probe4d.report.page import write_report
    from probe4d.runs.run import read_run

    inputs = [benchmark, *(runs or ()), *(judgements or ()), *([] if fit_controls is None else [fit_controls])]
    _refuse_inputs(out, inputs)
    refuse_foreign(out)
    metrics = text_metrics_named(text_metrics, wordnet=wordnet, bert_encoder=bert_encoder, device=device)
    read = read_benchmark(benchmark)
    scenes = None
    if data is not None and not no_report:
        from probe4d.benchmarks.source import open_source

        scenes, warnings = open_source(read, data, version=version)
        for warning in warnings:
            output.note(warning)
    with output.progress("thousands of texts compared") if metrics else nullcontext() as done:
        diagnosis = diagnose(
            read,
            [read_run(run) for run in runs or []],
            parser=parser,
            compare=compare or (),
            allow_missing=allow_missing,
            model_names=_named(model_name or ()),
            fit_controls=None if fit_controls is None else read_benchmark(fit_controls),
            judgements=[read_judgements(folder) for folder in judgements or []],
            text_metrics=metrics,
            workers=workers,
            done=done,
        )
    written = write_report(diagnosis, out, scenes=scenes, page=not no_report)
    for warning in diagnosis.warnings:
        output.note(warning)
    if diagnosis.balanced_in_context and fit_controls is None:
        output.note("--fit-controls BENCH lets controls learn from another benchmark.")
    changes = parser_changes(diagnosis)
    if changes and not any(one.changed for one in changes):
        output.note("The other parsers read every answer as the one chosen does.")
    for run, other, changed, n in (one for one in changes if one.changed):
        output.note(f"{run}: the {other} parser reads {changed:,} of {n:,} answers otherwise than the {parser} one.")
    _print_overview(diagnosis)
    print(written)


def _refuse_inputs(out: Path, inputs: Sequence[Path]) -> None:
    from probe4d.errors import InputError

    if out.resolve() in [path.resolve() for path in inputs]:
        raise InputError(
            "is a folder to be read, so that no report is written to it.", path=out, remedy="Give another --out folder."
        )


def _named(texts: Sequence[str]) -> dict[str, str]:
    """Names of models by the run that they are stated for."""
    from probe4d.errors import InputError

    named = {}
    for text in texts:
        run, _, name = text.partition("=")
        if not run or not name:
            raise InputError(
                f"the model name {text!r} is not of the form RUN=NAME.", remedy="Name a run by its folder."
            )
        named[run] = name
    return named


def _print_overview(diagnosis: Diagnosis) -> None:
    """Print the figures that say how it came out, as tables."""
    from rich.console import Console

    from probe4d.cli import diagnosis_tables as tables
    from probe4d.diagnosis import overview
    from probe4d.diagnosis.words_alone import has_templates, said_of_templates

    # Elsewhere than on a terminal nothing but COLUMNS limits the width, and nothing may be cut off.
    console = Console(highlight=False, width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 10_000)
    asked, numbers_asked = overview.numbers_asked(diagnosis), overview.nearness_asked(diagnosis)
    models = overview.by_model(diagnosis)
    shown = [
        *tables.tables_in_percent(overview.accuracies(diagnosis), console.width, asked=asked),
        *tables.tables_of_numbers(overview.nearness(diagnosis), console.width, asked=numbers_asked),
        *tables.tables_of_intervals(overview.overlaps(diagnosis), console.width),
        *tables.tables_of_waypoints(overview.displacements(diagnosis), console.width),
        *tables.tables_of_averages(overview.averages(diagnosis), console.width),
    ]
    if (means := overview.judge_means(diagnosis)).height:
        best = {run: record.highest for run, record in diagnosis.judges.items()}
        shown += tables.tables_of_scores(means, best, console.width)
    if (words := overview.text_scores(diagnosis)).height:
        titles = {name: one.metric for name, one in diagnosis.text_fingerprints.items()}
        shown += tables.tables_of_texts(words, titles, console.width)
    if len(diagnosis.runs) > 1 and models["parameters"].count():
        shown += tables.tables_by_model(models, console.width)
    for table in shown:
        console.print(table)
    shares = numbers_asked.filter(metric="tolerance_accuracy").drop("unit", "metric")
    if any(tables.differ(row[2:]) for table in (asked, shares) for row in table.iter_rows()):
        console.print("In parentheses: of how many questions, where not all columns are of the same.")
    if has_templates(diagnosis.words_alone):
        console.print(tables.table_of_templates(diagnosis.words_alone))
    for sentence in said_of_templates(diagnosis):
        console.print(output.harmless(sentence), markup=False)
