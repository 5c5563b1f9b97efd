from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from small_release import EGO, KEYFRAMES, YES_NO, Release

from probe4d.benchmarks.benchmark import read_benchmark
from probe4d.benchmarks.question import Question
from probe4d.errors import InputError
from probe4d.exchange.lidar_hallu_release import Imported, import_lidar_hallu
from probe4d.runs.run import check_run, read_run

FAMILIES = ("existence", "position", "motion", "distance", "temporal")


@pytest.fixture
def importing(tmp_path: Path) -> Callable[..., Imported]:
    def run(folder: Path, name: str | None = "run", bench: str = "bench", **options: str) -> Imported:
        return import_lidar_hallu(folder, tmp_path / bench, None if name is None else tmp_path / name, **options)

    return run


def by_template(imported: Imported) -> dict[str, Question]:
    return {question.template: question for question in imported.benchmark.questions}


def test_reads_every_field_of_a_question_from_its_text(release: Release, importing: Callable[..., Imported]) -> None:
    imported = importing(release.write())
    questions = by_template(imported)
    assert list(questions) == [
        "existence-yes-no",
        "existence-choice",
        "position-yes-no",
        "position-choice",
        "motion-yes-no",
        "distance-choice",
        "temporal-choice",
    ]
    position = questions["position-yes-no"]
    assert (position.scene, position.keyframes, position.frames) == ("000000001", 40, (4,))
    assert (position.entities, position.relation, position.answer) == (("car",), "back-left", "No")
    assert position.context == "car|back-left"
    assert position.facts == {"scene_token": "token-000000001"}
    assert position.prompt == f"{position.question}\n{YES_NO}"
    assert (
        position.question == "In frame 004, is the nearest car at the back-left position relative to the ego vehicle?"
    )
    where = questions["position-choice"]
    assert (where.options, where.answer, where.context) == (("back", "left", "front", "right"), "D", "traffic cone")
    assert where.features == where.options
    motion = questions["motion-yes-no"]
    assert (motion.frames, motion.relation, motion.entities) == ((3, 11), "farther", ("car",))
    assert motion.context == "car move farther away from the ego vehicle"
    temporal = questions["temporal-choice"]
    assert temporal.question == "When does the bus turn?\nName the frames."
    assert temporal.features == ("5", "18", "9", "5")
    assert temporal.facts["interval"] == [20, 38]
    assert questions["existence-yes-no"].context == "car"
    assert questions["distance-choice"].context == ""


def test_links_same_object_contrasts(release: Release, importing: Callable[..., Imported]) -> None:
    closer, farther = (q for q in importing(release.write()).benchmark.questions if q.family == "motion")
    assert (closer.links, farther.links) == ((farther.id,), (closer.id,))


def test_replies_stay_untouched_and_the_older_scoring_is_not_read(
    release: Release, importing: Callable[..., Imported], tmp_path: Path
) -> None:
    release.records["motion_action"][1]["error"] = "CUDA out of memory"
    imported = importing(release.write())
    assert (imported.answers, imported.errors) == (7, 1)
    run = read_run(tmp_path / "run")
    benchmark = read_benchmark(tmp_path / "bench")
    assert check_run(run, benchmark) == ()
    texts = dict(run.answers.select("question", "text").iter_rows())
    ids = {question.template: question.id for question in benchmark.questions}
    assert texts[ids["distance-choice"]] == 'A, "the\ncar"'
    assert texts[ids["position-choice"]] == ""
    failed = run.answers.filter(pl.col("error").is_not_null())
    assert failed["error"].to_list() == ["CUDA out of memory"]
    assert failed["question"].to_list() == [ids["motion-yes-no"]]
    assert "parsed_prediction" not in (tmp_path / "run" / "answers.jsonl").read_text()


