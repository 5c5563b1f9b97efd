"""Models whose rule is known, asked over HTTP, get the diagnosis that they deserve, and those without a rule none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from fake_server import FakeServer
from typer.testing import CliRunner

import scripted_models as scripted
from probe4d.benchmarks.benchmark import Benchmark, write_benchmark
from probe4d.benchmarks.suites import build
from probe4d.cli import app
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.verdict import verdicts
from probe4d.runs.run import read_run
from probe4d.scenes.tables import Scenes
from scripted_models import Answerer

Named = set[tuple[str, str, str]]
"""Family, format and feature of shortcuts."""

CHOICES = ("existence", "position", "distance", "temporal")
YES_NO = ("existence", "position", "motion")

UNEXPLAINED = "No single feature of the words explains its answers beyond what the truth explains."

Ask = Callable[[Answerer], Diagnosis]


@pytest.fixture(scope="module")
def asked_about(more_scenes: Scenes, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    built = build("lidar-hallu", more_scenes, None, per_family=120)
    path = tmp_path_factory.mktemp("scripted") / "benchmark"
    return write_benchmark(scripted.told_apart(built), path, card="Questions for scripted models.")


@pytest.fixture
def ask(asked_about: Benchmark, fake_server: Callable[..., FakeServer], tmp_path: Path) -> Ask:
    """Ask a scripted model as a user would, and diagnose its answers."""

    def asked(answerer: Answerer) -> Diagnosis:
        texts = [text for _, text in scripted.prompts(asked_about)]
        server = fake_server(replies=scripted.replies(answerer, texts))
        model = ("--model", "openai-api/fake/scripted", "--base-url", server.base_url)
        where = ("--out", str(tmp_path / "scripted"), "--max-connections", "16")
        done = CliRunner().invoke(app, ["ask", str(asked_about.path), *model, *where])
        assert done.exit_code == 0, done.output
        assert server.counts() == dict.fromkeys(texts, 1)
        return diagnose(asked_about, [read_run(tmp_path / "scripted")])

    return asked


def named(diagnosis: Diagnosis) -> Named:
    rows = diagnosis.shortcuts.filter("named", pl.col("run") == "scripted")
    return set(rows.select("family", "format", "feature").iter_rows())


def said(diagnosis: Diagnosis, tone: str) -> str:
    """What the verdict says of the model in this tone."""
    (verdict,) = (one for one in verdicts(diagnosis) if one.run == "scripted")
    return "\n".join(one.text for one in verdict.statements if one.tone == tone)


def accuracy(diagnosis: Diagnosis) -> float:
    total = diagnosis.figures.filter(run="scripted", metric="accuracy", family="all", format="all")
    return float(total["value"].item())


def number(benchmark: Benchmark, form: str, family: str | None = None) -> int:
    asked = benchmark.table.filter(format=form)
    return asked.height if family is None else asked.filter(family=family).height


def test_always_the_first_answer(ask: Ask, asked_about: Benchmark) -> None:
    diagnosis = ask(scripted.always_first)
    assert named(diagnosis) == {(family, "choice", "letter") for family in CHOICES}
    against = said(diagnosis, "bad")
    assert f"Chooses A in all {number(asked_about, 'choice')} choice questions." in against
    assert "cannot be told from that of always answering A" in against
    for family in YES_NO:
        assert f"Answers No to all {number(asked_about, 'yes-no', family)} {family} yes-no questions." in against
    assert said(diagnosis, "good") == ""


def test_the_class_most_often_right(ask: Ask, asked_about: Benchmark) -> None:
    diagnosis = ask(scripted.class_most_often_right(asked_about))
    # Where a class is right nearly as often as the model names it, following it cannot be told from knowing:
    # temporal choice questions stay without a name.
    assert named(diagnosis) == {
        *((family, "yes-no", "class") for family in YES_NO),
        *((family, "choice", "option") for family in ("existence", "position", "distance")),
    }
    against = said(diagnosis, "bad")
    assert "Motion yes-no questions: its answers follow the class alone, whatever the scene." in against
    assert "The rule: prefers the option that says car, then truck" in against
    assert said(diagnosis, "good") == ""


def test_the_proposed_sector_decides(ask: Ask) -> None:
    diagnosis = ask(scripted.by_sector(1))
    assert named(diagnosis) == {("position", "yes-no", "relation"), ("position", "choice", "option")}
    against = said(diagnosis, "bad")
    assert "The rule: answers Yes when the proposed sector is front, front-left or front-right, else No." in against
    assert "The rule: prefers the option that says front, then front-left, then front-right, then left" in against
    assert said(diagnosis, "good") == ""


def test_the_longest_option(ask: Ask, asked_about: Benchmark) -> None:
    diagnosis = ask(scripted.longest_option)
    # Intervals are equally long as texts, so that the first of the longest is A.
    assert named(diagnosis) == {
        *((family, "choice", "option length") for family in ("existence", "position", "distance")),
        ("temporal", "choice", "letter"),
    }
    against = said(diagnosis, "bad")
    assert against.count("The rule: picks the longest option text.") == 3
    assert f"Chooses A in all {number(asked_about, 'choice', 'temporal')} temporal choice questions." in against
    for family in YES_NO:
        assert f"Answers Yes to all {number(asked_about, 'yes-no', family)} {family} yes-no questions." in against
    assert said(diagnosis, "good") == ""


def test_an_oracle(ask: Ask, asked_about: Benchmark) -> None:
    diagnosis = ask(scripted.oracle(asked_about))
    assert named(diagnosis) == set()
    assert accuracy(diagnosis) == 1.0
    assert said(diagnosis, "bad").startswith("Without the scene it is right more often than words allow: ")
    assert UNEXPLAINED in said(diagnosis, "note")
    assert said(diagnosis, "note").count("more than the statistics of the words give") == len(YES_NO)
    assert said(diagnosis, "good") == ""


def test_a_guesser(ask: Ask) -> None:
    diagnosis = ask(scripted.guessing(2))
    assert named(diagnosis) == set()
    assert 0.3 < accuracy(diagnosis) < 0.45
    assert UNEXPLAINED in said(diagnosis, "note")
    assert said(diagnosis, "good") == ""


def test_a_mixture_of_knowing_and_guessing(ask: Ask, asked_about: Benchmark) -> None:
    diagnosis = ask(scripted.mixture(asked_about, 0.7, seed=3))
    assert named(diagnosis) == set()
    assert 0.75 < accuracy(diagnosis) < 0.87
    assert said(diagnosis, "bad").startswith("Without the scene it is right more often than words allow: ")
    assert UNEXPLAINED in said(diagnosis, "note")
    assert f"of {asked_about.table.height} answers are right" in said(diagnosis, "bad")
    assert said(diagnosis, "good") == ""
