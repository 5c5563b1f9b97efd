"""`--to vlmevalkit`: a TSV of choice questions, as VLMEvalKit's `CustomMCQDataset` reads it.

VLMEvalKit words a question and its options by itself and reads the reply by its own rules, so that figures are near
those of Probe4D and not the same.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from probe4d.benchmarks.question import LETTERS
from probe4d.errors import InputError
from probe4d.exchange.exports.items import Exported, ExportItem, scored
from probe4d.exchange.exports.notes import readme
from probe4d.store.files import write_text

__all__ = ["write_vlmevalkit"]

_YES_NO = ("Yes", "No")
_NULL_WORDS = frozenset({
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"),
    *("N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
})  # fmt: skip
"""Cells that pandas, which reads the table, takes for missing ones."""

_HOW = """\
Run it inside this folder, since the paths of pictures are relative to it:

```
LMUData="$PWD" python /path/to/VLMEvalKit/run.py --data {name} --model MODEL
```

`index` counts the questions, as VLMEvalKit wants it; `id` and `variant` name them in Probe4D. Yes-no questions have \
the two options Yes and No in this order. VLMEvalKit words the options and reads replies by itself, so that its \
figures are not those of `probe4d diagnose`."""


def write_vlmevalkit(exported: Exported, folder: Path) -> Exported:
    """Write the questions as a TSV named after the suite, and give the part that is written.

    Raises:
        InputError: The setting words questions in a way that VLMEvalKit cannot follow, no question has a format
            that it scores, or the table cannot hold a text.
    """
    if exported.setting.wording != "default":
        raise InputError(
            f"VLMEvalKit words questions by itself and cannot follow the setting {exported.setting.name!r}.",
            remedy="Export the setting default, or export to another harness.",
        )
    exported = scored(exported, ("choice", "yes-no"), "VLMEvalKit")
    name = exported.record.suite.replace("-", "_")
    rows = [_row(index, item) for index, item in enumerate(exported.items)]
    letters = LETTERS[: max(len(_options(item)) for item in exported.items)]
    columns = ["index", "id", "variant", "question", *letters, "answer", "category", "l2-category", "scene"]
    if any(item.evidence for item in exported.items):
        columns.append("image_path")
    table = pl.DataFrame({column: [row.get(column) for row in rows] for column in columns})
    write_text(folder / f"{name}.tsv", table.write_csv(separator="\t"))
    write_text(folder / "README.md", readme(exported, "VLMEvalKit", _HOW.format(name=name)))
    return exported


def _row(index: int, item: ExportItem) -> dict[str, object]:
    if item.question is None:
        raise InputError(
            f"the text of question {item.id} without its options is not known, and VLMEvalKit words them by itself.",
            remedy="Export it to another harness.",
        )
    options = _options(item)
    for text in options:
        if text in _NULL_WORDS:
            raise InputError(
                f"question {item.id} has the option {text!r}, which VLMEvalKit reads as a missing one.",
                remedy="Export it to another harness.",
            )
    answer = item.answer if item.format == "choice" else LETTERS[_YES_NO.index(item.answer)]
    return {
        "index": index,
        "id": item.id,
        "variant": item.variant,
        "question": f"{item.preamble}{item.question}",
        **dict(zip(LETTERS, options, strict=False)),
        "answer": answer,
        "category": item.family,
        "l2-category": f"{item.family} {item.format}",
        "scene": item.scene,
        "image_path": _paths(item.evidence),
    }


def _options(item: ExportItem) -> tuple[str, ...]:
    return item.options if item.format == "choice" else _YES_NO


def _paths(files: tuple[str, ...]) -> str | None:
    """One path as it is, several as the text of a Python list, which VLMEvalKit takes apart."""
    if len(files) < 2:
        return files[0] if files else None
    return str(list(files))
