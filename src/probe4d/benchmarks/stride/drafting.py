"""Turns candidates that were taken into Questions: wording, options, evidence, and the facts behind the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.question import LETTERS, Evidence, Question, derived_id
from probe4d.benchmarks.sampling import arranged
from probe4d.benchmarks.stride.candidates import SUITE_NAME, Candidates
from probe4d.benchmarks.stride.templates import Template, moment_words
from probe4d.benchmarks.stride.thresholds import HISTORY_FRAMES
from probe4d.benchmarks.stride.verbalizing import plain_reference, sentence_of, target_words

__all__ = ["Drafting"]

_DECIMALS = 6
_BOUNDS = ("left", "top", "right", "bottom")


class Drafting:
    """Words questions.

    Args:
        candidates: Where targets and ego histories are found.
        templates: The templates of the edition.
        keyframes: Number of key frames of each scene.
        seed: Seed of the order of options.
        with_history: Whether trajectory questions say where the ego vehicle was and how fast it is.
    """

    def __init__(
        self,
        candidates: Candidates,
        templates: Mapping[str, Template],
        keyframes: Mapping[str, int],
        *,
        seed: int,
        with_history: bool,
    ) -> None:
        rows = candidates.targets.iter_rows(named=True)
        self._targets: dict[tuple[str, int, str], dict[str, Any]] = {
            (row["scene"], row["frame"], row["track"]): row for row in rows
        }
        self._histories = candidates.histories
        self._templates = templates
        self._keyframes = keyframes
        self._seed = seed
        self._with_history = with_history

    def questions(self, name: str, taken: pl.DataFrame) -> list[Question]:
        """Word the candidates of a template.

        The letters of the right options follow one another over answers, so that none is right more often than the
        others by more than one, nor any together with one answer.

        Args:
            name: Id of the template.
            taken: Its candidates (see `Candidates.pools`).

        Returns:
            The questions in the order of the candidates; `order` is 0.
        """
        template = self._templates[name]
        places = taken.with_row_index("at").sort("answer", "rank", "scene", "frame")["at"].to_list()
        letters = {at: number % template.option_count for number, at in enumerate(places) if template.option_count}
        return [self._question(template, row, letters.get(at, 0)) for at, row in enumerate(taken.iter_rows(named=True))]

    def _question(self, template: Template, row: dict[str, Any], letter: int) -> Question:
        scene, frame = row["scene"], row["frame"]
        target = self._targets[scene, frame, row["track"]] if template.has_target else None
        called = None if target is None else target_words(target["words"])
        facts = msgspec.json.decode(row["facts"], type=dict[str, Any])
        if row["margin_unit"] is not None:
            facts["margin_unit"] = row["margin_unit"]
        facts |= _about_target(target, called) | _estimated(template)
        answer: str = row["answer"]
        options: tuple[str, ...] = ()
        if template.format == "choice":
            options = self._options(template, row, letter)
            answer = LETTERS[letter]
        elif template.parts:
            parts = self._parts(row["parts"], called)
            facts["reference_parts"] = parts
            answer = plain_reference(parts)
        facts |= {"tags": row["tags"], "challenge": row["challenge"]}
        stem = self._stem(template, row, called, facts)
        question = Question(
            id="",
            suite=SUITE_NAME,
            family=template.family,
            template=template.id,
            relation=template.relation,
            format=template.format,
            scene=scene,
            keyframes=self._keyframes[scene],
            frames=(frame,),
            entities=() if target is None else (_entity(target),),
            question=stem,
            options=options,
            answer=answer,
            evidence=Evidence(frames=self._shown(template, scene, frame)),
            rule=template.relation,
            facts=facts,
            margin=row["margin"],
            lidar_points=None if target is None else target["lidar_points"],
            context=template.id if target is None else f"{template.id}|{target['words']}",
            features=options,
            needs=template.needs,
            order=0,
        )
        return msgspec.structs.replace(question, id=derived_id(question))

    def _options(self, template: Template, row: dict[str, Any], letter: int) -> tuple[str, ...]:
        """The options in a drawn order, the right one under its letter."""
        offered: Sequence[str] = row["options"] or template.options
        key = f"{row['scene']}|{row['frame']}|{row['track'] or ''}"
        wrong = [option for option in offered if option != row["answer"]]
        drawn = arranged(wrong, seed=self._seed, family=f"{SUITE_NAME}/{template.id}/options", key=key)
        return (*drawn[:letter], row["answer"], *drawn[letter:])

    def _stem(self, template: Template, row: dict[str, Any], called: str | None, facts: dict[str, Any]) -> str:
        stem = template.question.replace("{target}", called or "").replace("{trajectory}", row["trajectory"] or "")
        stem = stem.replace("{moment}", moment_words(row["frame"]))
        if not (self._with_history and template.may_tell_past):
            return stem
        history = self._histories[row["scene"], row["frame"]]
        facts["ego_motion"] = {"text": history}
        return f"{history} {stem}"

    def _parts(self, parts: Sequence[dict[str, Any]], called: str | None) -> list[dict[str, Any]]:
        told = ((self._templates[part["template"]], part) for part in parts)
        return [
            {
                "template": template.id,
                "answer": part["answer"],
                "sentence": sentence_of(template, part["answer"], called),
                "facts": msgspec.json.decode(part["facts"]) | _estimated(template),
            }
            for template, part in told
        ]

    def _shown(self, template: Template, scene: str, frame: int) -> tuple[int, ...]:
        if template.shows_scene:
            # The whole scene where the template is about what comes after the query frame too, else what led to it.
            return tuple(range(self._keyframes[scene] if template.future_frames else frame + 1))
        return tuple(range(frame - HISTORY_FRAMES, frame + 1))


def _estimated(template: Template) -> dict[str, Any]:
    """Marks what rests on estimates, as a fact."""
    return {"estimated": True} if template.is_estimated else {}


def _entity(target: dict[str, Any]) -> str:
    """What tells a target from the others of its clip: its words, with the end of its track where they do not."""
    called = target_words(target["words"])
    return f"{called} ({target['track'][-8:]})" if target["shared"] else called


def _about_target(target: dict[str, Any] | None, called: str | None) -> dict[str, Any]:
    """Where the target is in space and in its picture, as facts."""
    if target is None:
        return {}
    pointed = {
        "label": called,
        "frame": target["frame"],
        "box": target["box"],
        "track": target["track"],
        "x": round(target["ego_x_m"], _DECIMALS),
        "y": round(target["ego_y_m"], _DECIMALS),
        "distance_m": round(target["range_m"], _DECIMALS),
        "lidar_points": target["lidar_points"],
    }
    bounds = [round(target[name], _DECIMALS) for name in _BOUNDS]
    return {"objects": [pointed], "target": {"frame": target["frame"], "channel": target["channel"], "bounds": bounds}}
