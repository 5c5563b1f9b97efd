from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.errors import InputError
from probe4d.models.lidar_lm.training.rows import (
    TrainingRow,
    ego_text_of,
    read_training_rows,
    with_ego_text,
    write_training_rows,
)
from probe4d.scenes.tables import Scenes

ROW: dict[str, Any] = {"scene": "a", "prompt": "Is it?", "answer": "Yes"}
words = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip)


@given(
    st.lists(
        st.builds(
            TrainingRow,
            scene=words,
            prompt=words,
            answer=words,
            frames=st.none() | st.lists(st.integers(0, 2**31), min_size=1).map(tuple),
        ),
        min_size=1,
    )
)
def test_rows_come_back_as_they_were_written(tmp_path_factory: pytest.TempPathFactory, rows: list[TrainingRow]) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    write_training_rows(rows, path)
    assert read_training_rows(path) == rows


def test_the_folder_of_an_export_is_read(tmp_path: Path) -> None:
    write_training_rows([TrainingRow(**ROW)], tmp_path / "training.jsonl")
    assert read_training_rows(tmp_path) == [TrainingRow(**ROW)]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"scene": " "}, "the scene of a training row is empty"),
        ({"prompt": "\n"}, "the prompt of a training row is empty"),
        ({"answer": ""}, "the answer of a training row is empty"),
        ({"answer": None}, "Expected `str`, got `null`"),
        ({"frames": []}, "shows no frame"),
        ({"frames": [3, -1]}, "no key frame -1"),
        ({"frames": [0.5]}, "Expected `int`, got `float`"),
        ({"frame": [1]}, "unknown field `frame`"),
        ({"ego_text": "It stands."}, "does not say of which kind"),
        ({"ego_text_kind": "question"}, "says a kind and has none"),
        ({"ego_text": "It stands.", "ego_text_kind": "mine"}, "Invalid enum value 'mine'"),
    ],
)
def test_a_row_that_cannot_be_learnt_from_is_named_by_its_line(
    tmp_path: Path, change: dict[str, Any], what: str
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(msgspec.json.Encoder().encode_lines([ROW, ROW | change]))
    with pytest.raises(InputError) as error:
        read_training_rows(path)
    assert what in str(error.value)
    assert f"{path}, line 2: " in str(error.value)


@pytest.mark.parametrize(
    ("content", "what"),
    [(b"", "holds no training row"), (b"{\n", "line 1: is no valid record"), (b"[]\n", "line 1: is no valid record")],
)
def test_a_file_without_rows_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "rows.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=what):
        read_training_rows(tmp_path / "rows.jsonl")


def test_a_file_that_is_not_there_is_refused_with_how_to_make_one(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "rows.jsonl"):
        with pytest.raises(InputError, match="probe4d export BENCH --to training"):
            read_training_rows(path)


def test_every_row_gets_the_text_of_its_own_question_whatever_its_answer(scenes: Scenes) -> None:
    scene = scenes.names[0]
    rows = [
        TrainingRow(scene=scene, prompt="When does it stop?", answer="from frame 002 to frame 005"),
        TrainingRow(scene=scene, prompt="When does it stop?", answer="from frame 011 to frame 012"),
        TrainingRow(scene=scene, frames=(4, 5), prompt="In frame 004, is it?", answer="Yes"),
    ]
    for kind in ("question", "paper"):
        one, other, third = with_ego_text(rows, kind, scenes.keyframes)  # type: ignore[arg-type]  # a literal each
        assert one.ego_text == other.ego_text != third.ego_text
        assert ego_text_of([one, other, third]) == kind
        assert with_ego_text([one, other, third], "none", None) == rows
    with pytest.raises(InputError, match="measured in the dataset"):
        with_ego_text(rows, "question", None)
