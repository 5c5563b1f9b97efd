"""Waits between repetitions of a request."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.models.retrying import Retries, retry_after_s


@given(st.text(max_size=20), st.integers(0, 30))
def test_waits_double_up_to_the_longest_and_are_shortened_by_half_at_most(key: str, attempt: int) -> None:
    retries = Retries(first_wait_s=1.5, longest_wait_s=60)
    whole = min(1.5 * 2**attempt, 60)
    assert whole / 2 <= retries.wait_s(key, attempt, None) <= whole


def test_requests_that_failed_together_return_apart() -> None:
    waits = {Retries().wait_s(f"question {place}", 0, None) for place in range(100)}
    assert len(waits) == 100


@given(st.floats(0, 1, exclude_max=True), st.integers(0, 10))
def test_a_server_that_asks_for_no_wait_is_met_as_one_that_asks_for_nothing(asked_s: float, attempt: int) -> None:
    assert Retries().wait_s("key", attempt, asked_s) == Retries().wait_s("key", attempt, None)


@given(st.floats(1, 1e6))
def test_what_the_server_asks_for_is_kept(asked_s: float) -> None:
    assert Retries(longest_wait_s=1).wait_s("key", 3, asked_s) == asked_s


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Fri, 99 Abc 2020"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2),
    ],
)
def test_retry_after(headers: dict[str, str], wait_s: float | None) -> None:
    assert retry_after_s(headers) == wait_s


def test_retry_after_a_date() -> None:
    at = datetime.now(UTC) + timedelta(minutes=10)
    wait_s = retry_after_s({"retry-after": format_datetime(at, usegmt=True)})
    assert wait_s is not None
    assert 590 < wait_s < 601
