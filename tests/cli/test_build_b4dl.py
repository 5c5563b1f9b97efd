"""`probe4d build b4dl` from photographed scenes to a checked benchmark, by a server that writes well and badly."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from fake_server import FakeServer, digest_of

from generated_pairs import MODEL, Scripted, script_of, writer_of_kinds
from probe4d.benchmarks.b4dl.generation.context_prompts import shorter_prompt
from probe4d.benchmarks.b4dl.wanted import Wanted
from probe4d.benchmarks.benchmark import read_benchmark
from probe4d.benchmarks.suites import build
from probe4d.runs.generating import HostedGenerator
from probe4d.scenes.opening import open_scenes

Here = Callable[..., "subprocess.CompletedProcess[str]"]
Server = Callable[..., FakeServer]

PAGE = Path(__file__).parents[2] / "docs" / "b4dl.md"
SIDE = ("--sequences-per-scene", 2, "--image-side", 128)
REFUSED = {"status": 400, "json": {"error": {"message": "this is not liked", "code": "bad"}}}


class Written(NamedTuple):
    """A writer that was asked all of a build, and the script of a server that replies alike."""

    writer: Scripted
    script: dict[str, Any]


@pytest.fixture(scope="module")
def written(photographed: Path) -> Written:
    scenes = open_scenes(photographed)
    writer = writer_of_kinds(Wanted(sequences_per_scene=2).sequences(scenes))
    build("b4dl", scenes, generator=writer, sequences_per_scene=2, longest_side_px=128)
    return Written(writer, script_of(writer))


def files_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def built(here: Here, data: Path, out: Path, server: FakeServer, *options: object) -> subprocess.CompletedProcess[str]:
    asked = ("--model", MODEL, "--base-url", server.base_url, "--max-retries", 0)
    return here("build", "b4dl", data, "--out", out, *SIDE, *asked, *options)


def test_counts_come_out_or_are_told_as_short_and_nothing_is_asked_twice(
    here: Here, photographed: Path, written: Written, tmp_path: Path, fake_server: Server
) -> None:
    failing = written.writer.asked["pairs"][4]
    assert failing.key.endswith("temporal-understanding")
    steps = written.script["steps_of"]
    answers = steps[digest_of(failing.text)]
    server = fake_server(steps_of=steps | {digest_of(failing.text): [REFUSED, *answers]})
    out = tmp_path / "bench"
    first = built(here, photographed, out, server)
    assert first.returncode == 1
    assert f"1 prompt of the stage pairs got no reply, such as {failing.key}" in first.stderr
    assert "this is not liked" in first.stderr
    assert str(tmp_path / "bench-generated") in first.stderr
    assert not out.exists()
    second = built(here, photographed, out, server)
    assert second.returncode == 0, second.stderr
    assert set(server.counts().values()) == {1, 2}
    assert sum(server.counts().values()) == len(written.writer.said) + 1
    benchmark = read_benchmark(out)
    counts = {family: sum(formats.values()) for family, formats in benchmark.record.counts.items()}
    assert counts == {
        "existence": 10,
        "binary": 20,
        "time-grounding": 8,
        "temporal-understanding": 10,
        "comprehensive": 20,
    }
    assert "time-grounding: 8 of 10 pairs" in second.stderr
    assert "the reply was cut within this pair" in second.stderr
    assert "description: 0 of 10 pairs" in second.stderr
    assert "holds no pairs in a form that can be read" in second.stderr
    assert benchmark.record.exclusions["binary: names a frame outside the sequence"] == 2
    assert benchmark.record.exclusions["comprehensive: pairs beyond those asked for"] == 2
    asked = lines_of(tmp_path / "bench-generated" / "repairs.jsonl")
    assert {line["key"].rpartition("/")[2] for line in asked} == {"binary", "time-grounding", "description"}
    short = lines_of(out / "short.jsonl")
    assert [(line["task"], line["pairs"], line["wanted"]) for line in short] == [
        ("time-grounding", 4, 5),
        ("description", 0, 5),
    ] * 2
    checked = here("check", out, photographed)
    assert checked.returncode == 0, checked.stdout
    assert "answers taken as told, since geometry does not decide what a model wrote" in checked.stdout
    server.stop()
    offline = built(here, photographed, tmp_path / "bench", server, "--grounded", "drop")
    assert offline.returncode == 0, offline.stderr
    assert f"made of {len(written.writer.said)} texts of the model" in offline.stderr
    contradicted = pl.read_parquet(out / "pairs.parquet").filter(verdict="contradicted").height
    assert contradicted
    assert read_benchmark(out).record.questions == 68 - contradicted
    assert f"contradicts {contradicted}, " in offline.stderr


def test_without_replies_a_benchmark_is_built_where_that_is_asked_for(
    here: Here, photographed: Path, written: Written, tmp_path: Path, fake_server: Server
) -> None:
    failing = written.writer.asked["contexts"][1].text
    server = fake_server(steps_of=written.script["steps_of"] | {digest_of(failing): [REFUSED]})
    done = built(here, photographed, tmp_path / "bench", server, "--tasks", "binary,existence", "--allow-missing")
    assert done.returncode == 0, done.stderr
    record = read_benchmark(tmp_path / "bench").record
    assert record.parameters["tasks"] == ["binary", "existence"]
    assert record.questions == 15
    assert "existence: 5 of 10 pairs" in done.stderr
    assert "its rear views have no description: there was no reply" in done.stderr
    assert "this is not liked" in done.stderr
    asked_again = built(here, photographed, tmp_path / "bench", server, "--tasks", "binary,existence")
    assert asked_again.returncode == 1
    assert "1 prompt of the stage contexts" in asked_again.stderr


def test_descriptions_that_were_cut_are_asked_for_once_more_and_planned_as_such(
    here: Here, photographed: Path, written: Written, tmp_path: Path, fake_server: Server
) -> None:
    contexts, steps = written.writer.asked["contexts"], written.script["steps_of"]
    cut = [{"change": {"choices": [{"index": 0, "finish_reason": "length", "message": {"content": "[1] A"}}]}}]
    steps = steps | {digest_of(prompt.text): cut for prompt in contexts[:2]}
    shorter = [shorter_prompt(prompt).text for prompt in contexts[:2]]
    whole = written.script["steps_of"][digest_of(contexts[0].text)]
    server = fake_server(steps_of=steps | {digest_of(shorter[0]): whole, digest_of(shorter[1]): [REFUSED, *cut]})
    out = tmp_path / "bench"
    first = built(here, photographed, out, server, "--tasks", "existence")
    assert first.returncode == 1
    assert f"1 prompt of the stage context-repairs got no reply, such as {contexts[1].key}" in first.stderr
    told = " ".join(built(here, photographed, out, server, "--tasks", "existence", "--dry-run").stdout.split())
    assert "descriptions that were cut off would come to; 1 more is answered and kept: " in told
    assert "prompts 1 (1 rear)" in told
    second = built(here, photographed, out, server, "--tasks", "existence")
    assert second.returncode == 0, second.stderr
    assert sum(server.counts().values()) == 4 + 3 + 1
    assert "1 description cut off at the limit of tokens (--max-tokens)" in " ".join(second.stderr.split())
    kept = lines_of(tmp_path / "bench-generated" / "context-repairs.jsonl")
    assert [line["key"] for line in kept] == [prompt.key for prompt in contexts[:2]]
    stages = {(line["sequence"], line["group"]): line["stage"] for line in lines_of(out / "descriptions.jsonl")}
    assert sorted(stages.values()) == ["context-repairs"] * 2 + ["contexts"] * 2
    assert here("check", out, photographed).returncode == 0


def test_annotations_are_left_out_of_prompts_and_answers_are_held_against_geometry_all_the_same(
    here: Here, photographed: Path, written: Written, tmp_path: Path, fake_server: Server
) -> None:
    server = fake_server(default="Q: Is there a car in frame 014?\nA: Yes.")
    done = built(
        here, photographed, tmp_path / "bench", server, "--no-annotations", "--tasks", "existence", "--seed", 3
    )
    assert done.returncode == 0, done.stderr
    texts = list(server.counts())
    assert not any("GROUND TRUTH" in text for text in texts)
    assert pl.read_parquet(tmp_path / "bench" / "annotations.parquet").is_empty()
    assert not pl.read_parquet(tmp_path / "bench" / "pairs.parquet").filter(pl.col("verdict") != "undecided").is_empty()
    assert any("GROUND TRUTH" in text for text in written.writer.said)
    refused = built(here, photographed, tmp_path / "bench", server, "--tasks", "existence", "--seed", 3)
    assert refused.returncode == 2
    assert "reply to another prompt under the key" in refused.stderr


def test_a_dry_run_counts_and_shows_and_sends_nothing(
    here: Here, photographed: Path, written: Written, tmp_path: Path, fake_server: Server
) -> None:
    server = fake_server()
    done = built(here, photographed, tmp_path / "bench", server, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert server.counts() == {}
    assert list(tmp_path.iterdir()) == []
    pictures = sum(len(prompt.pictures) for prompt in written.writer.asked["contexts"])
    for words in (
        "4 (2 front, 2 rear)",
        f"{pictures}, {pictures} of them different; 128x72 px",
        "12 (pairs)",
        "12 (repairs)",
        written.writer.asked["contexts"][0].text.splitlines()[0],
        "[[[GROUND TRUTH",
        "You were asked this before.",
    ):
        assert words in done.stdout, words


def test_a_dry_run_takes_what_is_answered_as_it_is(
    here: Here, photographed: Path, written: Written, tmp_path: Path, fake_server: Server
) -> None:
    server = fake_server(**written.script)
    some = built(here, photographed, tmp_path / "bench", server, "--tasks", "existence,binary")
    assert some.returncode == 0, some.stderr
    asked, kept = sum(server.counts().values()), files_of(tmp_path)
    done = built(here, photographed, tmp_path / "bench", server, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert (sum(server.counts().values()), files_of(tmp_path)) == (asked, kept)
    told = " ".join(done.stdout.split())
    for words in (
        f"would come to; 4 more are answered and kept: model {MODEL} prompts none",
        f"would come to; 4 more are answered and kept: model {MODEL} prompts 8 (",
        f"can be taken; 2 more are answered and kept: model {MODEL} prompts 8 (",
        "A car is ahead.",
    ):
        assert words in told, words
    other = built(here, photographed, tmp_path / "bench", server, "--dry-run", "--temperature", 1)
    assert other.returncode == 2
    assert "temperature None, now 1.0" in other.stderr


def test_the_example_in_python_goes_on_with_the_replies_of_the_command(
    here: Here, photographed: Path, tmp_path: Path, fake_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenes = open_scenes(photographed)
    writer = writer_of_kinds(Wanted().sequences(scenes))
    build("b4dl", scenes, generator=writer)
    server = fake_server(**script_of(writer))
    monkeypatch.setenv("FAKE_BASE_URL", server.base_url)
    monkeypatch.chdir(tmp_path)
    Path("streets").symlink_to(photographed)
    done = here("build", "b4dl", "streets", "--model", MODEL, "--out", "written")
    assert done.returncode == 0, done.stderr
    before = read_benchmark(tmp_path / "written").record
    server.stop()
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(example.replace("openai/gpt-4o", MODEL), names)
    assert names["benchmark"].table.height == before.questions
    assert read_benchmark(tmp_path / "written").record == before


def test_where_no_box_lies_behind_the_sector_is_to_be_said(
    here: Here, photographed: Path, written: Written, tmp_path: Path, fake_server: Server
) -> None:
    ahead = tmp_path / "ahead"
    shutil.copytree(photographed, ahead)
    scenes = open_scenes(photographed)
    behind = set(scenes.boxes.filter(pl.col("ego_x") < 0)["token"])
    (tables,) = (path.parent for path in ahead.rglob("sample_annotation.json"))
    kept = [row for row in json.loads((tables / "sample_annotation.json").read_text()) if row["token"] not in behind]
    tokens = {row["token"] for row in kept}
    for row in kept:
        row.update({name: row[name] if row[name] in tokens else "" for name in ("prev", "next")})
    (tables / "sample_annotation.json").write_text(json.dumps(kept))
    server = fake_server()
    for data, options, told in (
        (ahead, (), True),
        (ahead, ("--annotated-sector", "-90:90"), False),
        (photographed, (), False),
    ):
        done = built(here, data, tmp_path / "bench", server, "--dry-run", *options)
        assert done.returncode == 0, done.stderr
        assert ("no box lies behind the ego vehicle" in done.stderr) == told


def test_descriptions_serve_a_build_without_annotations_and_one_of_other_tasks(
    here: Here, photographed: Path, written: Written, tmp_path: Path, fake_server: Server
) -> None:
    server = fake_server(**written.script)
    assert built(here, photographed, tmp_path / "bench", server, "--tasks", "existence").returncode == 0
    assert built(here, photographed, tmp_path / "bench", server, "--tasks", "binary").returncode == 0
    assert len(server.counts()) == 4 + 2 + 4
    assert built(here, photographed, tmp_path / "bench", server, "--tasks", "binary,existence").returncode == 0
    assert len(server.counts()) == sum(server.counts().values()) == 4 + 2 + 4
    plain = tmp_path / "plain-generated"
    plain.mkdir()
    for name in ("generation.json", "contexts.jsonl"):
        shutil.copy(tmp_path / "bench-generated" / name, plain)
    done = built(here, photographed, tmp_path / "plain", server, "--tasks", "existence", "--no-annotations")
    assert done.returncode == 1  # the server has no pairs for these prompts
    assert len(server.counts()) == 4 + 2 + 4 + 2 + 2


def test_stopped_by_hand_it_says_where_replies_are_kept(
    here: Here, photographed: Path, tmp_path: Path, fake_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(HostedGenerator, "replies", stopped)
    done = built(here, photographed, tmp_path / "bench", fake_server())
    assert done.returncode == 130
    kept = tmp_path / "bench-generated"
    assert f"stopped; what was answered is kept in {kept}, and the same command goes on." in done.stderr
    assert not (tmp_path / "bench").exists()


def test_replies_of_which_no_pair_can_be_taken_are_told_with_reasons(
    here: Here, photographed: Path, tmp_path: Path, fake_server: Server
) -> None:
    done = built(here, photographed, tmp_path / "bench", fake_server(default="I like cars."), "--tasks", "binary")
    assert done.returncode == 1
    assert "no pair could be taken from the replies" in done.stderr
    assert "binary: the reply holds no pairs in a form that can be read" in done.stderr
    assert not (tmp_path / "bench").exists()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--tasks", "existence,presence"), "there is no task 'presence'"),
        (("--tasks", "binary,binary"), "each once"),
        (("--sequences-per-scene", 0), "at least 1"),
        (("--released-windows", "--sequences-per-scene", 3), "released windows are 6"),
        (("--image-side", 8), "at least 64 px"),
        (("--max-tokens", 0), "max_tokens"),
        (("--annotated-sector", "45"), "FROM:TO"),
        (("--model", "opnai/gpt-5"), "provider"),
        (("-M", "api_key=x"), "api_key"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_sent(
    options: tuple[object, ...], what: str, here: Here, photographed: Path, tmp_path: Path
) -> None:
    asked = ("--model", MODEL, "--base-url", "http://127.0.0.1:9/v1")
    done = here("build", "b4dl", photographed, "--out", tmp_path / "bench", *asked, *options)
    assert done.returncode == 2, done.stderr
    assert what in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_taken_is_refused_before_anything_is_sent(
    here: Here, photographed: Path, tmp_path: Path, fake_server: Server
) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "thesis.tex").write_text("years of work")
    server = fake_server()
    within = "is the benchmark's folder, which replies cannot lie in"
    new = tmp_path / "new"
    for out, options, what in (
        (tmp_path / "bench", (), "holds no benchmark"),
        (tmp_path / "bench", ("--dry-run",), "holds no benchmark"),
        (new, ("--generated", new), within),
        (new, ("--generated", new / "replies"), within),
        (new, ("--generated", new / "replies", "--dry-run"), within),
    ):
        done = built(here, photographed, out, server, *options)
        assert done.returncode == 2
        assert what in done.stderr
    assert server.counts() == {}
    assert [path.name for path in tmp_path.iterdir()] == ["bench"]


def test_scenes_without_cameras_are_refused(here: Here, simulated: Path, tmp_path: Path) -> None:
    done = here("build", "b4dl", simulated, "--out", tmp_path / "bench", "--model", MODEL)
    assert done.returncode == 2
    assert "has no images of cameras around the vehicle" in done.stderr
