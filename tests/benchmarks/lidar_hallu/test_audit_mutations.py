"""Breaks tables and answers one by one; the audit has to find and name each, and nothing in unbroken copies."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from mutating import (
    SCENES,
    VERSION,
    Original,
    Tables,
    answered,
    changed,
    read_tables,
    rebuilt,
    row_of,
    with_facts,
)

from probe4d.benchmarks.lidar_hallu.audit import audit
from probe4d.benchmarks.question import Question, derived_id
from probe4d.benchmarks.suites import build
from probe4d.errors import InputError
from probe4d.scenes.opening import open_scenes

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def original(real_data: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Original:
    tables = read_tables(real_data("nuscenes_mini") / VERSION, SCENES, ["LIDAR_TOP"])
    return Original(
        tables,
        tmp_path_factory.mktemp("original"),
        lambda root: build("lidar-hallu", open_scenes(root), None, per_family=60),
    )


@pytest.fixture(scope="module")
def folders(original: Original, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Tables], Path]:
    """Write changed tables, as often as a test likes."""
    return lambda tables: original.write_changed(tables, tmp_path_factory.mktemp("changed"))


def flip(question: Question) -> Question:
    return changed(question, answer="No" if question.answer == "Yes" else "Yes")


def next_letter(question: Question) -> Question:
    return changed(question, answer="ABCD"[("ABCD".index(question.answer) + 1) % 4])


def reworded(old: str, new: str, **fields: Any) -> Callable[[Question], Question]:
    def change(question: Question, /) -> Question:
        assert question.question is not None
        assert old in question.question
        return changed(question, question=question.question.replace(old, new), **fields)

    return change


def swap_options(question: Question) -> Question:
    options = list(question.options)
    right = "ABCD".index(question.answer)
    options[right], options[right - 1] = options[right - 1], options[right]
    features = list(question.features)
    features[right], features[right - 1] = features[right - 1], features[right]
    return changed(question, options=tuple(options), features=tuple(features))


def with_option(text: Callable[[Question], str], *, wrong: bool) -> Callable[[Question], Question]:
    """Replace the right option, or a wrong one, by another text."""

    def change(question: Question) -> Question:
        index = ("ABCD".index(question.answer) + wrong) % 4
        options = list(question.options)
        options[index] = text(question)
        features = tuple(options)
        if question.family == "temporal":
            features = tuple(str(int(option[-3:]) - int(option[11:14])) for option in options)
        return changed(question, options=tuple(options), features=features)

    return change


def interval(start: int, end: int) -> str:
    return f"from frame {start:03d} to frame {end:03d}"


def truth(question: Question) -> tuple[int, int]:
    start, end = question.facts["interval"]
    return start, end


def later_end(question: Question) -> Question:
    start, end = truth(question)
    end += 1 if end + 1 < question.keyframes else -1
    moved = with_option(lambda _: interval(start, end), wrong=False)(question)
    return with_facts(moved, lambda facts: facts.update(interval=[start, end]))


def other_frame(question: Question) -> Question:
    """Ask the same one key frame later, as if the answer were that of the later one."""
    (frame,) = question.frames
    moved = frame + 1 if frame + 1 < question.keyframes else frame - 1
    assert question.question is not None
    text = question.question.replace(f"{frame:03d}", f"{moved:03d}")
    return changed(question, question=text, frames=(moved,))


def fact(path: str, value: Callable[[Any], Any]) -> Callable[[Question], Question]:
    """Change one fact, named by keys and indices."""

    def change(facts: dict[str, Any]) -> None:
        *holders, last = (int(key) if key.isdigit() else key for key in path.split("."))
        place: Any = facts
        for key in holders:
            place = place[key]
        place[last] = value(place[last])

    return partial(with_facts, change=change)


def drop(name: str) -> Callable[[Question], Question]:
    return partial(with_facts, change=lambda facts: facts.pop(name))


def below(question: Question) -> bool:
    return "below_threshold" in question.facts


def with_objects(question: Question) -> bool:
    return bool(question.facts["objects"])


Change = Callable[[Question], Question]
ANSWERS: dict[str, tuple[str, Callable[[Question], bool], Change]] = {
    "Yes to No, existence": ("existence-yes-no", answered("Yes"), flip),
    "No to Yes, existence": ("existence-yes-no", answered("No"), flip),
    "Yes to No, position": ("position-yes-no", answered("Yes"), flip),
    "No to Yes, position": ("position-yes-no", answered("No"), flip),
    "Yes to No, motion": ("motion-yes-no", answered("Yes"), flip),
    "No to Yes, motion": ("motion-yes-no", answered("No"), flip),
    "letter, existence": ("existence-choice", bool, next_letter),
    "letter, position": ("position-choice", bool, next_letter),
    "letter, distance": ("distance-choice", bool, next_letter),
    "letter, temporal": ("temporal-choice", bool, next_letter),
    "letter E": ("distance-choice", bool, lambda question: changed(question, answer="E")),
    "options swapped, distance": ("distance-choice", bool, swap_options),
    "options swapped, existence": ("existence-choice", bool, swap_options),
    "wrong option that is there": (
        "existence-choice",
        lambda question: len(question.facts["present"]) > 1,
        with_option(
            lambda question: next(name for name in question.facts["present"] if name not in question.options),
            wrong=True,
        ),
    ),
    "right option that is not there": (
        "existence-choice",
        lambda question: "trailer" not in (*question.facts["present"], *question.options),
        with_option(lambda _: "trailer", wrong=False),
    ),
    "option twice": ("position-choice", bool, with_option(lambda q: q.options["ABCD".index(q.answer)], wrong=True)),
    "class that is no option": (
        "distance-choice",
        lambda question: "traffic cone" not in question.options,
        with_option(lambda _: "traffic cone", wrong=True),
    ),
    "interval one frame longer": ("temporal-choice", bool, later_end),
    "wrong interval inside the truth": (
        "temporal-choice",
        lambda question: truth(question)[1] - truth(question)[0] > 6,
        with_option(lambda question: interval(truth(question)[0], truth(question)[1] - 1), wrong=True),
    ),
    "wrong interval out of the scene": (
        "temporal-choice",
        bool,
        with_option(lambda question: interval(question.keyframes - 6, question.keyframes), wrong=True),
    ),
    "frame shifted, position": ("position-choice", with_objects, other_frame),
    "frame shifted, distance": ("distance-choice", with_objects, other_frame),
    "class asked about": (
        "existence-yes-no",
        lambda question: question.answer == "Yes" and question.entities == ("car",),
        reworded("Does car", "Does trailer", entities=("trailer",), context="trailer"),
    ),
    "sector asked about": (
        "position-yes-no",
        lambda question: question.answer == "Yes" and question.relation == "front",
        reworded("at the front position", "at the back position", relation="back", context="car|back"),
    ),
    "predicate asked about": (
        "motion-yes-no",
        lambda question: question.answer == "Yes" and question.relation == "closer",
        reworded("become closer to", "move farther away from", relation="farther"),
    ),
    "unknown wording": ("motion-yes-no", bool, reworded("During frames", "In frames")),
    "frames": ("motion-yes-no", bool, lambda q: changed(q, frames=(q.frames[0], q.frames[1] - 1))),
    "entities": ("position-yes-no", bool, lambda question: changed(question, entities=("bus",))),
    "relation": ("motion-yes-no", bool, lambda question: changed(question, relation=None)),
    "key frames": ("existence-choice", bool, lambda question: changed(question, keyframes=question.keyframes - 1)),
    "evidence": (
        "motion-yes-no",
        bool,
        lambda q: changed(q, evidence=changed(q.evidence, frames=q.evidence.frames[:-1])),
    ),
    "rule": ("distance-choice", bool, lambda question: changed(question, rule="farthest-class")),
    "scene": (
        "position-choice",
        bool,
        lambda q: changed(q, scene=next(name for name in SCENES if name != q.scene)),
    ),
    "unknown scene": ("position-choice", bool, lambda question: changed(question, scene="scene-9999")),
    "channel": ("position-choice", bool, lambda question: changed(question, channel="CAM_FRONT")),
    "prompt": ("position-choice", bool, lambda question: changed(question, prompt="The car is in front.")),
    "position of an object": ("position-choice", bool, fact("objects.0.x", lambda x: x + 1e-4)),
    "distance of an object": ("distance-choice", bool, fact("objects.1.distance_m", lambda metres: metres + 0.01)),
    "box token": ("motion-yes-no", bool, fact("objects.1.box", lambda token: token[::-1])),
    "track": ("motion-yes-no", bool, fact("objects.0.track", lambda token: token[::-1])),
    "pose token": ("existence-choice", bool, fact("poses.0.token", lambda token: token[::-1])),
    "pose token of an event": ("temporal-choice", bool, fact("poses.3.token", lambda token: token[::-1])),
    "returns of an object": ("position-yes-no", bool, fact("objects.0.lidar_points", lambda points: points + 1)),
    "bearing": ("position-choice", bool, fact("bearing_deg", lambda degrees: degrees + 0.01)),
    "sector": ("position-choice", bool, fact("sector", lambda sector: "left" if sector != "left" else "right")),
    "distance change": ("motion-yes-no", bool, fact("distance_delta_m", lambda metres: -metres)),
    "lateral change": ("motion-yes-no", bool, fact("lateral_delta_m", lambda metres: metres + 0.5)),
    "below the threshold, removed": ("motion-yes-no", below, drop("below_threshold")),
    "below the threshold, added": (
        "motion-yes-no",
        lambda question: not below(question),
        partial(with_facts, change=lambda facts: facts.update(below_threshold=True)),
    ),
    "classes present": ("existence-yes-no", with_objects, fact("present", lambda labels: labels[:-1])),
    "no objects": ("distance-choice", bool, drop("objects")),
    "smallest returns": ("existence-yes-no", bool, fact("min_lidar_points", lambda points: points + 1)),
    "coordinate frame": ("position-choice", bool, fact("coordinate_frame", lambda _: "LiDAR: x right, y forward")),
    "ego-motion text": ("motion-yes-no", bool, fact("ego_motion.text", lambda text: text.replace("forward", "left"))),
    "ego-motion frames": ("distance-choice", bool, fact("ego_motion.end_frame", lambda frame: frame + 1)),
    "ego motion, removed": ("distance-choice", bool, drop("ego_motion")),
    "interval in the facts": ("temporal-choice", bool, fact("interval", lambda ends: [ends[0], ends[1] - 1])),
    "event": ("temporal-choice", bool, fact("event.kind", lambda kind: "b4dl")),
    "definition, removed": ("temporal-choice", bool, fact("event.definition", lambda _: "")),
    "definition": (
        "temporal-choice",
        lambda question: question.facts["event"]["kind"].endswith("-in-sector"),
        fact("event.definition", lambda words: words.replace("2.5", "0").replace("7.5", "0")),
    ),
    "margin": ("distance-choice", bool, lambda question: changed(question, margin=(question.margin or 0) + 0.001)),
    "margin, removed": ("position-choice", bool, lambda question: changed(question, margin=None)),
    "fewest returns": ("motion-yes-no", bool, lambda question: changed(question, lidar_points=1_000)),
    "context": ("position-yes-no", bool, lambda question: changed(question, context=question.entities[0])),
    "features": ("temporal-choice", bool, lambda question: changed(question, features=("1", "2", "3", "4"))),
    "needs": ("motion-yes-no", bool, lambda question: changed(question, needs=("boxes",))),
}


@pytest.mark.parametrize("mutation", ANSWERS)
def test_a_changed_answer_is_found_and_named(mutation: str, original: Original) -> None:
    template, keep, change = ANSWERS[mutation]
    target = original.first(template, keep)
    broken = change(target)
    assert broken != target
    others = [question for question in original.questions if question is not target]
    benchmark = rebuilt(original.benchmark, [broken, *others])
    findings = audit(benchmark, original.root)
    named = {finding.question for finding in findings}
    assert benchmark.questions[0].id in named, findings
    # Nobody else is blamed, but for the benchmark's balance and the contrasts of a changed answer, and its order,
    # in which a question of another identity has another place.
    others_blamed = {f.rule for f in findings if f.question != benchmark.questions[0].id}
    assert others_blamed <= {"balance", "uniqueness", "counts", "order"}


def without(question: Question, original: Original) -> list[Question]:
    return [other for other in original.questions if other is not question]


def test_a_question_asked_twice_is_named(original: Original) -> None:
    target = original.first("distance-choice")
    turned = (*target.options[1:], target.options[0])
    answer = "ABCD"[turned.index(target.options["ABCD".index(target.answer)])]
    places = sum(question.family == "distance" for question in original.questions)
    twin = changed(target, options=turned, features=turned, answer=answer, order=places)
    benchmark = rebuilt(original.benchmark, [*original.questions, twin])
    findings = audit(benchmark, original.root)
    twin_id = benchmark.questions[-1].id
    assert {(f.question, f.rule) for f in findings if f.question} == {(twin_id, "uniqueness"), (twin_id, twin.rule)}
    assert any(target.id in finding.what for finding in findings if finding.rule == "uniqueness")


def test_wrong_links_are_named(original: Original) -> None:
    linked = original.first("motion-yes-no", lambda question: bool(question.links))
    plain = original.first("existence-choice")
    for target, links in ((linked, ()), (linked, ("0" * 16,)), (plain, (linked.id,))):
        broken = [changed(q, links=links) if q is target else q for q in original.questions]
        findings = audit(rebuilt(original.benchmark, broken, links=False), original.root)
        assert [(finding.question, finding.rule) for finding in findings] == [(target.id, "links")]


def test_a_wrong_id_is_named(original: Original) -> None:
    target = original.first("existence-choice")
    table = original.benchmark.table
    renamed = table.with_columns(id=table["id"].replace({target.id: "0" * 16}))
    findings = audit(replace(original.benchmark, table=renamed), original.root)
    assert {(finding.question, finding.rule) for finding in findings} == {("0" * 16, "identity"), ("", "fingerprint")}


def test_a_place_taken_twice_is_named(original: Original) -> None:
    target = original.first("distance-choice", lambda question: question.order == 1)
    for order in (0, 10_000):
        broken = [changed(q, order=order) if q is target else q for q in original.questions]
        findings = audit(rebuilt(original.benchmark, broken), original.root)
        assert {finding.rule for finding in findings} == {"order"}
        assert any(target.id in (finding.question, finding.what.split()[-4]) for finding in findings) or order == 0


def test_wrong_counts_and_lost_balance_are_named(original: Original) -> None:
    kept = without(original.first("motion-yes-no", answered("No")), original)
    findings = audit(rebuilt(original.benchmark, kept, counts=False), original.root)
    assert {"counts", "balance"} <= {finding.rule for finding in findings}
    smaller = msgspec.structs.replace(original.benchmark.record, parameters={"per_family": 10, **_kept(original)})
    findings = audit(replace(original.benchmark, record=smaller), original.root)
    assert {finding.rule for finding in findings} == {"counts"}


def _kept(original: Original) -> dict[str, Any]:
    parameters = original.benchmark.record.parameters
    return {name: value for name, value in parameters.items() if name != "per_family"}


@pytest.mark.parametrize(
    ("name", "value"), [("min_lidar_points", 4), ("min_margin", 3.0), ("annotated_sector", [-60.0, 60.0])]
)
def test_parameters_that_do_not_fit_the_answers_are_found(name: str, value: Any, original: Original) -> None:
    parameters = original.benchmark.record.parameters | {name: value}
    record = msgspec.structs.replace(original.benchmark.record, parameters=parameters)
    assert audit(replace(original.benchmark, record=record), original.root)


def seen(question: Question, index: int = 0) -> str:
    """Token of a box that the question rests on."""
    return str(question.facts["objects"][index]["box"])


def pose_of(question: Question, index: int = 0) -> str:
    return str(question.facts["poses"][index]["token"])


def reading_of(tables: Tables, question: Question, index: int = 0) -> dict[str, Any]:
    return next(row for row in tables["sample_data"] if row["ego_pose_token"] == pose_of(question, index))


def move_box(tables: Tables, question: Question) -> str:
    row_of(tables, "sample_annotation", seen(question))["translation"][0] += 3
    return seen(question)


def set_box(name: str, value: Any) -> Callable[[Tables, Question], str]:
    def change(tables: Tables, question: Question) -> str:
        row_of(tables, "sample_annotation", seen(question))[name] = value
        return seen(question)

    return change


def delete_box(tables: Tables, question: Question) -> str:
    tables["sample_annotation"].remove(row_of(tables, "sample_annotation", seen(question)))
    return seen(question)


def delete_end(tables: Tables, question: Question) -> str:
    tables["sample_annotation"].remove(row_of(tables, "sample_annotation", seen(question, 1)))
    return str(question.facts["objects"][1]["track"])


def another_track(tables: Tables, question: Question) -> str:
    track = question.facts["objects"][0]["track"]
    row = row_of(tables, "sample_annotation", seen(question, 1))
    row["instance_token"] = next(other["token"] for other in tables["instance"] if other["token"] != track)
    return str(track)


def another_category(tables: Tables, question: Question) -> str:
    track = question.facts["objects"][0]["track"]
    animal = next(row["token"] for row in tables["category"] if row["name"] == "animal")
    row_of(tables, "instance", track)["category_token"] = animal
    return seen(question)


def appearing_class(tables: Tables, question: Question) -> str:
    """Make something that is there at the frame asked about one of the class that was absent."""
    sample = reading_of(tables, question)["sample_token"]
    seen_there = next(
        row for row in tables["sample_annotation"] if row["sample_token"] == sample and row["num_lidar_pts"]
    )
    trailer = next(row["token"] for row in tables["category"] if row["name"] == "vehicle.trailer")
    row_of(tables, "instance", seen_there["instance_token"])["category_token"] = trailer
    return "answer: stored 'No', derived 'Yes'"


def rename_box(tables: Tables, question: Question) -> str:
    row_of(tables, "sample_annotation", seen(question))["token"] = "f" * 32
    return "f" * 32


def another_sample(tables: Tables, question: Question) -> str:
    row = row_of(tables, "sample_annotation", seen(question))
    sample = row_of(tables, "sample", row["sample_token"])
    row["sample_token"] = sample["next"] or sample["prev"]
    return seen(question)


def nearer_box(tables: Tables, question: Question) -> str:
    """Put a second box of the same class between the ego vehicle and the nearest."""
    row = deepcopy(row_of(tables, "sample_annotation", seen(question)))
    ego = row_of(tables, "ego_pose", pose_of(question))["translation"]
    row["translation"] = [(a + b) / 2 for a, b in zip(row["translation"], ego, strict=True)]
    row["token"] = "e" * 32
    tables["sample_annotation"].append(row)
    return "e" * 32


def turn_pose(tables: Tables, question: Question) -> str:
    row = row_of(tables, "ego_pose", pose_of(question))
    w, x, y, z = row["rotation"]
    cosine, sine = 0.9961946980917455, 0.08715574274765817  # half of ten degrees
    row["rotation"] = [cosine * w - sine * z, cosine * x - sine * y, cosine * y + sine * x, cosine * z + sine * w]
    return "bearing_deg"


def move_pose(tables: Tables, question: Question) -> str:
    row_of(tables, "ego_pose", pose_of(question))["translation"][1] += 1
    return "distance_m"


def rename_pose(tables: Tables, question: Question) -> str:
    reading = reading_of(tables, question)
    row_of(tables, "ego_pose", pose_of(question))["token"] = "d" * 32
    reading["ego_pose_token"] = "d" * 32
    return "d" * 32


def another_pose(tables: Tables, question: Question) -> str:
    other = next(row["token"] for row in tables["ego_pose"] if row["token"] != pose_of(question))
    reading_of(tables, question)["ego_pose_token"] = other
    return other


def late_reading(tables: Tables, question: Question) -> str:
    """Date the reference LiDAR's reading ten seconds later, so that the ego vehicle looks slow."""
    reading_of(tables, question, -1)["timestamp"] += 10_000_000
    return "ego_motion"


