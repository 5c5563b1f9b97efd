"""Imports B4DL's released questions as a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import polars as pl

from probe4d.benchmarks.b4dl.tasks import FAMILIES, SUITE_NAME
from probe4d.benchmarks.benchmark import (
    QUESTIONS_FILE,
    Benchmark,
    BenchmarkRecord,
    SourceDataset,
    benchmark_folder,
    counts_of,
    refuse_taken,
    write_description,
)
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.questions_file import write_questions
from probe4d.errors import InputError
from probe4d.exchange.b4dl_release.layout_names import Layout
from probe4d.exchange.b4dl_release.layouts import find_release
from probe4d.exchange.b4dl_release.metadata import SCENES_FILE, read_metadata
from probe4d.exchange.b4dl_release.questions import LeftOutRow, questions_of
from probe4d.exchange.b4dl_release.reading import read_rows
from probe4d.exchange.b4dl_release.tasks import UNKNOWN, with_tasks
from probe4d.runs.run import LEFT_OUT_FILE
from probe4d.scenes.tables import Scenes
from probe4d.store.files import write_bytes
from probe4d.version import __version__
from probe4d.wording import counted, listed, most_frequent

__all__ = ["ImportedBenchmark", "import_b4dl"]

_LICENCE = (
    "CC BY-NC-ND 4.0, the licence of the B4DL release, whose questions derive from nuScenes (CC BY-NC-SA 4.0 and the "
    "nuScenes terms of use). Do not pass changed copies on."
)


@dataclass(frozen=True)
class ImportedBenchmark:
    """What an import did.

    Attributes:
        benchmark: The benchmark that was written.
        layout: The layout that was read.
        left_out: Rows that no question was made of; `left_out.jsonl` lists them.
        notes: What the reader should know, as sentences.
    """

    benchmark: Benchmark
    layout: Layout
    left_out: tuple[LeftOutRow, ...]
    notes: tuple[str, ...]


def import_b4dl(
    release: Path | str,
    out: Path | str,
    *,
    scenes: Scenes | None = None,
    split: Literal["train", "test"] | None = None,
    layout: Layout | None = None,
) -> ImportedBenchmark:
    """Import a release of B4DL, or what its pipeline or Probe4D wrote in one of its layouts, as a benchmark.

    Tasks are told as `with_tasks` says. What the release does not say (of the Hugging Face rows: sequence, start and
    end) is null. Questions are about scenes by the release's own ids, or by the dataset's names where it is given.

    Args:
        release: The folder, or one of its files.
        out: Folder of the benchmark.
        scenes: Scenes of the dataset; rows about others, or about key frames that they do not have, are left out.
        split: Rows to import; null takes all.
        layout: The layout to read, where the folder holds several; null takes that which says most.

    Raises:
        InputError: A file or a row is wrong or contradicts another, or no question is left. Then nothing is written.
    """
    release, out = Path(release), Path(out)
    refuse_taken(out)
    found = find_release(release, layout)
    metadata = read_metadata(found.metadata)
    rows = _of_split(read_rows(release, found.files, metadata), split, release)
    rows, left_out = _of_dataset(rows, scenes)
    tasks = {file.task for file in found.files}
    made = questions_of(with_tasks(rows, without_time_grounding=found.layout == "generated" and _lacks_one(tasks)))
    left_out += made.left_out
    if made.table.is_empty():
        reasons = most_frequent(Counter(row.reason for row in left_out), rest="for other reasons") or ["it is empty"]
        raise InputError(f"holds no row that a question can be made of ({listed(reasons)}).", path=release)
    table = _ordered(made.table)
    record = _record(table, rows, found.layout, split, left_out)
    with benchmark_folder(out) as folder:
        write_questions(table, folder / QUESTIONS_FILE)
        write_description(folder, record, _card(table, record, left_out))
        if left_out:
            write_bytes(folder / LEFT_OUT_FILE, msgspec.json.Encoder().encode_lines(left_out))
    inside = release.parent if release.is_file() else release
    above = [str(file) for file in metadata.files if inside not in file.parents]
    lies_above = [f"Metadata were read from above {inside}: {listed(above)}."] if above else []
    notes = (*found.notes, *lies_above, *_notes(table, rows, metadata.scenes.is_empty() and scenes is None))
    return ImportedBenchmark(Benchmark(table, record, out), found.layout, tuple(left_out), notes)


def _lacks_one(tasks: set[str | None]) -> bool:
    return "temporal-understanding" in tasks and "time-grounding" not in tasks


def _of_split(rows: pl.DataFrame, split: str | None, release: Path) -> pl.DataFrame:
    if split is None:
        return rows
    chosen = rows.filter(pl.col("split") == split)
    if chosen.is_empty():
        there = rows["split"].drop_nulls().unique().sort().to_list()
        raise InputError(
            f"holds no row of the split {split}, but of {listed(there)}."
            if there
            else f"does not say which rows are of the split {split}.",
            path=release,
            remedy="Leave the split out to import all rows.",
        )
    return chosen


def _of_dataset(rows: pl.DataFrame, scenes: Scenes | None) -> tuple[pl.DataFrame, list[LeftOutRow]]:
    """The rows with names and numbers of key frames of the dataset's scenes; rows about others are left out."""
    if scenes is None:
        return rows.with_columns(scene_name=pl.lit(None, dtype=pl.String())), []
    known = scenes.scenes.select("keyframes", pl.col("token").alias("scene_token"), pl.col("scene").alias("scene_name"))
    rows = rows.drop("keyframes").join(known, on="scene_token", how="left", maintain_order="left")
    reason = (
        pl.when(pl.col("scene_token").is_null())
        .then(pl.lit("it names no scene_token"))
        .when(pl.col("scene_name").is_null())
        .then(pl.lit("its scene is not among those of the dataset"))
        .when(pl.max_horizontal("end", pl.col("indices").list.last()) >= pl.col("keyframes"))
        .then(pl.lit("its sequence ends behind the last key frame of its scene in the dataset"))
    )
    rows = rows.with_columns(reason=reason)
    strange = rows.filter(pl.col("reason").is_not_null()).select("file", "row", "reason")
    left_out = [LeftOutRow(file=file, row=row, reason=why) for file, row, why in strange.iter_rows()]
    return rows.filter(pl.col("reason").is_null()).drop("reason"), left_out


