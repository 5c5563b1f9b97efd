"""Checks what a B4DL benchmark promises of itself, by a path of its own.

A model wrote the answers, so that nothing derives them again. What geometry is said to have measured of them is
derived from the dataset's raw tables, with other mathematics than the verdicts'; of the suite the audit takes the
lines of motion alone. Verdicts that only the words of a question decide are taken as they are told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.auditing.opening import build_parameters, tables_folder
from probe4d.benchmarks.auditing.raw_tables import scene_names
from probe4d.benchmarks.auditing.record import count_findings, order_findings
from probe4d.benchmarks.auditing.recorded import read_scenes
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
from probe4d.benchmarks.question import question_ids
from probe4d.benchmarks.suite import AuditFinding
from probe4d.benchmarks.taken_as_told import TakenAsTold, taken_as_told

__all__ = ["audit", "taken_as_told_by_audit"]


def audit(
    benchmark: Benchmark,
    dataroot: Path | str,
    *,
    version: str | None = None,
    done: Callable[[str], None] | None = None,
) -> list[AuditFinding]:
    """Check form, place, measures and verdict of every question, and the benchmark's counts.

    Numbers of facts are compared to the two decimals that they are rounded to.

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
    parameters = build_parameters(benchmark, Parameters)
    folder = tables_folder(Path(dataroot), benchmark.record.source.version, version)
    table = benchmark.table.with_columns(derived_id=question_ids(benchmark.table)).with_row_index("place")
    findings = Findings(benchmark.table)
    by_scene = {rows["scene"][0]: rows for rows in table.partition_by("scene", maintain_order=True)}
    recorded = read_scenes(folder, reference_channel=parameters.reference_channel, scenes=list(by_scene))
    annotations, of_annotations = Annotations(benchmark.path), list[AuditFinding]()
    for (scene, rows), there in zip(by_scene.items(), recorded, strict=True):
        drive = None if there is None else Drive(there)
        for row in rows.iter_rows(named=True):
            known = [Fault(f"the dataset has no scene {scene!r}", "source")]
            for fault in known if drive is None else _faults(drive, row, parameters):
                findings.add(row["place"], fault.what, rule=fault.rule)
            if done is not None:
                done(row["id"])
        if drive is not None:
            of_annotations += annotations.findings(scene, drive)
    return [
        *findings.in_order(),
        *sequence_findings(benchmark.table),
        *count_findings(benchmark, scenes=len(scene_names(folder))),
        *order_findings(benchmark),
        *file_findings(benchmark),
        *annotations.of_file(),
        *of_annotations,
    ]


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