def swap_samples(tables: Tables, question: Question) -> str:
    """Exchange a key frame and the next in the chain."""
    first = row_of(tables, "sample", reading_of(tables, question)["sample_token"])
    second = row_of(tables, "sample", first["next"])
    before = row_of(tables, "sample", first["prev"])
    before["next"], first["next"], second["next"] = second["token"], second["next"], first["token"]
    return pose_of(question)


def shorten(tables: Tables, question: Question) -> str:
    """Let the scene begin one key frame later."""
    scene = next(row for row in tables["scene"] if row["name"] == question.scene)
    scene["first_sample_token"] = row_of(tables, "sample", scene["first_sample_token"])["next"]
    return "keyframes"


def rename_scene(tables: Tables, question: Question) -> str:
    next(row for row in tables["scene"] if row["name"] == question.scene)["name"] = "scene-0000"
    return question.scene


def inner(question: Question) -> bool:
    return 2 < question.frames[0] < question.keyframes - 3


TableChange = Callable[[Tables, Question], str]
TABLES: dict[str, tuple[str, Callable[[Question], bool], TableChange]] = {
    "box moved, position": ("position-choice", bool, move_box),
    "box moved, distance": ("distance-choice", bool, move_box),
    "box moved, motion": ("motion-yes-no", bool, move_box),
    "box moved, existence": ("existence-yes-no", answered("Yes"), move_box),
    "no returns, existence": ("existence-yes-no", answered("Yes"), set_box("num_lidar_pts", 0)),
    "no returns, distance": ("distance-choice", bool, set_box("num_lidar_pts", 0)),
    "other returns": ("position-choice", bool, set_box("num_lidar_pts", 12_345)),
    "unknown returns": ("position-choice", bool, set_box("num_lidar_pts", None)),
    "size of zero": ("position-choice", bool, set_box("size", [0.0, 1.0, 1.0])),
    "rotation of zero": ("position-choice", bool, set_box("rotation", [0.0, 0.0, 0.0, 0.0])),
    "box deleted, existence": ("existence-choice", bool, delete_box),
    "box deleted, position": ("position-yes-no", bool, delete_box),
    "box deleted, event": ("temporal-choice", with_objects, delete_box),
    "box deleted at the end": ("motion-yes-no", bool, delete_end),
    "box of another track": ("motion-yes-no", bool, another_track),
    "other category": ("position-choice", bool, another_category),
    "class appears": ("existence-yes-no", lambda q: q.answer == "No" and q.entities == ("trailer",), appearing_class),
    "box renamed": ("distance-choice", bool, rename_box),
    "box of another key frame": ("position-choice", inner, another_sample),
    "nearer box": ("position-choice", lambda question: question.margin is not None, nearer_box),
    "ego vehicle turned": ("position-choice", bool, turn_pose),
    "ego vehicle moved": ("position-choice", bool, move_pose),
    "ego vehicle moved, distance": ("distance-choice", bool, move_pose),
    "pose renamed": ("existence-choice", bool, rename_pose),
    "pose of another key frame": ("position-choice", inner, another_pose),
    "time of a reading": (
        "motion-yes-no",
        lambda question: "nearly stationary" not in question.facts["ego_motion"]["text"],
        late_reading,
    ),
    "key frames exchanged": ("position-choice", inner, swap_samples),
    "scene one key frame shorter": ("position-choice", bool, shorten),
    "scene renamed": ("distance-choice", bool, rename_scene),
}


