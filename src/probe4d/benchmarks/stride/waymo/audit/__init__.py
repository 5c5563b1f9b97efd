"""Derives again what a STRIDE benchmark of Waymo's end-to-end data says, as far as the dataset tells it.

Of the suite it takes the templates and the thresholds alone. Estimated objects are no part of the dataset: an answer
is derived from the target's own box where that and the camera say all, and else taken as it is told.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.auditing.opening import build_parameters, tables_folder
from probe4d.benchmarks.auditing.raw_tables import scene_names
from probe4d.benchmarks.auditing.record import count_findings, order_findings
from probe4d.benchmarks.auditing.recorded import read_scenes
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS, question_ids
from probe4d.benchmarks.stride.audit.links import link_findings
from probe4d.benchmarks.stride.audit.whole import repeated_findings, spread_findings
from probe4d.benchmarks.stride.templates.waymo import waymo_templates
from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S
from probe4d.benchmarks.stride.waymo.audit.deriving import DERIVED, Asked, Derived
from probe4d.benchmarks.stride.waymo.audit.drives import Drive, read_beside
from probe4d.benchmarks.stride.waymo.audit.form import form_faults, reference_faults
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["audit"]

_CLOSE, _CLOSE_BY_PIXELS = 2e-5, 5e-3
"""Facts are rounded to a millionth; the bounds of a box too, which at 40 m are a few millimetres of ground."""
_ROUNDED = 0.0050001
"""Waypoints have two decimals."""


class _Parameters(msgspec.Struct, frozen=True):
    """The parameters of the build that decide what is right."""

    templates: tuple[str, ...]
    per_template: int
    most_per_scene: int
    reference_channel: str
    horizon_s: float


def audit(
    benchmark: Benchmark,
    dataroot: Path | str,
    *,
    version: str | None = None,
    done: Callable[[str], None] | None = None,
) -> list[AuditFinding]:
    """Derive answers of a benchmark again and check what it promises of itself.

    Clusters, actions, manoeuvres, positions, ratings and waypoints are derived from the dataset's tables, distances
    and constraints from the target's box and the camera. Of every question its form is checked, of open ones that the
    reference is what its parts say. Other answers about estimated objects are taken as they are told.

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
    templates = dict(waymo_templates(round(parameters.horizon_s / FRAME_SPACING_S)))
    table = benchmark.table.with_columns(derived_id=question_ids(benchmark.table)).with_row_index("place")
    checking = _Checking(benchmark.table, templates, round(parameters.horizon_s / FRAME_SPACING_S))
    by_scene = {rows["scene"][0]: rows for rows in table.partition_by("scene", maintain_order=True)}
    states, frames = (read_beside(folder, name, [*by_scene]) for name in ("ego_states", "driving"))
    recorded = read_scenes(folder, reference_channel=parameters.reference_channel, scenes=list(by_scene))
    for (scene, rows), there in zip(by_scene.items(), recorded, strict=True):
        of_scene = pl.col("scene") == scene
        drive = None if there is None else Drive(there, states.filter(of_scene), frames.filter(of_scene))
        for row in rows.iter_rows(named=True):
            checking.check(row, drive)
            if done is not None:
                done(row["id"])
    return [
        *checking.findings.in_order(),
        *link_findings(benchmark.table, templates.values()),
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


class _Checking:
    """Checks question by question.

    Args:
        table: All questions.
        templates: The templates by id.
        positions: Positions that TRJ-5 asks for.
    """

    def __init__(self, table: pl.DataFrame, templates: dict[str, Any], positions: int) -> None:
        self.findings = Findings(table)
        self._templates = templates
        self._positions = positions
        self._answers: dict[tuple[Any, ...], str] = {}
        columns = ("template", "scene", "frames", "entities", "options", "answer", "format")
        for name, scene, frames, entities, options, answer, kind in table.select(columns).iter_rows():
            if kind == "choice" and len(frames) == 1 and answer in tuple(LETTERS[: len(options)]):
                self._answers[name, scene, frames[0], tuple(entities)] = options[LETTERS.index(answer)]

    def check(self, row: dict[str, Any], drive: Drive | None) -> None:
        """Check a question; the drive is null where the dataset lacks the scene."""
        place, template = row["place"], self._templates.get(row["template"])
        if row["id"] != row["derived_id"]:
            self.findings.add(place, f"the id should be {row['derived_id']}", rule="identity")
        if drive is None or template is None:
            lacks = f"the dataset has no scene {row['scene']!r}" if drive is None else f"{row['template']!r} is unknown"
            self.findings.add(place, lacks)
            return
        facts = json.loads(row["facts"])
        faults = list(form_faults(row, facts, template, drive.key_frames))
        for rule, what in faults:
            self.findings.add(place, what, rule=rule)
        if faults:
            return
        if template.parts:
            for what in reference_faults(row, facts, template, self._answers, self._templates):
                self.findings.add(place, what)
        elif row["template"] in DERIVED:
            asked = Asked(row["frames"][0], row["question"], row["options"], facts, self._positions)
            self._compare(row, facts, DERIVED[row["template"]](drive, asked))

    def _compare(self, row: dict[str, Any], facts: dict[str, Any], derived: Derived) -> None:
        if derived.answer is None:
            self.findings.add(row["place"], "the dataset gives no answer to it")
            return
        if isinstance(derived.answer, str):
            stored = row["options"][LETTERS.index(row["answer"])]
            if stored != derived.answer:
                self.findings.add(row["place"], f"answer: stored {stored!r}, derived {derived.answer!r}")
        else:
            wanted = np.column_stack([derived.answer.real, derived.answer.imag])
            stored = np.array(json.loads(row["answer"]), dtype=np.float64)
            if stored.shape != wanted.shape or not (np.abs(stored - wanted) <= _ROUNDED).all():
                self.findings.add(row["place"], f"answer: stored {row['answer']}, derived {wanted.round(2).tolist()}")
        close = _CLOSE_BY_PIXELS if row["template"] in ("SP-3", "SU-1") else _CLOSE
        for name, value in derived.facts.items():
            if not _agree(facts.get(name), value, close):
                self.findings.add(row["place"], f"facts.{name}: stored {facts.get(name)!r}, derived {value!r}")
        margin = None if derived.margin is None else derived.margin[0]
        unit = None if derived.margin is None else derived.margin[1]
        if not _agree(row["margin"], margin, close) or facts.get("margin_unit") != unit:
            told = f"{row['margin']} {facts.get('margin_unit')}"
            self.findings.add(row["place"], f"margin: stored {told}, derived {margin} {unit}")


def _agree(stored: Any, derived: Any, close: float) -> bool:
    if isinstance(derived, (float, list)) and isinstance(stored, (int, float, list)):
        first, second = np.array(stored, dtype=np.float64), np.array(derived, dtype=np.float64)
        return first.shape == second.shape and bool(np.allclose(first, second, rtol=0, atol=close))
    return bool(stored == derived)
