"""Pictures of every template of NuScenes-SpatialQA on a real scene, as it is built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from probe4d.benchmarks.question import Question
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES
from probe4d.benchmarks.suites import build
from probe4d.report.camera_panels import CameraPanels
from probe4d.report.drawing import write_picture
from probe4d.report.measured import measured
from probe4d.report.picture import Pictures
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def scene(real_data: Callable[[str], Path]) -> Scenes:
    return open_scenes(real_data("nuscenes_mini")).select(["scene-0061"])


@pytest.fixture(scope="module")
def questions(scene: Scenes) -> list[Question]:
    return build("spatial-qa", scene, refer="marker", scale="sample:190", split="all").questions


@pytest.fixture(scope="module")
def cameras(scene: Scenes, questions: list[Question]) -> CameraPanels:
    return CameraPanels(scene, questions)


def test_all_that_a_question_names_is_outlined_and_called_by_its_words_or_letter(
    questions: list[Question], cameras: CameraPanels
) -> None:
    assert {one.template for one in questions} == set(TEMPLATES)
    for asked in questions:
        panel = cameras.panel(asked)
        assert panel is not None
        outlined = [shape for shape in panel.shapes if shape.kind.startswith("box") and shape.kind != "box witness"]
        assert len(outlined) == len(asked.facts["objects"]), asked.template
        texts = [label.text for label in panel.labels]
        for words in (*asked.entities, *"ABCD"[: len(asked.options)]):
            assert any(text == words or text.startswith(f"{words}, ") for text in texts), asked.template
        assert [shape.kind for shape in outlined].count("box right") == bool(asked.options)


def test_what_decides_is_shown_or_said_to_be_outside(questions: list[Question], cameras: CameraPanels) -> None:
    decided = [one for one in questions if one.facts.get("witness") is not None]
    assert decided
    for asked in decided:
        panel = cameras.panel(asked)
        assert panel is not None
        assert [label.kind for label in panel.labels if "(decides)" in label.text] in (["witness"], ["absent"])


def test_every_question_has_both_pictures_and_its_facts_in_words(
    scene: Scenes, questions: list[Question], cameras: CameraPanels
) -> None:
    pictures = Pictures(scene, scene.names, cameras)
    for asked in questions:
        drawn = pictures.picture(asked)
        assert drawn is not None
        assert [panel.photograph is not None for panel in drawn.panels] == [True, False]
        assert not [name for name, _ in measured(asked) if "_" in name]


def test_the_photograph_is_in_the_file(scene: Scenes, questions: list[Question], tmp_path: Path) -> None:
    first = [one for one in questions if one.frames == (0,)]  # the one key frame whose images are there
    later = [one for one in questions if one.frames != (0,)]
    sizes = {}
    for name, asked in (("there", first[0]), ("missing", later[0])):
        path = write_picture(asked, scene, tmp_path / f"{name}.png")
        with Image.open(path) as image:
            assert image.width > 2000
        sizes[name] = path.stat().st_size
    assert sizes["there"] > 5 * sizes["missing"]
