"""The real frame of Waymo's perception data as a dataset folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from probe4d.evidence.pictures import Picture, PictureOptions
from probe4d.evidence.rendering import Renderer
from probe4d.scenes.image_boxes import image_boxes
from probe4d.scenes.nuscenes_writing.conversion import Converted
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.projection import Cameras, project_boxes
from probe4d.scenes.waymo.conversion import convert_waymo
from probe4d.scenes.waymo_format.cameras import CHANNELS
from waymo_making import decoded, real_frame, values_of

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def real(real_data: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Converted]:
    folder = real_data("waymo")
    converted = convert_waymo(folder, tmp_path_factory.mktemp("real") / "data")
    return real_frame(folder / "perception_one_frame.tfrecord"), converted


def test_the_real_frame_reads_back(real: tuple[bytes, Converted]) -> None:
    raw, converted = real
    scenes = open_scenes(converted.root)
    (name,) = values_of(values_of(raw, 1)[0], 1)
    assert scenes.names == [name.decode()]
    assert scenes.scenes.select("location", "description").rows() == [("location_sf", "Day, sunny")]
    jpegs = {values_of(image, 2)[0] for image in values_of(raw, 4)}
    assert {(converted.root / file).read_bytes() for file in scenes.sensors["file"]} == jpegs
    told = {values_of(one, 4)[0].decode(): dict(decoded(one)) for one in values_of(raw, 6)}
    assert scenes.boxes.height == len(told) == 75
    assert sorted(scenes.boxes["lidar_points"]) == sorted(one.get(7, 0) for one in told.values())
    boxes = np.array(
        [[box[n] for n in (1, 2, 3, 5, 4, 6, 7)] for one in told.values() if (box := dict(decoded(one[1])))]
    )
    found = scenes.boxes.select("ego_x", "ego_y", "ego_z", "length", "width", "height", "ego_yaw").to_numpy()
    boxes[:, 6] = (boxes[:, 6] + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(found[np.lexsort(found.T)], boxes[np.lexsort(boxes.T)], atol=2e-3)
    assert scenes.boxes["label"].value_counts().sort("label").rows() == [(None, 62), ("bicycle", 1), ("pedestrian", 12)]


def test_boxes_of_the_real_frame_project_to_where_waymo_projects_them(real: tuple[bytes, Converted]) -> None:
    """Of the boxes near the middle of an image, where lens distortion is less than a pixel or two."""
    raw, converted = real
    scenes = open_scenes(converted.root)
    centres = {
        values_of(one, 4)[0]: np.array([dict(decoded(values_of(one, 1)[0]))[n] for n in (1, 2, 3)])
        for one in values_of(raw, 6)
    }
    in_ego = scenes.boxes.select("ego_x", "ego_y", "ego_z").to_numpy()
    compared = 0
    for of_camera in values_of(raw, 9):
        readings = scenes.sensors.filter(channel=CHANNELS[values_of(of_camera, 1)[0]])
        for one in values_of(of_camera, 2):
            flat = dict(decoded(values_of(one, 1)[0]))  # centre x, y; 4 is the extent along y, 5 along x
            middle, half = np.array([flat[1], flat[2]]), np.array([flat[5], flat[4]]) / 2
            edges = np.concatenate([middle - half, middle + half])
            if edges[0] < 480 or edges[2] > 1440 or edges[1] < 100 or edges[3] > readings["height"][0] - 100:
                continue
            centre = next(centres[name] for name in centres if values_of(one, 4)[0].startswith(name))
            box = scenes.boxes[int(np.linalg.norm(in_ego - centre, axis=1).argmin())]
            pixels = project_boxes(box, Cameras.of(readings)).pixels[0]
            assert np.concatenate([pixels.min(axis=0), pixels.max(axis=0)]) == pytest.approx(edges, abs=2)
            compared += 1
    assert compared >= 20


def test_boxes_of_the_real_frame_are_found_in_images(real: tuple[bytes, Converted]) -> None:
    scenes = open_scenes(real[1].root)
    shown = image_boxes(scenes)
    assert set(shown["channel"]) == set(list(CHANNELS.values())[:5])
    assert shown["token"].n_unique() >= 45
    with Renderer(scenes, PictureOptions(max_side_px=640)) as renderer:
        assert renderer.render(Picture("cameras", scenes.names[0], 0, 0)).media_type == "image/jpeg"
