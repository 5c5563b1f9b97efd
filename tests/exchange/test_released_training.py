from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probe4d.cli import app
from probe4d.errors import InputError
from probe4d.exchange.released_training import ImportedRows, import_training
from probe4d.models.lidar_lm.training.rows import TrainingRow, read_training_rows
from probe4d.scenes.tables import Scenes

Released = dict[str, Any]


def conversation(question: str, answer: str) -> list[dict[str, str]]:
    return [{"from": "human", "value": question}, {"from": "gpt", "value": answer}]


def imported(
    rows: list[Released], folder: Path, *, name: str = "rows.json", **options: Any
) -> tuple[list[TrainingRow], ImportedRows]:
    file = folder / name
    text = json.dumps(rows) if file.suffix == ".json" else "".join(json.dumps(row) + "\n" for row in rows)
    file.write_text(text, encoding="utf-8")
    done = import_training(file, folder / "out.jsonl", **options)
    return read_training_rows(folder / "out.jsonl"), done


@pytest.fixture
def token(scenes: Scenes) -> str:
    """Token of the first scene."""
    return str(scenes.scenes["token"][0])


@pytest.mark.parametrize("name", ["stage2.json", "stage2.jsonl"])
def test_rows_of_b4dl_keep_its_scene_ids_for_its_features(tmp_path: Path, name: str) -> None:
    rows: list[Released] = [
        {
            "split": "train",
            "scene_token": "73030fb67d3c46cfb5e590168088ae39",
            "scene_id": "008395103",
            "human_annotation": "Construction, maneuver between several trucks",
            "question": "Is there a truck from frame 000 to frame 008?",
            "answer": "Yes.",
        },
        {"id": "101229297", "scene_id": "008395103", "conversations": conversation("<video>\nDescribe it.", "A bus.")},
        {"scene_id": "008395103", "conversations": conversation("<4DLiDAR>\n<video>\nWhere?", "Left.")},
    ]
    read, done = imported(rows, tmp_path, name=name)
    assert [(row.scene, row.frames, row.prompt, row.answer) for row in read] == [
        ("008395103", None, "Is there a truck from frame 000 to frame 008?", "Yes."),
        ("008395103", None, "Describe it.", "A bus."),
        ("008395103", None, "Where?", "Left."),
    ]
    assert done == ImportedRows(3, {})


def test_with_the_dataset_scenes_have_its_names(tmp_path: Path, scenes: Scenes, token: str) -> None:
    rows = [
        {
            "scene_id": "1",
            "scene_token": token,
            "question": "When does it stop?",
            "answer": "from frame 001 to frame 003",
        },
        {
            "scene_id": "2",
            "scene_token": "of another split",
            "question": "When?",
            "answer": "from frame 000 to frame 008",
        },
    ]
    read, done = imported(rows, tmp_path, scenes=scenes, ego_text="question")
    assert [(row.scene, row.ego_text_kind) for row in read] == [(scenes.names[0], "question")]
    assert done.left_out == {"its scene is not among those of the dataset": 1}
    other = [row | {"answer": "from frame 010 to frame 012"} for row in rows]
    assert imported(other, tmp_path, scenes=scenes, ego_text="question")[0][0].ego_text == read[0].ego_text


def test_captions_are_about_the_key_frames_of_their_samples(tmp_path: Path, scenes: Scenes) -> None:
    keyframe = scenes.keyframes.filter(frame=7).row(1, named=True)
    keyframes = scenes.scenes.row(by_predicate=pl.col("scene") == keyframe["scene"], named=True)["keyframes"]
    rows: list[Released] = [
        {"sample_token": keyframe["token"], "question": "What is ahead?", "answer_lidar": "Two cars."},
        {"id": keyframe["token"], "conversations": conversation("<image>\nWhat is behind?", "Nothing.")},
        {"sample_token": "of nowhere", "question": "What is ahead?", "answer_lidar": "Two cars."},
    ]
    read, done = imported(rows, tmp_path, scenes=scenes)
    assert read == [
        TrainingRow(
            scene=keyframe["scene"],
            frames=(7,),
            prompt=prompt,
            answer=answer,
            keyframes=keyframes,
            dataset=scenes.fingerprint,
        )
        for prompt, answer in (("What is ahead?", "Two cars."), ("What is behind?", "Nothing."))
    ]
    assert sum(done.left_out.values()) == 1


