"""What a build of B4DL would ask: its prompts, without anybody being asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from probe4d.benchmarks.b4dl.context_prompts import missing_images
from probe4d.benchmarks.b4dl.measuring import Measuring, phrases_by_sequence
from probe4d.benchmarks.b4dl.pipeline import generated_pairs
from probe4d.benchmarks.b4dl.wanted import Wanted
from probe4d.benchmarks.generating import Generated, Prompt, Stage
from probe4d.benchmarks.splits import select_split
from probe4d.scenes.tables import Scenes

__all__ = ["DESCRIPTION_TOKENS", "Planned", "planned_prompts"]

DESCRIPTION_TOKENS = 400
"""What a description is taken to hold before there is one."""

_STAND_IN = "(what the model will have said of these images)"


class Planned(NamedTuple):
    """What would be asked.

    Attributes:
        prompts: By stage: of descriptions as they would be sent, of pairs with words in the place of descriptions, and
            as many repairs as there can be, as if no reply held a pair.
        missing: Images that sequences should show and the dataset does not have, by reason.
    """

    prompts: Mapping[Stage, Sequence[Prompt]]
    missing: Mapping[str, int]


def planned_prompts(scenes: Scenes, wanted: Wanted, *, split: str | None = None, workers: int = 1) -> Planned:
    """The prompts of each stage.

    Args:
        scenes: The scenes, with cameras.
        wanted: What is asked for.
        split: Official split to use, as for a build.
        workers: Processes that measure scenes.

    Raises:
        InputError: As for a build.
    """
    used, _ = select_split(scenes, split)
    measuring = Measuring(used, wanted.sequences(used), workers)
    planner = _Planner()
    generated_pairs(
        measuring.sequences,
        used,
        planner,
        tasks=wanted.tasks,
        phrases=phrases_by_sequence(measuring.annotations()) if wanted.annotations else {},
        longest_side_px=wanted.longest_side_px,
    )
    return Planned(planner.prompts, missing_images(measuring.sequences, used))


class _Planner:
    """Notes prompts, and replies without content."""

    name = "nobody"

    def __init__(self) -> None:
        self.prompts: dict[Stage, list[Prompt]] = {"contexts": [], "pairs": [], "repairs": []}

    def replies(self, stage: Stage, prompts: Sequence[Prompt]) -> dict[str, Generated]:
        """Note them."""
        self.prompts[stage] += prompts
        said = _STAND_IN if stage == "contexts" else ""
        return {prompt.key: Generated(text=said) for prompt in prompts}

    def redacted(self, text: str) -> str:
        """The text: nobody said it."""
        return text
