"""Which key frames a question shows, and in which order: pure functions."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from probe4d.benchmarks.question import Question
from probe4d.benchmarks.sampling import arranged
from probe4d.runs.evidence_plan import EvidencePlan

__all__ = ["Shown", "frames_shown", "thinned", "wrong_order"]

_FRAME = re.compile(r"\bframe (\d{1,6})\b", re.IGNORECASE | re.ASCII)


class Shown(NamedTuple):
    """The key frames that a question shows.

    Attributes:
        scene: Scene that they are of.
        frames: The key frames, in the order shown.
        labels: Those under whose numbers they are shown.
        elsewhere: Whether the scene is not the question's own.
        shown_answer: What would be right in that other scene; null without one.
    """

    scene: str
    frames: tuple[int, ...]
    labels: tuple[int, ...]
    elsewhere: bool = False
    shown_answer: str | None = None


def frames_shown(question: Question, plan: EvidencePlan, keyframes: int) -> tuple[int, ...]:
    """The key frames that a question shows, ascending.

    Args:
        question: Its `evidence` lists the frames of the span `question`; one that lists none means all.
        plan: Span and most frames.
        keyframes: Number of key frames of the question's scene.
    """
    listed = question.evidence.frames if plan.span == "question" else ()
    return thinned(sorted(set(listed)) or range(keyframes), plan.max_frames, keep=_named(question))


def _named(question: Question) -> set[int]:
    """Key frames that the question or one of its options names: `frame 012`, as pictures are labelled."""
    return {*question.frames, *(int(number) for option in question.options for number in _FRAME.findall(option))}


def thinned(frames: Sequence[int], most: int, *, keep: Collection[int] = ()) -> tuple[int, ...]:
    """Take at most `most` frames, evenly spread, first and last among them.

    Frames to keep take the place of their nearest neighbours: a question about frame 12 cannot be answered from
    frames 11 and 14. Where there is no room for all, they go before the ends, and are thinned evenly themselves.

    Args:
        frames: Distinct key frames, ascending.
        most: At least 1.
        keep: Frames that are kept where they are among `frames`.
    """
    if len(frames) <= most:
        return tuple(frames)
    kept = [place for place, frame in enumerate(frames) if frame in keep]
    if len(kept) > most:
        kept = [kept[place] for place in _spread(len(kept), most)]
    chosen = set(_spread(len(frames), most))
    for place in kept:
        if place not in chosen:
            spare = chosen.difference(kept)
            inner = spare - {0, len(frames) - 1}
            chosen.remove(min(inner or spare, key=lambda other: (abs(other - place), other)))
            chosen.add(place)
    return tuple(frames[place] for place in sorted(chosen))


def _spread(count: int, most: int) -> list[int]:
    """`most` of `count` places, fewer than there are, evenly spread with both ends; the middle one where it is one."""
    if most == 1:
        return [(count - 1) // 2]
    steps = most - 1
    return [(2 * step * (count - 1) + steps) // (2 * steps) for step in range(most)]  # rounded half up


def wrong_order(frames: Sequence[int], *, seed: int, key: str) -> tuple[int, ...]:
    """Put frames into an order drawn for a key in which none stands in its own place.

    The order is one cycle through all frames, so that two frames or more never come in the true order.

    Args:
        frames: Distinct key frames.
        seed: Seed of the draw.
        key: What the order is for, such as a question's id.
    """
    cycle = arranged([str(frame) for frame in frames], seed=seed, family="evidence/shuffled", key=key)
    follower = dict(zip(cycle, cycle[1:] + cycle[:1], strict=True))
    return tuple(int(follower[str(frame)]) for frame in frames)
