"""The official splits of nuscenes-devkit as parquet: python dump_splits.py OUT."""

import sys

import polars as pl
from nuscenes.utils.splits import create_splits_scenes

rows = [(split, scene) for split, scenes in create_splits_scenes().items() for scene in scenes]
pl.DataFrame(rows, schema=["split", "scene"], orient="row").write_parquet(sys.argv[1])
