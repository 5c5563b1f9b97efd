"""Imports LiDAR-Hallu's released questions and recorded answers as a benchmark and a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import (
    RECORD_FILE,
    Benchmark,
    BenchmarkRecord,
    SourceDataset,
    counts_of,
    read_benchmark,
    refuse_taken,
    write_benchmark,
)
from probe4d.benchmarks.contrasts import with_contrasts
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.question import to_table
from probe4d.errors import InputError
from probe4d.exchange.release_files import Placed, read_release
from probe4d.runs.run import Answer, AnswerError, RunRecord, refuse_used, write_run
from probe4d.version import __version__
from probe4d.wording import counted

__all__ = ["Imported", "import_lidar_hallu"]

_LICENCE = (
    "The LiDAR-Hallu release grants no licence to redistribute its questions or answers; they derive from nuScenes "
    "(CC BY-NC-SA 4.0 and the nuScenes terms of use) and B4DL (CC BY-NC-ND 4.0). Keep this folder to yourself."
)


@dataclass(frozen=True)
class Imported:
    """What an import did.

    Attributes:
        benchmark: The benchmark that the records belong to.
        created: Whether the benchmark was written now; otherwise it lay there and was left as it is.
        run: Content of `run.json`; null if no run was asked for.
        answers: Number of answers written.
        errors: Number of recorded errors written.
        notes: What the reader should know, as sentences.
    """

    benchmark: Benchmark
    created: bool
    run: RunRecord | None
    answers: int = 0
    errors: int = 0
    notes: tuple[str, ...] = ()


def import_lidar_hallu(
    release: Path | str,
    benchmark: Path | str,
    run: Path | str | None = None,
    *,
    model: str | None = None,
    setting: str | None = None,
) -> Imported:
    """Import a release folder (LiDAR-Hallu, Sec. III and IV): questions to `benchmark`, answers to `run`.

    The benchmark is written if its folder holds none; else its questions have to be those of the records, or
    some of them, and it stays as it is. Questions are the same under every setting, and differ between the
    plain and the Ego layout, whose prompts hold other text.

    Args:
        release: The folder of one run, or of question files.
        benchmark: Folder of the benchmark.
        run: Folder of the run, new or empty; null imports the questions only.
        model: Name of the model; null is `B4DL` or, for the Ego layout, `B4DL-Ego`.
        setting: Name of the setting; null tells it from the records: `default`, `anti-position` or `tscd`.

    Raises:
        InputError: A file, row or value is wrong, two records contradict each other, the records belong to
            another benchmark or layout, or the run folder is in use. Then nothing is written.
    """
    release, benchmark = Path(release), Path(benchmark)
    refuse_taken(benchmark)
    if run is not None:
        refuse_used(Path(run))
    stored = read_benchmark(benchmark) if (benchmark / RECORD_FILE).exists() else None
    known = {} if stored is None else dict(stored.columns("scene", "keyframes").drop_nulls().iter_rows())
    placed = read_release(release, known)
    layout = _one_layout(placed)
    table = with_contrasts(to_table(entry.item.question for entry in placed))
    answered = [entry for entry in placed if entry.item.reply is not None]
    if run is not None and not answered:
        raise InputError(
            "holds no predictions.", path=release, remedy="Leave the run out, or add the *_predictions files."
        )
    record = None if run is None else _run_record(answered, layout, model, setting)
    created = stored is None
    if stored is None:
        stored = write_benchmark(_benchmark(table, layout), benchmark, card=_card(table, layout))
    else:
        _check_same(stored, table, placed, layout)
    unknown = stored.columns("keyframes")["keyframes"].null_count()
    notes = (
        [
            f"There is no number of key frames for {counted(unknown, 'question')}, which exact-prompt pairs leave out: "
            "put the release's scenes.csv or scene_metadata.json beside the records."
        ]
        if unknown
        else []
    )
    if run is None or record is None:
        return Imported(stored, created, None, notes=tuple(notes))
    record = msgspec.structs.replace(record, benchmark=stored.fingerprint)
    replies = [(entry.item.question.id, entry.item.reply) for entry in answered]
    answers = [Answer(question=name, text=reply.text) for name, reply in replies if reply and not reply.error]
    errors = [AnswerError(question=name, error=reply.error) for name, reply in replies if reply and reply.error]
    write_run(Path(run), record, answers, errors)
    missing = stored.height - len(replies)
    if missing:
        notes.append(f"{missing:,} of the benchmark's questions have no answer in these files.")
    return Imported(stored, created, record, len(answers), len(errors), tuple(notes))


def _one_layout(placed: Sequence[Placed]) -> str:
    return str(_common(placed, [entry.item.layout for entry in placed], "layout"))


def _run_record(answered: Sequence[Placed], layout: str, model: str | None, setting: str | None) -> RunRecord:
    """Tell setting and parameters from the records; the benchmark's fingerprint is put in later."""
    alpha = _common(answered, [entry.item.reply.alpha for entry in answered if entry.item.reply], "contrastive alpha")
    choices = [entry for entry in answered if entry.item.anti_position is not None]
    anti_position = choices and _common(choices, [entry.item.anti_position for entry in choices], "directive")
    told = "tscd" if alpha is not None else "anti-position" if anti_position else "default"
    return RunRecord(
        model=model or ("B4DL" if layout == "plain" else "B4DL-Ego"),
        setting=setting or told,
        layout=layout,
        parameters={} if alpha is None else {"contrastive_alpha": alpha},
        benchmark="",
        versions={"probe4d": __version__},
    )


