"""The audit finds nothing in what was built, whatever the parameters, and says what of a build is not sound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from mutating import Original, rebuilt, with_facts
from simulated_tables import cut_short
from stride_tables import built_of, labels_of

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.stride.audit import audit
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import LEAST_MARGIN
from probe4d.benchmarks.suites import build, check
from probe4d.scenes.opening import open_scenes


@pytest.fixture(scope="module")
def short(original: Original, tmp_path_factory: pytest.TempPathFactory) -> Original:
    """Eleven key frames of one scene and a question of each template about them."""
    root = tmp_path_factory.mktemp("short")

    def of_labels(folder: Path) -> Benchmark:
        return built_of(folder, per_template=1, labels=labels_of(folder, folder / "labels.csv"))

    return Original(cut_short(original.tables, key_frames=11), root, of_labels)


def test_nothing_is_found_in_questions_of_all_templates(original: Original) -> None:
    told: list[str] = []
    assert audit(original.benchmark, original.root, done=told.append) == []
    assert sorted(told) == sorted(original.benchmark.table["id"])
    assert {*original.benchmark.table["template"]} == {*TEMPLATES}


def test_answers_that_rest_on_labels_are_counted(short: Original) -> None:
    of_labels = {"SC-1", "SC-2", "SC-3", "SP-4", "TE-3"}
    assert {*short.benchmark.table["template"]} >= of_labels
    (taken,) = check(short.benchmark, short.root).taken_as_told
    assert taken.by_template == dict.fromkeys(of_labels, 1)


@pytest.mark.real_data
def test_nothing_is_found_in_recorded_scenes(real_data: Callable[[str], Path]) -> None:
    root = real_data("nuscenes_mini")
    scenes = open_scenes(root)
    benchmark = build("stride", scenes.select(scenes.names[::5]), None, templates="all", per_template=10)
    assert benchmark.table["scene"].n_unique() == 2
    checked = check(benchmark, root)
    assert (checked.findings, checked.questions, checked.taken_as_told) == ([], benchmark.table.height, [])


@pytest.mark.parametrize("seed", range(50))
def test_an_unbroken_copy_raises_nothing(seed: int, short: Original, tmp_path: Path) -> None:
    assert audit(*short.unbroken_copy(tmp_path, seed)) == []


@pytest.mark.parametrize(
    "parameters",
    [{"ego_history": "text", "seed": 5}, {"per_template": 40, "most_per_scene": 40}],
    ids=str,
)
def test_builds_of_other_parameters_pass(parameters: dict[str, Any], short: Original) -> None:
    assert audit(built_of(short.root, **parameters), short.root) == []


def test_questions_that_are_too_near_to_a_line_are_named(original: Original, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        for unit in LEAST_MARGIN:
            patch.setitem(LEAST_MARGIN, unit, 1e-6)
        lax = built_of(original.root, templates="SP-1,SP-2,SP-3,TM-3,TE-2", per_template=80, most_per_scene=40)
    near = {
        q.id: q.facts["margin_unit"] for q in lax.questions if (q.margin or 0) < LEAST_MARGIN[q.facts["margin_unit"]]
    }
    assert {*near.values()} == LEAST_MARGIN.keys()
    findings = audit(lax, original.root)
    assert {finding.question for finding in findings if "nearer to a line" in finding.what} == near.keys()


class _Worded:
    """A verbaliser that leaves the last open question plain."""

    name = "test/words"

    def texts(self, questions: Sequence[Question]) -> dict[str, str]:
        return {question.id: f"In short: {question.answer}" for question in questions[:-1]}


def test_references_that_were_worded_anew_keep_their_plain_ones(short: Original) -> None:
    worded = built_of(short.root, templates="SP-2,SP-3,SP-7,TM-6", per_template=3, verbalizer=_Worded())
    assert audit(worded, short.root) == []
    first = next(question for question in worded.questions if "plain_reference" in question.facts)
    other = with_facts(first, lambda facts: facts.update(plain_reference="It stands."))
    broken = [other if question.id == first.id else question for question in worded.questions]
    (found,) = audit(rebuilt(worded, broken, links=False), short.root)
    assert (found.question, found.rule) == (first.id, first.rule)
    assert found.what.startswith("facts.plain_reference: stored 'It stands.'")
