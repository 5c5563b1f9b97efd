"""Judged answers in the report: charts and tables of scores, the texts beside them, a sentence in the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import probe4d
from judge_making import run_on_disk, text_benchmark, verdict
from making import Model
from probe4d.report.browser import browser
from probe4d.report.lookup import Lookup
from probe4d.report.page import write_report
from probe4d.report.sections.judged import judged
from probe4d.report.verdict import verdicts

ATTACK = "</script><b>It turns \u202eleft\u200b.</b>"


@pytest.fixture(scope="module")
def diagnosis(tmp_path_factory: pytest.TempPathFactory) -> probe4d.Diagnosis:
    """Two judged runs and one that is not, of 24 questions in 12 scenes."""
    folder = tmp_path_factory.mktemp("judged")
    fields = {n: {"family": "temporal-memory", "template": "TM-6"} for n in range(12)}
    bench = text_benchmark([f"reference {n}" for n in range(24)], fields=fields)
    first = run_on_disk(bench, folder / "zebra", [*[ATTACK] * 20, "", "", "bad", "bad"])
    second = run_on_disk(bench, folder / "ant", [f"answer {n}" for n in range(24)])
    third = run_on_disk(bench, folder / "unjudged", ["something"] * 24)

    def reply(request: probe4d.Request) -> str:
        if "\nbad\n" in request.text:
            return "none"
        return verdict(8 if "answer 1" in request.text else 2.5, "<i>since</i> it is so")

    folders = [folder / "judged" / run.name for run in (first, second)]
    judgements = [
        probe4d.judge(bench, run, out, model=Model(reply, name="test/judge"))
        for run, out in zip((first, second), folders, strict=True)
    ]
    return probe4d.diagnose(bench, [first, second, third], judgements=judgements)


def test_scores_and_answers_stand_side_by_side(diagnosis: probe4d.Diagnosis) -> None:
    made = judged(diagnosis, Lookup.of(diagnosis))
    titles = [chart.title for chart in made.charts]
    assert titles == ["Text questions", "Temporal memory text questions", "Spatial perception text questions"]
    first, second = (dict(zip((c.name for c in made.table.columns), row, strict=False)) for row in made.table.rows[:2])
    assert (first["Run"], first["Mean of all"], first["Unscored"]) == ("zebra", "2.27 of 10", "8.3\u202f%")
    assert second["Mean of valid"] == "5.02"
    assert "The judge is test/judge by the rubric stride (0 to 10), shown nothing." in made.intro
    (answers,) = made.more
    assert [row[0] for row in answers.rows] == ["zebra"] * 20 + ["ant"] * 24  # runs in order, lowest scores first
    scores = [row[1] for row in answers.rows if row[0] == "ant"]
    assert scores == sorted(scores)
    assert answers.rows[0][4] == "</script><b>It turns [U+202E]left[U+200B].</b>"
    assert [key.text for key in made.keys] == ["zebra", "ant"]


def test_of_many_answers_some_are_listed_evenly(diagnosis: probe4d.Diagnosis) -> None:
    (answers,) = judged(diagnosis, Lookup.of(diagnosis), most_answers=10).more
    assert answers.caption == "10 scored answers of 44, evenly from the lowest score to the highest"
    assert [row[1] for row in answers.rows if row[0] == "ant"] == ["2.50 of 10"] * 3 + ["8.00 of 10"] * 2


def test_the_browser_holds_each_score_with_the_judges_words(diagnosis: probe4d.Diagnosis) -> None:
    data = json.loads(browser(diagnosis, None).data)
    own = data["answers"][data["runs"].index("zebra")]
    assert own["label"][0] == "2.5 of 10"
    assert own["correct"][0] is None
    assert data["states"][own["state"][0]] == "valid"
    assert data["texts"][own["text"][0]] == f"{ATTACK}\n\nJudge: <i>since</i> it is so"
    assert (own["label"][20], data["states"][own["state"][20]]) == (None, "empty")
    assert own["label"][23] == "unscored"
    assert data["texts"][own["text"][23]] == "bad\n\nJudge: no verdict (holds no JSON object)"
    assert data["answers"][data["runs"].index("unjudged")]["state"] == [None] * 24


def test_the_verdict_says_how_high_and_how_many_were_left(diagnosis: probe4d.Diagnosis) -> None:
    said = {one.run: [statement.text for statement in one.statements] for one in verdicts(diagnosis)}
    assert (
        "Its judge, test/judge, left 8.3\u202f% of 24 free answers unscored: its mean is of the others."
        in said["zebra"]
    )
    assert any(
        text.startswith("test/judge scores its 22 free answers 2.27 of 10 on average, 95\u202f% interval")
        and text.endswith("; 2.50 over the 20 that held something to judge.")
        for text in said["zebra"]
    )
    assert not any("free answer" in text for text in said["unjudged"])


def test_the_page_escapes_what_models_say(diagnosis: probe4d.Diagnosis, tmp_path: Path) -> None:
    page = write_report(diagnosis, tmp_path / "report").read_text()
    assert "How free answers are judged" in page
    assert ATTACK not in page
    assert "<i>since</i>" not in page
    assert "&lt;i&gt;since&lt;/i&gt; it is so" in page
    assert "judged by test/judge, rubric stride, fingerprints" in page
    assert "unjudged has no judgements: its 24 free answers are not scored." in page
