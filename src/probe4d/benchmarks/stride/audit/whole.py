"""Checks a benchmark as a whole: which templates, how many questions of each, how their letters are spread."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import polars as pl

from probe4d.benchmarks.auditing.record import whole
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["StrideParameters", "repeated_findings", "spread_findings"]


class StrideParameters(msgspec.Struct, frozen=True):
    """The parameters of every build of the suite that decide what is right, as `benchmark.json` has them.

    Attributes:
        templates: Ids of the templates.
        per_template: Most questions of a template.
        most_per_scene: Most questions of a template about one scene.
        ego_history: Whether trajectory questions tell of the past, `text` or `none`.
        verbalizer: Who worded references.
        reference_channel: The sensor whose times and poses key frames have.
    """

    templates: tuple[str, ...]
    per_template: int
    most_per_scene: int
    ego_history: str
    verbalizer: str
    reference_channel: str

    @property
    def with_history(self) -> bool:
        """Whether trajectory questions tell of the past."""
        return self.ego_history == "text"


def spread_findings(table: pl.DataFrame, asked: StrideParameters) -> Iterator[AuditFinding]:
    """See that only templates are asked that were asked for, within their caps, letters as often as one another.

    Args:
        table: The questions.
        asked: What was asked for.
    """
    for name in sorted({*table["template"]} - {*asked.templates}):
        yield whole("templates", f"there are questions of {name}, which benchmark.json does not name")
    for name, n in table.group_by("template", maintain_order=True).len().iter_rows():
        if n > asked.per_template:
            yield whole(
                "templates", f"there are {n} questions of {name}, and at most {asked.per_template} were asked for"
            )
    for name, scene, n in table.group_by("template", "scene", maintain_order=True).len().iter_rows():
        if n > asked.most_per_scene:
            yield whole(
                "templates", f"{n} questions of {name} are about {scene}, and at most {asked.most_per_scene} may be"
            )
    choices = table.filter(pl.col("format") == "choice").with_columns(n=pl.col("options").list.len())
    for name, answers, n in choices.group_by("template", maintain_order=True).agg("answer", pl.col("n").max()).rows():
        letters = [answers.count(letter) for letter in {*answers}]
        rarest = min(letters) if len(letters) == n else 0
        if max(letters) - rarest > 1:
            yield whole("balance", f"of {name} one letter is right {max(letters)} times, another {rarest} times")


def repeated_findings(table: pl.DataFrame) -> Iterator[AuditFinding]:
    """See that no template asks twice about a clip."""
    first = pl.col("id").first().over("template", "scene", "frames")
    for identity, before in table.select("id", first.alias("before")).filter(pl.col("id") != pl.col("before")).rows():
        yield AuditFinding(question=identity, rule="uniqueness", what=f"asks of the clip of question {before} again.")
