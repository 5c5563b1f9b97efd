"""What `Question.facts` say, read in one way by all who show it.

Facts are a JSON object whose keys depend on the rule. Those that are read elsewhere than in the suite that wrote them:

    objects: The boxes that a rule measured, each as `PointedObject` has it. Of a question about one camera's view they
        stand in the order of its `entities`, then of its `options`, and need not repeat the question's words for them
        nor its key frame.
    witness: Token of the box that decides a question about whatever is around; null where none does.
    distances_m, volumes_m3: What options were compared by, a number an option, in their order.
    unit, margin_unit: Units of the answer, where it is a number, and of the margin, such as `metres`.
    interval: First and last key frame of what a question asks when it takes place.
    sector, bearing_deg: Where an object lies as seen from the ego vehicle, degrees counter-clockwise from ahead.
    present: Classes that are there at the key frame asked about.
    below_threshold: Whether a change has the right sign, but is less than the rule asks for.
    target: The object that is shown in a red box, as `Target` has it.
    estimated: Whether the answer rests on objects that were detected in images, and not annotated.
    measured: Of an answer that a model wrote, what geometry measured to decide it, with `box` and `track` of what it
        was measured of, where that is one object; of a question of two clauses these are in `clauses`, each with its
        own `measured`.
    waypoints_m, spacing_s, direction, speed_mps: Of a question for waypoints, as `WaypointFacts` has them.
    min_lidar_points: Fewest returns of an object that was counted.
    poses: Ego poses that were measured from, each with `frame` and `token`.
    ego_motion: Words on the motion of the ego vehicle that stand before the question, as `text`.
    reference_review: Of an open question whose reference a review rewrote, the `old` and the `new` text, the `source`
        of the new one, and what was said of it.
    scene_token: Token of the scene, where imported records name it otherwise.

Other keys are measures, named with their unit (`distance_m`, `gap_m`, `length_m`), which are shown as they stand. What
imported records lack, or have in another form, is missing, and reads as null.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeVar, get_type_hints

import msgspec

from probe4d.benchmarks.question import Question

__all__ = [
    "OptionMeasures",
    "PointedObject",
    "Target",
    "WaypointFacts",
    "measured_objects",
    "option_measures",
    "pointed_objects",
    "query_frame",
    "target_of",
    "waypoint_facts",
    "witness_of",
]

T = TypeVar("T")


class PointedObject(msgspec.Struct, frozen=True, kw_only=True):
    """A box that a rule measured; what its facts do not say is null.

    Attributes:
        label: What the question calls it: its class, a caption, or `object A`.
        frame: Key frame that it was measured at.
        box: Token of the 3D box.
        track: Token of its track.
        x: Its centre in the ego frame of that key frame, metres: forward,
        y: left,
        z: and up.
        distance_m: How far it is from the ego vehicle.
        lidar_points: LiDAR returns in it.
    """

    label: str | None = None
    frame: int | None = None
    box: str | None = None
    track: str | None = None
    x: float | None = None
    y: float | None = None
    z: float | None = None
    distance_m: float | None = None
    lidar_points: int | None = None


class WaypointFacts(NamedTuple):
    """What the facts of a question for waypoints say; each is null where they do not.

    Attributes:
        waypoints_m: The reference (x, y) in metres, not rounded, in the ego frame of the query frame.
        spacing_s: Seconds from one waypoint to the next.
        direction: `future`, the next waypoint first, or `past`, the oldest first.
        speed_mps: Speed of the ego vehicle at the query frame, in metres a second.
    """

    waypoints_m: tuple[tuple[float, float], ...] | None
    spacing_s: float | None
    direction: Literal["future", "past"] | None
    speed_mps: float | None


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Where the object that a question asks about is shown in a red box (STRIDE, App. A.3).

    Attributes:
        frame: Key frame of its picture.
        channel: Camera in whose image it is.
        bounds: Left, top, right and bottom as parts of the width and height of that image, 0 to 1.
    """

    frame: int
    channel: str
    bounds: tuple[float, float, float, float]


