"""Derives every reference answer of a built STRIDE benchmark again, by a path of its own.

The audit reads the dataset's raw tables by itself and measures with other mathematics than the rules; of the suite it
takes the templates and the thresholds alone. It goes scene by scene and derives all questions of a template at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import polars as pl

from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.auditing.recorded import read_scenes
from probe4d.benchmarks.auditing.suite_audit import SuiteAudit
from probe4d.benchmarks.stride.audit.batch import Batch, Question
from probe4d.benchmarks.stride.audit.composed import check_composed
from probe4d.benchmarks.stride.audit.deriving import LABELS, MEASURED, derive
from probe4d.benchmarks.stride.audit.form import Fault, facts_of, faults_of
from probe4d.benchmarks.stride.audit.labelled import LabelsTold
from probe4d.benchmarks.stride.audit.links import link_findings
from probe4d.benchmarks.stride.audit.measuring import Drive
from probe4d.benchmarks.stride.audit.targets import batch_of, check_targets
from probe4d.benchmarks.stride.audit.trajectories import check_alternatives, check_best, check_waypoints
from probe4d.benchmarks.stride.audit.whole import StrideParameters, repeated_findings, spread_findings
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


class _Parameters(StrideParameters, frozen=True):
    """The parameters of a build of annotated scenes."""

    labels_sha256: str | None


class _Audit(SuiteAudit[_Parameters, Drive]):
    """Compares choices, waypoints, references, facts, margins, targets with their red boxes, evidence and links.

    Numbers are compared to 1e-6. Labels are in no table: of those it is checked that questions agree. Why a question
    was taken (its tags and score) and what was drawn are not derived again.
    """

    parameters_of = _Parameters

    def scenes(self, names: Sequence[str]) -> Iterator[Drive | None]:
        for scene in read_scenes(self.folder, reference_channel=self.parameters.reference_channel, scenes=names):
            yield None if scene is None else Drive(scene)

    def check(self, drive: Drive, questions: pl.DataFrame) -> None:
        parameters, of_token = self.parameters, {token: row for row, token in enumerate(drive.tokens)}
        labels = LabelsTold(given=parameters.labels_sha256 is not None)
        for name, sound in _sound(drive, questions, self.findings).items():
            batch = batch_of(TEMPLATES[name], drive, sound, of_token, self.findings)
            if not batch.questions:
                continue
            check_targets(batch)
            check_wording(batch, with_history=parameters.with_history)
            if name in MEASURED:
                batch.check(derive(name, drive, batch.frame, batch.target))
            elif name in LABELS:
                labels.check(batch)
            elif name in _OF_COURSES:
                _OF_COURSES[name](batch)
            else:
                check_composed(batch, labels, verbalizer=parameters.verbalizer)

    def between_questions(self) -> Iterator[AuditFinding]:
        yield from link_findings(self.benchmark.table)
        yield from repeated_findings(self.benchmark.table)

    def of_the_whole(self) -> Iterator[AuditFinding]:
        return spread_findings(self.benchmark.table, self.parameters)


audit = _Audit.audit


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
