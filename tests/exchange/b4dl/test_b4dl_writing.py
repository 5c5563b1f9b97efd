"""Benchmarks written in B4DL's layouts are read back as they were."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from b4dl_making import HUGGINGFACE, flat, of_test, pairs_about, scene_metadata, written
from hypothesis import given, settings
from hypothesis import strategies as st

import making
from probe4d.benchmarks.b4dl.tasks import TASKS
from probe4d.benchmarks.benchmark import Benchmark, SourceDataset
from probe4d.errors import InputError
from probe4d.exchange.b4dl_release.identifiers import SENSOR_KINDS, released_ids
from probe4d.exchange.b4dl_release.importing import import_b4dl
from probe4d.exchange.b4dl_release.layouts import STAGES
from probe4d.exchange.b4dl_release.writing import export_b4dl
from probe4d.runs.selection import Selection
from probe4d.scenes.tables import Scenes

SAID = ["family", "template", "format", "options", "answer", "question", "frames", "keyframes"]


def files_in(folder: Path, *parts: str) -> dict[str, bytes]:
    wanted = [path for part in parts for path in sorted((folder / part).rglob("*.json"))]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in wanted}


def facts_of(table: pl.DataFrame, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(json.loads(facts)[name] for name in names) for facts in table["facts"]]


@pytest.fixture(scope="module")
def pairs(scenes: Scenes) -> Benchmark:
    return pairs_about(scenes)


@pytest.fixture(scope="module")
def release(pairs: Benchmark, scenes: Scenes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written") / "release"
    done = export_b4dl(pairs, folder, scenes=scenes)
    assert (done.rows, done.left_out) == (pairs.table.height, ())
    assert done.notes == ("Of 6 scenes no official split is known: they count as test.",)
    return folder


@pytest.mark.parametrize("layout", ["generated", "huggingface"])
def test_what_a_suite_built_is_read_back_equal(
    pairs: Benchmark, scenes: Scenes, release: Path, tmp_path: Path, layout: Any
) -> None:
    read = import_b4dl(release, tmp_path / "bench", scenes=scenes, layout=layout).benchmark
    names = [name for name in SAID if name != "frames" or layout == "generated"]
    assert read.table.select("scene", *names).equals(pairs.table.select("scene", *names))
    if layout == "generated":
        assert facts_of(read.table, "start", "end") == facts_of(pairs.table, "start", "end")
        told = zip(facts_of(read.table, "sequence"), facts_of(pairs.table, "sequence"), strict=True)
        assert len(set(told)) == 12  # one id a sequence


@pytest.mark.parametrize("layout", ["generated", "huggingface"])
def test_what_was_read_is_written_to_the_same_files(release: Path, scenes: Scenes, tmp_path: Path, layout: Any) -> None:
    read = import_b4dl(release, tmp_path / "bench", layout=layout).benchmark
    export_b4dl(read, tmp_path / "again", scenes=scenes)
    parts = ["dataset"] if layout == "huggingface" else ["dataset", "generated_dataset", "metadata"]
    assert files_in(tmp_path / "again", *parts) == files_in(release, *parts)


def test_chunks_hold_ten_sequences_and_rows_have_the_fields_of_the_release(release: Path, scenes: Scenes) -> None:
    chunks = files_in(release, "generated_dataset")
    tasks = [task.released for task in TASKS.values()]
    assert set(chunks) == {
        f"generated_dataset/{task}/generated_{task}_dataset_{span}.json" for task in tasks for span in ("0_9", "10_19")
    }
    rows = json.loads(chunks["generated_dataset/time_grounding/generated_time_grounding_dataset_0_9.json"])
    assert len({row["sequence_id"] for row in rows}) == 10
    assert set(rows[0]) == {"scene_id", "scene_token", "sequence_id", "start_index", "end_index", "conversations"}
    assert rows[0]["conversations"][1] == {"from": "gpt", "value": "from frame 004 to frame 008."}
    said = [row["answer"] for row in json.loads((release / "dataset/test/existence.json").read_text())]
    assert set(said) == {"Yes.", "TRAFFIC CONE."}
    (flat_row, *_) = json.loads((release / "dataset/test/binary.json").read_text())
    assert set(flat_row) == {"split", "scene_token", "scene_id", "human_annotation", "question", "answer"}
    assert flat_row["human_annotation"] == scenes.scenes["description"][0]


def test_metadata_hold_ids_files_and_tokens(release: Path, scenes: Scenes) -> None:
    of_scenes = json.loads((release / "metadata" / "scene_metadata.json").read_text())
    assert [row["scene_token"] for row in of_scenes] == scenes.scenes["token"].to_list()
    first = of_scenes[0]
    assert {first[name] for name in SENSOR_KINDS} == {
        f"{kind}{first['scene_id'][2:]}" for kind in SENSOR_KINDS.values()
    }
    assert len(first["paths"]["PATH_LIDAR_TOP"]) == first["num_frames"]
    assert first["paths"]["PATH_LIDAR_TOP"]["PATH_007"].endswith(".pcd.bin")
    sequences = json.loads((release / "metadata" / "sequence_metadata.json").read_text())
    assert sequences[0]["indices"] == [4, 6, 8, 10]
    frames = sequences[0]["frames"]
    assert frames[0]["frame_id"] == f"20{sequences[0]['sequence_id'][2:]}"
    keyframe = scenes.keyframes.filter(pl.col("token") == frames[1]["sample_token"]).row(0, named=True)
    assert (keyframe["scene"], keyframe["frame"]) == (scenes.names[0], 6)
    assert {"PATH_LIDAR_TOP", "TOKEN_LIDAR_TOP"} <= set(frames[1])
    names = [frame["frame_id"] for row in sequences for frame in row["frames"]]
    assert len(set(names)) == len(names)


@given(keys=st.lists(st.text(), max_size=30, unique=True), turn=st.randoms())
def test_ids_depend_on_what_they_name_and_are_never_shared(keys: list[str], turn: Any) -> None:
    ids = released_ids(keys, "10", {})
    assert all(name[:2] == "10" and 1_000_000 <= int(name[2:]) <= 9_999_998 for name in ids.values())
    assert len(set(ids.values())) == len(keys)
    turned = list(keys)
    turn.shuffle(turned)
    assert released_ids(turned, "10", {}) == ids


def test_an_id_that_is_taken_is_passed_over() -> None:
    alone = released_ids(["a"], "10", {})
    both = released_ids(["a", "b"], "10", {"b": alone["a"]})
    assert both["b"] == alone["a"]
    assert both["a"] != alone["a"]


TEXTS = st.text(min_size=1).map(str.strip).filter(bool)
ANSWERS = st.one_of(
    TEXTS,
    st.sampled_from(["Yes.", "no", "TRUCK.", "a truck", "TRAFFICCONE.", "in frame 005.", "Yes, twice.", "From frame"]),
    st.tuples(st.integers(0, 39), st.integers(0, 39)).map(lambda pair: "from frame {:03d} to frame {:d}".format(*pair)),
)
TRAINING = st.lists(st.builds(flat, TEXTS, ANSWERS), min_size=1)
TESTING = st.lists(st.builds(of_test, TEXTS, ANSWERS), min_size=1)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Gives a new folder at each step."""
    return (tmp_path_factory.mktemp("rows") for _ in iter(int, 1))


