"""The questions that a page embeds, with everybody's answers and the numbers of their pictures.

A page holds at most `QUESTIONS` questions and stays below `BYTES`. Columns instead of records, and each text,
frame and grid once, keep it small.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.question import Question, questions_from
from probe4d.diagnosis.comparing.changes import CHANGES
from probe4d.diagnosis.parsing import STATES
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.camera_panels import CameraPanels
from probe4d.report.charts import run_colours
from probe4d.report.embedded_photographs import MOST_PHOTOGRAPHS, SMALL, Photograph, Photographs, in_turn
from probe4d.report.lookup import in_words
from probe4d.report.measured import measured
from probe4d.report.picture import Picture, Pictures, picture_of_waypoints
from probe4d.report.replies import answers_given, replies
from probe4d.report.shapes import Grid, grid
from probe4d.report.trajectories import Trajectory, is_about_waypoints, trajectories_of
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.tables import Scenes
from probe4d.wording import counted

__all__ = ["BYTES", "QUESTIONS", "Browser", "browser", "chosen", "script_safe"]

QUESTIONS = 5_000
BYTES = 36_000_000  # of the embedded data; charts and tables take the rest of 40 MB


@dataclass(frozen=True)
class Browser:
    """What a page embeds.

    Attributes:
        data: JSON, safe inside a script element.
        shown: Number of questions in it.
        notes: What is left out, as sentences.
    """

    data: str
    shown: int
    notes: tuple[str, ...]


def browser(diagnosis: Diagnosis, scenes: Scenes | None, *, limit: int = QUESTIONS) -> Browser:
    """Choose questions and pack them with their answers and pictures.

    Args:
        diagnosis: Questions and answers.
        scenes: Scenes for the pictures; null leaves the pictures out.
        limit: Most questions to embed.
    """
    table, why = chosen(diagnosis, limit)
    questions = questions_from(table, path=diagnosis.benchmark.file)
    drawings = None if scenes is None else _Drawings(scenes, questions)
    while True:
        packed, notes = _pack(diagnosis, table, questions, drawings)
        data = script_safe(msgspec.json.encode(packed).decode())
        if len(data.encode()) <= BYTES or table.height <= 1:
            break
        table, why = chosen(diagnosis, max(1, int(table.height * 0.9 * BYTES / len(data.encode()))))
        questions = questions_from(table, path=diagnosis.benchmark.file)
    total = diagnosis.benchmark.height
    if table.height < total:
        notes = (
            f"This page holds {table.height:,} of the {total:,} questions: {why}. The figures above are of all.",
            *notes,
        )
    return Browser(data, table.height, notes)


def chosen(diagnosis: Diagnosis, limit: int) -> tuple[pl.DataFrame, str]:
    """Choose the questions to embed: those a run got wrong or changed first, then the others, each evenly.

    Evenly means: strata of family, format and relation give the same share of their questions, taken in the
    order of their ids, which are hashes. Where there is no run, the controls' answers count.

    Returns:
        The questions in benchmark order, and a clause that says how they were chosen.
    """
    marked = pl.concat([_wrong(diagnosis), diagnosis.changes["question"]]).unique()
    strata = ["first", "family", "format", "relation"]
    questions = diagnosis.benchmark.columns("id", *strata[1:])
    table = questions.with_columns(first=pl.col("id").is_in(marked.implode()))
    picked = (
        table.group_by(strata)
        .agg(pl.len(), pl.col("id").bottom_k(limit))  # of one stratum no more are taken
        .explode("id")
        .sort("id")
        .with_columns(share=(pl.int_range(pl.len()) + 0.5).over(strata) / pl.col("len"))
        .sort([~pl.col("first"), "share", "id"])
        .head(limit)
    )
    first = int(picked["first"].sum())
    of = int(table["first"].sum())
    rest = picked.height - first
    why = f"{first:,} of the {of:,} that a run got wrong or that changed"
    why += f", and {rest:,} of the others, spread evenly" if rest else ", spread evenly, and none of the others"
    return diagnosis.benchmark.rows(picked["id"]), why


def _wrong(diagnosis: Diagnosis) -> pl.Series:
    """Ids of the questions that a run, or without one a control, got wrong."""
    runs = [run.name for run in diagnosis.runs] or diagnosis.answerers()
    is_wrong = pl.col("run").is_in(runs) & ~pl.col("correct")
    return answers_given(diagnosis).filter(is_wrong)["question"].unique(maintain_order=True)


def script_safe(data: str) -> str:
    """Escape JSON so that it cannot end, or be taken for markup in, the script element around it."""
    for character in "<>&\u2028\u2029":
        data = data.replace(character, f"\\u{ord(character):04x}")
    return data


def _pack(
    diagnosis: Diagnosis,
    table: pl.DataFrame,
    questions: list[Question],
    drawings: _Drawings | None,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    answers, texts, notes = replies(diagnosis, questions)
    ways = trajectories_of(diagnosis, run_colours(diagnosis.answerers("waypoints")))
    if drawings is None:
        drawn = _without_scenes(questions, ways)
        notes = (*notes, "Pictures are left out, since the scenes were not given; `--data DATAROOT` adds them.")
    else:
        drawn, about_pictures = _pictures(questions, drawings, ways, _wrong(diagnosis))
        notes = (*notes, *about_pictures)
    packed = {
        "runs": diagnosis.answerers(),
        "models": [run.name for run in diagnosis.runs],
        "states": STATES,
        "changes": CHANGES,
        "classes": CLASSES,
        "words": _words(table),
        "questions": {
            "id": table["id"].to_list(),
            "family": table["family"].to_list(),
            "format": table["format"].to_list(),
            "template": table["template"].to_list(),
            "relation": table["relation"].to_list(),
            "scene": table["scene"].to_list(),
            "frames": table["frames"].to_list(),
            "text": table["question"].to_list(),
            "options": table["options"].to_list(),
            "answer": table["answer"].to_list(),
            "unit": [question.facts.get("unit") if question.format == "number" else None for question in questions],
            "links": table["links"].to_list(),
            "measured": [measured(question) for question in questions],
        },
        "answers": answers,
        "texts": texts,
        "compared": _compared(diagnosis, table),
        **drawn,
    }
    return packed, notes


def _words(table: pl.DataFrame) -> dict[str, str]:
    """Families, templates and relations as they are read, by their names."""
    names = {name for column in ("family", "template", "relation") for name in table[column].drop_nulls()}
    return {name: in_words(name) for name in sorted(names)}


def _without_picture(n: int) -> str:
    return (
        f"{n:,} of these questions {'has' if n == 1 else 'have'} no picture: the scene, or the records that the answer "
        "was measured from, are not in the dataset given."
    )


def _compared(diagnosis: Diagnosis, table: pl.DataFrame) -> list[dict[str, Any]]:
    ids = table.select(pl.col("id").alias("question"))
    code = {change: place for place, change in enumerate(CHANGES)}
    found = []
    for comparison in diagnosis.comparisons:
        own = diagnosis.changes.filter(pl.col("comparison") == comparison.name)
        changes = ids.join(own, on="question", how="left", maintain_order="left")["change"]
        found.append({
            "name": comparison.name,
            "run": comparison.run,
            "change": changes.replace_strict(code, default=None, return_dtype=pl.Int64).to_list(),
        })  # fmt: skip
    return found


class _Drawings:
    """What draws the questions of a page: prepared once, however often the page is packed with fewer of them."""

    def __init__(self, scenes: Scenes, questions: Sequence[Question]) -> None:
        tokens = (question.facts.get("scene_token") for question in questions)
        names = {question.scene for question in questions} | {token for token in tokens if isinstance(token, str)}
        self.photographs = Photographs(scenes.root, SMALL)
        self.cameras = CameraPanels(scenes, questions)
        self.pictures = Pictures(scenes, names, self.cameras)


def _without_scenes(questions: list[Question], ways: Mapping[str, Sequence[Trajectory]]) -> dict[str, Any]:
    """What can be drawn where no scene is given: waypoints, which are seen from above without any box."""
    drawn = [
        picture_of_waypoints(question, ways.get(question.id, ())) if is_about_waypoints(question) else None
        for question in questions
    ]
    return {"pictures": drawn if any(drawn) else None, "frames": {}, "grids": _grids(drawn), "photographs": {}}


def _grids(drawn: Iterable[Picture | None]) -> dict[str, Grid]:
    """What panels of each extent share."""
    panels = (panel for picture in drawn if picture is not None for panel in picture.panels)
    extents = sorted({panel.extent for panel in panels if panel.extent is not None})
    return {str(extent): grid(extent) for extent in extents}


def _pictures(
    questions: list[Question],
    drawings: _Drawings,
    ways: Mapping[str, Sequence[Trajectory]],
    wrong: Iterable[str],
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Pictures of the questions, what they share (frames, grids, camera images), and what is left out, as sentences."""
    drawn = [drawings.pictures.picture(question, ways.get(question.id, ())) for question in questions]
    panels = [(picture.scene, panel) for picture in drawn if picture is not None for panel in picture.panels]
    shown = sorted({(scene, panel.frame) for scene, panel in panels if panel.frame is not None})
    views = {
        question.id: panel.photograph
        for question, picture in zip(questions, drawn, strict=True)
        if picture is not None
        for panel in picture.panels
        if panel.photograph is not None
    }
    embedded = _embedded(in_turn(questions, views, wrong), drawings)
    packed = {
        "pictures": drawn,
        "frames": {f"{scene}|{frame}": drawings.pictures.faint(scene, frame) for scene, frame in shown},
        "grids": _grids(drawn),
        "photographs": embedded,
    }
    notes = (_without_picture(n),) if (n := sum(picture is None for picture in drawn)) else ()
    return packed, (*notes, *_about_photographs(views, embedded))


