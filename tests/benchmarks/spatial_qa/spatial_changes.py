"""Ways to change a question of spatial-qa."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mutating import Change, changed, with_facts

from probe4d.benchmarks.question import Evidence, Question

__all__ = [
    "Keep",
    "Mutations",
    "doubled_option",
    "exchanged_boxes",
    "exchanged_objects",
    "exchanged_words",
    "first_to_last",
    "large",
    "moved_to",
    "next_frame",
    "objects_in_order",
    "opposite",
    "other_answer",
    "reworded",
    "same_box_twice",
    "swapped_measures",
    "turned_options",
]

Keep = Callable[[Question], bool]
Mutations = dict[str, tuple[str, Keep, Change, str]]
"""By name: the template, which of its questions, how it is broken, and what the finding says."""


def other_answer(question: Question) -> Question:
    """Another answer of the right form: a number is 2 % off."""
    if question.format == "number":
        return changed(question, answer=f"{float(question.answer) * 1.02:.2f}")
    if question.format == "choice":
        letters = "ABCD"[: len(question.options)]
        return changed(question, answer=letters[(letters.index(question.answer) + 1) % len(letters)])
    return changed(question, answer="No" if question.answer == "Yes" else "Yes")


def large(question: Question) -> bool:
    """Whether 2 % off is another number."""
    return question.format != "number" or abs(float(question.answer)) > 1


def objects_in_order(question: Question, order: tuple[int, ...]) -> Question:
    """A choice question with its options, and all that belongs to them, in another order; not its answer."""
    entities = len(question.entities)
    measure = "volumes_m3" if "volumes_m3" in question.facts else "distances_m"

    def turn(facts: dict[str, Any]) -> None:
        facts["objects"] = facts["objects"][:entities] + [facts["objects"][entities + at] for at in order]
        facts[measure] = [facts[measure][at] for at in order]

    turned = with_facts(question, turn)
    return changed(
        turned,
        options=tuple(question.options[at] for at in order),
        features=tuple(question.features[at] for at in order),
    )


def reworded(old: str, new: str, **values: Any) -> Change:
    def change(question: Question, /) -> Question:
        assert question.question is not None
        assert old in question.question
        return changed(question, question=question.question.replace(old, new), **values)

    return change


def moved_to(channel: str) -> Change:
    return lambda q: changed(q, channel=channel, evidence=Evidence(frames=q.evidence.frames, views=(channel,)))


def next_frame(question: Question) -> Question:
    (frame,) = question.frames
    moved = (frame + 1 if frame + 1 < (question.keyframes or 0) else frame - 1,)
    asked = with_facts(question, lambda facts: [one.update(frame=moved[0]) for one in facts["objects"]])
    return changed(asked, frames=moved, evidence=Evidence(frames=moved, views=question.evidence.views))


def swapped_measures(question: Question) -> Question:
    return with_facts(question, lambda facts: facts["distances_m"].reverse())


def same_box_twice(question: Question) -> Question:
    def change(facts: dict[str, Any]) -> None:
        facts["objects"][1]["box"] = facts["objects"][0]["box"]

    return with_facts(question, change)


def exchanged_boxes(question: Question) -> Question:
    def change(facts: dict[str, Any]) -> None:
        first, second = facts["objects"]
        first["box"], second["box"] = second["box"], first["box"]

    return with_facts(question, change)


def exchanged_words(question: Question) -> Question:
    """The same two objects the other way round, in the text alone."""
    first, second = question.entities
    assert question.question is not None
    text = question.question.replace(first, "\0").replace(second, first).replace("\0", second)
    return changed(question, question=text)


def exchanged_objects(question: Question) -> Question:
    """The same two objects the other way round, everywhere but in what was measured."""
    turned = exchanged_words(question)
    context = "|".join((question.template, *reversed(question.context.split("|")[1:])))
    facts = with_facts(turned, lambda told: told["objects"].reverse())
    return changed(facts, entities=question.entities[::-1], context=context)


def opposite(question: Question) -> Question:
    """The opposite relation, with what belongs to it, but not its answer."""
    text = (question.question or "").replace("to the left of", "to the right of")
    return changed(question, template="right", relation="right", question=text)


def first_to_last(question: Question) -> Question:
    return changed(question, options=(*question.options[1:], question.options[0]))


def turned_options(question: Question) -> Question:
    places = range(len(question.options))
    return objects_in_order(question, (*places[1:], 0))


def doubled_option(question: Question) -> Question:
    return changed(question, options=(question.options[1], *question.options[1:]))
