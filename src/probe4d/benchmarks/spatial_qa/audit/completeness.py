"""Checks that a full build leaves out no object and no pair of an image: every relation and every number of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.measuring import MeasuredScene
from probe4d.benchmarks.auditing.record import whole
from probe4d.benchmarks.spatial_qa.audit.answers import UNEQUAL_FROM, compared
from probe4d.benchmarks.spatial_qa.audit.batch import Batch
from probe4d.benchmarks.spatial_qa.audit.expected import EXPECTED
from probe4d.benchmarks.suite import AuditFinding
from probe4d.wording import counted

__all__ = ["incomplete"]

Rows = NDArray[np.int64]

_OF_EVERY_OBJECT = "ego-distance"


class _Asked(NamedTuple):
    """Objects that could be asked about together: place of the camera, shape (n,), and rows of the boxes, (n, k)."""

    camera: Rows
    boxes: Rows


def incomplete(name: str, scene: MeasuredScene, batches: Sequence[Batch], *, letters: bool) -> Iterator[AuditFinding]:
    """Name what a full build should ask and does not, one finding a template.

    Letters stand for every object that passes the filters. Which objects have captions is not known, but each that has
    one is asked about in every template that asks about single objects.

    Args:
        name: Name of the scene.
        scene: The scene, measured.
        batches: All questions about it.
        letters: Whether letters stand for objects, not captions.
    """
    asked = {batch.template: _Asked(batch.camera, batch.boxes) for batch in batches}
    objects = _objects(scene) if letters else asked.get(_OF_EVERY_OBJECT)
    if objects is None:
        objects = _Asked(np.zeros(0, np.int64), np.zeros((0, 1), np.int64))
    pairs = _pairs(scene, objects)
    for template, expected in EXPECTED.items():
        if expected.relation is None and expected.format != "number":
            continue
        wanted = objects if expected.entities == 1 else _answerable(scene, template, pairs)
        found = asked.get(template)
        missing = np.setdiff1d(_codes(scene, wanted), _codes(scene, found) if found else [])
        if missing.size:
            example = " and ".join(scene.tokens[box] for box in _decoded(scene, missing[0], expected.entities))
            what = f"{template} lacks {counted(missing.size, 'question')} about {name}, such as about box {example}"
            yield whole("completeness", what)


def _objects(scene: MeasuredScene) -> _Asked:
    camera, box = np.nonzero(scene.passes)
    return _Asked(camera, box[:, None])


def _pairs(scene: MeasuredScene, objects: _Asked) -> _Asked:
    """Each object of an image with each other one, in both orders."""
    first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    image = objects.camera * scene.key_frames + scene.frame[objects.boxes[:, 0]]
    for rows in np.split(np.argsort(image, kind="stable"), np.flatnonzero(np.diff(np.sort(image))) + 1):
        one, other = np.nonzero(~np.eye(len(rows), dtype=np.bool_))
        first.append(rows[one])
        second.append(rows[other])
    places = np.stack([np.concatenate(first), np.concatenate(second)], axis=1)
    return _Asked(objects.camera[places[:, 0]], objects.boxes[places, 0])


def _answerable(scene: MeasuredScene, template: str, pairs: _Asked) -> _Asked:
    """The pairs of which a template has an answer; of numbers those whose first track comes first."""
    first, second = pairs.boxes.T
    if EXPECTED[template].relation is not None:
        one, other = (compared(scene, EXPECTED[template].rule, pairs.camera, box) for box in (first, second))
        kept = np.abs(one - other) > UNEQUAL_FROM
    else:
        kept = scene.tracks[first] < scene.tracks[second]
        if template == "bearing":
            kept = kept & (np.abs(scene.ego[first, :2] - scene.ego[second, :2]) > UNEQUAL_FROM).any(axis=1)
    kept = kept.astype(np.bool_)
    return _Asked(pairs.camera[kept], pairs.boxes[kept])


def _codes(scene: MeasuredScene, asked: _Asked) -> Rows:
    """A number for each camera and boxes, in which no two are alike."""
    codes = asked.camera
    for box in asked.boxes.T:
        codes = codes * len(scene.tokens) + box
    return codes


def _decoded(scene: MeasuredScene, code: int, count: int) -> list[int]:
    """The boxes of a code."""
    boxes: list[int] = []
    for _ in range(count):
        code, box = divmod(int(code), len(scene.tokens))
        boxes.insert(0, box)
    return boxes
