"""Models whose rule is known, asked over HTTP, get the diagnosis that they deserve, and those without a rule none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from fake_server import FakeServer
from typer.testing import CliRunner

import scripted_models as scripted
from probe4d.benchmarks.benchmark import Benchmark, write_benchmark
from probe4d.benchmarks.question import LETTERS
from probe4d.benchmarks.suites import build
from probe4d.cli import app
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.models.request import Request
from probe4d.report.verdict import verdicts
from probe4d.runs.ask import ask as ask_model
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import prepare
from probe4d.runs.run import read_run
from probe4d.runs.selection import Selection
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.simulator import simulate
from probe4d.scenes.tables import Scenes
from scripted_models import Answerer, Scripted, read

Named = set[tuple[str, str, str]]
"""Family, format and feature of shortcuts."""

CHOICES = ("existence", "position", "distance", "temporal")
YES_NO = {"existence": 52, "position": 60, "motion": 112}
"""Questions of each family; where a build draws others, the sentences expected here have to change with it."""

UNEXPLAINED = "No single feature of the words explains its answers beyond what the truth explains."

Ask = Callable[[Answerer], Diagnosis]


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    """Twenty scenes: with fewer, intervals are too wide for a class to be told from the truth."""
    path = tmp_path_factory.mktemp("scripted") / "scenes"
    return open_scenes(simulate(path, scenes=20, seed=7, cameras=False, workers=2))


@pytest.fixture(scope="module")
def asked_about(scenes: Scenes, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    built = build("lidar-hallu", scenes, None, per_family=120)
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


def test_always_the_first_answer(ask: Ask) -> None:
    diagnosis = ask(scripted.always_first)
    assert named(diagnosis) == {(family, "choice", "letter") for family in CHOICES}
    against = said(diagnosis, "bad")
    assert "Chooses A in all 360 choice questions." in against
    assert "cannot be told from that of always answering A" in against
    for family, n in YES_NO.items():
        assert f"Answers No to all {n} {family} yes-no questions." in against
    assert said(diagnosis, "good") == ""


def test_the_class_most_often_right(ask: Ask, asked_about: Benchmark) -> None:
    diagnosis = ask(scripted.class_most_often_right(asked_about))
    # Where a class is right nearly as often as the model names it, following it cannot be told from knowing:
    # existence choice and position yes-no questions stay without a name.
    assert named(diagnosis) == {
        ("existence", "yes-no", "class"),
        ("motion", "yes-no", "class"),
        *((family, "choice", "option") for family in ("position", "distance", "temporal")),
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


def test_the_longest_option(ask: Ask) -> None:
    diagnosis = ask(scripted.longest_option)
    # Intervals are equally long as texts, so that the first of the longest is A.
    assert named(diagnosis) == {
        *((family, "choice", "option length") for family in ("existence", "position", "distance")),
        ("temporal", "choice", "letter"),
    }
    against = said(diagnosis, "bad")
    assert against.count("The rule: picks the longest option text.") == 3
    assert "Chooses A in all 120 temporal choice questions." in against
    for family, n in YES_NO.items():
        assert f"Answers Yes to all {n} {family} yes-no questions." in against
    assert said(diagnosis, "good") == ""


def test_an_oracle(ask: Ask, asked_about: Benchmark) -> None:
    diagnosis = ask(scripted.oracle(asked_about))
    assert named(diagnosis) == set()
    assert accuracy(diagnosis) == 1.0
    assert said(diagnosis, "bad") == ""
    assert UNEXPLAINED in said(diagnosis, "note")
    assert said(diagnosis, "good").count("which words alone do not achieve") == len(YES_NO)


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
    assert said(diagnosis, "bad") == ""
    assert UNEXPLAINED in said(diagnosis, "note")
    assert "of 584 answers are right" in said(diagnosis, "good")


# ---- the same model, asked otherwise ---------------------------------------------------------------------------


EXISTENCE = Selection(families=("existence",))


@pytest.fixture
def family(asked_about: Benchmark, scenes: Scenes, tmp_path: Path) -> Callable[..., Diagnosis]:
    """Ask a scripted model in several ways, `name=(evidence, setting)`, and diagnose the runs together."""

    def asked(model: Scripted, *, selection: Selection | None = None, **ways: tuple[str, str]) -> Diagnosis:
        runs = [
            ask_model(
                asked_about,
                tmp_path / name,
                model=model,
                evidence=evidence_named(evidence),
                setting=setting,
                scenes=scenes,
                selection=selection,
            )
            for name, (evidence, setting) in ways.items()
        ]
        return diagnose(asked_about, runs)

    return asked


def figure(diagnosis: Diagnosis, run: str, metric: str, kind: str = "all") -> dict[str, Any]:
    rows = diagnosis.figures.filter(run=run, metric=metric, family="all", format=kind, relation="all")
    return rows.row(0, named=True)


def first_words(diagnosis: Diagnosis, run: str) -> tuple[str, str]:
    """Tone and text of what the verdict says of a run before all else, but that it was shown nothing."""
    (verdict,) = (one for one in verdicts(diagnosis) if one.run == run)
    first = next(one for one in verdict.statements if not one.text.startswith("It was shown nothing"))
    return first.tone, first.text


def looking(benchmark: Benchmark, scenes: Scenes) -> Callable[[Request], str]:
    """A model that knows every picture by heart, and so what is true of the scene shown; without one it guesses."""
    known: dict[tuple[str, ...], str] = {}
    answers = {question.id: question.answer for question in benchmark.questions}
    for evidence in ("birds-eye", "other-scene:birds-eye"):
        prepared = prepare(benchmark, RunPlan(evidence=evidence_named(evidence), selection=EXISTENCE), scenes=scenes)
        with prepared.rendering() as renderer:
            for request in prepared.requests(prepared.asked, renderer=renderer):
                assert isinstance(request, Request)
                own = answers[request.key] if evidence == "birds-eye" else prepared.shown.of[request.key].shown_answer
                if own is not None:
                    known[request.text, *(image.digest for image in request.images)] = own
    guess = scripted.guessing(4)

    def answer(request: Request) -> str:
        return known.get((request.text, *(image.digest for image in request.images))) or guess(request.text)

    return answer


def test_a_model_that_looks(asked_about: Benchmark, scenes: Scenes, family: Callable[..., Diagnosis]) -> None:
    model = Scripted("looking", looking(asked_about, scenes))
    diagnosis = family(
        model,
        selection=EXISTENCE,
        sees=("birds-eye", "default"),
        blind=("none", "default"),
        elsewhere=("other-scene:birds-eye", "default"),
    )
    added, alike = (figure(diagnosis, "sees vs blind", metric) for metric in ("accuracy_change", "answers_alike"))
    assert added["low"] > 0.3
    assert alike["high"] < 0.8
    assert figure(diagnosis, "sees vs blind", "accuracy_of_first")["value"] == 1.0
    assert figure(diagnosis, "elsewhere", "follows_shown")["value"] == 1.0
    assert figure(diagnosis, "elsewhere", "keeps_own")["value"] == 0.0
    assert figure(diagnosis, "elsewhere vs sees", "accuracy_change")["high"] < 0
    praise = "\n".join(one.text for v in verdicts(diagnosis) if v.run == "sees" for one in v.statements)
    assert "Its bird's-eye views add to what it gets right: 100.0" in praise
    assert "What it gets right depends on which scene it sees." in praise
    assert first_words(diagnosis, "sees")[0] == "good"


def test_a_model_that_ignores_what_it_is_shown(family: Callable[..., Diagnosis]) -> None:
    def answer(request: Request) -> str:
        asked = read(request.text)
        return scripted.guessing(5)("\n".join([asked.stem, *_lines(asked.options)]) + "\n")

    diagnosis = family(
        Scripted("ignoring", answer),
        selection=EXISTENCE,
        sees=("birds-eye", "default"),
        blind=("none", "default"),
        elsewhere=("other-scene:birds-eye", "default"),
    )
    for name in ("sees vs blind", "elsewhere vs sees"):
        change = figure(diagnosis, name, "accuracy_change")
        assert (change["value"], change["low"], change["high"]) == (0.0, 0.0, 0.0)
        assert figure(diagnosis, name, "answers_alike")["value"] == 1.0
    tone, text = first_words(diagnosis, "sees")
    assert tone == "bad"
    assert text.startswith("Its bird's-eye views add nothing that can be told from chance: ")
    assert text.endswith("Asked without them, 100.0\u202f% of its answers stay the same.")


def test_a_model_that_favours_a_letter_does_not_survive_another_order(
    asked_about: Benchmark, family: Callable[..., Diagnosis]
) -> None:
    know = scripted.oracle(asked_about)

    def answer(request: Request) -> str:
        favours = read(request.text).options and scripted.share("favours", request.text) < 0.6
        return "B" if favours else know(request.text)

    diagnosis = family(Scripted("favouring", answer), turned=("none", "permuted:4"))
    alike = figure(diagnosis, "turned", "variants_alike", "choice")
    assert alike["high"] < 0.1
    assert alike["n"] == 360
    assert figure(diagnosis, "turned", "variants_all_right", "choice")["value"] < 0.1
    assert figure(diagnosis, "turned", "variants_any_right", "choice")["value"] > 0.8
    assert figure(diagnosis, "turned", "accuracy", "choice")["value"] > 0.4
    tone, text = first_words(diagnosis, "turned")
    assert tone == "bad"
    assert text.startswith("Its answers change with the order of the options. With the options in 4 orders, ")


def test_a_model_that_knows_survives_every_order(asked_about: Benchmark, family: Callable[..., Diagnosis]) -> None:
    know = scripted.oracle(asked_about)
    diagnosis = family(Scripted("knowing", lambda request: know(request.text)), turned=("none", "permuted:4"))
    for metric in ("alike", "pairs_alike", "all_right", "any_right", "accuracy"):
        assert figure(diagnosis, "turned", f"variants_{metric}", "choice")["value"] == 1.0
    assert first_words(diagnosis, "turned")[0] == "good"


def test_repeats_tell_chance_from_conviction(asked_about: Benchmark, family: Callable[..., Diagnosis]) -> None:
    know = scripted.oracle(asked_about)

    def answer(request: Request) -> str:
        sure = scripted.share("sure", request.text) < 0.5
        return know(request.text) if sure else scripted.guessing(request.seed or 0)(request.text)

    diagnosis = family(Scripted("half sure", answer), again=("none", "repeat:3"))
    # Of the half that it guesses, a third to a half of the pairs agree by chance.
    assert 0.6 < figure(diagnosis, "again", "variants_pairs_alike")["value"] < 0.8
    assert 0.5 < figure(diagnosis, "again", "variants_alike")["value"] < 0.7
    every, some = (figure(diagnosis, "again", f"variants_{one}_right")["value"] for one in ("all", "any"))
    assert every < figure(diagnosis, "again", "accuracy")["value"] < some


def test_a_setting_is_held_against_the_default(asked_about: Benchmark, family: Callable[..., Diagnosis]) -> None:
    know, guess = scripted.oracle(asked_about), scripted.guessing(6)
    plain = {text for _, text in scripted.prompts(asked_about)}
    model = Scripted("warned", lambda request: guess(request.text) if request.text in plain else know(request.text))
    diagnosis = family(model, usual=("none", "default"), warned=("none", "anti-position"))
    (kinship,) = diagnosis.run_families
    assert (kinship.kind, kinship.settings) == ("setting", ("anti-position", "default"))
    assert figure(diagnosis, kinship.name, "accuracy_change")["low"] > 0
    texts = [one.text for v in verdicts(diagnosis) if v.run == "warned" for one in v.statements]
    assert any(text.startswith("In the setting anti-position it is right in ") for text in texts)


def _lines(options: Sequence[str]) -> list[str]:
    """Options as a prompt lists them; a yes-no question has another line after its stem."""
    return [f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False)] or ["Yes or No?"]
