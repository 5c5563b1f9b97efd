"""Checks what can be said of a question without a dataset: its identity, and the form that its template gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.spatial_qa.audit.expected import EXPECTED

__all__ = ["check_repeated", "well_formed"]

_NUMBER = r"^-?(?:0|[1-9]\d*)\.\d\d$"
_LETTERS = "ABCD"
_NO_ANSWERS = ("-0.00", "-180.00")
"""Numbers that are written otherwise: 0.00 and 180.00."""

Row = dict[str, Any]


class _Check(NamedTuple):
    """A check of a form.

    Attributes:
        wrong: Whether a row fails.
        what: Says what is wrong with it.
        rule: Name of the check; null is the question's own rule.
        settles: Whether nothing more can be said of a question that fails.
    """

    wrong: pl.Expr
    what: Callable[[Row], str]
    rule: str | None = None
    settles: bool = False


def well_formed(questions: pl.DataFrame, findings: Findings, *, needs: tuple[str, ...]) -> NDArray[np.bool_]:
    """Check the form of questions.

    Args:
        questions: n questions, with `place`, their row in the benchmark, and `derived_id`.
        findings: Takes in what is wrong.
        needs: Annotations that every answer rests on.

    Returns:
        Which questions can be measured, shape (n,).
    """
    checks = list(_checks(needs))
    expected = {name: _of_template(name) for name in ("family", "format", "rule", "relation", "entities", "options")}
    columns = questions.with_columns(**{f"_{k}": e for k, e in expected.items()})
    failed = columns.select(check.wrong.fill_null(True).alias(str(place)) for place, check in enumerate(checks))
    rows = questions["place"].to_numpy()
    sound = np.ones(len(rows), dtype=np.bool_)
    for place, check in enumerate(checks):
        fails = failed[str(place)].to_numpy()
        findings.add_where(fails & sound, rows, partial(_told, check, columns), rule=check.rule)
        if check.settles:
            sound &= ~fails
    return sound


def _told(check: _Check, columns: pl.DataFrame, at: int) -> str:
    return check.what(columns.row(at, named=True))


def check_repeated(questions: pl.DataFrame, findings: Findings) -> None:
    """See that no two questions of a scene ask the same of one image, whatever their options.

    Args:
        questions: All questions of the scene, with `place`, their row in the benchmark.
        findings: Takes in what is wrong.
    """
    first = questions.select(pl.col("id").first().over("frames", "channel", "template", "question", "entities"))["id"]
    repeated = (first != questions["id"]).to_numpy()
    findings.add_where(
        repeated, questions["place"].to_numpy(), lambda at: f"asks the same as question {first[at]}", rule="uniqueness"
    )


def _of_template(name: str) -> pl.Expr:
    values = {template: getattr(expected, name) for template, expected in EXPECTED.items()}
    kind = pl.Int32() if name in ("entities", "options") else pl.String()
    return pl.col("template").replace_strict(values, default=None, return_dtype=kind)


def _checks(needs: tuple[str, ...]) -> Iterator[_Check]:
    yield _Check(pl.col("id") != pl.col("derived_id"), lambda row: f"the id should be {row['derived_id']}", "identity")
    yield from _settling_checks()
    yield _Check(pl.col("suite") != "spatial-qa", lambda row: f"the suite is {row['suite']!r}", "suite")
    yield _Check(pl.col("prompt").is_not_null(), lambda row: "a built question fixes no prompt", "prompt")
    yield _Check(pl.col("links").list.len() != 0, lambda row: f"links: stored {row['links']!r}, derived []", "links")
    yield from map(_fixed, ("rule", "relation"))
    yield _Check(
        ~pl.col("margin").is_finite().fill_null(True), lambda row: f"margin: stored {row['margin']}, which is no length"
    )
    yield _Check(
        pl.col("needs") != pl.lit(pl.Series([list(needs)])),
        lambda row: f"needs: stored {row['needs']!r}, derived {list(needs)!r}",
    )
    yield _Check(
        _shows_another_image(),
        lambda row: f"evidence: stored {row['evidence']}, and the question is of {row['channel']} at {row['frames']}",
    )


def _settling_checks() -> Iterator[_Check]:
    """Whether a question has a template and the parts that its template wants, without which nothing is measured."""
    settling = partial(_Check, settles=True)
    yield settling(
        (pl.col("family") != pl.col("_family")) | (pl.col("format") != pl.col("_format")),
        lambda row: f"{row['template']!r} is no template of family {row['family']!r} in format {row['format']!r}",
        "template",
    )
    yield settling(
        _has_other_options(),
        lambda row: f"the options are not {row['_options']} different ones: {row['options']!r}",
        "options",
    )
    yield settling(~_has_form_of_answer(), lambda row: f"the answer is {row['answer']!r}", "answer")
    yield settling(
        (pl.col("frames").list.len() != 1)
        | pl.col("frames").list.first().is_null()
        | pl.col("channel").is_null()
        | pl.col("question").is_null(),
        lambda row: f"asks of key frames {row['frames']} and camera {row['channel']!r}, and should of one image",
    )
    yield settling(
        pl.col("entities").list.len() != pl.col("_entities"),
        lambda row: f"entities: stored {row['entities']!r}, and the question names {row['_entities']} objects",
    )


def _fixed(name: str) -> _Check:
    return _Check(
        pl.col(name).ne_missing(pl.col(f"_{name}")),
        lambda row: f"{name}: stored {row[name]!r}, derived {row[f'_{name}']!r}",
    )


def _has_other_options() -> pl.Expr:
    texts = pl.col("options").list.eval(pl.element().str.strip_chars().str.to_lowercase())
    n = texts.list.len()
    return (n != pl.col("_options")) | (texts.list.n_unique() != n) | texts.list.contains("")


def _shows_another_image() -> pl.Expr:
    shown = pl.col("evidence").struct
    views = shown.field("views").list
    return (shown.field("frames") != pl.col("frames")) | (views.len() != 1) | (views.first() != pl.col("channel"))


def _has_form_of_answer() -> pl.Expr:
    answer = pl.col("answer")
    letters = pl.lit(_LETTERS).str.slice(0, pl.col("_options"))
    is_letter = (answer.str.len_bytes() == 1) & letters.str.contains(answer, literal=True)
    is_number = answer.str.contains(_NUMBER) & ~answer.is_in(_NO_ANSWERS)
    return (
        pl.when(pl.col("format") == "choice")
        .then(is_letter)
        .when(pl.col("format") == "number")
        .then(is_number)
        .otherwise(answer.is_in(["Yes", "No"]))
    )
