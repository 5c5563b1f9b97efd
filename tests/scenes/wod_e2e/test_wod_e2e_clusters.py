"""Scenario clusters: read as they were released, and given to frames by their own name or their sequence's."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from probe4d.errors import InputError
from probe4d.scenes.wod_e2e.clusters import CLUSTERS_SCHEMA, clusters_of_frames, read_clusters

FRAMES = pl.DataFrame(
    {"sequence": ["b", "a", "a", "a-7", "c"], "frame": [0, 7, 8, 1, 3]},
    schema={"sequence": pl.String, "frame": pl.Int32},
)


def written(folder: Path, pairs: object) -> Path:
    path = folder / "clusters.json"
    path.write_text(json.dumps(pairs))
    return path


def test_the_table_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    table = read_clusters(written(tmp_path, {"b": "Cut-ins", "a": "Foreign Object Debris"}))
    assert table.rows() == [("a", "Foreign Object Debris"), ("b", "Cut-ins")]
    assert dict(table.schema) == CLUSTERS_SCHEMA
    assert read_clusters(str(written(tmp_path, {}))).schema == table.schema


def test_a_frame_has_the_cluster_of_its_own_name_before_that_of_its_sequence(tmp_path: Path) -> None:
    pairs = {"a": "Cyclist", "a-007": "Pedestrian", "b": "Cut-ins", "z": "Others", "z-1": "Others"}
    clusters = clusters_of_frames(FRAMES, read_clusters(written(tmp_path, pairs)))
    assert clusters.to_list() == ["Cut-ins", "Pedestrian", "Cyclist", None, None]
    assert clusters.name == "cluster"


def test_a_sequence_with_a_hyphen_is_no_frame_of_another(tmp_path: Path) -> None:
    clusters = read_clusters(written(tmp_path, {"a-7": "Construction", "c-12345678901234": "Others"}))
    assert clusters_of_frames(FRAMES, clusters).to_list() == [None, None, None, "Construction", None]


def test_two_names_of_one_frame_are_refused(tmp_path: Path) -> None:
    clusters = read_clusters(written(tmp_path, {"a-8": "Cyclist", "a-08": "Others"}))
    with pytest.raises(InputError, match="frame 8 of 'a' has two names among the clusters"):
        clusters_of_frames(FRAMES, clusters)


@pytest.mark.parametrize("pairs", [[], ["a"], "a", {"a": 1}, {"a": None}, {"a": {"cluster": "Others"}}, None])
def test_what_is_no_table_of_names_is_refused(tmp_path: Path, pairs: object) -> None:
    with pytest.raises(InputError, match=r"clusters\.json: is no JSON object of names and scenario clusters \("):
        read_clusters(written(tmp_path, pairs))


@pytest.mark.parametrize("content", [b"", b"{", b'{"a": "b"} x', b'{"a": "\xff"}', b"\x00\x01"])
def test_a_broken_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "clusters.json").write_bytes(content)
    with pytest.raises(InputError, match="Name the table of scenario clusters"):
        read_clusters(tmp_path / "clusters.json")


@pytest.mark.parametrize("pairs", [{"": "Others"}, {"a": " "}])
def test_empty_names_and_clusters_are_refused(tmp_path: Path, pairs: dict[str, str]) -> None:
    with pytest.raises(InputError, match="has an empty name or scenario cluster"):
        read_clusters(written(tmp_path, pairs))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: cannot be read"):
        read_clusters(tmp_path / "none.json")


def test_a_table_of_clusters_that_is_not_there_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nope\.json: cannot be read \(No such .*Name the table of scenario clusters"):
        read_clusters(tmp_path / "nope.json")
