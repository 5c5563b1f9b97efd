"""Derives again what a STRIDE benchmark of Waymo's end-to-end data says, as far as the dataset tells it.

Of the suite it takes the templates and the thresholds alone; form, wording and references are checked as those of
annotated scenes are. Estimated objects are no part of the dataset: an answer is derived from the target's own box where
that and the camera say all, and else taken as it is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import polars as pl

from probe4d.benchmarks.auditing.recorded import read_scenes
from probe4d.benchmarks.auditing.suite_audit import SuiteAudit
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.stride.audit.links import link_findings
from probe4d.benchmarks.stride.audit.whole import StrideParameters, repeated_findings, spread_findings
from probe4d.benchmarks.stride.templates.waymo import waymo_templates
from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S
from probe4d.benchmarks.stride.waymo.audit.drives import EndToEndDrive, read_beside
from probe4d.benchmarks.stride.waymo.audit.questions import Build, Checking
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["audit"]


class _Objects(msgspec.Struct, frozen=True):
    """Of the file of estimated objects."""

    channel: str


class _Parameters(StrideParameters, frozen=True):
    """The parameters of a build of Waymo's end-to-end data."""

    horizon_s: float
    objects: _Objects | None


class _Audit(SuiteAudit[_Parameters, EndToEndDrive]):
    """Derives what poses, ego states, ratings and clusters say, and what a target's own box and the camera do.

    Of every question form, wording and evidence are checked, that its target is where its red box stands, and of open
    ones that the reference is what its parts say. Other answers about estimated objects, with what was measured for
    them, are taken as they are told.
    """

    parameters_of = _Parameters

    def __init__(self, benchmark: Benchmark, folder: Path, parameters: _Parameters) -> None:
        super().__init__(benchmark, folder, parameters)
        positions = round(parameters.horizon_s / FRAME_SPACING_S)
        self._build = Build(
            templates=waymo_templates(positions),
            positions=positions,
            with_history=parameters.with_history,
            verbalizer=parameters.verbalizer,
            channel=None if parameters.objects is None else parameters.objects.channel,
        )
        self._checking = Checking(benchmark.table, self._build)

    def scenes(self, names: Sequence[str]) -> Iterator[EndToEndDrive | None]:
        states, frames = (read_beside(self.folder, name, names) for name in ("ego_states", "driving"))
        recorded = read_scenes(self.folder, reference_channel=self.parameters.reference_channel, scenes=names)
        for name, there in zip(names, recorded, strict=True):
            of_scene = pl.col("scene") == name
            yield None if there is None else EndToEndDrive(there, states.filter(of_scene), frames.filter(of_scene))

    def check(self, drive: EndToEndDrive, questions: pl.DataFrame) -> None:
        self._check(drive, questions)

    def check_without_scene(self, name: str, questions: pl.DataFrame) -> None:
        self._check(None, questions)

    def between_questions(self) -> Iterator[AuditFinding]:
        yield from link_findings(self.benchmark.table, self._build.templates.values())
        yield from repeated_findings(self.benchmark.table)

    def of_the_whole(self) -> Iterator[AuditFinding]:
        return spread_findings(self.benchmark.table, self.parameters)

    def _check(self, drive: EndToEndDrive | None, questions: pl.DataFrame) -> None:
        for row in questions.iter_rows(named=True):
            for fault in self._checking.faults(row, drive):
                self.findings.add(row["place"], fault.what, rule=fault.rule)


audit = _Audit.audit
