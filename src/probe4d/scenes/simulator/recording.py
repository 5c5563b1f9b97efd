"""Records one simulated scene: sensor files on disk, rows for the tables."""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probe4d.errors import RunError
from probe4d.scenes.classes import label_of_category
from probe4d.scenes.nuscenes_writing.rows import TABLES, Rows, encode_rows, linked, token
from probe4d.scenes.nuscenes_writing.scene_records import SceneRecord, keep_record
from probe4d.scenes.simulator.camera import CAMERAS, HEIGHT, WIDTH, Painter
from probe4d.scenes.simulator.lidar import Scan, lidar_scan
from probe4d.scenes.simulator.motion import Agent
from probe4d.scenes.simulator.tables import rotation, visibility_level
from probe4d.scenes.simulator.world import World, make_world

__all__ = ["LIDAR", "record_scene", "scene_name"]

Floats = NDArray[np.float64]

LIDAR = "LIDAR_TOP"
_MOUNT = np.array([0.94, 0.0, 1.84])  # of the LiDAR in the ego frame, metres
_ANNOTATED_M = 65.0
_RESOLVED_RAYS = 5
_ATTEMPTS = 40
_FIRST_US = 1_700_000_000_000_000
_SCENE_US = 60_000_000


def scene_name(scene: int) -> str:
    """Name of a scene by its index."""
    return f"sim-{scene + 1:04d}"


def record_scene(scene: int, *, out: Path, seed: int, cameras: bool) -> None:
    """Simulate a scene, write its sensor files and, when they are all there, its record.

    A layout in which a planned class never comes into view is given up and made anew.

    Args:
        scene: Index of the scene.
        out: Folder in which the dataset is made.
        seed: Seed of the dataset.
        cameras: Whether to draw the six cameras' images.

    Raises:
        RunError: No layout showed all planned classes.
    """
    for attempt in range(_ATTEMPTS):
        world = make_world(seed, scene, attempt)
        scans = [
            lidar_scan(world.cuboids(float(time)), _MOUNT, 0, np.random.default_rng([seed, 4, scene, attempt, frame]))
            for frame, time in enumerate(world.times)
        ]
        tracks = _tracks(world, scans)
        shown = {label_of_category(world.motion.agents[track.agent].category) for track in tracks} - {None}
        if shown == set(world.plan.present):
            keep_record(
                out, scene_name(scene), _Recorder(world, scene, seed, out).record(scans, tracks, cameras=cameras)
            )
            return
    raise RunError(f"scene {scene_name(scene)} of seed {seed} shows not all of its classes after {_ATTEMPTS} layouts.")


@dataclass(frozen=True)
class _Track:
    agent: int
    first: int
    last: int


def _tracks(world: World, scans: list[Scan]) -> list[_Track]:
    """From when to when each agent is annotated: while it is in range, if a return ever lies on it."""
    agents = len(world.motion.agents)
    poses = np.array([world.motion.boxes_at(float(time))[:, :2] for time in world.times])
    ego = np.array([world.ego_pose(float(time))[:2] for time in world.times])
    # Far away a small object falls between the rays even if nothing hides it; then nobody would draw a box.
    resolved = np.array([scan.rays_alone[:agents] for scan in scans]) >= _RESOLVED_RAYS
    near = (np.hypot(*(poses - ego[:, None]).transpose(2, 0, 1)) <= _ANNOTATED_M) & resolved
    seen = near & (np.array([scan.points_inside[:agents] for scan in scans]) > 0)
    tracks = []
    for agent in np.flatnonzero(seen.any(0)):
        if agent == 0:
            continue
        frames = np.flatnonzero(seen[:, agent])
        # Annotators follow an object a little beyond its first and last return.
        reach = np.flatnonzero(near[:, agent])
        first, last = max(frames[0] - 2, reach[0]), min(frames[-1] + 2, reach[-1])
        tracks.append(_Track(int(agent), int(first), int(last)))
    return tracks


