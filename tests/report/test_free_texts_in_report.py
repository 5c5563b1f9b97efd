"""Metrics of words in a report: charts with the control, scores of a judge beside them, a sentence of the verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

import probe4d
from judge_making import run_on_disk, text_benchmark
from probe4d.diagnosis.controls.answerers import CONTENT
from probe4d.report.lookup import Lookup
from probe4d.report.replies import answers_given
from probe4d.report.sections import sections
from probe4d.report.sections.text_metrics import text_metrics
from probe4d.report.verdict import verdicts

FAMILIES = ("description", "comprehensive")
SAID = ("The car in front turns left at the crossing.", "A bus stops near the building on the right.")


@pytest.fixture(scope="module")
def diagnosis(tmp_path_factory: pytest.TempPathFactory) -> probe4d.Diagnosis:
    """A run that says what its references say, and one that says nothing of use, of 48 questions in 24 scenes."""
    folder = tmp_path_factory.mktemp("texts")
    fields = {
        n: {"family": FAMILIES[n % 2], "question": f"What of the {'car' if n % 4 < 2 else 'bus'}?"} for n in range(48)
    }
    bench = text_benchmark([SAID[n % 4 // 2] for n in range(48)], fields=fields)
    right = run_on_disk(bench, folder / "right", [SAID[n % 4 // 2] for n in range(48)])
    vague = run_on_disk(bench, folder / "vague", ["Things are on the road."] * 48)
    return probe4d.diagnose(bench, [right, vague], text_metrics=[probe4d.Bleu(), probe4d.RougeL()])


def test_charts_and_tables(diagnosis: probe4d.Diagnosis) -> None:
    made = text_metrics(diagnosis, Lookup.of(diagnosis))
    assert [chart.title for chart in made.charts] == ["BLEU-4", "ROUGE-L"]
    assert [key.text for key in made.keys] == ["right", "vague", CONTENT]
    assert "right 1.000" in made.charts[1].words
    heads = [row[:2] for row in made.table.rows]
    assert heads[:3] == [("Mean of families", "right"), ("Mean of families", "vague"), ("Mean of families", CONTENT)]
    assert len(heads) == 9
    (computed,) = made.more
    assert [row[0] for row in computed.rows] == ["BLEU-4", "ROUGE-L"]
    assert made.anchor in [section.anchor for section in sections(diagnosis)]


def test_no_metrics_no_section(diagnosis: probe4d.Diagnosis, tmp_path: Path) -> None:
    bench = text_benchmark(["a"] * 4, fields={0: {"format": "yes-no", "answer": "Yes"}})
    run = run_on_disk(bench, tmp_path / "run", ["Yes"] * 4)
    other = probe4d.diagnose(bench, [run])
    assert "text-metrics" not in [section.anchor for section in sections(other)]


def test_the_verdict_says_who_is_beaten_by_what_is_said_elsewhere(diagnosis: probe4d.Diagnosis) -> None:
    said = {
        verdict.run: [one for one in verdict.statements if one.text.startswith("Word by word")]
        for verdict in verdicts(diagnosis)
    }
    (right,), (vague,) = said["right"], said["vague"]
    assert right.tone == "note"
    assert "BLEU-4 1.000 against 1.000 and ROUGE-L 1.000 against 1.000 of control:content" in right.text
    assert vague.tone == "bad"
    assert vague.text.endswith("it would do better to say what is said elsewhere than what it says.")


def test_answers_in_the_browser(diagnosis: probe4d.Diagnosis) -> None:
    given = answers_given(diagnosis)
    assert given.height == 3 * 48
    row = given.row(0, named=True)
    assert (row["state"], row["correct"], row["text"]) == ("valid", None, SAID[0])
    assert row["label"] == "BLEU-4 1.0, ROUGE-L 1.0"
