"""`probe4d diversity` scores files side by side, and says what it was computed with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from in_process import called

from encoder_making import as_sentence_transformer, write_tiny_bert
from probe4d.errors import InputError


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    many = [{"question": f"Is there a car in frame {n}?", "answer": "no" if n % 2 else "a bus"} for n in range(30)]
    same = [{"question": "Is there a car?", "answer": "no"}] * 30
    found = {name: tmp_path / f"{name}.jsonl" for name in ("many", "same")}
    for name, rows in (("many", many), ("same", same)):
        found[name].write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    encoder = as_sentence_transformer(write_tiny_bert(tmp_path / "encoder"), longest=16)
    return {**found, "encoder": encoder}


def test_files_side_by_side(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("diversity", files["many"], files["same"], "--encoder", files["encoder"], "--pairs", 20, "--draws", 3)
    called(*asked, "--json")
    printed = capsys.readouterr()
    many, same = json.loads(printed.out)
    assert (many["file"], many["available"], many["distinct"]) == (str(files["many"]), 30, 30)
    assert len(many["scores"]) == 3
    assert same["distinct"] == 1
    assert many["mean"] > same["mean"] == pytest.approx(1.0, abs=1e-5)
    assert many["fingerprint"] == same["fingerprint"]
    assert "texts of many.jsonl read: 30 of 30" in printed.err
    called(*asked)
    table = capsys.readouterr().out
    assert f"{many['mean']:.3f} ± {many['deviation']:.3f}" in table
    assert "1.000 ± 0.000" in table
    assert table.count("DCScore: transformers") == 1


def test_too_few_pairs_are_told_before_any_is_read(files: dict[str, Path]) -> None:
    with pytest.raises(InputError, match=r"same\.jsonl.* 30 questions .* fewer than the 1,000 of a draw.*--pairs N"):
        called("diversity", files["same"], "--encoder", "nowhere")
    with pytest.raises(InputError, match="is no folder, where an encoder of texts was expected"):
        called("diversity", files["same"], "--encoder", "nowhere", "--pairs", 20)
