"""`probe4d diversity`: how diverse are questions and answers?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import app, output

if TYPE_CHECKING:
    from probe4d.diagnosis.text_metrics.dc_score import Diversity


@app.command("diversity")
def diversity_command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE|BENCH...",
            help="Questions with answers, each a row of the table: folder of a benchmark, .csv with the columns "
            "question and answer, or .json or .jsonl as B4DL is released.",
        ),
    ],
    encoder: Annotated[
        Path,
        typer.Option(
            "--encoder",
            metavar="DIR",
            help="Folder of an encoder of sentences, such as all-MiniLM-L6-v2; nothing is fetched.",
        ),
    ],
    pairs: Annotated[
        int, typer.Option("--pairs", min=2, metavar="N", help="Pairs of a draw; scores of unlike N do not compare.")
    ] = 1_000,
    draws: Annotated[int, typer.Option("--draws", min=1, metavar="N", help="Draws without replacement.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of the draws.")] = 0,
    device: Annotated[
        str | None,
        typer.Option("--device", help="Such as cpu or cuda; left out: an accelerator if there is one."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the scores as JSON, those of all draws too.")] = False,
) -> None:
    """Score how diverse questions and their answers are, by DCScore (B4DL, Table 5): mean and deviation of draws."""
    from probe4d.diagnosis.text_metrics.dc_score import diversity
    from probe4d.diagnosis.text_metrics.question_answers import read_question_answers
    from probe4d.errors import InputError
    from probe4d.wording import counted

    warnings: list[str] = []
    read = {path: read_question_answers(path, warnings) for path in files}
    for warning in warnings:
        output.note(warning)
    for path, held in read.items():  # before the first is scored, which takes minutes
        if len(held) < pairs:
            raise InputError(
                f"holds {counted(len(held), 'question')} with an answer, fewer than the {pairs:,} of a draw.",
                path=path,
                remedy="Draw fewer, of every file alike (--pairs N).",
            )
    found = {}
    for path, held in read.items():
        with output.progress(f"texts of {path.name} read", len(set(held))) as done:
            found[path] = diversity(held, encoder, pairs_a_draw=pairs, draws=draws, seed=seed, device=device, done=done)
    if as_json:
        import msgspec

        told = [{"file": str(path), **msgspec.to_builtins(one)} for path, one in found.items()]
        print(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())
    else:
        _print(found)


def _print(found: dict[Path, Diversity]) -> None:
    """A row each file, and below what the scores were computed with."""
    import os
    import sys

    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    # Elsewhere than on a terminal nothing but COLUMNS limits the width, and nothing may be cut off.
    console = Console(highlight=False, width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 10_000)
    table = Table()
    table.add_column("file", overflow="fold")
    for name in ("pairs", "distinct", "DCScore"):
        table.add_column(name, justify="right")
    for path, one in found.items():
        deviation = "" if one.deviation is None else f" ± {one.deviation:.3f}"
        name = escape(output.harmless(str(path)))
        table.add_row(name, f"{one.available:,}", f"{one.distinct:,}", f"{one.mean:.3f}{deviation}")
    console.print(table)
    for fingerprint in dict.fromkeys(str(one.fingerprint) for one in found.values()):
        console.print(output.harmless(fingerprint), markup=False)
