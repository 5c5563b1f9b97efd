"""Waypoints of other planners become a run: found by id, token or key frame, turned where they need it, or refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import making
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.errors import InputError
from probe4d.exchange.waypoints import import_waypoints
from probe4d.runs.run import check_run, read_run
from probe4d.scenes.tables import Scenes
from waypoint_making import driven, figure

FUTURE = [msgspec.structs.replace(driven(place), frames=(0, 1, 2, 3, 4 + place)) for place in (0, 2, 4)]
PAST = [msgspec.structs.replace(driven(place), frames=(0, 1, 2, 3, 3 + place)) for place in (1, 3)]
BENCHMARK = making.benchmark_of([*FUTURE, *PAST, making.question(99)])

# A LiDAR as nuScenes has it: its x to the right, its y ahead, 0.94 m before and 1.84 m above the ego origin.
QUATERNION = (np.sqrt(0.5), 0.0, 0.0, -np.sqrt(0.5))
MOUNTED = (0.943713, 0.0, 1.84023)


def scenes() -> Scenes:
    """Scenes that hold the query frames, each with a token."""
    places = [(question.scene, max(question.frames)) for question in FUTURE]
    keyframes = [{"scene": scene, "frame": frame, "token": f"token-{scene}"} for scene, frame in places]
    mounted = dict(zip(("sensor_x", "sensor_y", "sensor_z"), MOUNTED, strict=True))
    mounted |= dict(zip(("sensor_qw", "sensor_qx", "sensor_qy", "sensor_qz"), QUATERNION, strict=True))
    sensors = [{"scene": scene, "frame": frame, "channel": "LIDAR_TOP", **mounted} for scene, frame in places]
    names = [{"scene": scene, "token": f"scene-token-{scene}"} for scene, _ in places]
    return making.scenes_of(names, keyframes, (), sensors)


def reference(question: Question) -> list[list[float]]:
    points: list[list[float]] = json.loads(question.answer)
    return points


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Rows as the name of the file says."""
    if path.suffix == ".json":
        path.write_text(json.dumps(rows))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows([{**row, "waypoints": json.dumps(row["waypoints"])} for row in rows])
    return path


def by_id(questions: list[Question]) -> list[dict[str, Any]]:
    return [{"question": question.id, "waypoints": reference(question)} for question in questions]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json"])
def test_every_kind_of_file_becomes_a_run_that_is_read_as_it_was(suffix: str, tmp_path: Path) -> None:
    file = written(tmp_path / f"planner{suffix}", by_id([*FUTURE, *PAST]))
    done = import_waypoints(BENCHMARK, file, tmp_path / "run")
    assert (done.record.model, done.answers, done.missing, done.left_out) == ("planner", 5, 0, 1)
    run = read_run(tmp_path / "run")
    assert check_run(run, BENCHMARK) == ()
    assert [(one.question, one.reason) for one in run.left_out] == [(f"{99:016x}", "asks for no waypoints")]
    told = diagnose(BENCHMARK, [run])
    for relation in ("future-waypoints", "past-waypoints"):
        assert figure(told, "run", "waypoint_ade_m_penalised", relation)["value"] == 0.0


def test_of_a_benchmark_no_question_is_read_that_asks_for_no_waypoints(tmp_path: Path) -> None:
    stored = making.legible_alone(BENCHMARK, [one.id for one in (*FUTURE, *PAST)], tmp_path / "bench")
    file = written(tmp_path / "planner.csv", by_id(FUTURE))
    done = import_waypoints(stored, file, tmp_path / "run")
    assert (done.answers, done.left_out) == (3, 3)


def test_an_object_of_ids_is_read_too(tmp_path: Path) -> None:
    plain = {question.id: reference(question) for question in FUTURE}
    records = {question.id: {"planning": reference(question)} for question in FUTURE}
    for name, content in (("plain", plain), ("records", records)):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(content))
        assert import_waypoints(BENCHMARK, path, tmp_path / name).answers == 3