def test_csv_and_jsonl_give_the_same(
    releases: Callable[[str], Release], importing: Callable[..., Imported], tmp_path: Path
) -> None:
    importing(releases("one").write(kind="csv"), "run")
    importing(releases("two").write(kind="jsonl"), "other", "other-bench")
    for name in ("bench/questions.parquet", "run/answers.jsonl", "run/run.json"):
        theirs = name.replace("bench/", "other-bench/").replace("run/", "other/", 1)
        assert (tmp_path / name).read_bytes() == (tmp_path / theirs).read_bytes()


def test_another_run_leaves_the_benchmark_as_it_is(
    releases: Callable[[str], Release], importing: Callable[..., Imported], tmp_path: Path
) -> None:
    assert importing(releases("one").write(), "default").created
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in (tmp_path / "bench").iterdir()}
    anti, shuffled = releases("two"), releases("three")
    anti.anti_position()
    shuffled.shuffled(alpha=0.5)
    for name, other in (("anti", anti), ("shuffled", shuffled)):
        imported = importing(other.write(), name)
        assert not imported.created
        check_run(read_run(tmp_path / name), read_benchmark(tmp_path / "bench"))
    after = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in (tmp_path / "bench").iterdir()}
    assert before == after
    assert read_run(tmp_path / "anti").record.setting == "anti-position"
    record = read_run(tmp_path / "shuffled").record
    assert (record.setting, record.parameters) == ("tscd", {"contrastive_alpha": 0.5})
    assert (record.model, record.layout) == ("B4DL", "plain")


def test_the_benchmark_is_the_same_whichever_run_comes_first(
    releases: Callable[[str], Release], importing: Callable[..., Imported]
) -> None:
    anti = releases("two")
    anti.anti_position()
    first = importing(anti.write(), "anti", "anti-bench").benchmark
    assert first.table.equals(importing(releases("one").write(), "default").benchmark.table)


def test_ego_prompts_are_kept_and_need_a_folder_of_their_own(
    releases: Callable[[str], Release], importing: Callable[..., Imported], tmp_path: Path
) -> None:
    plain, ego = releases("one"), releases("two")
    ego.ego()
    importing(plain.write(), "plain")
    with pytest.raises(InputError, match=r"bench: .*plain layout.*ego layout.*folder of their own"):
        importing(ego.write(), "ego")
    assert not (tmp_path / "ego").exists()
    imported = importing(ego.write(), "ego", "ego-bench")
    assert imported.run is not None
    assert (imported.run.layout, imported.run.model) == ("ego", "B4DL-Ego")
    question = imported.benchmark.questions[0]
    assert question.prompt == f"{EGO}\n{question.question}\n{YES_NO}"
    assert question.facts["ego_motion"] == {"text": EGO}


def test_events_without_text_give_questions_without_text(release: Release, importing: Callable[..., Imported]) -> None:
    release.write()
    imported = importing(release.write_intervals())
    temporal = by_template(imported)["temporal-choice"]
    assert temporal.question is None
    assert temporal.prompt is None
    assert temporal.options[1] == "from frame 020 to frame 038"
    assert (temporal.answer, temporal.features, temporal.keyframes) == ("B", ("5", "18", "9", "5"), 39)


@pytest.mark.parametrize("category", ["object_existence", "motion_action", "temporal_grounding"])
def test_any_subset_of_the_files_will_do(category: str, release: Release, importing: Callable[..., Imported]) -> None:
    imported = importing(release.write(categories={category}))
    assert imported.benchmark.table["family"].n_unique() == 1
    assert imported.answers == len(release.records[category])


def test_a_subset_answers_part_of_a_fuller_benchmark(
    releases: Callable[[str], Release], importing: Callable[..., Imported], tmp_path: Path
) -> None:
    importing(releases("one").write(), "all")
    imported = importing(releases("two").write(categories={"motion_action"}), "motion")
    assert imported.notes == ("6 of the benchmark's questions have no answer in these files.",)
    assert len(check_run(read_run(tmp_path / "motion"), read_benchmark(tmp_path / "bench"), allow_missing=True)) == 6


