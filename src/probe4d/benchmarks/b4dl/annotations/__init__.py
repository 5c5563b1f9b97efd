"""Phrases that follow from geometry, never from pixels: what objects and the ego vehicle do in a sequence (Sec. 3.2).

The paper turns annotations into phrases by hand; its released script reads them off pixels. Here each follows from the
boxes and ego poses of all key frames of a sequence, by rules with documented thresholds (`thresholds`), and says whose
motion it is: a parked car does not approach, it comes nearer as the ego vehicle drives towards it.
"""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.b4dl.annotations.attributes import ATTRIBUTES
from probe4d.benchmarks.b4dl.annotations.ego_events import ego_events
from probe4d.benchmarks.b4dl.annotations.events import object_events
from probe4d.benchmarks.b4dl.annotations.found import EVENTS
from probe4d.benchmarks.b4dl.annotations.phrases import (
    ANNOTATIONS_SCHEMA,
    ego_phrases,
    object_phrases,
    phrases_for_prompt,
)
from probe4d.benchmarks.b4dl.annotations.tracks import ego_motions, tracks_in
from probe4d.benchmarks.tracked_motion import ego_of, objects_of
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes

__all__ = ["ANNOTATIONS_SCHEMA", "EVENTS", "annotations_of", "phrases_for_prompt"]

_AT_ONCE = 512  # sequences, so that what lies between stays small


def annotations_of(sequences: pl.DataFrame, scenes: Scenes) -> pl.DataFrame:
    """Find what the ego vehicle and the objects around it do in each sequence, and say it.

    Measured over every key frame from a sequence's start to its end, and over none outside. Objects count where they
    have LiDAR returns, or these are unknown, and are within `thresholds.MOST_RANGE_M`.

    Args:
        sequences: Columns scene, sequence, start, end of `SEQUENCES_SCHEMA`, a row a sequence; each has its own name.
        scenes: The scenes they are of.

    Returns:
        Columns of `ANNOTATIONS_SCHEMA`: sequences in their order, in each the ego vehicle first, then tracks by start.

    Raises:
        InputError: A sequence is of no scene here, or ends after its scene, or two have one name.
    """
    _check(sequences, scenes)
    ego = ego_of(scenes)
    objects = objects_of(scenes, ego).join(
        _attributes_of(scenes), on=["scene", "box"], how="left", maintain_order="left"
    )
    order = sequences.select("sequence", sequence_order=pl.int_range(pl.len()))
    tables = [pl.DataFrame(schema=ANNOTATIONS_SCHEMA)]
    for windows in sequences.select("scene", "sequence", "start", "end").iter_slices(_AT_ONCE):
        motions = ego_motions(windows, ego)
        tracks = tracks_in(windows, motions, objects, ego.select("scene", "frame", "timestamp_us"))
        tables += [
            ego_phrases(ego_events(motions), motions),
            object_phrases(object_events(tracks), tracks, objects),
        ]
    return (
        pl.concat(tables)
        .join(order, on="sequence", how="left", maintain_order="left")
        .sort("sequence_order", pl.col("track").is_not_null(), "start_frame", "end_frame", "track", "event")
        .drop("sequence_order")
    )


def _check(sequences: pl.DataFrame, scenes: Scenes) -> None:
    path = scenes.root / scenes.version
    lengths = sequences.join(scenes.scenes.select("scene", "keyframes"), on="scene", how="left", maintain_order="left")
    for row, (name, scene, start, end, keyframes) in enumerate(
        lengths.select("sequence", "scene", "start", "end", "keyframes").iter_rows()
    ):
        if keyframes is None:
            raise InputError(f"has no scene {scene!r}, which sequence {name!r} is of.", path=path)
        if not 0 <= start <= end < keyframes:
            raise InputError(
                f"has {keyframes} key frames in {scene}; sequence {name!r} (row {row}) goes from {start} to {end}.",
                path=path,
                remedy="Draw the sequences from the scenes they are used with.",
            )
    twice = sequences.filter(pl.col("sequence").is_duplicated())
    if twice.height:
        raise InputError(f"sequences are given twice: {twice['sequence'][0]!r}.", path=path)


def _attributes_of(scenes: Scenes) -> pl.DataFrame:
    """Code of the first attribute of each box that a phrase can say."""
    codes = {attribute.name: code for code, attribute in enumerate(ATTRIBUTES)}
    return (
        scenes.boxes.select("scene", box="token", attribute="attributes")
        .explode("attribute")
        .filter(pl.col("attribute").is_in(list(codes)))
        .with_columns(attribute=pl.col("attribute").replace_strict(codes, return_dtype=pl.Int8))
        .unique(["scene", "box"], keep="first", maintain_order=True)
    )
