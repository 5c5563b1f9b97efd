"""The six tasks of B4DL: what is asked for of each, and in which form it is answered (Sec. 3.1, 3.3)."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["DESCRIBE", "FAMILIES", "SUITE_NAME", "TASKS", "VOCABULARY", "Task", "TaskName"]

SUITE_NAME = "b4dl"

TaskName = Literal["existence", "binary", "time-grounding", "description", "temporal-understanding", "comprehensive"]


class Task(NamedTuple):
    """A task.

    Attributes:
        name: Its name, which is the family of its questions.
        released: Its name in released files.
        pairs: Questions that a sequence yields.
        group: Whether the paper counts it as simple or complex, which decides its metrics.
    """

    name: TaskName
    released: str
    pairs: int
    group: Literal["simple", "complex"]


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("existence", "existence", 5, "simple"),
        Task("binary", "binary", 10, "simple"),
        Task("time-grounding", "time_grounding", 5, "simple"),
        Task("description", "description", 5, "complex"),
        Task("temporal-understanding", "temporal_understanding", 5, "complex"),
        Task("comprehensive", "comprehensive", 10, "complex"),
    )
}
"""Tasks by name, in the order of the paper's tables."""

FAMILIES: tuple[str, ...] = tuple(TASKS)

DESCRIBE = "Describe the lidar-sequence."
"""The question of every description, as released data has it."""

VOCABULARY: tuple[str, ...] = (
    "animal",
    "pedestrian",
    "stroller",
    "wheelchair",
    "barrier",
    "debris",
    "traffic cone",
    "construction",
    "motorcycle",
    "bicycle",
    "car",
    "bus",
    "trailer",
    "truck",
    "suv",
)
"""The classes that a description and an answer may name (Table 7), each once."""
