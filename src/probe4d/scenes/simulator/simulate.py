"""Writes a simulated dataset in nuScenes format."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

from probe4d import engine
from probe4d.errors import InputError, RunError
from probe4d.scenes.nuscenes_writing.rows import TABLES, token
from probe4d.scenes.nuscenes_writing.scene_records import is_finished, read_record
from probe4d.scenes.nuscenes_writing.tables import write_map, write_tables
from probe4d.scenes.simulator.builder import SIZES
from probe4d.scenes.simulator.camera import CAMERAS
from probe4d.scenes.simulator.recording import LIDAR, record_scene, scene_name
from probe4d.scenes.simulator.staging import VERSION, Settings, Stage, claimed, open_stage
from probe4d.scenes.simulator.tables import dataset_rows
from probe4d.store.files import write_error
from probe4d.version import __version__

__all__ = ["VERSION", "simulate"]

_MOST_SCENES = 9_999


def simulate(
    out: Path | str,
    *,
    scenes: int,
    seed: int,
    cameras: bool = True,
    workers: int = 1,
    replace: bool = False,
    found: Callable[[int], None] | None = None,
    done: Callable[[int], None] | None = None,
) -> Path:
    """Write a dataset of simulated street scenes that readers of nuScenes can open as version `v1.0-sim`.

    The same arguments give the same bytes, whatever the number of workers and however often the work was broken
    off: each scene is kept when it is finished, and a repetition simulates the others only. A finished dataset is
    left as it is; more scenes of the same seed are added to it. The tables appear last, so that a folder with
    tables is complete.

    Args:
        out: Folder of the dataset; it must not exist, be empty or hold a simulated dataset.
        scenes: Number of scenes, 1 to 9,999, each of 39 to 41 key frames at 2 Hz.
        seed: Seed, 0 to 2**63 - 1.
        cameras: Whether to draw the images of six cameras (most of the time and space).
        workers: Number of processes.
        replace: Whether a dataset of other arguments that `out` holds is to be replaced; a finished one stays
            until the new one is complete.
        found: Told, before anything is simulated, how many scenes earlier calls finished.
        done: Told of each finished scene's index: first of those found finished, then of the others in order.

    Returns:
        The folder.

    Raises:
        InputError: An argument is out of range; `out` holds something else, or a simulated dataset of other
            arguments that is not to be replaced; or it cannot be written to, or another call works in it.
        RunError: A file could not be written (disk full), or a scene shows not all of its classes.
    """
    out = Path(out)
    _check(scenes, seed, workers)
    settings = Settings(version=__version__, scenes=scenes, seed=seed, cameras=cameras)
    with claimed(out):
        stage = open_stage(out, settings, replace=replace)
        finished = set(range(scenes)) if stage is None else _finished_scenes(stage)
        if found is not None:
            found(len(finished))
        if done is not None:
            for scene in sorted(finished):
                done(scene)
        if stage is not None:
            _complete(stage, sorted(set(range(scenes)) - finished), workers, done)
    return out


def _finished_scenes(stage: Stage) -> set[int]:
    staged = range(stage.first, stage.settings.scenes)
    return {*range(stage.first), *(scene for scene in staged if is_finished(stage.folder, scene_name(scene)))}


def _complete(stage: Stage, missing: list[int], workers: int, done: Callable[[int], None] | None) -> None:
    """Simulate the scenes that are missing, write the tables and put the dataset in its place."""
    settings = stage.settings
    present = {table: stage.present_rows(table) for table in TABLES}
    record = functools.partial(record_scene, out=stage.folder, seed=settings.seed, cameras=settings.cameras)
    try:
        engine.over(record, missing, workers=workers, done=done)
    except OSError as error:
        raise RunError(f"{stage.out}: a sensor file could not be written ({error.strerror}).") from error
    try:
        write_map(stage.folder, token("map", settings.seed))
        _write_tables(stage, present)
        stage.put_in_place()
    except OSError as error:
        raise write_error(stage.out, error) from error


def _write_tables(stage: Stage, present: dict[str, bytes]) -> None:
    """Write all tables, scene by scene, under another name, so that the folder of tables is complete or missing.

    Args:
        stage: Where; it holds the records of all scenes from its `first` on.
        present: Encoded rows of the scenes before those.
    """
    settings = stage.settings
    names = [scene_name(scene) for scene in range(settings.scenes)]
    channels = {LIDAR: "lidar"} | (dict.fromkeys(CAMERAS, "camera") if settings.cameras else {})
    shared = dataset_rows(settings.seed, names, SIZES, channels)
    folder = stage.folder / "tables.part"
    records = (read_record(stage.folder, name) for name in names[stage.first :])
    write_tables(folder, shared, records, present=present)
    folder.rename(stage.folder / VERSION)


def _check(scenes: int, seed: int, workers: int) -> None:
    if not 1 <= scenes <= _MOST_SCENES:
        raise InputError(f"the number of scenes is {scenes}; it must lie between 1 and {_MOST_SCENES}.")
    if not 0 <= seed < 2**63:
        raise InputError(f"the seed is {seed}; it must lie between 0 and 2**63 - 1.")
    if workers < 1:
        raise InputError(f"the number of workers is {workers}; it must be at least 1.")
