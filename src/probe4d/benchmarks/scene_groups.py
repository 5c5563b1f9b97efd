"""Groups of neighbouring scenes that are measured together, here or in processes."""

from __future__ import annotations

from collections.abc import Mapping

from probe4d.scenes.tables import Scenes

__all__ = ["groups_by_boxes"]


def groups_by_boxes(scenes: Scenes, most_boxes: int, counts: Mapping[str, int] | None = None) -> list[Scenes]:
    """Groups of at least one scene and, where there are more, of so many boxes at most, in the order of the scenes.

    They do not depend on how many processes there are, and neither does what follows from their order.

    Args:
        scenes: The scenes.
        most_boxes: Most boxes of a group of several scenes.
        counts: What counts as boxes of a scene, where it is not the boxes that are annotated.
    """
    if counts is None:
        counts = dict(scenes.boxes.group_by("scene").len().iter_rows())
    groups: list[list[str]] = []
    boxes = 0
    for name in scenes.names:
        if not groups or boxes + counts.get(name, 0) > most_boxes:
            groups.append([])
            boxes = 0
        groups[-1].append(name)
        boxes += counts.get(name, 0)
    return [scenes.select(names) for names in groups]
