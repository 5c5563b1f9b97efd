"""Events as sentences, with the numbers behind them."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.benchmarks.b4dl.annotations.attributes import ATTRIBUTES, NO_ATTRIBUTE
from probe4d.benchmarks.b4dl.annotations.tracks import Motions, Tracks
from probe4d.benchmarks.b4dl.annotations.ways import Array, Flags, Runs
from probe4d.scenes.geometry import bearing_deg, sector_index

__all__ = ["ANNOTATIONS_SCHEMA", "ego_phrases", "object_phrases", "phrases_for_prompt"]

ANNOTATIONS_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "sequence": pl.String(),
    "track": pl.String(),  # null: the ego vehicle
    "words": pl.String(),  # what the sentence calls it, without attributes
    "event": pl.String(),  # one of `EVENTS`
    "start_frame": pl.Int32(),  # key-frame index of the scene
    "end_frame": pl.Int32(),  # the last one, part of it
    "phrase": pl.String(),
    "range_start_m": pl.Float64(),  # of the centre from the ego origin, in the plane; null of the ego vehicle
    "range_end_m": pl.Float64(),
    "ego_x_start_m": pl.Float64(),  # centre in the ego frame of the key frame
    "ego_y_start_m": pl.Float64(),
    "ego_x_end_m": pl.Float64(),
    "ego_y_end_m": pl.Float64(),
    "nearer_by_object_m": pl.Float64(),  # what its own motion brought it nearer; below 0 farther away
    "nearer_by_ego_m": pl.Float64(),  # what the motion of the ego vehicle did
    "speed_start_mps": pl.Float64(),  # over ground, smoothed; 0 where it stands
    "speed_end_mps": pl.Float64(),
    "turn_deg": pl.Float64(),  # change of heading, to the left; null of objects that stand throughout
    "lidar_points": pl.Int32(),  # fewest; null if unknown at all key frames, and of the ego vehicle
    "start_box": pl.String(),  # token of the box at the first and at the last key frame
    "end_box": pl.String(),
}

_EGO = "The ego vehicle"
_IN_SECTOR = (
    "ahead",
    "ahead on the left",
    "on the left",
    "behind on the left",
    "behind",
    "behind on the right",
    "on the right",
    "ahead on the right",
)
"""In the order of `SECTORS`."""

_RANK = {
    event: rank
    for rank, events in enumerate(
        (
            ("crosses-left", "crosses-right", "overtakes", "passes", "stops", "starts", "turns-left", "turns-right"),
            ("approaches", "recedes", "keeps-distance"),
            ("is-passed",),
            ("comes-nearer", "is-left-behind"),
            ("stays",),
        )
    )
    for event in events
}
"""Which events of objects go first into a prompt: those that take most motion of their own."""


def ego_phrases(found: pl.DataFrame, ego: Motions) -> pl.DataFrame:
    """Events of the ego vehicle as rows of `ANNOTATIONS_SCHEMA`.

    Args:
        found: Columns of `FOUND_SCHEMA`.
        ego: What they were found in.
    """
    runs = _runs(found)
    subject = pl.lit(_EGO)
    rows = _with_motion(found, ego, runs, np.ones(found.height, dtype=bool))
    return _table(rows.with_columns(words=pl.lit("ego vehicle")), subject)


def object_phrases(found: pl.DataFrame, tracks: Tracks, objects: pl.DataFrame) -> pl.DataFrame:
    """Events of objects as rows of `ANNOTATIONS_SCHEMA`.

    Args:
        found: Columns of `FOUND_SCHEMA`.
        tracks: What they were found in.
        objects: The table that the boxes of the tracks are rows of.
    """
    runs = _runs(found)
    by_object, by_ego = (runs.gain(nearer) for nearer in tracks.nearer_m)
    tokens = objects["box"].to_numpy()
    columns = {
        "range": tracks.ranges_m,
        "ego_x": tracks.ego_places_m[..., 0],
        "ego_y": tracks.ego_places_m[..., 1],
    }
    rows = _with_motion(found, tracks, runs, ~runs.all_of(tracks.stands)).with_columns(
        *(
            pl.Series(f"{name}_{end}_m", values[runs.row, at], dtype=pl.Float64)
            for name, values in columns.items()
            for end, at in (("start", runs.first), ("end", runs.last))
        ),
        *(
            pl.Series(f"{end}_box", tokens[tracks.boxes[runs.row, at]], dtype=pl.String)
            for end, at in (("start", runs.first), ("end", runs.last))
        ),
        nearer_by_object_m=pl.Series(by_object, dtype=pl.Float64),
        nearer_by_ego_m=pl.Series(by_ego, dtype=pl.Float64),
        lidar_points=pl.Series(_least(runs.along(tracks.lidar_points)), dtype=pl.Float64).fill_nan(None),
        noun=pl.Series(_nouns(found, tracks, runs), dtype=pl.String),
        sector=pl.Series(_sectors(tracks, runs), dtype=pl.String),
    )
    vowel = pl.col("noun").str.contains("^[aeiou]")
    article = pl.when(vowel).then(pl.lit("An ")).otherwise(pl.lit("A "))
    side = pl.when(pl.col("ego_y_start_m") > 0).then(pl.lit(" on the left")).otherwise(pl.lit(" on the right"))
    place = pl.when(placed="sector").then(" " + pl.col("sector")).when(placed="side").then(side).otherwise(pl.lit(""))
    return _table(rows, article + pl.col("noun") + place)


def phrases_for_prompt(annotations: pl.DataFrame, sequence: str, *, most: int = 30) -> list[str]:
    """The phrases of a sequence that a prompt gives as ground truth.

    Those of the ego vehicle come first, then as many of objects as there is room for: motion of their own before what
    the ego vehicle's brings about, and nearer ones first. Both parts are in the order of their starts; what two
    objects alike do alike is said once.

    Args:
        annotations: Columns of `ANNOTATIONS_SCHEMA`.
        sequence: Name of the sequence.
        most: Phrases in all.
    """
    own = annotations.filter(pl.col("sequence") == sequence)
    ego = own.filter(pl.col("track").is_null())
    objects = (
        own.filter(pl.col("track").is_not_null())
        .with_columns(
            rank=pl.col("event").replace_strict(_RANK, return_dtype=pl.Int8),
            nearest_m=pl.min_horizontal("range_start_m", "range_end_m"),
        )
        .sort("rank", "nearest_m", "track", "start_frame", "event")
        .unique("phrase", keep="first", maintain_order=True)
    )
    chosen = [
        part.select("start_frame", "end_frame", "phrase")
        for part in (ego.head(most), objects.head(max(most - ego.height, 0)))
    ]
    return [phrase for part in chosen for phrase in part.sort("start_frame", "end_frame", "phrase")["phrase"]]


def _runs(found: pl.DataFrame) -> Runs:
    return Runs(*(found[name].to_numpy() for name in ("row", "first", "last")))


def _with_motion(found: pl.DataFrame, motions: Motions, runs: Runs, turns: Flags) -> pl.DataFrame:
    """Add where and when, speeds and change of heading."""
    turned_deg = np.where(turns, np.degrees(runs.gain(motions.way.turned_rad)), np.nan)
    own = motions.table[runs.row]
    return pl.concat([found, own], how="horizontal").with_columns(
        start_frame=(pl.col("start") + pl.col("first")).cast(pl.Int32),
        end_frame=(pl.col("start") + pl.col("last")).cast(pl.Int32),
        speed_start_mps=pl.Series(motions.speeds_mps[runs.row, runs.first], dtype=pl.Float64),
        speed_end_mps=pl.Series(motions.speeds_mps[runs.row, runs.last], dtype=pl.Float64),
        turn_deg=pl.Series(turned_deg, dtype=pl.Float64).fill_nan(None),
    )


def _table(rows: pl.DataFrame, subject: pl.Expr) -> pl.DataFrame:
    frames = [pl.col(name).cast(pl.String).str.zfill(3) for name in ("start_frame", "end_frame")]
    phrase = pl.format("{} {} from frame {} to frame {}.", subject, "predicate", *frames)
    missing = {name: pl.lit(None, dtype) for name, dtype in ANNOTATIONS_SCHEMA.items() if name not in rows.columns}
    return rows.with_columns(**(missing | {"phrase": phrase})).select(
        pl.col(name).cast(dtype) for name, dtype in ANNOTATIONS_SCHEMA.items()
    )


def _nouns(found: pl.DataFrame, tracks: Tracks, runs: Runs) -> list[str]:
    """What each run's object is called, with the attribute that all its annotated key frames agree on."""
    stands = runs.all_of(tracks.stands)
    moves = np.nansum(runs.along(tracks.moves.astype(np.float64)), axis=1) > 0
    codes = np.where(tracks.attributes == NO_ATTRIBUTE, np.nan, tracks.attributes)
    along = runs.along(codes)
    low, high = _least(along), np.fmax.reduce(along, axis=1)
    agreed = np.where(low == high, low, NO_ATTRIBUTE).astype(np.int64)
    words = tracks.table["words"].gather(runs.row).to_list()
    # What starts or stops does both; the annotation of one of them would be said of all.
    fits = {
        "stands": stands,
        "moves": moves & ~found["event"].is_in(["starts", "stops"]).to_numpy(),
        "either": np.ones(len(stands), dtype=bool),
    }
    patterns = np.where(stands, "stationary {}", "{}").astype(object)
    for code, attribute in enumerate(ATTRIBUTES):
        patterns[(agreed == code) & fits[attribute.agrees]] = attribute.words
    return [pattern.format(word) for pattern, word in zip(patterns, words, strict=True)]


def _sectors(tracks: Tracks, runs: Runs) -> list[str]:
    """Where each run's object is at its first key frame."""
    x, y = tracks.ego_places_m[runs.row, runs.first].T
    return [_IN_SECTOR[index] for index in sector_index(bearing_deg(x, y))]


def _least(values: Array) -> Array:
    least: Array = np.fmin.reduce(values, axis=1)
    return least
