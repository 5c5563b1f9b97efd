"""Breaks tables, records and words; the audit has to name what they make wrong, and nothing in unbroken copies."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from mutating import Original, Row, Tables, answered, row_of
from scipy.spatial.transform import Rotation
from spatial_mutating import box_of

from probe4d.benchmarks.question import Question
from probe4d.benchmarks.spatial_qa.audit import audit
from probe4d.errors import InputError

pytestmark = pytest.mark.real_data

ChangeTables = Callable[[Tables, Question], None]


@pytest.fixture
def folder(original: Original, tmp_path: Path) -> Callable[[Tables], Path]:
    """Write changed tables."""
    return lambda tables: original.write_changed(tables, tmp_path)


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
