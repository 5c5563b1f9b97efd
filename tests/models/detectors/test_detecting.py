"""Images asked about one by one: kept as they are done, gone on with after a kill, and never mixed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from PIL import Image

from camera_scenes import HEIGHT_PX, WIDTH_PX, camera_scenes
from probe4d.errors import InputError
from probe4d.evidence.camera_images import CameraImages
from probe4d.models.detectors.detecting import detect
from probe4d.models.detectors.detector import Detection
from probe4d.scenes.estimated.schema import DETECTIONS_SCHEMA
from probe4d.scenes.tables import Scenes

PROMPTS = ("car", "pedestrian")


class Scripted:
    """Finds a box as wide as the number of images that it has seen before, and breaks off where it is told to."""

    name = "scripted"
    fingerprint = "0123456789abcdef"

    def __init__(self, breaks_at: int | None = None) -> None:
        self.seen = 0
        self._breaks_at = breaks_at

    def detect(self, images: Sequence[Image.Image], prompts: Sequence[str]) -> list[list[Detection]]:
        found = []
        for image in images:
            assert image.size == (WIDTH_PX, HEIGHT_PX)
            if self.seen == self._breaks_at:
                raise KeyboardInterrupt
            self.seen += 1
            mean = sum(image.resize((1, 1)).getpixel((0, 0)))  # tells the images apart
            found.append([self._box(word, mean + n) for n, word in enumerate(prompts)] if self.seen != 2 else [])
        return found

    def _box(self, word: str, left: float) -> Detection:
        return Detection(category=word, left_px=left, top_px=1, right_px=left + 10, bottom_px=9, confidence=0.5)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return camera_scenes(tmp_path_factory.mktemp("scenes"), {"a": 3, "b": 2}, images=True)


def images(scenes: Scenes) -> CameraImages:
    return CameraImages(scenes, "CAM_FRONT")


def test_every_image_is_asked_about_once(scenes: Scenes, tmp_path: Path) -> None:
    told: list[object] = []
    watch = {"begun": lambda *counts: told.append(counts), "done": told.append}
    table = detect(images(scenes), Scripted(), PROMPTS, tmp_path / "job", **watch)
    assert told == [(5, 0), ("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1)]
    assert dict(table.schema) == DETECTIONS_SCHEMA
    keys = [("a", 0), ("a", 2), ("b", 0), ("b", 1)]  # nothing was found in the second image
    assert table.select("scene", "frame").rows() == [key for key in keys for _ in PROMPTS]
    assert table["category"].to_list() == list(PROMPTS) * 4
    assert table["mask_quality"].null_count() == table.height


@pytest.mark.parametrize("batch", [1, 2])
def test_a_job_that_was_broken_off_goes_on(scenes: Scenes, tmp_path: Path, batch: int) -> None:
    whole = detect(images(scenes), Scripted(), PROMPTS, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        detect(images(scenes), Scripted(breaks_at=3), PROMPTS, tmp_path / "broken", batch=batch)
    journal = tmp_path / "broken" / "detections.jsonl"
    kept = len(journal.read_text().splitlines())
    assert kept == 3 // batch * batch
    with open(journal, "ab") as file:
        file.write(b'{"scene":"b","frame":1,"fou')  # a line that a kill cut short
    told: list[object] = []
    detector = Scripted()
    detector.seen = kept
    gone_on = detect(images(scenes), detector, PROMPTS, tmp_path / "broken", begun=lambda *n: told.append(n))
    assert told == [(5, kept)]
    assert detector.seen == 5
    assert gone_on.equals(whole)
    again = Scripted(breaks_at=0)
    assert detect(images(scenes), again, PROMPTS, tmp_path / "broken").equals(whole)


KILLED = """
import sys, time
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from camera_scenes import camera_scenes
from test_detecting import PROMPTS, Scripted, images
from probe4d.models.detectors.detecting import detect

