"""Every question that scenes allow, before any draw: answers with the clips and targets that they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.sampling import ranks
from probe4d.benchmarks.stride.challenge import challenge_of
from probe4d.benchmarks.stride.conditions import conditions_of
from probe4d.benchmarks.stride.editions import Edition
from probe4d.benchmarks.stride.histories import ego_histories
from probe4d.benchmarks.stride.manoeuvres import manoeuvres_of
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.tags import tags_of
from probe4d.benchmarks.stride.templates import CODES, Template
from probe4d.benchmarks.stride.thresholds import FEWEST_PARTS, HISTORY_FRAMES
from probe4d.benchmarks.stride.windows import gapless
from probe4d.scenes.tables import Scenes

__all__ = ["KEY", "SUITE_NAME", "Candidates", "Measuring", "candidates_of", "merged"]

SUITE_NAME = "stride"

KEY = ("scene", "frame", "track")
"""What tells a question of a template from the others; the track is null where there is no target."""

_SPARE = 4
"""How many times the most of a scene are kept: so many can be passed over for overlapping clips."""

_NO_TARGETS = (
    "objects at query frames that are no targets: too far, too small in every image, without a LiDAR return, or not "
    "there in all five frames"
)

_GAP = "a key frame is missing among those that it shows or measures"

_UNIQUE = (*KEY, "trajectory")
_ORDER = ("challenge", "rank", *_UNIQUE)
_OF_PARTS = ("answer", "facts")


class Measuring(NamedTuple):
    """What is measured.

    Attributes:
        edition: What the data allows.
        templates: Ids of the templates that are asked, in order.
        labels: Columns of `LABELS_SCHEMA`; null without labels.
        seed: Seed of the draws that rules make.
        most_per_scene: Most questions of a template about one scene.
    """

    edition: Edition
    templates: tuple[str, ...]
    labels: pl.DataFrame | None
    seed: int
    most_per_scene: int

    @property
    def asked(self) -> list[Template]:
        """The templates that are asked."""
        return [self.edition.templates[name] for name in self.templates]


class Candidates(NamedTuple):
    """What can be asked, and what is known of it.

    Attributes:
        pools: By template its candidates: scene, frame, track, answer, options, trajectory, margin, margin_unit, facts,
            challenge (the score), tags, manoeuvre and speed_change (null where the scene ends before), and rank, by
            which ties are broken; of open templates `parts`, a list of template, answer and facts of each part that
            can be told.
        targets: Columns of `TARGETS_SCHEMA`, of those that the pools name, and shared: whether another target of the
            clip is called the same.
        histories: The words of `ego_histories`, by scene and frame.
        exclusions: Number of candidates that were left out, by reason.
    """

    pools: dict[str, pl.DataFrame]
    targets: pl.DataFrame
    histories: dict[tuple[str, int], str]
    exclusions: dict[str, int]


def candidates_of(scenes: Scenes, measuring: Measuring) -> Candidates:
    """Measure some scenes.

    A scene gives a template no more than `most_per_scene` questions, so that of each answer only as many of the
    highest score are kept, and what open questions kept are composed of.

    Raises:
        InputError: As `signals_of`.
    """
    signals = measuring.edition.signals(scenes, measuring.labels, seed=measuring.seed)
    clips = _clips(scenes, signals)
    answers, exclusions = _answers(signals, measuring)
    opened: dict[str, pl.DataFrame] = {}
    pools: dict[str, pl.DataFrame] = {}
    for template in (template for template in measuring.asked if template.parts):
        composed, short = _composed(template, answers, measuring.edition, signals.ego)
        exclusions[f"{template.id}: fewer than {FEWEST_PARTS} of its parts can be told"] = short
        scored = _scored(template.id, composed, clips, measuring)
        opened[template.id] = _foremost(scored, [pl.col("parts").list.len()], measuring)
    for template in (template for template in measuring.asked if not template.parts):
        scored = _scored(template.id, answers[template.id], clips, measuring)
        pools[template.id] = _kept(template, scored, opened, measuring)
    pools |= opened
    exclusions += _unasked(signals, measuring.asked)  # which leaves zeros out
    asked = pl.concat([pool.select(KEY) for pool in pools.values()]).unique()
    shared = signals.targets.with_columns(shared=pl.len().over("scene", "frame", "words") > 1)
    targets = shared.join(asked, on=KEY, how="semi", maintain_order="left")
    clips_asked = {*asked.select(KEY[:2]).iter_rows()}
    told = {clip: words for clip, words in ego_histories(signals).items() if clip in clips_asked}
    return Candidates(pools, targets, told, dict(exclusions))


def merged(parts: Sequence[Candidates]) -> Candidates:
    """Put the candidates of groups of scenes together."""
    return Candidates(
        pools={name: pl.concat([part.pools[name] for part in parts]) for name in parts[0].pools},
        targets=pl.concat([part.targets for part in parts]),
        histories={key: words for part in parts for key, words in part.histories.items()},
        exclusions=dict(sum((Counter(part.exclusions) for part in parts), Counter())),
    )


def _answers(signals: Signals, measuring: Measuring) -> tuple[dict[str, pl.DataFrame], Counter[str]]:
    """What the rules answer of the templates asked and of their parts, and how many answers were too close."""
    wanted = {part for template in measuring.asked for part in (template.id, *template.parts)}
    exclusions: Counter[str] = Counter()
    answers = {}
    for name, rule in measuring.edition.rules.items():
        if name not in wanted:
            continue
        found = rule(signals)
        whole = found.join(
            gapless(signals.ego, measuring.edition.templates[name].future_frames),
            on=KEY[:2],
            how="semi",
            maintain_order="left",
        )
        answers[name] = whole.filter(~pl.col("too_close")).drop("too_close")
        if name in measuring.templates:
            exclusions[f"{name}: {_GAP}"] = found.height - whole.height
            exclusions[f"{name}: nearer to a line than an eye could tell"] = whole.height - answers[name].height
    return answers, exclusions


def _clips(scenes: Scenes, signals: Signals) -> pl.DataFrame:
    """What is known of each key frame and target: scores, tags, what the ego vehicle does next."""
    conditions = conditions_of(signals.ego.select("scene", "frame"), scenes.scenes, signals.labels)
    challenge = challenge_of(signals, conditions)
    scored = pl.concat([challenge.clips.with_columns(track=pl.lit(None, pl.String)).select(challenge.targets.columns)])
    return (
        pl.concat([scored, challenge.targets])
        .join(tags_of(conditions, signals.objects, signals.told), on=KEY[:2], how="left", maintain_order="left")
        .join(manoeuvres_of(signals.ego), on=KEY[:2], how="left", maintain_order="left")
    )


def _scored(name: str, answers: pl.DataFrame, clips: pl.DataFrame, measuring: Measuring) -> pl.DataFrame:
    known = answers.join(clips, on=KEY, how="inner", nulls_equal=True, maintain_order="left")
    keys = known.select(pl.concat_str(pl.col(*KEY, "trajectory").cast(pl.String).fill_null(""), separator="\x1f"))
    return known.with_columns(rank=ranks(keys.to_series(), seed=measuring.seed, family=f"{SUITE_NAME}/{name}"))


def _composed(
    template: Template, answers: dict[str, pl.DataFrame], edition: Edition, ego: pl.DataFrame
) -> tuple[pl.DataFrame, int]:
    """Candidates of an open template with the future that it asks about, parts in order, and how many had too few."""
    about = _about(template)
    parts = [
        answers[name].select(*_about(edition.templates[name]), *_OF_PARTS, template=pl.lit(name))
        for name in template.parts
    ]
    asked = pl.concat([part.select(about) for part in parts if set(about) <= set(part.columns)]).unique()
    told = pl.concat(
        [
            asked.join(part, on=[name for name in KEY if name in part.columns], how="inner").select(
                *about, "template", *_OF_PARTS, place=pl.lit(place)
            )
            for place, part in enumerate(parts)
        ]
    )
    last = ego.group_by("scene").agg(last=pl.col("frame").max())
    composed = (
        told.join(last, on="scene")
        .filter(pl.col("last") - pl.col("frame") >= template.future_frames)
        .sort(*about, "place")
        .group_by(about, maintain_order=True)
        .agg(parts=pl.struct("template", *_OF_PARTS))
        .with_columns(
            track=pl.col("track") if template.has_target else pl.lit(None, pl.String),
            answer=pl.lit("", pl.String),
            options=pl.lit(None, pl.List(pl.String)),
            trajectory=pl.lit(None, pl.String),
            margin=pl.lit(None, pl.Float64),
            margin_unit=pl.lit(None, pl.String),
            facts=pl.lit("{}"),
        )
    )
    enough = composed.filter(pl.col("parts").list.len() >= FEWEST_PARTS)
    return enough, composed.height - enough.height


def _foremost(pool: pl.DataFrame, by: Sequence[pl.Expr], measuring: Measuring) -> pl.DataFrame:
    """The candidates of each scene and group that are of the highest scores."""
    place = pl.int_range(pl.len()).over("scene", pl.struct(*by) if by else pl.lit(0))
    ordered = pool.sort(*_ORDER, descending=[True, *(False for _ in _ORDER[1:])])
    return ordered.filter(place < measuring.most_per_scene * _SPARE).sort(_UNIQUE)


def _kept(
    template: Template, pool: pl.DataFrame, opened: dict[str, pl.DataFrame], measuring: Measuring
) -> pl.DataFrame:
    """Of a choice or waypoint template, the foremost of each answer and manoeuvre, and all parts of open questions."""
    by = [pl.col("answer")] if template.options else []
    if template.family == CODES["TRJ"]:
        by += [pl.col("manoeuvre"), pl.col("speed_change")]
    linked = [
        pool.join(whole, on=_about(template), how="semi")
        for opener, whole in opened.items()
        if template.id in measuring.edition.templates[opener].parts
    ]
    return pl.concat([_foremost(pool, by, measuring), *linked]).unique(_UNIQUE, keep="first").sort(_UNIQUE)


def _about(template: Template) -> tuple[str, ...]:
    """Columns of what a template asks about."""
    return KEY if template.has_target else KEY[:2]


def _unasked(signals: Signals, asked: Sequence[Template]) -> Counter[str]:
    """Key frames that are no query frames, or have no future, and objects that are no targets."""
    after = pl.col("frame").max().over("scene") - pl.col("frame")
    frames = signals.ego.select(early=pl.col("frame") < HISTORY_FRAMES, after=after)
    found = Counter({f"key frames without {HISTORY_FRAMES} earlier ones: no query frames": int(frames["early"].sum())})
    if future := max(template.future_frames for template in asked):
        late = frames.filter(~pl.col("early") & (pl.col("after") < future)).height
        found[f"query frames without {future} later ones: not asked about the future"] = late
    if any(template.has_target for template in asked):
        there = signals.objects.filter(pl.col("frame") >= HISTORY_FRAMES).height
        found[_NO_TARGETS] = there - signals.targets.height
        found.update(signals.dropped)
    return found
