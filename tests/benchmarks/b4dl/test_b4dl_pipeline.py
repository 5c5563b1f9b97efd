"""The pipeline of B4DL with a scripted writer: what is asked when, what is taken, and what is told of the rest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from generated_pairs import DESCRIPTION, Scripted, pairs_of, worded
from probe4d.benchmarks.b4dl.generation.pipeline import Pairs, generated_pairs
from probe4d.benchmarks.b4dl.generation.shortfalls import not_taken, shortfalls_of
from probe4d.benchmarks.b4dl.sequences import drawn_sequences
from probe4d.benchmarks.b4dl.tasks import FAMILIES, TASKS
from probe4d.benchmarks.generating import Generated, Prompt, Stage
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="module")
def shot(photographed: Path) -> Scenes:
    return open_scenes(photographed)


@pytest.fixture(scope="module")
def sequences(shot: Scenes) -> pl.DataFrame:
    return drawn_sequences(shot, seed=1, per_scene=2)


def generated(sequences: pl.DataFrame, shot: Scenes, writer: Scripted, *, tasks: tuple[str, ...] = FAMILIES) -> Pairs:
    phrases = {name: [f"A car stands in {name}."] for name in sequences["sequence"]}
    return generated_pairs(sequences, shot, writer, tasks=tasks, phrases=phrases, longest_side_px=320)


class Writer:
    """Replies without a fault, unless told otherwise for a part of a key and a stage."""

    def __init__(self, sequences: pl.DataFrame, otherwise: dict[tuple[Stage, str], Generated | str]) -> None:
        self._bounds = {name: (start, end) for name, start, end in sequences.select("sequence", "start", "end").rows()}
        self._otherwise = otherwise

    def __call__(self, stage: Stage, prompt: Prompt) -> Generated | str:
        for (of_stage, ending), reply in self._otherwise.items():
            if of_stage == stage and prompt.key.endswith(ending):
                return reply
        sequence, _, task = prompt.key.rpartition("/")
        return worded(pairs_of(task, *self._bounds[sequence])) if task in TASKS else DESCRIPTION


def writer(sequences: pl.DataFrame, otherwise: dict[tuple[Stage, str], Generated | str] | None = None) -> Scripted:
    return Scripted(Writer(sequences, otherwise or {}))


def test_two_descriptions_and_six_tasks_a_sequence_yield_forty_pairs(sequences: pl.DataFrame, shot: Scenes) -> None:
    scripted = writer(sequences)
    found = generated(sequences, shot, scripted)
    assert {stage: len(prompts) for stage, prompts in scripted.asked.items()} == {"contexts": 4, "pairs": 12}
    counts = found.pairs.group_by("sequence", "task", maintain_order=True).len().rows()
    assert counts == [(name, task, TASKS[task].pairs) for name in sequences["sequence"] for task in FAMILIES]
    first = found.pairs.row(0, named=True)
    assert (first["number"], first["answer"]) == (0, "Yes.")
    assert found.faults.is_empty()
    assert found.short.is_empty()
    assert found.descriptions["text"].to_list() == [DESCRIPTION] * 4
    for prompt in scripted.asked["pairs"]:
        assert DESCRIPTION in prompt.text
        assert f"A car stands in {prompt.key.rpartition('/')[0]}." in prompt.text
    for prompt in scripted.asked["contexts"]:
        assert all((shot.root / picture.file).is_file() for picture in prompt.pictures)
        assert {picture.longest_side_px for picture in prompt.pictures} == {320}


def test_faulty_pairs_are_asked_for_once_more_and_then_told_as_short(sequences: pl.DataFrame, shot: Scenes) -> None:
    name = sequences["sequence"][0]
    start, end = sequences.row(0)[3:]
    good = pairs_of("binary", start, end, count=6)
    wrong = [("Does a car move?", "Perhaps."), (f"Does a car stop in frame {end + 5:03d}?", "No."), good[0]]
    more = [*pairs_of("binary", start, end, count=2, first=6), good[1], ("Does it turn?", "Maybe.")]
    scripted = writer(
        sequences, {("pairs", f"{name}/binary"): worded(good + wrong), ("repairs", f"{name}/binary"): worded(more)}
    )
    found = generated(sequences, shot, scripted, tasks=("binary", "existence"))
    (again,) = scripted.asked["repairs"]
    assert again.key == f"{name}/binary"
    assert "4 pairs" in again.text
    assert "Perhaps." in again.text
    taken = found.pairs.filter(sequence=name, task="binary")
    assert taken.select("question", "answer").rows() == [*good, *more[:2]]
    assert taken["number"].to_list() == list(range(8))
    faults = found.faults.select("stage", "kind", "question").rows()
    assert faults == [
        ("pairs", "yes-no", "Does a car move?"),
        ("pairs", "frame", wrong[1][0]),
        ("pairs", "duplicate-question", good[0][0]),
        ("repairs", "duplicate-question", good[1][0]),
        ("repairs", "yes-no", "Does it turn?"),
    ]
    (short,) = found.short.rows(named=True)
    assert (short["sequence"], short["task"], short["wanted"], short["pairs"]) == (name, "binary", 10, 8)
    assert "2 × the answer is not Yes or No alone" in short["why"]
    assert "2 × the question was asked before" in short["why"]


def test_a_repair_that_brings_enough_leaves_nothing_short(sequences: pl.DataFrame, shot: Scenes) -> None:
    cut = Generated(text="Q: Is there a bus in frame", finish_reason="max_tokens")
    scripted = writer(sequences, {("pairs", "/existence"): cut})
    found = generated(sequences, shot, scripted, tasks=("existence",))
    assert found.pairs.height == 10
    assert found.short.is_empty()
    assert found.faults["kind"].to_list() == ["cut", "cut"]
    assert len(scripted.asked["repairs"]) == 2


CUT = Generated(text="[1] A car is ahead and", finish_reason="length")


def test_a_description_that_was_cut_is_asked_for_once_more_with_its_pictures_and_shorter(
    sequences: pl.DataFrame, shot: Scenes
) -> None:
    name = sequences["sequence"][1]
    scripted = writer(
        sequences, {("contexts", f"{name}/rear"): CUT, ("context-repairs", f"{name}/rear"): "[1] It is empty."}
    )
    found = generated(sequences, shot, scripted, tasks=("existence",))
    assert list(scripted.asked) == ["contexts", "context-repairs", "pairs"]
    (again,) = scripted.asked["context-repairs"]
    (first,) = (prompt for prompt in scripted.asked["contexts"] if prompt.key == f"{name}/rear")
    assert (again.key, again.pictures) == (first.key, first.pictures)
    assert again.text.startswith(first.text)
    assert "200 words at most" in again.text.removeprefix(first.text)
    row = found.descriptions.row(by_predicate=pl.col("stage") == "context-repairs", named=True)
    assert row == {
        "sequence": name,
        "group": "rear",
        "stage": "context-repairs",
        "text": "[1] It is empty.",
        "fault": None,
    }
    assert found.descriptions.filter(stage="contexts")["text"].to_list() == [DESCRIPTION] * 3
    assert found.short.is_empty()
    assert ["[1] It is empty." in prompt.text for prompt in scripted.asked["pairs"]] == [False, True]
    assert shortfalls_of(found, sequences, shot, tasks=("existence",), per_scene=2) == []
    assert not_taken(found) == {"descriptions: cut off at the limit of tokens, and asked for once more": 1}


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (CUT, "the description was cut at its limit; asked for once more, and shorter, it was cut again"),
        (Generated(text="", finish_reason="max_tokens"), "asked for once more, and shorter, it was cut again"),
        (Generated(text=None, failure="the server was away"), "there was no reply (the server was away)"),
        (
            Generated(text="I'm sorry, I can't.", finish_reason="stop"),
            "and shorter, the reply, or an answer",
        ),
    ],
)
def test_a_description_that_stays_cut_is_asked_for_no_third_time_and_told_among_the_shortfalls(
    second: Generated, why: str, sequences: pl.DataFrame, shot: Scenes
) -> None:
    name = sequences["sequence"][0]
    otherwise: dict[tuple[Stage, str], Generated | str] = {("contexts", "/front"): CUT}
    scripted = writer(sequences, otherwise | {("context-repairs", f"{name}/front"): second})
    found = generated(sequences, shot, scripted, tasks=("binary",))
    assert {stage: len(prompts) for stage, prompts in scripted.asked.items()} == {
        "contexts": 4,
        "context-repairs": 2,
        "pairs": 1,
    }
    (short,) = found.short.rows(named=True)
    assert (short["sequence"], short["pairs"]) == (name, 0)
    assert "its front views have no description: the description was cut" in short["why"]
    assert why in short["why"]
    of_cut, of_pairs = shortfalls_of(found, sequences, shot, tasks=("binary",), per_scene=2)
    assert of_cut.startswith("1 description cut off at the limit of tokens (--max-tokens), and not had when asked for ")
    assert f"the front views of {name}" in of_cut
    assert why in of_cut
    assert of_pairs.startswith("binary: 10 of 20 pairs; 1 sequence with too few")
    assert not_taken(found) == {
        "descriptions: no text that can be used": 1,
        "descriptions: cut off at the limit of tokens, and asked for once more": 2,
    }


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Generated(text="A car is", finish_reason="content_filter"), "refuses"),
        (Generated(text="", finish_reason="stop"), "there was no reply"),
        (Generated(text="I'm sorry, I can't help.", finish_reason="stop"), "refuses"),
        (Generated(text=None, failure="the server said no"), "the server said no"),
    ],
)
def test_a_sequence_without_one_of_its_descriptions_is_asked_nothing(
    reply: Generated, why: str, sequences: pl.DataFrame, shot: Scenes
) -> None:
    name = sequences["sequence"][1]
    scripted = writer(sequences, {("contexts", f"{name}/rear"): reply})
    found = generated(sequences, shot, scripted)
    assert {prompt.key.rpartition("/")[0] for prompt in scripted.asked["pairs"]} == {sequences["sequence"][0]}
    assert found.pairs.height == 40
    assert found.short.select("sequence", "task", "wanted", "pairs").rows() == [
        (name, task, TASKS[task].pairs, 0) for task in FAMILIES
    ]
    assert all("rear views" in words and why in words for words in found.short["why"])
    assert found.descriptions.filter(pl.col("text").is_null())["group"].to_list() == ["rear"]


def without_rear_images(shot: Scenes, lost: pl.Expr) -> Scenes:
    return replace(shot, sensors=shot.sensors.filter(~(pl.col("channel").str.contains("BACK") & lost)))


def test_where_the_dataset_has_no_camera_prompts_say_that_nothing_is_described(
    sequences: pl.DataFrame, shot: Scenes
) -> None:
    scripted = writer(sequences)
    found = generated(sequences, without_rear_images(shot, pl.lit(value=True)), scripted, tasks=("existence",))
    assert found.pairs.height == 10
    assert found.short.is_empty()
    for prompt in scripted.asked["pairs"]:
        assert "No camera showed the back parts of the surroundings of the ego vehicle" in prompt.text
    scripted = writer(sequences)
    generated(sequences, shot, scripted, tasks=("existence",))
    assert not any("No camera showed" in prompt.text for prompt in scripted.asked["pairs"])


def test_a_sequence_without_images_of_cameras_that_the_dataset_has_is_asked_nothing(
    sequences: pl.DataFrame, shot: Scenes
) -> None:
    name, other = sequences["sequence"][1], sequences["sequence"][0]
    lost = pl.col("frame").is_in(sequences["frames"][1].to_list()) & (pl.col("scene") == sequences["scene"][1])
    scripted = writer(sequences)
    found = generated(sequences, without_rear_images(shot, lost), scripted, tasks=("existence",))
    assert found.pairs["sequence"].unique().to_list() == [other]
    assert found.short.rows() == [(name, "existence", 5, 0, "no image of its rear views is there")]


def test_what_was_not_replied_to_is_short_and_not_repaired(sequences: pl.DataFrame, shot: Scenes) -> None:
    failed = Generated(text=None, failure="the server was away")
    found = generated(
        sequences, shot, scripted := writer(sequences, {("pairs", "0/description"): failed}), tasks=("description",)
    )
    assert "repairs" not in scripted.asked
    (short,) = found.short.rows(named=True)
    assert short["why"] == "there was no reply (the server was away)"
    scripted = writer(sequences, {("pairs", "/description"): "no pairs", ("repairs", "/description"): failed})
    found = generated(sequences, shot, scripted, tasks=("description",))
    assert found.pairs.is_empty()
    assert set(found.short["why"]) == {
        "1 × the reply holds no pairs in a form that can be read and there was no reply (the server was away)"
    }
