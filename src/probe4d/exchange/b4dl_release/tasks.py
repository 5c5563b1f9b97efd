"""Tells the task of released rows, and reads their answers; what cannot be told is not guessed."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.b4dl.tasks import TASKS, VOCABULARY

__all__ = ["UNKNOWN", "with_tasks"]

UNKNOWN = "unknown"
"""Family of rows of which nothing tells the task; where their group is told it is `unknown-simple` or
`unknown-complex`."""

_YES_NO = r"(?i)^(yes|no)"
_INTERVAL = (
    r"(?i)^(?:(?:from|between|in|at|during)\s+)?frames?\s+(\d{1,6})"
    r"(?:\s*(?:to|and|through|-|–)\s*(?:frame\s+)?(\d{1,6}))?"
)
_BEGINS, _WHOLE = r"(?:[.,;:!\s]|$)", r"\s*[.!]?$"  # whether more may follow
_DESCRIBE = r"(?i)^describe the lidar[- ]sequence\s*\.?$"
_CLASSES = {word.replace(" ", ""): word for word in VOCABULARY}
_GROUPS = {task.name: task.group for task in TASKS.values()}
_OTHER_TEMPLATES = {
    ("existence", "yes-no"): "existence-presence",
    ("existence", "class"): "existence-class",
    ("binary", "yes-no"): "binary",
    ("time-grounding", "interval"): "time-grounding",
    **{(name, "text"): name for name, group in _GROUPS.items() if group == "complex"},
}
"""Templates by family and form; of others they are called by both."""


def with_tasks(rows: pl.DataFrame, *, without_time_grounding: bool) -> pl.DataFrame:
    """Add what each row is: `family`, `template`, `format`, `is_class` and `reference`, its answer in that form.

    A file's name tells the task. Of training rows, which have none, an interval is an answer of time grounding, a
    class one of existence, and the one question of description is known; whether a yes or a no answers a question of
    existence or a binary one, and which complex task a text is of, nothing tells. Where not even the group is told, an
    answer has to be nothing but its form. An answer without the form of its task stays as text.

    Args:
        rows: Columns of `PLACED_SCHEMA`.
        without_time_grounding: Whether there are files a task and none of time grounding, whose rows then lie among
            those of temporal understanding (B4DL's generator has no prompt for it).

    Returns:
        The rows with these columns.
    """
    answer, is_read = pl.col("answer"), pl.col("family") != UNKNOWN
    name = answer.str.to_lowercase().str.strip_suffix(".").str.replace_all(" ", "", literal=True)
    rows = rows.with_columns(name.replace_strict(_CLASSES, default=None, return_dtype=pl.String).alias("class"))
    rows = rows.with_columns(family=_family(without_time_grounding=without_time_grounding))
    says_yes_no = answer.str.contains(_YES_NO + _WHOLE) | (is_read & answer.str.contains(_YES_NO + _BEGINS))
    form = (
        pl.when(pl.col("family").is_in(["existence", "binary", f"{UNKNOWN}-simple", UNKNOWN]) & says_yes_no)
        .then(pl.lit("yes-no"))
        .when((pl.col("family") == "time-grounding") & answer.str.contains(_INTERVAL + _BEGINS))
        .then(pl.lit("interval"))
        .when((pl.col("family") == "existence") & pl.col("class").is_not_null())
        .then(pl.lit("class"))
        .otherwise(pl.lit("text"))
    )
    start, end = (answer.str.extract(_INTERVAL, group).cast(pl.Int32, strict=False) for group in (1, 2))
    references = {
        "yes-no": answer.str.extract(_YES_NO, 1).str.to_titlecase(),
        "interval": pl.format("{}-{}", start, pl.coalesce(end, start)),
        "class": pl.col("class"),
    }
    reference = answer
    for kind, words in references.items():
        reference = pl.when(pl.col("form") == kind).then(words).otherwise(reference)
    template = pl.format("{}-{}", "family", "form")
    names = {f"{family}-{kind}": other for (family, kind), other in _OTHER_TEMPLATES.items()}
    return rows.with_columns(form=form).with_columns(
        template=template.replace(names),
        format=pl.col("form").replace("class", "text"),
        is_class=pl.col("form") == "class",
        reference=reference,
    )


def _family(*, without_time_grounding: bool) -> pl.Expr:
    answer, task, group = pl.col("answer"), pl.col("task"), pl.col("group")
    is_interval = answer.str.contains(_INTERVAL + _WHOLE)
    is_grounded = (task == "temporal-understanding") & is_interval if without_time_grounding else pl.lit(False)
    by_form = (
        pl.when(is_interval | ((group == "simple") & answer.str.contains(_INTERVAL + _BEGINS)))
        .then(pl.lit("time-grounding"))
        .when(pl.col("class").is_not_null())
        .then(pl.lit("existence"))
    )
    described = pl.when(pl.col("question").str.contains(_DESCRIBE)).then(pl.lit("description"))
    unknown = pl.when(group.is_null()).then(pl.lit(UNKNOWN)).otherwise(pl.format(f"{UNKNOWN}-{{}}", group))
    return (
        pl.when(is_grounded)
        .then(pl.lit("time-grounding"))
        .when(task.is_not_null())
        .then(task)
        .when(group == "complex")
        .then(pl.coalesce(described, unknown))
        .when(group == "simple")
        .then(pl.coalesce(by_form, unknown))
        .otherwise(pl.coalesce(by_form, described, unknown))
    )
