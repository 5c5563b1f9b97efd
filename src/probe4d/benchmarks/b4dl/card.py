"""What B4DL says of itself on a dataset card, and what a benchmark of it holds."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.b4dl.replies.faults import FAULTS
from probe4d.benchmarks.b4dl.tasks import FAMILIES, TASKS
from probe4d.benchmarks.card import SuiteCard, markdown_table
from probe4d.scenes.tables import Scenes
from probe4d.wording import in_percent

__all__ = ["CARD", "card_sections"]

CARD = SuiteCard(
    title="B4DL",
    about=(
        "Questions about sequences of 3 to 10 key frames, every other one, in six tasks. A model described the camera "
        "images of each sequence and wrote questions and answers from the descriptions, and from phrases that were "
        "measured in annotations where the parameters say so. Frames in questions and answers are key-frame indices "
        "of the scene. Nobody wrote or checked the answers by hand; where geometry can decide one, it did (below)."
    ),
    rules={
        "existence": (
            "generated: whether something is there (yes or no), or which of 15 classes something has; held against "
            "annotated boxes."
        ),
        "binary": "generated, yes or no; held against annotated boxes and poses of the ego vehicle.",
        "time-grounding": "generated, a range of key frames; held against the same.",
        "description": "generated: several descriptions of each sequence, all under the same question.",
        "temporal-understanding": "generated text.",
        "comprehensive": "generated text.",
    },
    limits=(
        "Answers are those of a model that saw camera images, not the point clouds: they may name what no LiDAR shows, "
        "and be wrong.",
        "Geometry decides only what boxes and poses can tell. An answer that it leaves undecided may be wrong, and is "
        "not counted on either side.",
        "References of the complex tasks are one way among many to say it; measures of overlap know only that one.",
        "Generated questions are much alike: ranges often are the whole sequence. The content controls tell how far "
        "the wording alone leads.",
        "Questions of one scene are much alike; intervals should be taken over whole scenes.",
    ),
    papers=(
        "B4DL: A Benchmark for 4D LiDAR LLM in Spatio-Temporal Understanding. https://mmb4dl.github.io/mmb4dl/",
        "nuScenes: A multimodal dataset for autonomous driving. https://arxiv.org/abs/1903.11027",
    ),
)

_NO_SPLIT = "no official split"
_VERDICTS = ("supported", "contradicted", "undecided")


def card_sections(
    questions: pl.DataFrame,
    verdicts: pl.DataFrame,
    faults: pl.DataFrame,
    sequences: pl.DataFrame,
    scenes: Scenes,
) -> Sequence[str]:
    """Sections of the card: counts as in Table 2, what geometry says of the answers, and which pairs were not taken.

    Args:
        questions: Columns of `QUESTION_SCHEMA`.
        verdicts: Columns of `VERDICTS_SCHEMA`, of all pairs, those that became no question among them.
        faults: Faults of replies, a row each: columns `task` and `kind`.
        sequences: Columns of `SEQUENCES_SCHEMA`.
        scenes: The scenes.
    """
    sections = ["## Sequences and samples", _counts(questions, sequences, scenes)]
    if verdicts.height:
        sections += ["## What geometry says of the answers", *_shares(verdicts)]
    if faults.height:
        sections += ["## Pairs that were not taken", *_faults(faults)]
    return sections


def _counts(questions: pl.DataFrame, sequences: pl.DataFrame, scenes: Scenes) -> str:
    """The statistics of Table 2, a column for each official split and one for all."""
    splits = scenes.scenes.select("scene", pl.col("split").fill_null(_NO_SPLIT))
    of_split = {name: sequences.join(part, on="scene") for (name,), part in splits.group_by("split")}
    names = [name for name in sorted(map(str, of_split)) if of_split[name].height]
    asked = questions.select("scene", "family").join(splits, on="scene")
    parts = [(of_split[name], asked.filter(pl.col("split") == name)) for name in names]
    parts.append((sequences, asked))
    rows: list[tuple[str, ...]] = [
        ("sequences", *(f"{part.height:,}" for part, _ in parts)),
        (
            "longest sequence (key frames from its first to its last)",
            *(_length(part, longest=True) for part, _ in parts),
        ),
        (
            "shortest sequence (key frames from its first to its last)",
            *(_length(part, longest=False) for part, _ in parts),
        ),
        *((family, *(f"{of.filter(pl.col('family') == family).height:,}" for _, of in parts)) for family in FAMILIES),
        ("all questions", *(f"{of.height:,}" for _, of in parts)),
    ]
    return markdown_table(("statistics", *names, "total"), rows)


def _length(sequences: pl.DataFrame, *, longest: bool) -> str:
    lengths = sequences.select(pl.col("end") - pl.col("start") + 1).to_series()
    return str(lengths.max() if longest else lengths.min())


def _shares(verdicts: pl.DataFrame) -> list[str]:
    decided = verdicts.filter(pl.col("verdict") != _VERDICTS[-1])["task"].unique()
    read = [name for name in FAMILIES if TASKS[name].group == "simple" or name in decided]
    parts = {name: verdicts.filter(pl.col("task") == name) for name in read}
    parts = {name: part for name, part in parts.items() if part.height} | {
        "these together": verdicts.filter(pl.col("task").is_in(read))
    }
    return [
        "Generated answers of which boxes and poses tell whether they are true, before any was dropped or corrected. "
        "The last column is the share of the decidable ones that is false.",
        markdown_table(
            ("task", *_VERDICTS, "contradicted of decidable"), [(name, *_row(part)) for name, part in parts.items()]
        ),
    ]


def _row(verdicts: pl.DataFrame) -> tuple[str, ...]:
    supported, contradicted, undecided = (verdicts.filter(pl.col("verdict") == name).height for name in _VERDICTS)
    decided, total = supported + contradicted, supported + contradicted + undecided
    shares = (f"{n:,} ({in_percent(n / total)} %)" if total else "0" for n in (supported, contradicted, undecided))
    return (*shares, f"{in_percent(contradicted / decided)} %" if decided else "none is decidable")


def _faults(faults: pl.DataFrame) -> list[str]:
    counts = {(kind, task): n for kind, task, n in faults.group_by("kind", "task").len().iter_rows()}
    tasks = [task for task in FAMILIES if task in set(faults["task"])]
    rows = [
        (meaning, *(f"{counts.get((kind, task), 0):,}" for task in tasks))
        for kind, meaning in FAULTS.items()
        if any((kind, task) in counts for task in tasks)
    ]
    return [
        "What replies held that is no sample, of first replies and of those that were asked to make up for it.",
        markdown_table(("fault", *tasks), rows),
    ]
