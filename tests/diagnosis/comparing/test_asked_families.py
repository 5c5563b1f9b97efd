"""Families of runs as they are really asked: what the asking writes down is what the diagnosis finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from making import Model
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.models.request import Request
from probe4d.runs.ask import ask
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.plan import RunPlan
from probe4d.runs.run import Run
from probe4d.runs.selection import Selection
from probe4d.scenes.tables import Scenes

FAMILIES = ("position", "motion")
ASKED = 40
"""Questions of these families in `built`."""

Answerer = Callable[[str, dict[str, str]], str]
"""From the stem and the text of each letter that was shown to the reply."""


def scripted(benchmark: Benchmark, answerer: Answerer) -> Model:
    """A model that answers from the stem and the options as they are shown."""
    stems = [str(stem) for stem in benchmark.table["question"]]

    def reply(request: Request) -> str:
        lines = request.text.splitlines()
        stem = next(stem for stem in stems if any(line.endswith(stem) for line in lines))
        return answerer(stem, dict(line.split(". ", 1) for line in lines if line[1:3] == ". " and line[0].isupper()))

    return Model(reply, name="scripted")


def knowing(benchmark: Benchmark) -> Answerer:
    """Who knows the text of the right answer, and says the letter that it is shown with."""
    right = {
        asked.question: asked.options["ABCD".index(asked.answer)] if asked.options else asked.answer
        for asked in benchmark.questions
    }

    def answer(stem: str, shown: dict[str, str]) -> str:
        letters = {text: letter for letter, text in shown.items()}
        return letters.get(right[stem], right[stem])

    return answer


@pytest.fixture(scope="module")
def diagnosis(built: Benchmark, scenes: Scenes, tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    folder = tmp_path_factory.mktemp("families")
    distinct = built.table.filter(built.table["question"].is_duplicated())
    assert distinct.filter(distinct["family"].is_in(FAMILIES)).is_empty()

    def asked(name: str, answerer: Answerer, setting: str = "default", kind: str = "none") -> Run:
        plan = EvidencePlan() if kind == "none" else EvidencePlan(kind=kind, view="birds-eye")  # type: ignore[arg-type]
        return ask(
            built,
            folder / name,
            model=scripted(built, answerer),
            plan=RunPlan(setting=setting, evidence=plan, selection=Selection(families=FAMILIES)),
            scenes=scenes,
        )

    knows = knowing(built)
    runs = [
        asked("blind", lambda stem, shown: "A" if shown else "No"),
        asked("seen", knows, kind="own"),
        asked("shuffled", knows, kind="shuffled"),
        asked("other", knows, kind="other-scene"),
        asked("turned", knows, setting="permuted:4"),
        asked("first", lambda stem, shown: "A" if shown else "No", setting="permuted:4"),
        asked("again", knows, setting="repeat:2"),
        asked("thought", lambda stem, shown: f"A? B? No?\nAnswer: {knows(stem, shown)}", setting="chain-of-thought"),
    ]
    return diagnose(built, runs)


def value(diagnosis: Diagnosis, run: str, metric: str, kind: str = "all") -> tuple[float, int]:
    rows = diagnosis.figures.filter(run=run, metric=metric, family="all", format=kind, relation="all")
    assert rows.height == 1, (run, metric)
    return rows["value"][0], rows["n"][0]


def test_the_family_is_found(diagnosis: Diagnosis) -> None:
    assert [(one.kind, one.name) for one in diagnosis.run_families] == [
        ("evidence", "seen vs blind"),
        ("evidence", "shuffled vs seen"),
        ("evidence", "other vs seen"),
        *(("setting", f"{name} vs blind") for name in ("turned", "first", "again", "thought")),
    ]


def test_what_evidence_adds_is_told_on_common_questions(diagnosis: Diagnosis) -> None:
    assert value(diagnosis, "blind", "accuracy")[1] == ASKED
    assert value(diagnosis, "seen", "accuracy") == (1, ASKED)
    assert value(diagnosis, "seen vs blind", "accuracy_change")[0] == pytest.approx(
        1 - value(diagnosis, "blind", "accuracy")[0]
    )
    # Questions about one frame cannot be shuffled; what the run left out is not held against it.
    left_out = len(next(run for run in diagnosis.runs if run.name == "shuffled").left_out)
    assert left_out > 0
    assert value(diagnosis, "shuffled", "accuracy") == (1, ASKED - left_out)
    assert value(diagnosis, "shuffled vs seen", "answers_alike") == (1, ASKED - left_out)


def test_rotations_are_mapped_back(diagnosis: Diagnosis) -> None:
    choices = value(diagnosis, "turned", "accuracy", "choice")[1]
    assert choices > 0
    for metric in ("accuracy", "variants_accuracy", "variants_alike", "variants_all_right"):
        assert value(diagnosis, "turned", metric, "choice") == (1, choices)
    assert value(diagnosis, "first", "variants_alike", "choice") == (0, choices)
    assert value(diagnosis, "first", "variants_all_right", "choice") == (0, choices)
    assert value(diagnosis, "first vs blind", "answers_alike") == (1, ASKED)
    assert value(diagnosis, "again", "variants_alike") == (1, ASKED)
    assert value(diagnosis, "thought", "accuracy") == (1, ASKED)


def test_who_does_not_look_keeps_the_answers_of_its_own_scene(diagnosis: Diagnosis) -> None:
    keeps, n = value(diagnosis, "other", "keeps_own")
    assert n > 0
    assert keeps == 1
    assert value(diagnosis, "other", "follows_shown") == (0, n)
