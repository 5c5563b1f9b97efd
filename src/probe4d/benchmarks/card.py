"""The dataset card of a benchmark: README.md with a YAML header, as dataset hubs read it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from probe4d.benchmarks.benchmark import BenchmarkRecord
from probe4d.benchmarks.composition import COMPOSITION_FILE, Composition
from probe4d.origins import licence_in_words

__all__ = ["SuiteCard", "dataset_card", "markdown_table"]


@dataclass(frozen=True)
class SuiteCard:
    """What a suite says of itself on every card.

    Attributes:
        title: The suite's name, as papers write it.
        about: What the benchmark is, in a paragraph.
        rules: Family to its answer rule, in words.
        limits: What a reader should know before trusting a figure.
        papers: References.
    """

    title: str
    about: str
    rules: dict[str, str]
    limits: tuple[str, ...]
    papers: tuple[str, ...]


def dataset_card(
    record: BenchmarkRecord,
    suite: SuiteCard,
    composition: Composition | None = None,
    sections: Sequence[str] = (),
) -> str:
    """Text of the card.

    Args:
        record: Content of `benchmark.json`.
        suite: The suite's own words.
        composition: What the benchmark is made of, for suites of many templates and cameras.
        sections: What else the suite tells of this benchmark, in Markdown with headings.
    """
    source = record.source
    total = sum(n for formats in record.counts.values() for n in formats.values())
    sections = [
        _header(record, suite, total),
        f"# {suite.title}: {total:,} questions from {source.title}",
        suite.about,
        markdown_table(("family", "format", "questions"), _count_rows(record)),
        "## Source",
        "\n".join(
            (
                f"- Dataset: {source.title}, split `{source.split}`, {source.scenes:,} scenes",
                f"- Licence of the source, which binds these questions too: {source.licence}",
                f"- SHA-256 of its tables: {source.fingerprint or 'not known'}",
                f"- Benchmark fingerprint: {record.fingerprint}",
                f"- Built by Probe4D {record.probe4d}, suite version {record.version}, seed {record.seed}",
            )
        ),
        "## Parameters",
        markdown_table(
            ("parameter", "value"), [(name, json.dumps(value)) for name, value in record.parameters.items()]
        ),
        "## How answers are measured",
        _bullets(f"**{family}**: {rule}" for family, rule in suite.rules.items() if family in record.counts),
        *([] if composition is None else _composed(composition)),
        *sections,
        "## What was left out",
        markdown_table(("reason", "number"), [(reason, f"{n:,}") for reason, n in record.exclusions.items()])
        if record.exclusions
        else "Nothing.",
        "## What is short",
        _bullets(record.shortfalls) if record.shortfalls else "Nothing: every family has the questions asked for.",
        "## Limits",
        _bullets(suite.limits),
        "## Reading the file",
        _READING,
        "## Papers",
        _bullets(suite.papers),
    ]
    return "\n\n".join(sections) + "\n"


_READING = """\
`questions.parquet` holds a question a row and needs nothing but a parquet reader:

```python
import json
import polars as pl  # or: import pandas as pd; table = pd.read_parquet("questions.parquet")

table = pl.read_parquet("questions.parquet")
row = table.row(0, named=True)
print(row["question"], row["options"], row["answer"])
print(json.loads(row["facts"]))  # what the answer was measured from
```

`question` is the stem; `probe4d prompts` writes whole prompts with options and directive."""


def _header(record: BenchmarkRecord, suite: SuiteCard, total: int) -> str:
    size = next(words for bound, words in _SIZES if total < bound)
    return "\n".join(
        (
            "---",
            f"pretty_name: {json.dumps(f'{suite.title} ({record.source.version})')}",
            *_licence_lines(record.source.licence),
            "language:",
            "- en",
            "task_categories:",
            "- visual-question-answering",
            "size_categories:",
            f"- {size}",
            "configs:",
            "- config_name: default",
            "  data_files:",
            "  - split: test",
            "    path: questions.parquet",
            "---",
        )
    )


def _licence_lines(words: str) -> list[str]:
    licence = licence_in_words(words)
    fields = {"license": licence.identifier, "license_name": licence.name}
    if licence.name is not None:  # hubs ask for a link beside a name of one's own
        fields["license_link"] = licence.url or "README.md"
    return [f"{field}: {value}" for field, value in fields.items() if value is not None]


_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (float("inf"), "10M<n<100M"),
)


def _count_rows(record: BenchmarkRecord) -> list[tuple[str, str, str]]:
    return [
        (family, kind, f"{n:,}") for family, formats in record.counts.items() for kind, n in sorted(formats.items())
    ]


def _composed(composition: Composition) -> list[str]:
    templates = [
        (row["family"], row["template"], *(f"{row[name]:,}" for name in _COUNTED), row["answers"] or "no letters")
        for row in composition.templates.iter_rows(named=True)
    ]
    head, rows = _by_camera(composition)
    return [
        "## What it is made of",
        "Wordings are distinct texts, options included; scenes are those that have such questions.",
        markdown_table(("family", "template", *map(_spaced, _COUNTED), "answers"), templates),
        *([markdown_table(head, rows)] if rows else []),
        f"`{COMPOSITION_FILE}` has the same by template, camera and answer.",
    ]


_COUNTED = ("questions", "wordings", "scenes", "most_of_a_scene")


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _by_camera(composition: Composition) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    families = composition.templates["family"].unique(maintain_order=True).to_list()
    counts = composition.counts.group_by("channel", "family").agg(pl.col("questions").sum())
    found = {(channel, family): f"{n:,}" for channel, family, n in counts.iter_rows()}
    channels = counts["channel"].drop_nulls().unique().sort().to_list()
    rows = [(channel, *(found.get((channel, family), "0") for family in families)) for channel in channels]
    return ("camera", *families), rows


def markdown_table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table of texts in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)