@pytest.mark.parametrize("mutation", TABLES)
def test_a_changed_table_is_found_and_named(
    mutation: str, original: Original, folders: Callable[[Tables], Path]
) -> None:
    template, keep, change = TABLES[mutation]
    target = original.first(template, keep)
    tables = deepcopy(original.tables)
    named = change(tables, target)
    findings = audit(original.benchmark, folders(tables))
    about = [finding for finding in findings if finding.question == target.id]
    assert about, findings[:5]
    assert {finding.rule for finding in about} == {target.rule}
    assert any(named in finding.what for finding in about), (named, about)


@pytest.mark.parametrize("table", ["scene", "sample", "sample_annotation", "ego_pose", "sample_data", "instance"])
def test_a_row_that_stands_twice_is_refused_by_name(
    table: str, original: Original, folders: Callable[[Tables], Path]
) -> None:
    tables = deepcopy(original.tables)
    target = original.first("position-choice")
    token = {
        "sample_annotation": seen(target),
        "ego_pose": pose_of(target),
        "sample_data": reading_of(tables, target)["token"],
    }.get(table, tables[table][0]["token"])
    tables[table].append(dict(row_of(tables, table, token)))
    with pytest.raises(InputError, match=f"{table}.json, token {token}: the token stands in more than one row"):
        audit(original.benchmark, folders(tables))


