"""A model is opened before anything is written, and closed by whoever ends with it."""

from __future__ import annotations

import pytest

from probe4d.errors import InputError
from probe4d.models.opening import Opening, opening_of
from probe4d.models.request import Reply, Request


class Counted:
    """A model that counts how often it is closed."""

    name = "counted"

    def __init__(self) -> None:
        self.closed = 0

    async def ask(self, request: Request) -> Reply:
        raise NotImplementedError

    async def close(self) -> None:
        self.closed += 1


def test_a_model_that_nobody_takes_is_closed_and_one_that_is_taken_is_left_to_its_asker() -> None:
    opened: list[Counted] = []

    def open_one() -> Counted:
        opened.append(Counted())
        return opened[-1]

    with Opening(open_one, at_once=True):  # type: ignore[arg-type]
        assert len(opened) == 1
    assert opened[0].closed == 1
    with Opening(open_one, at_once=True) as opening:  # type: ignore[arg-type]
        assert opening.take() is opened[1]
        assert opening.take() is opened[2]
    assert [one.closed for one in opened] == [1, 0, 0]
    with Opening(open_one, at_once=False):  # type: ignore[arg-type]
        pass
    assert len(opened) == 3


def test_a_model_of_the_caller_is_not_closed_and_a_wrong_name_is_told_at_once() -> None:
    own = Counted()
    with opening_of(own, lambda name: own) as opening:  # type: ignore[arg-type, return-value]
        pass
    assert own.closed == 0
    assert opening.take() is own  # type: ignore[comparison-overlap]

    def unknown(name: str) -> Counted:
        raise InputError(f"knows no {name}.")

    with pytest.raises(InputError, match="knows no nobody"), opening_of("nobody", unknown):  # type: ignore[arg-type]
        pytest.fail("the block began")
