"""Rows of other people's waypoints: which question each is about, and its points."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from probe4d.benchmarks.facts import query_frame, waypoint_facts
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.source import SceneNames
from probe4d.errors import InputError
from probe4d.exchange.answer_rows import answer_rows
from probe4d.scenes.tables import Scenes
from probe4d.store.rows import Row

__all__ = ["Addresses", "Named", "points_in", "waypoint_rows"]

Points = tuple[tuple[float, float], ...]

_ID_COLUMNS = ("question_id", "id", "question")
_TOKEN_COLUMNS = ("sample_token", "token", "sample")
_POINT_COLUMNS = ("waypoints", "trajectory", "planning", "prediction")
_SUFFIXES = (".csv", ".tsv", ".jsonl", ".json")


class Named(NamedTuple):
    """What a row is about: how it names it, and the questions of that name."""

    name: str
    questions: tuple[Question, ...]


def waypoint_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a `.csv`, `.tsv` or `.jsonl` file, or the entries of a `.json` file.

    A JSON file is a list of records, or an object whose keys name what its values are about; a value is a record, or
    the points alone.

    Raises:
        InputError: As `answer_rows`, the name ends otherwise, or the JSON is neither.
    """
    if path.suffix not in _SUFFIXES:
        raise InputError(
            f"is no {', '.join(_SUFFIXES[:-1])} or {_SUFFIXES[-1]} file.", path=path, remedy="Convert it to one."
        )
    yield from _json_entries(path) if path.suffix == ".json" else answer_rows(path)


def _json_entries(path: Path) -> Iterator[Row]:
    try:
        content = json.loads(path.read_bytes(), object_pairs_hook=_without_repetition)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=path) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"is no valid JSON ({error}).", path=path, remedy="Give the whole file.") from error
    if isinstance(content, dict):
        content = [
            {"question": name, **value} if isinstance(value, dict) else {"question": name, "waypoints": value}
            for name, value in content.items()
        ]
    if not isinstance(content, list) or not content:
        raise InputError(
            "holds no entry; expected is a list of records, or an object of question ids with their waypoints.",
            path=path,
        )
    for number, entry in enumerate(content, start=1):
        if not isinstance(entry, dict):
            raise InputError("is no record.", path=path, row=f"entry {number}", remedy="Name its question.")
        yield Row(f"entry {number}", {str(name).strip().casefold(): value for name, value in entry.items()})


def _without_repetition(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, in which no name may come twice: one of the two would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has {twice!r} twice")
    return found


class Addresses:
    """Finds the questions for waypoints that a row is about.

    Args:
        questions: The questions for waypoints.
        scenes: The dataset, whose tokens of key frames and scenes then count; null without.
    """

    def __init__(self, questions: Sequence[Question], scenes: Scenes | None) -> None:
        self._by_id = {question.id: question for question in questions}
        self._names = None if scenes is None else SceneNames(scenes)
        self._by_place: dict[tuple[str, int | None], list[Question]] = {}
        for question in questions:
            name = self._name(question.facts.get("scene_token") or question.scene)
            self._by_place.setdefault((self._name(question.scene) or name, query_frame(question)), []).append(question)
        self._tokens: Mapping[str, tuple[str, int]] = {}
        if scenes is not None:
            places = scenes.keyframes.select("token", "scene", "frame").iter_rows()
            self._tokens = {token: (scene, frame) for token, scene, frame in places}

    def _name(self, scene: Any) -> str:
        found = None if self._names is None else self._names.named(scene)
        return found or str(scene)

    def of(self, path: Path, row: Row) -> Named:
        """The questions that a row names by id, by the token of a key frame, or by scene and frame.

        A key frame stands for the questions of the direction that the row names in `direction`, else for those about
        the future.

        Raises:
            InputError: The row has no column for any of these, or `direction` is neither `future` nor `past`.
        """
        texts = [str(row.values[column]).strip() for column in _ID_COLUMNS if row.values.get(column) not in (None, "")]
        known = [text for text in texts if text in self._by_id]
        if known:
            return Named(known[0], (self._by_id[known[0]],))
        tokens = [str(row.values[column]).strip() for column in _TOKEN_COLUMNS if row.values.get(column)]
        for token in (*tokens, *texts):
            if token in self._tokens:
                return Named(token, self._at(path, row, *self._tokens[token]))
        scene, frame = row.values.get("scene"), row.values.get("frame")
        if scene not in (None, "") and frame not in (None, ""):
            number = int(str(frame)) if str(frame).strip().isdecimal() else None
            return Named(f"{scene}, frame {frame}", self._at(path, row, self._name(scene), number))
        if not (*texts, *tokens):
            raise InputError(
                "has no question id, no token of a key frame, and not both scene and frame; there are the columns "
                f"{', '.join(map(repr, row.values))}.",
                path=path,
                row=row.where,
                remedy="Name the question (question), or scene and frame.",
            )
        return Named((*texts, *tokens)[0], ())

    def _at(self, path: Path, row: Row, scene: str, frame: int | None) -> tuple[Question, ...]:
        wanted = str(row.values.get("direction") or "future").strip()
        if wanted not in ("future", "past"):
            raise InputError(
                f"has the direction {wanted!r}, which is none of future and past.", path=path, row=row.where
            )
        at = self._by_place.get((scene, frame), [])
        return tuple(question for question in at if (waypoint_facts(question).direction or "future") == wanted)


def points_in(path: Path, row: Row) -> Points | str:
    """The points of a row in the order given, or why it has none, in words.

    Raises:
        InputError: It has no column for them, or several.
    """
    columns = [column for column in _POINT_COLUMNS if column in row.values]
    if len(columns) != 1:
        raise InputError(
            f"has {' and '.join(columns) or 'none of ' + ', '.join(_POINT_COLUMNS)} for the waypoints; expected is one "
            "column.",
            path=path,
            row=row.where,
            remedy="Name it waypoints; in a .csv file it holds a JSON list [[x, y], ...].",
        )
    value = row.values[columns[0]]
    try:
        points = msgspec.json.decode(value, type=Points) if isinstance(value, str) else msgspec.convert(value, Points)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return "holds no list of points [x, y]"
    if not all(math.isfinite(coordinate) for point in points for coordinate in point):
        return "holds a value that is no number"
    return points
