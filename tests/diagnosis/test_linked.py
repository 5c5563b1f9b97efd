"""Linked abilities side by side: which questions each figure is of, and what its interval draws."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import probe4d
from judge_making import run_on_disk, verdict
from making import Model, benchmark_of, question
from probe4d.diagnosis.statistics.bootstrap import DRAWS, SEED
from probe4d.report.sections.linked import linked

OPTIONS = ("left", "right", "ahead", "behind")
SCENES = 12


def choice(place: int, relation: str, scene: int, *, links: tuple[int, ...] = (), options: int = 4) -> Any:
    return question(
        place,
        suite="stride",
        family="temporal-memory",
        template=relation,
        relation=relation,
        options=OPTIONS[:options],
        answer="A",
        scene=f"scene-{scene:02d}",
        links=tuple(f"{link:016x}" for link in links),
    )


def whole(place: int, family: str, scene: int, links: tuple[int, ...]) -> Any:
    return question(
        place,
        suite="stride",
        family=family,
        template="SU-7",
        relation="spatial-situation",
        format="text",
        scene=f"scene-{scene:02d}",
        answer="reference",
        links=tuple(f"{link:016x}" for link in links),
    )


def questions() -> list[Any]:
    """For each scene two choice questions of a contrast, one of another relation, and an open one on two of them."""
    made = []
    for scene in range(SCENES):
        first = 4 * scene
        made += [
            choice(first, "previous-position", scene),
            choice(first + 1, "recent-motion", scene, options=2),
            choice(first + 2, "physical-constraint", scene),
            whole(first + 3, "spatial-understanding", scene, (first + 1, first + 2, 999)),
        ]
    return made


ANSWERS: Mapping[str, Any] = {
    "previous-position": lambda scene: "B" if scene == 0 else "A",
    "recent-motion": lambda scene: "A" if scene % 4 == 0 else "B",
    "physical-constraint": lambda scene: "A" if scene % 2 == 0 else "no idea",
    "spatial-situation": lambda scene: "" if scene == 1 else f"s{8 if scene % 4 == 0 else 6}",
}


def scored(request: Any) -> str:
    answer = request.text.split("]]]\n", 1)[1].split("\n[[[", 1)[0]
    return verdict(float(answer[1:]))


@pytest.fixture(scope="module")
def diagnosis(tmp_path_factory: pytest.TempPathFactory) -> probe4d.Diagnosis:
    folder = tmp_path_factory.mktemp("linked")
    bench = benchmark_of(questions())
    answers = [ANSWERS[one.relation](int(one.scene.removeprefix("scene-"))) for one in questions()]
    run = run_on_disk(bench, folder / "run", answers)
    judgements = probe4d.judge(bench, run, folder / "judged", model=Model(scored))
    return probe4d.diagnose(bench, [run], judgements=[judgements])


def row(diagnosis: probe4d.Diagnosis, **named: str) -> dict[str, Any]:
    (found,) = diagnosis.linked.filter(run="run", **named).iter_rows(named=True)
    return found


def bootstrap(one: list[float], other: list[float]) -> tuple[float, float]:
    """The interval of the difference of two means, both over the same drawn scenes, directly; one item a scene."""
    drawn = np.random.default_rng(SEED).integers(0, SCENES, size=(DRAWS, SCENES))
    draws = np.array(one)[drawn].mean(axis=1) - np.array(other)[drawn].mean(axis=1)
    low, high = np.quantile(draws, (0.025, 0.975))
    return low, high


def test_a_contrast_is_of_the_relations_that_the_suite_names(diagnosis: probe4d.Diagnosis) -> None:
    found = row(diagnosis, kind="contrast")
    assert (found["one"], found["other"]) == ("previous-position", "recent-motion")
    assert found["name"] == "positions recalled and motion reconstructed"
    assert (found["one_value"], found["one_chance"], found["one_n"]) == (pytest.approx(11 / 12), 0.25, 12)
    assert (found["other_value"], found["other_chance"], found["other_n"]) == (0.25, 0.5, 12)
    assert found["difference"] == pytest.approx(11 / 12 - 0.25)
    expected = bootstrap([float(n != 0) for n in range(SCENES)], [float(n % 4 == 0) for n in range(SCENES)])
    assert (found["low"], found["high"]) == pytest.approx(expected, abs=1e-6)
    beside = diagnosis.linked.filter(kind="contrast")["run"].to_list()
    assert beside == ["run", "control:fixed", "control:content"]


def test_open_answers_stand_beside_the_parts_that_they_are_linked_with(diagnosis: probe4d.Diagnosis) -> None:
    scores = [0.0 if n == 1 else (0.8 if n % 4 == 0 else 0.6) for n in range(SCENES)]
    found = row(diagnosis, kind="parts", other="all")
    assert found["name"] == "spatial-understanding"  # the family of the whole, not of its parts
    assert (found["one_value"], found["one_chance"], found["one_n"]) == (pytest.approx(np.mean(scores)), None, 12)
    assert (found["other_value"], found["other_chance"], found["other_n"]) == (pytest.approx(9 / 24), 0.375, 24)
    parts = [((n % 4 == 0) + (n % 2 == 0)) / 2 for n in range(SCENES)]
    assert (found["low"], found["high"]) == pytest.approx(bootstrap(scores, parts), abs=1e-6)
    assert row(diagnosis, kind="parts", other="physical-constraint")["other_value"] == 0.5
    assert row(diagnosis, kind="parts", other="recent-motion")["other_n"] == 12


def test_open_answers_apart_by_whether_their_parts_are_right(diagnosis: probe4d.Diagnosis) -> None:
    found = row(diagnosis, kind="parts-right")
    assert (found["one_value"], found["one_n"]) == (pytest.approx(0.8), 3)
    assert (found["other_value"], found["other_n"]) == (pytest.approx(8 * 0.6 / 9), 9)
    assert found["low"] < found["difference"] < found["high"]


def test_without_judgements_there_are_contrasts_alone(diagnosis: probe4d.Diagnosis) -> None:
    plain = probe4d.diagnose(diagnosis.benchmark, diagnosis.runs)
    assert plain.linked["kind"].unique().to_list() == ["contrast"]
    contrasts = diagnosis.linked.filter(kind="contrast")
    assert plain.linked.equals(contrasts)


def test_one_scene_has_no_interval(tmp_path: Path) -> None:
    bench = benchmark_of([choice(0, "previous-position", 1), choice(1, "recent-motion", 1)])
    run = run_on_disk(bench, tmp_path / "run", ["A", "B"])
    (found,) = probe4d.diagnose(bench, [run]).linked.filter(run="run").iter_rows(named=True)
    assert (found["difference"], found["low"], found["high"], found["scenes"]) == (1.0, None, None, 1)


def test_the_table_is_written_and_taken_away(diagnosis: probe4d.Diagnosis, tmp_path: Path) -> None:
    probe4d.write_report(diagnosis, tmp_path, page=False)
    assert pl.read_csv(tmp_path / "linked.csv").height == diagnosis.linked.height
    bare = benchmark_of([question(n, scene=f"scene-{n}") for n in range(4)])
    probe4d.write_report(probe4d.diagnose(bare, []), tmp_path, page=False)
    assert not (tmp_path / "linked.csv").exists()


def test_a_part_of_the_report(diagnosis: probe4d.Diagnosis) -> None:
    made = linked(diagnosis)
    assert [chart.title for chart in made.charts] == [
        "Previous position, then recent motion",
        "run: open answers and their parts",
        "run: scores by whether parts are right",
    ]
    assert made.charts[0].words.startswith("run 91.7\u202f% and 25.0\u202f%, +66.7 points")
    cells = {tuple(cells[:3]): cells[3:] for cells in made.table.rows}
    first, second = "score of open answers: spatial understanding", "accuracy of linked questions: all"
    assert cells["run", first, second][:6] == ("60.0\u202f%", "", "12", "37.5\u202f%", "37.5\u202f%", "24")
    assert " to " in cells["run", first, second][-1]
