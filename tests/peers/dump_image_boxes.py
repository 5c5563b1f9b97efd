"""The boxes that nuscenes-devkit's own exporter draws in images, as parquet.

    python dump_image_boxes.py DATAROOT VERSION READINGS OUT

READINGS is parquet with the token, width and height of the camera readings that are wanted.
"""

import sys
from functools import partial
from pathlib import Path

import polars as pl
from nuscenes.nuscenes import NuScenes
from nuscenes.scripts import export_2d_annotations_as_json as exporter

bounds_on_canvas = exporter.post_process_coords


def bounds_or_none(corners: list, imsize: tuple[int, int]) -> tuple[float, float, float, float] | None:
    """The exporter's bounds; none where hull and image share a point or a line, on which it fails."""
    try:
        return bounds_on_canvas(corners, imsize)
    except AttributeError:
        return None


def dump(dataroot: str, version: str, readings: pl.DataFrame, out: Path) -> None:
    """Write token, reading and bounds of every box in every image."""
    nusc = exporter.nusc = NuScenes(version=version, dataroot=dataroot, verbose=False)
    every_visibility = list({annotation["visibility_token"] for annotation in nusc.sample_annotation})
    rows = []
    for token, width, height in readings.select("token", "width", "height").iter_rows():
        exporter.post_process_coords = partial(bounds_or_none, imsize=(width, height))
        records = exporter.get_2d_boxes(token, every_visibility)
        rows += [(record["sample_annotation_token"], token, *map(float, record["bbox_corners"])) for record in records]
    columns = ["token", "reading", "left_px", "top_px", "right_px", "bottom_px"]
    pl.DataFrame(rows, schema=columns, orient="row").write_parquet(out)


if __name__ == "__main__":
    dump(sys.argv[1], sys.argv[2], pl.read_parquet(sys.argv[3]), Path(sys.argv[4]))
