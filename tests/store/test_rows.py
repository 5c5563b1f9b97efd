"""Rows of other people's files that cannot be read, beyond what their readers are tested for."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe4d.errors import InputError
from probe4d.store.rows import read_rows


@pytest.mark.parametrize("lines", [0, 5, 5000])  # the last is beyond the block in which text is decoded
def test_a_file_that_is_no_utf8_is_refused_by_its_line(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"scene,weather\n" + b"a,rain\n" * lines + b"b,n\xe4sse\na,rain\n")
    with pytest.raises(InputError, match=rf"rows\.csv, line {lines + 2}: is no UTF-8 text \(.*\)\. Save it as UTF-8\."):
        list(read_rows(path))


def test_a_row_without_a_column_says_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"scene":"a","weather":"rain"}\n{"scene":"b"}\n')
    with pytest.raises(
        InputError, match=r"line 2: has no 'weather'; found are scene\. Give a file that has it in every"
    ):
        list(read_rows(path, columns=("scene", "weather")))
