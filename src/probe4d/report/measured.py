"""What a rule measured, in rows that a person reads: the same in the page and in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from probe4d.benchmarks.facts import option_measures, waypoint_facts
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.report.pointed_out import PointedOut, pointed_out
from probe4d.wording import counted

__all__ = ["asked_for", "figures_measured", "in_units", "measured"]

_FIRST_LESS_SECOND = "object 1 less object 2"
_NAMES = {
    "elevation_difference_m": f"height of the centres, {_FIRST_LESS_SECOND}",
    "sideways_difference_m": f"how far right of the camera, {_FIRST_LESS_SECOND}",
    "depth_difference_m": f"depth before the camera, {_FIRST_LESS_SECOND}",
    "volume_difference_m3": f"volume, {_FIRST_LESS_SECOND}",
    "length_difference_m": f"length, {_FIRST_LESS_SECOND}",
    "width_difference_m": f"width, {_FIRST_LESS_SECOND}",
    "height_difference_m": f"height, {_FIRST_LESS_SECOND}",
    "distance_m": "distance",
    "longitudinal_m": "longitudinal offset",
    "lateral_m": "lateral offset",
    "ego_distance_m": "distance from the ego vehicle",
    "ego_longitudinal_m": "longitudinal offset from the ego vehicle",
    "ego_lateral_m": "lateral offset from the ego vehicle",
    "length_m": "length",
    "width_m": "width",
    "height_m": "height",
    "gap_m": "gap between the footprints",
    "vehicle_width_m": "width of the vehicle that would pass",
    "spot_length_m": "length of the parking spot",
    "spot_width_m": "width of the parking spot",
    "clearance_m": "clearance on each side",
    "hidden_after_m": "hidden once the ego vehicle has driven",
    "witness": "box that decides",
    "unit": "unit of the answer",
}
_UNITS = {"_deg": "°", "_m3": " m³", "_mps": " m/s", "_m": " m", "_s": " s"}
_ABSENT = {"hidden_after_m": "never hidden", "witness": "none is around"}


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
            rows.extend(_rows(question, key, value))
    return rows


def figures_measured(question: Question) -> list[tuple[str, str]]:
    """Those rows of `measured` that hold one number of the answer: changes, bearings, distances, sizes."""
    return [
        (_name(key), in_units(key, value))
        for key, value in question.facts.items()
        if isinstance(value, float) and ("delta" in key or key == "bearing_deg" or key in _NAMES)
    ]


def asked_for(question: Question) -> tuple[str, str] | None:
    """Name and value of what a question for a number asks for; null of other questions."""
    found = figures_measured(question) if question.format == "number" else []
    return found[0] if len(found) == 1 else None


def in_units(key: str, value: float) -> str:
    """A number with the unit that the name of its fact ends with; a difference with its sign."""
    unit = next((unit for ending, unit in _UNITS.items() if key.endswith(ending)), "")
    return f"{value:{'+' if 'delta' in key or 'difference' in key else ''}.2f}{unit}"


def _rows(question: Question, key: str, value: Any) -> Iterator[tuple[str, str]]:
    compared = option_measures(question)
    match key, value:
        case "objects", list():
            yield from (_object(one) for one in pointed_out(question))
        case _, list() if compared is not None and compared.key == key:
            for letter, text, measure in zip(LETTERS, question.options, compared.values, strict=False):
                yield f"{_name(compared.one)} of {letter}. {text}", in_units(compared.one, measure)
        case (("hidden_after_m" | "witness"), None):
            yield _name(key), _ABSENT[key]
        case "waypoints_m", list() if (waypoints := waypoint_facts(question).waypoints_m) is not None:
            yield "waypoints, not rounded", ", ".join(f"({x:.3f}, {y:.3f}) m" for x, y in waypoints)
        case "poses", list() if all(isinstance(pose, dict) for pose in value):
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


def _object(pointed: PointedOut) -> tuple[str, str]:
    one, parts = pointed.object, []
    if one.distance_m is not None:
        parts.append(f"{one.distance_m:.2f} m away")
    if one.x is not None and one.y is not None:
        place = {"x": one.x, "y": one.y, "z": one.z}
        parts.append(", ".join(f"{axis} {value:+.2f} m" for axis, value in place.items() if value is not None))
    if one.lidar_points is not None:
        parts.append(counted(one.lidar_points, "LiDAR return"))
    if one.box is not None:
        parts.append(f"box {one.box}")
    where = "" if one.frame is None else f", frame {one.frame}"
    return f"{pointed.words}{where}", "; ".join(parts)


def _name(key: str) -> str:
    if key in _NAMES:
        return _NAMES[key]
    for ending in _UNITS:
        key = key.removesuffix(ending)
    return key.replace("_", " ")


def _plain(key: str, value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return in_units(key, value)
        case list() if all(isinstance(item, str | int | float) for item in value):
            return ", ".join(map(str, value))
        case dict():
            return "; ".join(f"{_name(name)} {_plain(name, item)}" for name, item in value.items()) or "nothing"
    return str(value)