def test_a_planner_without_a_past_is_asked_the_future_alone(tmp_path: Path) -> None:
    done = import_waypoints(BENCHMARK, written(tmp_path / "a.jsonl", by_id(FUTURE)), tmp_path / "run")
    assert (done.answers, done.left_out) == (3, 3)
    run = read_run(tmp_path / "run")
    assert check_run(run, BENCHMARK) == ()
    assert {one.reason for one in run.left_out} == {
        "asks for no waypoints",
        "asks for waypoints of the past, of which there are none",
    }


def test_key_frames_stand_for_the_future_unless_a_row_says_otherwise(tmp_path: Path) -> None:
    rows = [
        {"scene": one.scene, "frame": max(one.frames), "direction": direction, "waypoints": reference(one)}
        for direction, questions in (("", FUTURE), ("past", PAST))
        for one in questions
    ]
    assert import_waypoints(BENCHMARK, written(tmp_path / "a.csv", rows), tmp_path / "run").answers == 5
    tokens = [{"sample_token": f"token-{one.scene}", "waypoints": reference(one)} for one in FUTURE]
    file = written(tmp_path / "tokens.jsonl", tokens)
    assert import_waypoints(BENCHMARK, file, tmp_path / "by-token", scenes=scenes()).answers == 3
    keyed = tmp_path / "keyed.json"
    keyed.write_text(json.dumps({f"token-{one.scene}": reference(one) for one in FUTURE}))
    assert import_waypoints(BENCHMARK, keyed, tmp_path / "keyed", scenes=scenes()).answers == 3


