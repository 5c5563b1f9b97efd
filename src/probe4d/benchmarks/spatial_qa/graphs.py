"""Scene graphs as JSON: the objects of one camera image and what lies between them (App. C of the paper).

A graph has the paper's nodes and edges, and says which image it is of. Bearings are those from `from` to `to`, one
edge a pair; distances are in space, offsets are magnitudes along and across the ego vehicle's heading.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from probe4d.benchmarks.spatial_qa.referring import VIEW
from probe4d.benchmarks.spatial_qa.rules import in_half_open_circle, pair_measures, pairs_of
from probe4d.scenes.tables import Scenes
from probe4d.store.files import inside, write_bytes

__all__ = ["write_graphs"]

_EDGE_ID_LENGTH = 8
_DECIMALS = 2  # of metres and degrees in edges, as the paper has them


def _scene_graphs(objects: pl.DataFrame, scenes: Scenes) -> pl.DataFrame:
    """The graph of each camera image.

    Args:
        objects: Objects in views with `refer`, as in `Measured`.
        scenes: The scenes, for the objects' places in the global frame.

    Returns:
        Columns scene, frame, channel, nodes (a list of structs) and edges (likewise), a row for each image with an
        object.
    """
    places = scenes.boxes.select("token", "x", "y", "z")
    nodes = objects.join(places, on="token", how="left", maintain_order="left").select(
        *VIEW,
        nodes=pl.struct(
            node_id="track",
            attributes=pl.struct(
                category_name="category",
                translation=pl.struct("x", "y", "z"),
                size=pl.struct("length", "width", "height"),
                caption="refer",
            ),
        ),
    )
    pairs = pair_measures(pairs_of(objects)).filter(pl.col("track_1") < pl.col("track_2"))
    ends = (pl.col(f"track_{end}").str.tail(_EDGE_ID_LENGTH) for end in (1, 2))
    edges = pairs.select(
        *VIEW,
        edges=pl.struct(
            pl.concat_str(*ends, separator="_").alias("edge_id"),
            pl.col("track_1").alias("from"),
            pl.col("track_2").alias("to"),
            pl.col("distance_m").round(_DECIMALS).alias("spatial_distance"),
            pl.col("longitudinal_m").round(_DECIMALS).alias("longitudinal_offset"),
            pl.col("lateral_m").round(_DECIMALS).alias("lateral_offset"),
            in_half_open_circle(pl.col("bearing_deg").round(_DECIMALS)).alias("relative_bearing_angle"),
        ),
    )
    of_nodes, of_edges = (table.group_by(VIEW, maintain_order=True).agg(pl.all()) for table in (nodes, edges))
    graphs = of_nodes.join(of_edges, on=VIEW, how="left", maintain_order="left")
    return graphs.with_columns(pl.col("edges").fill_null(pl.lit([], of_edges.schema["edges"])))


def write_graphs(objects: pl.DataFrame, scenes: Scenes, folder: Path) -> None:
    """Write the graphs of scenes as JSON lines, a file for each scene.

    Args:
        objects: Objects in views of these scenes with `refer`, as in `Measured`.
        scenes: The scenes.
        folder: Where to; made if needed.
    """
    for (scene,), some in _scene_graphs(objects, scenes).group_by("scene", maintain_order=True):
        lines = some.select(pl.struct(pl.all()).struct.json_encode()).to_series()
        write_bytes(inside(folder, f"{scene}.jsonl"), ("\n".join(lines) + "\n").encode())
