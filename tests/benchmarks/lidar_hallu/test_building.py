from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hallu_scenes import made_scenes
from hypothesis import given, settings
from hypothesis import strategies as st

import probe4d
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.lidar_hallu.build import FAMILIES, composition
from probe4d.benchmarks.lidar_hallu.drafting import COORDINATE_FRAME
from probe4d.benchmarks.lidar_hallu.templates import PROMPTS
from probe4d.benchmarks.question import derived_id
from probe4d.errors import InputError
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.geometry import SECTORS
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="module")
def standard(scenes: Scenes) -> Benchmark:
    return probe4d.build("lidar-hallu", scenes, per_family=120)


def test_families_have_the_published_composition() -> None:
    assert [composition(family, 2000) for family in FAMILIES] == [
        (500, 1000),
        (500, 1000),
        (1000, 0),
        (0, 2000),
        (0, 2000),
    ]


def test_a_build_is_balanced_and_distinct(standard: Benchmark) -> None:
    table = standard.table
    assert table["id"].n_unique() == table.height
    texts = pl.DataFrame({"family": table["family"], "scene": table["scene"]}).with_columns(
        text=pl.Series([PROMPTS["default"](question) for question in standard.questions])
    )
    assert texts.n_unique() == table.height
    assert table["family"].unique(maintain_order=True).to_list() == list(FAMILIES)
    assert set(table["template"]) == {f"{family}-{kind}" for family, kind in table.select("family", "format").rows()}
    for family in ("existence", "position", "motion"):
        answers = Counter(table.filter(pl.col("family") == family, pl.col("format") == "yes-no")["answer"])
        assert answers["Yes"] == answers["No"] > 0
    for (_,), part in table.group_by("family"):
        assert sorted(part["order"]) == list(range(part.height))
        assert part["order"].is_sorted()


def test_what_is_short_is_said(standard: Benchmark) -> None:
    counts = standard.record.counts
    for family in FAMILIES:
        yes, choice = composition(family, 120)
        made = counts.get(family, {})
        for kind, wanted in (("yes-no", 2 * yes), ("choice", choice)):
            said = [line for line in standard.record.shortfalls if line.startswith(f"{family} {kind}: ")]
            assert bool(said) == (made.get(kind, 0) < wanted)
            if said:
                assert f"{made.get(kind, 0):,} of {wanted:,} questions" in said[0]


def test_every_question_says_how_it_was_measured(standard: Benchmark) -> None:
    for question in standard.questions:
        facts = question.facts
        assert facts["coordinate_frame"] == COORDINATE_FRAME
        assert {"frame", "token"} == set(facts["poses"][0])
        assert {"start_frame", "end_frame", "selection_reason", "text"} == set(facts["ego_motion"])
        for measured in facts["objects"]:
            keys = {"frame", "label", "track", "box", "x", "y", "distance_m", "lidar_points"}
            assert set(measured) == keys
            assert measured["distance_m"] == pytest.approx((measured["x"] ** 2 + measured["y"] ** 2) ** 0.5)
        points = [measured["lidar_points"] for measured in facts["objects"]]
        assert question.lidar_points == (min(points) if points else None)
        assert question.id == derived_id(question)


def test_every_family_says_what_its_rule_measured(standard: Benchmark) -> None:
    for question in standard.questions:
        facts, objects = question.facts, question.facts["objects"]
        right = question.options[ord(question.answer) - 65] if question.options else question.answer
        if question.family == "existence":
            asked = question.entities[0] if question.entities else right
            assert (asked in facts["present"]) == (right != "No")
            assert question.margin is None
            if question.options:
                assert [option in facts["present"] for option in question.options].count(True) == 1
        elif question.family == "position":
            true = facts["sector"] in (question.relation, right)
            assert true == (right != "No")
            assert 0 <= question.margin <= 22.5
        elif question.family == "motion":
            assert question.frames[1] - question.frames[0] == 8
            assert facts["distance_delta_m"] == objects[1]["distance_m"] - objects[0]["distance_m"]
            assert facts["lateral_delta_m"] == objects[1]["y"] - objects[0]["y"]
            assert objects[0]["track"] == objects[1]["track"]
        elif question.family == "distance":
            assert objects[0]["label"] == right
            assert sorted(measured["label"] for measured in objects) == sorted(question.options)
            assert question.margin == pytest.approx(objects[1]["distance_m"] - objects[0]["distance_m"])
        else:
            start, end = facts["interval"]
            assert right == f"from frame {start:03d} to frame {end:03d}"
            assert 5 <= end - start <= 19
            assert question.evidence.frames == tuple(range(question.keyframes))


