"""Draws what six cameras see: quads, back to front (painter's algorithm), projected by a pinhole camera.

Mounting, intrinsics and order of exposure resemble those of nuScenes (Caesar et al. 2020, Table 2): camera axes
x right, y down, z forward; 1600 x 900 pixels; exposures spread over the LiDAR's last half turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from probe4d.scenes.simulator.appearance import Quads, agent_quads, building_quads, ground_quads
from probe4d.scenes.simulator.world import World

__all__ = ["CAMERAS", "HEIGHT", "WIDTH", "Camera", "Painter", "back_to_front"]

Floats = NDArray[np.float64]

WIDTH, HEIGHT = 1600, 900
_NEAR_M, _FAR_M = 0.3, 140.0
_HAZE = np.array([196.0, 208.0, 218.0])
_SHADOW = np.array([52.0, 53.0, 56.0])


@dataclass(frozen=True)
class Camera:
    """A camera fixed to the vehicle.

    Attributes:
        yaw: Direction of its axis in the ego frame, radians.
        position: In the ego frame, metres.
        focal_px: Focal length in pixels.
        centre_px: Principal point (u, v).
        delay_s: When it exposes, relative to the LiDAR's scan, seconds.
    """

    yaw: float
    position: tuple[float, float, float]
    focal_px: float
    centre_px: tuple[float, float]
    delay_s: float

    @property
    def rotation(self) -> list[float]:
        """Quaternion w-x-y-z of ego_SE3_camera."""
        cos, sin = np.cos(self.yaw / 2) / 2, np.sin(self.yaw / 2) / 2
        return [float(value) for value in (cos + sin, -cos - sin, cos - sin, sin - cos)]

    @property
    def intrinsic(self) -> list[list[float]]:
        """The 3 x 3 matrix K."""
        return [[self.focal_px, 0.0, self.centre_px[0]], [0.0, self.focal_px, self.centre_px[1]], [0.0, 0.0, 1.0]]


CAMERAS: dict[str, Camera] = {
    "CAM_FRONT": Camera(0.0, (1.70, 0.0, 1.51), 1266.0, (808.0, 484.0), -0.035),
    "CAM_FRONT_RIGHT": Camera(np.radians(-55), (1.55, -0.49, 1.50), 1260.0, (806.0, 488.0), -0.027),
    "CAM_BACK_RIGHT": Camera(np.radians(-110), (1.01, -0.48, 1.56), 1260.0, (804.0, 490.0), -0.020),
    "CAM_BACK": Camera(np.pi, (0.03, 0.0, 1.57), 809.0, (812.0, 480.0), -0.010),
    "CAM_BACK_LEFT": Camera(np.radians(110), (1.03, 0.48, 1.59), 1258.0, (796.0, 486.0), -0.001),
    "CAM_FRONT_LEFT": Camera(np.radians(55), (1.52, 0.49, 1.51), 1272.0, (810.0, 480.0), -0.043),
}


@dataclass(frozen=True)
class _View:
    """A camera at its place in the world: position of the eye and the rotation from global to camera axes."""

    camera: Camera
    eye: Floats
    camera_SO3_global: Floats

    def seen(self, points: Floats) -> Floats:
        """Global points in the camera's frame."""
        result: Floats = (points - self.eye) @ self.camera_SO3_global.T
        return result

    def pixels(self, points: Floats) -> Floats:
        """Pixels of points in the camera's frame, shape (..., 3) to (..., 2); those too near are held at the plane."""
        depth = np.maximum(points[..., 2:], _NEAR_M)
        result: Floats = np.array(self.camera.centre_px) + self.camera.focal_px * points[..., :2] / depth
        return result


