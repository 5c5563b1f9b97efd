"""The sequences of a scene that B4DL asks about: some key frames, every other one (Sec. 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

import numpy as np
import polars as pl

from probe4d.benchmarks.sampling import unit_interval
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes

__all__ = [
    "FEWEST_FRAMES",
    "MOST_FRAMES",
    "SEQUENCES_PER_SCENE",
    "SEQUENCES_SCHEMA",
    "STRIDE",
    "drawn_sequences",
    "released_windows",
]

STRIDE = 2
"""Key frames from one frame of a sequence to the next: one second at the 2 Hz of nuScenes."""
FEWEST_FRAMES, MOST_FRAMES = 3, 10
SEQUENCES_PER_SCENE = 6

_RELEASED_FRAMES, _RELEASED_SPAN = 5, 10

SEQUENCES_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "sequence": pl.String(),  # scene and number, such as scene-0061/2
    "frames": pl.List(pl.Int32()),  # key-frame indices shown, ascending, `STRIDE` apart
    "start": pl.Int32(),  # the first of them
    "end": pl.Int32(),  # the last of them
}


def drawn_sequences(scenes: Scenes, *, seed: int, per_scene: int = SEQUENCES_PER_SCENE) -> pl.DataFrame:
    """Draw sequences of `FEWEST_FRAMES` to `MOST_FRAMES` frames inside each scene, no two of a scene alike.

    Numbers of frames are equally likely among those that fit into the scene, and so are starts. A draw depends on the
    seed and the scene's name alone.

    Args:
        scenes: The scenes.
        seed: Seed of the draws.
        per_scene: Sequences of a scene; one too short for so many has as many as fit.

    Returns:
        Columns of `SEQUENCES_SCHEMA`, the sequences of a scene in the order of their starts.

    Raises:
        InputError: Fewer than one sequence of a scene is wanted, or no scene is long enough.
    """
    if per_scene < 1:
        raise InputError(f"the number of sequences of a scene must be at least 1, not {per_scene}.")
    drawn = {
        name: _drawn(name, keyframes, seed, per_scene)
        for name, keyframes in scenes.scenes.select("scene", "keyframes").iter_rows()
    }
    return _table(drawn, scenes)


def released_windows(scenes: Scenes) -> pl.DataFrame:
    """The six windows of five frames that the released builder gives every scene, cut where a short scene ends.

    Starts are `linspace(0, key frames - 10, 6)`, truncated. Windows of a short scene that are cut below
    `FEWEST_FRAMES`, or equal one before, are left out.

    Returns:
        Columns of `SEQUENCES_SCHEMA`.

    Raises:
        InputError: No scene is long enough.
    """
    windows = {}
    for name, keyframes in scenes.scenes.select("scene", "keyframes").iter_rows():
        starts = np.linspace(0, max(keyframes - _RELEASED_SPAN, 0), SEQUENCES_PER_SCENE).astype(int).tolist()
        cut = [_frames(start, _RELEASED_FRAMES, keyframes) for start in dict.fromkeys(starts)]
        windows[name] = [frames for frames in cut if len(frames) >= FEWEST_FRAMES]
    return _table(windows, scenes)


def _drawn(name: str, keyframes: int, seed: int, per_scene: int) -> list[list[int]]:
    possible = list(_possible(keyframes))
    if not possible:
        return []
    lengths = sorted({length for _, length in possible})
    taken: set[tuple[int, int]] = set()
    for attempt in count():
        if len(taken) == min(per_scene, len(possible)):
            break
        key = f"{name}/{attempt}"
        length = lengths[int(unit_interval(seed, "b4dl/sequences/frames", key) * len(lengths))]
        starts = [start for start, of_length in possible if of_length == length and (start, length) not in taken]
        if starts:
            taken.add((starts[int(unit_interval(seed, "b4dl/sequences/start", key) * len(starts))], length))
    return [_frames(start, length, keyframes) for start, length in sorted(taken)]


def _possible(keyframes: int) -> Iterator[tuple[int, int]]:
    """Every start and number of frames that lies inside a scene."""
    for length in range(FEWEST_FRAMES, MOST_FRAMES + 1):
        for start in range(keyframes - STRIDE * (length - 1)):
            yield start, length


def _frames(start: int, length: int, keyframes: int) -> list[int]:
    return [frame for frame in range(start, start + STRIDE * length, STRIDE) if frame < keyframes]


def _table(sequences: dict[str, list[list[int]]], scenes: Scenes) -> pl.DataFrame:
    rows = list(_rows(sequences.items()))
    if not rows:
        raise InputError(
            f"has no scene of {STRIDE * (FEWEST_FRAMES - 1) + 1} key frames or more, which a sequence needs.",
            path=scenes.root / scenes.version,
        )
    return pl.DataFrame(rows, schema=SEQUENCES_SCHEMA, orient="row")


def _rows(sequences: Iterable[tuple[str, list[list[int]]]]) -> Iterator[tuple[str, str, list[int], int, int]]:
    for scene, of_scene in sequences:
        for number, frames in enumerate(of_scene):
            yield scene, f"{scene}/{number}", frames, frames[0], frames[-1]
