from __future__ import annotations

import json
import math
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.auditing.comparing import differences
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.lidar_hallu.audit import audit
from probe4d.benchmarks.lidar_hallu.audit.answers import Unanswerable, derive_answer
from probe4d.benchmarks.lidar_hallu.audit.events import distractor_faults
from probe4d.benchmarks.lidar_hallu.audit.measuring import (
    CLASSES,
    SECTOR_CENTRES_DEG,
    measure_scene,
    nearest_of,
    sector_margin_deg,
    sector_of,
)
from probe4d.benchmarks.lidar_hallu.audit.motion_words import ego_motion
from probe4d.benchmarks.lidar_hallu.audit.tables import KeyFrame, RecordedBox, read_key_frames
from probe4d.benchmarks.lidar_hallu.reading import read_stem
from probe4d.benchmarks.question import Question, to_table
from probe4d.benchmarks.suites import build
from probe4d.errors import InputError
from probe4d.evidence.ego_motion import ego_motion as built_ego_motion
from probe4d.evidence.ego_motion import frame_phrases
from probe4d.exchange.lidar_hallu_release import import_lidar_hallu
from probe4d.scenes import classes
from probe4d.scenes.geometry import SE3, SECTORS, sector_index
from probe4d.scenes.geometry import sector_margin_deg as built_margin_deg
from probe4d.scenes.opening import open_scenes

UNIT = st.floats(-1, 1)
METRES = st.floats(-100, 100)
QUATERNION = st.tuples(UNIT, UNIT, UNIT, UNIT).filter(lambda q: math.hypot(*q) > 0.1)
POINT = st.tuples(METRES, METRES, METRES)


def key_frame(*boxes: RecordedBox, **fields: Any) -> KeyFrame:
    blank = KeyFrame(0, "pose", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), list(boxes))
    return blank._replace(**fields)


def box(x: float, y: float, *, label: str = "car", track: str | None = None, points: int | None = 5) -> RecordedBox:
    return RecordedBox(f"{label}-{track}-{x}", track or f"at {x}, {y}", label, (x, y, 0.0), points)


def test_knows_the_same_classes_and_sectors() -> None:
    assert CLASSES == classes.CLASSES
    assert tuple(SECTOR_CENTRES_DEG) == SECTORS


@given(QUATERNION, POINT, POINT)
def test_measures_as_builds_do_by_another_way(
    rotation: tuple[float, float, float, float],
    translation: tuple[float, float, float],
    centre: tuple[float, float, float],
) -> None:
    recorded = RecordedBox("box", "track", "bus", centre, None)
    frame = key_frame(recorded, rotation=rotation, translation=translation)
    (sight,) = measure_scene([frame], min_lidar_points=1, annotated_deg=None).everywhere[0]["bus"]
    expected = SE3.from_quaternion(rotation, translation).inverse().apply(centre)
    np.testing.assert_allclose([sight.x, sight.y], expected[:2], atol=1e-9)
    assert sight.distance_m == pytest.approx(float(np.hypot(*expected[:2])), abs=1e-9)


@given(st.one_of(st.floats(-180, 180), st.sampled_from([22.5 + 45 * step for step in range(-4, 4)])))
def test_sectors_and_their_margins_agree_with_builds(bearing: float) -> None:
    assert sector_margin_deg(bearing) == pytest.approx(float(built_margin_deg(bearing)), abs=1e-9)
    expected = SECTORS[int(sector_index(bearing))]
    assert sector_of(bearing, told=expected) == expected
    if sector_margin_deg(bearing) > 1e-6 or bearing % 45 == 22.5:
        assert sector_of(bearing) == expected
        assert sector_of(bearing, told="no sector") == expected


def test_a_sector_is_told_apart_only_on_its_border() -> None:
    assert sector_of(22.5, told="front") == "front"
    assert sector_of(22.4, told="front-left") == "front"
    assert sector_of(22.5, told="back") == "front-left"


def test_boxes_without_returns_do_not_count_and_unknown_ones_do() -> None:
    frame = key_frame(box(1, 0, points=0), box(2, 0, points=2), box(3, 0, points=None), box(4, 0, points=3))
    scene = measure_scene([frame], min_lidar_points=3, annotated_deg=None)
    assert [sight.x for sight in scene.everywhere[0]["car"]] == [3, 4]


