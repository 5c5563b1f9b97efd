"""What the page on annotation phrases says of them, and the example that draws them."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import polars as pl
import pytest
from PIL import Image

from probe4d.benchmarks.b4dl.annotations import EVENTS, thresholds

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "b4dl-annotations.md").read_text()
EXAMPLE = ROOT / "examples" / "annotation_phrases"


def test_the_page_has_every_threshold_with_its_value_and_every_event() -> None:
    told = dict(re.findall(r"^\| `([A-Z_\d]+)` \| ([\d.]+) \|", PAGE, flags=re.MULTILINE))
    assert {name: float(value) for name, value in told.items()} == {
        name: float(value) for name, value in vars(thresholds).items() if name.isupper()
    }
    for event in EVENTS:
        assert f"`{event}`" in PAGE


@pytest.mark.parametrize(("more", "kinds"), [([], 10), (["--as-frequent"], 5)])
def test_the_example_draws_what_it_is_asked_for(
    more: list[str],
    kinds: int,
    simulated: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    monkeypatch.setattr(
        sys, "argv", ["draw_phrases.py", str(simulated), "--out", str(tmp_path), "--number", "10", *more]
    )
    runpy.run_path(str(EXAMPLE / "draw_phrases.py"), run_name="__main__")
    assert capsys.readouterr().out.startswith("10 phrases of 6 scenes")
    drawn = pl.read_csv(tmp_path / "phrases.csv")
    assert drawn["number"].to_list() == list(range(1, 11))
    assert drawn.select("event", pl.col("track").is_null()).n_unique() >= kinds
    for sheet, size in ((1, (1880, 1120)), (2, (1880, 560))):
        with Image.open(tmp_path / f"phrases-{sheet}.png") as image:
            assert image.size == size


def test_the_kept_judgements_are_of_the_kept_pictures() -> None:
    kept = [pl.read_csv(EXAMPLE / "nuscenes_mini" / name / "phrases.csv") for name in ("in_turn", "as_frequent")]
    page = (EXAMPLE / "README.md").read_text()
    judged = re.findall(r"^\| (\d+) \| (.*?) \|.*\| (?:yes|no) \|", page, flags=re.MULTILINE)
    assert [(int(number), phrase) for number, phrase in judged] == pl.concat(
        one.select("number", "phrase") for one in kept
    ).rows()
    assert [one.height for one in kept] == [40, 40]
