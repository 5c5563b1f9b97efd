"""What words alone give away of STRIDE's choice questions, and that its questions can be asked and diagnosed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from making import Model
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.stride.templates import FAMILIES, TEMPLATES
from probe4d.benchmarks.suites import build
from probe4d.diagnosis.diagnose import diagnose
from probe4d.runs.ask import ask
from probe4d.runs.dry_run import dry_run
from probe4d.runs.prepared import prepare
from probe4d.runs.prompt_lines import prompt_lines
from probe4d.scenes.opening import open_scenes


def test_a_run_of_all_formats_is_asked_and_its_choices_scored(stride: Benchmark, tmp_path: Path) -> None:
    choice = stride.table.filter(pl.col("format") == "choice")
    right = {question.id: question.answer for question in stride.questions}
    run = ask(stride, tmp_path / "run", model=Model(lambda request: right[request.key]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # free answers are left out: nobody judged them
        found = diagnose(stride, [run])
    told = found.figures.filter(run="run", metric="accuracy", family="all", format="choice")
    assert told.select("value", "n").rows() == [(1.0, choice.height)]
    families = found.figures.filter((pl.col("run") == "run") & (pl.col("metric") == "accuracy"))["family"]
    assert {*FAMILIES} <= {*families}
    assert {*found.words_alone["template"]} == {*choice["template"]}


def test_the_words_of_no_template_that_was_retained_say_the_answer(stride: Benchmark) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        words = diagnose(stride, []).words_alone
    for template, value, n in words.select("template", "value", "n").iter_rows():
        chance = 1 / TEMPLATES[template].option_count
        by_luck = chance + 3 * (chance * (1 - chance) / n) ** 0.5
        assert value <= by_luck or TEMPLATES[template].verdict == "removed", template


def test_a_look_without_asking_words_every_question(stride: Benchmark) -> None:
    prompts = [*prompt_lines(stride)]
    assert [line.question for line in prompts] == stride.table["id"].to_list()
    looked = dry_run(prepare(stride), model="openai/gpt-5")
    assert looked.calls == stride.table.height


@pytest.fixture(scope="module")
def mini(real_data: Callable[[str], Path]) -> Benchmark:
    return build("stride", open_scenes(real_data("nuscenes_mini")), per_template=20)


@pytest.mark.real_data
def test_of_nuscenes_mini_every_retained_template_that_its_annotations_support_is_built(mini: Benchmark) -> None:
    counts = dict(mini.table.group_by("template").len().iter_rows())
    kept = {name for name, template in TEMPLATES.items() if template.verdict == "retained"}
    unknown = {"SP-5", "TM-4"}  # the test data says nothing of visibility
    assert counts.keys() == kept - unknown
    assert {name: count for name, count in counts.items() if count != 20} == {"SC-6": 10}
    for (name,), questions in mini.table.filter(pl.col("format") == "choice").group_by("template"):
        letters = questions["answer"].value_counts()["count"]
        assert letters.max() - letters.min() <= 1, name
    linked = mini.table.filter((pl.col("format") == "text") & (pl.col("links").list.len() > 0))
    assert linked.height >= 0.8 * mini.table.filter(pl.col("format") == "text").height
