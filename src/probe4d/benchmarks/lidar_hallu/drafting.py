"""Turns drawn candidates into Questions: wording, options, and the facts behind the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.lidar_hallu.candidates import OPTIONS, Measuring
from probe4d.benchmarks.lidar_hallu.distractors import Interval
from probe4d.benchmarks.lidar_hallu.rules import INTERVAL_FRAMES
from probe4d.benchmarks.lidar_hallu.templates import (
    MOTION_VERBS,
    distance_stem,
    existence_stem,
    full_text,
    interval_text,
    motion_stem,
    position_stem,
    within,
)
from probe4d.benchmarks.question import LETTERS, Evidence, Format, Question, derived_id
from probe4d.benchmarks.sampling import arranged
from probe4d.evidence.ego_motion import ego_motion, scene_phrases
from probe4d.scenes.tables import Scenes

__all__ = ["COORDINATE_FRAME", "Drafting"]

COORDINATE_FRAME = "ego at reference LiDAR time: x forward, y left, z up, metres"


class _Draft(NamedTuple):
    """What a family says of a question; the rest follows from it.

    `shown` are the key frames of the evidence, `measured_at` those whose ego poses the answer rests on; both are
    `frames` where they are null.
    """

    scene: str
    frames: tuple[int, ...]
    stem: str
    rule: str
    facts: dict[str, Any]
    answer: str
    options: tuple[str, ...] = ()
    relation: str | None = None
    entities: tuple[str, ...] = ()
    objects: Sequence[dict[str, Any]] = ()
    margin: float | None = None
    context: str = ""
    features: tuple[str, ...] = ()
    needs: tuple[str, ...] = ("boxes", "lidar_points")
    shown: tuple[int, ...] | None = None
    measured_at: tuple[int, ...] | None = None
    restricted: bool = True


class Drafting:
    """Words questions about one set of scenes.

    Args:
        scenes: The scenes.
        measuring: How they were measured; its seed is also that of the order of options and of the choice of
            distractors.
        wrong: Three wrong intervals for the key of each event that can be asked about.
    """

    def __init__(self, scenes: Scenes, measuring: Measuring, wrong: Mapping[str, Sequence[Interval]]) -> None:
        self._seed = measuring.seed
        self._min_lidar_points = measuring.min_lidar_points
        self._annotated_sector = measuring.annotated_sector
        self._sectors = measuring.sectors
        self._wrong = wrong
        self._keyframes: dict[str, int] = dict(scenes.scenes.select("scene", "keyframes").iter_rows())
        poses = scenes.keyframes.select("scene", "frame", "pose_token").iter_rows()
        self._pose_tokens: dict[tuple[str, int], str] = {(scene, frame): token for scene, frame, token in poses}
        self._phrases = scene_phrases(scenes.keyframes)

    def existence_yes_no(self, pool: pl.DataFrame, answer: str) -> list[Question]:
        """Questions on whether a class is there; rows of the pool existence-yes or existence-no."""
        return self._finished(
            "existence",
            "yes-no",
            (
                _Draft(
                    scene=row["scene"],
                    frames=(row["frame"],),
                    stem=existence_stem(row["frame"], row["label"]),
                    rule="class-membership",
                    facts={"present": row["present"]},
                    answer=answer,
                    entities=(row["label"],),
                    objects=_objects(row.get("object")),
                    context=row["label"],
                )
                for row in pool.iter_rows(named=True)
            ),
        )

    def existence_choice(self, pool: pl.DataFrame) -> list[Question]:
        """Questions on which of four classes is there; rows of the pool existence-choice."""

        def draft(row: dict[str, Any]) -> _Draft:
            wrong = self._arranged("existence-choice/distractors", row["key"], row["absent"])[: OPTIONS - 1]
            options = self._arranged("existence-choice/options", row["key"], [row["label"], *wrong])
            return _Draft(
                scene=row["scene"],
                frames=(row["frame"],),
                stem=existence_stem(row["frame"], None),
                rule="class-membership",
                facts={"present": row["present"]},
                answer=LETTERS[options.index(row["label"])],
                options=options,
                objects=_objects(row["object"]),
                features=options,
            )

        return self._finished("existence", "choice", map(draft, pool.iter_rows(named=True)))

    def position_yes_no(self, pool: pl.DataFrame, answer: str) -> list[Question]:
        """Questions on whether the nearest of a class is in a sector; rows of the pool position."""

        def draft(row: dict[str, Any]) -> _Draft:
            sector = row["sector"]
            if answer == "No":
                others = [other for other in self._sectors if other != sector]
                sector = self._arranged("position-yes-no/proposed", row["key"], others)[0]
            return self._position(row, sector)._replace(
                stem=position_stem(row["frame"], row["label"], sector),
                answer=answer,
                context=f"{row['label']}|{sector}",
            )

        return self._finished("position", "yes-no", map(draft, pool.iter_rows(named=True)))

    def position_choice(self, pool: pl.DataFrame) -> list[Question]:
        """Questions on the sector of the nearest of a class; rows of the pool position."""

        def draft(row: dict[str, Any]) -> _Draft:
            others = [sector for sector in self._sectors if sector != row["sector"]]
            wrong = self._arranged("position-choice/distractors", row["key"], others)[: OPTIONS - 1]
            options = self._arranged("position-choice/options", row["key"], [row["sector"], *wrong])
            answer = LETTERS[options.index(row["sector"])]
            return self._position(row, None)._replace(answer=answer, options=options, features=options)

        return self._finished("position", "choice", map(draft, pool.iter_rows(named=True)))

    def motion_yes_no(self, pool: pl.DataFrame, answer: str) -> list[Question]:
        """Questions on a motion predicate; rows of the pool motion-yes or motion-no."""

        def draft(row: dict[str, Any]) -> _Draft:
            end = row["frame"] + INTERVAL_FRAMES
            deltas = {name: row[name] for name in ("distance_delta_m", "lateral_delta_m")}
            facts = {"margin_unit": "metres", **deltas}
            if row["below_threshold"]:
                facts["below_threshold"] = True
            return _Draft(
                scene=row["scene"],
                frames=(row["frame"], end),
                stem=motion_stem(row["frame"], end, row["label"], row["predicate"]),
                rule="same-instance-deltas",
                facts=facts,
                answer=answer,
                relation=row["predicate"],
                entities=(row["label"],),
                objects=(row["object"], row["object_end"]),
                margin=row["margin"],
                context=f"{row['label']} {MOTION_VERBS[row['predicate']]}",
                needs=("boxes", "lidar_points", "tracks"),
                shown=tuple(range(row["frame"], end + 1)),
            )

        return self._finished("motion", "yes-no", map(draft, pool.iter_rows(named=True)))

    def distance_choice(self, pool: pl.DataFrame) -> list[Question]:
        """Questions on the closest of four classes; rows of the pool distance."""

        def draft(row: dict[str, Any]) -> _Draft:
            labels = [measured["label"] for measured in row["objects"]]
            options = self._arranged("distance-choice/options", row["key"], labels)
            return _Draft(
                scene=row["scene"],
                frames=(row["frame"],),
                stem=distance_stem(row["frame"]),
                rule="nearest-class",
                facts={"margin_unit": "metres"},
                answer=LETTERS[options.index(labels[0])],
                options=options,
                objects=row["objects"],
                margin=row["margin"],
                features=options,
            )

        return self._finished("distance", "choice", map(draft, pool.iter_rows(named=True)))

    def temporal_choice(self, pool: pl.DataFrame) -> list[Question]:
        """Questions on when an event takes place; rows with the columns of `EVENTS_SCHEMA`."""

        def draft(row: dict[str, Any]) -> _Draft:
            truth = Interval(row["start"], row["end"])
            intervals = {interval_text(*interval): interval for interval in (truth, *self._wrong[row["key"]])}
            options = self._arranged("temporal-choice/options", row["key"], list(intervals))
            event = {name: row[name] for name in ("kind", "label", "detail", "definition", "source_row")}
            measured = row["kind"] != "b4dl"
            ego = row["kind"].startswith("ego-")
            return _Draft(
                scene=row["scene"],
                frames=(),
                stem=row["question"],
                rule=f"event:{row['kind']}",
                facts={
                    "interval": list(truth),
                    "event": {name: value for name, value in event.items() if value is not None},
                },
                answer=LETTERS[options.index(interval_text(*truth))],
                options=options,
                entities=() if row["label"] is None else (row["label"],),
                objects=row["objects"],
                features=tuple(str(intervals[option].span) for option in options),
                needs=("ego_poses",) if ego else ("boxes", "lidar_points") if measured else ("events",),
                shown=tuple(range(self._keyframes[row["scene"]])),
                measured_at=tuple(range(truth.start, truth.end + 1)),
                restricted=measured and not ego,
            )

        return self._finished("temporal", "choice", map(draft, pool.iter_rows(named=True)))

    def _position(self, row: dict[str, Any], sector: str | None) -> _Draft:
        """What the two position templates share."""
        return _Draft(
            scene=row["scene"],
            frames=(row["frame"],),
            stem=position_stem(row["frame"], row["label"], sector),
            rule="bearing-sector",
            facts={"margin_unit": "degrees", "bearing_deg": row["bearing_deg"], "sector": row["sector"]},
            answer="",
            relation=sector,
            entities=(row["label"],),
            objects=_objects(row["object"]),
            margin=row["margin"],
            context=row["label"],
        )

    def _arranged(self, family: str, key: str, items: Iterable[str]) -> tuple[str, ...]:
        return tuple(arranged(list(items), seed=self._seed, family=family, key=key))

    def _finished(self, family: str, kind: Format, drafts: Iterable[_Draft]) -> list[Question]:
        """Complete drafts: identity, evidence, poses, ego-motion text."""
        template = f"{family}-{kind}"
        return [self._finish(family, template, kind, draft) for draft in drafts]

    def _finish(self, family: str, template: str, kind: Format, draft: _Draft) -> Question:
        scene = draft.scene
        stem = within(self._annotated_sector, draft.stem) if draft.restricted else draft.stem
        shown = draft.frames if draft.shown is None else draft.shown
        measured_at = draft.frames if draft.measured_at is None else draft.measured_at
        motion = ego_motion(full_text(stem, draft.options), self._phrases[scene])
        facts = {
            "coordinate_frame": COORDINATE_FRAME,
            "min_lidar_points": self._min_lidar_points,
            "poses": [{"frame": frame, "token": self._pose_tokens[scene, frame]} for frame in measured_at],
            "objects": list(draft.objects),
            **draft.facts,
            "ego_motion": motion._asdict(),
        }
        points = [measured["lidar_points"] for measured in draft.objects]
        question = Question(
            id="",
            suite="lidar-hallu",
            family=family,
            template=template,
            relation=draft.relation,
            format=kind,
            scene=scene,
            keyframes=self._keyframes[scene],
            frames=draft.frames,
            entities=draft.entities,
            question=stem,
            options=draft.options,
            answer=draft.answer,
            evidence=Evidence(frames=shown),
            rule=draft.rule,
            facts=facts,
            margin=draft.margin,
            lidar_points=None if not points or None in points else min(points),
            context=draft.context,
            features=draft.features,
            needs=draft.needs,
            order=0,
        )
        return msgspec.structs.replace(question, id=derived_id(question))


def _objects(measured: dict[str, Any] | None) -> tuple[dict[str, Any], ...]:
    return () if measured is None else (measured,)
