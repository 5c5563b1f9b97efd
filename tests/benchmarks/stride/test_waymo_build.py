"""STRIDE of Waymo's end-to-end data, from shards over detections to a checked benchmark and its prompts."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest
from mutating import Change, added, changed, dropped, fact, fields, nudged, rebuilt
from waymo_driving import FRAMES, SCENES, converted_drives, objects_file

from placed_streets import street
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.question import LETTERS, Question, derived_id
from probe4d.benchmarks.stride import SUITE
from probe4d.benchmarks.stride.linking import with_links
from probe4d.benchmarks.stride.rules.waypoints import future_waypoints as waypoints_of_poses
from probe4d.benchmarks.stride.templates.waymo import WAYMO_TEMPLATES
from probe4d.benchmarks.stride.waymo.courses import future_waypoints
from probe4d.benchmarks.stride.waymo.driving import read_driving
from probe4d.benchmarks.stride.waymo.signals import estimated_signals
from probe4d.benchmarks.suites import build, check
from probe4d.errors import InputError
from probe4d.runs.prompt_lines import prompt_lines
from probe4d.scenes.estimated.objects_file import read_objects
from probe4d.scenes.estimated.schema import ESTIMATED_OBJECTS_SCHEMA
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="module")
def drives(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return converted_drives(tmp_path_factory.mktemp("drives"))


@pytest.fixture(scope="module")
def objects(drives: Scenes) -> Path:
    return objects_file(drives, drives.root.parent)


@pytest.fixture(scope="module")
def built(drives: Scenes, objects: Path) -> Benchmark:
    return build("stride", drives, drives.root.parent / "bench", objects=objects)


def test_every_template_is_asked_and_the_record_says_of_what(built: Benchmark, objects: Path) -> None:
    assert {*built.table["template"]} == {*WAYMO_TEMPLATES}
    parameters = built.record.parameters
    assert [*parameters["templates"]] == [*WAYMO_TEMPLATES]
    assert parameters["objects"] == {
        "sha256": hashlib.sha256(objects.read_bytes()).hexdigest(),
        "detector": "found.csv",
        "channel": "FRONT",
        "objects": 116,
    }
    assert parameters["horizon_s"] == 5.0
    card = (built.path / "README.md").read_text(encoding="utf-8") if built.path else ""
    assert "**Answers about objects are estimated, not annotated**" in card
    assert "A guess is right in" in card


def test_what_is_estimated_is_marked_with_its_parts(built: Benchmark) -> None:
    for question in built.questions:
        is_estimated = WAYMO_TEMPLATES[question.template].is_estimated
        assert question.facts.get("estimated", False) == is_estimated, question.template
        for part in question.facts.get("reference_parts", ()):
            assert part["facts"].get("estimated", False) == WAYMO_TEMPLATES[part["template"]].is_estimated
    marked = {question.template for question in built.questions if question.facts.get("estimated")}
    assert {*WAYMO_TEMPLATES} - marked == {"SC-7", "SC-9", "TM-5", "TRJ-1", "TRJ-2", "TRJ-3", "TRJ-4", "TRJ-5"}


def test_nothing_later_than_the_query_frame_is_shown(built: Benchmark) -> None:
    for question in built.questions:
        (query,) = question.frames
        first = 0 if question.template == "SC-6" else query - 4
        assert question.evidence.frames == tuple(range(first, query + 1))


def test_targets_have_their_box_in_the_front_camera(built: Benchmark, drives: Scenes, objects: Path) -> None:
    boxes = read_objects(objects, drives)
    for question in built.questions:
        if not WAYMO_TEMPLATES[question.template].has_target:
            assert "target" not in question.facts
            continue
        (pointed,) = question.facts["objects"]
        (box,) = boxes.filter(scene=question.scene, frame=question.frames[0], track=pointed["track"]).iter_rows(
            named=True
        )
        expected = [box["left_px"] / 1920, box["top_px"] / 1280, box["right_px"] / 1920, box["bottom_px"] / 1280]
        assert question.facts["target"]["channel"] == "FRONT"
        assert question.facts["target"]["bounds"] == pytest.approx(expected, abs=1e-6)
        assert pointed["distance_m"] == pytest.approx(box["distance_m"], abs=1e-6)


def test_a_cluster_tags_its_clips(built: Benchmark) -> None:
    """One scene is of the cluster Pedestrians; in the other one walks by after some seconds."""
    tagged = {scene: [q for q in built.questions if q.scene == scene] for scene in SCENES}
    assert all("pedestrian" in question.facts["tags"] for question in tagged["drive-b"])
    assert not all("pedestrian" in question.facts["tags"] for question in tagged["drive-a"])


def test_open_questions_are_linked_with_their_parts(built: Benchmark) -> None:
    (whole,) = [question for question in built.questions if question.template == "SC-6" and question.scene == "drive-a"]
    linked = {question.template for question in built.questions if question.id in whole.links}
    assert linked == {"SC-7", "SC-8", "SC-9"}
    assert "The kind of driving scenario is: Cut-ins." in whole.answer


def test_prompts_are_worded(built: Benchmark) -> None:
    lines = {line.question: line for line in prompt_lines(built)}
    of = {question.template: lines[question.id].prompt for question in built.questions}
    assert "10 pairs only: [[x1, y1], " in of["TRJ-5"]
    assert of["SC-7"].splitlines()[-2].startswith("H. ")
    assert of["TRJ-3"].splitlines()[-2].startswith("C. [[")
    assert not any("{" in prompt for prompt in of.values())


def test_neither_workers_nor_groups_nor_the_order_of_objects_change_anything(
    built: Benchmark, drives: Scenes, objects: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pl.read_parquet(objects).sample(fraction=1, shuffle=True, seed=1)
    table.write_parquet(tmp_path / "shuffled.parquet", metadata=pl.read_parquet_metadata(objects))
    # Fewer than a scene has. The package calls a function by the name of its module.
    monkeypatch.setattr(sys.modules[SUITE.build.__module__], "_BOXES_AT_ONCE", 50)
    groups: list[str] = []
    again = build("stride", drives, objects=tmp_path / "shuffled.parquet", workers=2, done=groups.append)
    assert again.table.equals(built.table)
    assert sorted(groups) == [*SCENES]


def test_the_horizon_can_be_chosen(drives: Scenes) -> None:
    short = build("stride", drives, templates="TRJ-5", horizon_s=1.5)
    assert {len(json.loads(question.answer)) for question in short.questions} == {3}
    assert all("next 3 positions" in str(question.question) for question in short.questions)
    assert short.record.parameters["objects"] is None
    assert check(short, drives.root).findings == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, r"no annotated objects, and SC-6, SC-8, SP-1.* ask about objects\. Estimate them with `probe4d detect"),
        ({"templates": "TRJ-5", "horizon_s": 5.5}, "horizon cannot be 5.5 s"),
        ({"templates": "SU-2"}, "the template 'SU-2' is asked of scenes with annotated boxes alone"),
        ({"objects": "driving.parquet"}, "is no file of estimated objects"),
        ({"objects": "missing.parquet"}, r"there is no such file of objects\. Give the one that"),
    ],
)
def test_what_cannot_be_asked_is_refused(drives: Scenes, options: dict[str, Any], words: str) -> None:
    if "objects" in options:
        options = options | {"objects": drives.root / drives.version / options["objects"]}
    with pytest.raises(InputError, match=words):
        build("stride", drives, **options)


@pytest.mark.parametrize("options", [{"objects": "objects.parquet"}, {"horizon_s": 5.0}])
def test_annotated_scenes_take_no_estimates(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="for Waymo's end-to-end data only"):
        build("stride", street(), **options)


@pytest.mark.parametrize("name", ["driving", "ego_states"])
def test_a_broken_table_of_driving_is_named(drives: Scenes, tmp_path: Path, name: str) -> None:
    folder = tmp_path / drives.version
    folder.mkdir()
    for each in ("driving", "ego_states"):
        table = pl.read_parquet(drives.root / drives.version / f"{each}.parquet")
        (table.drop("frame") if each == name else table).write_parquet(folder / f"{each}.parquet")
    with pytest.raises(InputError, match=rf"{name}\.parquet: the column 'frame' is missing"):
        read_driving(replace(drives, root=tmp_path))
    (folder / f"{name}.parquet").write_bytes(b"no table")
    with pytest.raises(InputError, match=rf"{name}\.parquet: cannot be read"):
        read_driving(replace(drives, root=tmp_path))


@pytest.mark.parametrize("has_pose", [True, False])
def test_poses_of_key_frames_agree_with_ego_states(has_pose: bool, tmp_path: Path) -> None:
    """Exactly where poses were recorded; where they were integrated, headings are of chords, which a bend turns off."""
    scenes = converted_drives(tmp_path, has_pose=has_pose)
    signals = estimated_signals(
        scenes,
        objects=pl.DataFrame(schema=ESTIMATED_OBJECTS_SCHEMA),
        driving=read_driving(scenes),
        clusters=(),
        positions=5,
    )
    sources = signals.driving.frames["pose_source"].unique().to_list()
    assert sources == ["recorded" if has_pose else "ego states"]
    keys = ["scene", "frame"]
    both = (
        future_waypoints(signals)
        .select(*keys, states="answer")
        .join(waypoints_of_poses(signals).select(*keys, poses="answer"), on=keys)
    )
    assert both.height == 2 * 16
    straight = both.filter(scene="drive-a")
    apart = {
        name: max(
            np.abs(np.array(json.loads(one)) - np.array(json.loads(other))).max()
            for one, other in rows.select("states", "poses").iter_rows()
        )
        for name, rows in (("straight", straight), ("all", both))
    }
    assert apart["straight"] <= 0.011  # both are rounded to a centimetre
    assert apart["all"] <= (0.011 if has_pose else 0.8)


def test_nothing_is_asked_across_a_gap(tmp_path: Path) -> None:
    """The frames of 5.5 s and 6.0 s are missing: a key frame comes 1.5 s after the one before."""
    scenes = converted_drives(tmp_path, left_out=range(52, 64))
    asked = build("stride", scenes, templates="TM-5,TRJ-2,TRJ-5", per_template=100, most_per_scene=100)
    frames = scenes.keyframes.select("scene", "frame", "timestamp_us").rows()
    times_us = {(scene, frame): time_us for scene, frame, time_us in frames}
    assert max(np.diff([times_us["drive-a", frame] for frame in range(23)])) == 1_500_000
    for question in asked.questions:
        (query,) = question.frames
        last = query + (5 if question.template == "TRJ-2" else 0)
        steps = np.diff([times_us[question.scene, frame] for frame in range(query - 4, last + 1)])
        assert steps.max() <= 600_000, question.template
    assert asked.record.exclusions["TM-5: a key frame is missing among those that it shows or measures"] == 2 * 4
    assert asked.record.exclusions["TRJ-2: a key frame is missing among those that it shows or measures"] > 2 * 4


def test_nothing_is_found_in_what_was_built(built: Benchmark, drives: Scenes) -> None:
    checked = check(read_benchmark(built.path) if built.path else built, drives.root)
    assert checked.findings == []
    told = {"SP-3", "SU-1", "SC-7", "SC-9", "TM-5", "TRJ-1", "TRJ-2", "TRJ-3", "TRJ-4", "TRJ-5"}
    others = built.table.filter(~pl.col("template").is_in(told)).group_by("template").len()
    assert [taken.by_template for taken in checked.taken_as_told] == [dict(others.iter_rows())]


def _other_letter(question: Question) -> Question:
    letters = LETTERS[: len(question.options)]
    return changed(question, answer=letters[(letters.index(question.answer) + 1) % len(letters)])


def _moved_waypoint(question: Question) -> Question:
    positions = json.loads(question.answer)
    positions[-1][1] += 0.02
    return changed(question, answer=json.dumps(positions))


def _showing_the_next_frame(question: Question) -> Question:
    shown = question.evidence.frames
    return changed(question, evidence=msgspec.structs.replace(question.evidence, frames=(*shown[1:], shown[-1] + 1)))


def _of_one_camera(question: Question) -> Question:
    return changed(question, evidence=msgspec.structs.replace(question.evidence, views=("FRONT",)))


_CHANGES: dict[str, tuple[str, Change]] = {
    **{f"{name}: answer": (name, _other_letter) for name in ("SC-7", "SC-9", "SP-3", "SU-1", "TM-5", "TRJ-1", "TRJ-2")},
    **{f"{name}: answer": (name, _other_letter) for name in ("TRJ-3", "TRJ-4")},
    "TRJ-5: answer": ("TRJ-5", _moved_waypoint),
    "TRJ-5: fact": ("TRJ-5", fact("waypoints_m.3.0", nudged(0.001))),
    "SP-3: box": ("SP-3", fact("target.bounds.3", nudged(0.01))),
    "SP-3: range": ("SP-3", fact("range_m", nudged(0.02))),
    "SU-1: place": ("SU-1", fact("y_m", nudged(0.02))),
    "SC-9: speed": ("SC-9", fact("last_speed_mps", nudged(0.01))),
    "TM-5: heading": ("TM-5", fact("heading_change_deg", nudged(0.01))),
    "TRJ-2: end": ("TRJ-2", fact("end_y_m", nudged(0.001))),
    "TRJ-4: score": ("TRJ-4", fact("score", nudged(1.0))),
    "margin": ("TM-5", lambda question: changed(question, margin=(question.margin or 0) + 0.01)),
    "unit": ("TRJ-2", fact("margin_unit", lambda _: "seconds")),
    "unmarked": ("TM-2", dropped("estimated")),
    "later evidence": ("TE-1", _showing_the_next_frame),
    "another option": ("TM-3", lambda question: changed(question, options=("it flies", *question.options[1:]))),
    "family": ("TM-3", fields(relation="future-motion")),
    "part": ("SC-6", fact("reference_parts.0.answer", lambda _: "Spotlight")),
    "reference": ("SP-7", lambda question: changed(question, answer=question.answer + " It rains.")),
    "needs": ("TE-4", fields(needs=("boxes",))),
    "stem": ("SP-3", fields(question="How far off is it?")),
    "stem of waypoints": ("TRJ-5", fields(question="Where to?")),
    "entities": ("SP-1", fields(entities=("the bus in the red box",))),
    "context": ("SP-5", fields(context="SP-5|bus")),
    "label": ("TE-2", fact("objects.0.label", lambda _: "the bus in the red box")),
    "views": ("SC-8", _of_one_camera),
    "red box": ("TM-3", fact("target.bounds.2", nudged(0.2))),
    "least margin": ("TM-3", fields(margin=0.0001)),
    "empty reference": ("SC-6", lambda question: changed(added("reference_parts", [])(question), answer="")),
    "one part": ("TE-6", fact("reference_parts", lambda parts: parts[:1])),
    "range as text": ("SP-3", fact("range_m", lambda _: ["far"])),
    "waypoints as text": ("TRJ-5", fields(answer="none")),
    "no objects": ("SP-7", dropped("objects")),
    "camera of the red box": ("TE-1", fact("target.channel", lambda _: "SIDE_LEFT")),
    "red box beyond its image": ("TM-2", fact("target.bounds.1", lambda _: -0.1)),
    "target of a scene": ("TRJ-1", added("target", {})),
    "derived part": ("TRJ-7", fact("reference_parts.0.facts.end_y_m", nudged(0.1))),
    "positions": ("SC-9", fact("positions_m.2.0", nudged(0.01))),
}


def test_what_is_changed_is_found(built: Benchmark, drives: Scenes) -> None:
    """Each change on a question of its own, all in one benchmark."""
    questions = built.questions
    wrong: dict[str, int] = {}
    for name, (template, change) in _CHANGES.items():
        at = next(
            place
            for place, question in enumerate(questions)
            if question.template == template and place not in wrong.values()
        )
        other = change(questions[at])
        assert other != questions[at], name
        wrong[name], questions[at] = at, changed(other, id=derived_id(other))
    found = check(rebuilt(built, questions, linked=_linked), drives.root).findings
    named = {finding.question for finding in found}
    assert [name for name, at in wrong.items() if questions[at].id not in named] == []
    assert {finding.rule for finding in found if not finding.question} == {"balance"}  # letters of wrong answers


def _linked(table: pl.DataFrame) -> pl.DataFrame:
    return with_links(table, WAYMO_TEMPLATES.values())


def test_scenes_and_frames_are_those_of_the_shards(drives: Scenes) -> None:
    assert drives.names == [*SCENES]
    assert drives.keyframes.group_by("scene").len()["len"].to_list() == [(FRAMES - 1) // 5 + 1] * 2


def test_the_command_line_builds_checks_and_asks(
    command: Callable[..., subprocess.CompletedProcess[str]], drives: Scenes, objects: Path, tmp_path: Path
) -> None:
    asked = ("--templates", "SP-3,TM-2,TRJ-5", "--horizon", 2, "--per-template", 3, "--objects", objects)
    done = command("build", "stride", drives.root, *asked, "--out", tmp_path / "bench")
    assert done.returncode == 0, done.stderr
    assert "spatial-perception: 3 choice" in done.stdout
    checked = command("check", tmp_path / "bench", drives.root)
    assert checked.stdout.splitlines() == [
        "9 questions checked, 0 of them wrong, 0 findings",
        "3 answers taken as told, since estimated objects are in no dataset: TM-2 3",
    ]
    dry = ("--model", "openai-api/fake/model", "--evidence", "cameras", "--dry-run")
    shown = command("ask", tmp_path / "bench", "--data", drives.root, *dry, "--out", tmp_path / "run")
    assert shown.returncode == 0, shown.stderr
    assert "views of 8 cameras of the ego vehicle" in shown.stdout