def test_more_than_the_benchmark_holds_is_refused(
    releases: Callable[[str], Release], importing: Callable[..., Imported]
) -> None:
    importing(releases("one").write(categories={"motion_action"}), "motion")
    with pytest.raises(InputError, match=r"object_existence_predictions.csv, line 2.*6 of 8 records are not"):
        importing(releases("two").write(), "all")


def test_question_files_give_the_facts(release: Release, importing: Callable[..., Imported]) -> None:
    release.records["motion_action"][0] |= {"distance_delta": -2.5, "lateral_delta": 0.25}
    release.write()
    imported = importing(release.write_questions())
    motion = next(question for question in imported.benchmark.questions if question.family == "motion")
    assert motion.facts["distance_delta"] == -2.5
    assert imported.answers == 8


def test_question_files_alone_give_a_benchmark_and_no_run(release: Release, importing: Callable[..., Imported]) -> None:
    release.write(categories=set())
    folder = release.write_questions()
    with pytest.raises(InputError, match=r"holds no predictions.*Leave the run out"):
        importing(folder)
    imported = importing(folder, None)
    assert (imported.benchmark.table.height, imported.run) == (8, None)


def test_scene_metadata_tells_the_key_frames(release: Release, importing: Callable[..., Imported]) -> None:
    folder = release.write(scenes=False)
    metadata = [{"scene_id": f"00000000{n}", "scene_token": "t", "num_frames": 40, "paths": {}} for n in (1, 2)]
    (folder / "scene_metadata.json").write_text(json.dumps(metadata))
    assert set(importing(folder).benchmark.table["keyframes"]) == {40}


@pytest.mark.parametrize("category", ["temporal_grounding", "motion_action", "object_existence"])
def test_any_file_alone_will_do(category: str, release: Release, importing: Callable[..., Imported]) -> None:
    folder = release.write(scenes=False)
    for path in folder.iterdir():
        if not path.name.startswith(category):
            path.unlink()
    done = importing(folder)
    assert done.benchmark.table["keyframes"].null_count() == done.benchmark.table.height > 0
    assert any("no number of key frames" in note for note in done.notes)
    assert read_benchmark(done.benchmark.path).fingerprint == done.benchmark.fingerprint


def test_key_frames_told_later_do_not_make_other_questions(
    releases: Callable[[str], Release], importing: Callable[..., Imported]
) -> None:
    importing(releases("one").write(scenes=False), "first")
    assert not importing(releases("two").write(), "second").created


def test_recorded_permutations_tell_the_key_frames(release: Release, importing: Callable[..., Imported]) -> None:
    release.shuffled()
    table = importing(release.write(scenes=False)).benchmark.table
    assert dict(table.select("scene", "keyframes").unique().iter_rows()) == {"000000001": 40, "000000002": 39}


def test_a_benchmark_tells_the_key_frames_to_later_runs(
    releases: Callable[[str], Release], importing: Callable[..., Imported]
) -> None:
    shuffled = releases("one")
    shuffled.shuffled()
    importing(shuffled.write(scenes=False), "shuffled")
    assert not importing(releases("two").write(scenes=False), "default").created


