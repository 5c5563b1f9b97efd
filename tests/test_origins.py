"""What datasets are called, and what licences are stated of them."""

from __future__ import annotations

import pytest

from probe4d.origins import Licence, licence_in_words, licence_of, title_of
from probe4d.scenes.tables import Scenes


@pytest.mark.parametrize(
    ("version", "title", "identifier"),
    [
        ("v1.0-mini", "nuScenes v1.0-mini", "other"),
        ("v1.0-trainval", "nuScenes v1.0-trainval", "other"),
        ("v1.0-sim", "Probe4D's simulation (v1.0-sim, in nuScenes format)", "cc0-1.0"),
        ("v1.0-wod-e2e", "Waymo's end-to-end data (v1.0-wod-e2e, in nuScenes format)", "other"),
        ("v1.0-waymo", "Waymo's perception data (v1.0-waymo, in nuScenes format)", "other"),
        ("v1.0-kitti", "v1.0-kitti (in nuScenes format)", "unknown"),
    ],
)
def test_a_format_is_no_dataset(version: str, title: str, identifier: str) -> None:
    assert title_of("nuscenes", version) == title
    licence = licence_of(version)
    assert licence.identifier == identifier
    assert (licence.name is not None) == (identifier == "other")
    assert licence_in_words(licence.words) == licence


def test_words_that_are_not_known_keep_their_place_in_the_card() -> None:
    assert licence_in_words("its own") == Licence("its own", "other", "see-card", None)
    assert title_of("lidar-hallu-release", "as released") == "lidar-hallu-release, as released"


def test_simulated_scenes_are_in_the_public_domain(scenes: Scenes) -> None:
    assert scenes.licence.startswith("CC0 1.0 Universal: simulated by Probe4D")
