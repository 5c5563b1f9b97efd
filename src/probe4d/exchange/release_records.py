"""Turns one record of the LiDAR-Hallu release into a Question and, where there is one, a reply.

Three kinds of records tell of a question: a row of a prediction file, an object of a question file, and a row
of the interval file, which keeps the event's text back. Columns of the release's older scoring are not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from probe4d.benchmarks.lidar_hallu.reading import Asked, read_interval
from probe4d.benchmarks.question import Evidence, Question, derived_id
from probe4d.exchange.permutations import permutation_fault
from probe4d.exchange.release_schema import FAMILIES, IntervalRow, Prediction, ReleasedQuestion, SceneRow
from probe4d.exchange.release_wording import Wording, read_prompt, read_wording
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.geometry import SECTORS

__all__ = ["Item", "Reply", "item_from"]

_FORMATS = {"binary": "yes-no", "mcq": "choice"}
_LETTERS = "ABCD"
_MEASURED = (
    "sample_token",
    "position",
    "correct_position",
    "distance_delta",
    "lateral_delta",
    "distance_meters",
    "gt_interval",
    "source_index",
)
_MITIGATION = "temporal_shuffle_contrastive_decoding"


class Reply(NamedTuple):
    """A recorded reply and what was recorded of its decoding."""

    text: str
    error: str | None
    alpha: float | None


class Item(NamedTuple):
    """What a record holds: the question, how it was put to the model, and the reply.

    Attributes:
        question: The question, `prompt` without the anti-position sentence and the placeholders.
        layout: `plain` or `ego`.
        anti_position: Whether the anti-position sentence was there; null for yes-no questions, which it never
            changes, and where the prompt was not recorded.
        reply: The reply; null in a question file.
    """

    question: Question
    layout: str
    anti_position: bool | None
    reply: Reply | None


def item_from(
    record: Prediction | ReleasedQuestion | IntervalRow, *, category: str, index: int, scenes: Mapping[str, SceneRow]
) -> Item:
    """Turn a record into an Item.

    Args:
        record: The record.
        category: The category that its file's name says.
        index: Position in the family's file.
        scenes: Scenes by release id, for the numbers of key frames and the dataset's tokens; empty where no
            file tells them.

    Raises:
        ValueError: The record contradicts itself, its file's name or the scenes; the message is a sentence
            without its full stop.
    """
    scene = scenes.get(record.scene_id)
    if scenes and (scene is None or scene.keyframes is None):
        raise ValueError(
            f"the number of key frames of scene {record.scene_id} is unknown, though other scenes' are told; "
            "add it to scenes.csv (scene_id, scene_token, keyframes) or scene_metadata.json"
        )
    keyframes, token = (None, None) if scene is None else (scene.keyframes, scene.scene_token)
    if isinstance(record, Prediction) and record.shuffle_permutation is not None:
        _check_permutation(record, keyframes)
    if isinstance(record, IntervalRow):
        return _interval_item(record, index, keyframes, token)
    if record.category != category:
        known = "" if record.category in FAMILIES else f", which is no category of the release ({', '.join(FAMILIES)})"
        raise ValueError(f"the category is {record.category!r}{known}, expected is {category!r} as in the file's name")
    return _text_item(record, index, keyframes, token)


def _text_item(record: Prediction | ReleasedQuestion, index: int, keyframes: int | None, token: str | None) -> Item:
    kind = _FORMATS.get(record.question_type)
    if kind is None:
        raise ValueError(f"question_type is {record.question_type!r}, expected is one of {', '.join(_FORMATS)}")
    family = FAMILIES[record.category]
    wording = read_wording(f"{family}-{kind}", record.question)
    prompt = read_prompt(record.prompt, record.question)
    answer = _checked_answer(record, wording, kind)
    _check_fields(record, wording)
    facts: dict[str, Any] = {"scene_token": token}
    if isinstance(record, ReleasedQuestion):
        facts = _released_facts(record, token)
    text = wording.text
    if prompt.ego_motion is not None:
        text = f"{prompt.ego_motion}\n{text}"
        facts.setdefault("ego_motion", {"text": prompt.ego_motion})
    question = _question(
        family,
        kind,
        scene=record.scene_id,
        keyframes=keyframes,
        order=index,
        wording=wording,
        answer=answer,
        facts=facts,
        prompt=text,
    )
    reply = None
    if isinstance(record, Prediction):
        reply = Reply(record.prediction, record.error, record.contrastive_alpha if record.mitigation else None)
    anti_position = wording.anti_position if kind == "choice" else None
    return Item(question, prompt.layout, anti_position, reply)


def _interval_item(record: IntervalRow, index: int, keyframes: int | None, token: str | None) -> Item:
    options: list[str] = []
    for interval in (record.A, record.B, record.C, record.D):
        start, dash, end = interval.partition("-")
        if not (dash and start.isdecimal() and end.isdecimal()):
            raise ValueError(f"the interval {interval!r} is not written start-end")
        options.append(f"from frame {int(start):03d} to frame {int(end):03d}")
    _check_options(options, record.correct_option)
    question = _question(
        "temporal",
        "choice",
        scene=record.scene_id,
        keyframes=keyframes,
        order=index,
        wording=Wording("", "", tuple(options), False, Asked()),
        answer=record.correct_option,
        facts={"scene_token": token},
        prompt=None,
    )
    return Item(question, "plain", None, Reply(record.prediction, record.error, None))


def _question(
    family: str,
    kind: Any,
    *,
    scene: str,
    keyframes: int | None,
    order: int,
    wording: Wording,
    answer: str,
    facts: dict[str, Any],
    prompt: str | None,
) -> Question:
    """Make the question; a wording without a stem is one whose text is kept back."""
    asked, options, stem = wording.asked, wording.options, wording.stem or None
    if keyframes is not None and asked.frames and max(asked.frames) >= keyframes:
        raise ValueError(f"the question asks about frame {max(asked.frames)}, the scene ends at frame {keyframes - 1}")
    entities = () if asked.label is None or family == "temporal" else (asked.label,)
    template = f"{family}-{kind}"
    features = tuple(option.lower().strip() for option in options)
    if family == "temporal":
        intervals = [read_interval(option) for option in options]
        if keyframes is not None and max(end for _, end in intervals) >= keyframes:
            raise ValueError(f"an option leaves the scene, which ends at frame {keyframes - 1}")
        features = tuple(str(end - start) for start, end in intervals)
        facts = facts | {"interval": intervals[_LETTERS.index(answer)]}
    question = Question(
        id="",
        suite="lidar-hallu",
        family=family,
        template=template,
        relation=asked.relation,
        format=kind,
        scene=scene,
        keyframes=keyframes,
        frames=asked.frames,
        entities=entities,
        question=stem,
        options=options,
        answer=answer,
        evidence=Evidence(frames=tuple(range(keyframes or 0))),
        rule="as-released",
        facts=facts,
        context=_context(template, asked),
        features=features,
        needs=("events",) if family == "temporal" else ("boxes", "lidar_points"),
        order=order,
        prompt=prompt,
    )
    return msgspec.structs.replace(question, id=derived_id(question))


def _context(template: str, asked: Asked) -> str:
    """Give what content controls condition on, from the question's text (LiDAR-Hallu's analysis)."""
    if template == "motion-yes-no":
        return asked.phrase or ""
    if template == "position-yes-no":
        return f"{asked.label}|{asked.relation}"
    return asked.label or "" if template != "temporal-choice" else ""


def _checked_answer(record: Prediction | ReleasedQuestion, wording: Wording, kind: str) -> str:
    given = record.reference_answer if isinstance(record, Prediction) else record.answer
    if kind == "yes-no":
        if given not in ("Yes.", "No."):
            raise ValueError(f"the reference answer is {given!r}, expected is 'Yes.' or 'No.'")
        return given.removesuffix(".")
    _check_options(wording.options, given)
    if record.correct_option not in (None, given):
        raise ValueError(f"the reference answer is {given} and correct_option {record.correct_option}")
    text = wording.options[_LETTERS.index(given)]
    if record.correct_answer not in (None, text):
        raise ValueError(f"option {given} reads {text!r} and correct_answer {record.correct_answer!r}")
    lettered = dict(zip(_LETTERS, wording.options, strict=True))
    # The CSV files hold Python's way of printing a dictionary; comparing with it needs no evaluation.
    written = (lettered, str(lettered), msgspec.json.encode(lettered).decode())
    if record.options is not None and record.options not in written:
        raise ValueError("the options of the question's text are not those of the field 'options'")
    return given


def _check_options(options: Sequence[str], letter: str) -> None:
    if letter not in _LETTERS or len(letter) != 1:
        raise ValueError(f"the reference letter is {letter!r}, expected is A, B, C or D")
    if len({option.strip().lower() for option in options}) != len(_LETTERS) or not all(map(str.strip, options)):
        raise ValueError("the options are not four different ones")


def _check_fields(record: Prediction | ReleasedQuestion, wording: Wording) -> None:
    """Check the fields that repeat what the text says, and that class and sector are known."""
    asked = wording.asked
    if asked.label is not None and asked.label not in CLASSES:
        raise ValueError(f"the class {asked.label!r} is unknown; known are {', '.join(CLASSES)}")
    if record.category == "ego_relative_spatial":
        sectors = (asked.relation,) if asked.relation is not None else wording.options
        strange = [sector for sector in sectors if sector not in SECTORS]
        if strange:
            raise ValueError(f"the position {strange[0]!r} is unknown; known are {', '.join(SECTORS)}")
    elif record.category in ("object_existence", "distance_depth"):
        strange = [option for option in wording.options if option not in CLASSES]
        if strange:
            raise ValueError(f"the class {strange[0]!r} is unknown; known are {', '.join(CLASSES)}")
    if not asked.frames:
        return
    said = {"frame": asked.frames[0], "start_frame": asked.frames[0], "end_frame": asked.frames[-1]}
    for name, frame in said.items():
        recorded = getattr(record, name)
        if recorded is not None and recorded != frame:
            raise ValueError(f"{name} is {recorded}, but the question's text says {frame}")
    if asked.label is not None and record.object_class not in (None, asked.label):
        raise ValueError(f"object_class is {record.object_class!r}, but the question's text says {asked.label!r}")


def _released_facts(record: ReleasedQuestion, token: str | None) -> dict[str, Any]:
    if token is not None and record.scene_token not in (None, token):
        raise ValueError(f"scene_token is {record.scene_token}, but the list of scenes says {token}")
    fields = msgspec.to_builtins(record)
    facts: dict[str, Any] = {"scene_token": token or record.scene_token}
    facts |= {name: fields[name] for name in _MEASURED if fields[name] is not None}
    if record.metatoken is not None:
        facts["ego_motion"] = record.metatoken
    return facts


def _check_permutation(record: Prediction, keyframes: int | None) -> None:
    if record.mitigation != _MITIGATION or record.shuffle_seed is None or record.contrastive_alpha is None:
        raise ValueError(f"a permutation needs shuffle_seed, contrastive_alpha and mitigation {_MITIGATION!r}")
    length = len(record.permutation) if keyframes is None else keyframes
    fault = permutation_fault(record.permutation, seed=record.shuffle_seed, length=length)
    if fault is not None:
        raise ValueError(fault)
