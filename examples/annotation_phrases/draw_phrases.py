"""Draws annotation phrases at random, each as a picture from above with its numbers and thresholds beside it.

    python draw_phrases.py DATAROOT --out DIR --number 40 --seed 0

Kinds of events are drawn in turn, so that rare ones are looked at too, or with --as-frequent as often as they are.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl
from panels import COLUMNS, PANEL, ROWS, Panel, panel
from PIL import Image

from probe4d.benchmarks.b4dl.annotations import annotations_of
from probe4d.benchmarks.b4dl.sequences import drawn_sequences
from probe4d.benchmarks.sampling import unit_interval
from probe4d.benchmarks.tracked_motion import ego_of, objects_of
from probe4d.scenes.opening import open_scenes


def main() -> None:
    """Draw, and list what was drawn as phrases.csv."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataroot", type=Path, help="folder of a dataset")
    parser.add_argument("--out", type=Path, required=True, help="folder of the pictures")
    parser.add_argument("--number", type=int, default=40, help="how many phrases (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of sequences and phrases (%(default)s)")
    parser.add_argument(
        "--as-frequent", action="store_true", help="draw all phrases alike, not kinds of events in turn"
    )
    asked = parser.parse_args()
    scenes = open_scenes(asked.dataroot)
    sequences = drawn_sequences(scenes, seed=asked.seed)
    ego = ego_of(scenes)
    objects = objects_of(scenes, ego)
    drawn = draw(annotations_of(sequences, scenes), asked.number, asked.seed, in_turn=not asked.as_frequent).join(
        sequences.select("sequence", "start", "end"), on="sequence", how="left", maintain_order="left"
    )
    asked.out.mkdir(parents=True, exist_ok=True)
    panels = [
        panel(Panel(number, row, *(part.filter(_in_window(row)) for part in (ego, objects))))
        for number, row in enumerate(drawn.iter_rows(named=True), 1)
    ]
    for sheet, first in enumerate(range(0, len(panels), COLUMNS * ROWS), 1):
        _sheet(panels[first : first + COLUMNS * ROWS]).save(asked.out / f"phrases-{sheet}.png", optimize=True)
    drawn.with_row_index("number", 1).write_csv(asked.out / "phrases.csv", float_precision=2)
    print(f"{drawn.height} phrases of {scenes.scenes.height} scenes -> {asked.out}")


def draw(annotations: pl.DataFrame, number: int, seed: int, *, in_turn: bool) -> pl.DataFrame:
    """Some annotations, kinds of events in turn or all alike; of what a track does in several sequences one."""
    whose = pl.col("track").fill_null("ego vehicle")
    key = pl.concat_str("sequence", whose, "event", pl.col("start_frame").cast(pl.String), separator="/")
    kind = pl.when(pl.col("track").is_null()).then("ego " + pl.col("event")).otherwise("event")
    ranked = annotations.with_columns(
        kind=kind, draw=key.map_elements(lambda name: unit_interval(seed, "phrases", name), return_dtype=pl.Float64)
    ).sort("draw")
    single = ranked.unique(["scene", "track", "event"], keep="first", maintain_order=True)
    turn = pl.int_range(pl.len()).over("kind") if in_turn else pl.lit(0)
    return single.with_columns(turn=turn).sort("turn", "draw").head(number).drop("kind", "draw", "turn")


def _in_window(row: dict[str, object]) -> pl.Expr:
    return (pl.col("scene") == row["scene"]) & pl.col("frame").is_between(row["start"], row["end"])


def _sheet(panels: list[Image.Image]) -> Image.Image:
    rows = -(-len(panels) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * PANEL[0], rows * PANEL[1]), "white")
    for place, one in enumerate(panels):
        sheet.paste(one, (place % COLUMNS * PANEL[0], place // COLUMNS * PANEL[1]))
    return sheet.quantize(32)


if __name__ == "__main__":
    main()
