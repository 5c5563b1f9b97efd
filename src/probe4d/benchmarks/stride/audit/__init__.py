"""Derives every reference answer of a built STRIDE benchmark again, by a path of its own.

The audit reads the dataset's raw tables by itself and measures with other mathematics than the rules; of the suite it
takes the templates and the thresholds alone. It goes scene by scene and derives all questions of a template at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import polars as pl

from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.auditing.opening import build_parameters, tables_folder
from probe4d.benchmarks.auditing.raw_tables import scene_names
from probe4d.benchmarks.auditing.record import count_findings, order_findings
from probe4d.benchmarks.auditing.recorded import read_scenes
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import question_ids
from probe4d.benchmarks.stride.audit.batch import Batch, Question
from probe4d.benchmarks.stride.audit.composed import check_composed
from probe4d.benchmarks.stride.audit.deriving import LABELS, MEASURED, derive
from probe4d.benchmarks.stride.audit.form import Fault, facts_of, faults_of
from probe4d.benchmarks.stride.audit.labelled import LabelsTold
from probe4d.benchmarks.stride.audit.links import link_findings
from probe4d.benchmarks.stride.audit.measuring import Drive
from probe4d.benchmarks.stride.audit.targets import batch_of, check_targets
from probe4d.benchmarks.stride.audit.trajectories import check_alternatives, check_best, check_waypoints
from probe4d.benchmarks.stride.audit.whole import repeated_findings, spread_findings
from probe4d.benchmarks.stride.audit.wording import check_wording
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["audit"]

_OF_COURSES: Mapping[str, Callable[[Batch], None]] = {
    "TRJ-3": check_best,
    "TRJ-4": check_alternatives,
    "TRJ-5": check_waypoints,
    "TRJ-6": check_waypoints,
}


class _Parameters(msgspec.Struct, frozen=True):
    """The parameters of the build that decide what is right, as `benchmark.json` has them."""

    templates: tuple[str, ...]
    per_template: int
    most_per_scene: int
    labels_sha256: str | None
    ego_history: str
    verbalizer: str
    reference_channel: str


def audit(
    benchmark: Benchmark,
    dataroot: Path | str,
    *,
    version: str | None = None,
    done: Callable[[str], None] | None = None,
) -> list[AuditFinding]:
    """Derive every answer of a benchmark again and check what the benchmark promises of itself.

    Choices, waypoints, references, facts, margins, targets with their red boxes, evidence and links are compared,
    numbers to 1e-6. Labels are in no table: of those it is checked that questions agree. Why a question was taken
    (its tags and score) and what was drawn are not derived again.

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
    table = benchmark.table.with_columns(derived_id=question_ids(benchmark.table)).with_row_index("place")
    findings = Findings(benchmark.table)
    by_scene = {rows["scene"][0]: rows for rows in table.partition_by("scene", maintain_order=True)}
    recorded = read_scenes(folder, reference_channel=parameters.reference_channel, scenes=list(by_scene))
    for (scene, rows), there in zip(by_scene.items(), recorded, strict=True):
        if there is not None:
            _check_scene(Drive(there), rows, parameters, findings)
        else:
            for place in rows["place"]:
                findings.add(place, f"the dataset has no scene {scene!r}")
        if done is not None:
            for identity in rows["id"]:
                done(identity)
    return [
        *findings.in_order(),
        *link_findings(benchmark.table),
        *repeated_findings(benchmark.table),
        *count_findings(benchmark, scenes=len(scene_names(folder))),
        *order_findings(benchmark),
        *spread_findings(
            benchmark.table,
            templates=parameters.templates,
            per_template=parameters.per_template,
            most_per_scene=parameters.most_per_scene,
        ),
    ]


def _check_scene(drive: Drive, rows: pl.DataFrame, parameters: _Parameters, findings: Findings) -> None:
    """Derive all questions about a scene."""
    of_token = {token: row for row, token in enumerate(drive.tokens)}
    labels = LabelsTold(given=parameters.labels_sha256 is not None)
    for name, questions in _sound(drive, rows, findings).items():
        batch = batch_of(TEMPLATES[name], drive, questions, of_token, findings)
        if not batch.questions:
            continue
        check_targets(batch)
        check_wording(batch, with_history=parameters.ego_history == "text")
        if name in MEASURED:
            batch.check(derive(name, drive, batch.frame, batch.target))
        elif name in LABELS:
            labels.check(batch)
        elif name in _OF_COURSES:
            _OF_COURSES[name](batch)
        else:
            check_composed(batch, labels, verbalizer=parameters.verbalizer)


def _sound(drive: Drive, rows: pl.DataFrame, findings: Findings) -> dict[str, list[Question]]:
    """Questions whose form lets them be measured, by template."""
    sound: dict[str, list[Question]] = {}
    for row in rows.iter_rows(named=True):
        facts = facts_of(row)
        if isinstance(facts, Fault):
            findings.add(row["place"], facts.what, rule=facts.rule)
            continue
        faults = list(faults_of(row, facts, row["derived_id"], drive.key_frames, TEMPLATES))
        for fault in faults:
            findings.add(row["place"], fault.what, rule=fault.rule)
        if not any(fault.settles for fault in faults):
            sound.setdefault(row["template"], []).append(Question(row["place"], row, facts))
    return sound
