"""Streets of an ego vehicle and objects whose ways a test gives by key frame, seen by six cameras all around."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from making import scenes_of
from picture_making import looking
from probe4d.scenes.classes import label_of_category
from probe4d.scenes.tables import Scenes

SCENE = "street"
QUERY = 4
"""First key frame with a whole history."""
CHANNELS = {
    "CAM_FRONT": 0.0,
    "CAM_FRONT_LEFT": 60.0,
    "CAM_BACK_LEFT": 120.0,
    "CAM_BACK": 180.0,
    "CAM_BACK_RIGHT": -120.0,
    "CAM_FRONT_RIGHT": -60.0,
}

Place = tuple[float, float, float]
"""x and y in the global frame, metres, and heading in degrees."""


@dataclass(frozen=True)
class Thing:
    """An object: where it is at each key frame, None where it has no box."""

    track: str
    places: Sequence[Place | None]
    size: tuple[float, float, float] = (4.0, 2.0, 1.6)
    category: str = "vehicle.car"
    visibility: int | Sequence[int | None] | None = 4
    lidar_points: int | None = 7
    bottom_m: float = 0.0
    attributes: Sequence[str] | Mapping[int, Sequence[str]] = ()
    """At every key frame, or by key frame."""


def still(x: float, y: float, heading_deg: float = 0.0, *, frames: int = 10) -> list[Place | None]:
    return [(x, y, heading_deg)] * frames


def moving(
    x: float, y: float, along_mps: tuple[float, float], heading_deg: float = 0.0, *, frames: int = 10, at: int = QUERY
) -> list[Place | None]:
    """At constant velocity, at (x, y) in key frame `at`."""
    steps = [(frame - at) / 2 for frame in range(frames)]
    return [(x + time * along_mps[0], y + time * along_mps[1], heading_deg) for time in steps]


def driving(speeds_mps: Iterable[float], start: Place = (0.0, 0.0, 0.0)) -> list[Place]:
    """Straight on along x, half a second at each speed."""
    places = [start]
    for speed in speeds_mps:
        x, y, heading = places[-1]
        places.append((x + speed / 2, y, heading))
    return places


def street(
    things: Iterable[Thing] = (),
    ego: Sequence[Place] | None = None,
    *,
    scene: str = SCENE,
    cameras: bool = True,
    spacing_us: int = 500_000,
) -> Scenes:
    """Scenes of one street; without a way of its own the ego vehicle stands at the origin for ten key frames."""
    way = [(0.0, 0.0, 0.0)] * 10 if ego is None else list(ego)
    keyframes = [
        {
            "scene": scene,
            "frame": frame,
            "token": f"sample {scene} {frame}",
            "timestamp_us": 1_000_000 + frame * spacing_us,
            **_pose("pose_", place),
        }
        for frame, place in enumerate(way)
    ]
    boxes = [
        _box(scene, frame, way[frame], thing, place)
        for thing in things
        for frame, place in enumerate(thing.places[: len(way)])
        if place is not None
    ]
    sensors = [
        _camera(scene, frame, place, channel, bearing)
        for frame, place in enumerate(way)
        for channel, bearing in (CHANNELS.items() if cameras else ())
    ]
    return scenes_of(
        [{"scene": scene, "token": scene, "keyframes": len(way), "description": "A street."}], keyframes, boxes, sensors
    )


def _pose(prefix: str, place: Place) -> dict[str, float]:
    x, y, heading = place
    half = math.radians(heading) / 2
    values = {"x": x, "y": y, "z": 0.0, "qw": math.cos(half), "qx": 0.0, "qy": 0.0, "qz": math.sin(half)}
    return {prefix + name: float(value) for name, value in values.items()}


def _box(scene: str, frame: int, ego: Place, thing: Thing, place: Place) -> dict[str, object]:
    heading = math.radians(ego[2])
    across, along = place[0] - ego[0], place[1] - ego[1]
    visibility = (
        thing.visibility if thing.visibility is None or isinstance(thing.visibility, int) else thing.visibility[frame]
    )
    centre_z = thing.bottom_m + thing.size[2] / 2
    return {
        "scene": scene,
        "frame": frame,
        "token": f"{scene} {frame} {thing.track}",
        "track": thing.track,
        "category": thing.category,
        "label": label_of_category(thing.category),
        **_pose("", place),
        "z": centre_z,
        **dict(zip(("length", "width", "height"), map(float, thing.size), strict=True)),
        "ego_x": math.cos(heading) * across + math.sin(heading) * along,
        "ego_y": math.cos(heading) * along - math.sin(heading) * across,
        "ego_z": centre_z,
        "ego_yaw": math.remainder(math.radians(place[2]) - heading, 2 * math.pi),
        "lidar_points": thing.lidar_points,
        "visibility": visibility,
        "attributes": list(
            thing.attributes.get(frame, ()) if isinstance(thing.attributes, Mapping) else thing.attributes
        ),
    }


def _camera(scene: str, frame: int, ego: Place, channel: str, bearing_deg: float) -> dict[str, object]:
    sensor = dict(
        zip((f"sensor_{name}" for name in ("qw", "qx", "qy", "qz")), map(float, looking(bearing_deg)), strict=True)
    )
    return {
        "scene": scene,
        "frame": frame,
        "channel": channel,
        "modality": "camera",
        "token": f"reading {scene} {frame} {channel}",
        "file": f"samples/{channel}/{scene}-{frame}.png",
        **_pose("pose_", ego),
        **sensor,
        "sensor_x": 0.0,
        "sensor_y": 0.0,
        "sensor_z": 1.5,
        "intrinsics": [800.0, 0.0, 800.0, 0.0, 800.0, 450.0, 0.0, 0.0, 1.0],
        "width": 1600,
        "height": 900,
    }


def turned_way(ego: Sequence[Place], shift: Place) -> list[Place]:
    """Places after the whole world is turned about its origin and moved."""
    dx, dy, turn = shift
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    return [(float(cos * x - sin * y + dx), float(sin * x + cos * y + dy), heading + turn) for x, y, heading in ego]


def mirrored_way(ego: Sequence[Place]) -> list[Place]:
    """Places after left and right are swapped."""
    return [(x, -y, -heading) for x, y, heading in ego]
