"""Shards of WOD-E2E and the dataset that they become, made once."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from wod_e2e_making import BROKEN, SEQUENCES, converted_into, data_of

from probe4d.scenes.nuscenes_writing.conversion import Converted
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes
from waymo_making import broken, record, write_shard


@pytest.fixture(scope="session")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Frames of three sequences shuffled over two shards, one of them with a wrong checksum."""
    names = [(sequence, number) for sequence, count in SEQUENCES.items() for number in range(count)]
    records = [broken(record(data_of(*name))) if name == BROKEN else record(data_of(*name)) for name in names]
    shuffled = [records[at] for at in np.random.default_rng(1).permutation(len(records))]
    folder = tmp_path_factory.mktemp("shards")
    write_shard(folder, "val-00000-of-00002", *shuffled[:12])
    write_shard(folder, "val-00001-of-00002", *shuffled[12:])
    (folder / "clusters.json").write_text(json.dumps({"0a1b": "Intersections", "2c3d-e-006": "Cut-ins"}))
    return folder


@pytest.fixture(scope="session")
def converted(shards: Path, tmp_path_factory: pytest.TempPathFactory) -> Converted:
    return converted_into(tmp_path_factory.mktemp("converted") / "data", shards)


@pytest.fixture(scope="session")
def opened(converted: Converted) -> Scenes:
    return open_scenes(converted.root)