def test_empty_answers_which_the_release_has_are_counted(tmp_path: Path) -> None:
    rows = [{"scene_id": "1", "question": "Is it?", "answer": answer} for answer in ("Yes.", "", " \n")]
    read, done = imported(rows, tmp_path)
    assert [row.answer for row in read] == ["Yes."]
    assert done.left_out == {"its question or its answer is empty": 2}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"scene_id": "1", "question": "Is it?"}, "neither conversations nor question and answer"),
        ({"question": "Is it?", "answer": "Yes."}, "names no scene_id"),
        ({"scene_id": "1", "conversations": conversation("a", "b") * 2}, "a conversation of human, gpt, human, gpt"),
        ({"scene_id": "1", "conversations": []}, "a conversation of nobody"),
        ({"scene_id": "1", "conversations": conversation("a", "b")[::-1]}, "a conversation of gpt, human"),
        ({"id": "token", "conversations": conversation("<image>\na", "b")}, "only the dataset tells"),
        ({"sample_token": "token", "question": "a", "answer_lidar": "b"}, "only the dataset tells"),
        ({"scene_id": 1, "question": "a", "answer": "b"}, "scene_id"),
    ],
)
def test_a_row_of_no_release_is_named(tmp_path: Path, row: Released, words: str) -> None:
    good = {"scene_id": "1", "question": "Is it?", "answer": "Yes."}
    with pytest.raises(InputError, match=words) as error:
        imported([good, row], tmp_path)
    assert "rows.json" in str(error.value)
    assert not (tmp_path / "out.jsonl").exists()


def test_a_text_that_needs_the_dataset_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="measured in the dataset"):
        imported([{"scene_id": "1", "question": "Is it?", "answer": "Yes."}], tmp_path, ego_text="paper")


def test_with_the_dataset_a_row_without_its_token_is_named(tmp_path: Path, scenes: Scenes, token: str) -> None:
    rows = [{"scene_token": token, "question": "Is it?", "answer": "Yes."}]
    rows.append({"scene_id": "1", "question": "Is it?", "answer": "Yes."})
    with pytest.raises(InputError, match=r"record 2: names no scene_token.* Leave the dataset \(scenes=, --data\) out"):
        imported(rows, tmp_path, scenes=scenes)


@pytest.mark.parametrize(
    ("rows", "reasons"),
    [
        ([], "it is empty"),
        ([{"scene_id": "1", "question": "Is it?", "answer": ""}], "1 × its question or its answer is empty"),
    ],
)
def test_a_file_without_a_row_to_learn_from_is_refused(tmp_path: Path, rows: list[Released], reasons: str) -> None:
    with pytest.raises(InputError, match=rf"no row that can be learnt from \({reasons}\)"):
        imported(rows, tmp_path)


def test_the_command_line_reads_the_split_of_a_dataset(
    tmp_path: Path, simulated: Path, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"scene_token": scene, "question": "Is it?", "answer": "Yes."} for scene in (token, "elsewhere")]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    told = ["--data", str(simulated), "--out", str(tmp_path / "out.jsonl")]
    app(["import", "training", str(tmp_path / "rows.json"), "--split", "all", *told], standalone_mode=False)
    printed = capsys.readouterr()
    assert printed.out == f"{tmp_path / 'out.jsonl'}: 1 row\n"
    assert "left out: 1 × its scene is not among those of the dataset" in printed.err
    with pytest.raises(InputError, match="no scene of the split 'train'"):
        app(["import", "training", str(tmp_path / "rows.json"), *told], standalone_mode=False)