def _common(placed: Sequence[Placed], values: Sequence[Any], name: str) -> Any:
    """Give the one value that all records share.

    Raises:
        InputError: A record has another value than the first.
    """
    for entry, value in zip(placed, values, strict=True):
        if value != values[0]:
            raise InputError(
                f"was asked with another {name} than {placed[0].where} of {placed[0].path.name}.",
                path=entry.path,
                row=entry.where,
                remedy="Give the files of one run.",
            )
    return values[0]


def _check_same(stored: Benchmark, table: pl.DataFrame, placed: Sequence[Placed], layout: str) -> None:
    """Check that the records are questions of the benchmark that lies there, all or some of them."""
    theirs = stored.record.parameters.get("layout")
    if theirs is not None and theirs != layout:
        raise InputError(
            f"holds questions in the {theirs} layout, the records are in the {layout} layout.",
            path=stored.path,
            remedy="Import them into a folder of their own.",
        )
    compared = ["answer", "order", "prompt"]
    found = table.select("id", "keyframes", *compared).join(
        stored.columns("id", "keyframes", *compared).with_columns(stored=True),
        on="id",
        how="left",
        suffix="_stored",
        maintain_order="left",
    )
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name}_stored")) for name in compared)
    same &= (pl.col("keyframes") == pl.col("keyframes_stored")).fill_null(True)  # either may not say
    strange = found.with_row_index().filter(pl.col("stored").is_null() | ~same)
    if strange.height:
        entry = placed[strange["index"][0]]
        share = f"{strange.height:,} of {table.height:,} records are not"
        raise InputError(
            f"is not a question of the benchmark in {stored.path} ({share}).",
            path=entry.path,
            row=entry.where,
            remedy="Import into another benchmark folder, or give the benchmark that these records belong to.",
        )


def _benchmark(table: pl.DataFrame, layout: str) -> Benchmark:
    record = BenchmarkRecord(
        suite="lidar-hallu",
        version="as released",
        seed=None,
        parameters={"imported": True, "layout": layout},
        counts=counts_of(table),
        exclusions={},
        shortfalls=[],
        source=SourceDataset(
            name="lidar-hallu-release",
            version="as released",
            fingerprint=None,
            licence=_LICENCE,
            split="test (scenes of nuScenes val)",
            scenes=table["scene"].n_unique(),
        ),
        fingerprint=fingerprint(table),
        probe4d=__version__,
    )
    return Benchmark(table, record)


def _card(table: pl.DataFrame, layout: str) -> str:
    rows = "\n".join(
        f"| {family} | {kind} | {n:,} |" for family, kinds in counts_of(table).items() for kind, n in kinds.items()
    )
    withheld = table["question"].null_count()
    kept_back = f"\nOf {counted(withheld, 'question')} the options alone are known: the text was kept back.\n"
    size = f"{counted(table.height, 'question')} about {counted(table['scene'].n_unique(), 'scene')}"
    return f"""# LiDAR-Hallu, as released ({layout} layout)

Imported by Probe4D {__version__}: {size}. Reference
answers are those of the release; nothing here was measured anew. `scene` is the release's scene id, `order` the
record's index in its category's file, `prompt` the text put before the model without the placeholders of the
LiDAR model and without the anti-position sentence, which belongs to a run's setting.

| family | format | questions |
|---|---|---|
{rows}
{kept_back if withheld else ""}
Licence: {_LICENCE}
"""
