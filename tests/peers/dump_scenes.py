"""What nuscenes-devkit makes of a dataset, as parquet: boxes in the ego frame, velocities, projections.

    python dump_scenes.py DATAROOT VERSION REFERENCE_CHANNEL EVERY OUT

Every box is written, and the projections of every EVERYth key frame.
"""

import sys
from pathlib import Path

import numpy as np
import polars as pl
from nuscenes.nuscenes import NuScenes
from nuscenes.utils.data_classes import Box
from nuscenes.utils.geometry_utils import view_points
from pyquaternion import Quaternion


def into(box: Box, pose: dict) -> None:
    """Move a box from a pose's parent frame into its own."""
    box.translate(-np.array(pose["translation"]))
    box.rotate(Quaternion(pose["rotation"]).inverse)


def dump(dataroot: str, version: str, reference: str, every: int, out: Path) -> None:
    """Write boxes.parquet and corners.parquet."""
    nusc = NuScenes(version=version, dataroot=dataroot, verbose=False)
    boxes, corners = [], []
    for number, sample in enumerate(nusc.sample):
        lidar = nusc.get("ego_pose", nusc.get("sample_data", sample["data"][reference])["ego_pose_token"])
        for token in sample["anns"]:
            annotation = nusc.get("sample_annotation", token)
            box = nusc.get_box(token)
            into(box, lidar)
            ahead = box.rotation_matrix[:, 0]
            yaw = np.arctan2(ahead[1], ahead[0])
            velocity = nusc.box_velocity(token)
            boxes.append((token, sample["token"], annotation["category_name"], *box.center, yaw, *velocity))
        for channel, reading_token in sample["data"].items():
            if number % every or not channel.startswith("CAM"):
                continue
            reading = nusc.get("sample_data", reading_token)
            calibration = nusc.get("calibrated_sensor", reading["calibrated_sensor_token"])
            for token in sample["anns"]:
                box = nusc.get_box(token)
                into(box, nusc.get("ego_pose", reading["ego_pose_token"]))
                into(box, calibration)
                points = box.corners()
                pixels = view_points(points, np.array(calibration["camera_intrinsic"]), normalize=True)
                corners += [(token, channel, i, pixels[0, i], pixels[1, i], points[2, i]) for i in range(8)]
    columns = ["token", "key_frame", "category", "x", "y", "z", "yaw", "velocity_x", "velocity_y", "velocity_z"]
    pl.DataFrame(boxes, schema=columns, orient="row").write_parquet(out / "boxes.parquet")
    columns = ["token", "channel", "corner", "u", "v", "depth_m"]
    pl.DataFrame(corners, schema=columns, orient="row").write_parquet(out / "corners.parquet")


if __name__ == "__main__":
    dump(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), Path(sys.argv[5]))