@pytest.mark.parametrize("frame", ["lidar-uniad", "lidar-uniad-ego-origin"])
def test_uniad_is_flipped_then_placed_by_the_calibration_and_cut_to_five_steps(frame: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    planned = {one.id: rng.uniform(-20, 20, (6, 2)).round(3) for one in FUTURE}
    rows = [{"question": identity, "trajectory": points.tolist()} for identity, points in planned.items()]
    path = tmp_path / "uniad.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_waypoints(BENCHMARK, path, tmp_path / "run", frame=frame, scenes=scenes(), model="UniAD")
    run = read_run(tmp_path / "run")
    assert run.record.parameters == {"frame": frame}
    w, _, _, z = QUATERNION
    # Directly: a turn by the quaternion about the vertical, here by -90 degrees, so that ahead of the LiDAR is ahead.
    turn = np.array([[1 - 2 * z * z, -2 * w * z], [2 * w * z, 1 - 2 * z * z]])
    for identity, text in run.answers.select("question", "text").iter_rows():
        flipped = planned[identity][:5] * (-1, 1)
        expected = flipped @ turn.T + (MOUNTED[:2] if frame == "lidar-uniad" else (0.0, 0.0))
        assert np.allclose(json.loads(text), expected, atol=1e-6)
        assert np.allclose(
            expected[:, 0] - expected[:, 0].min(), planned[identity][:5, 1] - planned[identity][:5, 1].min()
        )


def test_uniad_needs_the_dataset_and_a_calibration(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", by_id(FUTURE))
    with pytest.raises(InputError, match="need the calibration of the LiDAR"):
        import_waypoints(BENCHMARK, file, tmp_path / "run", frame="lidar-uniad")
    with pytest.raises(InputError, match=f"no calibration of LIDAR_TOP for question {FUTURE[0].id}"):
        import_waypoints(
            BENCHMARK, file, tmp_path / "run", frame="lidar-uniad", scenes=scenes().select([FUTURE[1].scene])
        )
    with pytest.raises(InputError, match="there is no frame 'camera'"):
        import_waypoints(BENCHMARK, file, tmp_path / "run", frame="camera")  # type: ignore[arg-type]
    past = written(tmp_path / "past.jsonl", by_id(PAST))
    with pytest.raises(InputError, match="about the past, of which the frame lidar-uniad has none"):
        import_waypoints(BENCHMARK, past, tmp_path / "run", frame="lidar-uniad", scenes=scenes())
    slower = [msgspec.structs.replace(one, facts={**one.facts, "spacing_s": 0.25}) for one in FUTURE]
    with pytest.raises(InputError, match=r"for every 0\.25 s, where its waypoints are 0\.5 s apart"):
        import_waypoints(making.benchmark_of(slower), file, tmp_path / "run", frame="lidar-uniad", scenes=scenes())
    assert not (tmp_path / "run").exists()


def test_every_bad_row_is_named_at_once(tmp_path: Path) -> None:
    rows = by_id([*FUTURE, FUTURE[0]])
    rows[1]["waypoints"] = rows[1]["waypoints"][:4]
    rows[2]["waypoints"] = [[1, 2], [3]]
    rows.append({"question": "0123456789abcdef", "waypoints": [[1, 2]]})
    listing = tmp_path / "problems.jsonl"
    with pytest.raises(InputError) as refused:
        import_waypoints(BENCHMARK, written(tmp_path / "a.jsonl", rows), tmp_path / "run", problems=listing)
    told = str(refused.value)
    assert f"line 2, {FUTURE[1].id}: has 4 waypoints where 5 are asked for" in told
    assert f"line 3, {FUTURE[2].id}: holds no list of points [x, y]" in told
    assert f"line 4: {FUTURE[0].id} as in line 1" in told
    assert "line 5: '0123456789abcdef'" in told
    assert len(listing.read_text().splitlines()) == 6  # two of these rows leave their questions without an answer
    assert not (tmp_path / "run").exists()


def test_questions_may_go_without_an_answer_if_that_is_said(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", by_id(FUTURE[:2]))
    with pytest.raises(InputError, match=f"answers that are missing: 1 of 3 \\({FUTURE[2].id}\\)"):
        import_waypoints(BENCHMARK, file, tmp_path / "run")
    done = import_waypoints(BENCHMARK, file, tmp_path / "run", allow_missing=True)
    assert (done.answers, done.missing) == (2, 1)
    assert check_run(read_run(tmp_path / "run"), BENCHMARK, allow_missing=True) == (FUTURE[2].id,)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.txt", "x", "is no .csv, .tsv, .jsonl or .json file"),
        ("a.json", "{", "is no valid JSON"),
        ("a.json", "[]", "holds no entry"),
        ("a.json", "[3]", "entry 1: is no record"),
        ("a.json", "[" * 100_000, "is no valid JSON"),
        ("a.json", '{"QUESTION": [[1, 2]], "QUESTION": [[3, 4]]}', "twice"),
        ("a.json", '{"QUESTION": [[1, NaN]]}', "entry 1"),
        ("a.jsonl", '{"waypoints": [[1, 2]]}\n', "line 1: has no question id"),
        ("a.jsonl", '{"scene": "a", "waypoints": [[1, 2]]}\n', "line 1: has no question id"),
        ("a.jsonl", '{"question": "QUESTION"}\n', "line 1: has none of waypoints"),
        ("a.jsonl", '{"question": "QUESTION", "waypoints": [], "planning": []}\n', "has waypoints and planning"),
        ("a.jsonl", '{"question": "QUESTION", "waypoints": null}\n', "holds no list of points"),
        ("a.csv", 'question,waypoints\nQUESTION,"[[1, NaN]]"\n', "holds no list of points"),
        ("a.csv", 'question,waypoints\nQUESTION,"[[1, 1e999]]"\n', "line 2"),
        ("a.jsonl", '{"scene": "s", "frame": 4, "direction": "up", "waypoints": []}\n', "the direction 'up'"),
        ("a.jsonl", '{"scene": "s", "frame": "four", "waypoints": []}\n', "rows that answer no question"),
    ],
)
def test_a_file_of_no_use_is_refused_with_its_place(name: str, content: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content.replace("QUESTION", FUTURE[0].id))
    with pytest.raises(InputError) as refused:
        import_waypoints(BENCHMARK, path, tmp_path / "run")
    assert told in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_benchmark_without_waypoints_is_refused(tmp_path: Path) -> None:
    other: Benchmark = making.benchmark_of([making.question(1)])
    with pytest.raises(InputError, match="asks for no waypoints"):
        import_waypoints(other, tmp_path / "a.jsonl", tmp_path / "run")
