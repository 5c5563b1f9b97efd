"""Derives again what a STRIDE benchmark of Waymo's end-to-end data says, as far as the dataset tells it.

Of the suite it takes the templates and the thresholds alone; form, wording and references are checked as those of
annotated scenes are. Estimated objects are no part of the dataset: an answer is derived from the target's own box where
that and the camera say all, and else taken as it is told.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import polars as pl

from probe4d.benchmarks.auditing.opening import build_parameters, tables_folder
from probe4d.benchmarks.auditing.raw_tables import scene_names
from probe4d.benchmarks.auditing.record import count_findings, order_findings
from probe4d.benchmarks.auditing.recorded import read_scenes
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import question_ids
from probe4d.benchmarks.stride.audit.links import link_findings
from probe4d.benchmarks.stride.audit.whole import repeated_findings, spread_findings
from probe4d.benchmarks.stride.templates.waymo import waymo_templates
from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S
from probe4d.benchmarks.stride.waymo.audit.drives import EndToEndDrive, read_beside
from probe4d.benchmarks.stride.waymo.audit.questions import Build, Checking
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["audit"]


class _Objects(msgspec.Struct, frozen=True):
    """Of the file of estimated objects."""

    channel: str


class _Parameters(msgspec.Struct, frozen=True):
    """The parameters of the build that decide what is right."""

    templates: tuple[str, ...]
    per_template: int
    most_per_scene: int
    reference_channel: str
    horizon_s: float
    ego_history: str
    verbalizer: str
    objects: _Objects | None


def audit(
    benchmark: Benchmark,
    dataroot: Path | str,
    *,
    version: str | None = None,
    done: Callable[[str], None] | None = None,
) -> list[AuditFinding]:
    """Derive answers of a benchmark again and check what it promises of itself.

    Clusters, actions, manoeuvres, positions, ratings and waypoints are derived from the dataset's tables, distances
    and constraints from the target's box and the camera, with facts and margins. Of every question form, wording and
    evidence are checked, that its target is where its red box stands, and of open ones that the reference is what its
    parts say. Other answers about estimated objects, with what was measured for them, are taken as they are told.

    Args:
        benchmark: A benchmark that was built of converted WOD-E2E data.
        dataroot: Folder of the dataset that it was built from, or the folder of tables to use inside it.
        version: Name of the folder of tables; null is the one that the benchmark was built from.
        done: Told of the id of each question that was checked.

    Raises:
        InputError: The parameters of the benchmark cannot be read, or the dataset's tables cannot.
    """
    parameters = build_parameters(benchmark, _Parameters)
    folder = tables_folder(Path(dataroot), benchmark.record.source.version, version)
    positions = round(parameters.horizon_s / FRAME_SPACING_S)
    build = Build(
        templates=waymo_templates(positions),
        positions=positions,
        with_history=parameters.ego_history == "text",
        verbalizer=parameters.verbalizer,
        channel=None if parameters.objects is None else parameters.objects.channel,
    )
    table = benchmark.table.with_columns(derived_id=question_ids(benchmark.table)).with_row_index("place")
    checking = Checking(benchmark.table, build)
    by_scene = {rows["scene"][0]: rows for rows in table.partition_by("scene", maintain_order=True)}
    states, frames = (read_beside(folder, name, [*by_scene]) for name in ("ego_states", "driving"))
    recorded = read_scenes(folder, reference_channel=parameters.reference_channel, scenes=list(by_scene))
    for (scene, rows), there in zip(by_scene.items(), recorded, strict=True):
        of_scene = pl.col("scene") == scene
        drive = None if there is None else EndToEndDrive(there, states.filter(of_scene), frames.filter(of_scene))
        for row in rows.iter_rows(named=True):
            checking.check(row, drive)
            if done is not None:
                done(row["id"])
    return [
        *checking.findings.in_order(),
        *link_findings(benchmark.table, build.templates.values()),
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
