"""Models whose rule is known, asked in several ways: what they are shown, the order of options, seeds, settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import scripted_models as scripted
from making import Model
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS
from probe4d.benchmarks.suites import build
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.models.request import Request
from probe4d.report.verdict import verdicts
from probe4d.runs.ask import ask
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import prepare
from probe4d.runs.selection import Selection
from probe4d.scenes.tables import Scenes
from scripted_models import read

BEFORE_ALL = ("It was shown nothing", "Without the scene")
EXISTENCE = Selection(families=("existence",))


@pytest.fixture(scope="module")
def asked_about(more_scenes: Scenes) -> Benchmark:
    return scripted.told_apart(build("lidar-hallu", more_scenes, None, per_family=60))


@pytest.fixture
def family(asked_about: Benchmark, more_scenes: Scenes, tmp_path: Path) -> Callable[..., Diagnosis]:
    """Ask a scripted model in several ways, `name=(evidence, setting)`, and diagnose the runs together."""

    def asked(model: Model, *, selection: Selection | None = None, **ways: tuple[str, str]) -> Diagnosis:
        runs = [
            ask(
                asked_about,
                tmp_path / name,
                model=model,
                plan=RunPlan(evidence=evidence_named(evidence), setting=setting, selection=selection),
                scenes=more_scenes,
            )
            for name, (evidence, setting) in ways.items()
        ]
        return diagnose(asked_about, runs)

    return asked


def figure(diagnosis: Diagnosis, run: str, metric: str, kind: str = "all") -> dict[str, Any]:
    rows = diagnosis.figures.filter(run=run, metric=metric, family="all", format=kind, relation="all")
    return rows.row(0, named=True)


def first_words(diagnosis: Diagnosis, run: str) -> tuple[str, str]:
    """Tone and text of what the verdict says of a run first, after what it says of one that was shown nothing."""
    (verdict,) = (one for one in verdicts(diagnosis) if one.run == run)
    first = next(one for one in verdict.statements if not one.text.startswith(BEFORE_ALL))
    return first.tone, first.text


def against(diagnosis: Diagnosis, run: str) -> list[str]:
    """What speaks against a run, but that it is right without looking."""
    (verdict,) = (one for one in verdicts(diagnosis) if one.run == run)
    return [one.text for one in verdict.statements if one.tone == "bad" and not one.text.startswith(BEFORE_ALL)]


def looking(benchmark: Benchmark, more_scenes: Scenes) -> Callable[[Request], str]:
    """A model that knows every picture by heart, and so what is true of the scene shown; without one it guesses."""
    known: dict[tuple[str, ...], str] = {}
    answers = {question.id: question.answer for question in benchmark.questions}
    for evidence in ("birds-eye", "other-scene:birds-eye"):
        prepared = prepare(
            benchmark, RunPlan(evidence=evidence_named(evidence), selection=EXISTENCE), scenes=more_scenes
        )
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


def test_a_model_that_looks(asked_about: Benchmark, more_scenes: Scenes, family: Callable[..., Diagnosis]) -> None:
    model = Model(looking(asked_about, more_scenes), name="looking")
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
        Model(answer, name="ignoring"),
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

    diagnosis = family(Model(answer, name="favouring"), turned=("none", "permuted:4"))
    alike = figure(diagnosis, "turned", "variants_alike", "choice")
    assert alike["high"] < 0.15
    assert alike["n"] == asked_about.table.filter(format="choice").height
    assert figure(diagnosis, "turned", "variants_all_right", "choice")["value"] < 0.1
    assert figure(diagnosis, "turned", "variants_any_right", "choice")["value"] > 0.8
    assert figure(diagnosis, "turned", "accuracy", "choice")["value"] > 0.4
    tone, text = first_words(diagnosis, "turned")
    assert tone == "bad"
    assert text.startswith("Its answers change with the order of the options. With the options in 4 orders, ")


def test_a_model_that_knows_survives_every_order(asked_about: Benchmark, family: Callable[..., Diagnosis]) -> None:
    know = scripted.oracle(asked_about)
    diagnosis = family(Model(lambda request: know(request.text), name="knowing"), turned=("none", "permuted:4"))
    for metric in ("alike", "pairs_alike", "all_right", "any_right", "accuracy"):
        assert figure(diagnosis, "turned", f"variants_{metric}", "choice")["value"] == 1.0
    assert figure(diagnosis, "turned", "variants_letter_excess", "choice")["value"] == 0.0
    assert against(diagnosis, "turned") == []
    # Repeats do not change it either, and neither is said to differ from the default, whose requests it repeats.
    again = family(
        Model(lambda request: know(request.text), name="knowing"), usual=("none", "default"), again=("none", "repeat:3")
    )
    assert figure(again, "again", "variants_alike")["value"] == 1.0
    assert against(again, "again") == []
    (verdict,) = (one for one in verdicts(again) if one.run == "again")
    assert not any("In the setting" in one.text for one in verdict.statements)


@pytest.mark.parametrize("seed", range(3))
def test_a_guesser_is_not_said_to_go_by_the_order(seed: int, family: Callable[..., Diagnosis]) -> None:
    def answer(request: Request) -> str:
        return scripted.guessing(100 * seed + (request.seed or 0))(request.text)

    diagnosis = family(Model(answer, name="guessing"), turned=("none", "permuted:4"), again=("none", "repeat:3"))
    chance = figure(diagnosis, "turned", "variants_alike_by_chance", "choice")["value"]
    assert chance == pytest.approx(1 / 64)
    assert abs(figure(diagnosis, "turned", "variants_letter_excess", "choice")["value"]) < 0.05
    for run in ("turned", "again"):
        (verdict,) = (one for one in verdicts(diagnosis) if one.run == run)
        (told,) = (one for one in verdict.statements if "one and the same answer throughout" in one.text)
        assert told.tone == "note"
        assert told.text.startswith("Its answers hardly hold: it guesses, samples, or goes by the order. ")
        assert "letter" not in told.text
        if run == "turned":
            assert "in one order asked again (again)." in told.text


def test_repeats_tell_chance_from_conviction(asked_about: Benchmark, family: Callable[..., Diagnosis]) -> None:
    know = scripted.oracle(asked_about)

    def answer(request: Request) -> str:
        sure = scripted.share("sure", request.text) < 0.5
        return know(request.text) if sure else scripted.guessing(request.seed or 0)(request.text)

    diagnosis = family(Model(answer, name="half sure"), again=("none", "repeat:3"))
    # Of the half that it guesses, a third to a half of the pairs agree by chance.
    assert 0.6 < figure(diagnosis, "again", "variants_pairs_alike")["value"] < 0.8
    assert 0.5 < figure(diagnosis, "again", "variants_alike")["value"] < 0.7
    every, some = (figure(diagnosis, "again", f"variants_{one}_right")["value"] for one in ("all", "any"))
    assert every < figure(diagnosis, "again", "accuracy")["value"] < some


def test_a_setting_is_held_against_the_default(asked_about: Benchmark, family: Callable[..., Diagnosis]) -> None:
    know, guess = scripted.oracle(asked_about), scripted.guessing(6)
    plain = {text for _, text in scripted.prompts(asked_about)}
    model = Model(lambda request: guess(request.text) if request.text in plain else know(request.text), name="warned")
    diagnosis = family(model, usual=("none", "default"), warned=("none", "anti-position"))
    (comparison,) = diagnosis.run_families
    assert (comparison.kind, comparison.settings) == ("setting", ("anti-position", "default"))
    assert figure(diagnosis, comparison.name, "accuracy_change")["low"] > 0
    texts = [one.text for v in verdicts(diagnosis) if v.run == "warned" for one in v.statements]
    assert any(text.startswith("In the setting anti-position it is right in ") for text in texts)


def _lines(options: Sequence[str]) -> list[str]:
    """Options as a prompt lists them; a yes-no question has another line after its stem."""
    return [f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False)] or ["Yes or No?"]
