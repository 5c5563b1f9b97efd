"""Ways to break a question of B4DL: its form, what was measured, what is said of that, and its verdict."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from b4dl_clause_mutations import CLAUSES
from b4dl_mutation import Mutation, measured, negated, of, other_verdict, with_fact
from mutating import Change, added, changed, dropped, fact, fields, nudged, with_facts

from probe4d.benchmarks.question import Evidence, Question

__all__ = ["MUTATIONS"]


def _other_frames(change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Change:
    """Other frames everywhere, but for what was measured."""

    def moved(question: Question) -> Question:
        frames = change(question.frames)
        ends = with_facts(question, lambda facts: facts.update(start=frames[0], end=frames[-1]))
        return changed(ends, frames=frames, evidence=Evidence(frames=frames))

    return moved


def _about(label: str) -> Change:
    """The same of another class, in all that follows from the words."""

    def reworded(question: Question) -> Question:
        named = question.entities[0]
        text = (question.question or "").replace(named, label)
        context = f"{question.facts['claim']} {label}" if question.format == "yes-no" else question.context
        return changed(question, question=text, entities=(label,), context=context)

    return reworded


def _one_class(*labels: str) -> Callable[[Question], bool]:
    """Questions that name one class, and none of some."""
    return lambda q: len(q.entities) == 1 and q.entities[0] not in labels and q.facts["claim"] == "presence"


def _later(question: Question) -> Question:
    """The same of other frames: the last that is named is one later."""
    text = question.question or ""
    number = re.findall(r"\d+", text)[-1]
    return changed(question, question=text.replace(f"frame {number}", f"frame {int(number) + 1:03d}"))


def _names_frames(question: Question) -> bool:
    numbers = [int(number) for number in re.findall(r"\d{3}", question.question or "")]
    return len(numbers) > 0 and numbers[-1] < question.facts["end"] and "ahead" not in (question.question or "")


def _said(pattern: str, change: Callable[[str], str]) -> Change:
    """Another number in the sentence that says why."""
    return fact("why", lambda why: re.sub(pattern, lambda match: match[1] + change(match[2]) + match[3], why, count=1))


def _metre_more(number: str) -> str:
    return f"{float(number) + 0.2:.1f}"


def _one_more(number: str) -> str:
    return f"{int(number) + 1:0{len(number)}d}"


def _plus(by: int) -> Callable[[Any], Any]:
    return lambda values: [values[0], values[1] + by]


def _is_decided(question: Question) -> bool:
    """Whether there is a verdict that the audit derives."""
    return question.facts["verdict"] != "undecided" and question.facts["claim"] not in ("nearer", "count")


def _is_decided_number(question: Question) -> bool:
    return question.facts["verdict"] != "undecided" and question.facts["claim"] == "count"


def _supported_without(question: Question) -> Question:
    return with_fact("verdict", "supported")(question)


def _another_interval(question: Question) -> Question:
    start, end = map(int, question.answer.split("-"))
    return changed(question, answer=f"{start}-{end - 1}" if end > start else f"{start - 1}-{end}")


def _nearly_as_generated(question: Question) -> Question:
    """Corrected to a part of the interval that was wrong."""
    first, last = map(int, re.findall(r"\d+", question.facts["generated_answer"]))
    return changed(question, answer=f"{first}-{last - 1}")


_YES_NO = of(also=lambda question: question.format == "yes-no")
_FREE = of("comprehensive")

FORMS: dict[str, Mutation] = {
    "another suite": Mutation(fields(suite="stride"), "suite is", "suite"),
    "a task that was not asked for": Mutation(fields(family="counting"), "does not name", "tasks"),
    "a template of another task": Mutation(fields(template="binary"), "no template", "template", _FREE),
    "a format of another template": Mutation(fields(format="interval"), "no template", "template", _FREE),
    "frames without a stride": Mutation(
        _other_frames(lambda frames: tuple(range(frames[0], frames[0] + 3))), "no sequence", "frames"
    ),
    "two frames": Mutation(_other_frames(lambda frames: frames[:2]), "no sequence", "frames"),
    "frames beyond the scene": Mutation(
        _other_frames(lambda frames: tuple(frame + 900 for frame in frames)), "lie outside", "frames"
    ),
    "frames of another sequence": Mutation(
        _other_frames(lambda frames: tuple(frame - 1 for frame in frames)),
        "elsewhere",
        "sequence",
        of("comprehensive", also=lambda q: q.frames[0] > 0),
    ),
    "a name of another sequence": Mutation(
        fact("sequence", lambda name: name[:-1] + ("1" if name[-1] == "0" else "0")), "elsewhere", "sequence", _FREE
    ),
    "a sequence beyond those drawn": Mutation(fact("sequence", lambda name: f"{name}9"), "is none of", "facts"),
    "a sequence of another scene": Mutation(with_fact("sequence", "elsewhere/0"), "is none of", "facts"),
    "another number of key frames": Mutation(
        lambda q: changed(q, keyframes=(q.keyframes or 0) + 1), "keyframes: stored", "keyframes"
    ),
    "evidence of fewer frames": Mutation(
        lambda q: changed(q, evidence=Evidence(frames=q.frames[1:])), "shows", "evidence"
    ),
    "evidence of one view": Mutation(
        lambda q: changed(q, evidence=Evidence(frames=q.frames, views=("CAM_FRONT",))), "shows", "evidence"
    ),
    "another start": Mutation(fact("start", nudged(-1)), "facts name frames", "facts"),
    "another writer": Mutation(with_fact("generator", "another"), "was written by", "facts"),
    "a verdict that is none": Mutation(with_fact("verdict", "right"), "the verdict is", "verdict"),
    "no reason": Mutation(with_fact("why", " "), "does not say why", "facts"),
    "facts without measures": Mutation(dropped("measured"), "do not fit", "facts"),
    "facts that no question has": Mutation(added("witness", 3), "do not fit", "facts"),
    "corrected, and not said from what": Mutation(with_fact("corrected", value=True), "which answer", "facts"),
    "an answer that is neither": Mutation(fields(answer="Maybe"), "neither Yes nor No", "answer", _YES_NO),
    "a class of no list": Mutation(fields(answer="tank"), "no class of the list", "answer", of("existence-class")),
    "an interval that ends before it begins": Mutation(
        lambda q: changed(q, answer="-".join(q.answer.split("-")[::-1])),
        "no range of frames",
        "answer",
        of("time-grounding", also=lambda q: len(set(q.answer.split("-"))) > 1),
    ),
    "an interval beyond the sequence": Mutation(
        lambda q: changed(q, answer=f"{q.facts['start']}-{q.facts['end'] + 1}"),
        "no range of frames",
        "answer",
        of("time-grounding"),
    ),
    "an empty answer": Mutation(fields(answer=" "), "no text", "answer", _FREE),
    "another relation": Mutation(fields(relation="turns"), "relation: stored", "relation"),
    "another rule": Mutation(fields(rule="nearest"), "rule: stored", "rule"),
    "a class that is not named": Mutation(fields(entities=("trailer",)), "entities", "entities", _YES_NO),
    "a class left out": Mutation(fields(entities=()), "entities", "entities", of(also=_one_class())),
    "options of a yes": Mutation(fields(options=("Yes", "No")), "options", "options", _YES_NO),
    "one option too few": Mutation(
        lambda q: changed(q, options=q.options[1:]), "options", "options", of("existence-class")
    ),
    "another context": Mutation(fields(context="presence tram"), "context: stored", "context", _YES_NO),
    "the context of a longer window": Mutation(
        lambda q: changed(q, context=f"{len(q.frames) + 1} frames"), "context: stored", "context", of("time-grounding")
    ),
    "no need of boxes": Mutation(fields(needs=()), "needs", "needs", of(shape="things", verdict="supported")),
    "a need of boxes": Mutation(fields(needs=("boxes",)), "needs", "needs", of(shape="ego")),
    "a camera": Mutation(fields(channel="CAM_FRONT"), "channel: stored", "channel"),
    "a margin": Mutation(fields(margin=1.0), "margin: stored", "margin"),
    "returns": Mutation(fields(lidar_points=7), "lidar_points: stored", "lidar_points"),
    "features": Mutation(fields(features=("car",)), "features", "features"),
    "a fixed prompt": Mutation(fields(prompt="Which?"), "prompt: stored", "prompt"),
    "a description asked for otherwise": Mutation(
        fields(question="Describe it."), "question: stored", "question", of("description")
    ),
    "a sixth description": Mutation(fields(entities=("description 6",)), "entities", "entities", of("description")),
}
"""Ways to break the form of a question."""

_METRES = {"range_m": 0.02, "bearing_deg": 0.02, "lidar_points": 1}
_OF_WAY = ("way_m", "speed_start_mps", "speed_end_mps", "turn_deg")

_WITHOUT_RANGE = fact("measured", lambda values: {k: v for k, v in values.items() if k != "range_m"})

MEASURES: dict[str, Mutation] = {
    **{f"{name}, things": measured(name, nudged(by), "things") for name, by in _METRES.items()},
    **{f"{name}, motion": measured(name, nudged(by), "motion") for name, by in _METRES.items()},
    **{f"{name}, motion": measured(name, nudged(0.02), "motion") for name in (*_OF_WAY, "range_end_m")},
    **{f"{name}, ego vehicle": measured(name, nudged(0.02), "ego") for name in _OF_WAY},
    **{f"frames, {shape}": measured("frames", _plus(1), shape) for shape in ("nothing", "things", "motion", "ego")},
    **{f"candidates, {shape}": measured("candidates", nudged(40), shape) for shape in ("things", "motion")},
    "surely, things": measured("sure", nudged(20), "things"),
    "category, things": measured("category", lambda _: "vehicle.tram", "things"),
    "box, things": measured("box", lambda token: token[::-1], "things"),
    "box, motion": measured("box_end", lambda token: token[::-1], "motion"),
    "track, things": Mutation(with_fact("measured.track", "nobody"), "has no box", "measured", of(shape="things")),
    "track, motion": Mutation(with_fact("measured.track", "nobody"), "has no box", "measured", of(shape="motion")),
    "frame, things": Mutation(fact("measured.frame", nudged(90)), "has no box", "measured", of(shape="things")),
    "one measure left out": Mutation(
        _WITHOUT_RANGE,
        "rests on no measure",
        "verdict",
        of(shape="things", verdict="supported"),
    ),
    "one measure left out of what is undecided": Mutation(
        _WITHOUT_RANGE, "belong to no claim", "measured", of(shape="things", verdict="undecided")
    ),
    "where it is, in words": Mutation(
        _said(r"(is )(\d+\.\d)( m away)", _metre_more), "why: stored", "why", of(shape="motion")
    ),
    "its bearing, in words": Mutation(
        _said(r"(bearing of -?)(\d+)( degrees)", lambda number: str(int(number) + 2)),
        "why: stored",
        "why",
        of(shape="motion"),
    ),
    "its frame, in words": Mutation(
        _said(r"(degrees in frame )(\d+)(.)", _one_more), "why: stored", "why", of(shape="motion")
    ),
    "its way, in words": Mutation(_said(r"(goes )(\d+\.\d+)( m)", _metre_more), "why.way_m", "why", of(shape="motion")),
    "the way of the ego vehicle, in words": Mutation(
        _said(r"(goes )(\d+\.\d+)( m)", _metre_more), "why.way_m", "why", of(shape="ego")
    ),
    "frames of absence, in words": Mutation(
        _said(r"(frame )(\d+)(.)", _one_more), "does not say", "why", of(shape="nothing")
    ),
    "a category, in words": Mutation(
        fact("why", lambda why: re.sub(r"annotated as \S+", "annotated as vehicle.tram", why)),
        "does not say",
        "why",
        of(shape="motion"),
    ),
}
"""Ways to break what was measured, and its words."""

VERDICTS: dict[str, Mutation] = {
    **{
        f"the other verdict, {shape}": Mutation(
            other_verdict,
            "verdict: stored",
            "verdict",
            of(shape=shape, also=_is_decided),
        )
        for shape in ("things", "nothing", "motion", "ego")
    },
    **{
        f"the other answer, {shape}": Mutation(
            negated,
            "verdict: stored",
            "verdict",
            of("binary", shape, also=_is_decided),
        )
        for shape in ("things", "nothing", "motion", "ego")
    },
    "the other verdict, a number": Mutation(other_verdict, "verdict: stored", "verdict", of(also=_is_decided_number)),
    "the other answer, all the time": Mutation(
        negated,
        "verdict: stored",
        "verdict",
        of("binary", "things", "supported", also=lambda question: "throughout" in (question.question or "")),
    ),
    "a verdict without measures": Mutation(_supported_without, "rests on no measure", "verdict", of("comprehensive")),
    "a class that it is not": Mutation(
        fields(answer="bus"), "no word of the question means", "class", of("existence-class", "things", "supported")
    ),
    "absence of what is there": Mutation(
        _about("car"), "is there between frames", "absence", of(shape="nothing", also=_one_class("car"))
    ),
    "presence of something else": Mutation(
        _about("bicycle"),
        "no word of the question means",
        "class",
        of(shape="things", verdict="supported", also=_one_class("bicycle", "motorcycle")),
    ),
    "other frames in the question": Mutation(
        _later, "measured.frames", "measured", of("binary", "ego", also=_names_frames)
    ),
    "other frames in the answer": Mutation(
        _another_interval, "measured.frames", "measured", of("time-grounding", "ego")
    ),
    "contradicted, where such were corrected": Mutation(
        lambda q: with_facts(q, lambda facts: (facts.update(corrected=False), facts.pop("generated_answer"))),
        "benchmark.json says",
        "grounded",
        of("binary", verdict="contradicted"),
        corrected=True,
    ),
    "corrected where it was right": Mutation(
        lambda q: with_facts(negated(q), lambda f: f.update(corrected=True, generated_answer=f"{q.answer}.")),
        "was corrected, and its verdict",
        "grounded",
        of("binary", verdict="supported"),
        corrected=True,
    ),
    "corrected to itself": Mutation(
        negated, "corrected to itself", "grounded", of("binary", verdict="contradicted"), corrected=True
    ),
    "corrected from what has no form": Mutation(
        with_fact("generated_answer", "Perhaps."),
        "generated: the answer is",
        "grounded",
        of("existence-presence", verdict="contradicted"),
        corrected=True,
    ),
    "corrected to a class that is not there": Mutation(
        fields(answer="wheelchair"),
        "nothing annotated so is there",
        "grounded",
        of("existence-class", verdict="contradicted"),
        corrected=True,
    ),
    "corrected to frames without it": Mutation(
        _nearly_as_generated,
        "where it does not happen",
        "grounded",
        of("time-grounding", "motion", "contradicted"),
        corrected=True,
    ),
    "corrected where such were kept": Mutation(
        lambda q: with_facts(negated(q), lambda f: f.update(corrected=True, generated_answer=f"{q.answer}.")),
        "benchmark.json says",
        "grounded",
        of("binary", verdict="contradicted"),
    ),
}
"""Ways to break a verdict, or an answer that one is about."""

MUTATIONS: dict[str, Mutation] = {**FORMS, **MEASURES, **VERDICTS, **CLAUSES}
"""All of them."""
