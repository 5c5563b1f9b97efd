"""Exact-prompt pairs: the same words, another scene, the opposite answer (LiDAR-Hallu, Sec. III-D and IV-C).

Whoever answers from the prompt alone gives both questions of a pair the same answer and gets one wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.labels.leads import add_pair_rates
from probe4d.diagnosis.sheets.grouping import Group
from probe4d.diagnosis.sheets.labels import INVALID, YES, LabelSheet
from probe4d.diagnosis.statistics.matching import match_across_scenes
from probe4d.diagnosis.tables import PAIRS_SCHEMA

__all__ = [
    "EGO",
    "EGO_PAPER",
    "PLAIN",
    "PromptPairs",
    "add_joint",
    "add_pairs",
    "fits_layout",
    "pairs_table",
    "prompt_pairs",
]

PLAIN, EGO, EGO_PAPER = "plain", "ego", "ego-paper"

_EGO_MOTION = pl.col("facts").str.json_path_match("$.ego_motion.text")

Items = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PromptPairs:
    """The pairs of a benchmark under one prompt layout; no answer has a part in choosing them.

    Attributes:
        layout: `ego` if prompts hold the ego-motion text, else `plain`.
        positives: (pairs,) positions in the sheet of the questions whose answer is Yes.
        negatives: (pairs,) the same for No.
        prompts: (questions of the sheet,) code of each yes-no question's family, prompt and number of key
            frames; -1 for other questions and for those of which text or key frames are unknown.
    """

    layout: str
    positives: Items
    negatives: Items
    prompts: Items


def fits_layout(sheet: LabelSheet, layout: str) -> bool:
    """Whether the benchmark knows the prompts that a run of this layout was asked.

    Those of the layout `ego` hold the ego-motion text, which plain records from elsewhere do not tell; that of
    `ego-paper` no benchmark holds.
    """
    if layout == EGO_PAPER:
        return False
    asked = sheet.details.filter(sheet.questions["format"] == "yes-no", _prompt_text(PLAIN).is_not_null())
    return layout != EGO or not asked.select(_EGO_MOTION.is_null().any()).item()


def prompt_pairs(sheet: LabelSheet, layout: str) -> PromptPairs:
    """Pair yes-no questions of equal family, prompt and number of key frames, of other scenes and opposite answers.

    Within a prompt, Yes and No questions are sorted by (scene, order) and matched as `match_across_scenes`
    says; prompts come in sorted order. Any layout but `ego` puts the question alone before a model.
    """
    asked = (
        sheet.questions.hstack(sheet.details)
        .with_row_index("item")
        .with_columns(text=_prompt_text(layout), positive=pl.Series(sheet.references == YES))
        .filter((pl.col("format") == "yes-no") & pl.col("text").is_not_null() & pl.col("keyframes").is_not_null())
        .sort("family", "text", "keyframes", "scene", "order")
        .with_columns(prompt=pl.struct("family", "text", "keyframes").rle_id())
    )
    prompts = np.full(sheet.scenes.size, -1, dtype=np.intp)
    prompts[asked["item"].to_numpy()] = asked["prompt"].to_numpy()
    both = asked.group_by("prompt", maintain_order=True).agg(
        pl.col("item", "scene").filter("positive").name.suffix("_yes"),
        pl.col("item", "scene").filter(~pl.col("positive")).name.suffix("_no"),
    )
    found: list[tuple[int, int]] = []
    for _, yes, scenes_yes, no, scenes_no in both.iter_rows():
        if yes and no:
            found += [(yes[i], no[j]) for i, j in match_across_scenes(scenes_yes, scenes_no)]
    pairs = np.array(found, dtype=np.intp).reshape(-1, 2)
    return PromptPairs(layout, pairs[:, 0], pairs[:, 1], prompts)


def add_pairs(figures: Figures, sheet: LabelSheet, pairs: PromptPairs, names: Sequence[str]) -> None:
    """Add the pair metrics of the answerers whose prompts have this layout.

    Metrics (Eq. 6): pairs, pairs_both, pairs_one, pairs_neither, pair_both_rate, pair_item_accuracy,
    pair_same_answer;
    pairs_all_both, over every opposite cross-scene pair of a prompt, which no choice of a matching changes;
    and the joint rates of answerers that see the prompt alone: pair_reference_deterministic, always 0, and
    pair_reference_sampling, p(1 - p) at the answerer's own rate p of Yes on these questions; pair_lead is over that.
    A family without a pair gets pairs = 0 and nothing else.
    """
    rows = [sheet.row(name) for name in names]
    for group in sheet.groups:
        if group.format != "yes-no":
            continue
        inside = np.isin(pairs.positives, group.items) & np.isin(pairs.negatives, group.items)
        positives, negatives = pairs.positives[inside], pairs.negatives[inside]
        if not positives.size:
            if group.relation == "all":
                # A family that no two questions of pair up says so, rather than nothing.
                figures.add_values("pairs", group, names, [0.0] * len(names), 0)
            continue
        add_joint(figures, sheet, group, names, positives, negatives, prefix="pair")
        says_yes = sheet.labels[rows][:, np.concatenate([positives, negatives])] == YES
        p = says_yes.mean(axis=1)
        figures.add_values("pair_reference_deterministic", group, names, [0.0] * len(names), positives.size)
        figures.add_values("pair_reference_sampling", group, names, p * (1.0 - p), positives.size)
        if group.relation == "all":
            add_pair_rates(figures, sheet, group, names, positives, negatives)
        asked = group.items[pairs.prompts[group.items] >= 0]
        every = _opposite_pairs(sheet, pairs.prompts, asked, np.ones((1, sheet.scenes.size), dtype=bool))
        both = _opposite_pairs(sheet, pairs.prompts, asked, sheet.correct[rows])
        figures.add_values("pairs_all_both", group, names, both, int(every[0]))


def add_joint(
    figures: Figures,
    sheet: LabelSheet,
    group: Group,
    names: Sequence[str],
    positives: Items,
    negatives: Items,
    *,
    prefix: str,
) -> None:
    """Add how many pairs an answerer gets right in full, by half, not at all, and how often it says the same twice.

    Args:
        figures: Receives the rows.
        sheet: Questions and answers.
        group: What the pairs are of.
        names: The answerers.
        positives: (pairs,) positions in the sheet.
        negatives: (pairs,) positions in the sheet.
        prefix: `pair` or `contrast`; counts are called by its plural.
    """
    rows = [sheet.row(name) for name in names]
    right = sheet.correct[rows][:, positives].astype(np.int64) + sheet.correct[rows][:, negatives]
    first, second = sheet.labels[rows][:, positives], sheet.labels[rows][:, negatives]
    same = (first == second) & (first != INVALID)
    n = positives.size
    figures.add_values(f"{prefix}s", group, names, [n] * len(names), n)
    for metric, score in (("both", 2), ("one", 1), ("neither", 0)):
        figures.add_values(f"{prefix}s_{metric}", group, names, (right == score).sum(axis=1), n)
    figures.add_values(f"{prefix}_item_accuracy", group, names, right.sum(axis=1) / (2 * n), 2 * n)
    figures.add_values(f"{prefix}_same_answer", group, names, same.mean(axis=1), n)


def pairs_table(sheet: LabelSheet, layouts: Sequence[PromptPairs]) -> pl.DataFrame:
    """List the pairs, layout by layout; columns of `PAIRS_SCHEMA`."""
    ids, families = sheet.questions["id"], sheet.questions["family"]
    parts = [
        pl.DataFrame(
            {
                "layout": pl.Series([pairs.layout] * pairs.positives.size, dtype=pl.String),
                "pair": np.arange(pairs.positives.size, dtype=np.int32),
                "family": families[pairs.positives],
                "positive": ids[pairs.positives],
                "negative": ids[pairs.negatives],
            },
            schema=PAIRS_SCHEMA,
        )
        for pairs in layouts
    ]
    return pl.concat([pl.DataFrame(schema=PAIRS_SCHEMA), *parts])


def _prompt_text(layout: str) -> pl.Expr:
    """What a question puts before a model, a fixed prompt first; null where it is not known.

    A prompt may be fixed in either layout: the ego-motion text is put before it, or taken off, as needed.
    """
    opening = pl.concat_str(_EGO_MOTION, pl.lit("\n"))
    fixed = pl.col("prompt").str.strip_prefix(opening.fill_null(""))
    plain = pl.coalesce(fixed, "question")
    return pl.concat_str(opening, plain) if layout == EGO else plain


def _opposite_pairs(
    sheet: LabelSheet, prompts: Items, asked: Items, right: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """(answerers,) pairs of questions, both right, that share a prompt but neither answer nor scene."""
    _, place = np.unique(np.stack([prompts[asked], sheet.scenes[asked]]), axis=1, return_inverse=True)
    positive = sheet.references[asked] == YES

    def products(codes: Items) -> npt.NDArray[np.float64]:
        size = int(codes.max(initial=0)) + 1
        yes, no = (
            np.stack([np.bincount(codes[side & row], minlength=size) for row in right[:, asked]])
            for side in (positive, ~positive)
        )
        total: npt.NDArray[np.float64] = (yes * no).sum(axis=1).astype(np.float64)
        return total

    in_one_scene = products(place.reshape(-1))
    return products(prompts[asked]) - in_one_scene