class Painter:
    """Draws images of one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ground = ground_quads(world.street)
        agents, houses = agent_quads(world.motion.agents), building_quads(world.buildings)
        shift = len(world.motion.agents)
        self.solids = Quads(
            np.concatenate([agents.corners, houses.corners]),
            np.concatenate([agents.normals, houses.normals]),
            np.concatenate([agents.colours, houses.colours]),
            np.concatenate([agents.owner, houses.owner + shift]),
        )
        self.sizes = np.concatenate([world.sizes, world.buildings[:, 3:6]])
        self.backgrounds = {camera.centre_px[1]: _background(camera.centre_px[1]) for camera in CAMERAS.values()}

    def picture(self, camera: Camera, time_s: float) -> Image.Image:
        """What a camera sees at a time, an RGB image of 1600 x 900 pixels."""
        image = self.backgrounds[camera.centre_px[1]].copy()
        draw = ImageDraw.Draw(image)
        x, y, yaw = self.world.ego_pose(time_s)
        eye = np.array([x, y, 0.0]) + _turn(yaw) @ np.array(camera.position)
        view = _View(camera, eye, _CAMERA_AXES @ _turn(yaw + camera.yaw).T)
        centres, yaws = self._poses(time_s)
        near = self._in_view(view, centres)
        near[0] = False  # the vehicle that carries the camera
        _paint(draw, view, self.ground.corners, self.ground.colours)
        shadows = np.pad(_footprints(centres, self.sizes * 1.06, yaws)[near], ((0, 0), (0, 0), (0, 1)))
        _paint(draw, view, shadows, np.tile(_SHADOW, (len(shadows), 1)))
        self._solids(draw, view, centres, yaws, near)
        return image

    def _poses(self, time_s: float) -> tuple[Floats, Floats]:
        """Centres and yaws (global) of all agents, then of all buildings."""
        centres, yaws = self.world.boxes(time_s)
        b = self.world.buildings
        centres = np.concatenate([centres, np.column_stack([b[:, :2], b[:, 5] / 2])])
        return centres, np.concatenate([yaws, b[:, 2]])

    def _in_view(self, view: _View, centres: Floats) -> NDArray[np.bool_]:
        seen = view.seen(centres)
        reach = np.hypot(self.sizes[:, 0], self.sizes[:, 1]) / 2
        beside = np.abs(seen[:, 0]) - 1.6 * reach > 1.1 * np.maximum(seen[:, 2] + reach, 0)
        visible: NDArray[np.bool_] = ~beside & (seen[:, 2] > -reach) & (seen[:, 2] < _FAR_M)
        return visible

    def _solids(
        self, draw: ImageDraw.ImageDraw, view: _View, centres: Floats, yaws: Floats, near: NDArray[np.bool_]
    ) -> None:
        objects = np.flatnonzero(near)
        rank = np.full(len(near), -1)
        footprints = _footprints(centres, self.sizes, yaws)[objects]
        rank[objects[back_to_front(footprints, view.eye[:2])]] = np.arange(len(objects))
        quads = np.flatnonzero(near[self.solids.owner])
        owner = self.solids.owner[quads]
        turn = np.stack([_turn(float(yaw)) for yaw in yaws])[owner]
        corners = np.einsum("qij,qkj->qki", turn, self.solids.corners[quads]) + centres[owner][:, None]
        normals = np.einsum("qij,qj->qi", turn, self.solids.normals[quads])
        faces_eye = ((view.eye - corners[:, 0]) * normals).sum(1) > 0
        order = np.argsort(rank[owner[faces_eye]], kind="stable")
        _paint(draw, view, corners[faces_eye][order], self.solids.colours[quads][faces_eye][order])


def _paint(draw: ImageDraw.ImageDraw, view: _View, corners: Floats, colours: Floats) -> None:
    """Draw quads (global corners, shape (Q, 4, 3)) one over the other, paler with distance."""
    seen = view.seen(corners)
    depth = seen[..., 2]
    limit = (WIDTH / 2 + 20) / view.camera.focal_px
    outside = (seen[..., 0] > limit * depth).all(1) | (seen[..., 0] < -limit * depth).all(1)
    keep = (depth.max(1) > _NEAR_M) & (depth.min(1) < _FAR_M) & ~outside
    seen, depth = seen[keep], depth[keep]
    haze = 1 - np.exp(-np.maximum(depth.mean(1), 0) / 160)[:, None]
    fills = np.rint(colours[keep] * (1 - haze) + _HAZE * haze).astype(int).tolist()
    whole = view.pixels(seen).reshape(-1, 8).tolist()
    for index in np.flatnonzero(depth.min(1) < _NEAR_M):
        whole[index] = view.pixels(_clip_near(seen[index])).ravel().tolist()
    for polygon, fill in zip(whole, fills, strict=True):
        draw.polygon(polygon, fill=tuple(fill))


_CAMERA_AXES = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
"""Rotation from x forward, y left, z up to x right, y down, z forward."""


def _turn(yaw: float) -> Floats:
    cos, sin = np.cos(yaw), np.sin(yaw)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])


def _footprints(centres: Floats, sizes: Floats, yaws: Floats) -> Floats:
    """Corners of the cuboids seen from above, counter-clockwise, shape (N, 4, 2)."""
    half = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * sizes[:, None, :2] / 2
    cos, sin = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    x = centres[:, None, 0] + cos * half[..., 0] - sin * half[..., 1]
    y = centres[:, None, 1] + sin * half[..., 0] + cos * half[..., 1]
    return np.stack([x, y], axis=2)


def back_to_front(footprints: Floats, eye: Floats) -> list[int]:
    """Order in which upright cuboids that do not overlap can be drawn over each other.

    Args:
        footprints: Corners seen from above, counter-clockwise, shape (N, 4, 2).
        eye: Position of the camera, shape (2,).

    A side of one that has all of another beyond it tells which of the two may hide the other: the one on the
    camera's side of that line. Pairs that no line decides, or two lines decide both ways, hide nothing.
    """
    edges = np.roll(footprints, -1, axis=1) - footprints
    normals = np.stack([edges[..., 1], -edges[..., 0]], axis=2)
    beyond = np.einsum("aei,abeki->abek", normals, footprints[None, :, None] - footprints[:, None, :, None])
    separates = (beyond > -1e-6).all(-1)
    eye_beyond = np.einsum("aei,aei->ae", normals, eye - footprints) > 0
    first_is_behind = (separates & eye_beyond[:, None]).any(-1)
    second_is_behind = (separates & ~eye_beyond[:, None]).any(-1)
    behind = first_is_behind | second_is_behind.T
    behind &= ~behind.T & _on_common_lines_of_sight(footprints - eye)
    distance = np.hypot(*(footprints.mean(1) - eye).T)
    waiting = behind.sum(0).astype(np.float64)
    order: list[int] = []
    for _ in range(len(footprints)):
        free = np.flatnonzero(waiting == waiting.min())
        chosen = int(free[distance[free].argmax()])
        order.append(chosen)
        waiting -= behind[chosen]
        waiting[chosen] = np.inf
    return order


def _on_common_lines_of_sight(offsets: Floats) -> NDArray[np.bool_]:
    """Which pairs of footprints, given relative to the eye, overlap in bearing; without these, cycles would appear."""
    middle = np.arctan2(*offsets.mean(1).T[::-1])
    spread = np.angle(np.exp(1j * (np.arctan2(offsets[..., 1], offsets[..., 0]) - middle[:, None])))
    low, high = spread.min(1), spread.max(1)
    turn = np.angle(np.exp(1j * (middle[None, :] - middle[:, None])))
    common: NDArray[np.bool_] = (turn + low[None, :] < high[:, None]) & (turn + high[None, :] > low[:, None])
    return common


def _clip_near(corners: Floats) -> Floats:
    """The part of a polygon (camera frame, shape (K, 3)) in front of the near plane (Sutherland-Hodgman)."""
    kept = []
    for here, following in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if here[2] >= _NEAR_M:
            kept.append(here)
        if (here[2] >= _NEAR_M) != (following[2] >= _NEAR_M):
            kept.append(here + (following - here) * (_NEAR_M - here[2]) / (following[2] - here[2]))
    return np.array(kept)


def _background(horizon_px: float) -> Image.Image:
    """Sky above the horizon, distant ground below."""
    v = np.arange(HEIGHT, dtype=np.float64)
    up = np.clip((horizon_px - v) / horizon_px, 0, 1)[:, None]
    sky = _HAZE * (1 - up) + np.array([96.0, 150.0, 214.0]) * up
    below = np.clip((v - horizon_px) / (HEIGHT - horizon_px), 0, 1)[:, None] ** 0.35
    ground = _HAZE * (1 - below) + np.array([128.0, 136.0, 112.0]) * below
    column = np.where((v < horizon_px)[:, None], sky, ground)
    pixels = np.broadcast_to(np.rint(column)[:, None], (HEIGHT, WIDTH, 3)).astype(np.uint8)
    return Image.fromarray(np.ascontiguousarray(pixels))
