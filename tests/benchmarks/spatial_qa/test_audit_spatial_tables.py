"""Breaks tables, records and words; the audit has to name what they make wrong, and nothing in unbroken copies."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from scipy.spatial.transform import Rotation
from spatial_mutating import SCENES, VERSION, Original, Tables, changed, objects_in_order, rebuilt, row_of, with_facts

from probe4d.benchmarks.question import Question, derived_id
from probe4d.benchmarks.spatial_qa.audit import audit
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES
from probe4d.benchmarks.suites import build, check
from probe4d.errors import InputError
from probe4d.scenes.opening import open_scenes

pytestmark = pytest.mark.real_data

Row = dict[str, Any]
ChangeTables = Callable[[Tables, Question], None]


@pytest.fixture
def folder(original: Original, tmp_path: Path) -> Callable[[Tables], Path]:
    """Write changed tables beside links to the others."""

    def write(tables: Tables) -> Path:
        (tmp_path / VERSION).mkdir()
        for name, rows in tables.items():
            path = tmp_path / VERSION / f"{name}.json"
            if rows == original.tables[name]:
                path.symlink_to(original.root / VERSION / path.name)
            else:
                path.write_text(json.dumps(rows))
        return tmp_path

    return write


def box_of(tables: Tables, question: Question, place: int = 0) -> Row:
    return row_of(tables, "sample_annotation", question.facts["objects"][place]["box"])


def witness_of(tables: Tables, question: Question) -> Row:
    return row_of(tables, "sample_annotation", question.facts["witness"])


def reading_of(tables: Tables, question: Question, channel: str) -> Row:
    scene = next(row for row in tables["scene"] if row["name"] == question.scene)
    token = scene["first_sample_token"]
    for _ in range(question.frames[0]):
        token = row_of(tables, "sample", token)["next"]
    sensors = {row["token"]: row["channel"] for row in tables["sensor"]}
    of = {row["token"]: sensors[row["sensor_token"]] for row in tables["calibrated_sensor"]}
    there = (row for row in tables["sample_data"] if row["sample_token"] == token)
    return next(row for row in there if of[row["calibrated_sensor_token"]] == channel)


def camera_of(tables: Tables, question: Question) -> Row:
    assert question.channel is not None
    reading = reading_of(tables, question, question.channel)
    return row_of(tables, "calibrated_sensor", reading["calibrated_sensor_token"])


def turned(quaternion: list[float], degrees: float) -> list[float]:
    """A quaternion w-x-y-z turned about the vertical axis, before what it did itself."""
    w, x, y, z = quaternion
    x, y, z, w = (Rotation.from_euler("z", degrees, degrees=True) * Rotation.from_quat([x, y, z, w])).as_quat()
    return [w, x, y, z]


def set_box(column: str, change: Callable[[Any], Any], place: int = 0) -> ChangeTables:
    def apply(tables: Tables, question: Question) -> None:
        row = box_of(tables, question, place)
        row[column] = change(row[column])

    return apply


def delete_box(tables: Tables, question: Question) -> None:
    tables["sample_annotation"].remove(box_of(tables, question))


def other_category(tables: Tables, question: Question) -> None:
    instance = row_of(tables, "instance", box_of(tables, question)["instance_token"])
    categories = (row for row in tables["category"] if row["name"].startswith("animal"))
    instance["category_token"] = next(categories)["token"]


def move_ego(tables: Tables, question: Question) -> None:
    pose = row_of(tables, "ego_pose", reading_of(tables, question, "LIDAR_TOP")["ego_pose_token"])
    pose["translation"][0] += 0.5
    pose["translation"][1] += 0.5


def turn_ego(tables: Tables, question: Question) -> None:
    pose = row_of(tables, "ego_pose", reading_of(tables, question, "LIDAR_TOP")["ego_pose_token"])
    pose["rotation"] = turned(pose["rotation"], 5)


def turn_vehicle_at_camera(tables: Tables, question: Question) -> None:
    """At the camera's own time the ego vehicle heads elsewhere."""
    assert question.channel is not None
    pose = row_of(tables, "ego_pose", reading_of(tables, question, question.channel)["ego_pose_token"])
    pose["rotation"] = turned(pose["rotation"], 2)


