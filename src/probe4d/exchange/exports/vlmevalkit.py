"""`--to vlmevalkit`: TSVs as VLMEvalKit's `CustomMCQDataset` and `CustomVQADataset` read them.

VLMEvalKit words a question and its options by itself and reads the reply by its own rules, so that figures are near
those of Probe4D and not the same. Yes and no and the words of a vocabulary become options. Intervals of key frames and
numbers are asked as Probe4D asks for them, in a table of their own, and it has no rule to read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from probe4d.benchmarks.question import LETTERS
from probe4d.errors import InputError
from probe4d.exchange.exports.items import Exported, ExportItem, scored
from probe4d.exchange.exports.notes import readme
from probe4d.store.files import write_text

__all__ = ["write_vlmevalkit"]

_NULL_WORDS = frozenset({
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"),
    *("N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
})  # fmt: skip
"""Cells that pandas, which reads the table, takes for missing ones."""

_MOST_OPTIONS = LETTERS.index("Z")
"""Options that a question may have: VLMEvalKit reads the letter Z as a refusal."""

_HOW = """\
Run it inside this folder, since the paths of pictures are relative to it:"""

_OPTIONS = """\
```
LMUData="$PWD" python /path/to/VLMEvalKit/run.py --data {name} --model MODEL
```

`index` counts the questions, as VLMEvalKit wants it; `id` and `variant` name them in Probe4D. Yes-no questions have \
the two options Yes and No in this order, those for a word of a vocabulary its words. VLMEvalKit words the options and \
reads replies by itself, so that its figures are not those of `probe4d diagnose`."""

_OPEN = """\
```
PRED_FORMAT=tsv LMUData="$PWD" python /path/to/VLMEvalKit/run.py --data {name}_openended --model MODEL --mode infer
probe4d import answers BENCH outputs/MODEL/…/MODEL_{name}_openended.tsv --out RUN --model NAME --allow-missing
probe4d diagnose BENCH RUN --allow-missing
```

asks for the intervals of key frames and the numbers in `{name}_openended.tsv`, as Probe4D words them, gives the \
replies back and scores them: VLMEvalKit has no rule that reads either. The questions of \
the other table count as missing there."""


def write_vlmevalkit(exported: Exported, folder: Path) -> Exported:
    """Write the questions as TSVs named after the suite, and give the part that is written.

    Raises:
        InputError: The setting words questions in a way that VLMEvalKit cannot follow, no question has an answer
            that it can be asked for, or a table cannot hold a text.
    """
    if exported.setting.wording != "default":
        raise InputError(
            f"VLMEvalKit words questions by itself and cannot follow the setting {exported.setting.name!r}.",
            remedy="Export the setting default, or export to another harness.",
        )
    exported = scored(exported, "VLMEvalKit", lacks=_lack)
    name = exported.record.suite.replace("-", "_")
    how = [_HOW]
    of_labels = [item for item in exported.items if item.scored_as == "label"]
    if of_labels:
        rows = [_row(index, item) for index, item in enumerate(of_labels)]
        letters = LETTERS[: max(len(_options(item)) for item in of_labels)]
        _write_table(folder / f"{name}.tsv", rows, letters, pictured=any(item.evidence for item in of_labels))
        how.append(_OPTIONS.format(name=name))
    open_ended = [item for item in exported.items if item.scored_as != "label"]
    if open_ended:
        rows = [_open_row(index, item) for index, item in enumerate(open_ended)]
        _write_table(folder / f"{name}_openended.tsv", rows, pictured=True)
        how.append(_OPEN.format(name=name))
    write_text(folder / "README.md", readme(exported, "VLMEvalKit", "\n\n".join(how)))
    return exported


def _lack(item: ExportItem) -> str | None:
    """What VLMEvalKit lacks for an item, as a clause."""
    too_many = len(item.options) > _MOST_OPTIONS
    return f"VLMEvalKit has letters for no more than {_MOST_OPTIONS} options or words" if too_many else None


def _write_table(path: Path, rows: Sequence[dict[str, object]], letters: str = "", *, pictured: bool) -> None:
    columns = ["index", "id", "variant", "question", *letters, "answer", "category", "l2-category", "scene"]
    if pictured:
        columns.append("image_path")
    table = pl.DataFrame({column: [row.get(column) for row in rows] for column in columns})
    write_text(path, table.write_csv(separator="\t"))


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
    return _common(index, item) | {
        "question": f"{item.preamble}{item.question}",
        **dict(zip(LETTERS, options, strict=False)),
        "answer": LETTERS[item.labels.index(item.answer)],
        "image_path": str(list(item.evidence)) if len(item.evidence) > 1 else next(iter(item.evidence), None),
    }


def _open_row(index: int, item: ExportItem) -> dict[str, object]:
    """A row that is asked as it stands; the text of a list, also an empty one, is what VLMEvalKit takes apart."""
    return _common(index, item) | {
        "question": item.prompt,
        "answer": item.answer,
        "image_path": str(list(item.evidence)),
    }


def _common(index: int, item: ExportItem) -> dict[str, object]:
    return {
        "index": index,
        "id": item.id,
        "variant": item.variant,
        "category": item.family,
        "l2-category": " ".join([item.family, item.format, *([item.unit] if item.unit else [])]),
        "scene": item.scene,
    }


def _options(item: ExportItem) -> tuple[str, ...]:
    return item.options or item.labels
