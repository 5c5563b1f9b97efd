"""When something happens: the events behind temporal questions, from geometry or from B4DL rows.

An event from geometry is a condition that holds over one unbroken run of key frames. It becomes a question
only if that run is the condition's only one in the scene, spans 5 to 19 key-frame steps, and leaves at
least three key frames of the scene outside; so its interval is the one right answer, and a part of the scene.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.lidar_hallu.rules import MEASURED_OBJECT, measured_object
from probe4d.errors import InputError
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.geometry import SECTOR_BOUNDS_DEG, SECTORS
from probe4d.scenes.tables import Scenes

__all__ = [
    "EVENTS_SCHEMA",
    "LONGEST_SPAN",
    "SHORTEST_SPAN",
    "ToldEvents",
    "measured_events",
    "parse_interval",
    "read_events",
]

SHORTEST_SPAN, LONGEST_SPAN = 5, 19
"""Key-frame steps from an event's first key frame to its last, as B4DL's sequences have them."""
FRAMES_OUTSIDE = 3
NEAR_M = (10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0)
STILL_MPS = 0.2

EVENTS_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "key": pl.String(),
    "kind": pl.String(),  # rule of the event, or b4dl
    "label": pl.String(),  # class, where there is one
    "detail": pl.String(),  # sector, distance in metres or second class, where there is one
    "question": pl.String(),
    "definition": pl.String(),  # how the condition is measured, in words; null where it is not known
    "start": pl.Int32(),
    "end": pl.Int32(),
    "objects": pl.List(MEASURED_OBJECT),  # the boxes that meet the condition, one a key frame
    "source_row": pl.Int32(),  # row of the events file
}

_DISTANCE = "Distance is measured in the ground plane from the ego origin to the object's center"
_CLASS_DISTANCE = f"{_DISTANCE}; the distance of a class is that of its nearest object."
_STILL = (
    f"The vehicle stands still where its speed between consecutive key frames is below {STILL_MPS:g} m/s, "
    "and moves where it is not"
)


def measured_events(
    scenes: Scenes, objects: pl.DataFrame, nearest: pl.DataFrame
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Find the events that geometry gives.

    The conditions: a class is there (`class-present`), a class is within 10, 15, … 40 m (`class-near`), a
    class is in a sector (`class-in-sector`), the nearest object of a class is in a sector (`nearest-in-sector`),
    a class is the closest of all (`closest-class`), one class is closer than another (`class-closer`), the ego
    vehicle stands still (`ego-still`), it moves (`ego-moving`).

    Args:
        scenes: The scenes.
        objects: Measured objects inside the annotated sector (see `rules.measured_objects`).
        nearest: The nearest of each class (see `rules.nearest_objects`).

    Returns:
        Events with the columns of `EVENTS_SCHEMA`, and conditions that give none, by reason.
    """
    by_sector = ["scene", "frame", "label", "sector"]
    no_detail = pl.lit(None, dtype=pl.String)
    others = nearest.select("scene", "frame", other="label", other_m="distance_m")
    closer = nearest.join(others, on=["scene", "frame"], how="inner").filter(pl.col("distance_m") < pl.col("other_m"))
    conditions = [
        ("class-present", nearest, no_detail),
        *(("class-near", nearest.filter(pl.col("distance_m") <= metres), pl.lit(f"{metres:g}")) for metres in NEAR_M),
        ("class-in-sector", objects.unique(by_sector, keep="first", maintain_order=True), pl.col("sector")),
        ("nearest-in-sector", nearest, pl.col("sector")),
        ("closest-class", nearest.unique(["scene", "frame"], keep="first", maintain_order=True), no_detail),
        ("class-closer", closer, pl.col("other")),
    ]
    states = [
        table.select("scene", kind=pl.lit(kind), label="label", detail=detail, frame="frame", object=measured_object())
        for kind, table, detail in conditions
    ]
    return _events(_runs(pl.concat([*states, _ego_steps(scenes.keyframes)])), scenes.scenes)


