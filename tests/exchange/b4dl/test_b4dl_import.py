"""Released questions of B4DL become a benchmark; what the release does not say stays unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from b4dl_making import (
    HUGGINGFACE,
    OTHER_SCENE,
    SCENE,
    SEQUENCE,
    TOKEN,
    Row,
    conversation,
    flat,
    generated,
    of_test,
    scene_metadata,
    written,
)

from probe4d.benchmarks.benchmark import read_benchmark
from probe4d.benchmarks.question import Question
from probe4d.errors import InputError
from probe4d.exchange.b4dl_release.importing import ImportedBenchmark, import_b4dl
from probe4d.exchange.b4dl_release.writing import export_b4dl
from probe4d.scenes.tables import Scenes


def imported(files: dict[str, Any], folder: Path, **options: Any) -> tuple[ImportedBenchmark, list[Question]]:
    done = import_b4dl(written(folder / "release", files), folder / "bench", **options)
    return done, read_benchmark(folder / "bench").questions


def told(questions: list[Question]) -> list[tuple[str, str, str, str]]:
    return [(one.family, one.template, one.format, one.answer) for one in questions]


def test_tasks_of_training_rows_are_told_by_their_answers_or_not_at_all(tmp_path: Path) -> None:
    done, questions = imported(HUGGINGFACE, tmp_path, split="train")
    assert told(questions) == [
        ("existence", "existence-class", "text", "truck"),
        ("existence", "existence-class", "text", "traffic cone"),
        ("time-grounding", "time-grounding", "interval", "0-8"),
        ("time-grounding", "time-grounding", "interval", "12-20"),
        ("description", "description", "text", "A car goes ahead."),
        ("description", "description", "text", "A bus stands."),
        ("unknown-complex", "unknown-complex-text", "text", "From frame 001 to frame 003, and never again."),
        ("unknown-complex", "unknown-complex-text", "text", "It crosses."),
        ("unknown-simple", "unknown-simple-yes-no", "yes-no", "Yes"),
    ]
    assert done.benchmark.record.source.split == "train"
    assert any("unknown-complex (2) and unknown-simple (1)" in note for note in done.notes)


def test_files_of_a_task_tell_it(tmp_path: Path) -> None:
    _, questions = imported(HUGGINGFACE, tmp_path, split="test")
    assert told(questions) == [
        ("existence", "existence-presence", "yes-no", "No"),
        ("existence", "existence-class", "text", "suv"),
        ("binary", "binary", "yes-no", "Yes"),
        ("time-grounding", "time-grounding", "interval", "3-9"),
        ("description", "description", "text", "Two cars wait."),
        ("temporal-understanding", "temporal-understanding", "text", "It slows down."),
        ("comprehensive", "comprehensive", "text", "They do not."),
    ]


def test_what_hugging_face_rows_do_not_say_is_null(tmp_path: Path) -> None:
    _, questions = imported(HUGGINGFACE, tmp_path)
    (cone,) = [one for one in questions if one.answer == "traffic cone"]
    assert cone.scene == SCENE
    assert (cone.keyframes, cone.frames, cone.evidence.frames) == (None, (), ())
    assert cone.options[:2] == ("animal", "pedestrian")
    assert cone.facts == {
        "scene_id": SCENE,
        "scene_token": TOKEN,
        "sequence": None,
        "start": None,
        "end": None,
        "split": "train",
        "human_annotation": "Wet road",
        "released_answer": "TRAFFICCONE.",
    }


def test_metadata_say_how_long_scenes_are(tmp_path: Path) -> None:
    _, questions = imported(HUGGINGFACE | {"metadata/scene_metadata.json": scene_metadata()}, tmp_path)
    assert {(one.scene, one.keyframes) for one in questions} == {(SCENE, 40), (OTHER_SCENE, 39)}


def test_sequences_of_generated_files_give_the_frames(tmp_path: Path) -> None:
    rows = {"existence": ("Is a bus there?", "Yes."), "time_grounding": ("When?", "in frame 014.")}
    files = {f"generated_dataset/{t}/generated_{t}_dataset_0_9.json": [generated(*said)] for t, said in rows.items()}
    _, questions = imported(files, tmp_path)
    assert {one.frames for one in questions} == {(12, 14, 16, 18, 20)}
    assert {one.facts["sequence"] for one in questions} == {SEQUENCE}
    assert [one.answer for one in questions] == ["Yes", "14-14"]
    assert [one.context for one in questions] == ["bus", "5 frames"]


def test_chunks_are_read_by_their_numbers_and_gaps_are_told(tmp_path: Path) -> None:
    name = "generated_dataset/binary/generated_binary_dataset_{}_{}.json"
    files = {name.format(a, a + 9): [generated(f"Does car {a} stop?", "Yes.")] for a in (100, 20, 0, 30)}
    done, questions = imported(files, tmp_path)
    assert [one.question for one in questions] == [f"Does car {a} stop?" for a in (0, 20, 30, 100)]
    assert done.notes[0] == "Of the task binary there are no files of the sequences 10 to 19 and 40 to 99."


def test_chunks_that_one_task_lacks_are_told_and_a_sequence_in_two_is_refused(tmp_path: Path) -> None:
    name = "generated_dataset/{0}/generated_{0}_dataset_{1}_{2}.json"
    row = [generated("Does it stop?", "Yes.")]
    files = {name.format(task, a, a + 9): row for task in ("binary", "existence") for a in (0, 10)}
    del files[name.format("binary", 10, 19)]
    done, _ = imported(files, tmp_path)
    assert done.notes[0] == "Of the task binary there are no files of the sequences 10 to 19."
    with pytest.raises(InputError, match=r"existence_dataset_15_24\.json: holds the sequence 15, which another file"):
        imported(files | {name.format("existence", 15, 24): row}, tmp_path)
    with pytest.raises(InputError, match="is named after the sequences 9 to 0"):
        imported({name.format("binary", 9, 0): row}, tmp_path / "turned")


def test_chunks_are_as_quick_to_read_whatever_numbers_they_are_named_after(tmp_path: Path) -> None:
    name = "generated_dataset/binary/generated_binary_dataset_{}_{}.json"
    row, last = [generated("Does it stop?", "Yes.")], 10**15
    done, _ = imported({name.format(0, last): row, name.format(last + 3, last + 3): row}, tmp_path)
    assert done.notes[0] == f"Of the task binary there are no files of the sequences {last + 1} to {last + 2}."


def test_without_files_of_time_grounding_its_rows_lie_among_those_of_temporal_understanding(tmp_path: Path) -> None:
    rows = [generated("When?", "from frame 012 to frame 016."), generated("What?", "From frame 012 to 016 it waits.")]
    name = "generated_dataset/{0}/generated_{0}_dataset_0_9.json"
    alone = {name.format("temporal_understanding"): rows}
    _, questions = imported(alone, tmp_path / "alone")
    assert [one.family for one in questions] == ["time-grounding", "temporal-understanding"]
    _, questions = imported(alone | {name.format("time_grounding"): rows[:1]}, tmp_path / "both")
    assert [one.family for one in questions] == ["time-grounding", "temporal-understanding", "temporal-understanding"]


@pytest.mark.parametrize("place", ["<video>\n", "<4DLiDAR>\n"])
def test_preprocessed_rows_lose_the_places_of_features(tmp_path: Path, place: str) -> None:
    row = {"id": SEQUENCE, "scene_id": SCENE, "conversations": conversation(f"{place}What moves?", "A bus does.")}
    sequences = [{"sequence_id": SEQUENCE, "scene_token": TOKEN, "indices": [4, 6, 8]}]
    files = {"preprocessed_dataset.json": [row], "sequence_metadata.json": sequences}
    done, (question,) = imported(files, tmp_path)
    assert (done.layout, question.family, question.question) == ("preprocessed", "unknown", "What moves?")
    assert (question.frames, question.facts["start"], question.facts["end"]) == ((4, 6, 8), 4, 8)


def test_older_rows_have_frames_or_nothing_but_an_id(tmp_path: Path) -> None:
    older = {"scene_id": SCENE, "start_frame": 0, "end_frame": 4, "conversations": conversation("Which?", "BUS.")}
    bare = {"id": SCENE, "conversations": conversation("Is it?", "Yes, it is.")}
    _, questions = imported({"merged_dataset/merged_dataset.json": [older, bare]}, tmp_path)
    assert [(one.scene, one.frames, one.facts["sequence"]) for one in questions] == [
        (SCENE, (0, 2, 4), None),
        (SCENE, (), None),
    ]
    assert told(questions) == [
        ("existence", "existence-class", "text", "bus"),
        ("unknown", "unknown-text", "text", "Yes, it is."),
    ]


def test_the_layout_that_says_most_is_read_unless_another_is_asked_for(tmp_path: Path) -> None:
    row = generated("Does it stop?", "Yes.")
    files = {
        "generated_dataset/binary/generated_binary_dataset_0_9.json": [row],
        "merged_dataset/merged_dataset.json": [row],
    }
    done, questions = imported(files, tmp_path)
    assert (done.layout, questions[0].family) == ("generated", "binary")
    assert done.notes[0] == "The layout generated was read, and merged was not (--layout)."
    done, questions = imported(files, tmp_path, layout="merged")
    assert questions[0].family == "unknown"
    with pytest.raises(InputError, match="holds no file of the layout huggingface, but of generated and merged"):
        imported(files, tmp_path, layout="huggingface")


@pytest.mark.parametrize("part", ["", "dataset", "dataset/train", "dataset/train/stage2.json"])
def test_a_part_of_a_release_will_do_with_the_metadata_above_it(tmp_path: Path, part: str) -> None:
    files = {"dataset/train/stage2.json": HUGGINGFACE["dataset/train/stage2.json"]}
    release = written(tmp_path, files | {"metadata/scene_metadata.json": scene_metadata()})
    done = import_b4dl(release / part, tmp_path / "bench")
    assert done.benchmark.table["keyframes"].to_list() == [40] * 5
    told_of = [note for note in done.notes if note.startswith("Metadata were read from above")]
    assert [note.count(str(tmp_path / "metadata" / "scene_metadata.json")) for note in told_of] == [1] * bool(part)


def test_questions_that_come_several_times_are_all_kept_under_their_own_ids(tmp_path: Path) -> None:
    answers = ["A car.", "A car.", "A bus."]
    rows = [of_test("Describe the lidar-sequence.", answer) for answer in answers]
    _, questions = imported({"dataset/test/description.json": rows}, tmp_path)
    _, turned = imported({"dataset/test/description.json": rows[::-1]}, tmp_path / "turned")
    assert [one.answer for one in questions] == answers
    assert len({one.id for one in questions}) == 3
    assert {one.id: one.answer for one in questions} == {one.id: one.answer for one in turned}


def test_rows_without_a_use_are_counted_and_listed(tmp_path: Path) -> None:
    rows = [flat("Is it?", answer) for answer in ("Yes.", " ", "from frame 009 to frame 003.")]
    rows.append(flat("Until when?", "from frame 036 to frame 040."))
    files = {"dataset/train/stage2.json": rows, "metadata/scene_metadata.json": scene_metadata()}
    done, questions = imported(files, tmp_path)
    assert len(questions) == 1
    assert done.benchmark.record.exclusions == {
        "its interval ends before it begins": 1,
        "its interval ends behind the last key frame of its scene": 1,
        "its question or its answer is empty": 1,
    }
    lines = [json.loads(line) for line in (tmp_path / "bench" / "left_out.jsonl").read_text().splitlines()]
    assert [(line["file"], line["row"]) for line in lines] == [
        ("dataset/train/stage2.json", f"record {number}") for number in (2, 3, 4)
    ]


def test_with_the_dataset_scenes_have_its_names_and_others_are_left_out(tmp_path: Path, scenes: Scenes) -> None:
    name, token, keyframes = scenes.scenes.select("scene", "token", "keyframes").row(1)
    rows = [flat("Does it?", "Yes.", scene_token=token), flat("Does it?", "No."), flat("Is it?", "No.")]
    del rows[2]["scene_token"]
    done, (question,) = imported({"dataset/train/stage2.json": rows}, tmp_path, scenes=scenes)
    assert (question.scene, question.keyframes, question.facts["scene_id"]) == (name, keyframes, SCENE)
    assert done.benchmark.record.exclusions == {
        "it names no scene_token": 1,
        "its scene is not among those of the dataset": 1,
    }


def test_frames_that_the_dataset_does_not_have_are_left_out_or_refused_by_the_export(
    tmp_path: Path, scenes: Scenes
) -> None:
    token, keyframes = scenes.scenes.select("token", "keyframes").row(1)
    kept, beyond, shown = (
        generated(f"Does it {n}?", "Yes.", scene_token=token, sequence_id=f"10123456{n}") for n in "123"
    )
    kept |= {"start_index": 0, "end_index": 4}
    beyond |= {"start_index": keyframes - 3, "end_index": keyframes + 5}
    del shown["start_index"], shown["end_index"]
    sequences = [{"sequence_id": shown["sequence_id"], "indices": [0, keyframes]}]
    release = written(
        tmp_path / "release",
        {
            "generated_dataset/binary/generated_binary_dataset_0_9.json": [kept, beyond, shown],
            "metadata/sequence_metadata.json": sequences,
        },
    )
    done = import_b4dl(release, tmp_path / "with", scenes=scenes)
    assert done.benchmark.record.exclusions == {
        "its sequence ends behind the last key frame of its scene in the dataset": 2
    }
    assert done.benchmark.table["question"].to_list() == ["Does it 1?"]
    export_b4dl(done.benchmark, tmp_path / "again", scenes=scenes)
    without = import_b4dl(release, tmp_path / "without").benchmark
    export_b4dl(without, tmp_path / "bare")
    with pytest.raises(InputError, match=f"has no key frame {keyframes}, which a sequence"):
        export_b4dl(without, tmp_path / "refused", scenes=scenes)
    assert not (tmp_path / "refused").exists()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"scene_id": SCENE, "question": "a"}, "neither conversations nor question and answer"),
        ({"question": "a", "answer": "b"}, r"names no scene \(scene_id, or id\)"),
        (flat("a", "b", split="test"), "is of the split 'test', and lies among those of train"),
        (flat("a", "b", split="dev"), "has the split 'dev'; expected is train, val or test"),
        (flat("a", "b", scene_id=7), "expected `str | null`, got `int`"),
        (flat("a", "b", start_index=4), "and not both"),
        (flat("a", "b", start_index=4, end_index=2), "a sequence from key frame 4 to 2"),
        (flat("a", "b", start_index=-1, end_index=2), "a sequence from key frame -1 to 2"),
        (flat("a", "b", start_index=38, end_index=40), "ends behind the last key frame of its scene"),
        (flat("a", "b", scene_token="another"), "names another scene_token than scene_metadata.json"),
        (flat("a", "b", sequence_id=SEQUENCE, start_index=2, end_index=8), "another start or end than sequence_meta"),
    ],
)
def test_a_row_that_cannot_be_is_named_with_its_file(tmp_path: Path, row: Row, words: str) -> None:
    files = {
        "dataset/train/stage2.json": [flat("Is it?", "Yes."), row],
        "metadata/scene_metadata.json": scene_metadata(),
        "metadata/sequence_metadata.json": [{"sequence_id": SEQUENCE, "indices": [4, 6, 8]}],
    }
    with pytest.raises(InputError, match=words) as error:
        imported(files, tmp_path)
    assert "stage2.json, r" in str(error.value)
    assert "2" in str(error.value.row)
    assert not (tmp_path / "bench").exists()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("scene_metadata.json", scene_metadata(num_frames=0), "row 1: has num_frames 0"),
        ("scene_metadata.json", scene_metadata() + scene_metadata()[:1], f"row 3: is the second about {SCENE}"),
        ("scene_metadata.json", scene_metadata(split="dev"), "row 1: has the split 'dev'"),
        ("sequence_metadata.json", [{"sequence_id": SEQUENCE, "indices": [4, 2]}], "row 1: has indices"),
        ("sequence_metadata.json", [{"indices": [4, 2]}], "sequence_id"),
    ],
)
def test_wrong_metadata_are_named(tmp_path: Path, name: str, content: list[Row], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        imported(HUGGINGFACE | {f"metadata/{name}": content}, tmp_path)
    assert name in str(error.value)


def test_a_folder_without_a_release_says_what_is_expected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds none of the release's files\. Expected are such as dataset/test"):
        imported({"other.json": []}, tmp_path)
    with pytest.raises(InputError, match="is no folder and no file"):
        import_b4dl(tmp_path / "nowhere", tmp_path / "bench")
    with pytest.raises(InputError, match="names the unknown task 'poetry'; known are existence, binary"):
        imported({"generated_poetry_dataset_0_9.json": []}, tmp_path)
    with pytest.raises(InputError, match="no row that a question can be made of"):
        imported({"dataset/test/binary.json": [of_test("", "Yes.")]}, tmp_path / "empty")
    with pytest.raises(InputError, match="holds no row of the split train, but of test"):
        imported({"dataset/test/binary.json": [of_test("Is it?", "Yes.")]}, tmp_path / "one", split="train")


def test_the_verb_tells_what_it_did(tmp_path: Path, here: Any) -> None:
    release = written(tmp_path / "release", HUGGINGFACE)
    result = here("import", "b4dl", release, "--out", tmp_path / "bench")
    assert result.returncode == 0
    assert "16 questions (huggingface layout)" in result.stdout
    assert "--split imports one of them" in result.stderr
    assert "scene_metadata.json" in result.stderr
    assert read_benchmark(tmp_path / "bench").table.select(pl.col("id").n_unique()).item() == 16
