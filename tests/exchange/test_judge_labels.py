"""Files of scores: what is read, and every way in which they can be wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probe4d.errors import InputError
from probe4d.exchange.judge_labels import read_judge_labels

HEADER = "item,human,GPT-5.5,Qwen3-VL\n"


@pytest.fixture
def labels(tmp_path: Path):
    def read(content: str | list[dict[str, Any]], **options: Any):
        if isinstance(content, str):
            path = tmp_path / "labels.csv"
            path.write_text(content)
        else:
            path = tmp_path / "labels.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in content))
        return read_judge_labels(path, **options)

    return read


def test_scores_by_judge(labels) -> None:
    read = labels(HEADER + "a,8,7.5,\nb,,2,0\nc,10, 10 ,9\n")
    assert read.items == ["a", "b", "c"]
    assert read.human.tolist() == pytest.approx([8, np.nan, 10], nan_ok=True)
    assert list(read.judges) == ["GPT-5.5", "Qwen3-VL"]
    assert read.judges["GPT-5.5"].tolist() == [7.5, 2, 10]
    assert read.judges["Qwen3-VL"].tolist() == pytest.approx([np.nan, 0, 9], nan_ok=True)
    assert (read.scale, read.scenes, read.has_texts, read.without_human) == (10, None, False, 1)


def test_texts_scenes_and_spellings(labels) -> None:
    read = labels(
        "Question_ID;Human_Score; J ;Scene;Reference;ANSWER\n17;80;75;s1;Turn left.;\n18;20;30;s2;;Go.\n", scale=100
    )
    assert read.items == ["17", "18"]
    assert read.scenes == ["s1", "s2"]
    assert read.references == ["Turn left.", None]  # an empty reference is none
    assert read.answers == ["", "Go."]  # an empty answer says nothing
    assert list(read.judges) == ["J"]


def test_json_lines(labels) -> None:
    read = labels(
        [
            {"question": 4, "human": 8, "J": None, "reference": "a", "answer": None},
            {"question": 5, "human": 3.5, "J": 2, "K": 1, "reference": "a", "answer": ""},
        ]
    )
    assert read.items == ["4", "5"]
    assert read.answers == [None, ""]
    assert read.judges["K"].tolist() == pytest.approx([np.nan, 1], nan_ok=True)


def test_only_the_judges_that_are_named(labels) -> None:
    text = "item,human,J,template\na,8,7,SP-7\n"
    assert list(labels(text, judges=["J"]).judges) == ["J"]
    with pytest.raises(
        InputError, match=r"line 2: has in 'template' 'SP-7'.*name those that are \(judges=, --judge NAME\)"
    ):
        labels(text)


def test_a_scale_of_its_own(labels) -> None:
    assert labels(HEADER + "a,8,-0.7,9\n", unscaled=["GPT-5.5"]).judges["GPT-5.5"].tolist() == [-0.7]


def test_texts_alone(labels) -> None:
    assert labels("item,human,reference,answer\na,8,yes,no\n").judges == {}


BAD = {
    "no item": ("human,J\n8,7\n", r"has no column for what was judged \(item, question_id, id or question\); found"),
    "no people": ("item,J\na,7\n", r"has no column for people's scores \(human or human_score\); found are item, J"),
    "no row": (HEADER, "holds no row"),
    "no header": ("\n", "has no column|holds no row|without a name"),
    "short row": (HEADER + "a,8,7\n", "line 2: has 3 fields where the header has 4"),
    "unnamed": (",item,human,J\n0,a,8,7\n", "has a column without a name"),
    "twice": ("item,human,J,J\na,8,7,7\n", "has the column 'J' twice"),
    "twice but for spelling": ("item,human,Human,J\na,8,8,7\n", "has the column 'human' twice"),
    "same item": (HEADER + "a,8,7,7\nb,8,7,7\n a ,1,1,1\n", r"line 4: judges 'a' again, as line 2 does\. Give each"),
    "empty item": (HEADER + ",8,7,7\n", r"line 2: has no 'item', where a text"),
    "nan": (HEADER + "a,8,nan,7\n", r"line 2: has in 'GPT-5.5' 'nan', where a score .*Leave it empty"),
    "infinite": (HEADER + "a,8,inf,7\n", r"line 2: has in 'GPT-5.5' 'inf', where a score"),
    "word": (HEADER + "a,good,7,7\n", r"line 2: has in 'human' 'good', where a score"),
    "below": (HEADER + "a,-1,7,7\n", r"line 2: has in 'human' -1, which is not between 0 and 10\. Mend the score"),
    "above": (
        HEADER + "a,8,7,11\n",
        r"11, which is not between 0 and 10\. Say so .*--scale 100.*--unscaled",
    ),
    "far above": (HEADER + "a,8,7,101\n", r"'Qwen3-VL' 101, which is not between 0 and 10\. Mend the score"),
    "no score of people": (HEADER + "a,,7,7\nb,,1,1\n", "has no score of people: 'human' is empty in every row"),
    "empty scene": ("item,human,J,scene\na,8,7,\n", "line 2: has no 'scene'"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_files_say_what_is_wrong(what: str, labels) -> None:
    text, message = BAD[what]
    with pytest.raises(InputError, match=r"labels\.csv.*(" + message + ")"):
        labels(text)


@pytest.mark.parametrize("score", [True, [7], {"score": 7}, "7/10"])
def test_values_that_are_no_scores(score: Any, labels) -> None:
    with pytest.raises(InputError, match=r"line 1: has in 'J'.*where a score was expected"):
        labels([{"item": "a", "human": 8, "J": score}])


def test_texts_that_are_none(labels) -> None:
    with pytest.raises(InputError, match="line 1: has in 'answer' 7, where a text was expected"):
        labels([{"item": "a", "human": 8, "reference": "x", "answer": 7}])


@pytest.mark.parametrize("options", [{"judges": ["K"]}, {"unscaled": ["K"]}])
def test_a_judge_that_is_not_there(options: dict[str, Any], labels) -> None:
    with pytest.raises(InputError, match="has no column 'K'; found are item, human, GPT"):
        labels(HEADER + "a,8,7,7\n", **options)


@pytest.mark.parametrize("options", [{"judges": ["human"]}, {"unscaled": ["human"]}, {"judges": ["item"]}])
def test_a_column_that_is_no_judges(options: dict[str, Any], labels) -> None:
    with pytest.raises(InputError, match="which is no judge's"):
        labels(HEADER + "a,8,7,7\n", **options)


def test_a_score_that_is_no_number_to_compute_with(labels) -> None:
    with pytest.raises(InputError, match=r"1e300, which is not between -1e\+09 and 1e\+09"):
        labels(HEADER + "a,8,1e300,7\n", unscaled=["GPT-5.5"])


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_judge_labels(tmp_path / "nothing.csv")
