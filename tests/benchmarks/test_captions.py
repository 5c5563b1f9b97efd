"""Files of captions: what is read, and what is told of what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe4d.benchmarks.captions import Caption, read_captions, write_captions
from probe4d.errors import InputError


def test_what_is_written_is_read(tmp_path: Path) -> None:
    lines = [Caption(track="b", caption="a man"), Caption(track="a", caption=None), Caption(track="c", caption="bus")]
    write_captions(lines, tmp_path / "captions.jsonl")
    assert read_captions(tmp_path / "captions.jsonl") == {"b": "a man", "c": "bus"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"track": "a", "caption": "car"}\n{"track": "a", "caption": "bus"}\n', "line 2.*second caption of track a"),
        ('{"track": "a", "caption": null}\n{"track": "a", "caption": "bus"}\n', "line 2.*second caption of track a"),
        ('{"track": "a", "caption": " \\n"}\n', "line 1.*without a word"),
        ('{"track": "a"}\n', "line 1"),
        ('{"track": "a", "caption": "car \\u202egnirb"}\n', "line 1.*does not show .U.202E."),
        ('{"track": "a", "caption": "car\\u0000"}\n', "line 1.*does not show .U.0000."),
        ('{"track": "a", "caption": "\\u001b[31mcar"}\n', "line 1.*does not show .U.001B."),
        ('{"track": 3, "caption": "car"}\n', "line 1"),
        ("[]\n", "line 1"),
    ],
)
def test_what_is_no_caption_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "captions.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_captions(path)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file of captions"):
        read_captions(tmp_path / "none.jsonl")