def _ego_steps(keyframes: pl.DataFrame) -> pl.DataFrame:
    """Steps between consecutive key frames on which the ego vehicle stands still, and on which it moves."""
    step = [pl.col(f"pose_{axis}").diff().over("scene") for axis in "xy"]
    seconds = (pl.col("timestamp_us").diff().over("scene") / 1e6).clip(1e-6)
    still = (step[0].pow(2) + step[1].pow(2)).sqrt() / seconds < STILL_MPS
    return (
        keyframes.sort("scene", "frame")
        .with_columns(still=still)
        .drop_nulls("still")
        .select(
            "scene",
            kind=pl.when("still").then(pl.lit("ego-still")).otherwise(pl.lit("ego-moving")),
            label=pl.lit(None, dtype=pl.String),
            detail=pl.lit(None, dtype=pl.String),
            frame="frame",
            object=pl.lit(None, dtype=MEASURED_OBJECT),
        )
    )


def _runs(states: pl.DataFrame) -> pl.DataFrame:
    """Unbroken runs of each condition; a run of steps starts at the key frame before its first step."""
    condition = ["scene", "kind", "label", "detail"]
    steps = pl.col("kind").str.starts_with("ego-")
    return (
        states.sort(*condition, "frame", nulls_last=False)
        .with_columns(run=pl.col("frame") - pl.int_range(pl.len(), dtype=pl.Int32).over(condition))
        .group_by(*condition, "run", maintain_order=True)
        .agg(start=pl.col("frame").min(), end=pl.col("frame").max(), objects=pl.col("object").drop_nulls())
        .with_columns(start=pl.when(steps).then(pl.col("start") - 1).otherwise("start"))
        .with_columns(runs=pl.len().over(condition))
    )


def _events(runs: pl.DataFrame, scenes: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, int]]:
    """Keep the runs that make a question, count the others, and word them."""
    span = pl.col("end") - pl.col("start")
    runs = runs.join(scenes.select("scene", "keyframes"), on="scene", how="left", maintain_order="left")
    once = runs.filter(pl.col("runs") == 1)
    spanned = once.filter(span.is_between(SHORTEST_SPAN, LONGEST_SPAN))
    kept = spanned.filter(pl.col("keyframes") - span - 1 >= FRAMES_OUTSIDE)
    conditions = runs.select("scene", "kind", "label", "detail").n_unique()
    reasons = {
        "temporal: the event occurs more than once in its scene": conditions - once.height,
        f"temporal: the event's span is not {SHORTEST_SPAN} to {LONGEST_SPAN} key-frame steps": once.height
        - spanned.height,
        f"temporal: fewer than {FRAMES_OUTSIDE} key frames lie outside the event": spanned.height - kept.height,
    }
    events = kept.join(_wordings(), on=["kind", "label", "detail"], how="left", nulls_equal=True, maintain_order="left")
    key = pl.concat_str("scene", "kind", pl.col("label").fill_null(""), pl.col("detail").fill_null(""), separator="|")
    events = events.with_columns(key=key, source_row=pl.lit(None, dtype=pl.Int32))
    return (
        events.select(pl.col(name).cast(kind) for name, kind in EVENTS_SCHEMA.items()),
        {reason: n for reason, n in reasons.items() if n},
    )


def _wordings() -> pl.DataFrame:
    """Question and definition of every condition."""
    ask = "During which frames"
    rows: list[tuple[str, str | None, str | None, str, str]] = [
        ("ego-still", None, None, f"{ask} does the ego vehicle stand still?", f"{_STILL}."),
        ("ego-moving", None, None, f"{ask} is the ego vehicle moving?", f"{_STILL}."),
    ]
    for label in CLASSES:
        for metres in NEAR_M:
            near = f"{ask} is there a {label} within {metres:g} meters of the ego vehicle?"
            rows.append(("class-near", label, f"{metres:g}", near, f"{_DISTANCE}."))
        present = f"{ask} is there a {label} around the ego vehicle?"
        rows.append(("class-present", label, None, present, "Any distance counts."))
        closest = f"{ask} is {label} the object class closest to the ego vehicle?"
        rows.append(("closest-class", label, None, closest, _CLASS_DISTANCE))
        for other in CLASSES:
            closer = f"{ask} is the nearest {label} closer to the ego vehicle than the nearest {other}?"
            rows.append(("class-closer", label, other, closer, f"{_CLASS_DISTANCE} Only key frames with both count."))
        for sector in SECTORS:
            low, high = SECTOR_BOUNDS_DEG[sector]
            through = " through 180" if low > high else ""
            bounds = (
                f"The {sector} position is a bearing of the object's center from {low:g}{through} to {high:g} degrees, "
                "counter-clockwise from straight ahead."
            )
            where = f"at the {sector} position relative to the ego vehicle?"
            rows.append(("class-in-sector", label, sector, f"{ask} is there a {label} {where}", bounds))
            rows.append(("nearest-in-sector", label, sector, f"{ask} is the nearest {label} {where}", bounds))
    return pl.DataFrame(rows, schema=["kind", "label", "detail", "question", "definition"], orient="row")


