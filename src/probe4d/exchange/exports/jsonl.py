"""`--to jsonl`: one JSON object a line, for harnesses of one's own."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probe4d.exchange.exports.items import Exported, ExportItem
from probe4d.exchange.exports.notes import readme
from probe4d.runs.run import LEFT_OUT_FILE, LeftOut
from probe4d.store.files import write_bytes, write_text
from probe4d.store.logs import read_lines

__all__ = ["LINES_FILE", "read_items", "read_left_out", "write_jsonl", "write_lines"]

LINES_FILE = "questions.jsonl"

_HOW = f"""\
`{LINES_FILE}` holds a question a line: `prompt` is the whole text, `evidence` the files of the pictures that are put \
before it, in order, `options` and `answer` what the reply is compared with. Give the replies back with

```
probe4d import answers BENCH replies.jsonl --out RUN --model NAME --setting {{setting}}
```

where a line holds `id`, `text` (the reply) and, where there is one, `variant`: a line from here with the reply added \
as `text` will do."""


def write_jsonl(exported: Exported, folder: Path) -> None:
    """Write the questions as JSON lines (see `ExportItem`)."""
    write_lines(exported, folder)
    how = _HOW.format(setting=exported.setting.name)
    write_text(folder / "README.md", readme(exported, "harnesses of one's own", how))


def write_lines(exported: Exported, folder: Path) -> None:
    """Write `questions.jsonl` alone."""
    write_bytes(folder / LINES_FILE, msgspec.json.Encoder().encode_lines(exported.items))


def read_items(folder: Path) -> list[ExportItem]:
    """Read `questions.jsonl` of an export.

    Raises:
        InputError: A line is none that an export writes.
    """
    return [item for _, item in read_lines(folder / LINES_FILE, ExportItem)]


def read_left_out(folder: Path) -> list[LeftOut]:
    """Read `left_out.jsonl` of an export, which is there where questions were left out.

    Raises:
        InputError: A line is none that an export writes.
    """
    path = folder / LEFT_OUT_FILE
    return [left for _, left in read_lines(path, LeftOut)] if path.exists() else []