def test_a_scene_of_the_same_name_is_refused_by_name(original: Original, folders: Callable[[Tables], Path]) -> None:
    tables = deepcopy(original.tables)
    tables["scene"].append({**tables["scene"][0], "token": "a" * 32})
    with pytest.raises(InputError, match=f"name {tables['scene'][0]['name']}: the name stands in more than one row"):
        audit(original.benchmark, folders(tables))


@pytest.mark.parametrize("value", [-1, "1532402927647951", 1.5e15 + 0.5, None])
def test_a_time_that_is_none_is_refused_by_name(
    value: Any, original: Original, folders: Callable[[Tables], Path]
) -> None:
    for table in ("sample", "sample_data"):
        tables = deepcopy(original.tables)
        tables[table][0]["timestamp"] = value
        with pytest.raises(InputError, match=rf"{table}.json, row 1 .*timestamp"):
            audit(original.benchmark, folders(tables))


def test_a_track_annotated_again_is_named(original: Original, folders: Callable[[Tables], Path]) -> None:
    target = original.first("position-choice")
    tables = deepcopy(original.tables)
    tables["sample_annotation"].append({**row_of(tables, "sample_annotation", seen(target)), "token": "f" * 32})
    findings = audit(original.benchmark, folders(tables))
    again = [finding.what for finding in findings if finding.rule == "annotated-again"]
    assert len(again) == 1
    assert seen(target) in again[0]
    assert "f" * 32 in again[0]
    # A build of such tables counts the second box, and is right.
    root = folders(tables)
    assert audit(build("lidar-hallu", open_scenes(root), None, per_family=60), root) == []