def _embedded(keys: Sequence[str], drawings: _Drawings) -> dict[str, Photograph]:
    """The first so many camera images that are there, and what is wrong with those that are not."""
    views, photographs = drawings.cameras.views, drawings.photographs
    missing = photographs.missing({key: views[key] for key in keys})
    embedded = dict(missing)
    for key in keys:
        if key not in missing:
            embedded[key] = photographs.of(views[key])
        if sum(one.jpeg is not None for one in embedded.values()) == MOST_PHOTOGRAPHS:
            break
    return embedded


def _about_photographs(views: Mapping[str, str], embedded: Mapping[str, Photograph]) -> tuple[str, ...]:
    """Of how many questions about a camera's view the page has the image, and how the others are seen."""
    here = {key for key, one in embedded.items() if one.jpeg is not None}
    seen = sum(key in here for key in views.values())
    unseen = sum(key not in embedded for key in views.values())
    broken = len(views) - seen - unseen
    told = []
    if unseen:
        told.append(
            f"Of {counted(len(views), 'question')} about the view of one camera here, {seen:,} have its image: it is "
            f"that of one of {len(here):,} images, chosen evenly over templates and over right and wrong answers. The "
            "others have the outlines alone; `probe4d show BENCH ID --data DATAROOT` writes a picture with the image."
        )
    if broken:
        told.append(
            f"{counted(broken, 'question')} about the view of one camera {'has' if broken == 1 else 'have'} outlines "
            "without its image: the file is not in the dataset given, or cannot be read."
        )
    return tuple(told)
