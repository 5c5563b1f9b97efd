"""Scenario clusters of WOD-E2E: what kind of rare scenario a sequence or a frame is of."""

from __future__ import annotations

from pathlib import Path

import msgspec
import polars as pl

from probe4d.errors import InputError

__all__ = ["CLUSTERS_SCHEMA", "clusters_of_frames", "read_clusters"]

CLUSTERS_SCHEMA: dict[str, pl.DataType] = {
    "name": pl.String(),  # of a sequence, or of a frame: sequence, hyphen, number
    "cluster": pl.String(),  # as it was released, such as `Intersections`
}

_FRAME_NAME = r"^(.+)-([0-9]{1,9})$"
_FETCH = "Name the table of scenario clusters that was released with the data."


def read_clusters(path: Path | str) -> pl.DataFrame:
    """Read the released table of scenario clusters: a JSON object of names and clusters.

    Args:
        path: Such as `val_sequence_name_to_scenario_cluster.json`.

    Returns:
        Columns of `CLUSTERS_SCHEMA`, sorted by name.

    Raises:
        InputError: The file cannot be read, is no such object, or a name or a cluster is empty.
    """
    path = Path(path)
    try:
        pairs = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=path, remedy=_FETCH) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"is no JSON object of names and scenario clusters ({error}).", path=path, remedy=_FETCH
        ) from error
    for name, cluster in pairs.items():
        if not name.strip() or not cluster.strip():
            raise InputError("has an empty name or scenario cluster.", path=path, row=repr(name), remedy=_FETCH)
    table = pl.DataFrame({"name": list(pairs), "cluster": list(pairs.values())}, schema=CLUSTERS_SCHEMA)
    return table.sort("name")


def clusters_of_frames(frames: pl.DataFrame, clusters: pl.DataFrame) -> pl.Series:
    """The cluster of every frame: that under its own name, else that of its sequence, else null.

    Args:
        frames: Columns `sequence` and `frame`, as `FrameIndex.frames` has them.
        clusters: Columns of `CLUSTERS_SCHEMA`; names of what is not there do not matter.

    Returns:
        A cluster a row of `frames`.

    Raises:
        InputError: Two names are of one frame.
    """
    of_sequence = clusters.select(sequence="name", of_sequence="cluster")
    parts = pl.col("name").str.extract_groups(_FRAME_NAME).struct
    is_sequence = pl.col("name").is_in(frames["sequence"].unique().implode())
    of_frame = (
        clusters.filter(~is_sequence)
        .select(parts.field("1").alias("sequence"), parts.field("2").cast(pl.Int32).alias("frame"), of_frame="cluster")
        .drop_nulls()
    )
    twice = of_frame.filter(pl.struct("sequence", "frame").is_duplicated())
    if not twice.is_empty():
        raise InputError(f"frame {twice['frame'][0]} of {twice['sequence'][0]!r} has two names among the clusters.")
    joined = frames.select("sequence", "frame").join(of_sequence, on="sequence", how="left", maintain_order="left")
    joined = joined.join(of_frame, on=["sequence", "frame"], how="left", maintain_order="left")
    return joined.select(cluster=pl.coalesce("of_frame", "of_sequence"))["cluster"]