def turn_camera(tables: Tables, question: Question) -> None:
    row = camera_of(tables, question)
    row["rotation"] = turned(row["rotation"], 120)


def widen_camera(tables: Tables, question: Question) -> None:
    row = camera_of(tables, question)
    row["camera_intrinsic"][0][0] /= 50
    row["camera_intrinsic"][1][1] /= 50


def shrink_image(tables: Tables, question: Question) -> None:
    assert question.channel is not None
    reading_of(tables, question, question.channel).update(width=30, height=30)


def lose_reading(tables: Tables, question: Question) -> None:
    assert question.channel is not None
    tables["sample_data"].remove(reading_of(tables, question, question.channel))


def rename_scene(tables: Tables, question: Question) -> None:
    next(row for row in tables["scene"] if row["name"] == question.scene)["name"] = "scene-9999"


def shorten_scene(tables: Tables, question: Question) -> None:
    first = next(row for row in tables["scene"] if row["name"] == question.scene)
    first["first_sample_token"] = row_of(tables, "sample", first["first_sample_token"])["next"]


def hide_box(tables: Tables, question: Question) -> None:
    level = next(row for row in tables["visibility"] if row["level"] == "v0-40")
    box_of(tables, question)["visibility_token"] = level["token"]


def pedestrian_beside_ego(tables: Tables, question: Question) -> None:
    """A pedestrian that no image needs to show is at the ego vehicle's side."""
    pose = row_of(tables, "ego_pose", reading_of(tables, question, "LIDAR_TOP")["ego_pose_token"])
    row = deepcopy(tables["sample_annotation"][0])
    names = {row["token"]: row["name"] for row in tables["category"]}
    pedestrian = next(row for row in tables["instance"] if names[row["category_token"]].startswith("human.pedestrian"))
    sample = reading_of(tables, question, "LIDAR_TOP")["sample_token"]
    place = {"translation": list(pose["translation"]), "instance_token": pedestrian["token"], "sample_token": sample}
    tables["sample_annotation"].append(row | {"token": "f" * 32, "prev": "", "next": ""} | place)


def shrink_witness(tables: Tables, question: Question) -> None:
    row = witness_of(tables, question)
    row["size"] = [size / 2 for size in row["size"]]


def far_witness(tables: Tables, question: Question) -> None:
    witness_of(tables, question)["translation"][0] += 300.0


def answered(answer: str) -> Callable[[Question], bool]:
    return lambda question: question.answer == answer


def inner(question: Question) -> bool:
    return question.frames[0] > 1