@settings(max_examples=40, deadline=None)
@given(
    stages=st.fixed_dictionaries({}, optional=dict.fromkeys(STAGES, TRAINING)),
    tests=st.fixed_dictionaries({}, optional={task.released: TESTING for task in TASKS.values()}),
)
def test_any_rows_come_back_letter_for_letter(folders: Iterator[Path], stages: Any, tests: Any) -> None:
    folder = next(folders)
    sure = {"dataset/test/binary.json": [of_test("Is it?", "Yes.")]}
    files = sure | {f"dataset/train/{name}.json": rows for name, rows in stages.items()}
    files |= {f"dataset/test/{name}.json": rows for name, rows in tests.items()}
    first = import_b4dl(written(folder / "given", files), folder / "first")
    export_b4dl(first.benchmark, folder / "again")
    second = import_b4dl(folder / "again", folder / "second")
    assert second.benchmark.table.equals(first.benchmark.table)
    assert second.left_out == ()
    unusable = {(one.file, one.row) for one in first.left_out}
    kept = {
        name: [row for number, row in enumerate(rows, 1) if (name, f"record {number}") not in unusable]
        for name, rows in files.items()
    }
    again = {name: json.loads(content) for name, content in files_in(folder / "again", "dataset").items()}
    assert in_any_order(again) == in_any_order({name: rows for name, rows in kept.items() if rows})


