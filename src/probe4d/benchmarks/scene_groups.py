"""Groups of neighbouring scenes that are measured together, here or in processes."""

from __future__ import annotations

from probe4d.scenes.tables import Scenes

__all__ = ["groups_by_boxes"]


def groups_by_boxes(scenes: Scenes, most_boxes: int) -> list[Scenes]:
    """Groups of at least one scene and, where there are more, of so many boxes at most, in the order of the scenes.

    They do not depend on how many processes there are, and neither does what follows from their order.
    """
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
