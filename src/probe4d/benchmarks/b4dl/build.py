"""A B4DL benchmark: what is built in which order, its record, its folder (Sec. 3 of the paper)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.b4dl.annotations import ANNOTATIONS_SCHEMA
from probe4d.benchmarks.b4dl.card import CARD, card_sections
from probe4d.benchmarks.b4dl.drafting import questions_of
from probe4d.benchmarks.b4dl.generation.context_prompts import missing_images
from probe4d.benchmarks.b4dl.generation.pipeline import Pairs, generated_pairs
from probe4d.benchmarks.b4dl.generation.shortfalls import not_taken, shortfalls_of
from probe4d.benchmarks.b4dl.measuring import Measured, Measuring, phrases_by_sequence
from probe4d.benchmarks.b4dl.pairs import PAIRS_SCHEMA
from probe4d.benchmarks.b4dl.tasks import SUITE_NAME
from probe4d.benchmarks.b4dl.wanted import Wanted
from probe4d.benchmarks.benchmark import (
    QUESTIONS_FILE,
    Benchmark,
    BenchmarkRecord,
    benchmark_folder,
    write_description,
)
from probe4d.benchmarks.building import dropped_rows, record_of_build, recorded
from probe4d.benchmarks.card import dataset_card
from probe4d.benchmarks.composition import COMPOSITION_FILE, composition_of
from probe4d.benchmarks.generating import Generator
from probe4d.benchmarks.question import to_table
from probe4d.benchmarks.questions_file import write_questions
from probe4d.benchmarks.splits import select_split
from probe4d.errors import RunError
from probe4d.scenes.tables import Scenes
from probe4d.wording import listed, most_frequent

__all__ = ["VERSION", "Parameters", "build", "verdicts_in"]

VERSION = "1.0"

SEQUENCES_FILE, ANNOTATIONS_FILE, PAIRS_FILE = "sequences.parquet", "annotations.parquet", "pairs.parquet"
DESCRIPTIONS_FILE, FAULTS_FILE, SHORT_FILE = "descriptions.jsonl", "faults.jsonl", "short.jsonl"


class _Made(NamedTuple):
    """What a benchmark's folder holds beside its record and its card."""

    table: pl.DataFrame
    sequences: pl.DataFrame
    annotations: pl.DataFrame
    generated: Pairs
    verdicts: pl.DataFrame


class Parameters(Wanted, frozen=True, kw_only=True):
    """What a build of B4DL is asked for: what is wanted, and who writes.

    Attributes:
        generator: Who writes, such as `probe4d.runs.generating.HostedGenerator`.
        begun: Told that annotations or verdicts are measured next, and of how many scenes.
    """

    generator: Generator
    begun: Callable[[Measured, int], object] | None = None


_RECORDED = (
    *("split", "generator", "reference_channel", "tasks", "windows", "sequences_per_scene"),
    *("annotations", "annotated_sector", "grounded", "longest_side_px"),
)
"""Names of parameters in `benchmark.json`."""


def build(scenes: Scenes, out: Path | str | None, asked: Parameters) -> Benchmark:
    """Have a model write questions about sequences of scenes, and hold its answers against geometry.

    Args:
        scenes: The scenes, with cameras.
        out: Folder to write to; nothing is written without it.
        asked: What is asked for.

    Returns:
        The benchmark, families in the order of `FAMILIES`.

    Raises:
        InputError: The folder cannot be taken, the split holds no scene, no scene is long enough, or there are no
            images.
        RunError: The generator has not all replies yet, or no pair in them can be taken.
    """
    used, split_words = select_split(scenes, asked.split)
    measuring = Measuring(used, asked.sequences(used), asked.workers, asked.begun, asked.done, asked.all_around)
    made, left_out = _made(measuring, asked)
    parameters = recorded(
        asked,
        _RECORDED,
        generator=asked.generator.name,
        reference_channel=scenes.reference_channel,
        tasks=asked.families,
        annotated_sector=asked.sector,
    )
    shortfalls = shortfalls_of(
        made.generated, made.sequences, used, tasks=asked.families, per_scene=asked.sequences_per_scene
    )
    record = record_of_build(
        SUITE_NAME,
        VERSION,
        made.table,
        seed=asked.seed,
        parameters=parameters,
        used=used,
        split=split_words,
        exclusions=left_out | dropped_rows(scenes),
        shortfalls=shortfalls,
    )
    return Benchmark(made.table, record) if out is None else _written(Path(out), made, record, used)


