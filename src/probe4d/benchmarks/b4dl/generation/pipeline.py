"""From sequences to question-answer pairs: pictures described, descriptions asked for pairs, faulty ones asked again.

Whatever a model writes comes through one `Generator`; given its replies, what comes out is always the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.b4dl.generation.context_prompts import context_prompts, view_groups
from probe4d.benchmarks.b4dl.generation.describing import described
from probe4d.benchmarks.b4dl.generation.pair_prompts import pair_prompt, repair_prompt
from probe4d.benchmarks.b4dl.pairs import PAIRS_SCHEMA
from probe4d.benchmarks.b4dl.replies.faults import FAULTS
from probe4d.benchmarks.b4dl.replies.reading import ReadPairs, read_pairs
from probe4d.benchmarks.b4dl.tasks import TASKS
from probe4d.benchmarks.generating import Generator, Prompt, Stage
from probe4d.scenes.tables import Scenes
from probe4d.wording import listed, uncapitalized

__all__ = ["FAULTS_SCHEMA", "SHORT_SCHEMA", "Pairs", "generated_pairs"]

FAULTS_SCHEMA: dict[str, pl.DataType] = {
    "sequence": pl.String(),
    "task": pl.String(),
    "stage": pl.String(),  # of the reply: pairs or repairs
    "kind": pl.String(),
    "what": pl.String(),  # a sentence
    "question": pl.String(),  # null where the reply as a whole is at fault
    "answer": pl.String(),
}
"""What of replies could not be taken, and why, a row a fault."""

SHORT_SCHEMA: dict[str, pl.DataType] = {
    "sequence": pl.String(),
    "task": pl.String(),
    "wanted": pl.Int32(),
    "pairs": pl.Int32(),
    "why": pl.String(),
}
"""Sequences and tasks of fewer pairs than wanted, a row each."""


class Pairs(NamedTuple):
    """What was generated.

    Attributes:
        pairs: Columns of `PAIRS_SCHEMA`, in the order of sequences, tasks and replies.
        descriptions: Columns of `DESCRIPTIONS_SCHEMA`.
        faults: Columns of `FAULTS_SCHEMA`.
        short: Columns of `SHORT_SCHEMA`.
        extra: Pairs without a fault beyond those asked for, which were not taken, by task.
    """

    pairs: pl.DataFrame
    descriptions: pl.DataFrame
    faults: pl.DataFrame
    short: pl.DataFrame
    extra: dict[str, int]


class _Asked(NamedTuple):
    """A sequence and a task, and what the replies about them came to."""

    sequence: str
    task: str
    prompt: Prompt
    replies: list[tuple[Stage, ReadPairs]]
    failures: list[str]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [pair for _, read in self.replies for pair in read.pairs]

    @property
    def missing(self) -> int:
        return TASKS[self.task].pairs - len(self.pairs)


def generated_pairs(
    sequences: pl.DataFrame,
    scenes: Scenes,
    generator: Generator,
    *,
    tasks: Sequence[str],
    phrases: Mapping[str, Sequence[str]],
    longest_side_px: int,
) -> Pairs:
    """Have pairs generated: a call for each description, one a sequence and task.

    Of descriptions that were cut, and of pairs that are missing, there is one call more.

    A sequence of which a description is missing gets no pairs: questions made of half of what is around the vehicle
    would deny what is in the other half. Where the dataset has no camera for a group of views at all, prompts say that
    it is not described.

    Args:
        sequences: Columns of `SEQUENCES_SCHEMA`.
        scenes: The scenes, with cameras.
        generator: Who replies.
        tasks: Names of the tasks that pairs are wanted of.
        phrases: Annotation phrases by sequence; without any, prompts have no ground truth.
        longest_side_px: Longest side of the pictures that are shown.

    Raises:
        InputError: The scenes have no cameras or none of the images, or the generator cannot be asked this.
        RunError: The generator has not all replies yet.
    """
    contexts = context_prompts(sequences, scenes, longest_side_px=longest_side_px)
    descriptions = described(contexts, generator)
    groups = _shown_groups(scenes)
    asked = _asked(sequences, descriptions, groups, tasks, phrases)
    bounds = {name: (start, end) for name, start, end in sequences.select("sequence", "start", "end").iter_rows()}
    _take("pairs", asked, {one.prompt.key: one.prompt for one in asked}, generator, bounds)
    repairs = {one.prompt.key: repair_prompt(one.prompt, one.replies[-1][1]) for one in asked if _is_repaired(one)}
    _take("repairs", [one for one in asked if one.prompt.key in repairs], repairs, generator, bounds)
    return Pairs(
        pl.DataFrame(_pair_rows(asked), schema=PAIRS_SCHEMA, orient="row"),
        descriptions,
        pl.DataFrame(_fault_rows(asked), schema=FAULTS_SCHEMA, orient="row"),
        pl.DataFrame(_short_rows(sequences, descriptions, groups, tasks, asked), schema=SHORT_SCHEMA, orient="row"),
        _extra(asked),
    )


def _shown_groups(scenes: Scenes) -> tuple[str, ...]:
    """Groups of views of which the dataset has a camera."""
    cameras = set(scenes.sensors.filter(pl.col("modality") == "camera")["channel"].unique())
    return tuple(group for group, views in view_groups(scenes).items() if not cameras.isdisjoint(views.values()))


def _asked(
    sequences: pl.DataFrame,
    descriptions: pl.DataFrame,
    groups: Sequence[str],
    tasks: Sequence[str],
    phrases: Mapping[str, Sequence[str]],
) -> list[_Asked]:
    """What is asked of sequences that have all their descriptions."""
    texts: dict[str, dict[str, str]] = {}
    for sequence, group, text in descriptions.select("sequence", "group", "text").iter_rows():
        texts.setdefault(sequence, {})[group] = text
    asked = []
    for row in sequences.iter_rows(named=True):
        of_sequence = texts.get(row["sequence"], {})
        if None in of_sequence.values() or set(of_sequence) != set(groups):
            continue
        for task in tasks:
            prompt = pair_prompt(task, row, of_sequence, phrases.get(row["sequence"], ()))
            asked.append(_Asked(row["sequence"], task, prompt, [], []))
    return asked


def _take(
    stage: Stage,
    asked: Sequence[_Asked],
    prompts: Mapping[str, Prompt],
    generator: Generator,
    bounds: Mapping[str, tuple[int, int]],
) -> None:
    """Have a stage replied to and read; of a prompt without a reply the reason is noted."""
    if not prompts:
        return
    replies = generator.replies(stage, list(prompts.values()))
    for one in asked:
        reply = replies[one.prompt.key]
        if reply.text is None:
            one.failures.append(reply.failure or FAULTS["no-reply"])
        start, end = bounds[one.sequence]
        read = read_pairs(
            one.task,
            reply.text,
            reply.finish_reason,
            start,
            end,
            wanted=one.missing,
            taken=tuple(one.pairs),
            redacted=generator.redacted,
        )
        one.replies.append((stage, read))


def _is_repaired(one: _Asked) -> bool:
    """Whether it is asked again: not where it was not replied to, for then the first prompt is to be sent again."""
    return one.missing > 0 and not one.failures


def _pair_rows(asked: Iterable[_Asked]) -> Iterator[tuple[object, ...]]:
    for one in asked:
        for number, (question, answer) in enumerate(one.pairs):
            yield one.sequence, one.task, number, question, answer


def _fault_rows(asked: Iterable[_Asked]) -> Iterator[tuple[object, ...]]:
    for one in asked:
        for stage, read in one.replies:
            for fault in read.faults:
                yield one.sequence, one.task, stage, fault.kind, fault.what, fault.question, fault.answer


def _extra(asked: Iterable[_Asked]) -> dict[str, int]:
    extra: Counter[str] = Counter()
    for one in asked:
        extra[one.task] += sum(read.extra for _, read in one.replies)
    return {task: n for task, n in extra.items() if n}


def _short_rows(
    sequences: pl.DataFrame,
    descriptions: pl.DataFrame,
    groups: Sequence[str],
    tasks: Sequence[str],
    asked: Iterable[_Asked],
) -> Iterator[tuple[object, ...]]:
    of_pair = {(one.sequence, one.task): one for one in asked}
    without = _without_descriptions(descriptions)
    shown = set(descriptions.select("sequence", "group").iter_rows())
    for sequence in sequences["sequence"]:
        for task in tasks:
            one = of_pair.get((sequence, task))
            if one is None:
                unseen = next((group for group in groups if (sequence, group) not in shown), "")
                yield (
                    sequence,
                    task,
                    TASKS[task].pairs,
                    0,
                    without.get(sequence, f"no image of its {unseen} views is there"),
                )
            elif one.missing:
                yield sequence, task, TASKS[task].pairs, len(one.pairs), _why(one)


def _without_descriptions(descriptions: pl.DataFrame) -> dict[str, str]:
    """Why sequences have no descriptions to be asked about, in words."""
    faulty = descriptions.filter(pl.col("text").is_null())
    return {
        sequence: f"its {group} views have no description: {uncapitalized(fault).removesuffix('.')}"
        for sequence, group, fault in faulty.reverse().select("sequence", "group", "fault").iter_rows()
    }


def _why(one: _Asked) -> str:
    """Why there are too few, in words: what the provider said, and how often replies had which fault."""
    kinds = Counter(fault.kind for _, read in one.replies for fault in read.faults if fault.kind != "no-reply")
    faults = [f"{n} × {FAULTS[kind]}" for kind, n in kinds.most_common()]
    failed = [f"there was no reply ({failure})" for failure in one.failures]
    return listed([*faults, *failed] or ["replies held fewer pairs"])
