"""What STRIDE says of itself on a dataset card, and what a benchmark of it covers."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.card import SuiteCard, markdown_table
from probe4d.benchmarks.stride.coverage import ALL, Coverage
from probe4d.benchmarks.stride.coverage_chart import CHART_FILE
from probe4d.benchmarks.stride.manoeuvres import SPEED_CHANGES
from probe4d.benchmarks.stride.tags import TAGS
from probe4d.benchmarks.stride.templates import CODES, FAMILIES

__all__ = ["CARD", "card_sections", "guessing"]

CARD = SuiteCard(
    title="STRIDE",
    about=(
        "Questions about five key frames, half a second apart, seen by all cameras. The last one is the query frame: "
        "there a red box marks the object that is asked about. Choice questions ask for one judgement each; open "
        "questions ask for what several of them amount to, and are linked with those; waypoint questions ask for "
        "positions of the ego vehicle. The paper's templates are numbered as there; its benchmark was never released, "
        "and most wordings and all thresholds are ours."
    ),
    rules={
        "scene-context": (
            "weather, time of day and kind of road come from labels; all else is counted in, or extrapolated from, the "
            "boxes around the ego vehicle."
        ),
        "spatial-perception": (
            "bearing and distance of the centre of the target's box from the origin of the ego frame, its displacement "
            "over the last second, and the dataset's own level of visibility."
        ),
        "spatial-understanding": (
            "footprints of boxes against zones: the way ahead, the strips beside it, the room that a lane change needs."
        ),
        "temporal-memory": (
            "where a track was, how it moved and which were hidden, over the five frames that are shown; a second path "
            "is that of the ego vehicle."
        ),
        "temporal-extrapolation": "how a track moves on in the two seconds after the query frame.",
        "trajectory": (
            "poses of the ego vehicle after and before the query frame, in its frame; alternatives are made from the "
            "driven path, and judged by the boxes that are annotated in the steps they are at."
        ),
    },
    limits=(
        "Nothing is asked that lies nearer to a line than an eye could tell; answers at the lines are therefore rarer "
        "than in traffic.",
        "The future is what was driven, and is not the only thing that would have been right.",
        "Velocities follow from annotated positions half a second apart, which tremble by some decimetres.",
        "References of open questions say what the parts say and nothing else; a good answer may say more.",
        "Tags and scores are read from boxes and descriptions, and serve to spread questions, not to answer them.",
        "Questions of one scene are much alike; intervals should be taken over whole scenes.",
    ),
    papers=(
        "STRIDE: Evaluating Spatiotemporal Reasoning in Driving Edge Cases. https://arxiv.org/abs/2610.22795",
        "How far ego status alone goes: Is Ego Status All You Need for Open-Loop End-to-End Autonomous Driving? "
        "https://arxiv.org/abs/2312.03031",
    ),
)


def guessing(table: pl.DataFrame) -> float | None:
    """How often a guess is right: the mean of 1/options over choice questions (App. C.4); null without any."""
    choices = table.filter(pl.col("format") == "choice")
    if not choices.height:
        return None
    chance: float = choices.select((1 / pl.col("options").list.len()).mean()).item()
    return chance


def card_sections(table: pl.DataFrame, coverage: Coverage) -> Sequence[str]:
    """Sections of the card on guessing, links and coverage.

    Args:
        table: The questions.
        coverage: What they cover.
    """
    chance = guessing(table)
    linked = table.filter(pl.col("links").list.len() > 0)
    openers = linked.filter(pl.col("format") == "text").height
    told = [
        f"- Distinct clips: {coverage.clips:,}; a clip is five key frames, named by its scene and query frame.",
        f"- Open questions that are linked with at least one of their parts: {openers:,} of "
        f"{table.filter(pl.col('format') == 'text').height:,}; linked choice questions: {linked.height - openers:,}.",
    ]
    if chance is not None:
        told.append(f"- A guess is right in {chance:.6f} of the choice questions (mean of 1/options).")
    sections = [
        "## Chance, clips and links",
        "\n".join(told),
        "## Coverage",
        f"![Coverage of this benchmark]({CHART_FILE})",
        _tag_table(coverage),
        _meaning(),
    ]
    if coverage.manoeuvres.height:
        sections.append(_manoeuvre_table(coverage))
    return sections


def _tag_table(coverage: Coverage) -> str:
    shares = {(family, tag): share for family, tag, _, share in coverage.tags.iter_rows()}
    present = [family for family in (ALL, *FAMILIES) if (family, next(iter(TAGS))) in shares]
    codes = {family: code for code, family in CODES.items()}
    rows = [(tag, *(f"{shares[family, tag]:.0%}" for family in present)) for tag in TAGS]
    return markdown_table(("share of clips with", *(codes.get(family, family) for family in present)), rows)


def _meaning() -> str:
    meanings = "; ".join(f"{tag}: {meaning}" for tag, meaning in TAGS.items())
    return f"A clip may have several tags. {meanings[:1].upper()}{meanings[1:]}."


def _manoeuvre_table(coverage: Coverage) -> str:
    counts = {(manoeuvre, change): clips for manoeuvre, change, clips, _ in coverage.manoeuvres.iter_rows()}
    manoeuvres = coverage.manoeuvres["manoeuvre"].unique(maintain_order=True)
    rows = [(name, *(f"{counts.get((name, change), 0):,}" for change in SPEED_CHANGES)) for name in manoeuvres]
    return markdown_table(("clips of trajectory questions: the ego vehicle goes", *SPEED_CHANGES), rows)
