"""The wording of LiDAR-Hallu: question stems, option lines, directives, and the prompt of each setting.

Stems and directives of the settings `default`, `anti-position` and `ego` are those of the released
records, letter for letter; `explicit-threshold` and the events measured here are worded by Probe4D, and
`chain-of-thought` by the NuScenes-SpatialQA paper, App. F.
"""

from __future__ import annotations

from collections.abc import Mapping

from probe4d.benchmarks.annotated_sector import AnnotatedSector
from probe4d.benchmarks.chain_of_thought import chain_of_thought
from probe4d.benchmarks.lidar_hallu.rules import (
    DISTANCE_STEP_M,
    LATERAL_STEP_M,
    SIMILAR_DISTANCE_M,
    SIMILAR_LATERAL_M,
)
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.suite import Prompt
from probe4d.errors import InputError
from probe4d.scenes.geometry import SECTOR_BOUNDS_DEG

__all__ = [
    "MOTION_VERBS",
    "PROMPTS",
    "distance_stem",
    "existence_stem",
    "full_text",
    "interval_text",
    "motion_stem",
    "position_stem",
    "within",
]

YES_NO_DIRECTIVE = 'Only answer with "No" or "Yes".'
CHOICE_DIRECTIVE = (
    "Please select the correct answer and only return the choice letter (i.e., A, B, C, D) of your answer."
)
ANTI_POSITION = (
    "Do not favor any option based on its position; evaluate all options equally before selecting your answer."
)
MOTION_VERBS: dict[str, str] = {
    "closer": "become closer to the ego vehicle",
    "farther": "move farther away from the ego vehicle",
    "left": "shift left relative to the ego vehicle",
    "right": "shift right relative to the ego vehicle",
    "similar": "maintain a similar relative position",
}

_MOTION_THRESHOLDS: dict[str, str] = {
    "closer": f"the distance falls by at least {DISTANCE_STEP_M:g} m",
    "farther": f"the distance grows by at least {DISTANCE_STEP_M:g} m",
    "left": f"y grows by at least {LATERAL_STEP_M:g} m",
    "right": f"y falls by at least {LATERAL_STEP_M:g} m",
    "similar": (
        f"the distance changes by less than {SIMILAR_DISTANCE_M:g} m and y by less than {SIMILAR_LATERAL_M:g} m"
    ),
}


def existence_stem(frame: int, label: str | None) -> str:
    """Ask whether a class exists at a key frame, or which of the options does."""
    if label is None:
        return f"Which of the following object classes is visible in frame {frame:03d}?"
    return f"Does {label} exist in frame {frame:03d}?"


def position_stem(frame: int, label: str, sector: str | None) -> str:
    """Ask whether the nearest object of a class is in a sector, or in which."""
    if sector is None:
        return f"In frame {frame:03d}, at which position is the nearest {label} relative to the ego vehicle?"
    return f"In frame {frame:03d}, is the nearest {label} at the {sector} position relative to the ego vehicle?"


def motion_stem(start: int, end: int, label: str, predicate: str) -> str:
    """Ask whether a predicate holds for the nearest object of a class between two key frames."""
    return f"During frames {start:03d}-{end:03d}, does the nearest {label} {MOTION_VERBS[predicate]}?"


def distance_stem(frame: int) -> str:
    """Ask which class is closest."""
    return f"In frame {frame:03d}, which object class is closest to the ego vehicle?"


def interval_text(start: int, end: int) -> str:
    """Text of an option of a temporal question."""
    return f"from frame {start:03d} to frame {end:03d}"


def within(annotated: AnnotatedSector | None, stem: str) -> str:
    """Put the annotated bearing range before a stem, so that what lies outside it plays no part in the answer."""
    if annotated is None:
        return stem
    start, end = annotated
    return (
        f"Consider only objects whose center has a bearing between {start:g} and {end:g} degrees "
        f"(counter-clockwise as seen from the ego vehicle; straight ahead is 0, left is 90, right is -90). {stem}"
    )


def full_text(question: str, options: tuple[str, ...] = (), *, note: str = "", anti_position: bool = False) -> str:
    """Stem, option lines and directive: the whole text of a question.

    Args:
        question: The stem.
        options: Texts of the options; empty for a yes-no question.
        note: A sentence on how the answer is measured, put after the stem.
        anti_position: Whether to warn of position bias; yes-no questions stay as they are.
    """
    lines = [f"{question} {note}" if note else question, *_option_lines(options)]
    if options:
        lines.append(f"{CHOICE_DIRECTIVE} {ANTI_POSITION}" if anti_position else CHOICE_DIRECTIVE)
    else:
        lines.append(YES_NO_DIRECTIVE)
    return "\n".join(lines)


