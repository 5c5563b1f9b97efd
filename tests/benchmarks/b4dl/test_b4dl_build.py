"""What a build of B4DL makes of replies: the same whoever measures, all of it on disk, and told where it is short."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from generated_pairs import DESCRIPTION, Scripted, pairs_of, worded, writer_of_kinds
from probe4d.benchmarks.b4dl.build import verdicts_in
from probe4d.benchmarks.b4dl.generation.planning import planned_prompts
from probe4d.benchmarks.b4dl.measuring import Measuring
from probe4d.benchmarks.b4dl.pairs import PAIRS_SCHEMA
from probe4d.benchmarks.b4dl.sequences import released_windows
from probe4d.benchmarks.b4dl.tasks import TASKS
from probe4d.benchmarks.b4dl.wanted import Wanted
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.generating import Generated, Prompt, Stage
from probe4d.benchmarks.suites import build, check
from probe4d.errors import InputError, RunError
from probe4d.runs.prompt_lines import prompt_lines
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

SMALL: dict[str, Any] = {"sequences_per_scene": 2, "longest_side_px": 64}


@pytest.fixture(scope="module")
def shot(photographed: Path) -> Scenes:
    return open_scenes(photographed)


@pytest.fixture(scope="module")
def folder(shot: Scenes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("b4dl") / "bench"
    build("b4dl", shot, out, generator=writer_of_kinds(Wanted(sequences_per_scene=2).sequences(shot)), **SMALL)
    return out


def answering(text: str) -> Scripted:
    def rule(stage: Stage, _: Prompt) -> Generated | str:
        return DESCRIPTION if stage == "contexts" else text

    return Scripted(rule)


def test_all_that_was_written_lies_in_the_folder(folder: Path, shot: Scenes) -> None:
    benchmark = read_benchmark(folder)
    pairs = pl.read_parquet(folder / "pairs.parquet")
    assert pairs.height == benchmark.record.questions == sum(verdicts_in(folder).values())
    assert verdicts_in(folder)["contradicted"] > 0
    assert pairs.select("sequence", "task", "number").is_unique().all()
    sequences = pl.read_parquet(folder / "sequences.parquet")
    assert sequences["sequence"].to_list() == pairs["sequence"].unique(maintain_order=True).to_list()
    assert set(pl.read_parquet(folder / "annotations.parquet")["sequence"]) <= set(sequences["sequence"])
    descriptions = [json.loads(line) for line in (folder / "descriptions.jsonl").read_text().splitlines()]
    assert [line["text"] for line in descriptions] == [DESCRIPTION] * 4
    card = (folder / "README.md").read_text()
    for words in ("What geometry says of the answers", "Pairs that were not taken", "time-grounding: 8 of 10 pairs"):
        assert words in card
    assert {path.name for path in folder.iterdir()} == {
        *("questions.parquet", "benchmark.json", "README.md", "composition.csv"),
        *("sequences.parquet", "annotations.parquet", "pairs.parquet"),
        *("descriptions.jsonl", "faults.jsonl", "short.jsonl"),
    }
    assert all(line.scene in shot.names for line in prompt_lines(benchmark))


def test_nothing_measured_depends_on_workers(simulated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = open_scenes(simulated)
    sequences = Wanted(sequences_per_scene=2).sequences(scenes)
    monkeypatch.setattr("probe4d.benchmarks.b4dl.measuring._BOXES_AT_ONCE", 1)
    one, two = (Measuring(scenes, sequences, workers) for workers in (1, 2))
    assert one.annotations().equals(two.annotations())
    rows = [
        (row["sequence"], task, number, *pair)
        for row in sequences.iter_rows(named=True)
        for task in ("existence", "time-grounding")
        for number, pair in enumerate(pairs_of(task, row["start"], row["end"]))
    ]
    pairs = pl.DataFrame(rows, schema=["sequence", "task", "number", "question", "answer"], orient="row")
    pairs = pairs.cast({"number": pl.Int32})
    assert one.verdicts(pairs).equals(two.verdicts(pairs))
    told: list[object] = []
    Measuring(scenes, sequences, 1, lambda *what: told.append(what), told.append).verdicts(pairs)
    assert told == [("verdicts", 6), *scenes.names]


def test_a_process_is_sent_the_sequences_and_pairs_of_its_own_scenes(
    simulated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []

    def over(measure: partial[pl.DataFrame], groups: list[Any], **_: object) -> list[pl.DataFrame]:
        assert measure.keywords.keys() == {"all_around"}
        sent.extend(groups)
        return [measure(group) for group in groups]

    scenes = open_scenes(simulated)
    sequences = Wanted(sequences_per_scene=1).sequences(scenes)
    rows = [(name, "binary", 0, "Does a car turn?", "Yes.") for name in sequences["sequence"]]
    monkeypatch.setattr("probe4d.engine.over", over)
    monkeypatch.setattr("probe4d.benchmarks.b4dl.measuring._BOXES_AT_ONCE", 1)
    verdicts = Measuring(scenes, sequences).verdicts(pl.DataFrame(rows, schema=PAIRS_SCHEMA, orient="row"))
    assert verdicts.height == len(sent) == len(scenes.names)
    assert [group.sequences["scene"].to_list() for group in sent] == [[name] for name in scenes.names]
    assert [group.pairs["sequence"].to_list() for group in sent] == [[name] for name in sequences["sequence"]]


def test_released_windows_are_asked_about_where_they_are_wanted(shot: Scenes) -> None:
    planned = planned_prompts(shot, Wanted(windows="released", longest_side_px=64, tasks=("binary",)))
    names = released_windows(shot)["sequence"].to_list()
    assert [prompt.key for prompt in planned.prompts["pairs"]] == [f"{name}/binary" for name in names]
    assert [len(prompt.pictures) for prompt in planned.prompts["contexts"]] == [15] * 2 * len(names)
    assert len(planned.prompts["repairs"]) == len(names)
    assert planned.missing == {}


def test_contradicted_answers_stay_go_or_are_corrected(shot: Scenes) -> None:
    sequence = Wanted(sequences_per_scene=1).sequences(shot).row(0, named=True)
    question = f"Is there a car from frame {sequence['start']:03d} to frame {sequence['end']:03d}?"
    writer = answering(f"Q: {question}\nA: No.\n\nQ: Is there a bird in the sky?\nA: No.")
    made = {
        grounded: build(
            "b4dl",
            shot,
            generator=writer,
            tasks=["existence"],
            grounded=grounded,
            sequences_per_scene=1,
            longest_side_px=64,
        )
        for grounded in ("keep", "drop", "correct")
    }
    answers = {
        grounded: [(one.answer, one.facts["verdict"], one.facts["corrected"]) for one in benchmark.questions]
        for grounded, benchmark in made.items()
    }
    assert answers["keep"] == [("No", "contradicted", False), ("No", "undecided", False)]
    assert answers["drop"] == [("No", "undecided", False)]
    assert answers["correct"] == [("Yes", "contradicted", True), ("No", "undecided", False)]
    assert made["drop"].record.exclusions["existence: answers that geometry contradicts"] == 1
    assert made["correct"].questions[0].facts["generated_answer"] == "No."
    assert made["keep"].record.parameters["grounded"] == "keep"


def test_scenes_too_short_for_their_sequences_are_told(shot: Scenes) -> None:
    keyframes = 7
    cut = shot.select(shot.names)
    cut = Scenes(**{**vars(cut), "scenes": cut.scenes.with_columns(keyframes=pl.lit(keyframes, pl.Int32))})
    with pytest.raises(RunError, match="no pair could be taken"):
        build("b4dl", cut, generator=answering("nothing"), tasks=["binary"])
    more = build("b4dl", cut, generator=answering(worded(pairs_of("binary", 4, 4))), tasks=["binary"])
    assert more.record.shortfalls[0] == "1 scene too short for 6 different sequences."


def test_no_pair_at_all_is_an_error_with_reasons(shot: Scenes) -> None:
    refused = Scripted(lambda stage, _: DESCRIPTION if stage == "contexts" else "I'm sorry, I cannot help.")
    with pytest.raises(RunError, match=r"4 × binary: the reply, or an answer in it, refuses.*--max-tokens"):
        build("b4dl", shot, generator=refused, tasks=["binary"], **SMALL)


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"tasks": ["binary", "counting"]}, "there is no task 'counting'"),
        ({"tasks": []}, "each once"),
        ({"windows": "random"}, "windows cannot be 'random'"),
        ({"grounded": "ignore"}, "grounded cannot be 'ignore'"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"split": "test"}, "split"),
        ({"longest_side_px": 1}, "at least 64 px"),
    ],
)
def test_parameters_are_refused_before_anybody_is_asked(parameters: dict[str, Any], what: str, shot: Scenes) -> None:
    writer = answering("nothing")
    with pytest.raises(InputError, match=what):
        build("b4dl", shot, generator=writer, **parameters)
    assert writer.asked == {}


class TestCheck:
    """`probe4d check` of what is there: a right benchmark passes, and each fault is found where it is."""

    def test_a_built_benchmark_passes(self, folder: Path, photographed: Path) -> None:
        checked = check(read_benchmark(folder), photographed)
        assert checked.findings == []
        assert checked.questions == 68
        undecided = verdicts_in(folder)["undecided"]
        assert [taken.questions for taken in checked.taken_as_told] == [undecided]

    FAULTS: tuple[tuple[str, str, Callable[[dict[str, Any]], dict[str, Any]]], ...] = (
        ("binary", "answer", lambda row: {"answer": "Maybe"}),
        ("time-grounding", "answer", lambda row: {"answer": "0-99"}),
        ("time-grounding", "answer", lambda row: {"answer": "nine"}),
        ("binary", "template", lambda row: {"format": "text"}),
        ("binary", "tasks", lambda row: {"family": "counting"}),
        ("existence", "identity", lambda row: {"question": "Is it?"}),
        ("existence", "frames", lambda row: {"frames": [1, 2, 3]}),
        ("existence", "frames", lambda row: {"frames": [900, 902, 904]}),
        ("existence", "evidence", lambda row: {"evidence": {"frames": [0], "views": []}}),
        ("existence", "keyframes", lambda row: {"keyframes": 3}),
        ("existence", "source", lambda row: {"scene": "elsewhere"}),
        ("comprehensive", "answer", lambda row: {"answer": " "}),
        ("comprehensive", "facts", lambda row: {"facts": "{}"}),
        ("comprehensive", "facts", lambda row: changed(row, generator="another")),
        ("comprehensive", "facts", lambda row: changed(row, sequence="another/0")),
        ("comprehensive", "facts", lambda row: changed(row, start=0, end=1)),
        ("comprehensive", "facts", lambda row: changed(row, corrected=True)),
        ("comprehensive", "verdict", lambda row: changed(row, verdict="right")),
        ("comprehensive", "suite", lambda row: {"suite": "stride"}),
        ("comprehensive", "order", lambda row: {"order": 999}),
    )

    @pytest.mark.parametrize(("family", "rule", "fault"), FAULTS)
    def test_a_fault_is_found(
        self,
        family: str,
        rule: str,
        fault: Callable[[dict[str, Any]], dict[str, Any]],
        folder: Path,
        photographed: Path,
    ) -> None:
        benchmark = read_benchmark(folder)
        rows = benchmark.table.to_dicts()
        row = next(row for row in rows if row["family"] == family)
        row.update(fault(row))
        table = pl.DataFrame(rows, schema=benchmark.table.schema)
        record = msgspec.structs.replace(benchmark.record, fingerprint=fingerprint(table))
        findings = check(Benchmark(table, record, folder), photographed).findings
        assert (row["id"], rule) in {(finding.question, finding.rule) for finding in findings}

    def test_a_record_that_miscounts_is_found(self, folder: Path, photographed: Path) -> None:
        benchmark = read_benchmark(folder)
        part = Benchmark(benchmark.table.head(3), benchmark.record, folder)
        assert {finding.rule for finding in check(part, photographed).findings} >= {"counts", "fingerprint"}


def changed(row: dict[str, Any], **facts: Any) -> dict[str, Any]:
    return {"facts": json.dumps(json.loads(row["facts"]) | facts)}


def test_tasks_are_those_of_the_paper() -> None:
    assert sum(task.pairs for task in TASKS.values()) == 40


def test_nothing_is_known_to_be_absent_where_only_a_part_is_annotated(shot: Scenes) -> None:
    def contradicted(**parameters: Any) -> pl.DataFrame:
        wanted = Wanted(sequences_per_scene=2)
        asked = build(
            "b4dl", shot, generator=writer_of_kinds(wanted.sequences(shot)), tasks=("existence",), **SMALL, **parameters
        )
        return asked.table.filter(pl.col("facts").str.json_path_match("$.verdict") == "contradicted")

    assert contradicted().height > 0
    assert contradicted(annotated_sector=(-180, 180)).height == contradicted().height
    assert contradicted(annotated_sector="-45:45").filter(answer="Yes").is_empty()
