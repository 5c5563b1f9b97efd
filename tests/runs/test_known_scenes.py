"""Features that are shown: only the files of scenes that a run needs are opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from exhibit_making import question, scenes_of

from making import question as any_question
from probe4d.benchmarks.suite import ANSWERS_SCHEMA
from probe4d.errors import InputError
from probe4d.models.lidar_lm.features import FeatureFolder, FeatureRecord, start_features, write_rows
from probe4d.models.request import FeatureRows
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.exhibits import Exhibits, exhibits
from probe4d.scenes.tables import Scenes

LENGTHS = {"a": 3, "b": 3, "c": 3, "d": 5}
WIDTH = 4


def write_features(folder: Path, lengths: Mapping[str, int] = LENGTHS, *, layout: str = "ours") -> Path:
    folder.mkdir()
    if layout == "ours":
        start_features(folder, FeatureRecord(encoder=None, width=WIDTH))
    for scene, frames in lengths.items():
        rows = np.ones((frames, WIDTH), dtype=np.float32)
        if layout == "ours":
            write_rows(folder, scene, rows)
        else:
            np.save(folder / f"{scene}.npy", rows)
    return folder


def cut_off(folder: Path, scene: str) -> None:
    (path,) = folder.glob(f"{scene}.*")
    path.write_bytes(path.read_bytes()[:-4])


def other_length(folder: Path, scene: str) -> None:
    write_rows(folder, scene, np.ones((2, WIDTH), dtype=np.float32))


def shown(folder: Path, scenes: Scenes | None, evidence: str = "lidar", **told: object) -> Exhibits:
    """What a question about scene `a` shows."""
    plan = evidence_named(evidence, usual_view="lidar")
    asked = question("q", scene="a")
    return exhibits([asked], plan, scenes, features=FeatureFolder(folder), **told)


@pytest.mark.parametrize("layout", ["ours", "released"])
@pytest.mark.parametrize("dataset", [scenes_of(LENGTHS), None], ids=["with a dataset", "without"])
class TestCutOff:
    def test_files_that_no_question_needs_stop_nothing(
        self, tmp_path: Path, layout: str, dataset: Scenes | None
    ) -> None:
        folder = write_features(tmp_path / "features", layout=layout)
        whole = shown(folder, dataset)
        for scene in "bcd":
            cut_off(folder, scene)
        assert shown(folder, dataset) == whole
        assert whole.of["q"].features == FeatureRows("a", (0, 1, 2))

    def test_one_that_is_asked_about_is_told(self, tmp_path: Path, layout: str, dataset: Scenes | None) -> None:
        folder = write_features(tmp_path / "features", layout=layout)
        cut_off(folder, "a")
        with pytest.raises(InputError, match=r"a\.(safetensors|npy): cannot be read as features"):
            shown(folder, dataset)


class TestOtherScene:
    """Of the scenes as long as `a`, `b` has its right answer and `c` has another one."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return write_features(tmp_path / "features")

    @pytest.fixture
    def elsewhere(self) -> Callable[..., pl.DataFrame]:
        answers = [("q", "b", "Yes"), ("q", "c", "No")]
        return lambda *_: pl.DataFrame(answers, schema=ANSWERS_SCHEMA, orient="row")

    @pytest.mark.parametrize("spoil", [cut_off, other_length])
    def test_needs_the_files_of_its_own_and_of_the_one_shown(
        self, folder: Path, elsewhere: Callable[..., pl.DataFrame], spoil: Callable[[Path, str], None]
    ) -> None:
        for scene in "bd":
            spoil(folder, scene)
        found = shown(folder, scenes_of(LENGTHS), "other-scene", elsewhere=elsewhere).of["q"]
        assert (found.features, found.shown_answer) == (FeatureRows("c", (0, 1, 2)), "No")
        for scene in "ca":
            spoil(folder, scene)
            with pytest.raises(
                InputError, match=rf"{scene}\.safetensors: (cannot be read|has features of 2 key frames)"
            ):
                shown(folder, scenes_of(LENGTHS), "other-scene", elsewhere=elsewhere)

    def test_without_a_dataset_the_files_tell_how_long_scenes_are(self, folder: Path) -> None:
        (folder / "b.safetensors").unlink()
        assert shown(folder, None, "other-scene").of["q"].shown_scene == "c"
        cut_off(folder, "d")
        with pytest.raises(InputError, match=r"d\.safetensors: cannot be read"):
            shown(folder, None, "other-scene")


@pytest.mark.parametrize("told", [None, 4])
def test_another_number_of_key_frames_than_dataset_or_question_say(tmp_path: Path, told: int | None) -> None:
    folder = write_features(tmp_path / "features")
    dataset = scenes_of(LENGTHS | {"a": 4}) if told is None else None
    asked = any_question("q", scene="a", keyframes=told)
    with pytest.raises(InputError, match=r"a\.safetensors: has features of 3 key frames, and the scene has 4\."):
        exhibits([asked], evidence_named("lidar"), dataset, features=FeatureFolder(folder))
