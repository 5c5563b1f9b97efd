"""Derives collisions, passages, parking and occlusions again (App. D of the paper, Situational Reasoning)."""

from __future__ import annotations

import numpy as np

from probe4d.benchmarks.auditing.comparing import TOLERANCE
from probe4d.benchmarks.auditing.gaps import footprint_corners, footprint_gaps
from probe4d.benchmarks.spatial_qa.audit.answers import check_answers
from probe4d.benchmarks.spatial_qa.audit.batch import Array, Batch
from probe4d.benchmarks.spatial_qa.audit.hiding import STEP_M, UprightBoxes, first_hidden_m

__all__ = ["check_collisions", "check_occlusions", "check_parking", "check_passages"]

_APPROACH_M = 2.0 * 5.0


def _yes_or_no(batch: Batch, surplus: Array) -> list[str]:
    """Yes where a number is not negative; on the bound itself what is told, since rounding may go either way."""
    told = batch.answers
    derived = np.where(surplus >= 0, "Yes", "No").tolist()
    return [told[at] if abs(surplus[at]) <= TOLERANCE else derived[at] for at in range(len(told))]


def _gaps(batch: Batch) -> Array:
    scene = batch.scene
    first, second = (footprint_corners(scene.ego[box], scene.size[box], scene.ego_yaw[box]) for box in batch.boxes.T)
    return footprint_gaps(first, second)


def check_collisions(batch: Batch) -> None:
    """They collide if even the centres come together, and do not if even the footprints stay apart."""
    first, second = (batch.scene.ego[box] for box in batch.boxes.T)
    distance, gap = np.linalg.norm(second - first, axis=1), _gaps(batch)
    batch.compare_numbers("facts.distance_m", batch.fact("distance_m"), distance)
    batch.compare_numbers("facts.gap_m", batch.fact("gap_m"), gap)
    together = distance <= _APPROACH_M + TOLERANCE
    surplus = np.where(together, _APPROACH_M - distance, _APPROACH_M - gap)
    undecided = ~together & (surplus >= -TOLERANCE)
    why = "it depends on which distance is meant"
    check_answers(batch, _yes_or_no(batch, surplus), undecided=undecided, why=why)
    batch.compare_numbers("margin", batch.table["margin"].to_numpy(), np.abs(surplus))


def check_passages(batch: Batch) -> None:
    """A vehicle passes if the gap between the footprints is as wide as itself."""
    gap, width = _gaps(batch), batch.fact("vehicle_width_m")
    batch.compare_numbers("facts.gap_m", batch.fact("gap_m"), gap)
    _check_drawn(batch, "vehicle_width_m")
    surplus = gap - width
    check_answers(batch, _yes_or_no(batch, surplus))
    batch.compare_numbers("margin", batch.table["margin"].to_numpy(), np.abs(surplus))


def check_parking(batch: Batch) -> None:
    """A vehicle fits if clearance is left before, behind and on both sides."""
    box = batch.boxes[:, 0]
    is_vehicle = batch.scene.is_kind("vehicle")[box]
    batch.add(~is_vehicle, lambda at: f"{batch.labels[at][0]!r} stands for no vehicle, and only vehicles park")
    clearance = batch.fact("clearance_m")
    spare = np.empty((2, len(box)))
    for axis, size in enumerate(("length", "width")):
        batch.compare_numbers(f"facts.{size}_m", batch.fact(f"{size}_m"), batch.scene.size[box, axis])
        spare[axis] = batch.fact(f"spot_{size}_m") - batch.scene.size[box, axis] - 2 * clearance
    for name in ("spot_length_m", "spot_width_m", "clearance_m"):
        _check_drawn(batch, name)
    least = spare.min(axis=0)
    check_answers(batch, _yes_or_no(batch, least))
    lacking = np.hypot(*np.maximum(-spare, 0))
    batch.compare_numbers("margin", batch.table["margin"].to_numpy(), np.where(least >= 0, least, lacking))


def _check_drawn(batch: Batch, name: str) -> None:
    """Numbers that are drawn are positive."""
    drawn = batch.fact(name)
    batch.add(~(drawn > 0), lambda at: f"facts.{name}: {drawn[at]} m is no size")


def check_occlusions(batch: Batch) -> None:
    """Object 1 hides object 2 if at a step ahead, before object 1 itself, every corner of object 2 is behind it."""
    scene = batch.scene
    eye = scene.eyes[batch.frame, batch.camera]
    screen, target = (UprightBoxes(scene.ego[box], scene.size[box], scene.ego_yaw[box]) for box in batch.boxes.T)
    sooner = first_hidden_m(screen, target, eye, slack_m=TOLERANCE)
    later = first_hidden_m(screen, target, eye, slack_m=-TOLERANCE)
    stored = batch.fact("hidden_after_m")
    told = np.where(np.isnan(stored), np.inf, stored)
    as_told = (told == sooner) | (told == later)
    batch.compare_numbers(
        "facts.hidden_after_m", stored, np.where(as_told, stored, np.where(np.isinf(later), np.nan, later))
    )
    decided = np.isinf(sooner) == np.isinf(later)
    derived = np.where(np.where(decided, np.isfinite(later), np.isfinite(told)), "Yes", "No").tolist()
    check_answers(batch, derived)
    ahead = screen.corners()[..., 0].min(axis=1) - eye[:, 0]
    batch.add(
        ahead <= STEP_M - TOLERANCE, lambda at: f"{batch.labels[at][0]!r} does not begin ahead of where the camera goes"
    )
    batch.add(batch.table["margin"].is_not_null().to_numpy(), lambda at: "margin: stored a number, derived null")
