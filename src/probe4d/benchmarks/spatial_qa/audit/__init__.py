"""Derives every reference answer of a built NuScenes-SpatialQA benchmark again, by a path of its own.

The audit reads the dataset's raw tables by itself and measures with other mathematics than the rules; it imports
neither `probe4d.scenes` nor anything that builds. It goes scene by scene and derives all questions of a template at
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.measuring import Filters, MeasuredScene, measure_scene
from probe4d.benchmarks.auditing.recorded import read_scenes
from probe4d.benchmarks.auditing.suite_audit import SuiteAudit
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.spatial_qa.audit.answers import check_choices, check_numbers, check_relations
from probe4d.benchmarks.spatial_qa.audit.batch import Batch, read_batch
from probe4d.benchmarks.spatial_qa.audit.completeness import incomplete
from probe4d.benchmarks.spatial_qa.audit.drawn import Draws
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
from probe4d.benchmarks.spatial_qa.audit.whole import balance_findings, seed_findings
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


class _Audit(SuiteAudit[_Parameters, MeasuredScene]):
    """Compares answers, facts, margins, the objects' words and every other field, numbers to 1e-6.

    Which captions an object has is not in the dataset: of those it is checked that they are the same everywhere and
    stand for one object of an image alone.
    """

    parameters_of = _Parameters

    def __init__(self, benchmark: Benchmark, folder: Path, parameters: _Parameters) -> None:
        super().__init__(benchmark, folder, parameters)
        self._lacking: list[AuditFinding] = []

    def scenes(self, names: Sequence[str]) -> Iterator[MeasuredScene | None]:
        for scene in read_scenes(self.folder, reference_channel=self.parameters.reference_channel, scenes=names):
            yield None if scene is None else measure_scene(scene, self.parameters.filters)

    def check(self, scene: MeasuredScene, questions: pl.DataFrame) -> None:
        name, letters = questions["scene"][0], self.parameters.by_letters
        batches = self._batches(scene, questions)
        if batches:
            kept = self.parameters.ambiguous == "keep"
            named = check_words(scene, batches, self.findings, letters=letters, keep_ambiguous=kept)
            seed = self.benchmark.record.seed
            draws = None if seed is None else Draws(name, scene, seed, letters=letters)
            for batch in batches:
                check_texts(batch)
                check_objects(batch, self.parameters.filters)
                _derive(batch, named)
                if draws is not None:
                    draws.check(batch)
        if self.parameters.is_full:
            self._lacking += incomplete(name, scene, batches, letters=letters)

    def of_the_whole(self) -> Iterator[AuditFinding]:
        yield from seed_findings(self.benchmark.record)
        yield from self._lacking
        contents = self.parameters.balance == "contents"
        answered = self.benchmark.columns("template", "scene", "format", "answer", "context")
        yield from balance_findings(answered, full=self.parameters.is_full, contents=contents)

    def _batches(self, scene: MeasuredScene, questions: pl.DataFrame) -> list[Batch]:
        """Questions whose form lets them be measured, by template."""
        sound = well_formed(questions, self.findings, needs=self.parameters.needs)
        check_repeated(questions, self.findings)
        by_template = questions.filter(sound).partition_by("template", as_dict=True)
        batches = [
            read_batch(template, scene, by_template[template,], self.findings)
            for template in EXPECTED
            if (template,) in by_template
        ]
        return [batch for batch in batches if len(batch.row)]


audit = _Audit.audit


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
