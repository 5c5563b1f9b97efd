"""Camera images in pages: small, few, evenly chosen; what cannot be read is told and stops nothing."""

from __future__ import annotations

import base64
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from view_making import GREEN, image_path, view_question, view_scenes

import making
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.report import browser as browser_module
from probe4d.report.browser import Browser, browser
from probe4d.report.camera_panels import CameraPanels, CameraView
from probe4d.report.drawing import picture_svg, write_picture
from probe4d.report.embedded_photographs import MOST_BYTES, SMALL, Photograph, Photographs, in_turn
from probe4d.report.picture import Pictures

VIEW = CameraView("samples/CAM_FRONT/scene-a-0.png", (1600, 900))


def opened(photograph: Photograph) -> Image.Image:
    assert photograph.jpeg is not None
    content = base64.b64decode(photograph.jpeg)
    assert len(content) <= MOST_BYTES
    return Image.open(io.BytesIO(content))


def saved(image: Image.Image, root: Path) -> Photograph:
    path = image_path(root)
    path.parent.mkdir(parents=True)
    image.save(path)
    return Photographs(root, SMALL).of(VIEW)


def test_an_image_is_scaled(tmp_path: Path) -> None:
    image = opened(saved(Image.new("RGB", (1600, 900), GREEN), tmp_path))
    assert (image.format, image.size) == ("JPEG", (800, 450))
    assert image.getpixel((400, 225)) == pytest.approx(GREEN, abs=4)


def test_noise_becomes_small_enough(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (900, 1600, 3), dtype=np.uint8)
    image = opened(saved(Image.fromarray(noise), tmp_path))
    assert 300 <= image.width < 800
    assert image.width / image.height == pytest.approx(16 / 9, rel=0.02)


def test_an_image_scaled_beforehand_is_taken_as_it_is(tmp_path: Path) -> None:
    assert opened(saved(Image.new("RGB", (640, 360)), tmp_path)).size == (800, 450)


def test_a_small_camera_stays_small(tmp_path: Path) -> None:
    Image.new("RGB", (320, 180)).save(tmp_path / "small.png")
    assert opened(Photographs(tmp_path, SMALL).of(CameraView("small.png", (320, 180)))).size == (320, 180)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read"),
        (b"", "is empty"),
        (b"no image", "is no JPEG or PNG image"),
        ((200, 200), "is not 1600 by 900 pixels or a like shape"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, content: bytes | tuple[int, int] | None, told: str) -> None:
    path = image_path(tmp_path)
    path.parent.mkdir(parents=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        Image.new("RGB", content).save(path)
    photograph = Photographs(tmp_path, SMALL).of(VIEW)
    assert photograph.jpeg is None
    assert photograph.problem is not None
    assert told in photograph.problem
    assert photograph.problem.startswith("The image samples/CAM_FRONT/scene-a-0.png ")
    assert str(tmp_path) not in photograph.problem


def test_a_file_outside_the_dataset_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    Image.new("RGB", (1600, 900)).save(tmp_path / "secret.png")
    photograph = Photographs(tmp_path / "data", SMALL).of(CameraView("../secret.png", (1600, 900)))
    assert photograph.jpeg is None
    assert photograph.problem is not None


def _asked(frames: int) -> list[Question]:
    return [
        view_question(["car", "truck"], frame=frame, template=template, question=f"{template}, {frame}?", order=order)
        for order, (frame, template) in enumerate(
            (frame, name) for frame in range(frames) for name in ("left", "right")
        )
    ]


def test_templates_and_outcomes_take_turns() -> None:
    questions = _asked(40)
    views = {one.id: f"view {one.id}" for one in questions}
    wrong = [one.id for one in questions if one.template == "left"][:4]
    first = in_turn(questions, views, wrong)[:12]
    by_view = {views[one.id]: (one.template, one.id in wrong) for one in questions}
    assert Counter(by_view[view] for view in first) == {("left", True): 4, ("left", False): 4, ("right", False): 4}
    assert in_turn(questions[::-1], views, wrong[::-1]) == in_turn(questions, views, wrong)


def test_a_view_has_one_turn_and_questions_without_have_none() -> None:
    questions = _asked(3)
    views = {one.id: f"frame {one.frames[0]}" for one in questions[:-1]}
    assert sorted(in_turn(questions, views, [])) == ["frame 0", "frame 1", "frame 2"]


def packed(made: Browser) -> dict[str, Any]:
    return json.loads(made.data)  # type: ignore[no-any-return]


def diagnosed(questions: list[Question]) -> Any:
    benchmark = making.benchmark_of(questions)
    run = making.run_of("model", benchmark, [{"question": one.id, "text": "Yes"} for one in questions])
    return diagnose(benchmark, [run])


def test_questions_about_a_view_share_its_image(tmp_path: Path) -> None:
    made = browser(diagnosed(_asked(3)), view_scenes(tmp_path, frames=3, images=range(3)))
    data = packed(made)
    assert len(data["photographs"]) == 3
    assert {one["panels"][0]["photograph"] for one in data["pictures"]} == set(data["photographs"])
    assert not any("image" in note for note in made.notes)


def test_beyond_the_most_images_it_is_said_how_to_see_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_module, "MOST_PHOTOGRAPHS", 2)
    made = browser(diagnosed(_asked(3)), view_scenes(tmp_path, frames=3, images=range(3)))
    assert len(packed(made)["photographs"]) == 2
    (note,) = (note for note in made.notes if "image" in note)
    assert "Of 6 questions about the view of one camera here, 4 have its image: it is that of one of 2 images" in note
    assert "`probe4d show BENCH ID --data DATAROOT`" in note


