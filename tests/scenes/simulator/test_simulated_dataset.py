from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from probe4d.errors import InputError
from probe4d.scenes.simulator import VERSION, simulate
from probe4d.scenes.simulator.camera import CAMERAS

Contents = Callable[[Path], dict[str, bytes]]


def table(root: Path, name: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((root / VERSION / f"{name}.json").read_text())
    return rows


def test_same_bytes_for_any_number_of_workers(tmp_path: Path, contents: Contents) -> None:
    told: list[int] = []
    simulate(tmp_path / "one", scenes=2, seed=3, cameras=False, done=told.append)
    simulate(tmp_path / "two", scenes=2, seed=3, cameras=False, workers=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert told == [0, 1]


def test_another_seed_is_another_dataset(tmp_path: Path, simulated: Path) -> None:
    simulate(tmp_path / "other", scenes=1, seed=8, cameras=False)
    ours, others = table(simulated, "sample_annotation"), table(tmp_path / "other", "sample_annotation")
    assert not {row["token"] for row in ours} & {row["token"] for row in others}


def test_every_key_frame_has_an_image_of_each_camera(photographed: Path) -> None:
    frames = len(table(photographed, "sample"))
    readings = [row for row in table(photographed, "sample_data") if row["fileformat"] == "jpg"]
    assert len(readings) == frames * len(CAMERAS) == frames * 6
    for row in readings[:: frames // 2]:
        with Image.open(photographed / str(row["filename"])) as image:
            assert (image.format, image.size, image.mode) == ("JPEG", (1600, 900), "RGB")
            # A picture of something: neither empty nor one colour.
            assert len(image.resize((80, 45)).getcolors(80 * 45) or []) > 50
    poses = {row["token"]: row for row in table(photographed, "ego_pose")}
    assert all(poses[str(row["ego_pose_token"])]["timestamp"] == row["timestamp"] for row in readings)


def test_without_cameras_no_table_speaks_of_them(simulated: Path) -> None:
    assert [row["channel"] for row in table(simulated, "sensor")] == ["LIDAR_TOP"]
    assert not list(simulated.glob("samples/CAM*"))
    assert all((simulated / str(row["filename"])).is_file() for row in table(simulated, "sample_data"))


@pytest.mark.parametrize("marker", [None, b"{", b"[]", b'{"generator": "something else"}'])
def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, marker: bytes | None, contents: Contents) -> None:
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "mine.txt").write_text("mine")
    if marker is not None:
        (tmp_path / "simulation.json").write_bytes(marker)
    before = contents(tmp_path)
    with pytest.raises(InputError, match=r"is not empty and holds no simulated dataset.*Choose another folder"):
        simulate(tmp_path, scenes=1, seed=0)
    assert contents(tmp_path) == before


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("text")
    with pytest.raises(InputError, match="cannot be used as a folder"):
        simulate(path, scenes=1, seed=0)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"scenes": 0, "seed": 0}, "number of scenes is 0"),
        ({"scenes": 10_000, "seed": 0}, "number of scenes is 10000"),
        ({"scenes": 1, "seed": -1}, "seed is -1"),
        ({"scenes": 1, "seed": 2**63}, "seed is 9223372036854775808"),
        ({"scenes": 1, "seed": 0, "workers": 0}, "number of workers is 0"),
    ],
)
def test_arguments_out_of_range(tmp_path: Path, arguments: dict[str, int], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        simulate(tmp_path / "out", **arguments)
    assert not (tmp_path / "out").exists()


def test_the_folder_says_what_it_is(simulated: Path) -> None:
    assert "CC0" in (simulated / "README.md").read_text()


@pytest.mark.peer
def test_nuscenes_devkit_loads_it_and_counts_the_same(
    simulated: Path, tmp_path: Path, peers: Callable[..., None]
) -> None:
    peers("load_dataset.py", simulated, VERSION, tmp_path / "counts.json")
    judged = json.loads((tmp_path / "counts.json").read_text())
    assert judged["scenes"] == 6
    assert judged["frames"] == len(table(simulated, "sample"))
    assert judged["boxes"] == len(table(simulated, "sample_annotation"))
    assert judged["wrong_counts"] == []
    assert 5 < judged["fastest"] < 20
