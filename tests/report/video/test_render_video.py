"""Videos of scenes: what is decoded back is what was drawn, and what was drawn is where it must be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from probe4d.report.video.options import VideoOptions
from probe4d.report.video.render import render_video
from probe4d.scenes.opening import open_scenes

SMALL = (480, 270)


def decoded(path: Path) -> list[NDArray[np.uint8]]:
    """The pictures of an MP4, red, green and blue."""
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def animated(path: Path) -> list[NDArray[np.uint8]]:
    """The pictures of a GIF or a WebP."""
    with Image.open(path) as image:
        frames = []
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            frames.append(np.array(image.convert("RGB")))
        return frames


def pictures(folder: Path) -> list[NDArray[np.uint8]]:
    return [np.array(Image.open(path)) for path in sorted(folder.iterdir())]


@pytest.mark.parametrize("view", ["above", "orbit", "cameras"])
def test_every_key_frame_is_decoded_back_as_it_was_drawn(
    view: str, real_data: Callable[[str], Path], tmp_path: Path
) -> None:
    scenes = open_scenes(real_data("kitti_0001_nuscenes_format"))
    options = VideoOptions(view=view, size_px=SMALL, frames=(3, 8))  # type: ignore[arg-type]
    rendered = render_video(scenes, "scene-kitti-0001", tmp_path / "video.mp4", options)
    assert (rendered.frames, rendered.blanks) == (6, ())
    render_video(scenes, "scene-kitti-0001", tmp_path / "drawn", options)
    drawn, seen = pictures(tmp_path / "drawn"), decoded(tmp_path / "video.mp4")
    assert [path.name for path in sorted((tmp_path / "drawn").iterdir())] == [f"00{n}.png" for n in range(3, 9)]
    assert len(drawn) == len(seen) == 6
    for one, other in zip(drawn, seen, strict=True):
        assert np.abs(one.astype(int) - other).mean() < 6  # colours lie at half of the size
