"""Readings that are loaded while a model is busy: in their order, few at a time, and none after it broke off."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.errors import InputError
from probe4d.models.local.reading_ahead import read_ahead, refuse_absent

KEYS = [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2)]


@given(
    count=st.integers(min_value=0, max_value=12),
    workers=st.integers(min_value=1, max_value=3),
    held=st.integers(min_value=1, max_value=15),
)
def test_everything_comes_once_and_in_order(count: int, workers: int, held: int) -> None:
    keys = [("scene", frame) for frame in range(count)]
    assert list(read_ahead(lambda scene, frame: (scene, frame), keys, workers, held=held)) == keys


def test_no_more_is_in_memory_than_may_be_held() -> None:
    begun: list[tuple[str, int]] = []
    loaded = read_ahead(lambda *key: begun.append(key), KEYS, 3, held=2)
    for number, _ in enumerate(loaded, 1):
        assert len(begun) <= number + 1
    assert sorted(begun) == KEYS


def test_what_cannot_be_loaded_is_raised_in_its_place() -> None:
    def load(scene: str, frame: int) -> int:
        if (scene, frame) == ("b", 0):
            raise InputError("is broken.")
        return frame

    loaded = read_ahead(load, KEYS, 2, held=5)
    assert [next(loaded), next(loaded)] == [0, 1]
    with pytest.raises(InputError, match="is broken"):
        next(loaded)


def test_closed_it_loads_no_more_and_leaves_no_thread() -> None:
    begun: list[tuple[str, int]] = []
    loaded = read_ahead(lambda *key: begun.append(key), KEYS, 1, held=2)
    next(loaded)
    loaded.close()
    assert begun in (KEYS[:1], KEYS[:2])
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("probe4d-reads-ahead")]


def test_the_first_reading_that_is_absent_is_told_with_their_number() -> None:
    refuse_absent([], "image")
    with pytest.raises(InputError, match=r"^One is gone\. So it is with 2 images in all\. .*scenes=, --scene NAME"):
        refuse_absent(["One is gone.", "Another is gone."], "image")