def test_finds_its_way_in_the_release_as_published(
    releases: Callable[[str], Release], importing: Callable[..., Imported], tmp_path: Path
) -> None:
    root = tmp_path / "repository"
    runs, questions = root / "data" / "b4dl_eval", root / "data" / "b4dl_dataset" / "hallucination_v2"
    runs.mkdir(parents=True)
    questions.mkdir(parents=True)
    shuffled = releases("run")
    shuffled.shuffled(alpha=0.5)
    shuffled.folder = runs / "hallucination_v2_temporal_shuffle_cd_alpha05"
    shuffled.write(kind="jsonl", scenes=False)
    asked = releases("questions")
    asked.folder = questions
    asked.records["motion_action"][0]["distance_delta"] = -2.5
    asked.write_questions()
    imported = importing(root)
    motion = next(question for question in imported.benchmark.questions if question.family == "motion")
    assert motion.facts["distance_delta"] == -2.5
    assert imported.run is not None
    assert imported.run.parameters == {"contrastive_alpha": 0.5}
    default = releases("default")
    default.folder = runs / "hallucination_v2"
    default.write(scenes=False)
    metadata = [{"scene_id": scene, "num_frames": n} for scene, n in KEYFRAMES.items()]
    (root / "scene_metadata.json").write_text(json.dumps(metadata))
    with pytest.raises(InputError, match=r"repository: holds 2 folders in b4dl_eval.*such as .*_v2\."):
        importing(root, "second")
    assert not importing(default.folder, "second").created
    with pytest.raises(InputError, match=r"is not a folder"):
        importing(root / "data" / "b4dl_eval" / "hallucination_v3", "third")


