"""Images and calibrations of a frame's cameras."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probe4d.scenes.geometry import SE3
from probe4d.scenes.waymo_format.values import Unfit, known, microseconds, transform

__all__ = ["CHANNELS", "Camera", "read_cameras"]

CHANNELS: dict[int, str] = {
    1: "FRONT",
    2: "FRONT_LEFT",
    3: "FRONT_RIGHT",
    4: "SIDE_LEFT",
    5: "SIDE_RIGHT",
    6: "REAR_LEFT",
    7: "REAR",
    8: "REAR_RIGHT",
}
"""Names of cameras by their numbers in Waymo's data."""

_INTRINSICS = ("f_u", "f_v", "c_u", "c_v", "k1", "k2", "p1", "p2", "k3")

# Waymo's camera frame is x forward, y left, z up; the house's is x right, y down, z forward.
_WAYMO_SE3_SENSOR = SE3(np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), np.zeros(3))


@dataclass(frozen=True)
class Camera:
    """One camera's image and calibration.

    Attributes:
        channel: One of the names in `CHANNELS`.
        jpeg: The image as it was recorded, undecoded.
        timestamp_us: When the vehicle was at `global_SE3_ego`; null where the record does not say.
        global_SE3_ego: The vehicle's pose at the image's own time; null where the record does not say.
        ego_SE3_sensor: Extrinsics, of a camera frame x right, y down, z forward.
        intrinsics: Camera matrix in pixels, shape (3, 3).
        distortion: k1, k2, p1, p2, k3 as OpenCV has them, shape (5,).
        width: Of the image, pixels; null where the record does not say.
        height: Of the image, pixels; null where the record does not say.
    """

    channel: str
    jpeg: bytes
    timestamp_us: int | None
    global_SE3_ego: SE3 | None
    ego_SE3_sensor: SE3
    intrinsics: NDArray[np.float64]
    distortion: NDArray[np.float64]
    width: int | None
    height: int | None


def read_cameras(frame: Any) -> dict[str, Camera]:
    """Cameras by channel, in the order of `CHANNELS`, of a frame's message (`Frame` of `MESSAGES`).

    Raises:
        Unfit: A camera is not known, is there twice, or lacks a calibration that can be used.
    """
    images, calibrations = frame.images, frame.context.camera_calibrations
    image_of, calibration_of = {image.name: image for image in images}, {given.name: given for given in calibrations}
    if len(image_of) < len(images) or len(calibration_of) < len(calibrations):
        raise Unfit("has two images or two calibrations of one camera")
    cameras = {}
    for number in sorted(image_of):
        channel = known(CHANNELS, number, "camera")
        if number not in calibration_of:
            raise Unfit(f"has an image of the camera {channel} and no calibration")
        cameras[channel] = _camera(channel, image_of[number], calibration_of[number])
    return cameras


def _camera(channel: str, image: Any, calibration: Any) -> Camera:
    extrinsics = transform(calibration, "extrinsic", f"extrinsics of the camera {channel}")
    if extrinsics is None:
        raise Unfit(f"has no extrinsics of the camera {channel}")
    intrinsics = np.array(calibration.intrinsic, dtype=np.float64)
    if len(intrinsics) != len(_INTRINSICS) or not np.isfinite(intrinsics).all():
        raise Unfit(f"has intrinsics of the camera {channel} that are not finite values of {', '.join(_INTRINSICS)}")
    f_u, f_v, c_u, c_v = intrinsics[:4]
    return Camera(
        channel=channel,
        jpeg=image.image,
        timestamp_us=microseconds(image.pose_timestamp) if image.HasField("pose_timestamp") else None,
        global_SE3_ego=transform(image, "pose", f"a pose at the image of the camera {channel}"),
        ego_SE3_sensor=extrinsics.compose(_WAYMO_SE3_SENSOR),
        intrinsics=np.array([[f_u, 0.0, c_u], [0.0, f_v, c_v], [0.0, 0.0, 1.0]]),
        distortion=intrinsics[4:],
        width=calibration.width if calibration.HasField("width") else None,
        height=calibration.height if calibration.HasField("height") else None,
    )