def test_below_threshold_marks_small_changes_of_the_right_sign(standard: Benchmark) -> None:
    motion = [question for question in standard.questions if question.family == "motion"]
    marked = {question.id for question in motion if question.facts.get("below_threshold")}
    signs = {"closer": -1, "farther": 1, "left": 1, "right": -1}
    steps = {"closer": 2, "farther": 2, "left": 1, "right": 1}
    expected = set()
    for question in motion:
        if question.relation in signs:
            name = "distance_delta_m" if question.relation in ("closer", "farther") else "lateral_delta_m"
            if 0 < signs[question.relation] * question.facts[name] < steps[question.relation]:
                assert question.answer == "No"
                expected.add(question.id)
    assert marked == expected


def test_context_and_features_are_what_the_text_gives_away(standard: Benchmark) -> None:
    for question in standard.questions:
        if question.template == "motion-yes-no":
            assert f"does the nearest {question.context}?" in str(question.question)
        elif question.template == "position-yes-no":
            assert question.context == f"{question.entities[0]}|{question.relation}"
        elif question.template in ("position-choice", "existence-yes-no"):
            assert question.context == question.entities[0]
        else:
            assert question.context == ""
        if question.family == "temporal":
            frames = [option.replace("from frame ", "").split(" to frame ") for option in question.options]
            assert question.features == tuple(str(int(end) - int(start)) for start, end in frames)
        else:
            assert question.features == question.options


def test_contrasts_link_opposite_answers_about_one_object(standard: Benchmark) -> None:
    by_id = {question.id: question for question in standard.questions}
    linked = [question for question in standard.questions if question.links]
    assert linked
    for question in linked:
        for other in (by_id[identity] for identity in question.links):
            assert (other.frames, other.entities) == (question.frames, question.entities)
            assert {question.answer, other.answer} == {"Yes", "No"}
            assert question.id in other.links


def test_letters_are_even(scenes: Scenes) -> None:
    table = probe4d.build("lidar-hallu", scenes, per_family=1200).table
    letters = Counter(table.filter(pl.col("format") == "choice")["answer"])
    total = letters.total()
    assert set(letters) == set("ABCD")
    assert all(abs(n - total / 4) < 4 * (total * 3 / 16) ** 0.5 for n in letters.values())


def test_the_same_bytes_for_any_number_of_workers_and_any_row_order(scenes: Scenes, tmp_path: Path) -> None:
    shuffled = replace(
        scenes,
        scenes=scenes.scenes.sample(fraction=1, shuffle=True, seed=1),
        keyframes=scenes.keyframes.sample(fraction=1, shuffle=True, seed=2),
        boxes=scenes.boxes.sample(fraction=1, shuffle=True, seed=3),
    )
    built = [("one", scenes, 1), ("two", scenes, 2), ("shuffled", shuffled, 1)]
    for name, given_scenes, workers in built:
        probe4d.build("lidar-hallu", given_scenes, out=tmp_path / name, per_family=80, workers=workers)
    for file in ("questions.parquet", "benchmark.json", "README.md"):
        assert len({(tmp_path / name / file).read_bytes() for name, _, _ in built}) == 1


def test_reasons_that_only_some_scenes_have_stand_in_one_order(tmp_path: Path) -> None:
    boxes = [
        (scene, frame, label, f"{label} {scene}", 4.0 + place + frame * (place - 2), 3.0 - place, 5)
        for scene in ("scene-a", "scene-b")
        for frame in range(12)
        for place, label in enumerate(CLASSES[:5])
    ]
    # Only scene-b has objects of other categories, without returns, and outside the sector.
    boxes += [("scene-b", 3, None, "animal", 9.0, 0.0, 4), ("scene-b", 3, "car", "unseen", 9.0, 0.0, 0)]
    boxes += [("scene-b", 3, "bus", "behind", -9.0, 0.0, 4)]
    scenes = made_scenes(boxes, names=("scene-a", "scene-b"))
    built = [("one", 1), ("two", 2), ("three", 3)]
    for name, workers in built:
        probe4d.build(
            "lidar-hallu", scenes, out=tmp_path / name, per_family=8, annotated_sector="-80:80", workers=workers
        )
    for file in ("questions.parquet", "benchmark.json", "README.md"):
        assert len({(tmp_path / name / file).read_bytes() for name, _ in built}) == 1
    reasons = list(read_benchmark(tmp_path / "one").record.exclusions)
    assert reasons == sorted(reasons)
    assert {"boxes of other categories", "boxes outside the annotated sector"} <= set(reasons)


