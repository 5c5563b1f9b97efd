"""Questions for a word of a vocabulary are labels: scored, averaged, controlled and attributed like any."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from diagnosis_making import question, run_of

from making import Model, benchmark_of
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.composition import composition_of
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.controls.runs import control_model
from probe4d.diagnosis.diagnose import Diagnosis, diagnose
from probe4d.diagnosis.sheets.texts import text_questions
from probe4d.errors import InputError
from probe4d.runs.ask import ask
from probe4d.runs.plan import RunPlan

CLASSES = ("bus", "car", "traffic cone", "truck")


def word(number: int, answer: str, **fields: Any) -> Question:
    """A question for one of the classes."""
    about = {"format": "text", "suite": "b4dl", "template": "existence-class", "options": CLASSES, "features": ()}
    return question(number, answer, **about | fields)


@pytest.fixture(scope="module")
def made() -> Benchmark:
    """Two families; in every scene the class is car in the context near, truck in the context far, and once a bus."""
    asked = []
    for scene in range(4):
        name = f"s{scene}"
        asked += [word(10 * scene + place, "car", scene=name, context="near") for place in range(3)]
        asked += [word(10 * scene + place, "truck", scene=name, context="far") for place in range(3, 5)]
        asked.append(question(10 * scene + 5, "Yes", scene=name, suite="b4dl", template="existence-presence"))
        asked.append(question(10 * scene + 6, "No", scene=name, suite="b4dl", family="binary", template="binary"))
    asked.append(word(40, "bus", scene="s0", context="never"))
    return benchmark_of(asked)


def replies(asked: Question) -> str:
    """Yes to all, CAR. to all, in the last scene nothing readable."""
    if asked.format == "yes-no":
        return "Yes."
    return "a van" if asked.scene == "s3" else "CAR."


@pytest.fixture(scope="module")
def diagnosis(made: Benchmark) -> Diagnosis:
    """What a run of those replies depends on."""
    return diagnose(made, [run_of("m", made, replies)])


def value(diagnosis: Diagnosis, run: str, metric: str, **about: str) -> float:
    """One figure."""
    where = {"family": "all", "format": "all", "relation": "all"} | about
    found = diagnosis.figures.filter(run=run, metric=metric, **where)
    assert found.height == 1, (run, metric, where)
    return float(found["value"][0])


def test_words_are_scored_beside_the_yes_no_questions_of_their_family(diagnosis: Diagnosis) -> None:
    assert value(diagnosis, "m", "accuracy", family="existence", format="text") == 9 / 21
    assert value(diagnosis, "m", "accuracy", family="existence", format="yes-no") == 1.0
    assert value(diagnosis, "m", "accuracy", family="existence") == 13 / 25
    assert value(diagnosis, "m", "valid_rate", family="existence", format="text") == 16 / 21


def test_the_average_of_the_paper_is_the_mean_of_existence_and_binary(diagnosis: Diagnosis) -> None:
    assert value(diagnosis, "m", "paper_accuracy") == pytest.approx((13 / 25 + 0.0) / 2)


def test_controls_answer_the_most_frequent_word_of_other_scenes(made: Benchmark, diagnosis: Diagnosis) -> None:
    asked = made.table.filter(format="text").select("id", "context")
    said = diagnosis.records.join(asked, left_on="question", right_on="id").group_by("run", "context")
    labels = {(run, context): own for run, context, own in said.agg(pl.col("label").unique()).iter_rows()}
    assert labels["control:fixed", "far"] == ["car"]
    assert labels["control:content", "near"] == ["car"]
    assert labels["control:content", "far"] == ["truck"]
    assert labels["control:content", "never"] == ["car"]  # the most frequent of the template in other scenes
    words = diagnosis.words_alone.filter(template="existence-class").row(0, named=True)
    assert (words["value"], words["fixed"], words["known"]) == (20 / 21, 12 / 21, 20 / 21)
    assert words["chance"] == pytest.approx(1 / 4)


def test_a_model_that_answers_by_context_has_a_named_shortcut() -> None:
    classes = [(label, CLASSES[place % 4]) for place, label in enumerate("abcdefgh")]
    asked = [
        word(100 * scene + place, said if place % 2 else "car", scene=f"s{scene:02d}", entities=(label,), context=label)
        for scene in range(20)
        for place, (label, said) in enumerate(classes)
    ]
    made = benchmark_of(asked)
    told = dict(classes)
    found = diagnose(made, [run_of("m", made, lambda one: told[one.entities[0]].upper() + ".")]).shortcuts
    named = found.filter(pl.col("named"), run="m")
    assert named["feature"].to_list() == ["class"]
    assert "traffic cone when the class is c or g" in named["rule"][0]


def test_a_control_is_asked_and_read_back(made: Benchmark, tmp_path: Path) -> None:
    again = diagnose(made, [ask(made, tmp_path / "run", model=control_model(made, "control:content"))])
    own, beside = (again.records.filter(run=name)["label"] for name in ("run", "control:content"))
    assert own.to_list() == beside.to_list()


def test_rotating_options_leaves_vocabularies_alone(made: Benchmark, tmp_path: Path) -> None:
    model = Model(lambda request: "truck")
    ask(made, tmp_path / "run", model=model, plan=RunPlan(setting="permuted:4"))
    assert len(model.asked) == made.table.height


def test_judges_get_no_words(made: Benchmark) -> None:
    free = benchmark_of([word(1, "It turns.", options=()), word(2, "car")])
    assert text_questions(free)["answer"].to_list() == ["It turns."]
    assert text_questions(made).is_empty()


def test_a_dataset_card_counts_words(made: Benchmark) -> None:
    counted = composition_of(made.table.lazy()).templates.filter(template="existence-class")
    assert counted["answers"].to_list() == ["bus 1, car 12, truck 8"]


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"answer": "van"}, "which is none of its answers"),
        ({"options": ("car", "bus", "Car ")}, "has a word twice in its vocabulary"),
        ({"options": ("car", *(f"class {place}" for place in range(100)))}, "has more than 100 words"),
    ],
)
def test_what_is_no_vocabulary_is_refused(fields: dict[str, Any], what: str) -> None:
    made = benchmark_of([word(1, **{"answer": "car"} | fields)])
    with pytest.raises(InputError, match=what):
        diagnose(made, [])