def verdicts_in(folder: Path | str) -> dict[str, int]:
    """How many generated answers of a built benchmark geometry supports, contradicts and leaves undecided.

    All pairs count that were taken from replies, those that were dropped or corrected later among them.

    Args:
        folder: Folder of the benchmark.
    """
    verdicts = pl.read_parquet(Path(folder) / PAIRS_FILE, columns=["verdict"])["verdict"]
    return {name: verdicts.filter(verdicts == name).len() for name in ("supported", "contradicted", "undecided")}


def _made(measuring: Measuring, asked: Parameters) -> tuple[_Made, dict[str, int]]:
    """Measure, have pairs written, hold them against geometry, draft questions; and what was left out, by reason."""
    scenes, sequences = measuring.scenes, measuring.sequences
    annotated = measuring.annotations() if asked.annotations else pl.DataFrame(schema=ANNOTATIONS_SCHEMA)
    generated = generated_pairs(
        sequences,
        scenes,
        asked.generator,
        tasks=asked.families,
        phrases=phrases_by_sequence(annotated),
        longest_side_px=asked.longest_side_px,
    )
    if generated.pairs.is_empty():
        raise _nothing_taken(generated)
    verdicts = measuring.verdicts(generated.pairs)
    drafted = questions_of(
        generated.pairs, verdicts, sequences, scenes, generator=asked.generator.name, grounded=asked.grounded
    )
    left_out = not_taken(generated) | drafted.left_out | missing_images(sequences, scenes)
    made = _Made(to_table(drafted.questions), sequences, annotated, generated, verdicts)
    return made, dict(sorted(left_out.items()))


def _nothing_taken(generated: Pairs) -> RunError:
    """Why there is no pair, with what is wrong with the replies."""
    reasons = most_frequent(not_taken(generated), rest="for other reasons")
    first = generated.short.row(0, named=True)
    return RunError(
        f"no pair could be taken from the replies ({listed(reasons)}), such as of {first['sequence']}: {first['why']}. "
        "The replies are kept as they came; another model, or one that may write more (--max-tokens), needs another "
        "folder for its own."
    )


def _written(out: Path, made: _Made, record: BenchmarkRecord, scenes: Scenes) -> Benchmark:
    """Write the folder: questions, record, card, and what they were made of."""
    verdicts, faults = made.verdicts, made.generated.faults
    sections = card_sections(made.table, verdicts, faults, made.sequences, scenes)
    with benchmark_folder(out) as folder:
        write_questions(made.table, folder / QUESTIONS_FILE)
        composition = composition_of(made.table.lazy())
        composition.counts.write_csv(folder / COMPOSITION_FILE)
        for name, table in _tables(made).items():
            table.write_parquet(folder / name)
        for name, table in _lines(made.generated).items():
            table.write_ndjson(folder / name)
        write_description(folder, record, dataset_card(record, CARD, composition, sections))
    return Benchmark(made.table, record, out)


def _tables(made: _Made) -> Mapping[str, pl.DataFrame]:
    key = [name for name in PAIRS_SCHEMA if name in made.verdicts.columns]
    judged = made.generated.pairs.join(made.verdicts, on=key, how="left", maintain_order="left")
    return {SEQUENCES_FILE: made.sequences, ANNOTATIONS_FILE: made.annotations, PAIRS_FILE: judged}


def _lines(generated: Pairs) -> Mapping[str, pl.DataFrame]:
    return {
        DESCRIPTIONS_FILE: generated.descriptions,
        FAULTS_FILE: generated.faults,
        SHORT_FILE: generated.short,
    }