def test_every_scene_is_told_of_once_measured(scenes: Scenes) -> None:
    told: list[str] = []
    probe4d.build("lidar-hallu", scenes, per_family=4, done=told.append)
    assert told == list(scenes.names)


def test_the_events_file_is_known_by_its_digest(scenes: Scenes, tmp_path: Path) -> None:
    path = tmp_path / "time_grounding.json"
    path.write_text("[]", encoding="utf-8")
    built = probe4d.build("lidar-hallu", scenes, per_family=8, events=path)
    assert built.record.parameters["events_sha256"] == hashlib.sha256(b"[]").hexdigest()


def test_another_seed_draws_others(scenes: Scenes, standard: Benchmark) -> None:
    other = probe4d.build("lidar-hallu", scenes, per_family=120, seed=43)
    assert other.fingerprint != standard.fingerprint
    assert other.record.seed == 43


def test_a_smaller_build_is_part_of_a_larger_one(scenes: Scenes, standard: Benchmark) -> None:
    smaller = probe4d.build("lidar-hallu", scenes, per_family=40)
    assert set(smaller.table["id"]) <= set(standard.table["id"])


def test_margins_and_returns_are_filtered_and_counted(scenes: Scenes) -> None:
    filtered = probe4d.build("lidar-hallu", scenes, per_family=120, min_margin=1.5, min_lidar_points=10)
    assert filtered.table["margin"].drop_nulls().min() >= 1.5
    assert filtered.table["lidar_points"].drop_nulls().min() >= 10
    assert "position: margin below 1.5 degrees" in filtered.record.exclusions
    assert "motion: margin below 1.5 m" in filtered.record.exclusions
    assert "boxes with fewer than 10 LiDAR returns" in filtered.record.exclusions


def test_a_build_is_read_back(scenes: Scenes, tmp_path: Path) -> None:
    built = probe4d.build("lidar-hallu", scenes, out=tmp_path / "bench", per_family=40)
    again = read_benchmark(tmp_path / "bench")
    assert again.table.equals(built.table)
    assert again.record == built.record
    card = (tmp_path / "bench" / "README.md").read_text(encoding="utf-8")
    assert again.fingerprint in card
    assert scenes.licence in card
    assert all(reason in card for reason in built.record.exclusions)
    assert all(line in card for line in built.record.shortfalls)


def test_an_annotated_sector_confines_every_question_about_objects(scenes: Scenes, tmp_path: Path) -> None:
    built = probe4d.build("lidar-hallu", scenes, out=tmp_path, per_family=120, annotated_sector="-70:70")
    assert built.record.parameters["annotated_sector"] == [-70.0, 70.0]
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "Only bearings from -70 to 70 degrees" in card
    allowed = {"front", "front-left", "front-right", "left", "right"}
    for question in built.questions:
        about_ego = question.rule in ("event:ego-still", "event:ego-moving")
        assert ("has a bearing between -70 and 70 degrees" in str(question.question)) != about_ego
        if question.family == "position":
            assert {*question.options, question.relation or "front"} <= allowed
        first = question.facts["objects"][:1] if question.family != "temporal" else question.facts["objects"]
        assert all(measured["x"] > 0 and abs(measured["y"]) < 2.75 * measured["x"] for measured in first)


def test_a_range_that_meets_too_few_sectors_names_what_it_leaves_out(scenes: Scenes) -> None:
    built = probe4d.build("lidar-hallu", scenes, per_family=40, annotated_sector=(-45, 45))
    assert "choice" not in built.record.counts["position"]
    assert any("meets 3 sectors" in line for line in built.record.shortfalls)


