"""Checks the target of a question: that it is there, may be asked about, is in its picture where the red box is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.stride.audit.batch import Batch, Question
from probe4d.benchmarks.stride.audit.deriving import may_be_target
from probe4d.benchmarks.stride.audit.measuring import NO_ROW, Drive
from probe4d.benchmarks.stride.templates import Template

__all__ = ["batch_of", "check_targets"]

_BOUNDS_TOLERANCE = 2e-6
"""Parts of an image: bounds are stored with six decimals."""
_KEPT_TAIL = 8
"""Characters of an instance token that tell an entity from another of the same words."""


def batch_of(
    template: Template, drive: Drive, questions: list[Question], rows: Mapping[str, int], findings: Findings
) -> Batch:
    """Find the targets of questions; those without one are left out, with a finding.

    Args:
        template: Their template.
        drive: The scene.
        questions: The questions.
        rows: Rows of its boxes by token.
        findings: Takes in what is wrong.
    """
    target = np.full(len(questions), NO_ROW)
    batch = Batch(template, drive, questions, target, findings)
    if not template.has_target:
        return batch
    for at, question in enumerate(questions):
        row = rows.get(_token(question.facts))
        if row is None or drive.frame[row] != question.fields["frames"][0]:
            batch.add(at, "facts.objects names no box of the query frame", rule="target")
        else:
            target[at] = row
    return batch.kept(target != NO_ROW)


def check_targets(batch: Batch) -> None:
    """Check what questions say of their targets: words, places, red boxes, returns."""
    allowed = may_be_target(batch.drive, batch.template.id, batch.target) if batch.template.has_target else None
    for at, question in enumerate(batch.questions):
        row, fields = int(batch.target[at]), question.fields
        if allowed is None:
            expected: dict[str, Any] = {"entities": [], "context": batch.template.id, "lidar_points": None}
        else:
            if not allowed[at]:
                batch.add(
                    at,
                    "the target is too far, hidden, fixed, in no image, or not in all of the history",
                    rule="target",
                )
            expected = _of_target(batch, at)
            batch.differ(at, "facts.objects", question.facts.get("objects"), [_pointed(batch, at)], rule="target")
            _check_red_box(batch, at, row)
        for name, value in expected.items():
            batch.differ(at, name, fields[name], value, rule="target")


def _token(facts: Mapping[str, Any]) -> str:
    """Token of the target's box; empty where the facts tell none."""
    objects = facts.get("objects")
    only = objects[0] if isinstance(objects, list) and len(objects) == 1 else None
    token = only.get("box") if isinstance(only, dict) else None
    return token if isinstance(token, str) else ""


def _of_target(batch: Batch, at: int) -> dict[str, Any]:
    drive, row = batch.drive, int(batch.target[at])
    alike = drive.is_target & (drive.frame == drive.frame[row]) & (drive.words == drive.words[row])
    tail = f" ({drive.tracks[row][-_KEPT_TAIL:]})" if alike.sum() > 1 else ""
    return {
        "entities": [f"{batch.called(at)}{tail}"],
        "context": f"{batch.template.id}|{drive.words[row]}",
        "lidar_points": _points(drive, row),
    }


def _pointed(batch: Batch, at: int) -> dict[str, Any]:
    drive, row = batch.drive, int(batch.target[at])
    return {
        "label": batch.called(at),
        "frame": int(drive.frame[row]),
        "box": drive.tokens[row],
        "track": drive.tracks[row],
        "x": float(drive.ego[row, 0]),
        "y": float(drive.ego[row, 1]),
        "distance_m": float(drive.range_m[row]),
        "lidar_points": _points(drive, row),
    }


def _points(drive: Drive, row: int) -> int | None:
    points = int(drive.lidar_points[row])
    return None if points < 0 else points


def _check_red_box(batch: Batch, at: int, row: int) -> None:
    """See that the red box is drawn where the image that shows the target largest has it."""
    drive, told = batch.drive, batch.questions[at].facts.get("target")
    view = int(drive.largest_view[row])
    if view == NO_ROW:
        return
    expected = {
        "frame": int(drive.frame[row]),
        "channel": drive.channels[view],
        "bounds": drive.bounds[view, row].tolist(),
    }
    batch.differ(at, "facts.target", told, expected, rule="target", tolerance=_BOUNDS_TOLERANCE)