def default_prompt(question: Question) -> str:
    """The question as released; where a record fixes its prompt, that prompt.

    Raises:
        InputError: The question's text is not known.
    """
    return question.prompt if question.prompt is not None else full_text(_stem(question), question.options)


def anti_position_prompt(question: Question) -> str:
    """The choice question with a warning of position bias; yes-no questions as they are.

    Raises:
        InputError: The question's text is not known.
    """
    return full_text(_stem(question), question.options, anti_position=True)


def ego_prompt(question: Question) -> str:
    """The ego vehicle's motion in words, then the question.

    Raises:
        InputError: The question's text or its ego-motion text is not known.
    """
    motion = question.facts.get("ego_motion")
    text = motion.get("text") if isinstance(motion, Mapping) else None
    if not isinstance(text, str):
        raise InputError(
            "the question holds no ego-motion text.",
            row=f"question {question.id}",
            remedy="Build the benchmark from a dataset folder, or leave the setting 'ego' out.",
        )
    return f"{text}\n{full_text(_stem(question), question.options)}"


def explicit_threshold_prompt(question: Question) -> str:
    """The question with the numbers of its rule, as Sec. VI of the paper asks for; references stay the same.

    Raises:
        InputError: The question's text is not known, or it asks about a sector or a predicate that no rule has.
    """
    try:
        note = _note(question)
    except KeyError as error:
        raise InputError(
            f"the question asks about {error}, for which no rule has a threshold.",
            row=f"question {question.id}",
            remedy="Build or import the benchmark again.",
        ) from error
    return full_text(_stem(question), question.options, note=note)


def chain_of_thought_prompt(question: Question) -> str:
    """Reasoning first, then a line with the answer (NuScenes-SpatialQA, App. F), in the answer forms of this suite.

    Raises:
        InputError: The question's text is not known.
    """
    forms = LETTERS[: len(question.options)] if question.options else ("Yes", "No")
    return chain_of_thought("\n".join([_stem(question), *_option_lines(question.options)]), form="/".join(forms))


PROMPTS: Mapping[str, Prompt] = {
    "default": default_prompt,
    "anti-position": anti_position_prompt,
    "ego": ego_prompt,
    "explicit-threshold": explicit_threshold_prompt,
    "chain-of-thought": chain_of_thought_prompt,
}


def _option_lines(options: tuple[str, ...]) -> list[str]:
    return [f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False)]


def _stem(question: Question) -> str:
    if question.question is None:
        raise InputError(
            "the release keeps the text of the question back, so that no prompt can be made of it.",
            row=f"question {question.id}",
            remedy="Import the release's question files too, or build the benchmark from a dataset folder.",
        )
    return question.question


def _note(question: Question) -> str:
    if question.family == "existence":
        points = question.facts.get("min_lidar_points", 1)
        returns = f"{points} LiDAR return{'' if points == 1 else 's'}"
        return f"An object counts if its annotated box holds at least {returns}."
    if question.family == "position":
        named = question.options or (question.relation or "",)
        bounds = ", ".join(_bounds(sector) for sector in named)
        return (
            "Bearings are those of the object's center from the ego origin in the ego frame (x forward, y left), "
            f"counter-clockwise from straight ahead: {bounds}."
        )
    if question.family == "distance":
        return (
            "The distance of a class is that of its nearest object: from the ego origin to the object's center "
            "in the ground plane."
        )
    if question.family == "motion":
        return (
            f"Answer Yes only if {_MOTION_THRESHOLDS[question.relation or '']} from the first of these frames to the "
            "last; distance and y are those of the object's center in the ego frame of each frame "
            "(x forward, y left, ground plane)."
        )
    event = question.facts.get("event")
    return str(event.get("definition", "")) if isinstance(event, Mapping) else ""


def _bounds(sector: str) -> str:
    low, high = SECTOR_BOUNDS_DEG[sector]
    if low > high:
        return f"{sector} from {low:g} through 180 to {high:g} degrees"
    return f"{sector} from {low:g} to {high:g} degrees"
