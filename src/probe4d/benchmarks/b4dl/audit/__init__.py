"""Checks what a B4DL benchmark promises of itself: form, identity, places and counts.

A model wrote the answers, so that no audit can derive them again; they are taken as they are told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.auditing.opening import build_parameters, tables_folder
from probe4d.benchmarks.auditing.raw_tables import sample_chains, scene_names
from probe4d.benchmarks.auditing.record import count_findings, order_findings
from probe4d.benchmarks.b4dl.audit.form import Fault, faults_of
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import question_ids
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["audit"]


class _Parameters(msgspec.Struct, frozen=True):
    """The parameters of the build that decide what may be there, as `benchmark.json` has them."""

    tasks: tuple[str, ...]
    generator: str


def audit(
    benchmark: Benchmark,
    dataroot: Path | str,
    *,
    version: str | None = None,
    done: Callable[[str], None] | None = None,
) -> list[AuditFinding]:
    """Check the form of every question, its place in its scene, and the benchmark's counts.

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
    names = scene_names(folder)
    chains = sample_chains(folder, names & set(benchmark.table["scene"]))
    findings = Findings(benchmark.table)
    rows = benchmark.table.with_columns(derived_id=question_ids(benchmark.table))
    for place, row in enumerate(rows.iter_rows(named=True)):
        for fault in _faults(row, parameters, chains):
            findings.add(place, fault.what, rule=fault.rule)
        if done is not None:
            done(row["id"])
    return [
        *findings.in_order(),
        *count_findings(benchmark, scenes=len(names)),
        *order_findings(benchmark),
    ]


def _faults(row: dict[str, Any], parameters: _Parameters, chains: dict[str, list[str]]) -> Iterator[Fault]:
    if row["family"] not in parameters.tasks:
        yield Fault(f"is of the task {row['family']!r}, which benchmark.json does not name", "tasks")
    if row["scene"] not in chains:
        yield Fault(f"the dataset has no scene {row['scene']!r}", "source")
        return
    yield from faults_of(row, key_frames=len(chains[row["scene"]]), generator=parameters.generator)
