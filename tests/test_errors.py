"""What errors say of values that nobody would read to the end."""

from __future__ import annotations

import pytest

from probe4d.errors import InputError


@pytest.mark.parametrize("value", ["a" * 200_000, "a b " * 50_000, "é" * 1000, "'\n" * 50_000])
def test_a_long_value_is_cut(value: str) -> None:
    said = str(
        InputError(f"has the weather {value!r}; it can be 'rain'.", path="labels.csv", row=value, remedy="Mend.")
    )
    assert len(said) < 5000
    assert said.startswith("labels.csv, ")
    assert "has the weather " in said
    assert said.endswith("; it can be 'rain'. Mend.")


def test_a_cut_word_keeps_its_quotation_marks() -> None:
    assert InputError(f"has no {'x' * 300!r}.").what == f"has no '{'x' * 79}…'."


def test_words_that_fit_are_left_as_they_are() -> None:
    what = f"has {'/folder' * 20!r} beside {'x' * 190!r}, and is read to the end. " * 5
    assert InputError(what).what == what