def _ordered(table: pl.DataFrame) -> pl.DataFrame:
    """Questions of a family beside each other, in the order of the tasks, those of unknown tasks last."""
    places = {family: place for place, family in enumerate(FAMILIES)}
    place = pl.col("family").replace_strict(places, default=len(places), return_dtype=pl.Int32)
    return table.sort(place, "family", maintain_order=True)


def _record(
    table: pl.DataFrame,
    rows: pl.DataFrame,
    layout: Layout,
    split: str | None,
    left_out: Sequence[LeftOutRow],
) -> BenchmarkRecord:
    splits = rows["split"].drop_nulls().unique().sort().to_list()
    return BenchmarkRecord(
        suite=SUITE_NAME,
        version="as released",
        seed=None,
        parameters={"imported": True, "layout": layout, "rows": split or "all"},
        counts=counts_of(table),
        exclusions=dict(sorted(Counter(row.reason for row in left_out).items())),
        shortfalls=[],
        source=SourceDataset(
            name="b4dl-release",
            version="as released",
            fingerprint=None,
            licence=_LICENCE,
            split=listed(splits) if splits else "not told",
            scenes=table["scene"].n_unique(),
        ),
        fingerprint=fingerprint(table),
        probe4d=__version__,
    )


def _notes(table: pl.DataFrame, rows: pl.DataFrame, without_metadata: bool) -> list[str]:
    notes = []
    by_family = dict(table.group_by("family").len().sort("family").iter_rows())
    unknown = {family: n for family, n in by_family.items() if family.startswith(UNKNOWN)}
    if unknown:
        each = listed([f"{family} ({n:,})" for family, n in unknown.items()])
        notes.append(f"The release does not say of which task these questions are: {each}.")
    if strange := table.filter(pl.col("template").str.contains("-text$")).height - sum(
        table.filter(template=f"{family}-text").height for family in unknown
    ):
        notes.append(f"{counted(strange, 'answer')} of simple tasks lack the form of their task and stay as text.")
    splits = dict(rows.drop_nulls("split").group_by("split").len().sort("split").iter_rows())
    if len(splits) > 1:
        each = listed([f"{n:,} of {name}" for name, n in splits.items()])
        notes.append(f"It holds rows of both splits, {each}; --split imports one of them.")
    if without_metadata and table["keyframes"].null_count():
        notes.append(
            f"Numbers of key frames are not known, which features are checked by: put {SCENES_FILE} beside the "
            "files, or give the dataset (scenes=, --data)."
        )
    return notes


def _card(table: pl.DataFrame, record: BenchmarkRecord, left_out: Sequence[LeftOutRow]) -> str:
    lines = "\n".join(
        f"| {family} | {kind} | {n:,} |" for family, kinds in record.counts.items() for kind, n in kinds.items()
    )
    reasons = most_frequent(Counter(row.reason for row in left_out), rest="for other reasons")
    lost = f"\nLeft out, listed in `{LEFT_OUT_FILE}`: {'; '.join(reasons)}.\n" if reasons else ""
    size = f"{counted(table.height, 'question')} about {counted(record.source.scenes, 'scene')}"
    return f"""# B4DL, as released

Imported by Probe4D {__version__}: {size}. Answers are those
of the release, which a language model wrote; nothing here was measured. `facts` hold the release's ids and what
nuScenes says of the scene (`human_annotation`); what the release does not say is null. A family `{UNKNOWN}` is of rows
whose task it does not say.

| family | format | questions |
|---|---|---|
{lines}
{lost}
Licence: {record.source.licence}
"""