TABLES: dict[str, tuple[str, Callable[[Question], bool], ChangeTables, str]] = {
    "box moved": ("distance", bool, set_box("translation", lambda at: [at[0] + 1, *at[1:]]), "facts.distance_m"),
    "box lifted": ("above", bool, set_box("translation", lambda at: [*at[:2], at[2] + 0.3]), "elevation_difference_m"),
    "box grown": ("larger", bool, set_box("size", lambda size: [1.1 * each for each in size]), "volume_difference_m3"),
    "width and length exchanged": ("wider", bool, set_box("size", lambda s: [s[1], s[0], s[2]]), "width_difference_m"),
    "box turned": ("passing", lambda q: q.facts["gap_m"] > 1, set_box("rotation", lambda q: turned(q, 40)), "gap_m"),
    "box of no size": ("length", bool, set_box("size", lambda size: [0.0, *size[1:]]), "the scene has no box "),
    "box of no place": ("height", bool, set_box("translation", lambda at: [None, *at[1:]]), "the scene has no box "),
    "box renamed": ("behind", bool, set_box("token", lambda token: token[::-1]), "the scene has no box "),
    "box deleted": ("bearing", bool, delete_box, "the scene has no box "),
    "box of hardly any visibility": ("taller", bool, hide_box, "is below level 4"),
    "returns": ("in-front", bool, set_box("num_lidar_pts", lambda points: 0), "lidar_points: stored "),
    "unknown returns": ("left", bool, set_box("num_lidar_pts", lambda points: None), "derived None"),
    "option moved": (
        "closest-to-ego",
        bool,
        set_box("translation", lambda at: [at[0] + 3, *at[1:]], place=1),
        "facts.distances_m[1]",
    ),
    "category": ("ego-distance", bool, other_category, "context: stored "),
    "category of what is parked": ("parking", bool, other_category, "stands for no vehicle"),
    "category of an option": ("largest", bool, other_category, "features: stored "),
    "ego vehicle moved": ("ego-longitudinal-offset", bool, move_ego, "facts.ego_longitudinal_m"),
    "ego vehicle turned": ("ego-lateral-offset", lambda q: float(q.answer) > 3, turn_ego, "facts.ego_lateral_m"),
    "ego vehicle turned, bearing": ("bearing", bool, turn_ego, "facts.bearing_deg"),
    "ego vehicle turned at the camera's time": ("right", bool, turn_vehicle_at_camera, "sideways_difference_m"),
    "camera turned": ("in-front", bool, turn_camera, " does not show box "),
    "camera of another lens": ("near-object", bool, widen_camera, " px, and has to be larger than 40 px"),
    "image of another size": ("closer-to-object", bool, shrink_image, "box "),
    "no image": ("occlusion", bool, lose_reading, " does not show box "),
    "scene renamed": ("wide-vehicle", bool, rename_scene, "the dataset has no scene "),
    "scene one key frame shorter": ("smaller", inner, shorten_scene, "and the question of "),
    "pedestrian beside the ego vehicle": ("pedestrian-risk", answered("No"), pedestrian_beside_ego, "has none"),
    "vehicle no longer tall": ("bridge", answered("Yes"), shrink_witness, "facts.witness: stored "),
    "nothing near any more": ("near-ego", answered("Yes"), far_witness, "facts.witness: stored "),
    "nothing near an object any more": ("near-object", answered("Yes"), far_witness, "facts.witness: stored "),
    "vehicle no longer wide": ("wide-vehicle", answered("Yes"), shrink_witness, "facts.witness: stored "),
    "screen moved aside": (
        "occlusion",
        answered("Yes"),
        set_box("translation", lambda at: [at[0], at[1], at[2] - 30]),
        "facts.hidden_after_m",
    ),
    "other box moved": (
        "collision",
        bool,
        set_box("translation", lambda at: [at[0], at[1] + 0.5, at[2]], place=1),
        "facts.distance_m",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_changed_table_is_found_and_named(name: str, original: Original, folder: Callable[[Tables], Path]) -> None:
    template, keep, change, told = TABLES[name]
    target = original.first(template, keep)
    tables = deepcopy(original.tables)
    change(tables, target)
    findings = audit(original.benchmark, folder(tables))
    about = [finding for finding in findings if finding.question == target.id]
    assert {finding.rule for finding in about} == {target.rule}, findings[:5]
    assert any(told in finding.what for finding in about), about


def view_of(question: Question) -> tuple[object, ...]:
    return question.scene, question.frames, question.channel


def renamed(question: Question, words: dict[str, str]) -> Question:
    """A question that calls objects otherwise, wherever it does."""

    def told(facts: dict[str, Any]) -> None:
        for one in facts["objects"]:
            one["label"] = words.get(one["label"], one["label"])

    text = question.question or ""
    for number, old in enumerate(words):
        text = text.replace(old, f"\0{number}\0")
    for number, new in enumerate(words.values()):
        text = text.replace(f"\0{number}\0", new)
    return changed(
        with_facts(question, told),
        question=text,
        entities=tuple(words.get(entity, entity) for entity in question.entities),
        options=tuple(words.get(option, option) for option in question.options),
    )


def labels(question: Question) -> list[str]:
    return [one["label"] for one in question.facts["objects"]]


def test_letters_that_change_places_are_found(lettered: Original) -> None:
    target = lettered.first("distance")
    first, second = labels(target)
    swapped = renamed(target, {first: second, second: first})
    findings = audit(lettered.with_changes({target.id: swapped}), lettered.root)
    about = [finding for finding in findings if finding.question == derived_id(swapped)]
    assert {finding.rule for finding in about} == {"distance"}
    assert f"'{first}' stands for an object whose place from the left makes it '{second}'." in {f.what for f in about}


def test_letters_follow_from_all_that_an_image_shows(lettered: Original, tmp_path: Path) -> None:
    leftmost = {view_of(q): q for q in lettered.questions if labels(q) == ["object A"]}
    target = next(q for q in lettered.questions if labels(q) == ["object B"] and view_of(q) in leftmost)
    tables = deepcopy(lettered.tables)
    tables["sample_annotation"].remove(box_of(tables, leftmost[view_of(target)]))
    (tmp_path / VERSION).mkdir()
    for name, rows in tables.items():
        (tmp_path / VERSION / f"{name}.json").write_text(json.dumps(rows))
    about = [f.what for f in audit(lettered.benchmark, tmp_path) if f.question == target.id]
    assert about == ["'object B' stands for an object whose place from the left makes it 'object A'."]


def test_a_track_that_one_question_calls_otherwise_is_found(original: Original) -> None:
    times = Counter(label for question in original.questions for label in labels(question))
    target = original.first("ego-distance", lambda q: times[labels(q)[0]] > 3)
    odd = renamed(target, {labels(target)[0]: "the blue lorry"})
    findings = audit(original.with_changes({target.id: odd}), original.root)
    assert [(f.question, f.rule, f.what) for f in findings] == [
        (derived_id(odd), odd.rule, "'the blue lorry' stands for a track that other questions call otherwise.")
    ]


def test_words_that_stand_for_two_objects_of_an_image_are_found(original: Original) -> None:
    first, second = labels(original.first("distance"))
    # Questions about both would name one of them twice.
    kept = [q for q in original.questions if not {first, second} <= set(labels(q))]
    called = {first: first.upper(), second: first}
    findings = audit(rebuilt(original.benchmark, [renamed(q, called) for q in kept]), original.root)
    named = {f.question for f in findings if "stands for two objects of the image" in f.what}
    both = {view_of(q) for q in kept if first in labels(q)} & {view_of(q) for q in kept if second in labels(q)}
    assert named == {
        derived_id(renamed(q, called)) for q in kept if view_of(q) in both and {first, second} & set(labels(q))
    }
    assert named


def test_kept_ambiguous_words_are_told_apart_by_their_tracks(original: Original, tmp_path: Path) -> None:
    scenes = open_scenes(original.root)
    tracks = scenes.boxes.select("track", "category").unique().iter_rows()
    captions = tmp_path / "captions.jsonl"
    lines = [{"track": track, "caption": f"the {category.split('.')[1]}"} for track, category in tracks]
    captions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    benchmark = build("spatial-qa", scenes, None, scale="sample:760", captions=captions, ambiguous="keep")
    assert audit(benchmark, original.root) == []
    told_apart = next(q for q in benchmark.questions if q.template == "distance" and q.entities[0].endswith(")"))
    for entities in ((told_apart.entities[0][:-2] + "0)", told_apart.entities[1]), (labels(told_apart)[0], "a car")):
        broken = changed(told_apart, entities=entities)
        others = [broken if q.id == told_apart.id else q for q in benchmark.questions]
        about = [f for f in audit(rebuilt(benchmark, others), original.root) if f.question == derived_id(broken)]
        assert about
        assert all(f.what.startswith("entities[") for f in about)
    # Left out, as is usual, they would stand for two objects of an image.
    parameters = benchmark.record.parameters | {"ambiguous": "drop"}
    record = msgspec.structs.replace(benchmark.record, parameters=parameters)
    found = {f.what.split("'")[2] for f in audit(replace(benchmark, record=record), original.root)}
    assert " stands for two objects of the image." in found


def rules_broken(original: Original, questions: list[Question] | None = None, **fields: Any) -> set[str]:
    """Checks that a benchmark with another record, or with other questions, fails."""
    benchmark = original.benchmark if questions is None else rebuilt(original.benchmark, questions)
    record = msgspec.structs.replace(benchmark.record, **fields)
    return {finding.rule for finding in audit(replace(benchmark, record=record), original.root)}


def test_a_record_that_does_not_fit_is_found(original: Original) -> None:
    record = original.benchmark.record
    assert rules_broken(original, fingerprint="0" * 64) == {"fingerprint"}
    assert rules_broken(original, counts={}) == {"counts"}
    assert rules_broken(original, source=msgspec.structs.replace(record.source, scenes=3)) == {"source"}
    assert rules_broken(original, source=msgspec.structs.replace(record.source, scenes=1)) == {"counts"}
    for stricter in ({"min_side_px": 200.0}, {"unknown_visibility": "drop"}):
        assert len(rules_broken(original, parameters=record.parameters | stricter)) > 20


def test_answers_that_are_not_balanced_are_found(original: Original, lettered: Original) -> None:
    for template in ("above", "collision", "closest-to-ego"):
        lost = original.first(template)
        found = audit(rebuilt(original.benchmark, [q for q in original.questions if q.id != lost.id]), original.root)
        told = [f.what for f in found if f.rule == "balance"]
        assert len(told) == 1
        assert told[0].startswith(f"{template} has ")


def test_answers_of_a_full_build_that_are_not_balanced_are_found(lettered: Original) -> None:
    """There as many are Yes as No of each relation, and of situations of two objects in each scene."""
    by_scene = [(template, scene) for template in ("collision", "occlusion", "passing") for scene in SCENES]
    answers = {of: Counter(q.answer for q in lettered.questions if (q.template, q.scene) == of) for of in by_scene}
    uneven = {f"{template} of {scene}" for (template, scene), n in answers.items() if n["Yes"] != n["No"]}
    lost = lettered.first("collision")
    one_less = f"collision of {lost.scene}"
    kept = rebuilt(lettered.benchmark, [q for q in lettered.questions if q.template != "left" and q.id != lost.id])
    parameters = kept.record.parameters | {"scale": "full"}
    found = audit(replace(kept, record=msgspec.structs.replace(kept.record, parameters=parameters)), lettered.root)
    assert {f.what.split(" has ")[0] for f in found if f.rule == "balance"} == uneven ^ {one_less}


def test_questions_that_come_twice_or_change_places_are_found(original: Original) -> None:
    target = original.first("closest-to-object")
    turned_round = objects_in_order(target, (3, 2, 1, 0))
    again = changed(turned_round, answer="ABCD"[3 - "ABCD".index(target.answer)], order=len(original.questions))
    found = audit(rebuilt(original.benchmark, [*original.questions, again]), original.root)
    assert ("uniqueness", f"asks the same as question {target.id}.") in {
        (f.rule, f.what) for f in found if f.question == derived_id(again)
    }
    first, second = original.questions[:2]
    places = {first.id: second.order}
    swapped = [changed(q, order=places.get(q.id, q.order)) for q in original.questions]
    assert rules_broken(original, swapped) == {"order"}


def test_an_id_of_another_question_is_found(original: Original) -> None:
    target = original.first("near-object")
    questions = [changed(q, id="0" * 16) if q.id == target.id else q for q in original.questions]
    found = audit(rebuilt(original.benchmark, questions, ids=False), original.root)
    assert [(f.question, f.rule, f.what) for f in found] == [("0" * 16, "identity", f"the id should be {target.id}.")]


@pytest.mark.parametrize(
    "parameters", [{"min_visibility": "high"}, {"min_side_px": None}, {"refer": 3}, {"reference_channel": []}]
)
def test_a_strange_parameter_is_named(parameters: dict[str, Any], original: Original) -> None:
    record = msgspec.structs.replace(
        original.benchmark.record, parameters=original.benchmark.record.parameters | parameters
    )
    with pytest.raises(InputError, match=rf"holds a parameter that does not fit .*{next(iter(parameters))}"):
        audit(replace(original.benchmark, record=record), original.root)


def test_tables_that_cannot_be_used_are_named(original: Original, folder: Callable[[Tables], Path]) -> None:
    with pytest.raises(InputError, match=r"holds no tables of version 'v9'.*--version"):
        audit(original.benchmark, original.root, version="v9")
    target = original.first("distance")
    tables = deepcopy(original.tables)
    row = box_of(tables, target)
    tables["sample_annotation"].append(dict(row))
    with pytest.raises(InputError, match=f"sample_annotation.json, token {row['token']}: .* more than one row"):
        audit(original.benchmark, folder(tables))


def test_a_key_frame_without_its_pose_is_named(original: Original, folder: Callable[[Tables], Path]) -> None:
    tables = deepcopy(original.tables)
    reading = reading_of(tables, original.first("distance"), "LIDAR_TOP")
    row_of(tables, "ego_pose", reading["ego_pose_token"])["rotation"] = [0.0, 0.0, 0.0, 0.0]
    with pytest.raises(InputError, match=f"sample {reading['sample_token']}: has no usable ego pose of LIDAR_TOP"):
        audit(original.benchmark, folder(tables))


def test_questions_that_a_full_build_lacks_are_found(original: Original) -> None:
    scenes = open_scenes(original.root).select([SCENES[1]])
    benchmark = build("spatial-qa", scenes, None, refer="marker", split="all", min_side_px=80.0)
    questions = benchmark.questions
    lost = [next(q for q in questions if q.template == template) for template in ("taller", "bearing", "width")]
    # A pair that is taken away in both orders leaves as many Yes as No.
    pair = set(labels(lost[0]))
    gone = {
        q.id for q in questions if q.template == "taller" and set(labels(q)) == pair and view_of(q) == view_of(lost[0])
    }
    gone |= {question.id for question in lost}
    kept = [q for q in questions if q.id not in gone]
    found = audit(rebuilt(benchmark, kept), original.root)
    lacking = {finding.what.split(" about ")[0] for finding in found if finding.rule == "completeness"}
    assert lacking == {
        "taller lacks 2 questions",
        "bearing lacks 1 question",
        "width lacks 1 question",
    }
    assert {finding.rule for finding in found} == {"completeness", "order"}


_FLOAT = re.compile(r"([,:\[]\s*)(-?\d+\.\d+(?:e[-+]\d+)?)(?=\s*[,\]}])")


def in_other_words(rows: list[Row], rng: random.Random) -> str:
    """The same rows: shuffled, keys in another order, floats and white space written anew."""
    keys = rng.sample(sorted(rows[0]), len(rows[0])) if rows else []
    turned_rows = [{key: row[key] for key in sorted(row, key=keys.index)} for row in rng.sample(rows, len(rows))]
    gap = rng.choice(["", " ", "\n  "])
    text = json.dumps(turned_rows, separators=(f",{gap}", f":{gap}"), ensure_ascii=rng.random() < 0.5)
    form = rng.choice(["{:.17g}", "{:.17e}", "{!r}"]).format
    return _FLOAT.sub(lambda match: match[1] + form(float(match[2])), text)


@pytest.mark.parametrize("seed", range(50))
def test_an_unbroken_copy_raises_nothing(seed: int, original: Original, lettered: Original, tmp_path: Path) -> None:
    rng = random.Random(seed)
    of = rng.choice([original, lettered])
    (tmp_path / VERSION).mkdir()
    for name, rows in deepcopy(of.tables).items():
        if name in ("ego_pose", "sample_annotation", "calibrated_sensor"):
            for row in rows:  # the same rotation by a quaternion of another length, or its opposite
                factor = rng.choice([1.0, -1.0, 1e-3, 2.5])
                row["rotation"] = [factor * part for part in row["rotation"]]
        (tmp_path / VERSION / f"{name}.json").write_text(in_other_words(rows, rng), encoding="utf-8")
    facts = [in_other_words([json.loads(text)], rng)[1:-1] for text in of.benchmark.table["facts"]]
    table = of.benchmark.table.with_columns(pl.Series("facts", facts)).sample(fraction=1, shuffle=True, seed=seed)
    assert audit(replace(of.benchmark, table=table), tmp_path) == []


@pytest.mark.parametrize(
    "parameters",
    [
        {"scale": "full"},
        {"scale": "sample:760", "min_visibility": 1, "min_side_px": 8.0},
        {"scale": "sample:760", "balance": "contents", "seed": 3},
    ],
    ids=str,
)
def test_builds_of_other_parameters_pass(parameters: dict[str, Any], original: Original) -> None:
    scenes = open_scenes(original.root).select([SCENES[1]])
    benchmark = build("spatial-qa", scenes, None, refer="marker", split="all", **parameters)
    told: list[str] = []
    checked = check(benchmark, original.root, done=told.append)
    assert checked.findings == []
    assert checked.questions == len(told) == benchmark.table.height
    assert set(told) == set(benchmark.table["id"])
    if parameters["scale"] == "full":
        assert set(benchmark.table["template"]) == set(TEMPLATES)