scenes = camera_scenes(Path(sys.argv[1]), {"a": 3, "b": 2})
detect(images(scenes), Scripted(), PROMPTS, sys.argv[2], done=lambda key: (print(key, flush=True), time.sleep(0.2)))
"""


def test_a_killed_job_goes_on(scenes: Scenes, tmp_path: Path) -> None:
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    told = [sys.executable, "-c", KILLED, str(scenes.root), str(tmp_path / "job"), *folders]
    with subprocess.Popen(told, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["('a', 0)\n", "('a', 1)\n"]
        process.kill()
    kept = (tmp_path / "job" / "detections.jsonl").read_bytes()
    assert 2 <= kept.count(b"\n") < 5
    counts: list[object] = []
    detector = Scripted()
    detector.seen = kept.count(b"\n")
    gone_on = detect(images(scenes), detector, PROMPTS, tmp_path / "job", begun=lambda *n: counts.append(n))
    assert counts == [(5, kept.count(b"\n"))]
    assert gone_on.equals(detect(images(scenes), Scripted(), PROMPTS, tmp_path / "whole"))
    assert (tmp_path / "job" / "detections.jsonl").read_bytes().startswith(kept)


def test_scenes_may_be_chosen_and_others_added(scenes: Scenes, tmp_path: Path) -> None:
    some = detect(images(scenes), Scripted(), PROMPTS, tmp_path, scenes=["b"])
    assert set(some["scene"]) == {"b"}
    told: list[object] = []
    detect(images(scenes), Scripted(), PROMPTS, tmp_path, begun=lambda *n: told.append(n))
    assert told == [(5, 2)]
    with pytest.raises(InputError, match="has no scene 'c'"):
        detect(images(scenes), Scripted(), PROMPTS, tmp_path, scenes=["c"])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda scripted, scenes: (scripted, scenes, ("car",)), r"prompts \('car', 'pedestrian'\), now"),
        (lambda scripted, scenes: (scripted, replace(scenes, fingerprint="e" * 64), PROMPTS), "other dataset"),
    ],
)
def test_a_folder_of_another_job_is_refused(scenes: Scenes, tmp_path: Path, changed, said: str) -> None:
    detect(images(scenes), Scripted(), PROMPTS, tmp_path)
    detector, others, prompts = changed(Scripted(), scenes)
    with pytest.raises(InputError, match=f"holds a detection that was asked otherwise: .*{said}"):
        detect(images(others), detector, prompts, tmp_path)


def test_a_folder_with_something_else_is_refused(scenes: Scenes, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="is no folder of this detection and is not empty"):
        detect(images(scenes), Scripted(), PROMPTS, tmp_path)


def test_a_journal_that_was_changed_is_refused(scenes: Scenes, tmp_path: Path) -> None:
    detect(images(scenes), Scripted(), PROMPTS, tmp_path)
    journal = tmp_path / "detections.jsonl"
    line = json.loads(journal.read_text().splitlines()[0])
    line["found"][0]["confidence"] = 7
    journal.write_text(json.dumps(line) + "\n")
    with pytest.raises(InputError, match=r"detections\.jsonl, line 1: is no valid record"):
        detect(images(scenes), Scripted(), PROMPTS, tmp_path)


def test_images_that_cannot_be_read_are_named_and_the_others_kept(tmp_path: Path) -> None:
    scenes = camera_scenes(tmp_path / "data", {"a": 3}, images=True)
    path = tmp_path / "data" / "a-2.jpg"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=r"a-2\.jpg: is cut off"):
        detect(images(scenes), Scripted(), PROMPTS, tmp_path / "job")
    assert len((tmp_path / "job" / "detections.jsonl").read_text().splitlines()) == 2
    path.unlink()
    with pytest.raises(InputError, match=r"a-2\.jpg: is not there\. So it is with 1 image in all\."):
        detect(images(scenes), Scripted(), PROMPTS, tmp_path / "job")
    path.write_bytes(content)
    detect(images(scenes), Scripted(), PROMPTS, tmp_path / "job")


def test_a_key_frame_without_an_image_has_no_objects(scenes: Scenes, tmp_path: Path) -> None:
    fewer = replace(scenes, sensors=scenes.sensors.filter((pl.col("scene") != "a") | (pl.col("frame") != 1)))
    table = detect(images(fewer), Scripted(), PROMPTS, tmp_path)
    assert table.filter(scene="a", frame=1).is_empty()
    assert len((tmp_path / "detections.jsonl").read_text().splitlines()) == 4


def test_numbers_that_there_are_not_are_refused(scenes: Scenes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="batch and workers must be at least 1, not 0 and 2"):
        detect(images(scenes), Scripted(), PROMPTS, tmp_path, batch=0)
    with pytest.raises(InputError, match="at least one prompt"):
        detect(images(scenes), Scripted(), (), tmp_path)
    assert not any(tmp_path.iterdir())
