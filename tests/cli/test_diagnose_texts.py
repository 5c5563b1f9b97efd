"""`probe4d diagnose --text-metrics`: a table, files, and what is missing."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from in_process import called

from judge_making import run_on_disk, text_benchmark
from probe4d.errors import InputError


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    said = ["The car turns left.", "A bus stops.", "The ego vehicle slows down."] * 4
    families = {n: {"family": ("description", "comprehensive")[n % 2]} for n in range(12)}
    bench = text_benchmark(said, tmp_path / "bench", fields=families)
    run_on_disk(bench, tmp_path / "run", [text.replace("The", "A") for text in said])
    return tmp_path / "bench", tmp_path / "run"


def test_tables_and_files(folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    called("diagnose", *folders, "--out", tmp_path / "report", "--text-metrics", "rouge-l,bleu")
    printed = capsys.readouterr().out
    figures = pl.read_csv(tmp_path / "report" / "figures.csv", infer_schema_length=None)
    for metric, title in (("bleu_4", "BLEU-4"), ("rouge_l", "ROUGE-L")):
        rows = figures.filter(metric=f"{metric}_macro", run="run")
        assert f"{float(rows['value'][0]):.3f}" in printed
        assert title in printed
    assert "control:content" in printed
    page = (tmp_path / "report" / "report.html").read_text()
    assert "How free answers compare with references, word by word" in page
    called("diagnose", *folders, "--out", tmp_path / "twice", "--text-metrics", "rouge-l,bleu", "--workers", 2)
    again = (tmp_path / "twice" / "figures.csv").read_bytes()
    assert again == (tmp_path / "report" / "figures.csv").read_bytes()


def test_what_is_missing_is_told_first(folders: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "report"
    with pytest.raises(InputError, match="'meteor' needs --wordnet DIR"):
        called("diagnose", *folders, "--out", out, "--text-metrics", "meteor")
    with pytest.raises(InputError, match="holds no question that can be scored"):
        called("diagnose", *folders, "--out", out)
    assert not out.exists()