@pytest.mark.parametrize(
    ("range_deg", "kept"),
    [((-45.0, 45.0), {1.0, 2.0}), ((90.0, -90.0), {-1.0, 0.0}), ((0.0, 90.0), {0.0, 1.0, 2.0}), ((45.0, 45.5), {2.0})],
)
def test_the_annotated_range_holds_its_ends_and_may_pass_behind(
    range_deg: tuple[float, float], kept: set[float]
) -> None:
    frame = key_frame(box(1, 0), box(0, 1), box(-1, 0), box(2, 2))
    scene = measure_scene([frame], min_lidar_points=1, annotated_deg=range_deg)
    assert {sight.x for sight in scene.annotated[0].get("car", [])} == kept
    assert len(scene.everywhere[0]["car"]) == 4


def test_equally_near_objects_go_by_what_is_told_then_by_track() -> None:
    frame = key_frame(box(3, 4, track="b"), box(4, 3, track="a"), box(5, 1, track="0"))
    scene = measure_scene([frame], min_lidar_points=1, annotated_deg=None)
    cars = scene.annotated[0]["car"]
    assert (nearest := nearest_of(cars)) is not None
    assert nearest.track == "a"
    assert (told := nearest_of(cars, told="car-b-3")) is not None
    assert told.track == "b"
    assert nearest_of([]) is None


STEP = st.tuples(st.integers(1, 2_000_000), st.floats(-8, 8), st.floats(-8, 8), st.floats(-3.2, 3.2))


