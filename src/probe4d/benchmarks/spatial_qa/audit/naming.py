"""Checks what questions call their objects: text, entities, options and facts agree, and no word stands for two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.auditing.measuring import MeasuredScene
from probe4d.benchmarks.spatial_qa.audit.batch import Batch, track_tail
from probe4d.benchmarks.spatial_qa.reading import Asked, names_objects

__all__ = ["check_texts", "check_words"]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_OPTIONS = 4  # A to D stand for options, never for objects


def check_texts(batch: Batch) -> None:
    """Check that the text of each question names its camera, its objects and its numbers as its facts tell them."""
    stems, options = batch.table["question"].to_list(), batch.table["options"].to_list()
    entities = batch.expected.entities
    asked, labels = batch.asked, batch.labels
    faults = [
        _text_fault(batch.template, stem, read, words[:entities])
        for stem, read, words in zip(stems, asked, labels, strict=True)
    ]
    batch.add(np.array([fault is not None for fault in faults], dtype=np.bool_), lambda at: str(faults[at]))
    channels = batch.table["channel"].to_list()
    named = [None if read is None else read.camera for read in asked]
    wrong = [name is not None and name != channel for name, channel in zip(named, channels, strict=True)]
    batch.add(
        np.array(wrong, dtype=np.bool_), lambda at: f"the text names {named[at]}, and the question is of {channels[at]}"
    )
    numbers = [read.numbers if read is not None else {} for read in asked]
    for name in next((each for each in numbers if each), {}):
        drawn = np.array([each.get(name, np.nan) for each in numbers])
        batch.compare_numbers(f"facts.{name}", batch.fact(name), drawn)
    batch.compare("options", [tuple(each) for each in options], [words[entities:] for words in labels])


def _text_fault(template: str, stem: str, asked: Asked | None, words: tuple[str, ...]) -> str | None:
    if asked is None:
        return f"{stem!r} is not how {template} is worded"
    if asked.words == words or names_objects(template, stem, words):
        return None
    return f"the text names {', '.join(asked.words)}, and the facts tell of {', '.join(words)}"


def check_words(
    scene: MeasuredScene, batches: Sequence[Batch], findings: Findings, *, letters: bool, keep_ambiguous: bool
) -> NDArray[np.bool_]:
    """Check the words for the objects of a scene, and the entities that are made of them.

    Letters go from left to right in each image. Captions are one a track; in each image no two objects have the same,
    unless ambiguous ones were kept.

    Args:
        scene: The scene, measured.
        batches: Its questions.
        findings: Takes in what is wrong.
        letters: Whether letters stand for objects, not captions.
        keep_ambiguous: Whether objects were kept whose words stand for another one as well.

    Returns:
        Whether boxes are known to have words, since letters stand for all or a question names the track, shape (B,).
    """
    told = _told_words(batches)
    if letters:
        _check_letters(told, scene, findings)
    else:
        _check_captions(told, scene, findings)
    shared = _shared(told, scene)
    if not keep_ambiguous:
        _add(
            findings,
            told,
            shared[told["camera"].to_numpy(), told["box"].to_numpy()],
            "stands for two objects of the image",
        )
    named_tracks = set(scene.tracks[told["box"].to_numpy()])
    for batch in batches:
        _check_entities(batch, shared, told_apart=keep_ambiguous)
    return np.array([letters or track in named_tracks for track in scene.tracks], dtype=np.bool_)


def _told_words(batches: Iterable[Batch]) -> pl.DataFrame:
    """A row for each object that a question mentions: row of the question, place of its camera, box and words."""
    parts = [
        pl.DataFrame(
            {
                "row": np.repeat(batch.row, batch.boxes.shape[1]),
                "camera": np.repeat(batch.camera, batch.boxes.shape[1]),
                "box": batch.boxes.reshape(-1),
                "words": [label for labels in batch.labels for label in labels],
            },
            schema={"row": pl.Int64, "camera": pl.Int64, "box": pl.Int64, "words": pl.String},
        )
        for batch in batches
    ]
    return pl.concat(parts)


def _add(findings: Findings, told: pl.DataFrame, wrong: NDArray[np.bool_], what: str) -> None:
    """Add a finding for each row of a mask that speaks of an object wrongly."""
    for row, words in told.filter(pl.Series(wrong, dtype=pl.Boolean)).select("row", "words").unique().iter_rows():
        findings.add(row, f"{words!r} {what}")


def _check_captions(told: pl.DataFrame, scene: MeasuredScene, findings: Findings) -> None:
    """Every object of a track has the same words; where not, those that fewer questions give are wrong."""
    of_track = told.with_columns(track=pl.Series(scene.tracks[told["box"].to_numpy()], dtype=pl.String))
    usual = of_track.group_by("track").agg(pl.col("words").mode().sort().first().alias("usual"))
    joined = of_track.join(usual, on="track", how="left", maintain_order="left")
    wrong = (joined["words"] != joined["usual"]).to_numpy()
    _add(findings, told, wrong, "stands for a track that other questions call otherwise")


def _check_letters(told: pl.DataFrame, scene: MeasuredScene, findings: Findings) -> None:
    letters = _letters(scene)
    wanted = letters[told["camera"].to_numpy(), told["box"].to_numpy()]
    wrong = told["words"].to_numpy() != wanted
    for (row, words), right in zip(
        told.filter(pl.Series(wrong, dtype=pl.Boolean)).select("row", "words").iter_rows(), wanted[wrong], strict=True
    ):
        findings.add(row, f"{words!r} stands for an object whose place from the left makes it {right!r}")


def _letters(scene: MeasuredScene) -> NDArray[np.object_]:
    """What each object is called in each image by its place from the left, shape (C, B); empty for what is left out."""
    letters = np.full(scene.passes.shape, "", dtype=object)
    for camera, passes in enumerate(scene.passes):
        rows = np.flatnonzero(passes)
        left, top = scene.bounds_px[camera, rows, :2].round(6).T
        order = sorted(zip(scene.frame[rows], left, top, scene.tracks[rows], rows, strict=True))
        frame, place = -1, 0
        for of_frame, _, _, _, row in order:
            place = place + 1 if of_frame == frame else 0
            frame = of_frame
            letters[camera, row] = f"object {_spreadsheet_column(_OPTIONS + place)}"
    return letters


def _spreadsheet_column(place: int) -> str:
    """A to Z, then AA, AB and so on, for places from 0."""
    before, last = divmod(place, len(_LETTERS))
    return (_spreadsheet_column(before - 1) if before else "") + _LETTERS[last]


def _shared(told: pl.DataFrame, scene: MeasuredScene) -> NDArray[np.bool_]:
    """Whether another box of the image has the same words, without regard to case, shape (C, B)."""
    shared = np.zeros(scene.passes.shape, dtype=np.bool_)
    words = told.select("camera", "box", pl.col("words").str.to_lowercase()).unique()
    frames = pl.Series("frame", scene.frame[words["box"].to_numpy()])
    several = words.with_columns(frames).filter(pl.col("box").n_unique().over("camera", "frame", "words") > 1)
    shared[several["camera"].to_numpy(), several["box"].to_numpy()] = True
    return shared


def _check_entities(batch: Batch, shared: NDArray[np.bool_], *, told_apart: bool) -> None:
    """Entities are the words for the objects; with a tail of the track where the words stand for several."""
    entities = batch.table["entities"].to_list()
    for place in range(batch.expected.entities):
        stored = [each[place] for each in entities]
        words = [labels[place] for labels in batch.labels]
        boxes = batch.boxes[:, place]
        with_tail = [
            f"{label}{track_tail(track)}" for label, track in zip(words, batch.scene.tracks[boxes], strict=True)
        ]
        if told_apart:
            # Whether an object that no question mentions has the same words cannot be known.
            several = shared[batch.camera, boxes]
            derived = [tail if stored[at] == tail or several[at] else words[at] for at, tail in enumerate(with_tail)]
        else:
            derived = words
        batch.compare(f"entities[{place}]", stored, derived)
