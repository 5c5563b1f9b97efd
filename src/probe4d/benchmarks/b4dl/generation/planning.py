"""What a build of B4DL would ask: its prompts, without anybody being asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, get_args

from probe4d.benchmarks.b4dl.generation.context_prompts import missing_images
from probe4d.benchmarks.b4dl.generation.pipeline import generated_pairs
from probe4d.benchmarks.b4dl.measuring import Measuring, phrases_by_sequence
from probe4d.benchmarks.b4dl.wanted import Wanted
from probe4d.benchmarks.generating import Generated, Prompt, Stage
from probe4d.benchmarks.splits import select_split
from probe4d.scenes.tables import Scenes

__all__ = ["DESCRIPTION_TOKENS", "Planned", "planned_prompts"]

DESCRIPTION_TOKENS = 400
"""What a description is taken to hold before there is one."""

Kept = Callable[[Stage, Sequence[Prompt]], Mapping[str, Generated]]
"""Gives of prompts of a stage the replies that are there already, by key."""

_DESCRIBING: frozenset[Stage] = frozenset({"contexts", "context-repairs"})
_STAND_IN = "(what the model will have said of these images)"


class Planned(NamedTuple):
    """What would be asked.

    Attributes:
        prompts: By stage: of descriptions as they would be sent, once more for those that are known to have been cut,
            of pairs with words in the place of descriptions that are not there yet, and as many repairs as there can
            be, as if no further reply held a pair.
        kept: By stage, how many replies are there already.
        missing: Images that sequences should show and the dataset does not have, by reason.
    """

    prompts: Mapping[Stage, Sequence[Prompt]]
    kept: Mapping[Stage, int]
    missing: Mapping[str, int]

    def not_yet_described(self, stage: Stage) -> int:
        """How often prompts of a stage have words in the place of a description."""
        return sum(prompt.text.count(_STAND_IN) for prompt in self.prompts[stage])


def planned_prompts(scenes: Scenes, wanted: Wanted, *, kept: Kept | None = None) -> Planned:
    """The prompts of each stage.

    Args:
        scenes: The scenes, with cameras.
        wanted: What is asked for.
        kept: Gives replies that are there already, such as `HostedGenerator.kept`; null takes none.

    Raises:
        InputError: As for a build.
    """
    used, _ = select_split(scenes, wanted.split)
    measuring = Measuring(used, wanted.sequences(used), wanted.workers)
    planner = _Planner(kept or (lambda stage, prompts: {}))
    generated_pairs(
        measuring.sequences,
        used,
        planner,
        tasks=wanted.families,
        phrases=phrases_by_sequence(measuring.annotations()) if wanted.annotations else {},
        longest_side_px=wanted.longest_side_px,
    )
    return Planned(planner.prompts, planner.kept, missing_images(measuring.sequences, used))


class _Planner:
    """Gives the replies that are there; notes the other prompts, and replies without content."""

    name = "nobody"

    def __init__(self, kept: Kept) -> None:
        self.prompts: dict[Stage, list[Prompt]] = {stage: [] for stage in get_args(Stage)}
        self.kept: dict[Stage, int] = dict.fromkeys(self.prompts, 0)
        self._kept = kept

    def replies(self, stage: Stage, prompts: Sequence[Prompt]) -> dict[str, Generated]:
        """Note those without a reply."""
        kept = self._kept(stage, prompts)
        self.prompts[stage] += [prompt for prompt in prompts if prompt.key not in kept]
        self.kept[stage] += len(kept)
        said = Generated(text=_STAND_IN if stage in _DESCRIBING else "")
        return {prompt.key: kept.get(prompt.key, said) for prompt in prompts}

    def redacted(self, text: str) -> str:
        """The text: nobody said it."""
        return text