@given(st.lists(STEP, min_size=1, max_size=12), st.integers(0, 14), st.integers(0, 14), st.booleans())
def test_words_the_ego_motion_as_builds_do(
    steps: list[tuple[int, float, float, float]], first: int, second: int, is_interval: bool
) -> None:
    key_frames, time_us, x, y = [], 0, 0.0, 0.0
    for duration_us, along, across, yaw in steps:
        time_us, x, y = time_us + duration_us, x + along, y + across
        rotation = (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
        key_frames.append(key_frame(timestamp_us=time_us, translation=(x, y, 0.0), rotation=rotation))
    text = f"During frames {first:03d}-{second:03d}, what?" if is_interval else f"In frame {first:03d}, what?"
    yaws = [2 * math.atan2(frame.rotation[3], frame.rotation[0]) for frame in key_frames]
    positions = np.array([frame.translation[:2] for frame in key_frames])
    phrases = frame_phrases([frame.timestamp_us for frame in key_frames], positions, np.array(yaws))
    built = built_ego_motion(text, dict(enumerate(phrases)))
    assert ego_motion(text, key_frames, told=built.text) == built._asdict()


def test_ego_motion_settles_only_what_lies_on_a_bound() -> None:
    frames = [
        key_frame(timestamp_us=500_000 * index, translation=(3.0 * index, 0.0, 0.0)) for index in range(4)
    ]  # 6 m/s
    slower, faster = (
        " ".join(
            f"At the {role} referenced frame, frame {frame:03d}, the ego vehicle is {pace} forward relative to the "
            "previous frame, keeping a similar heading, and maintaining similar speed."
            for role, frame in (("first", 1), ("last", 3))
        )
        for pace in ("moving at moderate speed", "moving fast")
    )
    text = "During frames 001-003, what?"
    assert ego_motion(text, frames, told=slower)["text"] == slower
    assert ego_motion(text, frames, told=faster)["text"] == faster
    assert ego_motion(text, frames, told=faster.replace("fast", "slowly"))["text"] == faster


def test_compares_values_and_names_what_differs() -> None:
    stored = {"x": 1.0, "n": 3, "list": [{"box": "abc", "y": 1.0}], "bearing_deg": 180.0, "flag": True}
    close = {"x": 1.0 + 9e-7, "n": 3, "list": ({"box": "abc", "y": 1.0},), "bearing_deg": -180.0, "flag": True}
    assert list(differences("facts", stored, close)) == []
    found = differences("facts", stored, close | {"x": 1.0 + 2e-6, "list": [{"box": "abc", "y": 2.0}], "flag": 1})
    assert list(found) == [
        "facts.flag: stored True, derived 1",
        "facts.list[0] (abc).y: stored 1.0, derived 2.0",
        "facts.x: stored 1.0, derived 1.000002",
    ]
    assert list(differences("a", {}, {"b": None})) == ["a.b: stored nothing, derived None"]
    assert list(differences("a", [1], [1, 2])) == ["a: stored [1], derived [1, 2]"]
    assert list(differences("a", None, 1.0)) == ["a: stored None, derived 1.0"]
    assert list(differences("a", math.nan, 1.0)) == ["a: stored nan, derived 1.0"]


def temporal(options: list[tuple[int, int]], keyframes: int = 40) -> Question:
    return Question(
        id="0" * 16,
        suite="lidar-hallu",
        family="temporal",
        template="temporal-choice",
        format="choice",
        scene="s",
        keyframes=keyframes,
        question="When?",
        options=tuple(f"from frame {start:03d} to frame {end:03d}" for start, end in options),
        answer="A",
        rule="event:b4dl",
        order=0,
    )


def test_wrong_intervals_may_share_a_fifth_of_their_own_frames() -> None:
    apart = temporal([(10, 20), (19, 28), (25, 34), (0, 5)])
    assert distractor_faults(apart, published=True, told=False) == []
    beside = temporal([(10, 20), (18, 27), (12, 17), (30, 33)])
    assert distractor_faults(beside, published=False, told=False) == [
        "the wrong interval 18-27 shares 30% of its key frames with the truth",
        "the wrong interval 12-17 shares 100% of its key frames with the truth",
        "the wrong interval 30-33 does not span 5 to 19 key-frame steps",
    ]
    short = temporal([(10, 20), (22, 25), (0, 2), (30, 33)])
    assert distractor_faults(short, published=False, told=True) == []
    assert len(distractor_faults(short, published=True, told=True)) == 3
    with pytest.raises(Unanswerable, match="the option 30-40 leaves the scene's 40 key frames"):
        distractor_faults(temporal([(10, 20), (0, 5), (1, 6), (30, 40)]), published=False, told=False)


@pytest.fixture(scope="module")
def built(simulated: Path) -> Benchmark:
    return build("lidar-hallu", open_scenes(simulated), None, per_family=40)


def test_a_build_on_simulated_scenes_passes(built: Benchmark, simulated: Path) -> None:
    assert set(built.record.counts) == {"existence", "position", "motion", "distance", "temporal"}
    assert audit(built, simulated) == []
    assert audit(built, simulated / built.record.source.version) == []


@pytest.mark.parametrize(
    "options",
    [
        {"annotated_sector": "-60:60", "distractors": "published"},
        {"annotated_sector": "20.1234567:150", "min_lidar_points": 3},
        {"annotated_sector": "120:-120"},
        {"min_margin": 1.0},
    ],
    ids=str,
)
def test_builds_with_other_parameters_pass(options: dict[str, Any], simulated: Path) -> None:
    assert audit(build("lidar-hallu", open_scenes(simulated), None, per_family=40, **options), simulated) == []


@pytest.mark.parametrize(
    "damage",
    [
        {"objects": "none"},
        {"objects": [{"frame": [1], "box": {}}, 3, None]},
        {"ego_motion": 3},
        {"ego_motion": {"text": []}},
        {"event": [], "interval": "x"},
        {"poses": {"frame": 1}, "coordinate_frame": None},
        {"sector": {}, "bearing_deg": "left", "present": 3},
    ],
    ids=str,
)
def test_strange_facts_are_findings(damage: dict[str, Any], built: Benchmark, simulated: Path) -> None:
    firsts = {question.template: question for question in reversed(built.questions)}
    broken = {q.id: msgspec.structs.replace(q, facts={**q.facts, **damage}) for q in firsts.values()}
    table = to_table(broken.get(question.id, question) for question in built.questions)
    findings = audit(Benchmark(table, built.record), simulated)
    assert {finding.question for finding in findings} == set(broken)


@pytest.mark.parametrize(
    "parameters",
    [{"min_lidar_points": "many"}, {"annotated_sector": [1]}, {"annotated_sector": "x"}, {"min_margin": {}}],
)
def test_a_strange_parameter_is_named(parameters: dict[str, Any], built: Benchmark, simulated: Path) -> None:
    record = msgspec.structs.replace(built.record, parameters=built.record.parameters | parameters)
    with pytest.raises(InputError, match=rf"holds a parameter that does not fit .*{next(iter(parameters))}"):
        audit(Benchmark(built.table, record), simulated)


def test_told_events_are_checked_for_their_bounds(simulated: Path, tmp_path: Path) -> None:
    scenes = open_scenes(simulated)
    tokens = scenes.scenes["token"].to_list()
    rows = [
        {"scene_token": token, "question": f"When does the {name} pass?", "answer": f"from frame 01{n} to frame 022."}
        for token in tokens
        for n, name in enumerate(("bus", "car"))
    ]
    events = tmp_path / "time_grounding.json"
    events.write_text(json.dumps(rows))
    benchmark = build("lidar-hallu", scenes, None, per_family=20, events=events)
    told = [question for question in benchmark.questions if question.rule == "event:b4dl"]
    assert told
    assert audit(benchmark, simulated) == []
    facts = {**told[0].facts, "event": {"kind": "b4dl"}}
    broken = [msgspec.structs.replace(q, facts=facts) if q is told[0] else q for q in benchmark.questions]
    findings = audit(Benchmark(to_table(broken), benchmark.record), simulated)
    assert [(f.question, f.what) for f in findings] == [
        (told[0].id, "the facts do not name the row of the events file.")
    ]


def test_wrong_datasets_are_named(built: Benchmark, simulated: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no tables of version 'v1.0-sim'.*--version"):
        audit(built, tmp_path)
    copy = tmp_path / "copy"
    version = built.record.source.version
    shutil.copytree(simulated / version, copy / version)
    folder = copy / version

    def damaged(name: str, change: Callable[[list[dict[str, Any]]], object], message: str) -> None:
        path = folder / f"{name}.json"
        content = path.read_bytes()
        rows = json.loads(content)
        change(rows)
        path.write_text(json.dumps(rows))
        with pytest.raises(InputError, match=message):
            audit(built, copy)
        path.write_bytes(content)

    damaged("sample", lambda rows: rows.pop(), r"sample.json, token .*: the chain of key frames of .* is broken")
    damaged("ego_pose", lambda rows: rows.clear(), r"no usable ego pose for a key frame of")
    damaged("sample_data", lambda rows: rows.clear(), r"no key-frame reading of LIDAR_TOP for a key frame of")
    damaged("instance", lambda rows: rows[0].pop("category_token"), r"instance.json, row 1 .*category_token")
    (folder / "category.json").write_bytes(b'[{"token": "a", "na')
    with pytest.raises(InputError, match=r"category.json: .*cut off"):
        audit(built, copy)
    (folder / "category.json").unlink()
    with pytest.raises(InputError, match=r"category.json: is missing"):
        audit(built, copy)


def test_an_imported_benchmark_is_refused(built: Benchmark, simulated: Path) -> None:
    record = msgspec.structs.replace(built.record, parameters={"imported": True})
    with pytest.raises(InputError, match="was imported, not built"):
        audit(Benchmark(built.table, record), simulated)


@pytest.mark.real_data
def test_derives_the_released_answers(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    """The audit's own path agrees with the published references where the tables are exact."""
    imported = import_lidar_hallu(real_data("lidar_hallu_release"), tmp_path / "bench", tmp_path / "run")
    names = {"009539313": "scene-0103", "002440304": "scene-0916", "004673817": "scene-0553", "002976873": "scene-0796"}
    folder = real_data("nuscenes_mini") / "v1.0-mini"
    recorded = read_key_frames(folder, channel="LIDAR_TOP", scenes=set(names.values()))
    scenes = {name: measure_scene(frames, min_lidar_points=1, annotated_deg=None) for name, frames in recorded.items()}
    outcomes: dict[str, Counter[str]] = {"exact": Counter(), "near": Counter()}
    for question in imported.benchmark.questions:
        if question.scene not in names or question.family == "temporal":
            continue
        name = names[question.scene]
        asked = read_stem(question.template, question.question or "")
        assert asked is not None
        try:
            answer = derive_answer(question, asked, scenes[name]).answer
            outcome = "agrees" if answer == question.answer else "differs"
        except Unanswerable:
            outcome = "an object is not there"
        outcomes["exact" if name in ("scene-0103", "scene-0916") else "near"][outcome] += 1
    assert outcomes["exact"] == {"agrees": 112}
    # The returns of these two scenes are approximate, so that an object may be missing; no answer may differ.
    assert outcomes["near"].total() == 111
    assert set(outcomes["near"]) == {"agrees", "an object is not there"}
    assert outcomes["near"]["agrees"] >= 99