def rule_names(original: Original, questions: list[Question] | None = None, **fields: Any) -> set[str]:
    """Rules that a benchmark with another record, or with other questions, breaks."""
    benchmark = original.benchmark if questions is None else rebuilt(original.benchmark, questions)
    record = msgspec.structs.replace(benchmark.record, **fields)
    return {finding.rule for finding in audit(replace(benchmark, record=record), original.root)}


def test_a_record_that_does_not_fit_is_found(original: Original) -> None:
    record = original.benchmark.record
    assert rule_names(original, source=msgspec.structs.replace(record.source, scenes=3)) == {"source"}
    assert "counts" in rule_names(original, parameters={**record.parameters, "per_family": 5000})
    assert rule_names(original, parameters=_kept(original)) == {"counts"}
    assert record.shortfalls
    assert rule_names(original, shortfalls=[]) == {"counts"}
    assert "order" in rule_names(original, seed=7)


@pytest.mark.parametrize("family", ["existence", "position", "motion", "distance"])
def test_a_lost_question_is_found(family: str, original: Original) -> None:
    last = max((q for q in original.questions if q.family == family), key=lambda question: question.order)
    assert "counts" in rule_names(original, without(last, original))


def test_questions_that_change_places_are_found(original: Original) -> None:
    for family in ("existence", "temporal"):
        one, other = [q for q in original.questions if q.family == family][1:3]
        places = {one.id: other.order, other.id: one.order}
        swapped = [changed(q, order=places.get(q.id, q.order)) for q in original.questions]
        assert rule_names(original, swapped) == {"order"}


