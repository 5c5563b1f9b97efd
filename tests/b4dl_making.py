"""What a model might write about a sequence: pairs of each task without a fault, and a generator that replies them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from probe4d.benchmarks.b4dl.tasks import DESCRIBE, TASKS, VOCABULARY
from probe4d.benchmarks.generating import Generated, Prompt, Stage

__all__ = ["DESCRIPTION", "Scripted", "pairs_of", "worded"]

DESCRIPTION = "[1] A car is ahead. [2] It moves away. [3] Pedestrians stand at the roadside."

Pair = tuple[str, str]


def pairs_of(task: str, start: int, end: int, *, count: int | None = None, first: int = 0) -> list[Pair]:
    """Pairs without a fault, as many as the task wants unless told otherwise, from the one of number `first` on."""
    count = TASKS[task].pairs if count is None else count
    during = f"from frame {start:03d} to frame {end:03d}"
    pairs = []
    for number in range(first, first + count):
        kind, times = VOCABULARY[number % len(VOCABULARY)], number // len(VOCABULARY)
        of = f"{('first', 'second', 'third', 'fourth', 'fifth')[times]} {kind}"
        yes_no = ("Yes.", "No.")[number % 2]
        pairs.append(
            {
                "existence": (f"Is there a {of} in frame {start:03d}?", yes_no),
                "binary": (f"Does the {of} move {during}?", yes_no),
                "time-grounding": (f"When does the {of} stand still?", f"{during}."),
                "description": (DESCRIBE, f"The {of} stands still {during}."),
                "temporal-understanding": (f"How does the {of} move?", f"It moves away {during}."),
                "comprehensive": (f"Where is the {of}?", f"It is ahead of the ego vehicle {during}."),
            }[task]
        )
    return pairs


def worded(pairs: Sequence[Pair]) -> str:
    """A reply that holds pairs as prompts ask for them."""
    return "\n\n".join(f"Q: {question}\nA: {answer}" for question, answer in pairs)


class Scripted:
    """Replies by a rule, and keeps what it was asked.

    Args:
        rule: Gives what becomes of a prompt of a stage; a text is a reply that ended by itself.

    Attributes:
        asked: Prompts by stage, in the order asked.
    """

    name = "scripted"

    def __init__(self, rule: Callable[[Stage, Prompt], Generated | str]) -> None:
        self.asked: dict[Stage, list[Prompt]] = {}
        self._rule = rule

    def replies(self, stage: Stage, prompts: Sequence[Prompt]) -> dict[str, Generated]:
        """Reply to all."""
        self.asked.setdefault(stage, []).extend(prompts)
        replied = {prompt.key: self._rule(stage, prompt) for prompt in prompts}
        return {
            key: Generated(text=reply, finish_reason="stop") if isinstance(reply, str) else reply
            for key, reply in replied.items()
        }
