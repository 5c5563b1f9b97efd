"""What a rule measured, in rows that a person reads: the same in the page and in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from probe4d.benchmarks.question import LETTERS, Question
from probe4d.wording import counted

__all__ = ["answer_in_words", "answer_text", "measured"]


def answer_in_words(question: Question) -> str:
    """The reference answer; for a choice question with the option's text behind the letter."""
    text = answer_text(question)
    return question.answer if text == question.answer else f"{question.answer}. {text}"


def answer_text(question: Question) -> str:
    """Text of the right option of a choice question, else the answer itself."""
    position = LETTERS.find(question.answer) if len(question.answer) == 1 else -1
    return question.options[position] if 0 <= position < len(question.options) else question.answer


def measured(question: Question) -> list[tuple[str, str]]:
    """What the rule measured, as (name, value in words) rows; keys unknown here keep their own name."""
    rows = [("rule", question.rule)]
    if question.margin is not None:
        unit = question.facts.get("margin_unit", "(unit of the rule)")
        rows.append(("margin", f"{question.margin:.2f} {unit} to the nearest decision boundary"))
    if question.lidar_points is not None:
        rows.append(("fewest LiDAR returns", f"{question.lidar_points:,}"))
    for key, value in question.facts.items():
        if key != "margin_unit":
            rows.extend(_rows(key, value))
    return rows


def _rows(key: str, value: Any) -> Iterator[tuple[str, str]]:
    match key, value:
        case "objects", list():
            yield from (_object(fact) for fact in value if isinstance(fact, dict))
        case "poses", list():
            yield "ego poses", ", ".join(f"frame {pose.get('frame')}: {pose.get('token')}" for pose in value)
        case "ego_motion", dict():
            yield "ego motion", str(value.get("text"))
        case "present", list():
            yield "classes present", ", ".join(map(str, value)) or "none"
        case "interval", [start, end]:
            yield "interval", f"frames {start} to {end}"
        case "below_threshold", bool():
            yield "below threshold", "right sign, but less than the rule asks for" if value else "no"
        case _:
            yield _name(key), _plain(key, value)


def _object(fact: dict[str, Any]) -> tuple[str, str]:
    parts = []
    if "distance_m" in fact:
        parts.append(f"{fact['distance_m']:.2f} m away")
    if "x" in fact and "y" in fact:
        parts.append(f"x {fact['x']:+.2f} m, y {fact['y']:+.2f} m")
    if fact.get("lidar_points") is not None:
        parts.append(counted(fact["lidar_points"], "LiDAR return"))
    if "box" in fact:
        parts.append(f"box {fact['box']}")
    where = f", frame {fact['frame']}" if "frame" in fact else ""
    return f"{fact.get('label', 'object')}{where}", "; ".join(parts)


def _name(key: str) -> str:
    for suffix in ("_deg", "_m"):
        key = key.removesuffix(suffix)
    return key.replace("_", " ")


def _plain(key: str, value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            unit = "°" if key.endswith("_deg") else " m" if key.endswith("_m") else ""
            sign = "+" if "delta" in key else ""
            return f"{value:{sign}.2f}{unit}"
        case list() if all(isinstance(item, str | int | float) for item in value):
            return ", ".join(map(str, value))
        case dict():
            return "; ".join(f"{_name(name)} {_plain(name, item)}" for name, item in value.items())
    return str(value)
