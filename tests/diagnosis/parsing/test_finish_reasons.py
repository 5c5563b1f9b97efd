"""What a provider says of how a reply ended decides only where the reply itself does not."""

from __future__ import annotations

import pytest

from probe4d.diagnosis.parsing import PARSERS, parse


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(
    ("reason", "text", "state"),
    [
        ("max_tokens", "Let me think about", "truncated"),
        ("model_length", "", "truncated"),
        ("length", "", "truncated"),
        ("MAX_TOKENS", "", "truncated"),
        ("content_filter", "", "refused"),
        ("content_filter", " \n", "refused"),
        ("content_filter", "B", "valid"),
        ("refusal", "I cannot.", "refused"),
        ("refusal", "I cannot say B.", "refused"),
        ("stop", "", "empty"),
        ("unknown", "", "empty"),
        (None, "", "empty"),
    ],
)
def test_the_finish_reasons_of_inspect(parser: str, reason: str | None, text: str, state: str) -> None:
    read = parse(text, format="choice", options=("car", "bus"), finish_reason=reason, parser=parser)
    assert (read.state, read.label) == (state, "B" if state == "valid" else None)