def test_nothing_is_written_when_the_run_folder_is_in_use(
    release: Release, importing: Callable[..., Imported], tmp_path: Path
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        importing(release.write())
    assert not (tmp_path / "bench").exists()


def _cell(file: str, row: int, **fields: object) -> Callable[[Release], None]:
    return lambda release: release.records[file][row].update(fields)


def _question(category: str, row: int, old: str, new: str) -> Callable[[Release], None]:
    def change(release: Release) -> None:
        record = release.records[category][row]
        record["question"] = record["question"].replace(old, new)
        record["prompt"] = f"<video>\n{record['question']}"
        record |= dict.fromkeys(("frame", "object_class", "options", "correct_answer"))

    return change


def _repeat(release: Release) -> None:
    release.records["motion_action"].append(release.records["motion_action"][0] | {"index": 2})


BROKEN: dict[str, tuple[Callable[[Release], None], str]] = {
    "unknown category": (_cell("motion_action", 1, category="motion"), r"line 6.*'motion', which is no category"),
    "category of another file": (_cell("motion_action", 1, category="distance_depth"), "line 6.*'distance_depth'"),
    "unknown question type": (_cell("distance_depth", 0, question_type="open"), "line 2.*'open'.*binary, mcq"),
    "reference letter": (_cell("distance_depth", 0, reference_answer="E"), "line 2.*'E', expected is A, B, C or D"),
    "empty reference": (_cell("distance_depth", 0, reference_answer=""), "line 2.*reference_answer"),
    "two reference letters": (
        _cell("distance_depth", 0, correct_option="B"),
        "is A and correct_option B",
    ),
    "other correct answer": (_cell("distance_depth", 0, correct_answer="bus"), "reads 'car' and correct_answer 'bus'"),
    "reference of yes-no": (
        _cell("motion_action", 0, reference_answer="Maybe."),
        "'Maybe.', expected is 'Yes.'",
    ),
    "other options": (_cell("distance_depth", 0, options={"A": "car"}), "not those of the field 'options'"),
    "three options": (_question("distance_depth", 0, "D. truck\n", ""), "four options A to D"),
    "repeated option": (_question("object_existence", 1, "D. truck", "D. car"), "not four different"),
    "unknown class": (_question("object_existence", 0, "car", "tram"), "class 'tram' is unknown"),
    "unknown option class": (_question("object_existence", 1, "truck", "tram"), "class 'tram' is unknown"),
    "unknown sector": (_question("ego_relative_spatial", 0, "back-left", "rear"), "position 'rear' is unknown"),
    "unknown verb": (
        _question("motion_action", 0, "become closer", "come closer"),
        "not how a question of",
    ),
    "other directive": (_question("motion_action", 0, YES_NO, "Answer."), "does not end in the line"),
    "frame outside the scene": (_question("distance_depth", 0, "002", "039"), "frame 39, the scene ends at frame 38"),
    "frame column differs": (_cell("distance_depth", 0, frame=3), "frame is 3, but the question's text says 2"),
    "class column differs": (_cell("motion_action", 0, object_class="bus"), "object_class is 'bus'"),
    "interval outside": (_question("temporal_grounding", 0, "038", "039"), "leaves the scene, which ends at frame 38"),
    "reversed interval": (_question("temporal_grounding", 0, "020", "039"), "ends before it starts"),
    "other prompt": (_cell("motion_action", 0, prompt="Hello?"), "neither the plain nor the ego layout"),
    "index is a word": (_cell("motion_action", 0, index="one"), "line 2.*index"),
    "index below zero": (_cell("motion_action", 0, index=-1), "line 2.*index"),
    "index twice": (_cell("motion_action", 1, index=0), "line 6.*index 0 of line 2"),
    "same question twice": (_repeat, "line 10.*same question about the same scene as line 2"),
    "unknown scene": (_cell("motion_action", 0, scene_id="9"), "line 2.*key frames of scene 9 is unknown"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_bad_record_is_named(
    fault: str, release: Release, importing: Callable[..., Imported], tmp_path: Path
) -> None:
    change, message = BROKEN[fault]
    change(release)
    with pytest.raises(InputError, match=message):
        importing(release.write())
    assert not (tmp_path / "bench").exists()
    assert not (tmp_path / "run").exists()


def _order(change: Callable[[list[str]], list[str]]) -> Callable[[Release], None]:
    def damage(release: Release) -> None:
        record = release.records["motion_action"][0]
        record["shuffle_permutation"] = " ".join(change(record["shuffle_permutation"].split()))

    return damage


SHUFFLES: dict[str, tuple[Callable[[Release], None], str]] = {
    "shorter than the scene": (_order(lambda order: order[:-1]), "has 39 frames, the scene has 40"),
    "frame twice": (_order(lambda order: [order[0], order[0], *order[2:]]), "each of 0 to 39 once"),
    "two frames swapped": (_order(lambda order: [order[1], order[0], *order[2:]]), "not the one that seed 42 gives"),
    "a word": (_order(lambda order: ["x", *order[1:]]), "each of 0 to 39 once"),
    "another seed": (_cell("motion_action", 0, shuffle_seed=43), "not the one that seed 43 gives"),
    "no seed": (_cell("motion_action", 0, shuffle_seed=None), "needs shuffle_seed"),
    "two alphas": (_cell("motion_action", 1, contrastive_alpha=0.5), "another contrastive alpha than line 2"),
}


@pytest.mark.parametrize("fault", SHUFFLES)
def test_a_wrong_permutation_is_named(fault: str, release: Release, importing: Callable[..., Imported]) -> None:
    release.shuffled()
    change, message = SHUFFLES[fault]
    change(release)
    with pytest.raises(InputError, match=rf"motion_action_predictions.csv, line \d+: .*{message}"):
        importing(release.write())


def test_two_settings_in_one_folder_are_refused(release: Release, importing: Callable[..., Imported]) -> None:
    release.anti_position()
    record = release.records["distance_depth"][0]
    record["question"], record["prompt"] = (record[name].split(" Do not")[0] for name in ("question", "prompt"))
    with pytest.raises(InputError, match=r"distance_depth.*another directive than line 6"):
        importing(release.write())


def test_two_layouts_in_one_folder_are_refused(release: Release, importing: Callable[..., Imported]) -> None:
    release.ego()
    record = release.records["distance_depth"][0]
    record["prompt"] = f"<video>\n{record['question']}"
    with pytest.raises(InputError, match=r"distance_depth.*another layout"):
        importing(release.write())


def test_files_that_contradict_each_other_are_named(
    releases: Callable[[str], Release], importing: Callable[..., Imported]
) -> None:
    release = releases("one")
    release.write()
    other = releases("one")
    other.records["motion_action"][1]["prediction"] = "Yes."
    folder = other.write(kind="jsonl")
    with pytest.raises(InputError, match=r"csv, line 6.*contradicts line 2 .*jsonl about the prediction of record 1"):
        importing(folder)


def test_intervals_that_contradict_the_predictions_are_named(
    release: Release, importing: Callable[..., Imported]
) -> None:
    release.write()
    kept = (release.folder / "temporal_grounding_predictions.csv").read_bytes()
    folder = release.write_intervals()
    (folder / "temporal_grounding_predictions.csv").write_bytes(kept)
    assert by_template(importing(folder))["temporal-choice"].question is not None
    intervals = folder / "temporal_grounding_intervals.csv"
    intervals.write_text(intervals.read_text().replace("20-38", "20-37"))
    with pytest.raises(InputError, match=r"intervals.csv, line 2.*about the options of record 0"):
        importing(folder, "second")


def test_bad_files_are_named(release: Release, importing: Callable[..., Imported], tmp_path: Path) -> None:
    folder = release.write()
    path = folder / "motion_action_predictions.csv"
    content = path.read_bytes()
    short = content[: content.rindex(b"Only answer")]
    for damaged, message in (
        (short, r"motion_action_predictions.csv, line 6.*unexpected end of data"),
        (content.replace(b"reference_answer", b"reference"), r"line 2.*no 'reference_answer'"),
        (content.replace(b"index,category", b"index,index"), r"column 'index' twice"),
        (content.replace(b"1,motion_action", b"1,x,motion_action"), r"line 6.*has 20 fields where the header has 19"),
        (content.decode().encode("utf-16"), "no UTF-8 text"),
        (content.split(b"\r\n")[0] + b"\r\n", "holds no row"),
        (b"", "holds no row"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=message):
            importing(folder)
    path.unlink()
    (folder / "road_signs_predictions.csv").write_bytes(content)
    with pytest.raises(InputError, match=r"road_signs_predictions.csv: .*unknown category 'road_signs'"):
        importing(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty: holds none of the release's files"):
        importing(tmp_path / "empty")
    with pytest.raises(InputError, match="is not a folder"):
        importing(tmp_path / "nowhere")


def test_truncated_question_files_are_named(release: Release, importing: Callable[..., Imported]) -> None:
    folder = release.write_questions()
    release.write(categories=set())
    path = folder / "object_existence.json"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match=r"object_existence.json: .*cut off"):
        importing(folder, None)


@pytest.mark.real_data
def test_the_released_answers(
    real_data: Callable[[str], Path], importing: Callable[..., Imported], tmp_path: Path
) -> None:
    folder = real_data("lidar_hallu_release")
    published = json.loads((folder / "published.json").read_text())
    imported = importing(folder)
    table = imported.benchmark.table
    assert (table.height, imported.answers, imported.errors) == (10_000, 10_000, 0)
    assert table["scene"].n_unique() == published["scenes"]
    scenes = table.group_by("family", maintain_order=True).agg(pl.col("scene").n_unique())
    assert dict(scenes.iter_rows()) == dict(zip(FAMILIES, (150, 150, 148, 127, 146), strict=True))
    choice = table.filter(pl.col("format") == "choice")
    assert dict(choice.group_by("answer").len().iter_rows()) == published["mcq_reference_counts"]
    spans = choice.filter(pl.col("family") == "temporal").select(
        pl.col("features").list.get(pl.col("answer").replace_strict(dict(zip("ABCD", range(4), strict=True))))
    )
    outside = spans.filter(~pl.col("features").cast(pl.Int32).is_between(5, 19)).height
    assert outside == published["temporal_references_outside_5_to_19"]
    lateral = table.filter(pl.col("relation").is_in(["left", "right"]) & (pl.col("family") == "motion"))
    assert (lateral.height, (lateral["answer"] == "Yes").sum()) == (722, 302)
    check_run(read_run(tmp_path / "run"), imported.benchmark)
