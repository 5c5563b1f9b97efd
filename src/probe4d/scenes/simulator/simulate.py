"""Writes a simulated dataset in nuScenes format."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
from PIL import Image

from probe4d import engine
from probe4d.errors import InputError, RunError
from probe4d.scenes.simulator.builder import SIZES
from probe4d.scenes.simulator.camera import CAMERAS
from probe4d.scenes.simulator.recording import LIDAR, record_scene, scene_name
from probe4d.scenes.simulator.tables import TABLES, dataset_rows, encode_rows, token
from probe4d.store.files import whole_file, write_bytes, write_text

__all__ = ["VERSION", "simulate"]

VERSION = "v1.0-sim"
_MARKER = "simulation.json"
_GENERATOR = "probe4d simulate"
_MOST_SCENES = 9_999

_README = """\
# Simulated street scenes

Simulated by Probe4D (`probe4d simulate`): no real place, vehicle or person is shown. The tables in `{version}/`
follow the nuScenes v1.0 schema; `samples/` holds the sensor files.

To the extent possible under law, whoever made this dataset has waived all rights to it: CC0 1.0 Universal,
https://creativecommons.org/publicdomain/zero/1.0/
"""


def simulate(
    out: Path | str,
    *,
    scenes: int,
    seed: int,
    cameras: bool = True,
    workers: int = 1,
    done: Callable[[int], None] | None = None,
) -> Path:
    """Write a dataset of simulated street scenes that readers of nuScenes can open as version `v1.0-sim`.

    The same arguments give the same bytes, whatever the number of workers. The tables are written last; a folder
    that an earlier call left, finished or not, is emptied first.

    Args:
        out: Folder of the dataset; it must not exist, be empty or hold a simulated dataset.
        scenes: Number of scenes, 1 to 9,999, each of 39 to 41 key frames at 2 Hz.
        seed: Seed, 0 to 2**63 - 1.
        cameras: Whether to draw the images of six cameras (most of the time and space).
        workers: Number of processes.
        done: Told of each finished scene's index, in order.

    Returns:
        The folder.

    Raises:
        InputError: An argument is out of range, or `out` holds something else or cannot be written.
        RunError: A file could not be written (disk full), or a scene shows not all of its classes.
    """
    out = Path(out)
    _check(scenes, seed, workers)
    _prepare(out)
    settings = {"generator": _GENERATOR, "scenes": scenes, "seed": seed, "cameras": cameras}
    write_bytes(out / _MARKER, msgspec.json.format(msgspec.json.encode(settings)) + b"\n")
    write_text(out / "README.md", _README.format(version=VERSION))
    _write_map(out, seed)
    record = functools.partial(record_scene, out=out, seed=seed, cameras=cameras)
    try:
        recorded = engine.over(record, range(scenes), workers=workers, done=done)
    except OSError as error:
        raise RunError(f"{out}: a sensor file could not be written ({error.strerror}).") from error
    channels = {LIDAR: "lidar"} | (dict.fromkeys(CAMERAS, "camera") if cameras else {})
    shared = dataset_rows(seed, [scene_name(scene) for scene in range(scenes)], SIZES, channels)
    # A folder without tables is no dataset: the last of them to appear is the list of scenes.
    for table in sorted(TABLES, key=lambda name: name == "scene"):
        parts = [encode_rows(shared.get(table, [])), *(tables[table] for tables in recorded)]
        with whole_file(out / VERSION / f"{table}.json") as temporary:
            temporary.write_bytes(b"[\n" + b",\n".join(part for part in parts if part) + b"\n]\n")
    return out


def _check(scenes: int, seed: int, workers: int) -> None:
    if not 1 <= scenes <= _MOST_SCENES:
        raise InputError(f"the number of scenes is {scenes}; it must lie between 1 and {_MOST_SCENES}.")
    if not 0 <= seed < 2**63:
        raise InputError(f"the seed is {seed}; it must lie between 0 and 2**63 - 1.")
    if workers < 1:
        raise InputError(f"the number of workers is {workers}; it must be at least 1.")


def _prepare(out: Path) -> None:
    """Make the folder, or empty what an earlier simulation left in it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        # A kill while the marker itself was written leaves its temporary file.
        content = [path for path in out.iterdir() if not path.name.startswith(f".{_MARKER}.")]
        if content and not _is_simulated(out):
            raise InputError(
                "is not empty and holds no simulated dataset; nothing was written.",
                path=out,
                remedy="Choose an empty folder.",
            )
        # Tables first: what is left after a kill in here must not look like a dataset.
        for name in (VERSION, "samples", "maps"):
            if (out / name).exists():
                shutil.rmtree(out / name)
    except OSError as error:
        remedy = "Choose a folder you may write to."
        raise InputError(f"cannot be used as a folder ({error.strerror}).", path=out, remedy=remedy) from error


def _is_simulated(out: Path) -> bool:
    try:
        marker = msgspec.json.decode((out / _MARKER).read_bytes(), type=dict[str, object])
    except (FileNotFoundError, msgspec.DecodeError):
        return False
    return marker.get("generator") == _GENERATOR


def _write_map(out: Path, seed: int) -> None:
    """An empty map mask: readers of nuScenes insist on its file."""
    with whole_file(out / "maps" / f"{token('map', seed)}.png") as temporary:
        Image.fromarray(np.zeros((16, 16), dtype=np.uint8)).save(temporary, format="PNG")
