"""Ways to break a question of STRIDE: answers, measures and parts of every template, and what its form is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mutating import Change, added, changed, dropped, fact, nudged, with_facts
from stride_form_mutations import FORMS, TARGETS
from stride_mutation import Mutation, shown

from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.stride.templates import TEMPLATES

__all__ = ["MUTATIONS", "another_label", "other_answer"]


def other_answer(question: Question) -> Question:
    """Another answer of the right form."""
    match question.format:
        case "choice":
            letters = LETTERS[: len(question.options)]
            return changed(question, answer=letters[(letters.index(question.answer) + 1) % len(letters)])
        case "waypoints":
            number = question.answer[2 : question.answer.index(",")]
            return changed(question, answer=question.answer.replace(number, f"{float(number) + 1:.2f}", 1))
        case _:
            return changed(question, answer=question.answer.replace(".", ", perhaps.", 1))


def _part_of(question: Question, template: str) -> int | None:
    """Place of a part among the parts of an open question."""
    names = [part["template"] for part in question.facts["reference_parts"]]
    return names.index(template) if template in names else None


def _has_part(template: str) -> Callable[[Question], bool]:
    return lambda question: _part_of(question, template) is not None


def _has(name: str) -> Callable[[Question], bool]:
    return lambda question: question.facts.get(name) is not None


def _part(template: str, path: str, value: Callable[[Any], Any]) -> Change:
    return lambda question: fact(f"reference_parts.{_part_of(question, template)}.{path}", value)(question)


def _later(query: int, frames: tuple[int, ...]) -> tuple[int, ...]:
    return (*frames, query + 1)


def _another_place(question: Question) -> Question:
    """The driven course and the option that lists it half a metre farther on."""
    first = question.facts["candidates"][0]["trajectory"]
    number = first[2 : first.index(",")]
    moved = first.replace(number, f"{float(number) + 0.5:.1f}", 1)
    options = tuple(moved if option == first else option for option in question.options)
    told = fact("candidates.0.trajectory", lambda _: moved)(question)
    return changed(told, options=options, features=options)


def _another_course(question: Question) -> Question:
    """A question about a trajectory that begins half a metre farther on."""
    text = question.question or ""
    start = text.index("[[", text.index("took this trajectory")) + 2
    number = text[start : text.index(",", start)]
    return changed(question, question=f"{text[:start]}{float(number) + 0.5:.1f}{text[start + len(number) :]}")


def _another_past(question: Question) -> Question:
    """A question that says everywhere that the ego vehicle is faster by a metre a second."""
    text: str = question.facts["ego_motion"]["text"]
    speed = text.rsplit(" m/s", 1)[0].rsplit(" ", 1)[1]
    faster = text.replace(f"{speed} m/s", f"{float(speed) + 1:.1f} m/s")
    told = with_facts(question, lambda facts: facts["ego_motion"].update(text=faster))
    return changed(told, question=(question.question or "").replace(text, faster))


def _without_past(question: Question) -> Question:
    return changed(
        question, question=(question.question or "").removeprefix(f"{question.facts['ego_motion']['text']} ")
    )


def another_label(question: Question) -> Question:
    """A question that says everywhere that a label has another value."""
    other = other_answer(question)
    value = other.options[LETTERS.index(other.answer)]
    return fact("value", lambda _: value)(other)


_ANSWERS = {
    f"answer, {name}": Mutation(
        name,
        other_answer,
        "facts.value: stored"
        if {"weather", "time_of_day", "road_type", "lane"} & {*template.needs}
        else "answer: stored",
    )
    for name, template in TEMPLATES.items()
}
_LEAKS = {
    f"later key frame, {name}": Mutation(
        name,
        shown(_later),
        "later than the query frame",
        "future-leak",
        lambda q: q.frames[0] + 1 < (q.keyframes or 0),
    )
    for name in TEMPLATES
    if name != "SC-6"
}
_MARGINS = {
    f"margin, {name}": Mutation(
        name,
        lambda q: changed(q, margin=(q.margin or 0) + 1e-3),
        "margin: stored",
        None,
        lambda q: q.margin is not None,
    )
    for name in ("SP-1", "SP-2", "SP-3", "SU-2", "SU-4", "TM-2", "TM-3", "TE-2", "TRJ-1", "TRJ-2", "TRJ-4", "SC-4")
}
_FACTS = {
    f"{path}, {name}": Mutation(
        name, fact(path, nudged(1e-3)), f"facts.{told or path}: stored", None, _has(path.split(".")[0])
    )
    for name, path, told in (
        ("SP-1", "displacement_x_m", ""),
        ("SP-1", "speed_mps", ""),
        ("SP-2", "bearing_deg", ""),
        ("SP-2", "x_m", ""),
        ("SP-3", "range_m", ""),
        ("SP-5", "visibility_level", ""),
        ("SP-6", "bottom_m", ""),
        ("SU-1", "ahead_separation_m", ""),
        ("SU-1", "length_m", ""),
        ("SU-2", "left_separation_m", ""),
        ("SU-3", "nearest_gap_m", ""),
        ("SU-3", "relative_x_mps", ""),
        ("SU-5", "right_separation_m", ""),
        ("SU-6", "count", ""),
        ("SC-4", "within_m", ""),
        ("SC-5", "gap_now_m", ""),
        ("TM-1", "count", ""),
        ("TM-2", "range_m", ""),
        ("TM-3", "speeds_mps.1", "speeds_mps[1]"),
        ("TM-5", "heading_change_deg", ""),
        ("TE-1", "speed_change_mps", ""),
        ("TE-2", "closing_speed_mps", ""),
        ("TE-4", "way_separation_m", ""),
        ("TRJ-1", "last_speed_mps", ""),
        ("TRJ-2", "end_y_m", ""),
        ("TRJ-3", "candidates.2.end_distance_m", "candidates[2].end_distance_m"),
        ("TRJ-3", "candidates.0.ade_m", "candidates[0].ade_m"),
        ("TRJ-4", "ade_m", ""),
        ("TRJ-5", "waypoints_m.2.0", "waypoints_m[2][0]"),
        ("TRJ-6", "speed_mps", ""),
        ("TRJ-6", "waypoints_m.0.1", "waypoints_m[0][1]"),
    )
}
_OTHER_FACTS = {
    "decided by another track": Mutation(
        "SC-5", fact("decided_by", lambda _: "t"), "facts.decided_by: ", None, _has("decided_by")
    ),
    "event at another step": Mutation("TE-5", fact("step", nudged(1)), "facts.step: ", None, _has("step")),
    "words of what was forgotten": Mutation("TM-4", added("found", ["tree"]), "facts.found: "),
    "unit of the margin": Mutation("SP-2", added("margin_unit", "metres"), "facts.margin_unit: "),
    "risk at another time": Mutation("SU-3", fact("nearest_after_s", lambda time: 4.25), "facts.nearest_after_s: "),
    "nearest object of a course": Mutation("TRJ-4", fact("nearest_words", lambda _: "tree"), "facts.nearest_words: "),
    "course of another name": Mutation("TRJ-4", added("course", "faster still"), "is not the course 'faster still'"),
    "driven course as an alternative": Mutation("TRJ-4", added("course", "driven"), "is not the course 'driven'"),
    "course that was not to be had": Mutation("TRJ-4", _another_course, "is not the course"),
    "driven course farther on": Mutation("TRJ-3", _another_place, "is not the course 'driven'"),
    "candidate missing": Mutation(
        "TRJ-3", fact("candidates", lambda told: told[1:]), "facts.candidates are not the options"
    ),
    "two candidates exchanged": Mutation(
        "TRJ-3", fact("candidates.1.course", lambda _: "driven"), "facts.candidates are not"
    ),
    "spacing": Mutation("TRJ-5", added("spacing_s", 1.0), "facts.spacing_s: "),
    "direction of time": Mutation("TRJ-6", added("direction", "future"), "facts.direction: "),
    "one position too few": Mutation(
        "TRJ-5", lambda q: changed(q, answer=f"{q.answer.rsplit(', [', 1)[0]}]"), "answer: stored"
    ),
    "fact too many": Mutation("SP-3", added("height_m", 1.0), "facts.height_m: "),
    "fact missing": Mutation("SU-1", dropped("width_m"), "facts.width_m: "),
    "tags twice": Mutation("SP-6", fact("tags", lambda tags: ["night", "night"]), "facts.tags: "),
    "no challenge": Mutation("TE-1", added("challenge", None), "facts.challenge: "),
    "label of another frame": Mutation("SC-1", fact("labelled_frame", nudged(1)), "facts.labelled_frame: "),
    "label of another kind": Mutation("SP-4", added("label", "weather"), "facts.label: "),
    "faster in words": Mutation(
        "TRJ-2", _another_past, "facts.ego_motion: ", "ego-motion", lambda q: "ego_motion" in q.facts
    ),
    "past left out": Mutation("TRJ-1", _without_past, "does not begin with what", "wording"),
    "past that is not asked of": Mutation(
        "SP-2", added("ego_motion", {"text": "It stood."}), "facts.ego_motion: ", "ego-motion"
    ),
}
_REFERENCES = {
    "answer of a part": Mutation(
        "SP-7", _part("SP-2", "answer", lambda _: "nowhere"), "SP-2.answer: ", None, _has_part("SP-2")
    ),
    "sentence of a part": Mutation(
        "SP-7", _part("SP-3", "sentence", lambda _: "Far."), "SP-3.sentence: ", None, _has_part("SP-3")
    ),
    "fact of a part": Mutation(
        "TM-6", _part("TM-2", "facts.range_m", nudged(1e-3)), "facts.range_m: ", None, _has_part("TM-2")
    ),
    "facts of a part": Mutation(
        "SU-7", _part("SU-1", "facts", lambda _: None), "SU-1.facts: ", None, _has_part("SU-1")
    ),
    "label of a part": Mutation(
        "SC-6", _part("SC-1", "answer", lambda _: "hail"), "SC-1 cannot be 'hail'", None, _has_part("SC-1")
    ),
    "part left out": Mutation(
        "TRJ-7", fact("reference_parts", lambda parts: parts[1:]), "has an answer there and is left out"
    ),
    "parts in another order": Mutation(
        "TE-6", fact("reference_parts", lambda parts: parts[::-1]), "each once and in order"
    ),
    "part twice": Mutation("SU-7", fact("reference_parts", lambda parts: [parts[0], *parts]), "each once and in order"),
    "strange parts": Mutation("TM-6", added("reference_parts", [3]), "each once and in order"),
    "no parts": Mutation("TE-6", added("reference_parts", None), "is composed of 0 parts"),
    "part of another template": Mutation(
        "SP-7", fact("reference_parts.0.template", lambda _: "SU-1"), "each once and in order"
    ),
    "verbaliser that was not": Mutation("TRJ-7", added("verbalizer", "a/model"), "facts.verbalizer: "),
}
MUTATIONS = {
    **_ANSWERS,
    **_LEAKS,
    **_MARGINS,
    **_FACTS,
    **_OTHER_FACTS,
    **TARGETS,
    **FORMS,
    **_REFERENCES,
}
"""By name; each is made of a question of its own."""