class ToldEvents(NamedTuple):
    """Events that B4DL tells of.

    Attributes:
        events: Columns of `EVENTS_SCHEMA`, in file order.
        exclusions: Rows that give none, by reason.
        sha256: SHA-256 of the file.
    """

    events: pl.DataFrame
    exclusions: dict[str, int]
    sha256: str


class _Row(msgspec.Struct):
    """What is read of a row of B4DL's time_grounding.json."""

    scene_token: str
    question: str
    answer: str


_INTERVALS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\bfrom frames? (\d+) to (?:frame )?(\d+)",
        r"\bfrom (\d+) to (\d+)",
        r"\bbetween frames? (\d+) and (?:frame )?(\d+)",
        r"\bframes? (\d+)\s*[-–]\s*(\d+)",
    )
)


def parse_interval(answer: str) -> tuple[int, int] | None:
    """Read the interval of a B4DL answer; null if it has none whose end is not before its start.

    The forms, in this order, the first that fits: `from frame a to frame b`, `from a to b`,
    `between frame a and frame b`, `frames a-b`.
    """
    lowered = answer.lower()
    for pattern in _INTERVALS:
        if (found := pattern.search(lowered)) and int(found.group(1)) <= int(found.group(2)):
            return int(found.group(1)), int(found.group(2))
    return None


def read_events(path: Path | str, scenes: Scenes) -> ToldEvents:
    """Read events from B4DL's time_grounding.json: rows with scene_token, question and answer.

    Raises:
        InputError: The file is missing or no JSON list of such rows.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
        rows = msgspec.json.decode(content, type=list[_Row])
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=path) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"is no list of rows with scene_token, question and answer ({error}).",
            path=path,
            remedy="Give B4DL's time_grounding.json.",
        ) from error
    known = {token: (scene, n) for scene, token, n in scenes.scenes.select("scene", "token", "keyframes").iter_rows()}
    reasons = dict.fromkeys(
        (
            "temporal: the row's scene is not among the scenes used",
            "temporal: the row's answer holds no interval",
            "temporal: the row's interval ends after its scene",
            "temporal: the row's question was asked before in its scene",
        ),
        0,
    )
    unknown, unparsable, outside, repeated = reasons
    seen: set[tuple[str, str]] = set()
    events = []
    for number, row in enumerate(rows):
        if row.scene_token not in known:
            reasons[unknown] += 1
            continue
        scene, keyframes = known[row.scene_token]
        interval = parse_interval(row.answer)
        if interval is None:
            reasons[unparsable] += 1
        elif interval[1] > keyframes - 1:
            reasons[outside] += 1
        elif (scene, row.question) in seen:
            reasons[repeated] += 1
        else:
            seen.add((scene, row.question))
            event = {"scene": scene, "key": f"{scene}|{row.question}", "kind": "b4dl", "question": row.question}
            event |= {"start": interval[0], "end": interval[1], "objects": [], "source_row": number}
            events.append({name: event.get(name) for name in EVENTS_SCHEMA})
    return ToldEvents(
        pl.DataFrame(events, schema=EVENTS_SCHEMA),
        {reason: n for reason, n in reasons.items() if n},
        hashlib.sha256(content).hexdigest(),
    )