class _Recorder:
    """Writes the files of a scene and collects its rows."""

    def __init__(self, world: World, scene: int, seed: int, out: Path) -> None:
        self.world, self.scene, self.seed, self.out = world, scene, seed, out
        self.name = scene_name(scene)
        self.start_us = _FIRST_US + scene * _SCENE_US
        self.rows: Rows = {name: [] for name in TABLES}
        self.files: dict[str, int] = {}

    def token(self, kind: str, *key: object) -> str:
        return token(kind, self.seed, self.name, *key)

    def record(self, scans: list[Scan], tracks: list[_Track], *, cameras: bool) -> SceneRecord:
        frames = len(scans)
        self.rows["log"].append(
            {
                "token": token("log", self.seed, self.name),
                "logfile": self.name,
                "vehicle": "simulated",
                "date_captured": "2023-11-14",
                "location": "simulated-street",
            }
        )
        self.rows["scene"].append(
            {
                "token": self.token("scene"),
                "log_token": token("log", self.seed, self.name),
                "nbr_samples": frames,
                "first_sample_token": self.token("sample", 0),
                "last_sample_token": self.token("sample", frames - 1),
                "name": self.name,
                "description": _description(self.world),
            }
        )
        self.rows["sample"] = linked(
            [
                {
                    "token": self.token("sample", frame),
                    "timestamp": self.time_us(float(time)),
                    "scene_token": self.token("scene"),
                }
                for frame, time in enumerate(self.world.times)
            ]
        )
        self.lidar(scans)
        if cameras:
            self.cameras()
        self.annotations(scans, tracks)
        return SceneRecord(self.files, {name: encode_rows(rows) for name, rows in self.rows.items()})

    def time_us(self, time_s: float) -> int:
        return self.start_us + round(time_s * 1e6)

    def lidar(self, scans: list[Scan]) -> None:
        self.calibrate(LIDAR, _MOUNT, rotation(-np.pi / 2), [])
        readings = []
        for frame, (time, scan) in enumerate(zip(self.world.times, scans, strict=True)):
            row = self.reading(LIDAR, frame, float(time), "pcd", ".pcd.bin", 0, 0)
            self.write(row, scan.points.tobytes())
            readings.append(row)
        self.rows["sample_data"] += linked(readings)

    def cameras(self) -> None:
        painter = Painter(self.world)
        for channel, camera in CAMERAS.items():
            self.calibrate(channel, np.array(camera.position), camera.rotation, camera.intrinsic)
            readings = []
            for frame, time in enumerate(self.world.times):
                row = self.reading(channel, frame, float(time) + camera.delay_s, "jpg", ".jpg", HEIGHT, WIDTH)
                image = io.BytesIO()
                painter.picture(camera, float(time) + camera.delay_s).save(image, "JPEG", quality=80)
                self.write(row, image.getvalue())
                readings.append(row)
            self.rows["sample_data"] += linked(readings)

    def write(self, row: dict[str, Any], content: bytes) -> None:
        """Write a reading. No temporary names: nothing refers to the file until the scene's record exists."""
        (self.out / row["filename"]).write_bytes(content)
        self.files[row["filename"]] = zlib.crc32(content)

    def calibrate(
        self, channel: str, translation: Floats, quaternion: list[float], intrinsic: list[list[float]]
    ) -> None:
        """Make a sensor's folder; add its extrinsics (ego_SE3_sensor) and intrinsics."""
        (self.out / "samples" / channel).mkdir(parents=True, exist_ok=True)
        self.rows["calibrated_sensor"].append(
            {
                "token": self.token("calibrated_sensor", channel),
                "sensor_token": token("sensor", channel),
                "translation": [float(value) for value in translation],
                "rotation": quaternion,
                "camera_intrinsic": intrinsic,
            }
        )

    def reading(
        self, channel: str, frame: int, time_s: float, fileformat: str, suffix: str, height: int, width: int
    ) -> dict[str, Any]:
        """A row of sample_data, without its links; its ego pose goes into the tables."""
        own = self.token("sample_data", channel, frame)
        time_us = self.time_us(time_s)
        x, y, yaw = self.world.ego_pose(time_s)
        self.rows["ego_pose"].append(
            {"token": own, "timestamp": time_us, "translation": [x, y, 0.0], "rotation": rotation(yaw)}
        )
        return {
            "token": own,
            "sample_token": self.token("sample", frame),
            "ego_pose_token": own,
            "calibrated_sensor_token": self.token("calibrated_sensor", channel),
            "timestamp": time_us,
            "fileformat": fileformat,
            "is_key_frame": True,
            "height": height,
            "width": width,
            "filename": f"samples/{channel}/{self.name}__{channel}__{time_us}{suffix}",
        }

    def annotations(self, scans: list[Scan], tracks: list[_Track]) -> None:
        states = [(*self.world.boxes(float(t)), self.world.motion.speeds_at(float(t))) for t in self.world.times]
        for track in tracks:
            agent = self.world.motion.agents[track.agent]
            annotated = [
                self.annotation(agent, track.agent, frame, states[frame], scans[frame])
                for frame in range(track.first, track.last + 1)
            ]
            self.rows["sample_annotation"] += linked(annotated)
            self.rows["instance"].append(
                {
                    "token": self.token("instance", track.agent),
                    "category_token": token("category", agent.category),
                    "nbr_annotations": len(annotated),
                    "first_annotation_token": annotated[0]["token"],
                    "last_annotation_token": annotated[-1]["token"],
                }
            )

    def annotation(
        self, agent: Agent, index: int, frame: int, state: tuple[Floats, Floats, Floats], scan: Scan
    ) -> dict[str, Any]:
        centres, yaws, speeds = state
        length, width, height = agent.size
        attribute = _attribute(agent, float(speeds[index]))
        return {
            "token": self.token("sample_annotation", index, frame),
            "sample_token": self.token("sample", frame),
            "instance_token": self.token("instance", index),
            "visibility_token": str(visibility_level(int(scan.rays_hit[index]), int(scan.rays_alone[index]))),
            "attribute_tokens": [token("attribute", attribute)] if attribute else [],
            "translation": [float(value) for value in centres[index]],
            "size": [width, length, height],
            "rotation": rotation(float(yaws[index])),
            "num_lidar_pts": int(scan.points_inside[index]),
            "num_radar_pts": 0,
        }


def _attribute(agent: Agent, speed: float) -> str | None:
    moving = speed > 0.2
    if agent.rider is not None:
        return "cycle.with_rider" if agent.rider else "cycle.without_rider"
    if agent.category.startswith("human.pedestrian"):
        return "pedestrian.moving" if moving else "pedestrian.standing"
    if agent.category.startswith("vehicle."):
        return "vehicle.parked" if agent.parked else "vehicle.moving" if moving else "vehicle.stopped"
    return None


def _description(world: World) -> str:
    what = {
        "straight": "straight on through a junction",
        "stop": "stop at a red light, then straight on",
        "left": "left turn",
        "right": "right turn",
        "bend": "along a bend",
        "queue": "stop-and-go traffic",
        "stop and left": "stop at a red light, then left turn",
        "stop and right": "stop at a red light, then right turn",
        "zebra": "wait at a pedestrian crossing",
    }[world.plan.manoeuvre]
    return f"Simulated street, {what}"
