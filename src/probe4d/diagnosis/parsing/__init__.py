"""Reads what a model replied: one state and, for a valid reply, one label.

The states, what counts as an answer and the file of adversarial answers are described in `docs/answer-parsing.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from probe4d.benchmarks.finish_reasons import CUT_REASONS, FILTER_REASONS, REFUSAL_REASONS
from probe4d.diagnosis.parsing import default, older, published, words
from probe4d.diagnosis.parsing.parsed import STATES, Parsed, State
from probe4d.errors import InputError

__all__ = ["PARSERS", "STATES", "Parsed", "Parser", "State", "parse", "parse_table"]

Parser = Callable[[str, Sequence[str], bool], Parsed]
"""Takes the reply, the texts of the options, and whether generation ran into its limit."""

PARSERS: Mapping[str, Mapping[str, Parser]] = {
    "default": {"choice": default.parse_choice, "yes-no": default.parse_yes_no, "text": words.parse_word},
    "published": {
        "choice": published.parse_choice,
        "yes-no": published.parse_yes_no,
        "text": words.parse_word_exactly,
    },
    "older": {"choice": older.parse_choice, "yes-no": older.parse_yes_no, "text": words.parse_word_exactly},
}
"""Name of a parser to the formats of questions that it reads; `text` where the answer is a word of a vocabulary."""


def parse(
    text: str,
    *,
    format: str,
    options: Sequence[str],
    finish_reason: str | None = None,
    error: str | None = None,
    parser: str = "default",
) -> Parsed:
    """Read one reply.

    Args:
        text: The reply, untouched.
        format: Format of the question, as in `Question`.
        options: Texts of the options in the order of their letters, or the vocabulary; empty for yes-no.
        finish_reason: Why generation ended, as the provider says.
        error: What went wrong instead of a reply; a text other than the empty one makes the state `error`.
        parser: One of `PARSERS`.

    Returns:
        The state and, if it is `valid`, the label.

    Raises:
        InputError: There is no such parser, or it does not read this format. No text raises.
    """
    read = _parser(parser, format)
    if error:
        return Parsed("error")
    reason = (finish_reason or "").lower()
    if reason in REFUSAL_REASONS:
        return Parsed("refused")
    found = read(text, options, reason in CUT_REASONS)
    return Parsed("refused") if found.state == "empty" and reason in FILTER_REASONS else found


def parse_table(table: pl.DataFrame, *, parser: str = "default") -> pl.DataFrame:
    """Read many replies, each distinct one once.

    Args:
        table: Columns `text`, `format`, `options`, and, where there are any, `finish_reason` and `error`, as in
            `parse`; a null `text` without an error is state `missing`.
        parser: One of `PARSERS`.

    Returns:
        Columns `state` and `label`, row for row.

    Raises:
        InputError: As `parse`.
    """
    nothing = pl.Series([None] * table.height, dtype=pl.String())
    columns = [
        table[name] if name in table.columns else nothing
        for name in ("text", "format", "options", "finish_reason", "error")
    ]
    read: dict[tuple[object, ...], Parsed] = {}
    readings = []
    for text, format, options, finish_reason, error in zip(*columns, strict=True):
        key = (text, format, tuple(options), finish_reason, error)
        if key not in read:
            if text is None and not error:
                read[key] = Parsed("missing")
            else:
                read[key] = parse(
                    text or "",
                    format=format,
                    options=key[2],
                    finish_reason=finish_reason,
                    error=error,
                    parser=parser,
                )
        readings.append(read[key])
    return pl.DataFrame(readings, schema={"state": pl.String(), "label": pl.String()}, orient="row")


def _parser(name: str, format: str) -> Parser:
    if name not in PARSERS:
        raise InputError(f"there is no parser named {name!r}.", remedy=f"Choose one of {', '.join(PARSERS)}.")
    if format not in PARSERS[name]:
        raise InputError(
            f"the parser {name!r} does not read answers of format {format!r}; it reads {', '.join(PARSERS[name])}.",
            remedy="Leave the questions of this format out, or choose another parser.",
        )
    return PARSERS[name][format]
