"""A built benchmark: how many questions, what each shows, how answers, letters and clips are spread, what links."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from stride_making import shuffled

from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.question import LETTERS, Question, derived_id
from probe4d.benchmarks.stride import SUITE
from probe4d.benchmarks.stride.card import guessing
from probe4d.benchmarks.stride.tags import TAGS
from probe4d.benchmarks.stride.templates import FAMILIES, TEMPLATES
from probe4d.benchmarks.stride.thresholds import FUTURE_POSITIONS
from probe4d.benchmarks.suites import build
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes

FEW = "SP-2,SP-3,SP-7,TRJ-5"


def right(question: Question) -> str:
    """Text of the right option."""
    return question.options[LETTERS.index(question.answer)]


def test_every_template_without_labels_is_asked_within_its_caps(stride: Benchmark) -> None:
    counts = stride.table.group_by("template").len().sort("template")
    from_labels = {
        name
        for name, template in TEMPLATES.items()
        if {"weather", "time_of_day", "road_type", "lane"} & {*template.needs}
    }
    assert {*counts["template"]} == TEMPLATES.keys() - from_labels
    assert counts["len"].max() == 15
    of_scenes = stride.table.group_by("template", "scene").len()
    assert of_scenes["len"].max() == 5
    assert of_scenes.filter(pl.col("template") == "SC-6")["len"].to_list() == [1, 1, 1]
    clips = stride.table.select("template", "scene", "frames")
    assert clips.is_unique().all()
    assert [*stride.record.counts] == [*FAMILIES]
    assert stride.record.shortfalls[0] == "SC-1 (weather): 0 of 15, which needs labels of weather."
    others = [reason for reason in stride.record.exclusions if reason.split(":")[0] not in TEMPLATES]
    assert [reason.split(" without")[0].split(" at")[0] for reason in others] == [
        "key frames",
        "objects",
        "query frames",
    ]


def test_open_questions_have_the_future_that_they_ask_about(seen: Scenes) -> None:
    one = seen.select(seen.names[:1])
    benchmark = build("stride", one, templates="TE-6,TRJ-7", per_template=500, most_per_scene=500)
    last = benchmark.questions[0].keyframes or 0
    asked = {
        max(frame for q in benchmark.questions if q.template == name for frame in q.frames)
        for name in ("TE-6", "TRJ-7")
    }
    assert asked == {last - 1 - FUTURE_POSITIONS}


def test_questions_are_as_their_templates_say(stride: Benchmark) -> None:
    for question in stride.questions:
        template = TEMPLATES[question.template]
        assert question.id == derived_id(question)
        assert (question.format, question.family, question.needs) == (template.format, template.family, template.needs)
        assert len(question.options) == template.option_count
        if template.options:
            assert {*question.options} == {*template.options}
        assert question.features == question.options
        assert "{" not in (question.question or "")
        (query,) = question.frames
        if question.template == "SC-6":
            assert question.evidence.frames == tuple(range(question.keyframes or 0))
        else:
            assert question.evidence.frames == tuple(range(query - 4, query + 1))
        assert question.evidence.views == ()
        assert {*question.facts["tags"]} <= TAGS.keys()


def test_targets_are_named_and_placed(stride: Benchmark) -> None:
    targeted = [question for question in stride.questions if TEMPLATES[question.template].has_target]
    assert targeted
    for question in targeted:
        (pointed,), target = question.facts["objects"], question.facts["target"]
        assert pointed["label"] in (question.question or "") or "{target}" not in TEMPLATES[question.template].question
        assert question.entities[0] in (pointed["label"], f"{pointed['label']} ({pointed['track'][-8:]})")
        assert (target["frame"],) == question.frames
        left, top, right_, bottom = target["bounds"]
        assert 0 <= left < right_ <= 1
        assert 0 <= top < bottom <= 1
        assert question.context.split("|")[0] == question.template
    assert all(not q.entities for q in stride.questions if not TEMPLATES[q.template].has_target)


def test_letters_and_answers_are_balanced(stride: Benchmark) -> None:
    for (name,), questions in stride.table.filter(pl.col("format") == "choice").group_by("template"):
        count = TEMPLATES[str(name)].option_count
        letters = [questions.filter(pl.col("answer") == letter).height for letter in LETTERS[:count]]
        assert max(letters) - min(letters) <= 1
    distances = [right(question) for question in stride.questions if question.template == "SP-3"]
    assert {distances.count(option) for option in TEMPLATES["SP-3"].options} == {3}


def test_open_questions_link_with_their_parts_in_both_directions(stride: Benchmark) -> None:
    by_id = {question.id: question for question in stride.questions}
    openers = [question for question in stride.questions if question.format == "text"]
    assert sum(bool(opener.links) for opener in openers) >= 0.8 * len(openers)
    for opener in openers:
        told = {part["template"]: part for part in opener.facts["reference_parts"]}
        for other in opener.links:
            part = by_id[other]
            assert part.template in TEMPLATES[opener.template].parts
            assert (part.scene, part.frames) == (opener.scene, opener.frames)
            assert not part.entities or part.entities == opener.entities
            assert opener.id in part.links
            assert told[part.template]["answer"] == right(part)
    assert all(by_id[other].format == "text" for q in stride.questions if q.format == "choice" for other in q.links)


def test_references_are_the_sentences_of_the_parts(stride: Benchmark) -> None:
    for question in (question for question in stride.questions if question.format == "text"):
        parts = question.facts["reference_parts"]
        assert len(parts) >= 2
        assert question.answer == " ".join(part["sentence"] for part in parts)
        assert all(re.fullmatch(r"[A-Z0-9].*\.", part["sentence"]) for part in parts)
        assert [part["template"] for part in parts] == [
            name for name in TEMPLATES[question.template].parts if name in {part["template"] for part in parts}
        ]
        assert "{" not in question.answer


def test_nothing_depends_on_workers_groups_or_the_order_of_rows(seen: Scenes, monkeypatch: pytest.MonkeyPatch) -> None:
    two = seen.select(seen.names[:2])
    first = build("stride", two, templates=FEW, per_template=6)
    monkeypatch.setattr(sys.modules[SUITE.build.__module__], "_BOXES_AT_ONCE", 1)  # a scene a group, so a process each
    done: list[str] = []
    other = build("stride", shuffled(two, 3), templates=FEW.lower(), per_template=6, workers=2, done=done.append)
    assert done == two.names
    assert other.table.equals(first.table)
    assert other.record == first.record
    assert build("stride", two, templates=FEW, per_template=6, seed=7).fingerprint != first.fingerprint


def test_a_benchmark_on_disk_is_read_back_with_card_and_charts(stride: Benchmark) -> None:
    assert stride.path
    read = read_benchmark(stride.path)
    assert read.table.equals(stride.table)
    assert {path.name for path in stride.path.iterdir()} == {
        "README.md",
        "benchmark.json",
        "composition.csv",
        "coverage.csv",
        "coverage.svg",
        "questions.parquet",
    }
    card = (stride.path / "README.md").read_text()
    assert f"A guess is right in {guessing(stride.table):.6f} of the choice questions" in card
    clips = stride.table.select("scene", "frames").unique().height
    assert f"Distinct clips: {clips:,}" in card
    assert "![Coverage of this benchmark](coverage.svg)" in card
    assert re.search(r"\| pedestrian \| \d+% \|", card)
    svg = (stride.path / "coverage.svg").read_text()
    assert svg.startswith("<svg")
    assert all(f">{tag}<" in svg for tag in TAGS)
    coverage = pl.read_csv(stride.path / "coverage.csv")
    whole = coverage.filter((pl.col("family") == "all") & (pl.col("tag") == "pedestrian")).row(0, named=True)
    tagged = {
        (question.scene, question.frames) for question in stride.questions if "pedestrian" in question.facts["tags"]
    }
    assert (whole["clips"], whole["share"]) == (len(tagged), len(tagged) / clips)


def test_guessing_is_what_the_paper_says_of_its_retained_templates() -> None:
    kept = [t.option_count for t in TEMPLATES.values() if t.verdict == "retained" and t.format == "choice"]
    table = pl.DataFrame({"format": ["choice"] * len(kept), "options": [["x"] * count for count in kept]})
    assert len(kept) == 16
    assert round(guessing(table) or 0, 6) == 0.197991
    assert guessing(table.clear()) is None


def test_an_ego_history_is_told_before_trajectory_questions_but_not_where_it_is_the_answer(seen: Scenes) -> None:
    two = seen.select(seen.names[:2])
    asked: dict[str, Any] = {"templates": "TM-5,TRJ-1,TRJ-5,TRJ-6", "per_template": 4}
    plain, told = build("stride", two, **asked), build("stride", two, **asked, ego_history="text")
    assert told.record.parameters["ego_history"] == "text"
    by_place = {(q.template, q.scene, q.frames): q for q in plain.questions}
    for question in told.questions:
        twin = by_place[question.template, question.scene, question.frames]
        if question.template not in ("TRJ-1", "TRJ-5"):
            assert question.question == twin.question
            assert "ego_motion" not in question.facts
            continue
        history = question.facts["ego_motion"]["text"]
        assert question.question == f"{history} {twin.question}"
        assert re.fullmatch(
            r"In the frame of .* was 2 s ago at \[.*\], 1.5 s ago at \[.*\], 1 s ago at \[.*\] and 0.5 s ago at "
            r"\[.*\]\. Its speed is \d+\.\d m/s\.",
            history,
        )
        assert question.id != twin.id
        assert question.answer == twin.answer or question.format == "choice"


class _Verbalizer:
    name = "test/words"

    def texts(self, questions: list[Question]) -> dict[str, str]:
        return {question.id: f"In short: {question.answer}" for question in questions[1:]}


def test_a_verbaliser_words_references_anew_and_the_plain_ones_are_kept(seen: Scenes) -> None:
    two = seen.select(seen.names[:2])
    plain = build("stride", two, templates=FEW, per_template=3)
    worded = build("stride", two, templates=FEW, per_template=3, verbalizer=_Verbalizer())
    assert worded.fingerprint == plain.fingerprint
    assert worded.record.parameters["verbalizer"] == "test/words"
    assert "1 of 3 references were not reworded and stay plain." in worded.record.shortfalls
    before = {question.id: question for question in plain.questions}
    changed = [question for question in worded.questions if question.answer != before[question.id].answer]
    assert len(changed) == 2
    for question in changed:
        assert question.answer == f"In short: {before[question.id].answer}"
        assert question.facts["plain_reference"] == before[question.id].answer
        assert question.facts["verbalizer"] == "test/words"


def test_labels_let_scene_templates_be_asked(seen: Scenes, tmp_path: Path) -> None:
    one = seen.names[0]
    path = tmp_path / "labels.csv"
    path.write_text(f"scene,frame,track,name,value\n{one},,,weather,rain\n{one},,,road_type,intersection\n")
    made = build("stride", seen.select([one]), templates="SC-1,SC-3,SC-6", per_template=3, labels=path)
    answers = {question.template: question for question in made.questions}
    assert right(answers["SC-1"]) == "rain"
    assert {"bad-weather", "intersection"} <= {*answers["SC-3"].facts["tags"]}
    assert "The weather is rain." in answers["SC-6"].answer
    assert made.record.parameters["labels_sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"templates": "sc-7"}, r"the template 'SC-7' is asked of Waymo's end-to-end data alone\. Give retained, all"),
        ({"templates": "SP-2,SP-99"}, "there is no template 'SP-99'.*retained, all, or some of SC-1"),
        ({"templates": " , "}, "no template is named"),
        ({"per_template": 0}, "number of questions of a template must be at least 1, not 0"),
        ({"most_per_scene": 0}, "questions of a template about one scene must be at least 1"),
        ({"workers": 0}, "number of workers must be at least 1"),
        ({"ego_history": "words"}, "ego_history cannot be 'words'.*Give none or text"),
        ({"split": "val"}, "holds no scene of the split 'val'"),
        ({"labels": "none.csv"}, "there is no such file of labels"),
        ({"labels": "."}, "is a folder, not a file of labels"),
        ({"templates": ["SC-1", "SP-4"]}, "allows no question of these templates"),
    ],
)
def test_what_cannot_be_built_is_refused(seen: Scenes, asked: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        build("stride", seen.select(seen.names[:1]), **asked)


def test_without_cameras_only_questions_without_a_target_are_asked(scenes: Scenes) -> None:
    made = build("stride", scenes.select(scenes.names[:1]), templates="SP-2,TRJ-1,TRJ-6", per_template=5)
    assert {*made.table["template"]} == {"TRJ-1", "TRJ-6"}
    assert json.loads(made.table["facts"][0])["tags"] is not None


def test_a_question_about_a_whole_scene_names_its_moment_as_pictures_do(stride: Benchmark) -> None:
    asked = [question for question in stride.questions if question.template == "SC-6"]
    for question in asked:
        (frame,) = question.frames
        assert f"Describe the scene at frame {frame:03d}, {frame / 2:g} s after the first:" in (question.question or "")
