"""`probe4d judge agree`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from fake_server import FakeServer
from in_process import called

from judge_making import MODEL, run_on_disk, text_benchmark, verdict
from probe4d.cli import verbs  # noqa: F401 - registers them
from probe4d.diagnosis.agreement.with_people import AGREEMENT_SCHEMA
from probe4d.errors import InputError
from wordnet_making import write_wordnet

ROWS = [
    ("8", "7", "9", "0.4", "The car ahead is braking.", "The vehicle in front brakes."),
    ("3", "2", "", "0.1", "Turn left.", "Go straight on."),
    ("10", "10", "9", "0.9", "A walker crosses.", "A pedestrian crosses."),
    ("", "6", "4", "0.3", "Nothing happens.", ""),
]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    rows = [",".join((f"item {number}", *row)) for number, row in enumerate(ROWS)]
    path.write_text("\n".join(["item,human,GPT-5.5,[red]Qwen,BLEURT,reference,answer", *rows]) + "\n")
    return path


def test_prints_a_row_each_judge(labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wordnet = write_wordnet(tmp_path / "wordnet")
    called("judge", "agree", labels, "--unscaled", "BLEURT", "--wordnet", wordnet, "--out", tmp_path / "out.csv")
    printed = capsys.readouterr()
    rows = [[cell.strip() for cell in line.split("│")[1:4]] for line in printed.out.splitlines() if "│" in line]
    assert [row for row in rows if row[0]] == [
        ["GPT-5.5", "3", "0"],
        ["[red]Qwen", "2", "1"],
        ["BLEURT", "3", "0"],
        ["BLEU-4", "3", "0"],
        ["ROUGE-L", "3", "0"],
        ["METEOR", "3", "0"],
    ]
    assert "4 items, 1 of them without a score of people and left out." in printed.out
    assert "METEOR: nltk 3." in printed.out
    assert "GPT-5.5, BLEURT, BLEU-4, ROUGE-L and METEOR: 3 items cannot tell" in printed.err
    table = pl.read_csv(tmp_path / "out.csv", schema=AGREEMENT_SCHEMA)
    assert table.height == 6 * 4
    assert table.filter(judge="BLEURT")["value"].null_count() == 2


def test_without_wordnet_there_is_no_meteor(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    called("judge", "agree", labels, "--unscaled", "BLEURT", "--draws", 5)
    printed = capsys.readouterr()
    assert "METEOR is left out: it needs WordNet (--wordnet DIR)." in printed.err
    assert "METEOR" not in printed.out


def test_json(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = []
    for seed in (1, 1, 2):
        called("judge", "agree", labels, "--judge", "GPT-5.5", "--json", "--seed", seed, "--draws", 50)
        seeds.append(json.loads(capsys.readouterr().out))
    assert seeds[0] == seeds[1] != seeds[2]
    assert seeds[0]["scale"] == 10
    (own, *_) = seeds[0]["judges"]
    assert (own["judge"], own["n"], own["unscored"]) == ("GPT-5.5", 3, 0)
    assert own["figures"]["mean_absolute_difference"]["value"] == pytest.approx(2 / 3)


def test_a_wrong_scale_is_refused(labels: Path) -> None:
    labels.write_text(labels.read_text().replace("8,7,9", "88,7,9"))
    with pytest.raises(InputError, match=r"labels\.csv, line 2: has in 'human' 88, .*--scale 100"):
        called("judge", "agree", labels, "--unscaled", "BLEURT")
    called("judge", "agree", labels, "--unscaled", "BLEURT", "--scale", "100", "--draws", 5)


def test_no_wordnet_in_the_folder(labels: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no folder, where WordNet's database was expected"):
        called("judge", "agree", labels, "--unscaled", "BLEURT", "--wordnet", tmp_path / "nowhere")


def test_the_file_of_scores_is_not_written_over(labels: Path) -> None:
    before = labels.read_text()
    with pytest.raises(InputError, match=r"labels\.csv: is the file of scores, and is not written over"):
        called("judge", "agree", labels, "--out", labels)
    assert labels.read_text() == before


def test_no_judge(labels: Path) -> None:
    labels.write_text("item,human,reference\na,8,x\n")
    with pytest.raises(InputError, match=r"has no judge: .* Add a column for each judge, or the texts; or give --judg"):
        called("judge", "agree", labels)


def test_judgements_of_a_model_beside_people(
    tmp_path: Path, fake_server: Callable[..., FakeServer], capsys: pytest.CaptureFixture[str]
) -> None:
    bench = text_benchmark(["It stops.", "It turns left.", "It waits."], tmp_path / "bench")
    run_on_disk(bench, tmp_path / "run", ["It halts.", "It goes.", ""])
    better = {"change": {"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": verdict(9)}}]}}
    address = fake_server(default=verdict(4), steps={"It halts": [better], "": [{}]}, delay_s=0.0).base_url
    asked = ("--model", MODEL, "--base-url", address, "--out", tmp_path / "judged")
    called("judge", "run", tmp_path / "bench", tmp_path / "run", *asked)
    scores = zip(bench.table["id"], (10, 2, 0), strict=True)
    labels = tmp_path / "labels.csv"
    labels.write_text("question,human\n" + "".join(f"{identity},{score}\n" for identity, score in scores))
    called("judge", "agree", labels, "--judgements", tmp_path / "judged", "--json")
    (own,) = json.loads(capsys.readouterr().out.partition("\n")[2])["judges"]
    assert (own["judge"], own["n"], own["unscored"]) == ("judged", 2, 1)  # the empty answer was not sent
    assert own["figures"]["mean_absolute_difference"]["value"] == 1.5
    assert own["fingerprint"].startswith("judged: openai-api/fake/judge ")
