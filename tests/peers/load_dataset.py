"""Load a dataset with nuscenes-devkit and check what only another reader can judge.

Usage: load_dataset.py DATAROOT VERSION OUT.json
"""

import json
import sys
from pathlib import Path

import numpy as np
from nuscenes.nuscenes import NuScenes
from nuscenes.utils.data_classes import LidarPointCloud
from nuscenes.utils.geometry_utils import BoxVisibility, points_in_box


def main(dataroot: str, version: str, out: str) -> None:
    nusc = NuScenes(version=version, dataroot=dataroot, verbose=False)
    wrong_counts, speeds, boxes, frames = [], [], 0, 0
    for scene in nusc.scene:
        token, walked = scene["first_sample_token"], 0
        while token:
            sample = nusc.get("sample", token)
            path, in_sensor, _ = nusc.get_sample_data(sample["data"]["LIDAR_TOP"], box_vis_level=BoxVisibility.NONE)
            points = LidarPointCloud.from_file(path).points[:3]
            for box in in_sensor:
                counted = int(points_in_box(box, points).sum())
                if counted != nusc.get("sample_annotation", box.token)["num_lidar_pts"]:
                    wrong_counts.append(box.token)
                velocity = nusc.box_velocity(box.token)[:2]
                if np.isfinite(velocity).all():
                    speeds.append(float(np.hypot(*velocity)))
            boxes += len(in_sensor)
            walked += 1
            token = sample["next"]
        assert walked == scene["nbr_samples"], scene["name"]
        frames += walked
    cameras = [row for row in nusc.sample_data if row["sensor_modality"] == "camera"]
    for row in cameras[:12]:
        nusc.get_sample_data(row["token"])
    result = {
        "scenes": len(nusc.scene),
        "frames": frames,
        "boxes": boxes,
        "wrong_counts": wrong_counts,
        "fastest": max(speeds),
        "images": len(cameras),
    }
    Path(out).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:4])
