"""Checks what a B4DL benchmark promises of itself, by a path of its own.

A model wrote the answers, so that nothing derives them again. What geometry is said to have measured of them is
derived from the dataset's raw tables, with other mathematics than the verdicts'; of the suite the audit takes the
names of tasks, the words of the paper and the lines of motion alone. Verdicts that only the words of a question decide
are taken as they are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.auditing.recorded import read_scenes
from probe4d.benchmarks.auditing.suite_audit import SuiteAudit
from probe4d.benchmarks.b4dl.audit.annotations import Annotations
from probe4d.benchmarks.b4dl.audit.drive import Drive
from probe4d.benchmarks.b4dl.audit.facts import facts_of
from probe4d.benchmarks.b4dl.audit.files import file_findings
from probe4d.benchmarks.b4dl.audit.form import (
    Fault,
    Parameters,
    of_answer,
    of_drafting,
    of_facts,
    of_frames,
    of_template,
)
from probe4d.benchmarks.b4dl.audit.measured import faults_of_measures
from probe4d.benchmarks.b4dl.audit.sequences import sequence_findings
from probe4d.benchmarks.b4dl.audit.verdicts import claimed_of, faults_of_verdict, is_derived
from probe4d.benchmarks.b4dl.tasks import SUITE_NAME
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.suite import AuditFinding
from probe4d.benchmarks.taken_as_told import TakenAsTold, taken_as_told

__all__ = ["audit", "taken_as_told_by_audit"]


class _Audit(SuiteAudit[Parameters, Drive]):
    """Checks form, place, measures and verdict of every question, and what lies beside the questions.

    Numbers of facts are compared to the two decimals that they are rounded to.
    """

    parameters_of = Parameters
    without_scene = "source"

    def __init__(self, benchmark: Benchmark, folder: Path, parameters: Parameters) -> None:
        super().__init__(benchmark, folder, parameters)
        self._annotations = Annotations(benchmark.path)
        self._of_annotations: list[AuditFinding] = []

    def scenes(self, names: Sequence[str]) -> Iterator[Drive | None]:
        for scene in read_scenes(self.folder, reference_channel=self.parameters.reference_channel, scenes=names):
            yield None if scene is None else Drive(scene)

    def check(self, drive: Drive, questions: pl.DataFrame) -> None:
        for row in questions.iter_rows(named=True):
            for fault in _faults(drive, row, self.parameters):
                self.findings.add(row["place"], fault.what, rule=fault.rule)
        self._of_annotations += self._annotations.findings(questions["scene"][0], drive)

    def between_questions(self) -> Iterator[AuditFinding]:
        return sequence_findings(self.benchmark.table)

    def of_the_whole(self) -> Iterator[AuditFinding]:
        yield from file_findings(self.benchmark)
        yield from self._annotations.of_file()
        yield from self._of_annotations


audit = _Audit.audit


def taken_as_told_by_audit(table: pl.DataFrame) -> Iterator[TakenAsTold]:
    """Questions whose answers geometry does not decide, and such whose verdicts the audit cannot derive.

    Facts that cannot be read are findings of the audit, and are left out here.
    """
    kinds = pl.Series([_told(row) for row in table.iter_rows(named=True)], dtype=pl.String)
    yield from taken_as_told(table.filter(kinds == "undecided"), "geometry does not decide what a model wrote")
    yield from taken_as_told(table.filter(kinds == "worded"), "the check does not read words that decide the verdict")


def _told(row: Mapping[str, Any]) -> str | None:
    try:
        facts = facts_of(row["facts"])
    except msgspec.MsgspecError:
        return None
    if not facts.is_decided:
        return "undecided"
    return None if is_derived(row, facts, claimed_of(row, facts)) else "worded"


def _faults(drive: Drive, row: Mapping[str, Any], parameters: Parameters) -> Iterator[Fault]:
    if row["id"] != row["derived_id"]:
        yield Fault(f"the id should be {row['derived_id']}", "identity")
    if row["suite"] != SUITE_NAME:
        yield Fault(f"the suite is {row['suite']!r}", "suite")
    unusable = [*of_template(row, parameters), *of_frames(row, drive.key_frames)]
    yield from unusable
    try:
        facts = facts_of(row["facts"])
    except msgspec.MsgspecError as error:
        yield Fault(f"facts do not fit ({error})", "facts")
        return
    if unusable:
        return
    unusable = [*of_facts(row, facts, parameters, drive.key_frames), *of_answer(row, facts)]
    yield from unusable
    if unusable:
        return
    yield from of_drafting(row, facts)
    claimed = claimed_of(row, facts)
    if claimed is not None:
        if claimed.frames[0] < 0 or claimed.frames[1] >= drive.key_frames:
            yield Fault(f"is about frames {claimed.frames}, and the scene has {drive.key_frames}", "frames")
            return
        yield from faults_of_measures(drive, claimed)
    yield from faults_of_verdict(drive, row, facts, claimed)
