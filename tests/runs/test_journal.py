"""A run's folder while it is asked: taken up by the same run alone, and by one command at a time."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from asking_run import MODEL, benchmark_of
from fake_server import FakeServer

from probe4d.errors import InputError, RunError
from probe4d.models.generation import Generation
from probe4d.runs.ask import ask
from probe4d.runs.differences import differences
from probe4d.runs.evidence_plan import EvidencePlan, evidence_named
from probe4d.runs.journal import open_journal
from probe4d.runs.plan import RunPlan
from probe4d.runs.run import Answer, AnswerError, LeftOut, RunRecord, read_run
from probe4d.runs.selection import Selection

RECORD = RunRecord(
    model="openai/gpt-5",
    parameters={"base_url": None, "top_k": 5},
    generation=Generation(temperature=0.0),
    evidence=EvidencePlan(),
    benchmark="a" * 64,
)
ANSWERS = [Answer(question=f"{place}", text="Yes.") for place in range(5)]


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    with open_journal(path, RECORD) as journal:
        journal.put(ANSWERS[:3], [AnswerError(question="3", error="HTTP 500")])
    return path


def test_a_run_goes_on_where_it_stopped(begun: Path) -> None:
    with open_journal(begun, RECORD) as journal:
        assert journal.answered == {("0", None), ("1", None), ("2", None)}
        journal.put(ANSWERS[3:])
    answers = read_run(begun).answers
    assert answers["question"].to_list() == ["0", "1", "2", "3", "4"]
    assert answers["error"].null_count() == 5


def test_a_failure_is_asked_again_and_never_an_answer(begun: Path) -> None:
    with open_journal(begun, RECORD) as journal:
        assert ("3", None) not in journal.answered
    [failed] = read_run(begun).answers.filter(pl.col("question") == "3").iter_rows(named=True)
    assert (failed["text"], failed["error"]) == (None, "HTTP 500")


def test_a_question_is_never_answered_twice(begun: Path) -> None:
    before = (begun / "answers.jsonl").read_bytes()
    with open_journal(begun, RECORD) as journal:
        for twice in ([ANSWERS[0]], [ANSWERS[4], ANSWERS[4]]):
            with pytest.raises(ValueError, match="asked again"):
                journal.put(twice)
        journal.put([msgspec.structs.replace(ANSWERS[0], variant="2")])
    assert (begun / "answers.jsonl").read_bytes().startswith(before)
    assert read_run(begun).answers.height == 5


@pytest.mark.parametrize(
    "changed", [{"course": {"timeout_s": 9}}, {"versions": {"probe4d": "9"}}, {"model": "openai/gpt-4"}]
)
def test_a_run_without_answers_begins_when_it_is_asked_anew(tmp_path: Path, changed: dict[str, Any]) -> None:
    path, anew = tmp_path / "run", msgspec.structs.replace(RECORD, **changed)
    for record in (RECORD, anew):
        with open_journal(path, record) as journal:
            journal.put([], [AnswerError(question="3", error="HTTP 500")])
        run = read_run(path)
        assert (run.record, run.answers["error"].to_list()) == (record, ["HTTP 500"])


def test_a_run_with_answers_keeps_the_record_that_it_began_with(begun: Path) -> None:
    before = (begun / "run.json").read_bytes()
    with open_journal(begun, msgspec.structs.replace(RECORD, course={"timeout_s": 9}, versions={"probe4d": "9"})):
        pass
    assert (begun / "run.json").read_bytes() == before


def test_all_that_differs_is_said_in_words(begun: Path) -> None:
    other = msgspec.structs.replace(
        RECORD,
        model="openai/gpt-4",
        setting="ego",
        parameters={"base_url": "http://localhost:1", "top_k": 5},
        generation=Generation(temperature=1.0, max_tokens=9),
        evidence=EvidencePlan(kind="black", view="cameras"),
        selection=Selection(limit=3),
        versions={"probe4d": "9"},
        preset="a-paper",
    )
    with pytest.raises(InputError) as caught, open_journal(begun, other):
        pass
    said = str(caught.value)
    for words in (
        '--model was "openai/gpt-5" and is now "openai/gpt-4"',
        '--setting was "default" and is now "ego"',
        '--base-url was not given and is now "http://localhost:1"',
        "--temperature was 0.0 and is now 1.0",
        "--max-tokens was not given and is now 9",
        '--evidence was "none" and is now "black:cameras"',
        "--limit was not given and is now 3",
    ):
        assert words in said
    for same in ("top_k", "benchmark", "versions", "preset", "layout", "--family", "--sample-seed", "--evidence-seed"):
        assert same not in said


@pytest.mark.parametrize(
    ("field", "was", "now"),
    [
        ("selection", None, Selection(seed=7)),
        ("selection", Selection(limit=3), Selection(limit=3, seed=7)),
        ("evidence", evidence_named("none"), evidence_named("none", seed=7, max_frames=3, span="scene")),
        ("evidence", evidence_named("cameras"), evidence_named("cameras", seed=7)),
    ],
)
def test_options_without_effect_make_no_other_run(tmp_path: Path, field: str, was: object, now: object) -> None:
    before, after = (msgspec.structs.replace(RECORD, **{field: value}) for value in (was, now))
    assert differences(before, after) == []


@pytest.mark.parametrize(
    ("field", "was", "now", "said"),
    [
        ("selection", Selection(sample=3), Selection(sample=3, seed=7), "--sample-seed was 42 and is now 7"),
        ("selection", None, Selection(families=("motion",)), '--family was not given and is now ["motion"]'),
        (
            "evidence",
            evidence_named("shuffled"),
            evidence_named("shuffled", seed=7),
            "--evidence-seed was 42 and is now 7",
        ),
        ("parameters", {}, {"device": "cpu"}, '-M device was not given and is now "cpu"'),
        (
            "wording",
            "a" * 64,
            "b" * 64,
            "its prompts are worded otherwise than by the version of probe4d that began it",
        ),
        (
            "layout",
            "plain",
            "ego",
            'its prompts are laid out otherwise than by the version of probe4d that began it ("plain", and now "ego")',
        ),
        (
            "hints",
            {"max_tokens": 9},
            {"max_tokens": 8},
            "its setting or model gave max_tokens 9 and now gives max_tokens 8",
        ),
        ("hints", {}, {"max_tokens": 8}, "its setting or model gave no max_tokens and now gives max_tokens 8"),
    ],
)
def test_one_difference_is_said_alone(field: str, was: object, now: object, said: str) -> None:
    before, after = (msgspec.structs.replace(RECORD, **{field: value}) for value in (was, now))
    assert differences(before, after) == [said]


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ({"hints": {"max_tokens": 9}}, {"generation": Generation(max_tokens=9)}, []),
        (
            {"hints": {"max_tokens": 9}},
            {"generation": Generation(max_tokens=8)},
            ["--max-tokens was not given and is now 8"],
        ),
        (
            {"model": "lidar-lm:a", "parameters": {"checkpoint": "c", "base": "b"}},
            {"model": "lidar-lm:z", "parameters": {"checkpoint": "c"}},
            [],
        ),
        (
            {"model": "lidar-lm:a", "parameters": {"checkpoint": "c"}},
            {"model": "lidar-lm:a", "parameters": {"checkpoint": "d"}},
            ['the checkpoint was "c" and is now "d"'],
        ),
        ({"model": "a"}, {"model": "z"}, ['--model was "a" and is now "z"']),
    ],
)
def test_what_comes_to_the_same_is_no_difference(was: dict[str, Any], now: dict[str, Any], said: list[str]) -> None:
    before, after = (msgspec.structs.replace(RECORD, generation=Generation(), hints={}) for _ in range(2))
    assert differences(msgspec.structs.replace(before, **was), msgspec.structs.replace(after, **now)) == said


@pytest.mark.parametrize(("was", "now"), [(None, "a" * 64), ("a" * 64, None)])
def test_a_wording_of_which_nothing_is_known_is_no_other(was: str | None, now: str | None) -> None:
    before, after = (msgspec.structs.replace(RECORD, wording=value) for value in (was, now))
    assert differences(before, after) == []


def test_a_run_that_ends_on_a_full_disk_is_complete(
    begun: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_room(path: Path, content: bytes) -> None:
        raise RunError(f"{path}: could not be written to the end (No space left on device).")

    with open_journal(begun, RECORD) as journal:
        journal.put([ANSWERS[4], ANSWERS[3]])
        monkeypatch.setattr("probe4d.runs.journal.write_bytes", no_room)
        journal.finish(lambda key: int(key[0]))
    assert "Every answer is kept, in the order in which they came." in caplog.text
    assert read_run(begun).answers["question"].to_list() == ["0", "1", "2", "4", "3"]
    monkeypatch.undo()
    with open_journal(begun, RECORD) as journal:
        journal.finish(lambda key: int(key[0]))
    assert read_run(begun).answers["question"].to_list() == ["0", "1", "2", "3", "4"]


def test_options_that_json_has_otherwise_are_the_same(tmp_path: Path) -> None:
    record = msgspec.structs.replace(RECORD, parameters={"stop": ("a", "b"), "n": 1.0})
    for _ in range(2):
        with open_journal(tmp_path / "run", record):
            pass


@pytest.mark.parametrize(
    ("file", "damaged", "row"),
    [
        ("answers.jsonl", b'{"question":"0","text":"Yes."}\n{"question":"1","text":\n{"question":"2","text":""}\n', 2),
        ("answers.jsonl", b'{"question":"0","text":"Yes."}\n{"question":"0","text":"No."}\n', 2),
        ("answers.jsonl", b'{"question":"0"}\n', 1),
        ("errors.jsonl", b"oops\n", 1),
    ],
)
def test_a_damaged_file_is_refused_by_its_line(begun: Path, file: str, damaged: bytes, row: int) -> None:
    (begun / file).write_bytes(damaged)
    with pytest.raises(InputError, match=rf"{file}, line {row}: "), open_journal(begun, RECORD):
        pass
    assert (begun / file).read_bytes() == damaged


def test_half_a_line_at_the_end_is_asked_again(begun: Path) -> None:
    with open(begun / "answers.jsonl", "ab") as file:
        file.write(b'{"question":"3","te')
    with open_journal(begun, RECORD) as journal:
        assert len(journal.answered) == 3
        journal.put(ANSWERS[3:])
    assert read_run(begun).answers["question"].to_list() == ["0", "1", "2", "3", "4"]


def test_answers_without_their_record_are_refused(begun: Path) -> None:
    (begun / "run.json").unlink()
    with pytest.raises(InputError, match=r"holds answers, but the run\.json"), open_journal(begun, RECORD):
        pass


def test_a_damaged_record_is_refused(begun: Path) -> None:
    (begun / "run.json").write_text("{")
    with pytest.raises(InputError, match=r"run\.json: is damaged"), open_journal(begun, RECORD):
        pass


def test_a_folder_of_other_things_and_a_file_are_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="holds no run"), open_journal(tmp_path, RECORD):
        pass
    with pytest.raises(InputError, match="is a file"), open_journal(tmp_path / "notes.txt", RECORD):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_what_a_killed_beginning_left_is_taken_up(tmp_path: Path) -> None:
    for name in (".lock", ".run.json.abc.part", ".answers.jsonl.def.part"):
        (tmp_path / name).write_text("half")
    with open_journal(tmp_path, RECORD) as journal:
        journal.put(ANSWERS)
    assert {path.name for path in tmp_path.iterdir()} == {".lock", "run.json", "answers.jsonl"}


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "run", Path("/proc/probe4d/run")):
        with pytest.raises(InputError, match="cannot be written"), open_journal(path, RECORD):
            pass


def test_the_finished_file_is_in_the_order_of_the_benchmark(tmp_path: Path) -> None:
    with open_journal(tmp_path / "run", RECORD) as journal:
        journal.leave_out([LeftOut(question="9", reason="no frame")])
        for answer in reversed(ANSWERS):
            journal.put([answer])
        journal.finish(lambda key: int(key[0]))
    finished = read_run(tmp_path / "run")
    assert finished.answers["question"].to_list() == ["0", "1", "2", "3", "4"]
    assert finished.left_out == (LeftOut(question="9", reason="no frame"),)


def test_a_second_command_on_one_folder_is_refused_at_once(fake_server: Callable[..., FakeServer], begun: Path) -> None:
    """Also where the first has not come to write its record yet; processes are told apart in tests/store/test_locks."""
    server = fake_server()
    with open_journal(begun, RECORD):
        for _ in range(2):
            with pytest.raises(InputError, match="is in use by another command"):
                ask(benchmark_of(), begun, model=MODEL, plan=RunPlan(base_url=server.base_url))
            (begun / "run.json").unlink(missing_ok=True)
            (begun / "answers.jsonl").unlink(missing_ok=True)
            (begun / "errors.jsonl").unlink(missing_ok=True)
    assert server.counts() == {}


def test_a_disk_that_fills_up_leaves_a_run_that_goes_on(fake_server: Callable[..., FakeServer], tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk; it is set in a process of its own."""
    server, out = fake_server(), tmp_path / "run"
    code = (
        "import resource, sys; from pathlib import Path\n"
        f"sys.path[:0] = {[str(folder) for folder in Path(__file__).parents[:2]]}\n"
        "from asking_run import run; from probe4d.errors import RunError\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, {resource.RLIM_INFINITY}))\n"
        f"try: run(Path({str(out)!r}), {server.base_url!r}, 8)\n"
        "except RunError as error: print(error); sys.exit(error.exit_code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == f"{out / 'answers.jsonl'}: could not be written to the end (File too large). " + (
        "See that the disk has room.\n"
    )
    kept = read_run(out).answers["question"].to_list()
    assert 50 < len(kept) < 200
    ask(benchmark_of(), out, model=MODEL, plan=RunPlan(base_url=server.base_url))
    assert read_run(out).answers["question"].to_list() == benchmark_of().table["id"].to_list()
    counts = server.counts()
    assert sum(counts.values()) <= 500 + 8
    assert {counts[f"Is it {int(question, 16)}?"] for question in kept} == {1}


def test_a_wrong_key_ends_the_run_and_keeps_its_folder(fake_server: Callable[..., FakeServer], tmp_path: Path) -> None:
    refused = {"status": 401, "json": {"error": {"message": "Incorrect API key"}}}
    server = fake_server(steps={"Is it 100?": [refused, {}]})
    with pytest.raises(RunError, match="refuses the key"):
        ask(benchmark_of(), tmp_path / "run", model=MODEL, plan=RunPlan(base_url=server.base_url))
    kept = read_run(tmp_path / "run").answers.height
    assert kept >= 90
    ask(benchmark_of(), tmp_path / "run", model=MODEL, plan=RunPlan(base_url=server.base_url))
    assert read_run(tmp_path / "run").answers["error"].null_count() == 500