def test_missing_files_take_no_image_s_place_and_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_module, "MOST_PHOTOGRAPHS", 1)
    made = browser(diagnosed(_asked(3)), view_scenes(tmp_path, frames=3, images=[1]))
    photographs = packed(made)["photographs"]
    assert "jpeg" in photographs["scene-a|1|CAM_FRONT"]
    for frame in (0, 2):
        told = photographs[f"scene-a|{frame}|CAM_FRONT"]["problem"]
        assert told == f"The image samples/CAM_FRONT/scene-a-{frame}.png is not there."
    assert any(note.startswith("4 questions about the view of one camera have outlines without") for note in made.notes)


def test_a_page_stays_below_its_limit_with_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_module, "BYTES", 20_000)
    scenes = view_scenes(tmp_path, frames=12, images=range(12))
    made = browser(diagnosed(_asked(12)), scenes)
    assert 0 < made.shown < 24
    assert len(made.data.encode()) <= 20_000
    pictures = packed(made)["pictures"]
    assert pictures == packed(browser(diagnosed(_asked(12)), scenes, limit=made.shown))["pictures"]


def test_a_picture_file_has_the_image(tmp_path: Path) -> None:
    (asked, _) = _asked(1)
    path = write_picture(asked, view_scenes(tmp_path, images=[0]), tmp_path / "x.png")
    with Image.open(path) as image:
        assert image.width > 2 * image.height > 0
        assert image.convert("RGB").getpixel((100, image.height - 200)) == pytest.approx(GREEN, abs=6)


def test_a_picture_file_is_written_without_the_image(tmp_path: Path) -> None:
    (asked, _) = _asked(1)
    with Image.open(write_picture(asked, view_scenes(tmp_path), tmp_path / "x.png")) as image:
        assert image.width > 2 * image.height > 0


def test_a_drawing_says_why_it_lacks_the_image() -> None:
    (asked, _) = _asked(1)
    scenes = view_scenes()
    pictures = Pictures(scenes, scenes.names, CameraPanels(scenes, [asked]))
    svg = picture_svg(asked, pictures, Photograph(problem="The image <x> is not there."))
    assert svg is not None
    assert "The image &lt;x&gt; is not there." in svg
    assert "<image" not in svg
