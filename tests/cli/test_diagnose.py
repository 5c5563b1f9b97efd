from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from in_process import called
from rich.console import Console

import making
from probe4d.cli.diagnosis_tables import tables_in_percent, tables_of_numbers
from probe4d.errors import InputError
from probe4d.report.lookup import percent
from probe4d.runs.run import Answer, RunRecord, write_run

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def asked(command: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small benchmark, `bench`, and two runs, `one` and `two`."""
    folder = tmp_path_factory.mktemp("asked")
    release = folder / "release"
    release.mkdir()
    scenes = [f"{number:09d}" for number in range(4)]
    rows = [
        f'{index},{scenes[index % 4]},{index}-{index + 5},12-20,22-30,31-38,{"ABCD"[index % 4]},"A."'
        for index in range(8)
    ]
    for name in ("one", "two"):
        (release / "scenes.csv").write_text(
            "scene_id,scene_token,keyframes\n" + "".join(f"{scene},t{scene},40\n" for scene in scenes)
        )
        (release / "temporal_grounding_intervals.csv").write_text(
            "\n".join(["index,scene_id,A,B,C,D,correct_option,prediction", *rows, ""])
        )
        done = command("import", "lidar-hallu", release, "--out", folder / "bench", "--run", folder / name)
        assert done.returncode == 0, done.stderr
        rows = [row.replace('"A."', '"**B**"') for row in rows]
    return folder


def test_tables_and_a_table_on_standard_output(command: Command, asked: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    done = command("diagnose", asked / "bench", asked / "one", asked / "two", "--no-report", "--out", out)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == str(out / "figures.csv")
    assert "control:fixed" in lines[1]
    assert "control:content" in lines[1]
    assert "25.0" in done.stdout
    assert "two: the published parser reads 8 of 8 answers otherwise than the default one." in done.stderr
    with open(out / "figures.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["run", "suite", "family", "format", "relation", "metric", "value", "low", "high", "n"]
    assert {row["run"] for row in rows} == {"one", "two", "control:fixed", "control:content", "two vs one"}
    assert not (out / "report.html").exists()


def test_a_run_that_was_asked_a_part_has_empty_cells() -> None:
    figures = {"family": ["a", "all"], "format": ["yes-no", "all"], "part": [None, 0.5], "full": [0.25, 0.25]}
    (table,) = tables_in_percent(pl.DataFrame(figures), 200)
    assert [list(column.cells) for column in table.columns] == [
        ["a", "all"],
        ["yes-no", "all"],
        ["", "50.0"],
        ["25.0", "25.0"],
    ]


def test_numbers_of_questions_stand_where_columns_are_of_different_ones() -> None:
    figures = {"family": ["a", "all"], "format": ["yes-no", "all"], "part": [0.5, 0.5], "full": [0.25, 0.25]}
    asked = {"family": ["a", "all"], "format": ["yes-no", "all"], "part": [8, 8], "full": [8, 1000]}
    (table,) = tables_in_percent(pl.DataFrame(figures), 200, asked=pl.DataFrame(asked))
    assert [list(column.cells) for column in table.columns[2:]] == [["50.0", "50.0 (8)"], ["25.0", "25.0 (1,000)"]]


def test_columns_limits_the_width_where_there_is_no_terminal(
    here: Command, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    done = here("diagnose", asked / "bench", asked / "one", asked / "two", "--no-report", "--out", tmp_path / "x")
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 50


def test_the_report_is_written(here: Command, asked: Path, tmp_path: Path) -> None:
    done = here("diagnose", asked / "bench", asked / "one", "--out", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(tmp_path / "report" / "report.html")
    assert (tmp_path / "report" / "report.html").is_file()


def test_templates_are_printed_and_controls_learn_from_another_benchmark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    rows = [
        making.with_id_of_content(
            making.question(
                place,
                scene=f"scene-{place // 16}",
                template=("larger", "[red]taller")[place // 2 % 2],
                answer=("Yes", "No")[place % 2],
                context=("bus|car", "car|bus")[place % 2],
            )
        )
        for place in range(160)
    ]
    full = making.benchmark_of(rows, tmp_path / "full")
    making.benchmark_of(rows[:64], tmp_path / "few")
    given = ("diagnose", tmp_path / "few", "--no-report", "--out", tmp_path / "out", "--fit-controls")
    called(*given, tmp_path / "full")
    printed = capsys.readouterr()
    lines = [line for line in printed.out.splitlines() if "taller" in line]
    assert "[red]taller" in lines[0]
    assert lines[-1] == (
        "Words alone nearly solve (90 % right or more) 2 of 2 templates with 20 questions or more: "
        "larger (100.0 % of 32) and [red]taller (100.0 % of 32)."
    )
    assert " 4 scenes " in lines[0]
    assert " to " not in lines[0]
    assert "An interval would be too narrow where fewer than 10 scenes are drawn from." in printed.out
    assert set(pl.read_csv(tmp_path / "out" / "words_alone.csv")["scenes"]) == {4}
    called("diagnose", tmp_path / "full", "--no-report", "--out", tmp_path / "whole")
    whole = capsys.readouterr().out
    assert " to " in next(line for line in whole.splitlines() if "taller" in line)
    assert "too narrow" not in whole
    assert "The controls learned from another benchmark" in printed.err
    assert set(pl.read_csv(tmp_path / "out" / "words_alone.csv")["learned_from"]) == {full.fingerprint}
    with pytest.raises(InputError, match="holds no yes-no questions of the family 'existence' but those"):
        called(*given, tmp_path / "few")
    with pytest.raises(InputError, match="no report is written to it"):
        called("diagnose", tmp_path / "few", "--out", tmp_path / "full", "--fit-controls", tmp_path / "full")
    making.benchmark_of(rows[:64], tmp_path / "balanced", suite="spatial-qa", parameters={"balance": "contents"})
    capsys.readouterr()
    called("diagnose", tmp_path / "balanced", "--no-report", "--out", tmp_path / "inside")
    assert "--fit-controls BENCH lets controls learn from another benchmark" in capsys.readouterr().err


def test_controls_alone_and_comparisons(here: Command, asked: Path, tmp_path: Path) -> None:
    alone = here("diagnose", asked / "bench", "--no-report", "--out", tmp_path / "alone")
    assert alone.returncode == 0, alone.stderr
    compared = here(
        "diagnose",
        asked / "bench",
        asked / "one",
        "--compare",
        "one:control:content",
        "--no-report",
        "--out",
        tmp_path / "x",
    )
    assert compared.returncode == 0, compared.stderr
    assert "one vs control:content" in (tmp_path / "x" / "changes.csv").read_text()


def test_the_parser_can_be_chosen(here: Command, asked: Path, tmp_path: Path) -> None:
    options = ("--parser", "published", "--no-report", "--out", tmp_path / "x")
    done = here("diagnose", asked / "bench", asked / "two", *options)
    assert done.returncode == 0, done.stderr
    records = pl.read_parquet(tmp_path / "x" / "records.parquet").filter(run="two")
    assert records["label"].null_count() == 8


def test_missing_answers_need_leave(here: Command, asked: Path, tmp_path: Path) -> None:
    partial = tmp_path / "partial"
    partial.mkdir()
    (partial / "run.json").write_bytes((asked / "one" / "run.json").read_bytes())
    kept = (asked / "one" / "answers.jsonl").read_text().splitlines(keepends=True)[:6]
    (partial / "answers.jsonl").write_text("".join(kept) + '{"question": "cut o')
    out = tmp_path / "report"
    refused = here("diagnose", asked / "bench", partial, "--no-report", "--out", out)
    assert refused.returncode == 2
    assert "leaves 2 of 8 questions without an answer" in refused.stderr
    assert "--allow-missing" in refused.stderr
    assert not out.exists()
    done = here("diagnose", asked / "bench", partial, "--allow-missing", "--no-report", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "half a line at the end was left out" in done.stderr
    assert pl.read_parquet(out / "records.parquet").filter(run="partial", state="missing").height == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{bench}", "{one}", "{one}"), "two runs are named 'one'"),
        (("{one}",), "has no benchmark.json"),
        (("{bench}", "{bench}"), "has no run.json"),
        (("{bench}", "{nowhere}"), "is no folder"),
        (("{bench}", "{one}", "--compare", "one"), "is not of the form X:Y"),
        (("{bench}", "{one}", "--data", "{nowhere}"), "nowhere"),
    ],
)
def test_wrong_input_ends_in_one_sentence(
    here: Command, asked: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    filled = [text.format(bench=asked / "bench", one=asked / "one", nowhere=asked / "nowhere") for text in arguments]
    done = here("diagnose", *filled, "--out", tmp_path / "report")
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "report").exists()


def test_answers_to_another_benchmark(here: Command, asked: Path, tmp_path: Path) -> None:
    record = json.loads((asked / "one" / "run.json").read_text())
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / "run.json").write_text(json.dumps(record | {"benchmark": "0" * 64}))
    (stranger / "answers.jsonl").write_bytes((asked / "one" / "answers.jsonl").read_bytes())
    done = here("diagnose", asked / "bench", stranger, "--out", tmp_path / "report")
    assert done.returncode == 2
    assert "answers another benchmark" in done.stderr


@pytest.mark.parametrize("name", ["bench", "one"])
def test_a_report_is_not_written_over_what_it_reads(here: Command, asked: Path, name: str) -> None:
    before = sorted(path.name for path in (asked / name).iterdir())
    done = here("diagnose", asked / "bench", asked / "one", "--out", asked / "two" / ".." / name)
    assert done.returncode == 2
    assert "is a folder to be read" in done.stderr
    assert sorted(path.name for path in (asked / name).iterdir()) == before


def test_a_report_goes_to_no_folder_of_other_things(here: Command, asked: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("precious")
    done = here("diagnose", asked / "bench", asked / "one", "--no-report", "--out", tmp_path)
    assert done.returncode == 2
    assert "is not empty and holds no report. Choose another folder" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_report_takes_the_place_of_an_earlier_one_and_leaves_what_people_added(
    here: Command, asked: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report"
    assert here("diagnose", asked / "bench", asked / "one", "--no-report", "--out", out).returncode == 0
    (out / "notes.txt").write_text("precious")
    assert here("diagnose", asked / "bench", asked / "two", "--no-report", "--out", out).returncode == 0
    assert "two" in set(pl.read_csv(out / "figures.csv")["run"])
    assert (out / "notes.txt").read_text() == "precious"


def test_parsers_that_agree_are_told_of_in_one_line(here: Command, asked: Path, tmp_path: Path) -> None:
    done = here("diagnose", asked / "bench", asked / "one", "--no-report", "--out", tmp_path / "x")
    assert "one:" not in done.stderr
    assert done.stderr.count("parser") == 1


FAMILIES = ["existence", "existence", "position", "position", "motion", "distance", "temporal", "all"]
FORMATS = ["yes-no", "choice", "yes-no", "choice", "yes-no", "choice", "choice", "all"]


def printed(names: list[str], width: int, value: float = 0.3665) -> str:
    accuracies = pl.DataFrame({"family": FAMILIES, "format": FORMATS} | {name: [value] * 8 for name in names})
    console = Console(width=width, file=StringIO(), highlight=False)
    for table in tables_in_percent(accuracies, width):
        console.print(table)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_twelve_runs_are_readable_on_eighty_columns() -> None:
    names = [f"some-model-7b-{number:02d}" for number in range(10)] + ["control:fixed", "control:content"]
    text = printed(names, 80)
    assert max(map(len, text.splitlines())) <= 80
    tables = text.count("accuracy, %")
    assert 1 < tables <= 2
    for name in names:
        assert text.count(f" {name} ") == tables, "no name is broken"
    for family, kind in zip(FAMILIES, FORMATS, strict=True):
        assert text.count(f" {family} ") == FAMILIES.count(family) + (family == kind), "no header is broken"
    assert text.count("36.7") == 12 * 8


def test_one_table_where_it_fits_and_long_names_fold() -> None:
    assert printed(["a", "b", "control:content"], 80).count("accuracy, %") == 1
    folded = printed(["q" * 90, "b"], 80)
    assert max(map(len, folded.splitlines())) <= 80
    assert folded.count("q") % 90 == 0


def test_terminal_and_report_round_alike() -> None:
    assert "36.7" in printed(["a"], 80)
    assert percent(0.3665).startswith("36.7")


@pytest.fixture(scope="module")
def of_numbers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a benchmark of numbers alone, `bench`, and runs of a model of two sizes, `small` and `large`."""
    folder = tmp_path_factory.mktemp("numbers")
    questions = [
        making.question(
            place,
            format="number",
            family="quantities",
            template=("width", "bearing")[place % 2],
            scene=f"scene-{place % 5}",
            answer=str(10 + place),
            facts={"unit": ("metres", "degrees")[place % 2]},
        )
        for place in range(20)
    ]
    benchmark = making.benchmark_of(questions, folder / "bench")
    for name, size, factor in (("small", "llava-1.6-7b", 2.0), ("large", "llava-1.6-34b", 1.1)):
        answers = [Answer(question=asked.id, text=f"{factor * float(asked.answer):.2f}") for asked in questions]
        answers[0] = Answer(question=questions[0].id, text="I cannot tell.")
        write_run(folder / name, RunRecord(model=size, benchmark=benchmark.fingerprint), answers)
    return folder


def test_numbers_and_sizes_are_printed(
    here: Command, of_numbers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    runs = (of_numbers / "small", of_numbers / "large")
    done = here("diagnose", of_numbers / "bench", *runs, "--out", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in done.stdout.splitlines() if "│" in line]
    names = ["small", "large", "control:fixed", "control:median"]
    header = next(line for line in done.stdout.splitlines() if "numbers" in line)
    assert [name for name in names if name in header] == names
    by_name = {(row[0], row[1]): row[2:4] for row in rows}
    assert by_name["bearing", "within 25 %, %"] == ["0.0", "100.0"]
    assert by_name["", "mean error, °"] == ["20.00", "2.00"]
    assert by_name["width", "within 25 %, %"] == ["0.0", "90.0"]
    assert by_name["", "mean error, m"] == ["20.00", "2.00"]
    assert by_name["", "read, %"] == ["95.0", "95.0"]
    assert [row[:3] for row in rows if row[0] == "llava-1.6"] == [
        ["llava-1.6", "7B", "small"],
        ["llava-1.6", "34B", "large"],
    ]
    assert "accuracy, %" not in done.stdout


def test_models_can_be_named(here: Command, of_numbers: Path, tmp_path: Path) -> None:
    arguments = ("diagnose", of_numbers / "bench", of_numbers / "small", "--no-report", "--out", tmp_path / "x")
    done = here(*arguments, "--model-name", "small=Other-0.5B")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "x" / "models.csv").read_text().splitlines()[1].startswith("small,Other-0.5B,Other,5")
    for wrong, message in (("small", "is not of the form RUN=NAME"), ("none=a-7b", "'none', which is no run")):
        refused = here(*arguments, "--model-name", wrong)
        assert refused.returncode == 2
        assert message in refused.stderr


def test_large_errors_stay_readable_and_templates_of_two_families_apart() -> None:
    about = {"family": ["a", "b"], "part": ["width"] * 2, "unit": ["metres"] * 2, "metric": ["mean_absolute_error"] * 2}
    table = pl.DataFrame(about | {"m": [1234.5678, 2.5e12]})
    (shown,) = tables_of_numbers(table, 200, asked=table)
    assert [list(column.cells) for column in shown.columns] == [
        ["a: width", "b: width"],
        ["mean error, m"] * 2,
        ["1,234.57", "2.5e+12"],
    ]
