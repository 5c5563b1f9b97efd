"""A conversion of WOD-E2E is there whole or not at all, whatever broke it off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from wod_e2e_making import SEQUENCES, contents, converted_into, data_of

from probe4d.errors import InputError
from probe4d.scenes.nuscenes_writing import conversion as writing
from probe4d.scenes.nuscenes_writing.conversion import Converted
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.wod_e2e.clusters import read_clusters
from probe4d.scenes.wod_e2e.conversion import VERSION, convert_indexed, convert_wod_e2e
from probe4d.scenes.wod_e2e.index import index_frames
from waymo_making import record, write_shard


def test_a_broken_off_conversion_goes_on_where_it_stopped(
    shards: Path, converted: Converted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_scene, done = writing._record_scene, []

    def fail_at_the_second(scene: tuple[str, Any], **options: Any) -> None:
        if done:
            raise KeyboardInterrupt
        done.append(scene[0])
        record_scene(scene, **options)

    out = tmp_path / "data"
    with monkeypatch.context() as patch:
        patch.setattr(writing, "_record_scene", fail_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            converted_into(out, shards)
    with pytest.raises(InputError, match="holds no dataset in the nuScenes schema"):
        open_scenes(out)
    found: list[tuple[int, int]] = []
    again: list[str] = []
    converted_into(out, shards, found=lambda *counts: found.append(counts), done=again.append)
    assert found == [(3, 1)]
    assert {*again, *done} == set(SEQUENCES)
    assert not {*again} & {*done}
    assert contents(out) == contents(converted.root)


def test_a_kill_while_tables_are_written_leaves_none(
    shards: Path, converted: Converted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "data"
    with monkeypatch.context() as patch:
        patch.setattr(writing, "sensor_rows", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            converted_into(out, shards)
    assert not (out / VERSION).exists()
    again: list[str] = []
    converted_into(out, shards, done=again.append)
    assert again == []
    assert contents(out) == contents(converted.root)


def test_a_complete_one_stays_as_it_is(shards: Path, converted: Converted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_record_scene", None)
    (converted.root / "records").mkdir()  # as a kill after the last step leaves it
    found: list[tuple[int, int]] = []
    again = converted_into(converted.root, shards, found=lambda *counts: found.append(counts))
    assert again.was_there
    assert not (converted.root / "records").exists()
    assert again.left_out.equals(converted.left_out)
    assert found == [(3, 3)]


def test_processes_change_no_byte(shards: Path, converted: Converted, tmp_path: Path) -> None:
    converted_into(tmp_path / "data", shards, workers=2)
    assert contents(tmp_path / "data") == contents(converted.root)


def test_one_call_does_it_all(shards: Path, converted: Converted, tmp_path: Path) -> None:
    done = convert_wod_e2e(shards, tmp_path / "data", clusters=shards / "clusters.json")
    assert done.left_out.equals(converted.left_out)
    assert contents(tmp_path / "data") == contents(converted.root)


def test_another_conversion_and_other_contents_are_refused(shards: Path, converted: Converted, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds a conversion that was asked otherwise: other clusters"):
        convert_indexed(index_frames(shards), converted.root)
    write_shard(tmp_path / "shards", "one", record(data_of("0a1b", 0)))
    with pytest.raises(InputError, match="other shards"):
        convert_indexed(index_frames(tmp_path / "shards"), converted.root)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    with pytest.raises(InputError, match="is no folder of this conversion and is not empty"):
        convert_indexed(index_frames(shards), tmp_path / "full")


def test_clusters_of_other_sequences_are_refused(shards: Path, tmp_path: Path) -> None:
    (tmp_path / "clusters.json").write_text('{"another": "Cut-ins"}')
    with pytest.raises(InputError, match=r"of which a scenario cluster is given\. Name the table that was released"):
        convert_indexed(index_frames(shards), tmp_path / "data", clusters=read_clusters(tmp_path / "clusters.json"))
    assert not (tmp_path / "data").exists()
