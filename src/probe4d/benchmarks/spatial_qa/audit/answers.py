"""Compares answers, and derives those that follow from centres and sizes: relations, numbers, choices (App. D)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.comparing import TOLERANCE
from probe4d.benchmarks.auditing.measuring import MeasuredScene
from probe4d.benchmarks.spatial_qa.audit.batch import Array, Batch

__all__ = [
    "EQUAL_WITHIN",
    "UNEQUAL_FROM",
    "check_answers",
    "check_choices",
    "check_numbers",
    "check_relations",
    "compared",
]

EQUAL_WITHIN, UNEQUAL_FROM = 4e-7, 6e-7
"""Measures are compared to 1e-6: what differs by less than the one is equal, by more than the other is not, and what
lies between may be rounded to either."""

_GREATER = frozenset({"above", "right", "behind", "larger", "longer", "taller", "wider"})
"""Relations that hold where object 1 has more of what is measured; the others hold where it has less."""

_HALF_CENT = 0.005
_DEGREES = 60.0
"""A bit more than a radian: what a bearing turns by if an object one metre away moves by one metre."""


def check_answers(
    batch: Batch, derived: list[str], *, undecided: NDArray[np.bool_] | None = None, why: str = ""
) -> None:
    """Compare answers.

    Args:
        batch: The questions.
        derived: The right answers.
        undecided: Which questions have none, so that the stored one is wrong whatever it is, shape (n,).
        why: Why they have none.
    """
    stored = batch.answers
    none = np.zeros(len(stored), dtype=np.bool_) if undecided is None else undecided
    differs = np.array([mine != right for mine, right in zip(stored, derived, strict=True)], dtype=np.bool_)
    batch.add(differs & ~none, lambda at: f"answer: stored {stored[at]!r}, derived {derived[at]!r}")
    batch.add(none, lambda at: f"answer: stored {stored[at]!r}, and the question has none: {why}")


def check_relations(batch: Batch) -> None:
    """Derive which of two objects has more of what a relation compares."""
    first, second = batch.boxes.T
    one, other = (compared(batch.scene, batch.expected.rule, batch.camera, box) for box in (first, second))
    difference = one - other
    more = batch.template in _GREATER
    answers = np.where((difference > 0) == more, "Yes", "No").tolist()
    equal = np.abs(difference) <= EQUAL_WITHIN
    check_answers(batch, answers, undecided=equal, why="the objects are equal in what is compared")
    (name,) = batch.expected.measured
    batch.compare_numbers(f"facts.{name}", batch.fact(name), difference)
    batch.compare_numbers("margin", batch.table["margin"].to_numpy(), np.abs(difference))


def compared(scene: MeasuredScene, rule: str, camera: NDArray[np.int64], box: NDArray[np.int64]) -> Array:
    """What a relation compares of boxes in the images of cameras, shape (n,).

    Args:
        scene: The scene, measured.
        rule: Name of the rule of the relation.
        camera: Places of the cameras, shape (n,).
        box: Rows of the boxes, shape (n,).
    """
    values: Array
    match rule:
        case "elevation-difference":
            values = scene.ego[box, 2]
        case "sideways-difference":
            values = scene.camera[camera, box, 0]
        case "depth-difference":
            values = scene.camera[camera, box, 2]
        case "volume-difference":
            values = scene.size[box].prod(axis=1)
        case _:
            sizes = ("length-difference", "width-difference", "height-difference")
            values = scene.size[box, sizes.index(rule)]
    return values


def check_numbers(batch: Batch) -> None:
    """Derive distances, offsets, sizes and bearings; answers are the nearest hundredth."""
    (name,) = batch.expected.measured
    number, tolerance = _number(batch)
    turns = batch.template == "bearing"
    batch.compare_numbers(f"facts.{name}", batch.fact(name), number, tolerance=tolerance, turns=turns)
    told = batch.table["answer"].cast(float).to_numpy()
    batch.compare_numbers("answer", told, number, tolerance=tolerance + _HALF_CENT, turns=turns)
    if turns:
        batch.add(np.abs(told) > 180, lambda at: f"answer: {told[at]} lies beyond half a turn")
    batch.add(batch.table["margin"].is_not_null().to_numpy(), lambda at: "margin: stored a number, derived null")


def _number(batch: Batch) -> tuple[Array, float | Array]:
    """The number asked for, and what another computation of it may differ by, shape (n,)."""
    scene, boxes = batch.scene, batch.boxes
    place, size = scene.ego[boxes[:, 0]], scene.size[boxes[:, 0]]
    if batch.expected.entities == 2:
        place = scene.ego[boxes[:, 1]] - place
    match batch.template:
        case "distance" | "ego-distance":
            return np.sqrt((place**2).sum(axis=1)), TOLERANCE
        case "longitudinal-offset" | "ego-longitudinal-offset":
            return np.abs(place[:, 0]), TOLERANCE
        case "lateral-offset" | "ego-lateral-offset":
            return np.abs(place[:, 1]), TOLERANCE
        case "bearing":
            far = np.maximum(np.hypot(place[:, 0], place[:, 1]), TOLERANCE)
            degrees = np.angle(place[:, 0] + 1j * place[:, 1], deg=True)
            return degrees, np.maximum(TOLERANCE, _DEGREES * TOLERANCE / far)
        case "length" | "width" | "height":
            return size[:, ("length", "width", "height").index(batch.template)], TOLERANCE
    raise ValueError(f"{batch.template} asks for no number")


def check_choices(batch: Batch) -> None:
    """Derive which option is closest or largest, and by how much the next one is worse."""
    scene, entities = batch.scene, batch.expected.entities
    options = batch.boxes[:, entities:]
    if batch.expected.rule == "greatest-volume":
        measures = scene.size[options].prod(axis=2)
        losses = -measures
    else:
        origin = scene.ego[batch.boxes[:, :1]] if entities else np.zeros(3)
        measures = losses = np.linalg.norm(scene.ego[options] - origin, axis=2)
    (name,) = batch.expected.measured
    stored = [getattr(facts, name) for facts in batch.facts]
    uneven = np.array([len(each) != options.shape[1] for each in stored], dtype=np.bool_)
    batch.add(uneven, lambda at: f"facts.{name}: stored {stored[at]}, and there are {options.shape[1]} options")
    rows = zip(stored, measures, strict=True)
    even = np.array([each if len(each) == options.shape[1] else row for each, row in rows], dtype=np.float64)
    for place in range(options.shape[1]):
        batch.compare_numbers(f"facts.{name}[{place}]", even[:, place], measures[:, place])
    least, second = np.sort(losses, axis=1)[:, :2].T
    answers = np.array(list("ABCD"))[losses.argmin(axis=1)].tolist()
    check_answers(batch, answers, undecided=second - least <= EQUAL_WITHIN, why="two options are equally good")
    batch.compare_numbers("margin", batch.table["margin"].to_numpy(), second - least)
