"""Training rows of B4DL: nothing of the scenes that are tested, parts inside each other, answers as released."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from b4dl_making import HUGGINGFACE, SCENE, TOKEN, flat, of_test, pairs_about, scene_metadata, written
from hypothesis import given, settings
from hypothesis import strategies as st

import making
from probe4d.benchmarks.benchmark import Benchmark, SourceDataset, read_benchmark
from probe4d.benchmarks.held_out import HELD_OUT, held_out
from probe4d.errors import InputError
from probe4d.exchange.b4dl_release.importing import import_b4dl
from probe4d.exchange.exports.items import Exported
from probe4d.exchange.exports.training import export_training
from probe4d.exchange.released_training import ImportedRows, import_training
from probe4d.exchange.scaling import scaled
from probe4d.models.lidar_lm.training.rows import TrainingRow, read_training_rows
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.selection import Selection
from probe4d.scenes.splits import OFFICIAL_SPLITS
from probe4d.scenes.tables import Scenes

LIDAR = evidence_named("lidar")
NUSCENES = SourceDataset(name="nuscenes", version="v1.0-mini", fingerprint=None, licence="l", split="all", scenes=3)


def exported(benchmark: Benchmark, out: Path, **options: Any) -> tuple[list[TrainingRow], Exported]:
    done = export_training(benchmark, out, **options)
    return read_training_rows(out), done


def rows_of(rows: list[dict[str, Any]], folder: Path, **options: Any) -> tuple[list[TrainingRow], ImportedRows]:
    name = options.pop("name", "stage2.json")
    done = import_training(written(folder, {name: rows}) / name, folder / "rows.jsonl", **options)
    return read_training_rows(folder / "rows.jsonl"), done


def test_answers_are_learnt_as_the_release_words_them(scenes: Scenes, tmp_path: Path) -> None:
    rows, _ = exported(
        pairs_about(scenes, sequences=1), tmp_path / "out", plan=RunPlan(setting="released", evidence=LIDAR)
    )
    assert [(row.prompt, row.answer) for row in rows[:4]] == [
        ("What of existence-presence in 0?", "Yes."),
        ("What of existence-class in 0?", "TRAFFIC CONE."),
        ("What of binary in 0?", "No."),
        ("What of time-grounding in 0?", "from frame 004 to frame 008."),
    ]
    assert rows[-2].answer == "Yes, it turns."
    assert {row.frames for row in rows} == {None}


def test_windows_show_the_frames_of_the_sequence(scenes: Scenes, tmp_path: Path) -> None:
    plan = RunPlan(evidence=evidence_named("lidar", span="question"))
    rows, _ = exported(pairs_about(scenes, sequences=2), tmp_path / "out", plan=plan)
    assert {row.frames for row in rows} == {(4, 6, 8, 10), (7, 9, 11, 13)}
    assert rows[0].prompt.endswith("Answer with Yes or No only.")


def test_nothing_is_learnt_of_scenes_that_the_release_tests_on(tmp_path: Path) -> None:
    files = HUGGINGFACE | {"metadata/scene_metadata.json": scene_metadata()}
    import_b4dl(written(tmp_path / "release", files), tmp_path / "bench")
    rows, done = exported(read_benchmark(tmp_path / "bench"), tmp_path / "out")
    assert {row.scene for row in rows} == {SCENE}
    assert len(rows) == 9
    assert {left.reason for left in done.left_out} == {HELD_OUT}
    assert len(done.left_out) == 7
    # of binary questions the release trains on none that it names so
    part = RunPlan(evidence=LIDAR, selection=Selection(families=("binary", "existence")))
    rows, done = exported(read_benchmark(tmp_path / "bench"), tmp_path / "part", plan=part)
    assert ([row.answer for row in rows], len(done.left_out)) == (["TRUCK.", "TRAFFIC CONE."], 3)
    alone = RunPlan(evidence=LIDAR, selection=Selection(families=("binary",)))
    with pytest.raises(InputError, match="no question may be learnt from"):
        export_training(read_benchmark(tmp_path / "bench"), tmp_path / "alone", plan=alone)
    both, _ = exported(read_benchmark(tmp_path / "bench"), tmp_path / "both", with_held_out=True)
    assert len(both) == 16


@pytest.mark.parametrize("key", ["scene_id", "scene_token"])
def test_a_scene_that_is_tested_under_another_row_is_not_learnt_from(tmp_path: Path, key: str) -> None:
    other = {"scene_id": "009999999", "scene_token": "f" * 32}
    same = {key: {"scene_id": SCENE, "scene_token": TOKEN}[key]}
    files = {
        "dataset/train/stage2.json": [flat("Is it?", "Yes."), flat("Is it not?", "No.", **other)],
        "dataset/test/binary.json": [of_test("Is it?", "No.", **same)],
    }
    read = import_b4dl(written(tmp_path / "release", files), tmp_path / "bench").benchmark
    rows, done = exported(read, tmp_path / "out")
    assert [row.scene for row in rows] == ["009999999"]
    assert len(done.left_out) == 2


@settings(max_examples=25, deadline=None)
@given(names=st.lists(st.sampled_from(sorted(OFFICIAL_SPLITS["train"] | OFFICIAL_SPLITS["val"])), min_size=1))
def test_no_row_is_about_a_scene_of_the_official_val_split(names: list[str]) -> None:
    questions = [making.question(n, suite="b4dl", scene=name) for n, name in enumerate(names)]
    benchmark = making.benchmark_of(questions, source=NUSCENES)
    assert held_out(benchmark).to_list() == [name in OFFICIAL_SPLITS["val"] for name in names]
    elsewhere = msgspec.structs.replace(NUSCENES, version="v1.0-sim")
    assert not held_out(making.benchmark_of(questions, source=elsewhere)).any()


def test_a_token_is_held_out_by_the_name_that_the_dataset_has_for_it() -> None:
    scenes = making.scenes_of([{"scene": "scene-0103", "token": TOKEN, "keyframes": 40}])
    question = making.question(0, suite="b4dl", scene=SCENE, facts={"scene_token": TOKEN})
    source = msgspec.structs.replace(NUSCENES, name="b4dl-release", version="as released")
    benchmark = making.benchmark_of([question], source=source)
    assert held_out(benchmark).to_list() == [False]
    assert held_out(benchmark, scenes).to_list() == [True]


def test_a_benchmark_of_tested_scenes_alone_says_so(tmp_path: Path) -> None:
    benchmark = making.benchmark_of([making.question(0, suite="b4dl", scene="scene-0103")], source=NUSCENES)
    with pytest.raises(InputError, match=r"no question may be learnt from.*held out for tests.*--with-held-out"):
        export_training(benchmark, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_released_rows_of_tested_scenes_are_left_out(tmp_path: Path) -> None:
    rows = [flat("Is it?", "Yes."), of_test("Is it?", "Yes."), of_test("Is it?", "No.", split="val")]
    read, done = rows_of(rows, tmp_path)
    assert (len(read), done.left_out) == (1, {HELD_OUT: 2})
    assert len(rows_of(rows, tmp_path, with_held_out=True)[0]) == 3
    with pytest.raises(InputError, match=r"no row that can be learnt from \(2 × its scene is held out"):
        rows_of(rows[1:], tmp_path)


def test_captions_are_kept_of_the_scenes_that_the_release_trains_on(tmp_path: Path) -> None:
    names = ["scene-0061", "scene-0645", "scene-0103"]
    scenes = making.scenes_of(
        [{"scene": name, "token": name, "keyframes": 1} for name in names],
        [{"scene": name, "frame": 0, "token": f"sample of {name}"} for name in names],
        version="v1.0-trainval",
    )
    rows = [
        {"sample_token": f"sample of {name}", "question": "What is ahead?", "answer_lidar": "A car.", "split": "train"}
        for name in names
    ]
    read, done = rows_of(rows, tmp_path, scenes=scenes, name="captions.json")
    assert [(row.scene, row.frames) for row in read] == [("scene-0061", (0,))]
    assert done.left_out == {HELD_OUT: 1, "its scene is scene-0645, which B4DL's training data lack": 1}


MANY = [flat(f"Is it {n}?", ("Yes.", "No.", "TRUCK.", "from frame 001 to frame 009")[n % 4]) for n in range(100)]


@pytest.mark.parametrize("seed", [42, 7])
def test_parts_lie_inside_each_other_and_hold_each_task(tmp_path: Path, seed: int) -> None:
    rows = MANY + MANY[:3]  # three come twice
    parts = {
        percent: {(row.prompt, row.answer) for row in rows_of(rows, tmp_path, scale=percent, seed=seed)[0]}
        for percent in (10, 25, 50, 75, 100)
    }
    assert [len(part) for part in parts.values()] == sorted(len(part) for part in parts.values())
    for smaller, larger in zip(list(parts.values())[:-1], list(parts.values())[1:], strict=True):
        assert smaller < larger
    answers = [answer for _, answer in parts[50]]
    assert all(answers.count(answer) in (12, 13) for answer in ("TRUCK.", "from frame 001 to frame 009"))
    turned = {(row.prompt, row.answer) for row in rows_of(rows[::-1], tmp_path, scale=25, seed=seed)[0]}
    assert turned == parts[25]


def test_seeds_draw_other_parts(tmp_path: Path) -> None:
    drawn = [{row.prompt for row in rows_of(MANY, tmp_path, scale=20, seed=seed)[0]} for seed in (1, 2)]
    assert drawn[0] != drawn[1]


def test_parts_of_a_benchmark_lie_inside_each_other(scenes: Scenes, tmp_path: Path) -> None:
    benchmark = pairs_about(scenes)
    parts = []
    for percent in (12.5, 50, 100):
        plan = RunPlan(evidence=LIDAR, selection=Selection(seed=3))
        rows, _ = exported(benchmark, tmp_path / str(percent), plan=plan, scale=percent)
        parts.append({(row.scene, row.prompt, row.answer) for row in rows})
    assert parts[0] < parts[1] < parts[2]
    assert [len(part) for part in parts] == [12, 48, 96]
    plan = RunPlan(evidence=LIDAR, selection=Selection(sample=4))
    with pytest.raises(InputError, match="a sample and a scale both say"):
        export_training(benchmark, tmp_path / "both", plan=plan, scale=50)


@pytest.mark.parametrize("percent", [0, -1, 101, float("nan")])
def test_a_scale_that_is_none_is_refused(percent: float) -> None:
    keys = pl.DataFrame({"id": ["a"], "family": ["b"], "format": ["c"]})
    with pytest.raises(InputError, match="must be above 0 and at most 100"):
        scaled(keys, percent, seed=1)


def test_the_verbs_take_parts_and_say_what_was_left_out(tmp_path: Path, here: Any) -> None:
    release = written(tmp_path / "release", {"stage2.json": [*MANY, of_test("Is it?", "Yes.")]})
    rows = ("import", "training", release / "stage2.json", "--out", tmp_path / "rows.jsonl", "--scale", "10")
    result = here(*rows, "--seed", "3")
    assert (result.returncode, result.stdout) == (0, f"{tmp_path / 'rows.jsonl'}: 10 rows\n")
    assert f"left out: 1 × {HELD_OUT}" in result.stderr
    import_b4dl(written(tmp_path / "train", {"stage2.json": MANY}), tmp_path / "bench")
    told = ("export", tmp_path / "bench", "--to", "training", "--scale", "20", "--out")
    parts = []
    for seed in (3, 4):
        assert here(*told, tmp_path / str(seed), "--sample-seed", str(seed)).returncode == 0
        parts.append({row.prompt for row in read_training_rows(tmp_path / str(seed))})
    assert [len(part) for part in parts] == [20, 20]
    assert parts[0] != parts[1]
    assert (
        here("export", tmp_path / "bench", "--to", "jsonl", "--scale", "20", "--out", tmp_path / "no").returncode == 2
    )


def test_the_verb_holds_out_what_other_families_tell(tmp_path: Path, here: Any) -> None:
    same = {"scene_id": SCENE, "scene_token": TOKEN}
    files = {
        "dataset/train/stage2.json": [flat("Which one?", "TRUCK.")],
        "dataset/test/binary.json": [of_test("Is it?", "No.", **same)],
    }
    import_b4dl(written(tmp_path / "release", files), tmp_path / "bench")
    told = ("export", tmp_path / "bench", "--to", "training", "--family", "existence", "--out", tmp_path / "out")
    result = here(*told)
    assert result.returncode == 2
    assert "no question may be learnt from" in result.stderr
    assert here(*told, "--with-held-out").returncode == 0
