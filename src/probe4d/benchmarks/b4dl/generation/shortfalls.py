"""What a B4DL benchmark lacks of what was asked for, and what of replies was not taken, in words and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.b4dl.generation.pipeline import Pairs
from probe4d.benchmarks.b4dl.replies.faults import FAULTS
from probe4d.benchmarks.b4dl.tasks import TASKS
from probe4d.scenes.tables import Scenes
from probe4d.wording import counted, uncapitalized

__all__ = ["not_taken", "shortfalls_of"]


def shortfalls_of(
    generated: Pairs, sequences: pl.DataFrame, scenes: Scenes, *, tasks: Sequence[str], per_scene: int
) -> list[str]:
    """Say which scenes have too few sequences, and which tasks too few pairs, with a reason.

    Args:
        generated: What was generated.
        sequences: Columns of `SEQUENCES_SCHEMA`.
        scenes: The scenes.
        tasks: Names of the tasks that pairs were wanted of.
        per_scene: Sequences wanted of a scene.
    """
    drawn = scenes.scenes.join(sequences.group_by("scene").len(), on="scene", how="left").fill_null(0)
    few = drawn.filter(pl.col("len") < per_scene).height
    told = [f"{counted(few, 'scene')} too short for {per_scene} different sequences."] if few else []
    told += _stayed_cut(generated.descriptions)
    for task in tasks:
        short = generated.short.filter(pl.col("task") == task)
        if short.is_empty():
            continue
        wanted = sequences.height * TASKS[task].pairs
        got = wanted - (short["wanted"] - short["pairs"]).sum()
        first = short.row(0, named=True)
        told.append(
            f"{task}: {got:,} of {wanted:,} pairs; {counted(short.height, 'sequence')} with too few, such as "
            f"{first['sequence']} with {first['pairs']} of {first['wanted']} ({first['why']})."
        )
    return told


def _stayed_cut(descriptions: pl.DataFrame) -> list[str]:
    """Descriptions that were cut off, asked for once more, and are missing all the same."""
    lost = descriptions.filter(pl.col("stage") == "context-repairs", pl.col("text").is_null())
    if lost.is_empty():
        return []
    sequence, group, why = lost.select("sequence", "group", "fault").row(0)
    return [
        f"{counted(lost.height, 'description')} cut off at the limit of tokens (--max-tokens), and not had when asked "
        f"for once more, such as of the {group} views of {sequence} ({uncapitalized(why).removesuffix('.')})."
    ]


def not_taken(generated: Pairs) -> dict[str, int]:
    """How much of replies was not taken, by task and reason.

    Faults of first replies count even where a second made up for them.
    """
    faults = generated.faults.group_by("task", "kind").len().iter_rows()
    counts = Counter({f"{task}: {FAULTS[kind]}": n for task, kind, n in faults})
    counts.update({f"{task}: pairs beyond those asked for": n for task, n in generated.extra.items()})
    if without := generated.descriptions["text"].null_count():
        counts["descriptions: no text that can be used"] = without
    if again := generated.descriptions.filter(pl.col("stage") == "context-repairs").height:
        counts["descriptions: cut off at the limit of tokens, and asked for once more"] = again
    return dict(counts)
