"""Builds of spatial-qa: what they promise of their questions, samples, folders and refusals."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from street_making import captioned, streets

from placed_boxes import camera, placed, seen
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.facts import pointed_objects
from probe4d.benchmarks.question import derived_id
from probe4d.benchmarks.scene_groups import groups_by_boxes
from probe4d.benchmarks.spatial_qa import assembling
from probe4d.benchmarks.spatial_qa.rules import RELATIONS
from probe4d.benchmarks.spatial_qa.templates import LEVELS, TEMPLATES
from probe4d.benchmarks.suites import before_letters, build, deciding_size
from probe4d.errors import InputError
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

SMALL_PX = 5.0


@pytest.fixture(scope="module")
def street() -> Scenes:
    return streets()


@pytest.fixture(scope="module")
def full(street: Scenes, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return built(street, tmp_path_factory.mktemp("full"), graphs=True)


def built(street: Scenes, out: Path | None, **given: Any) -> Benchmark:
    return build("spatial-qa", street, out, **{"refer": "marker", "min_side_px": SMALL_PX} | given)


def test_every_template_is_asked_in_the_order_of_levels_and_templates(full: Benchmark) -> None:
    assert full.table["template"].unique(maintain_order=True).to_list() == list(TEMPLATES)
    assert full.table["family"].unique(maintain_order=True).to_list() == list(LEVELS)
    for _, family in full.table.group_by("family"):
        assert family["order"].to_list() == list(range(family.height))


def test_a_question_says_all_that_it_was_made_of(full: Benchmark) -> None:
    for question in full.questions:
        template = TEMPLATES[question.template]
        assert question.id == derived_id(question)
        assert (question.family, question.format, question.rule) == (template.level, template.format, template.rule)
        assert (question.evidence.frames, question.evidence.views) == (question.frames, (question.channel,))
        words = [*question.entities, *question.options]
        assert [one.label for one in pointed_objects(question)] == words
        assert all(word in (question.question or "") for word in question.entities)
        assert {one.frame for one in pointed_objects(question)} <= set(question.frames)
        assert [fact.get("label") for fact in question.facts["objects"]] == [
            *(None for _ in question.entities),
            *question.options,
        ]
        assert question.context.split("|")[0] == question.template
        assert len(question.context.split("|")) == 1 + len(question.entities)
        assert len(question.features) == len(question.options) == template.options
        assert question.keyframes == 3
        assert question.needs == ("boxes",)
        assert question.margin is None or question.facts["margin_unit"] in ("metres", "cubic metres")
        assert ("margin_unit" in question.facts) == (template.unit is None and template.name != "occlusion")


def test_what_stands_before_the_letters_is_told_of_questions_that_have_them(full: Benchmark) -> None:
    before = before_letters(full.record)
    assert before is not None
    for question in full.questions:
        for words in (*question.entities, *question.options):
            assert re.fullmatch(r"[A-Z]+", words.removeprefix(before))
    for other in (
        {"parameters": full.record.parameters | {"refer": "caption"}},
        {"suite": "lidar-hallu"},
        {"suite": "?"},
    ):
        assert before_letters(msgspec.structs.replace(full.record, **other)) is None


def test_the_size_that_decides_is_told_of_questions_that_ask_for_one(full: Benchmark) -> None:
    sizes = {question.template: deciding_size(question) for question in full.questions}
    assert {template for template, size in sizes.items() if size is not None} == {"wide-vehicle", "bridge"}
    assert deciding_size(msgspec.structs.replace(full.questions[0], suite="?", rule="bridge")) is None


def test_of_each_relation_exactly_half_are_yes(full: Benchmark) -> None:
    for name in RELATIONS:
        answers = full.table.filter(template=name)["answer"]
        assert answers.len() == 2 * (answers == "Yes").sum() > 0


def test_each_pair_of_an_image_is_asked_about_in_both_orders_and_measured_in_one(full: Benchmark) -> None:
    images = full.table.filter(template="ego-distance").group_by("scene", "frames", "channel").len()["len"]
    assert full.table.filter(template="above").height == (images * (images - 1)).sum()
    assert full.table.filter(template="distance").height == (images * (images - 1)).sum() / 2


def test_numbers_are_their_fact_with_two_decimals_and_name_their_unit(full: Benchmark) -> None:
    for question in full.questions:
        if question.format == "number":
            measures = {key: value for key, value in question.facts.items() if key not in ("objects", "unit")}
            ((key, value),) = measures.items()
            assert question.facts["unit"] == ("degrees" if key == "bearing_deg" else "metres")
            assert question.answer == f"{float(question.answer):.2f}"
            assert abs(float(question.answer) - value) <= 0.005 + 1e-9


def test_situations_of_pairs_are_as_often_yes_as_no_in_each_scene(full: Benchmark) -> None:
    for name in ("collision", "passing", "occlusion"):
        for _, scene in full.table.filter(template=name).group_by("scene"):
            assert scene.height == 2 * (scene["answer"] == "Yes").sum()


@pytest.mark.parametrize("given", [{}, {"scale": "sample:200"}])
def test_groups_of_scenes_and_workers_change_nothing(
    street: Scenes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]
) -> None:
    whole = built(street, tmp_path / "whole", graphs=True, **given)
    monkeypatch.setattr(assembling, "_BOXES_AT_ONCE", 40)
    assert len(groups_by_boxes(street, 40)) == 3
    for workers in (1, 2):
        parts = built(street, tmp_path / str(workers), graphs=True, workers=workers, **given)
        assert parts.record == whole.record
        assert parts.table.equals(whole.table)
        for file in sorted((tmp_path / "whole").rglob("*.*")):
            assert (tmp_path / str(workers) / file.relative_to(tmp_path / "whole")).read_bytes() == file.read_bytes()


def test_without_a_folder_the_same_questions_are_built(street: Scenes, full: Benchmark) -> None:
    assert built(street, None).table.equals(full.table)


def test_a_sample_is_part_of_the_whole_and_even(street: Scenes, full: Benchmark) -> None:
    sample = built(street, None, scale="sample:400")
    assert set(sample.table["id"]) <= set(full.table["id"])
    assert 320 <= sample.table.height <= 400
    for (name,), questions in sample.table.group_by("template"):
        assert questions.height <= 11
        if TEMPLATES[str(name)].format != "number":
            assert questions["answer"].value_counts()["count"].n_unique() == 1
        assert questions["scene"].value_counts()["count"].to_list() != [questions.height]


def test_a_sample_that_asks_for_too_much_takes_even_answers_and_says_what_is_short(street: Scenes) -> None:
    sample = built(street, None, scale="sample:100000")
    for (name,), questions in sample.table.group_by("template"):
        if TEMPLATES[str(name)].format != "number":
            assert questions["answer"].value_counts()["count"].n_unique() == 1
    assert any(line.startswith("qualitative, above: ") and "candidates: " in line for line in sample.record.shortfalls)


def test_another_seed_draws_other_questions(street: Scenes) -> None:
    one, two = (built(street, None, scale="sample:200", seed=seed).table["id"] for seed in (1, 2))
    assert set(one) != set(two)


def test_balanced_contents_give_nothing_away(street: Scenes) -> None:
    sample = built(street, None, scale="sample:2000", balance="contents").table.filter(format="yes-no")
    assert sample["template"].n_unique() > 10
    for (template, *_), questions in sample.group_by("template", "context", "relation"):
        assert questions.height == 2 * (questions["answer"] == "Yes").sum(), template


def test_captions_stand_for_objects(street: Scenes, tmp_path: Path) -> None:
    captions = captioned(street, tmp_path / "captions.jsonl")
    benchmark = built(street, None, refer="caption", captions=captions)
    assert set(benchmark.table["needs"].explode()) == {"boxes", "captions"}
    assert benchmark.record.parameters["captions_sha256"]
    tracks = dict(street.boxes.select("token", "track").iter_rows())
    for question in benchmark.questions:
        for one in pointed_objects(question):
            assert one.label is not None
            assert one.label.endswith(tracks[one.box or ""][-10:])


def test_objects_of_the_same_words_are_left_out_or_kept_apart_by_their_tokens(street: Scenes, tmp_path: Path) -> None:
    captions = captioned(street, tmp_path / "captions.jsonl", shared=True)
    dropped = built(street, None, refer="caption", captions=captions)
    kept = built(street, None, refer="caption", captions=captions, ambiguous="keep")
    reason = "object shares its words with another one of the image"
    assert dropped.record.exclusions[reason] > 0
    assert reason not in kept.record.exclusions
    assert dropped.table.height < kept.table.height
    assert kept.table["id"].is_unique().all()
    entities = set(kept.table["entities"].explode().drop_nulls())
    assert any(entity.startswith("the car (") for entity in entities)
    assert all("(" not in question for question in kept.table["question"])
    for options in kept.table["options"]:
        assert len(set(options)) == len(options)


@pytest.mark.parametrize("scale", ["full", "sample:200"])
def test_objects_of_unknown_visibility_are_kept_and_counted_or_left_out_and_counted(scale: str) -> None:
    boxes = [placed(str(at), 10 + 3 * at, at - 3, at / 5, visibility=None if at < 2 else 4) for at in range(6)]
    kept = built(seen(boxes), None, scale=scale).record
    dropped = built(seen(boxes), None, scale=scale, unknown_visibility="drop").record
    sentence = "The dataset does not say how visible 2 of 6 objects in images are: kept."
    assert sentence in kept.shortfalls
    assert sentence not in dropped.shortfalls
    assert "visibility unknown" not in kept.exclusions
    assert dropped.exclusions["visibility unknown"] == 2


def test_objects_without_caption_are_left_out_and_counted(street: Scenes, tmp_path: Path) -> None:
    path = captioned(street, tmp_path / "captions.jsonl")
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[1:]) + "\n")
    benchmark = built(street, None, refer="caption", captions=path)
    assert benchmark.record.exclusions["object has no caption"] > 0


def test_captions_of_no_object_are_named_as_what_is_missing(street: Scenes, tmp_path: Path) -> None:
    path = tmp_path / "captions.jsonl"
    for text in ("", '{"track": "elsewhere", "caption": "the car"}\n'):
        path.write_text(text)
        for scale in ("full", "sample:100"):
            with pytest.raises(InputError, match="its captions name no object that cameras show") as refused:
                built(street, None, refer="caption", captions=path, scale=scale)
            assert "object has no caption" in str(refused.value)


def test_a_sample_too_small_for_any_question_is_refused_as_such(street: Scenes) -> None:
    with pytest.raises(InputError, match="allows no question") as refused:
        built(street, None, scale="sample:1", balance="contents")
    assert "sample" in str(refused.value)


def test_no_object_has_the_letter_of_an_option(full: Benchmark) -> None:
    words = set(full.table["entities"].explode().drop_nulls()) | set(full.table["options"].explode().drop_nulls())
    assert words
    assert not words & {f"object {letter}" for letter in "ABCD"}


def test_graphs_hold_the_objects_and_the_pairs_that_are_asked_about(full: Benchmark, street: Scenes) -> None:
    assert full.path is not None
    files = sorted((full.path / "graphs").glob("*.jsonl"))
    assert [file.stem for file in files] == ["scene-a", "scene-b", "scene-c"]
    graphs = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    distances = {
        (*sorted(fact["box"] for fact in question.facts["objects"]),): question.facts["distance_m"]
        for question in full.questions
        if question.template == "distance"
    }
    edges = [edge for graph in graphs for edge in graph["edges"]]
    assert len(edges) == len(distances)
    assert sorted(edge["spatial_distance"] for edge in edges) == pytest.approx(sorted(distances.values()), abs=0.006)
    for graph in graphs:
        nodes = {node["node_id"]: node["attributes"] for node in graph["nodes"]}
        assert len(graph["edges"]) == len(nodes) * (len(nodes) - 1) / 2
        for edge in graph["edges"]:
            assert edge["edge_id"] == f"{edge['from'][-8:]}_{edge['to'][-8:]}"
            assert {edge["from"], edge["to"]} <= set(nodes)
            assert -180 < edge["relative_bearing_angle"] <= 180
            offsets = edge["longitudinal_offset"], edge["lateral_offset"]
            assert min(offsets) >= 0
            assert edge["spatial_distance"] >= max(offsets) - 0.01
        assert {frozenset(node) for node in nodes.values()} == {
            frozenset({"category_name", "translation", "size", "caption"})
        }


def test_an_image_with_one_object_has_a_graph_without_edges(tmp_path: Path) -> None:
    built(seen([placed("a", 10, 0)], [camera()]), tmp_path / "out", min_side_px=SMALL_PX, graphs=True)
    (graph,) = [json.loads(line) for line in (tmp_path / "out" / "graphs" / "scene-a.jsonl").read_text().splitlines()]
    assert graph["edges"] == []
    assert [node["attributes"]["caption"] for node in graph["nodes"]] == ["object E"]


def test_the_folder_reads_back_and_its_card_and_counts_say_what_it_holds(full: Benchmark) -> None:
    assert full.path is not None
    assert read_benchmark(full.path).record == full.record
    card = (full.path / "README.md").read_text()
    counts = pl.read_csv(full.path / "composition.csv")
    assert counts["questions"].sum() == full.table.height
    assert set(counts["channel"]) == {"CAM_FRONT", "CAM_BACK"}
    above = full.table.filter(template="above")
    assert f"| qualitative | above | {above.height:,} |" in card
    assert "## What it is made of" in card
    assert not [path for path in full.path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"scale": "sample:0"}, "no scale 'sample:0'"),
        ({"scale": "half"}, "no scale 'half'"),
        ({"balance": "both"}, "balance cannot be 'both'"),
        ({"balance": "contents"}, "in samples only"),
        ({"ambiguous": "guess"}, "ambiguous cannot be 'guess'"),
        ({"refer": "name"}, "refer cannot be 'name'"),
        ({"refer": "caption"}, "no captions to call objects by"),
        ({"captions": "captions.jsonl"}, "no place where letters"),
        ({"graphs": True}, "into the folder of the benchmark"),
        ({"workers": 0}, "at least 1, not 0"),
        ({"split": "val"}, "no scene of the split 'val'"),
    ],
)
def test_what_cannot_be_built_is_refused(street: Scenes, given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        built(street, None, **given)


def test_scenes_without_anything_to_ask_about_are_refused(tmp_path: Path) -> None:
    for scenes in (seen([placed("a", 10, 0)], []), seen([placed("behind", -10, 0)], [camera()])):
        for scale in ("full", "sample:100"):
            with pytest.raises(InputError, match="allows no question"):
                built(scenes, tmp_path / "out", scale=scale)
    assert not (tmp_path / "out").exists()


@pytest.mark.real_data
def test_nuscenes_mini_allows_every_template(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    scenes = open_scenes(real_data("nuscenes_mini"))
    benchmark = build("spatial-qa", scenes, tmp_path / "out", refer="marker", scale="sample:1900")
    counts = benchmark.table.group_by("template").len()
    assert dict(counts.iter_rows()) == {
        name: 48 if template.format == "choice" and template.options == 4 else 50
        for name, template in TEMPLATES.items()
    }
    assert benchmark.record.shortfalls == [
        "The dataset does not say how visible 15,275 of 15,275 objects in images are: kept.",
        "1,894 of 1,900 questions asked for, since the answers to a template are equally many.",
    ]
    above = benchmark.table.filter(template="above")
    assert above["scene"].value_counts()["count"].max() <= 6