class OptionMeasures(NamedTuple):
    """What the options of a question were compared by.

    Attributes:
        key: Its key in the facts.
        one: The same of a single option, with its unit, such as `distance_m`.
        values: A number an option, in their order.
    """

    key: str
    one: str
    values: tuple[float, ...]


_TYPES: dict[str, Any] = get_type_hints(PointedObject)
_OF_WAYPOINTS: dict[str, Any] = get_type_hints(WaypointFacts)
_OF_OPTIONS = {"distances_m": "distance_m", "volumes_m3": "volume_m3"}


def pointed_objects(question: Question) -> tuple[PointedObject, ...]:
    """The objects that a rule measured, in the order of the facts; one that is no JSON object says nothing.

    Label and key frame that the facts of a question about one camera's view lack are those of the question.
    """
    match question.facts.get("objects"):
        case None:
            return ()
        case list(objects):
            found = tuple(map(_pointed_object, objects))
        case other:
            found = (_pointed_object(other),)
    return found if question.channel is None else _as_asked_about(question, found)


def target_of(question: Question) -> Target | None:
    """Where the object is that is shown in a red box; null where there is none, or its facts do not say it."""
    return _read(question.facts.get("target"), Target)


def witness_of(question: Question) -> str | None:
    """Token of the box that decides a question about whatever is around; null without one."""
    return _read(question.facts.get("witness"), str)


def measured_objects(question: Question) -> tuple[PointedObject, ...]:
    """The boxes by which the answer of a model was decided: none, one, or one of each of two clauses."""
    measured = _read(question.facts.get("measured"), dict[str, Any]) or {}
    clauses = _read(measured.get("clauses"), list[dict[str, Any]])
    parts = [measured] if clauses is None else [_read(one.get("measured"), dict[str, Any]) or {} for one in clauses]
    return tuple(one for one in map(_pointed_object, parts) if one.box is not None or one.track is not None)


def option_measures(question: Question) -> OptionMeasures | None:
    """What the options were compared by; null where they were not, or not each of them by a number."""
    for key, one in _OF_OPTIONS.items():
        values = _read(question.facts.get(key), tuple[float, ...])
        if values is not None and len(values) == len(question.options):
            return OptionMeasures(key, one, values)
    return None


def _as_asked_about(question: Question, objects: tuple[PointedObject, ...]) -> tuple[PointedObject, ...]:
    """The objects with what the question says of them; one that says nothing could be any, and stays so."""
    words: tuple[str | None, ...] = (*question.entities, *question.options)
    if len(words) != len(objects):  # which is which is not known
        words = (None,) * len(objects)
    frame = question.frames[0] if len(question.frames) == 1 else None
    return tuple(
        one
        if one == PointedObject()
        else msgspec.structs.replace(
            one,
            label=label if one.label is None else one.label,
            frame=frame if one.frame is None else one.frame,
        )
        for one, label in zip(objects, words, strict=True)
    )


def query_frame(question: Question) -> int | None:
    """The key frame in whose ego frame waypoints lie: the last that is asked about; null without one."""
    return max(question.frames, default=None)


def waypoint_facts(question: Question) -> WaypointFacts:
    """What the facts of a question for waypoints say."""
    return WaypointFacts(*(_read(question.facts.get(name), kind) for name, kind in _OF_WAYPOINTS.items()))


def _pointed_object(fact: object) -> PointedObject:
    """An object as its facts have it; of one that does not fit, the fields that do."""
    if (whole := _read(fact, PointedObject)) is not None:
        return whole
    told = fact if isinstance(fact, dict) else {}
    return PointedObject(**{name: _read(told.get(name), kind) for name, kind in _TYPES.items()})


def _read(value: object, kind: type[T]) -> T | None:
    """A value if it is of that type, else null."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return None