def in_any_order(files: dict[str, Any]) -> dict[str, list[str]]:
    """Rows of each file as sorted text; of the training files the tasks lie beside each other once they are told."""
    return {name: sorted(json.dumps(row, sort_keys=True) for row in rows) for name, rows in files.items()}


def test_imported_rows_keep_the_ids_of_the_release(tmp_path: Path) -> None:
    files = HUGGINGFACE | {"metadata/scene_metadata.json": scene_metadata()}
    read = import_b4dl(written(tmp_path / "release", files), tmp_path / "bench").benchmark
    export_b4dl(read, tmp_path / "again")
    again = {name: json.loads(content) for name, content in files_in(tmp_path / "again", "dataset").items()}
    kept = {name: rows for name, rows in files.items() if name.startswith("dataset/")}
    assert in_any_order(again) == in_any_order(kept)


def test_the_official_split_of_a_scene_decides_where_it_is_written(tmp_path: Path) -> None:
    train, test = "dataset/train/stage2.json", "dataset/test/binary.json"
    names = {"scene-0061": train, "scene-0103": test, "scene-0077": test}
    questions = [
        making.question(n, suite="b4dl", family="binary", scene=name, facts={"scene_token": name})
        for n, name in enumerate(names)
    ]
    source = SourceDataset(name="nuscenes", version="v1.0-mini", fingerprint=None, licence="l", split="all", scenes=3)
    export_b4dl(making.benchmark_of(questions, source=source), tmp_path / "out")
    rows = {
        row["scene_token"]: name
        for name, content in files_in(tmp_path / "out", "dataset").items()
        for row in json.loads(content)
    }
    assert rows == names


def test_what_cannot_be_written_is_told(pairs: Benchmark, scenes: Scenes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"token of .* is not known.*Give the dataset"):
        export_b4dl(pairs, tmp_path / "out")
    with pytest.raises(InputError, match="is of the suite made"):
        export_b4dl(making.benchmark_of([making.question()]), tmp_path / "out")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(InputError, match="is not empty"):
        export_b4dl(pairs, tmp_path / "full", scenes=scenes)
    strange = [making.question(0, suite="b4dl", family="unknown", facts={"scene_id": "001234567"})]
    strange.append(making.question(1, suite="b4dl", family="binary", question=None, facts={"scene_id": "001234567"}))
    with pytest.raises(InputError, match="no question can be written"):
        export_b4dl(making.benchmark_of(strange), tmp_path / "out")
    known = making.question(2, suite="b4dl", family="binary", facts={"scene_id": "001234567", "split": "test"})
    done = export_b4dl(making.benchmark_of([*strange, known]), tmp_path / "out")
    assert sorted(one.reason for one in done.left_out) == [
        "its task is not known, and so its file is not",
        "its text is not known",
    ]
    assert len((tmp_path / "out" / "left_out.jsonl").read_text().splitlines()) == 2


def test_an_answer_that_a_review_changed_is_written_and_not_the_released_one(tmp_path: Path) -> None:
    facts = {"scene_id": "001234567", "split": "test", "released_answer": "yes indeed"}
    question = making.question(0, suite="b4dl", family="binary", facts=facts)
    for number, (one, said) in enumerate(
        [(question, "yes indeed"), (msgspec.structs.replace(question, answer="No"), "No.")]
    ):
        export_b4dl(making.benchmark_of([one]), tmp_path / str(number))
        (row,) = json.loads((tmp_path / str(number) / "dataset/test/binary.json").read_text())
        assert row["answer"] == said


def test_a_selection_is_written_alone(pairs: Benchmark, scenes: Scenes, tmp_path: Path) -> None:
    done = export_b4dl(pairs, tmp_path / "out", scenes=scenes, selection=Selection(families=("binary",)))
    assert done.rows == 12
    assert set(files_in(tmp_path / "out", "dataset")) == {"dataset/test/binary.json"}


def test_the_verb_writes_and_refuses_what_a_release_does_not_hold(tmp_path: Path, here: Any) -> None:
    release = written(tmp_path / "release", HUGGINGFACE)
    import_b4dl(release, tmp_path / "bench")
    told = ("export", tmp_path / "bench", "--to", "b4dl", "--out", tmp_path / "out")
    result = here(*told)
    assert (result.returncode, result.stdout) == (0, f"{tmp_path / 'out'}: 16 rows, 0 chunks for b4dl\n")
    assert "Of 16 questions the sequence is not known" in result.stderr
    assert here(*told, "--setting", "released").returncode == 2
