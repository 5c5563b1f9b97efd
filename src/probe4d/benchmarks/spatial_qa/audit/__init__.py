"""Derives every reference answer of a built NuScenes-SpatialQA benchmark again, by a path of its own.

The audit reads the dataset's raw tables by itself and measures with other mathematics than the rules; it imports
neither `probe4d.scenes` nor anything that builds. It goes scene by scene and derives all questions of a template at
once.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.auditing.measuring import Filters, MeasuredScene, measure_scene
from probe4d.benchmarks.auditing.opening import build_parameters, tables_folder
from probe4d.benchmarks.auditing.raw_tables import scene_names
from probe4d.benchmarks.auditing.record import count_findings, order_findings
from probe4d.benchmarks.auditing.recorded import read_scenes
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.spatial_qa.audit.answers import check_choices, check_numbers, check_relations
from probe4d.benchmarks.spatial_qa.audit.batch import Batch, read_batch
from probe4d.benchmarks.spatial_qa.audit.completeness import incomplete
from probe4d.benchmarks.spatial_qa.audit.expected import EXPECTED
from probe4d.benchmarks.spatial_qa.audit.form import check_repeated, well_formed
from probe4d.benchmarks.spatial_qa.audit.naming import check_texts, check_words
from probe4d.benchmarks.spatial_qa.audit.neighbours import check_neighbours
from probe4d.benchmarks.spatial_qa.audit.objects import check_objects
from probe4d.benchmarks.spatial_qa.audit.situations import (
    check_collisions,
    check_occlusions,
    check_parking,
    check_passages,
)
from probe4d.benchmarks.spatial_qa.audit.whole import balance_findings
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["audit"]


class _Parameters(msgspec.Struct, frozen=True):
    """The parameters of the build that decide answers, as `benchmark.json` has them."""

    scale: str
    balance: str
    ambiguous: str
    refer: str
    min_visibility: int
    unknown_visibility: str
    min_side_px: float
    reference_channel: str

    @property
    def filters(self) -> Filters:
        """What objects have to be like."""
        return Filters(self.min_visibility, self.unknown_visibility == "keep", self.min_side_px)

    @property
    def is_full(self) -> bool:
        """Whether every candidate was kept."""
        return self.scale == "full"

    @property
    def by_letters(self) -> bool:
        """Whether letters that are drawn into the image stand for objects, not captions."""
        return self.refer == "marker"

    @property
    def needs(self) -> tuple[str, ...]:
        """Annotations that every answer rests on."""
        return ("boxes",) if self.by_letters else ("boxes", "captions")


def audit(
    benchmark: Benchmark,
    dataroot: Path | str,
    *,
    version: str | None = None,
    done: Callable[[str], None] | None = None,
) -> list[AuditFinding]:
    """Derive every answer of a benchmark again and check what the benchmark promises of itself.

    Answers, facts, margins, the objects' words and every other field are compared, numbers to 1e-6. Which captions an
    object has is not in the dataset: of those it is checked that they are the same everywhere and stand for one object
    of an image alone.

    Args:
        benchmark: A benchmark that was built, not imported.
        dataroot: Folder of the dataset that it was built from, or the folder of tables to use inside it.
        version: Name of the folder of tables; null is the one that the benchmark was built from.
        done: Told of the id of each question that was checked.

    Returns:
        Every difference, by question in benchmark order, then those of the benchmark as a whole.

    Raises:
        InputError: The benchmark was imported, its parameters cannot be read, or the dataset's tables cannot.
    """
    parameters = build_parameters(benchmark, _Parameters)
    folder = tables_folder(Path(dataroot), benchmark.record.source.version, version)
    table = benchmark.table
    findings, lacking = Findings(table), list[AuditFinding]()
    rows_of = _rows_of_scenes(table)
    recorded = read_scenes(folder, reference_channel=parameters.reference_channel, scenes=list(rows_of))
    for (scene, rows), there in zip(rows_of.items(), recorded, strict=True):
        if there is not None:
            measured = measure_scene(there, parameters.filters)
            batches = _check_scene(measured, table[rows], rows, parameters, findings)
            if parameters.is_full:
                lacking += incomplete(scene, measured, batches, letters=parameters.by_letters)
        else:
            for row in rows:
                findings.add(int(row), f"the dataset has no scene {scene!r}")
        if done is not None:
            for identity in table["id"].gather(rows):
                done(identity)
    return [
        *findings.in_order(),
        *count_findings(benchmark, scenes=len(scene_names(folder))),
        *order_findings(benchmark),
        *lacking,
        *balance_findings(table, full=parameters.is_full, contents=parameters.balance == "contents"),
    ]


def _rows_of_scenes(table: pl.DataFrame) -> dict[str, NDArray[np.int64]]:
    """Rows that ask about each scene."""
    grouped = table.select("scene").with_row_index("row").group_by("scene", maintain_order=True).agg("row")
    return {scene: np.array(rows, dtype=np.int64) for scene, rows in grouped.iter_rows()}


def _check_scene(
    scene: MeasuredScene, table: pl.DataFrame, rows: NDArray[np.int64], parameters: _Parameters, findings: Findings
) -> list[Batch]:
    """Derive all questions about a scene, whose rows in the benchmark are `rows`, and give those that could be."""
    sound = well_formed(table, rows, findings, needs=parameters.needs)
    check_repeated(table, rows, findings)
    numbered = table.with_columns(pl.Series("row", rows)).filter(pl.Series(sound))
    by_template = numbered.partition_by("template", as_dict=True)
    batches: list[Batch] = []
    for template in EXPECTED:
        questions = by_template.get((template,))
        if questions is not None:
            batch = read_batch(template, scene, questions, questions["row"].to_numpy(), findings)
            if len(batch.row):
                batches.append(batch)
    if not batches:
        return []
    named = check_words(
        scene, batches, findings, letters=parameters.by_letters, keep_ambiguous=parameters.ambiguous == "keep"
    )
    for batch in batches:
        check_texts(batch)
        check_objects(batch, parameters.filters)
        _derive(batch, named)
    return batches


_SITUATIONS: dict[str, Callable[[Batch], None]] = {
    "collision": check_collisions,
    "occlusion": check_occlusions,
    "parking": check_parking,
    "passing": check_passages,
}


def _derive(batch: Batch, named: NDArray[np.bool_]) -> None:
    """Derive answers, margins and the facts that the rule measures."""
    expected = batch.expected
    if expected.relation is not None:
        check_relations(batch)
    elif expected.format == "number":
        check_numbers(batch)
    elif expected.format == "choice":
        check_choices(batch)
    elif batch.template in _SITUATIONS:
        _SITUATIONS[batch.template](batch)
    else:
        check_neighbours(batch, named)
