"""The release's two parsers: the checked cases, the known false readings, and the release's own columns."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from probe4d.diagnosis.parsing import parse

OPTIONS = ("car", "truck", "bus", "pedestrian")


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("A", "A"),
        ("a.", "A"),
        ("(B)", "B"),
        ("[C]", "C"),
        ("C-", "C"),
        ("Answer: B", "B"),
        ("The answer is D.", "D"),
        ("option: A", "A"),
        ("Bus.", "C"),
        ("A bus is closest", "A"),
        ("The answer is a car", "A"),
    ],
)
def test_published_accepts(text: str, letter: str) -> None:
    assert parse(text, format="choice", options=OPTIONS, parser="published") == ("valid", letter)


@pytest.mark.parametrize(
    "text",
    [
        *("A, because", "A!", "**A**", '"A"', "Option A", "Answer B", "Answer is: B", "Answer: (B)"),
        *("The correct answer is B", "The bus", "E", "car truck"),
    ],
)
def test_published_rejects(text: str) -> None:
    assert parse(text, format="choice", options=OPTIONS, parser="published") == ("ambiguous", None)


@pytest.mark.parametrize("end", ["", " it is", ".", "!", "?", ",", ":", ";"])
def test_published_reads_yes_and_no(end: str) -> None:
    for word, label in (("Yes", "Yes"), ("no", "No")):
        assert parse(word + end, format="yes-no", options=(), parser="published") == ("valid", label)


@pytest.mark.parametrize("text", ['"Yes"', "**No**", "Answer: yes", "Yes-", "Nope", "yes)"])
def test_published_reads_nothing_else_as_yes_or_no(text: str) -> None:
    assert parse(text, format="yes-no", options=(), parser="published") == ("ambiguous", None)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        *(("car", "C"), ("bus", "B"), ("barrier", "B"), ("Definitely", "D"), ("Letter c it is", "C")),
        *(("The answer is the pedestrian is near", "D"), ("I think the truck", "B")),
    ],
)
def test_older_accepts_too_much(text: str, letter: str) -> None:
    assert parse(text, format="choice", options=OPTIONS, parser="older") == ("valid", letter)


def test_older_wants_yes_or_no_alone_or_before_a_space() -> None:
    assert parse("Yes, it is.", format="yes-no", options=(), parser="older") == ("ambiguous", None)
    assert parse("Yes.", format="yes-no", options=(), parser="older") == ("valid", "Yes")
    assert parse("no it is not", format="yes-no", options=(), parser="older") == ("valid", "No")


@pytest.mark.real_data
@pytest.mark.parametrize("parser", ["default", "published", "older"])
def test_all_parsers_agree_with_the_labels_in_the_release(real_data: Callable[[str], Path], parser: str) -> None:
    read = 0
    for path in sorted(real_data("lidar_hallu_release").glob("*_predictions.csv")):
        table = pl.read_csv(path, infer_schema=False)
        for row in table.iter_rows(named=True):
            options = tuple(ast.literal_eval(row["options"]).values()) if row["options"] else ()
            reading = parse(row["prediction"], format="choice" if options else "yes-no", options=options, parser=parser)
            assert reading == ("valid", row["parsed_prediction"].strip("."))
            read += 1
    assert read == 8_000