def test_events_from_a_file_replace_those_from_geometry(scenes: Scenes, tmp_path: Path) -> None:
    path = tmp_path / "time_grounding.json"
    tokens = scenes.scenes["token"].to_list()
    rows = [
        {"scene_token": token, "question": f"When, in {token}?", "answer": f"from frame {at:03d} to frame {at + 8:03d}"}
        for at, token in enumerate(tokens, start=8)
    ]
    path.write_text(json.dumps([*rows, {"scene_token": "none", "question": "?", "answer": "?"}]), encoding="utf-8")
    for mode in ("published", "matched"):
        built = probe4d.build("lidar-hallu", scenes, per_family=40, events=path, distractors=mode)
        temporal = [question for question in built.questions if question.family == "temporal"]
        assert sorted(str(question.question) for question in temporal) == sorted(row["question"] for row in rows)
        assert {question.rule for question in temporal} == {"event:b4dl"}
        assert built.record.exclusions["temporal: the row's scene is not among the scenes used"] == 1


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"per_family": 3}, "questions per family must be at least 4"),
        ({"per_family": -1}, "questions per family"),
        ({"min_margin": -0.1}, "smallest margin must be at least 0"),
        ({"min_margin": float("nan")}, "smallest margin"),
        ({"min_lidar_points": -1}, "fewest LiDAR returns"),
        ({"workers": 0}, "number of workers must be at least 1"),
        ({"distractors": "random"}, "known are matched and published"),
        ({"annotated_sector": "ahead"}, "FROM:TO"),
        ({"annotated_sector": (10, 10)}, "FROM:TO"),
        ({"split": "val"}, "no scene of the split 'val'"),
        ({"split": "validation"}, "no scene of the split 'validation'"),
        ({"events": "none.json"}, "none.json: cannot be read"),
        ({"min_lidar_points": 10**9, "min_margin": 0.0}, "allows no question"),
    ],
)
def test_a_bad_parameter_is_named(parameters: dict[str, Any], words: str) -> None:
    scenes = made_scenes([("scene-a", frame, "car", "t", 5.0, 0.0, 4) for frame in range(12)])
    with pytest.raises(InputError, match=words):
        probe4d.build("lidar-hallu", scenes, **parameters)


def test_an_unknown_suite_is_named() -> None:
    with pytest.raises(InputError, match="no suite 'other'; known are lidar-hallu"):
        probe4d.build("other", made_scenes([]))


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.sampled_from([4, 10, 30]))
def test_any_scenes_give_a_balanced_build_or_say_why_not(seed: int, per_family: int) -> None:
    import random

    chance = random.Random(seed)
    boxes = [
        ("scene-a", frame, label, label, chance.uniform(-40, 40), chance.uniform(-40, 40), chance.randint(0, 3))
        for label in chance.sample(CLASSES, chance.randint(1, 7))
        for frame in range(20)
        if chance.random() < 0.8
    ]
    built = probe4d.build("lidar-hallu", made_scenes(boxes, keyframes=20), per_family=per_family)
    for (family,), part in built.table.filter(pl.col("format") == "yes-no").group_by("family"):
        answers = Counter(part["answer"])
        assert answers["Yes"] == answers["No"] <= composition(str(family), per_family).yes
    assert built.table["id"].n_unique() == built.table.height


@pytest.mark.real_data
def test_real_scenes_build(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    built = probe4d.build("lidar-hallu", open_scenes(real_data("nuscenes_mini")), out=tmp_path, per_family=400)
    assert built.record.counts["existence"] == built.record.counts["position"] == {"yes-no": 200, "choice": 200}
    assert built.record.counts["motion"] == {"yes-no": 400}
    assert built.record.source.split == "all"
    assert set(built.table["relation"].drop_nulls()) >= {*SECTORS, "closer", "farther", "similar"}


@pytest.mark.real_data
def test_a_sequence_annotated_ahead_alone_builds(real_data: Callable[[str], Path]) -> None:
    kitti = open_scenes(real_data("kitti_0001_nuscenes_format"))
    built = probe4d.build("lidar-hallu", kitti, per_family=40, annotated_sector="-45:45")
    assert built.record.parameters["reference_channel"] == "LIDAR_ROOF"
    assert built.record.counts["existence"] == {"yes-no": 20, "choice": 20}
    assert all(str(question.question).startswith("Consider only objects") for question in built.questions)
