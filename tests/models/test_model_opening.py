"""A model is opened before anything is written, and closed by whoever ends with it."""

from __future__ import annotations

import pytest

from probe4d.errors import InputError
from probe4d.models.opening import Opening, opening_of
from probe4d.models.request import Reply, Request


class Counted:
    """A model that counts how often it is closed."""

    name = "counted"
    max_connections = 1

    def __init__(self) -> None:
        self.closed = 0

    async def reply(self, request: Request) -> Reply:
        raise AssertionError(f"nobody was to ask, and {request.key} was asked")

    async def close(self) -> None:
        self.closed += 1


def test_a_model_that_nobody_takes_is_closed_and_one_that_is_taken_is_left_to_its_asker() -> None:
    opened: list[Counted] = []

    def open_one() -> Counted:
        opened.append(Counted())
        return opened[-1]

    with Opening(open_one, at_once=True):
        assert len(opened) == 1
    assert opened[0].closed == 1
    with Opening(open_one, at_once=True) as opening:
        assert opening.take() is opened[1]
        assert opening.take() is opened[2]
    assert [one.closed for one in opened] == [1, 0, 0]
    with Opening(open_one, at_once=False):
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

    with pytest.raises(InputError, match="knows no nobody"), opening_of("nobody", unknown):
        pytest.fail("the block began")
