"""The order of key frames, from the chains that link them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.scenes.nuscenes.reader import TableReader, row_of_token
from probe4d.scenes.nuscenes.records import Log, Sample, Scene

__all__ = ["KeyFrames", "read_key_frames"]


@dataclass(frozen=True)
class KeyFrames:
    """Scenes by name and their key frames, numbered through in the order of scene and frame.

    Attributes:
        scenes: Rows of the scene table, by name.
        logs: Log of each scene, or None.
        samples: Rows of the sample table.
        scene: Position in `scenes` of each key frame, shape (n,).
        frame: Index of each key frame in its scene, shape (n,).
        number_of_token: Number of each key frame by its token.
    """

    scenes: list[Scene]
    logs: list[Log | None]
    samples: list[Sample]
    scene: NDArray[np.int32]
    frame: NDArray[np.int32]
    number_of_token: dict[str, int]

    def place(self, number: int) -> str:
        """Where a key frame is, in words for an error."""
        return f"key frame {self.frame[number]} of {self.scenes[self.scene[number]].name}"


def read_key_frames(reader: TableReader) -> KeyFrames:
    """Read scenes, logs and samples, and walk each scene's chain of key frames.

    Raises:
        InputError: There are no scenes, two have the same name, or a chain leads nowhere, into another scene or back to
            itself, or leaves out a key frame of its scene.
    """
    scenes = sorted(reader.table("scene", Scene), key=lambda scene: (scene.name, scene.token))
    if not scenes:
        raise InputError("has no scenes.", path=reader.path("scene"), remedy="Name a dataset that has some.")
    row_of_token(scenes, reader.path("scene"))
    for earlier, later in pairwise(scenes):
        if earlier.name == later.name:
            raise InputError(
                f"two scenes have the name {later.name!r} (tokens {earlier.token} and {later.token}).",
                path=reader.path("scene"),
                remedy="Give each scene a name of its own.",
            )
    log_of_token = {log.token: log for log in reader.table("log", Log)}
    samples = reader.table("sample", Sample)
    row_of_sample = row_of_token(samples, reader.path("sample"))
    sizes = Counter(sample.scene_token for sample in samples)

    walk: list[int] = []
    for scene in scenes:
        walk += _walk(scene, samples, row_of_sample, sizes[scene.token], reader)
    lengths = [sizes[scene.token] for scene in scenes]
    ordered = [samples[row] for row in walk]
    return KeyFrames(
        scenes=scenes,
        logs=[log_of_token.get(scene.log_token) for scene in scenes],
        samples=ordered,
        scene=np.repeat(np.arange(len(scenes), dtype=np.int32), lengths),
        frame=np.concatenate([np.arange(length, dtype=np.int32) for length in lengths]),
        number_of_token={sample.token: number for number, sample in enumerate(ordered)},
    )


def _walk(
    scene: Scene, samples: list[Sample], row_of_sample: dict[str, int], size: int, reader: TableReader
) -> list[int]:
    """Rows of a scene's samples in the order of their chain, each of them once."""
    walk: list[int] = []
    token, linked_from = scene.first_sample_token, f"the scene's first_sample_token (scene {scene.token})"
    while token:
        row = row_of_sample.get(token)
        if row is None:
            raise _broken(reader, scene, f"{linked_from} leads to sample {token}, which does not exist")
        if samples[row].scene_token != scene.token:
            raise _broken(reader, scene, f"{linked_from} leads to sample {token}, which belongs to another scene")
        if len(walk) == size:
            raise _broken(reader, scene, f"{linked_from} leads back to sample {token}")
        walk.append(row)
        token, linked_from = samples[row].next, f"next of sample {token}"
    if len(walk) < size:
        raise _broken(reader, scene, f"it ends after {len(walk)} of {size} samples, at {linked_from}")
    return walk


def _broken(reader: TableReader, scene: Scene, how: str) -> InputError:
    return InputError(
        f"the chain of key frames of {scene.name} is broken: {how}.",
        path=reader.path("sample"),
        remedy="Mend the links, or leave the scene out of the tables.",
    )
