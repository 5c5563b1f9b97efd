"""By what a judge scores: scales, aspects and criteria, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from probe4d.errors import InputError
from probe4d.wording import listed

__all__ = ["RUBRICS", "Rubric", "rubric_named"]


@dataclass(frozen=True, kw_only=True)
class Rubric:
    """How answers are scored.

    Attributes:
        name: Name on the command line and in `judge.json`.
        highest: The best score; the worst is 0.
        aspects: What gets a score of its own; the score of an answer is their plain mean.
        shows_reference: Whether the judge is told the reference answer.
        criteria: What the scores mean, as the judge reads it.
        source: Whose wording the criteria are.
    """

    name: str
    highest: int
    aspects: tuple[str, ...] = ("score",)
    shows_reference: bool = True
    criteria: str
    source: str


_STRIDE = Rubric(
    name="stride",
    highest=10,
    criteria="""\
Score the answer from 0 to 10 by how right it is about this scene:
- 10: says all that the reference says, and nothing that is wrong.
- 7-9: right in what matters; a detail is missing or imprecise.
- 4-6: right in part; something that matters is missing or wrong.
- 1-3: mostly wrong, or too vague to be held against the reference.
- 0: wrong throughout, about something else, or no answer.
Go by what is claimed, not by how it is worded or how long it is. A wrong object, direction, distance or motion, and \
a claim that would endanger road users, weighs more than a detail left out. What goes beyond the reference costs \
nothing unless it is wrong.""",
    source="ours; the paper gives the scale and what the judge sees (STRIDE, App. A.5, C.4), and not the wording",
)

_B4DL = Rubric(
    name="b4dl",
    highest=100,
    criteria="""\
Evaluate how semantically close the answer is to the reference, and how well it responds to the question. Focus only on:
- Whether the answer conveys the same or similar meaning as the reference.
- Whether the answer correctly and sufficiently addresses the question.
- Do not consider wording, phrasing, or grammar unless they change the meaning.
Score the answer from 0 to 100:
- 100: Fully aligned with the reference in meaning, complete and relevant.
- 80-99: Mostly aligned with minor omissions or slight deviation.
- 60-79: Partially aligned; captures key ideas but misses or misrepresents some.
- 40-59: Limited relevance or meaning overlap with the reference.
- 20-39: Barely related to the reference.
- 0-19: Meaningless or unrelated.
Examples:
Question: What changes occur to the car in front over the frames?
Answer: The car in front moves slightly forward from frame 000 to frame 008.
Reference: The car in front moves slightly forward until it stops again from frame 0 to frame 8.
Score: 90
Question: From frame 004 to frame 006, how does the building structure in the back view affect the scene?
Answer: The building structure on the left side of the road in the back view remains constant, providing a stable \
reference point for the ego vehicle's navigation.
Reference: The building structure remains fixed, providing a static backdrop in the scene without impacting the \
dynamics.
Score: 100
Question: How do the cars to the right change over time from frame 00 to frame 16?
Answer: The cars to the right remain stationary, indicating they are parked.
Reference: They become slightly closer to the ego vehicle.
Score: 50
Question: What moving vehicles are visible in the ego vehicle's path by frame 026?
Answer: A car is moving away from the ego vehicle.
Reference: There are no significant moving vehicles in the visible path.
Score: 10""",
    source="B4DL, Table 9, with the reference for its ground truth and a verdict in JSON for its bare number",
)

_B4DL_WITHOUT_REFERENCE = Rubric(
    name="b4dl-without-reference",
    highest=100,
    aspects=("coherence", "relevance", "correctness"),
    shows_reference=False,
    criteria="""\
Score three aspects of the answer, each from 0 to 100:
- coherence: it makes sense in itself; its statements follow from one another and do not contradict each other.
- relevance: it responds to what the question asks, about the objects and frames that the question names.
- correctness: what it claims about the scene is true, as far as you can tell; claims that nothing supports are not.
For each aspect 100 is without fault, 80-99 has a slight fault, 60-79 faults that matter in part, 40-59 faults that \
matter in the whole, 20-39 is barely acceptable and 0-19 is not.
Do not consider wording, phrasing, or grammar unless they change the meaning.""",
    source="the three aspects and the scale are B4DL's (Sec. 3.1); the wording is ours",
)

RUBRICS: Mapping[str, Rubric] = MappingProxyType({
    rubric.name: rubric for rubric in (_STRIDE, _B4DL, _B4DL_WITHOUT_REFERENCE)
})  # fmt: skip
"""Rubrics by name."""


def rubric_named(name: str) -> Rubric:
    """Find a rubric.

    Raises:
        InputError: There is none of this name.
    """
    if name not in RUBRICS:
        raise InputError(f"there is no rubric {name!r}; there are {listed(list(RUBRICS))}.", remedy="Give one of them.")
    return RUBRICS[name]