def turned(question: Question, options: tuple[str, ...]) -> Question:
    """The same question with its options in another order, and the letter that belongs to it."""
    features = dict(zip(question.options, question.features, strict=True))
    right = question.options["ABCD".index(question.answer)]
    return changed(
        question,
        options=options,
        features=tuple(features[option] if question.features else option for option in options),
        answer="ABCD"[options.index(right)],
    )


@pytest.mark.parametrize("template", ["existence-choice", "position-choice", "distance-choice", "temporal-choice"])
def test_options_in_another_order_than_drawn_are_found(template: str, original: Original) -> None:
    reversed_one = turned(target := original.first(template), target.options[::-1])
    findings = audit(rebuilt(original.benchmark, [reversed_one, *without(target, original)]), original.root)
    assert any("options" in f.what for f in findings if f.question == derived_id(reversed_one))
    right_first = [
        turned(
            q, (q.options["ABCD".index(q.answer)], *(o for i, o in enumerate(q.options) if i != "ABCD".index(q.answer)))
        )
        if q.template == template
        else q
        for q in original.questions
    ]
    named = {f.question for f in audit(rebuilt(original.benchmark, right_first), original.root)}
    moved = [q for q in original.questions if q.template == template and q.answer != "A"]
    assert len(named - {""}) >= len(moved)


def test_intervals_without_leading_zeros_are_found(original: Original) -> None:
    target = original.first(
        "temporal-choice", lambda q: any(" 00" in option or " 01" in option for option in q.options)
    )
    options = tuple(re.sub(r"\b0+(?=\d)", "", option) for option in target.options)
    broken = changed(target, options=options)
    findings = audit(rebuilt(original.benchmark, [broken, *without(target, original)]), original.root)
    assert any("NNN" in f.what for f in findings if f.question == derived_id(broken))


def test_fifty_mutations_at_least() -> None:
    assert len(ANSWERS) + len(TABLES) >= 50


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(12, 50))])
def test_an_unchanged_copy_raises_nothing(seed: int, original: Original, tmp_path: Path) -> None:
    assert audit(*original.unbroken_copy(tmp_path, seed)) == []


def test_a_build_on_all_ten_scenes_passes(real_data: Callable[[str], Path]) -> None:
    root = real_data("nuscenes_mini")
    benchmark = build("lidar-hallu", open_scenes(root), None)
    assert benchmark.table["scene"].n_unique() == 10
    assert audit(benchmark, root) == []
