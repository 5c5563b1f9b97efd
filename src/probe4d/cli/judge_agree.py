"""`probe4d judge agree`: how far judges of answers agree with people."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from probe4d.cli import output
from probe4d.cli.judge import judge
from probe4d.cli.written_files import unkept
from probe4d.wording import counted, listed

if TYPE_CHECKING:
    from probe4d.diagnosis.agreement.with_people import Agreement, Figure, JudgeLabels
    from probe4d.diagnosis.text_metrics.metric import TextMetric

__all__ = ["agree"]

_COLUMNS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "mean_absolute_difference": "mean |Δ|",
    "quadratic_weighted_kappa": "weighted κ",
}


@judge.command("agree")
def agree(
    labels: Annotated[
        Path,
        typer.Argument(
            metavar="LABELS.csv",
            help="CSV or JSONL, a row each answer: columns item, human (the score of people) and one for each judge; "
            "optional scene, reference and answer.",
        ),
    ],
    scale: Annotated[
        Literal["10", "100"], typer.Option("--scale", help="The best score of people and judges; the worst is 0.")
    ] = "10",
    judges: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="NAME", help="Column of a judge; repeatable. Left out: every other column."),
    ] = None,
    unscaled: Annotated[
        list[str] | None,
        typer.Option(
            "--unscaled",
            metavar="NAME",
            help="Column of a judge with a scale of its own, such as BLEURT: correlations only; repeatable.",
        ),
    ] = None,
    judgements: Annotated[
        list[Path] | None,
        typer.Option(
            "--judgements",
            metavar="FOLDER",
            help="What `probe4d judge run` wrote, as a further judge under the folder's name; items are then ids of "
            "questions. Repeatable.",
        ),
    ] = None,
    wordnet: Annotated[
        Path | None,
        typer.Option(
            "--wordnet",
            metavar="DIR",
            help="Folder of WordNet's files, which METEOR needs, such as /usr/share/wordnet; left out: no METEOR.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", callback=unkept, metavar="CSV", help="Write the figures to a file.")
    ] = None,
    draws: Annotated[
        int | None, typer.Option("--draws", min=1, metavar="N", help="Bootstrap resamples. Left out: 10,000.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, metavar="N", help="Their seed. Left out: that of all intervals.")
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", min=1, metavar="N", help="Processes that compare many texts.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Compare judges with people (STRIDE, Table 4), each figure with its 95 % interval.

    Where the file has the columns reference and answer, text metrics are judges, too, stretched to the scale.
    """
    from probe4d.diagnosis.agreement.judgements import with_judgements
    from probe4d.diagnosis.agreement.text_metrics import with_text_metrics
    from probe4d.diagnosis.agreement.with_people import judge_agreement, write_agreement
    from probe4d.diagnosis.judging.judgements import read_judgements
    from probe4d.diagnosis.statistics.bootstrap import DRAWS, SEED
    from probe4d.errors import InputError
    from probe4d.exchange.judge_labels import read_judge_labels

    if out is not None and out.resolve() == labels.resolve():
        raise InputError("is the file of scores, and is not written over.", path=out, remedy="Give another --out file.")
    best: Literal[10, 100] = 10 if scale == "10" else 100
    read = read_judge_labels(labels, scale=best, judges=judges or (), unscaled=unscaled or ())
    read = with_judgements(read, [read_judgements(folder) for folder in judgements or ()])
    if read.has_texts:
        read = with_text_metrics(read, _metrics(wordnet), workers=workers)
    if not read.judges:
        raise InputError(
            "has no judge: no further column of scores, nor both 'reference' and 'answer'.",
            path=labels,
            remedy="Add a column for each judge, or the texts; or give --judgements.",
        )
    found = judge_agreement(read, draws=draws or DRAWS, seed=SEED if seed is None else seed)
    if out is not None:
        write_agreement(found, out, scale=best)
    if as_json:
        import msgspec

        print(msgspec.json.format(msgspec.json.encode({"scale": best, "judges": found}), indent=2).decode())
    else:
        _print(found, read)
    for sentence in dict.fromkeys(sentence for one in found for sentence in one.notes):
        output.note(f"{listed([one.judge for one in found if sentence in one.notes])}: {sentence}")


def _metrics(wordnet: Path | None) -> list[TextMetric]:
    from probe4d.diagnosis.text_metrics.bleu import Bleu
    from probe4d.diagnosis.text_metrics.meteor import Meteor
    from probe4d.diagnosis.text_metrics.rouge import RougeL

    if wordnet is None:
        output.note("METEOR is left out: it needs WordNet (--wordnet DIR).")
        return [Bleu(), RougeL()]
    return [Bleu(), RougeL(), Meteor(wordnet)]


def _print(agreements: Sequence[Agreement], labels: JudgeLabels) -> None:
    """A row each judge, with intervals below the figures, and what the rows are of."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    # Elsewhere than on a terminal nothing but COLUMNS limits the width, and nothing may be cut off.
    console = Console(highlight=False, width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 10_000)
    table = Table(show_lines=True)
    table.add_column("judge", overflow="fold")
    for name in ("n", "unscored", *_COLUMNS.values()):
        table.add_column(name, justify="right", overflow="fold")
    for one in agreements:
        cells = [_cell(one.figures[name]) for name in _COLUMNS]
        table.add_row(escape(output.harmless(one.judge)), f"{one.n:,}", f"{one.unscored:,}", *cells)
    console.print(table)
    console.print(f"{_counts(labels)} Mean |Δ| is in points of 0 to {labels.scale}; below each figure: 95 % interval.")
    for one in agreements:
        if one.fingerprint is not None:
            console.print(output.harmless(one.fingerprint), markup=False)


def _cell(figure: Figure) -> str:
    """A figure, and its interval on a line below."""
    if figure.value is None:
        return "–"
    interval = "" if figure.low is None or figure.high is None else f"\n{_number(figure.low)} to {_number(figure.high)}"
    return _number(figure.value) + interval


def _number(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"  # never -0.000


def _counts(labels: JudgeLabels) -> str:
    unscored = labels.without_human
    said = f"{counted(len(labels.items), 'item')}"
    if unscored:
        said += f", {unscored:,} of them without a score of people and left out"
    if labels.scenes is not None:
        said += f", resampled by {counted(len(set(labels.scenes)), 'scene')}"
    return f"{said}."
