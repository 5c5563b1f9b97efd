"""What providers raise becomes one line that holds no key, and the right end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.models.failures import fault_of, one_line


class ProviderError(Exception):
    """An error as providers' clients raise it, with whatever attributes."""

    def __init__(self, message: str, **attributes: Any) -> None:
        super().__init__(message)
        self.__dict__ |= attributes


ANTHROPIC = {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}


@pytest.mark.parametrize(
    ("error", "words", "fatal"),
    [
        (ProviderError("no", status_code=401, body=ANTHROPIC), "the key (HTTP 401: invalid x-api-key)", True),
        (ProviderError("API key not valid.", code=401), "(HTTP 401: API key not valid.). Check A_KEY or B_KEY.", True),
        (ProviderError("API key not valid.", code=400), "refuses the key (HTTP 400: API key not valid.)", True),
        (ProviderError("no", code=403, body={"message": "Invalid API Key"}), "refuses the key (HTTP 403: Inv", True),
        (ProviderError("unsupported parameter", code=400), "the server says HTTP 400: unsupported parameter", False),
        (ProviderError("no", status_code=404, body={"error": "model 'x' not found"}), "model 'x' not found", True),
        (ProviderError("no", status_code=402), "the account may not go on (HTTP 402: no)", True),
        (ProviderError("credit balance is too low", status_code=429), "the account may not go on", True),
        (ProviderError("too many tokens per minute", status_code=429), "the server says HTTP 429", False),
        (ProviderError("", status_code=500), "the server says HTTP 500: ProviderError", False),
        (NotImplementedError("does not support multimodal content"), "it takes no pictures", True),
        (ConnectionRefusedError(111, "Connection refused"), "there is no server at its address", False),
        (KeyError("choices"), "missing or of another kind (KeyError: 'choices')", False),
        (json.JSONDecodeError("Expecting value", "", 0), "no valid JSON", False),
        (RuntimeError("CUDA out of memory"), "no answer could be had (RuntimeError: CUDA out of memory)", False),
        (RuntimeError(), "no answer could be had (RuntimeError: RuntimeError)", False),
    ],
)
def test_what_is_said_and_whether_it_ends_all(error: Exception, words: str, fatal: bool) -> None:
    failure = fault_of(error, with_images=True, key_names=["A_KEY", "B_KEY"]).failure
    assert words in str(failure)
    assert failure.fatal is fatal


def test_the_first_cause_is_named() -> None:
    error = ProviderError("Connection error.")
    error.__cause__ = OSError("the cable is cut")
    assert "OSError: the cable is cut" in str(fault_of(error, with_images=False).failure)


def test_the_first_of_a_group_is_named() -> None:
    group = ExceptionGroup("unhandled errors in a TaskGroup", [OverflowError("port must be 0-65535"), ValueError("b")])
    assert "OverflowError: port must be 0-65535" in str(fault_of(group, with_images=False).failure)
    error = ProviderError("Connection error.")
    error.__cause__ = group
    assert "OverflowError: port must be 0-65535" in str(fault_of(error, with_images=False).failure)


def test_what_was_only_being_handled_is_no_cause() -> None:
    error = KeyError("choices")
    error.__context__ = RuntimeError("no running event loop")
    assert "missing or of another kind (KeyError: 'choices')" in str(fault_of(error, with_images=False).failure)


def test_a_ring_of_causes_ends() -> None:
    first, second = ProviderError("one"), ProviderError("two")
    first.__cause__, second.__cause__ = second, first
    assert "two" in str(fault_of(first, with_images=False).failure)


@given(st.text(max_size=2000), st.integers(100, 599) | st.none(), st.booleans())
def test_any_text_becomes_one_line_of_bounded_length(text: str, status: int | None, with_images: bool) -> None:
    failure = str(fault_of(ProviderError(text, status_code=status), with_images=with_images).failure)
    assert failure.isprintable()
    assert len(failure) < 500


def test_a_key_that_control_characters_split_goes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "a-canary-in-the-mine")
    assert one_line("it is a-canary\x00-in-the\u200b-\x1b[1mmine\x1b[31m!") == "it is [redacted]!"
    assert "canary" not in one_line("x" * 290 + "a-canary-in-the-mine")
