from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from probe4d.benchmarks.benchmark import BenchmarkRecord, SourceDataset
from probe4d.benchmarks.splits import select_split, split_findings
from probe4d.errors import InputError
from probe4d.scenes.splits import OFFICIAL_SPLITS
from probe4d.scenes.tables import BOXES_SCHEMA, KEYFRAMES_SCHEMA, SCENES_SCHEMA, SENSORS_SCHEMA, Scenes


def named(splits: dict[str, str | None], version: str) -> Scenes:
    empty = [pl.DataFrame(schema=schema) for schema in (SCENES_SCHEMA, KEYFRAMES_SCHEMA, BOXES_SCHEMA, SENSORS_SCHEMA)]
    scenes = Scenes(Path("data"), version, "nuscenes", "LIDAR_TOP", "0", "none", *empty)
    rows = [dict.fromkeys(SCENES_SCHEMA) | {"scene": scene, "split": split} for scene, split in splits.items()]
    return replace(scenes, scenes=pl.DataFrame(rows, schema=SCENES_SCHEMA).sort("scene"))


WHOLE_VAL: dict[str, str | None] = dict.fromkeys(OFFICIAL_SPLITS["val"], "val")


def test_val_is_taken_of_a_trainval_folder_that_holds_all_of_it() -> None:
    chosen, words = select_split(named(WHOLE_VAL | {"scene-0001": "train"}, "v1.0-trainval"), None)
    assert (words, len(chosen.names)) == ("val", 150)


@pytest.mark.parametrize("version", ["v1.0-trainval", "v1.0-mini"])
def test_all_scenes_are_taken_of_any_other_folder(version: str) -> None:
    some = dict(sorted(WHOLE_VAL.items())[1:])
    given = some if version == "v1.0-trainval" else WHOLE_VAL
    chosen, words = select_split(named(given | {"scene-0001": "train"}, version), None)
    assert (words, len(chosen.names)) == ("all", len(given) + 1)


def test_a_split_can_be_named() -> None:
    scenes = named({"a": "train", "b": "val", "c": None}, "v1.0-trainval")
    assert select_split(scenes, "train")[0].names == ["a"]
    assert select_split(scenes, "all")[0].names == ["a", "b", "c"]


def record(*, chosen: str | None, used: str, scenes: int = 1) -> BenchmarkRecord:
    source = SourceDataset(name="n", version="v", fingerprint=None, licence="", split=used, scenes=scenes)
    return BenchmarkRecord(
        suite="s",
        version="1",
        seed=1,
        parameters={"split": chosen},
        counts={},
        exclusions={},
        shortfalls=[],
        source=source,
        fingerprint="",
        probe4d="0",
    )


def test_scenes_of_another_split_are_found() -> None:
    train, val = "scene-0001", "scene-0003"
    assert not list(split_findings(record(chosen=None, used="all"), [train, val, "made"]))
    assert not list(split_findings(record(chosen="val", used="val"), [val]))
    (other,) = split_findings(record(chosen="train", used="all"), [train])
    assert other.what == "the split asked for is 'train', and the one used 'all'."
    (outside,) = split_findings(record(chosen=None, used="val"), [train, val])
    assert outside.what == "1 scenes are not of the split 'val': scene-0001."
    (many,) = split_findings(record(chosen="val", used="val", scenes=151), [val])
    assert "has 150" in many.what


def test_an_empty_split_says_what_there_is() -> None:
    with pytest.raises(InputError, match=r"no scene of the split 'test', but scenes of train, val"):
        select_split(named({"a": "train", "b": "val"}, "v1.0-trainval"), "test")
    with pytest.raises(InputError, match=r"nor of any other official split\. Give --split all"):
        select_split(named({"a": None}, "v1.0-kitti"), "val")
    with pytest.raises(InputError, match="holds no scene"):
        select_split(named({}, "v1.0-kitti"), None)
