"""`--to huggingface`: a dataset folder as the Hugging Face hub takes it, with Croissant metadata beside the card."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import QUESTION_SCHEMA
from probe4d.errors import InputError
from probe4d.exchange.exports.croissant import croissant
from probe4d.exchange.exports.items import Exported
from probe4d.exchange.exports.notes import about
from probe4d.store.files import whole_file, write_bytes, write_text

__all__ = ["TABLE_SCHEMA", "write_huggingface"]

TABLE_SCHEMA: dict[str, pl.DataType] = {
    **{name: kind for name, kind in QUESTION_SCHEMA.items() if name != "evidence"},
    "variant": pl.String(),
    "pictures": pl.List(pl.String()),
    "shown_scene": pl.String(),
}
"""Columns of the table: those of a benchmark, with `prompt`, `options` and `answer` as they are shown, the variant of
a setting that asks more than once, and the pictures in the order shown."""

_TABLE_FILE = "questions.parquet"
_PICTURES_READING = """\
`pictures` lists the files that go before `prompt`, in order:

```python
from datasets import load_dataset
from PIL import Image

dataset = load_dataset("parquet", data_files={"test": "questions.parquet"}, split="test")
pictures = [Image.open(path) for path in dataset[0]["pictures"]]
```"""


def write_huggingface(exported: Exported, benchmark: Benchmark, folder: Path) -> None:
    """Write table, card and Croissant metadata.

    Args:
        exported: What is exported.
        benchmark: The benchmark that it is of.
        folder: Folder of the export.

    Raises:
        InputError: The benchmark has no card, which says what binds its questions.
    """
    if not exported.card:
        raise InputError(
            "a dataset is published with a card, and the benchmark's folder has no README.md.",
            remedy="Build or import the benchmark again.",
        )
    with whole_file(folder / _TABLE_FILE) as temporary:
        _asked_table(exported, benchmark).write_parquet(temporary, compression="zstd", statistics=False)
    write_text(folder / "README.md", _card(exported))
    metadata = croissant(exported, TABLE_SCHEMA, table_file=_TABLE_FILE, folder=folder)
    write_bytes(folder / "croissant.json", json.dumps(metadata, indent=2, ensure_ascii=False).encode() + b"\n")


def _asked_table(exported: Exported, benchmark: Benchmark) -> pl.DataFrame:
    """One row an item: the question's columns, with what is shown in the place of what the benchmark has."""
    rows = [msgspec.to_builtins(item) for item in exported.items]
    names = {name: name for name in ("id", "variant", "prompt", "options", "answer", "shown_scene")}
    names |= {"pictures": "evidence"}
    schema = {name: TABLE_SCHEMA[name] for name in names}
    asked = pl.DataFrame({name: [row[key] for row in rows] for name, key in names.items()}, schema=schema)
    kept = [name for name in TABLE_SCHEMA if name not in names or name == "id"]
    rest = benchmark.rows(asked["id"].unique(), *kept)
    return asked.join(rest, on="id", how="left", maintain_order="left").select(list(TABLE_SCHEMA))


def _card(exported: Exported) -> str:
    sections = [exported.card.rstrip(), "## This export", about(exported)]
    if exported.pictures:
        sections.append(_PICTURES_READING)
    return "\n\n".join(sections) + "\n"
