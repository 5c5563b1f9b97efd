"""`probe4d convert`: shards in, a dataset folder out, and what a person is told of it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from in_process import called

from perception_making import label, perception_frame
from probe4d.errors import InputError
from probe4d.scenes.opening import open_scenes
from waymo_making import broken, end_to_end, planar, record, surround_frame, write_shard

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def end_to_end_shards(tmp_path: Path) -> Path:
    """Three frames of a sequence, half a second apart, the last of which is damaged."""
    frames = [
        record(end_to_end(f"a-{number:03d}", 1_700_000_000_000_000 + 100_000 * number, frame=frame))
        for number in (0, 5, 10)
        for frame in [surround_frame(number, planar(0.5 * number, 1.0, 0.1), None)]
    ]
    write_shard(tmp_path / "shards", "one", *frames[:2], broken(frames[2]))
    return tmp_path / "shards"


def test_end_to_end_data_is_converted_once(
    command: Command, here: Command, end_to_end_shards: Path, tmp_path: Path
) -> None:
    (tmp_path / "clusters.json").write_text('{"a": "Cut-ins"}')
    asked = (
        "convert",
        "wod-e2e",
        end_to_end_shards,
        "--out",
        tmp_path / "data",
        "--clusters",
        tmp_path / "clusters.json",
    )
    done = command(*asked)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'data'}\n")
    assert done.stderr.splitlines() == [
        "Shards read: 1 of 1",
        "Sequences converted: 1 of 1",
        "left out: 1 × the checksum of a record's data is wrong",
        f"{tmp_path / 'data' / 'left_out.csv'} lists 1 place.",
        "version v1.0-wod-e2e:",
    ]
    again = here(*asked)
    assert again.stderr.splitlines()[-1] == "version v1.0-wod-e2e, already there:"
    scenes = open_scenes(tmp_path / "data")
    assert scenes.keyframes["pose_x"].to_list() == [0.0, 2.5]
    assert scenes.scenes["description"].to_list() == ["Scenario cluster: Cut-ins"]
    told = here("scenes", tmp_path / "data", "--strict")
    assert told.returncode == 0
    assert "reference sensor         FRONT\n" in told.stdout


def test_perception_data_is_converted_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frames = [
        perception_frame("segment", number, pose=planar(number, 0.0, 0.0), labels=[label("car", points=7)])
        for number in (0, 5)
    ]
    write_shard(tmp_path / "shards", "one", *map(record, frames))
    called("convert", "waymo", tmp_path / "shards", "--out", tmp_path / "data")
    said = ["Shards read: 1 of 1", "Segments converted: 1 of 1", "version v1.0-waymo:"]
    assert capsys.readouterr().err.splitlines() == said
    assert open_scenes(tmp_path / "data").boxes["lidar_points"].to_list() == [7, 7]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("wod-e2e", "nowhere"), "nowhere: is no folder. Name the folder that holds the shards of WOD-E2E."),
        (("waymo", "."), "holds no shards (*.tfrecord*). Fetch the shards of Waymo's perception data again"),
        (("waymo", "shards"), "probe4d convert wod-e2e"),
        (("wod-e2e", "shards", "--clusters", "shards"), "shards: cannot be read (Is a directory)"),
    ],
)
def test_what_cannot_be_converted_is_refused(
    end_to_end_shards: Path, arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(end_to_end_shards.parent)
    with pytest.raises(InputError) as caught:
        called("convert", *arguments, "--out", "data")
    assert said in str(caught.value)
    assert not Path("data").exists()
