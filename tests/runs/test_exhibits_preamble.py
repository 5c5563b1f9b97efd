from __future__ import annotations

from collections.abc import Sequence

import pytest

from probe4d.evidence import birds_eye
from probe4d.evidence.camera_grid import SURROUND
from probe4d.evidence.pictures import VIEWS, Picture, View
from probe4d.runs.preamble import preamble


def pictures(labels: Sequence[int], view: View = "cameras", black: bool = False) -> list[Picture]:
    return [Picture(view, "scene-0001", label + 3, label, (), black) for label in labels]


def test_one_grid() -> None:
    assert preamble(pictures([12]), tuple(SURROUND)) == (
        "The image above shows frame 012 of a driving scene.\n"
        "It has the frame number at the top and the views of 6 cameras of the ego vehicle, each under its name, row by "
        "row from the top left: front-left, front, front-right, back-left, back, back-right.\n\n"
    )


def test_several_grids_of_some_cameras() -> None:
    assert preamble(pictures([4, 6, 8]), ("CAM_FRONT", "SIDE_CAM")) == (
        "The 3 images above show frames of a driving scene. Image 1: frame 004, Image 2: frame 006, Image 3: frame 008."
        "\nEach image has the frame number at the top and the views of 2 cameras of the ego vehicle, each under its "
        "name, row by row from the top left: front, SIDE_CAM.\n\n"
    )


def test_one_camera() -> None:
    assert preamble(pictures([0]), ("CAM_FRONT",)) == (
        "The image above shows frame 000 of a driving scene.\n"
        "It has the frame number at the top and the view of the front camera of the ego vehicle.\n\n"
    )


def test_the_image_of_one_camera_has_nothing_written_into_it() -> None:
    assert preamble(pictures([12], "one-camera"), ("CAM_BACK_LEFT",)) == (
        "The image above shows frame 012 of a driving scene.\n"
        "It is the view of the back-left camera of the ego vehicle.\n\n"
    )
    assert preamble(pictures([4, 6], "one-camera"), ("SIDE_CAM",)) == (
        "The 2 images above show frames of a driving scene. Image 1: frame 004, Image 2: frame 006.\n"
        "Each image is the view of the SIDE_CAM camera of the ego vehicle.\n\n"
    )


def test_which_camera_is_asked_about_is_said_where_others_are_seen() -> None:
    said = " The question is about the view of the front camera.\n\n"
    assert preamble(pictures([0]), tuple(SURROUND), asked="CAM_FRONT").endswith(said)
    assert preamble(pictures([0], "birds-eye"), asked="CAM_FRONT").endswith(said)
    for view in ("cameras", "one-camera"):
        alone = pictures([0], view)  # type: ignore[arg-type]
        assert preamble(alone, ("CAM_FRONT",), asked="CAM_FRONT") == preamble(alone, ("CAM_FRONT",))


def test_letters_are_spoken_of_where_there_are_any() -> None:
    for view in VIEWS:
        plain = preamble(pictures([0], view), ("CAM_FRONT",))
        lettered = preamble(pictures([0], view), ("CAM_FRONT",), lettered=True)
        assert lettered == plain[:-2] + " The objects that the question names are outlined, each with its letter.\n\n"


def test_birds_eye_views() -> None:
    assert preamble(pictures([0, 39], "birds-eye")) == (
        "The 2 images above show frames of a driving scene. Image 1: frame 000, Image 2: frame 039.\n"
        "Each image has the frame number at the top and shows LiDAR points from above. The ego vehicle is in the "
        "middle and heads up: what is in front of it is above, what is on its left is on the left. The view reaches "
        "50 m to the front, back, left and right; the rings around the ego vehicle are 10 m apart. Colors tell height, "
        "from dark (-1 m and below) to bright (4 m and above).\n\n"
    )


def test_extent_and_scale_are_those_of_the_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probe4d.runs.preamble.EXTENT_M", 2 * birds_eye.EXTENT_M)
    assert "reaches 100 m" in preamble(pictures([0], "birds-eye"))


@pytest.mark.parametrize("view", VIEWS)
def test_blank_pictures_are_spoken_of_like_others(view: View) -> None:
    cameras = tuple(SURROUND)
    assert preamble(pictures([1, 2], view, black=True), cameras) == preamble(pictures([1, 2], view), cameras)


def test_nothing_is_said_of_no_pictures() -> None:
    assert preamble([]) == ""


def test_sixteen_frames_are_listed_briefly() -> None:
    assert len(preamble(pictures(range(16)), tuple(SURROUND)).split()) < 120
