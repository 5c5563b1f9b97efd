"""Answers that are numbers, in verdict, charts and tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import making
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.lookup import NARROW, Lookup
from probe4d.report.page import write_report
from probe4d.report.sections import sections
from probe4d.report.sections.part import Section
from probe4d.report.verdict import verdicts
from probe4d.runs.run import Run

UNITS = {"width": "metres", "gap": "metres", "bearing": "degrees"}
QUESTIONS = [
    making.with_id_of_content(
        making.question(
            place,
            format="number",
            family="quantities",
            template=template,
            scene=f"scene-{place % 12:02d}",
            question=f"{template} {place}?",
            answer=str(5 + 7 * place % 50),
            facts={"unit": UNITS[template]},
            entities=(str(place),),
        )
    )
    for place in range(72)
    for template in [list(UNITS)[place % 3]]
]
BENCHMARK = making.benchmark_of(QUESTIONS)


def answering(name: str, factor: float, *, unread: int = 0, template: Callable[[str], str] = str, **record: str) -> Run:
    """A run that answers a multiple of the truth, and nothing to the first so many questions."""

    def text(place: int, asked: Question) -> str:
        return template("I cannot tell." if place < unread else f"{factor * float(asked.answer):.4f}")

    rows = [{"question": asked.id, "text": text(place, asked)} for place, asked in enumerate(QUESTIONS)]
    return making.run_of(name, BENCHMARK, rows, **{"model": "m"} | record)


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    thinking = answering("thinking", 1.0, template="Let me see.\nAnswer: {}".format, setting="chain-of-thought")
    return diagnose(BENCHMARK, [answering("near", 1.1, unread=9), answering("far", 3.0, model="other"), thinking])


@pytest.fixture(scope="module")
def parts(diagnosis: Diagnosis) -> dict[str, Section]:
    return {section.anchor: section for section in sections(diagnosis)}


def told(diagnosis: Diagnosis, run: str) -> dict[str, str]:
    """What is said of numbers, by tone."""
    (verdict,) = (one for one in verdicts(diagnosis) if one.run == run)
    return {one.tone: one.text for one in verdict.statements if "numbers" in one.text}


def test_a_verdict_says_how_near_numbers_come(diagnosis: Diagnosis) -> None:
    good = told(diagnosis, "near")["good"]
    assert good.startswith(f"87.5{NARROW}% of 72 numbers are within 25{NARROW}% of the truth (95{NARROW}% interval ")
    medians = [
        Lookup.of(diagnosis).get(f"control:{name}", "tolerance_accuracy", kind="number") for name in ("fixed", "median")
    ]
    for median in medians:
        assert median is not None
        assert f"{100 * median.value:.1f}{NARROW}%" in good
    assert f"{NARROW}m and " in good
    assert good.endswith(f"In 12.5{NARROW}% of the answers no number can be read; these count as wrong, in no average.")
    assert told(diagnosis, "far")["bad"].startswith(f"0.0{NARROW}% of 72 numbers")


def test_charts_and_rows_are_those_of_the_figures(diagnosis: Diagnosis, parts: dict[str, Section]) -> None:
    section, lookup = parts["numbers"], Lookup.of(diagnosis)
    assert [chart.title for chart in section.charts] == ["Bearing", "Gap", "Width", "All in metres", "All numbers"]
    names = ["near", "far", "thinking", "control:fixed", "control:median"]
    assert [row[1] for row in section.table.rows] == names * 5
    assert all(len(row) == len(section.table.columns) for row in section.table.rows)
    for name, row in zip(names, section.table.rows, strict=False):
        right = lookup.get(name, "tolerance_accuracy", "quantities", "number", "template:bearing")
        error = lookup.get(name, "mean_absolute_error", "quantities", "number", "template:bearing")
        assert right is not None
        assert error is not None
        assert (row[2], row[5]) == (f"{100 * right.value:.1f}{NARROW}%", f"{error.value:,.2f}°")
    assert "accuracy" not in parts


def test_numbers_repaired_and_broken_are_counted(parts: dict[str, Section]) -> None:
    repaired = {row[:2]: row[2:4] for row in parts["changes"].table.rows}
    assert repaired["far vs near", "Number questions"] == ("0", "63")
    assert repaired["thinking vs near", "Number questions"] == ("9", "0")


def test_chain_of_thought_stands_beside_plain(diagnosis: Diagnosis, parts: dict[str, Section]) -> None:
    rows = [row[:6] for row in parts["run-families"].table.rows]
    sides = ("thinking (chain-of-thought)", "near (default)")
    shares = (f"100.0{NARROW}%", f"87.5{NARROW}%", "+12.5 points")
    assert rows == [(*sides, f"{what} questions", *shares) for what in ("Quantities number", "Number")]
    (verdict,) = (one for one in verdicts(diagnosis) if one.run == "thinking")
    assert any(
        f"it is right in 100.0{NARROW}% of 72 questions, in the setting default in 87.5{NARROW}%" in one.text
        for one in verdict.statements
    )


def test_templates_of_several_families_are_told_apart() -> None:
    other = making.question("f" * 16, format="number", family="object-sizes", template="width", answer="2", scene="s")
    other = making.with_id_of_content(msgspec.structs.replace(other, facts={"unit": "metres"}))
    both = making.benchmark_of([*QUESTIONS, other])
    (section,) = (one for one in sections(diagnose(both, [])) if one.anchor == "numbers")
    assert [chart.title for chart in section.charts][2:4] == ["Quantities: width", "Object sizes: width"]


def test_a_page_of_numbers_alone_is_whole(diagnosis: Diagnosis, tmp_path: Path) -> None:
    page = write_report(diagnosis, tmp_path).read_text()
    assert 'id="numbers"' in page
    assert 'id="accuracy"' not in page
