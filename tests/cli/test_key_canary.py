"""Keys stand in the environment, in .env, in addresses and in what a server says; nothing that is left holds one."""

from __future__ import annotations

import base64
import gzip
import html
import json
import os
import random
import string
import subprocess
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import quote, quote_plus

import polars as pl
import pytest
import zstandard
from fake_server import FakeServer
from key_search import found
from PIL import Image, PngImagePlugin

from feature_making import write_tiny_clip, write_tiny_encoder
from judge_making import run_on_disk, text_benchmark, verdict
from probe4d.cli import app, verbs  # noqa: F401 - verbs registers them

Command = Callable[..., "subprocess.CompletedProcess[str]"]
Server = Callable[..., FakeServer]


def _key(shape: str, seed: int) -> str:
    """A key of a shape: `x` stands for a letter or digit, `X` for a capital or digit, `?` for what has to be quoted."""
    draw = random.Random(seed)
    capitals = string.ascii_uppercase + string.digits
    kinds = {"x": string.ascii_letters + string.digits, "X": capitals, "?": "/+=&%\"'<é "}
    return "".join(draw.choice(kinds[letter]) if letter in kinds else letter for letter in shape)


KEYS = {
    "FAKE_API_KEY": _key("sk-proj-" + 48 * "x", 0),
    "ANTHROPIC_API_KEY": _key("sk-ant-api03-" + 60 * "x" + "-AA", 1),
    "GOOGLE_API_KEY": _key("AIzaSy" + 33 * "x", 2),
    "AWS_SECRET_ACCESS_KEY": _key(10 * "x" + "/" + 10 * "x" + "+" + 10 * "x" + "/" + 7 * "x", 3),
    "HF_TOKEN": _key("eyJ" + 30 * "x" + ".eyJ" + 40 * "x" + "." + 43 * "x", 4),
    "GATEWAY_PASSWORD": _key("xxxx?xxxx?xxxx?xxxx?xxxx?xxxx?xxxx", 5),
}
IN_FILE = _key("gsk_" + 48 * "x", 6)
IN_ADDRESS = _key(32 * "x", 7)
IN_ARGUMENT = _key("r8_" + 37 * "x", 8)
IN_QUERY = _key(40 * "x", 9)
ALL = [*KEYS.values(), IN_FILE, IN_ADDRESS, IN_ARGUMENT, IN_QUERY]


class TestSearch:
    """What is planted is found, in every form and container; what is not there is not."""

    QUOTED = (
        lambda key: key,
        lambda key: json.dumps({"key": key}),
        lambda key: html.escape(key),
        lambda key: f"https://host/?key={quote(key, safe='')}&x=1",
        lambda key: quote_plus(key).lower() if key.islower() else quote_plus(key),
        lambda key: base64.b64encode(key.encode()).decode(),
        lambda key: base64.urlsafe_b64encode(f"x:{key}".encode()).decode(),
        lambda key: base64.b64encode(f"user:{key}\n".encode()).decode(),
        lambda key: f"cut off: {key[: len(key) * 2 // 3]}",
    )

    @staticmethod
    def zipped(path: Path, text: str) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("samples/1.json", text)

    @staticmethod
    def zipped_twice(path: Path, text: str) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("inner.gz", gzip.compress(text.encode()))

    @staticmethod
    def embedded(path: Path, text: str) -> None:
        packed = gzip.compress(text.encode() + random.Random(0).randbytes(100))
        path.write_text(f'<a href="data:application/gzip;base64,{base64.b64encode(packed).decode()}">')

    @staticmethod
    def cut_short(path: Path, text: str) -> None:
        path.write_bytes(gzip.compress(text.encode() + random.Random(0).randbytes(10_000))[:-2_000])

    @staticmethod
    def noted(path: Path, text: str) -> None:
        notes = PngImagePlugin.PngInfo()
        notes.add_itxt("comment", text, zip=True)
        Image.new("RGB", (2, 2)).save(path, "png", pnginfo=notes)

    PACKED = (
        lambda path, text: path.write_text(text),
        lambda path, text: path.write_bytes(gzip.compress(text.encode())),
        lambda path, text: path.write_bytes(zstandard.compress(text.encode())),
        lambda path, text: pl.DataFrame({"n": [1, 2], "text": ["", text]}).write_parquet(path, compression="zstd"),
        lambda path, text: pl.DataFrame({"deep": [[{"text": text}]]}).write_ipc(path, compression="lz4"),
        zipped,
        zipped_twice,
        embedded,
        cut_short,
        noted,
    )

    @pytest.mark.parametrize("pack", PACKED)
    @pytest.mark.parametrize("quoted", QUOTED)
    def test_finds_what_is_planted(self, quoted, pack, tmp_path: Path) -> None:
        for number, key in enumerate(ALL):
            pack(tmp_path / f"{number}", f"before {quoted(key)} after")
        hits = found(tmp_path, ALL)
        assert {hit.split(":")[0].split("!")[0] + hit.rpartition("key")[2] for hit in hits} == {
            f"{number} {number}" for number in range(len(ALL))
        }

    @pytest.mark.parametrize("pack", PACKED)
    def test_finds_nothing_else(self, pack, tmp_path: Path) -> None:
        pack(tmp_path / "file", "before [redacted] after, sk-proj-, AIzaSy")
        assert found(tmp_path, ALL) == []

    def test_finds_keys_in_names(self, tmp_path: Path) -> None:
        (tmp_path / KEYS["FAKE_API_KEY"]).mkdir()
        assert found(tmp_path, ALL) == [f"{KEYS['FAKE_API_KEY']}: key 0"]


def _echo(keys: Iterable[str]) -> str:
    """Keys in every form, for a server to say."""
    return " ".join(
        f"{key} {json.dumps(key)} {quote(key, safe='')} {base64.b64encode(b'Bearer ' + key.encode()).decode()}"
        for key in keys
    )


ECHOED = _echo([*KEYS.values(), IN_FILE])

TALKATIVE = {
    "default": f"A. {ECHOED}",
    "steps": {
        "visible in": [{"status": 400, "json": {"error": {"message": f"bad key {{key}} {ECHOED}", "code": "{key}"}}}],
        "During frames": [{"status": 500, "headers": {"x-request": "{key}"}, "body": f"<p>{{key}} {ECHOED}</p>"}],
        "which position": [{"change": {"model": "m-{key}", "choices": [{"message": {"content": "{key}"}}]}}],
        "closest": [{"body": '{"choices": [{"message": {"content": "{key}'}],
        "Does": [
            {
                "change": {
                    "choices": [
                        {
                            "index": 0,
                            "finish_reason": "stop",
                            "message": {"role": "assistant", "content": "Yes", "reasoning_content": ECHOED},
                        }
                    ]
                }
            }
        ],
    },
}
"""A server that repeats the key it was sent in errors, in bodies that are no JSON, in replies and in reasoning."""


DETECTIONS = "scene,frame,category,left_px,top_px,right_px,bottom_px,confidence\nsim-0001,0,car,700,400,900,600,0.9\n"


class Workplace:
    """A folder where commands run, with everything that they may write to inside it."""

    def __init__(self, folder: Path, command: Command) -> None:
        self.folder = folder
        self.verbs: set[str] = set()
        self._command = command
        self._printed = folder / "printed"
        self._printed.mkdir()
        (folder / ".env").write_text(f"GROQ_API_KEY={IN_FILE}\n")
        own = {"HOME": folder / "home", "TMPDIR": folder / "temporary", "PROBE4D_CACHE": folder / "cache"}
        own |= {name: folder / "home" / name for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
        for path in own.values():
            path.mkdir(parents=True, exist_ok=True)
        self._environment = {**os.environ, **KEYS, **{name: str(path) for name, path in own.items()}}

    def run(self, *arguments: object, code: int = 0, command: Command | None = None) -> str:
        """Run a verb, by the workplace's command or another, keep what it prints, and give it."""
        done = (command or self._command)(*arguments, cwd=self.folder, env=self._environment)
        printed = done.stdout + done.stderr
        (self._printed / f"{len(list(self._printed.iterdir()))}.txt").write_text(printed)
        assert done.returncode == code, printed
        self.verbs.add(str(arguments[0]))
        return printed


@pytest.fixture
def workplace(tmp_path: Path, forked: Command) -> Workplace:
    return Workplace(tmp_path, forked)


def test_no_key_is_left_by_any_verb(workplace: Workplace, command: Command, fake_server: Server) -> None:
    run = workplace.run
    run("demo", "--out", "demo", "--scenes", 2, "--per-family", 12)
    data, bench = "demo/scenes", "demo/benchmark"
    run("simulate", "photographed", "--scenes", 1)
    run("scenes", data)
    run("convert", "wod-e2e", data, "--out", "converted", code=2)  # which has no shards
    run("build", "lidar-hallu", data, "--out", "bench", "--per-family", 4)
    run("check", bench, data)
    run("diversity", bench, "--encoder", "nowhere", "--pairs", 2, code=2)  # where no encoder is
    run("prompts", bench, "--out", "prompts.jsonl")
    write_tiny_encoder(workplace.folder / "encoder")
    run("encode", "photographed", "--encoder", "encoder", "--out", "features")
    write_tiny_clip(workplace.folder / "clip")
    run("train", "encoder", data, "--clip", "clip", "--out", "trained", code=2)  # which has no images
    run("export-checkpoint", "encoder", "--out", "released", code=2)  # which is no language model
    question = pl.read_parquet(workplace.folder / bench / "questions.parquet")["id"][0]
    run("show", bench, question, "--data", data, "--out", "question.png")
    run("render", data, "sim-0001", "--benchmark", bench, "--frames", "0-1", "--out", "video.gif")
    run("review", bench, "--data", data, "--evidence", "birds-eye", "--per-template", 1, "--out", "sheet.html")
    for harness in ("inspect", "huggingface"):
        shown = ("--evidence", "birds-eye", "--data", data, "--limit", 2)
        run("export", bench, "--to", harness, "--out", f"exported/{harness}", *shown)
    run("export", bench, "--to", "training", "--out", "exported/training", "--limit", 2)
    answers = "".join(f"{json.dumps({'question': question, 'text': 'No'})}\n")
    (workplace.folder / "answers.jsonl").write_text(answers)
    told = ("--model", "m", "--allow-missing")
    run("import", "answers", bench, "answers.jsonl", "--out", "imported", *told)
    run("import", "waypoints", "answers.jsonl", "--bench", bench, "--out", "planned", code=2)  # which asks for none
    _ask_a_talkative_server(run, command, bench, fake_server)
    address = fake_server(default=f"car {ECHOED}", delay_s=0.0).base_url
    with_user = address.replace("://", f"://user:{IN_ADDRESS}@") + f"?api_key={IN_QUERY}"
    (workplace.folder / "found.csv").write_text(DETECTIONS)
    run("detect", "photographed", "--detections", "found.csv", "--out", "objects.parquet")
    asked = ("caption", "photographed", "--model", "openai-api/fake/m", "--max-connections", 64, "--min-side", 60)
    run(*asked, "--base-url", with_user, "--out", "captioned", "--debug")
    drawn = ("--refer", "marker", "--min-side", 5, "--scale", "sample:38", "--graphs")
    run("build", "spatial-qa", "photographed", "--out", "spatial", *drawn)
    worded = ("--templates", "SP-7", "--per-template", 2, "--verbalizer", "openai-api/fake/m", "--base-url", with_user)
    run("build", "stride", "photographed", "--out", "stride", *worded)
    _write_by_a_talkative_server(run, fake_server)
    _judge_by_a_talkative_server(workplace, fake_server)
    run("diagnose", bench, "asked", "--allow-missing", "--data", data, "--out", "report")
    assert workplace.verbs == set(_verbs())
    kept = {path.relative_to(workplace.folder).parts[0] for path in workplace.folder.rglob("*.*")}
    assert {"asked", "cache", "captioned", "demo", "exported", "judged", "printed", "refused", "report"} <= kept
    assert [path.parent.name for path in workplace.folder.rglob("*.eval")] == ["logged"]
    assert found(workplace.folder, ALL, but=[workplace.folder / ".env"]) == []


def _ask_a_talkative_server(run: Callable[..., str], command: Command, bench: str, fake_server: Server) -> None:
    """With the key accepted and refused, in an address, as an argument, and where nothing is sent.

    One that is accepted stands in the environment of a new process already while this imports what it needs.
    """
    asked = ("ask", bench, "--model", "openai-api/fake/m", "--max-retries", 1)
    address = fake_server(**TALKATIVE).base_url
    printed = run(*asked, "--base-url", address, "--out", "asked", "--debug", code=1)
    assert "[redacted]" in printed
    accepts = fake_server(default=f"A. {ECHOED}")
    run(*asked, "--base-url", accepts.base_url, "--limit", 3, "--out", "logged", command=command)
    said = f"wrong key {{key}} {_echo([*KEYS.values(), IN_FILE, IN_ADDRESS, IN_QUERY])}"
    refuses = fake_server(steps=[{"status": 401, "json": {"error": {"message": said}}}])
    with_user = refuses.base_url.replace("://", f"://user:{IN_ADDRESS}@") + f"?api_key={IN_QUERY}"
    for debug in ((), ("--debug",)):
        printed = run(*asked, "--base-url", with_user, "--out", "refused", *debug, code=1)
        assert ("Traceback" in printed) == bool(debug)
        run(*asked, "--base-url", address, "-M", f"api_key={IN_ARGUMENT}", "--out", "argument", *debug, code=2)
    run(*asked, "--base-url", with_user, "--dry-run", "--json")
    assert "holds another run" in run(*asked, "--base-url", with_user, "--limit", 3, "--out", "logged", code=2)


def _escaped(text: str) -> str:
    """A text with each character written by its number, as JSON may have it: no key is seen in it."""
    return "".join(f"\\u{ord(character):04x}" for character in text)


def _write_by_a_talkative_server(run: Callable[..., str], fake_server: Server) -> None:
    """With the key accepted and refused: descriptions and pairs that hold keys."""
    said = f"Q: Is there a car, {ECHOED}?\nA: Yes.\n\nQ: Is there a bus?\nA: {ECHOED}"
    hidden = [
        f'{{"question": "Is there a car, {_escaped(ECHOED)}?", "answer": "{answer}"}}'
        for answer in ("Yes", _escaped(ECHOED))
    ]
    asked = ("build", "b4dl", "photographed", "--model", "openai-api/fake/m", "--max-retries", 0, "--debug")
    small = ("--sequences-per-scene", 1, "--image-side", 64, "--tasks", "existence,description")
    for out, script, code in (
        ("written", {"default": said}, 0),
        ("escaped", {"default": "\n".join(hidden)}, 0),
        ("unwritten", {"steps": [{"status": 401, "json": {"error": {"message": ECHOED}}}]}, 1),
    ):
        address = fake_server(**script).base_url
        with_user = address.replace("://", f"://user:{IN_ADDRESS}@") + f"?api_key={IN_QUERY}"
        run(*asked, *small, "--base-url", with_user, "--out", out, code=code)


def _judge_by_a_talkative_server(workplace: Workplace, fake_server: Server) -> None:
    """With the key accepted and refused; proposals about references likewise."""
    benchmark = text_benchmark(["It turns left."] * 4, workplace.folder / "texts")
    run_on_disk(benchmark, workplace.folder / "answered", ["It turns left."] * 4)
    asked = ("judge", "run", "texts", "answered", "--model", "openai-api/fake/m", "--max-retries", 1, "--debug")
    said = verdict(7, ECHOED)
    for out, address, code in (
        ("judged", fake_server(default=said).base_url, 0),
        ("unjudged", fake_server(steps=[{"status": 401, "json": {"error": {"message": ECHOED}}}]).base_url, 1),
    ):
        with_user = address.replace("://", f"://user:{IN_ADDRESS}@") + f"?api_key={IN_QUERY}"
        workplace.run(*asked, "--base-url", with_user, "--out", out, code=code)
    said = json.dumps({"verdict": "inconsistent", "reason": "other", "replacement": ECHOED})
    with_user = fake_server(default=said).base_url.replace("://", f"://user:{IN_ADDRESS}@") + f"?api_key={IN_QUERY}"
    asked = ("review", "audit", "texts", "--model", "openai-api/fake/m", "--evidence", "none", "--debug")
    workplace.run(*asked, "--base-url", with_user, "--out", "audited")


def _verbs() -> list[str]:
    return [
        *(command.name or command.callback.__name__ for command in app.registered_commands if command.callback),
        *(group.name for group in app.registered_groups if group.name),
    ]


VERBS_GIVEN_NOTHING_OF_USE = (
    ("scenes", "nowhere"),
    ("convert", "wod-e2e", "nowhere", "--out", "converted"),
    ("convert", "waymo", "nowhere", "--out", "converted"),
    ("caption", "nowhere", "--model", "openai-api/fake/m", "--out", "captions"),
    ("build", "lidar-hallu", "nowhere", "--out", "bench"),
    ("build", "spatial-qa", "nowhere", "--out", "bench"),
    ("build", "stride", "nowhere", "--out", "bench", "--verbalizer", "openai-api/fake/m"),
    ("build", "b4dl", "nowhere", "--out", "bench", "--model", "openai-api/fake/m"),
    ("check", "nowhere", "nowhere"),
    ("diversity", "nowhere.json", "--encoder", "nowhere"),
    ("prompts", "nowhere", "--out", "prompts.jsonl"),
    ("detect", "nowhere", "--detections", "nowhere.csv", "--out", "objects.parquet"),
    ("encode", "nowhere", "--encoder", "nowhere", "--out", "features"),
    ("train", "encoder", "nowhere", "--clip", "nowhere", "--out", "trained"),
    ("train", "projector", "nowhere", "--base", "nowhere", "--features", "nowhere", "--out", "trained"),
    ("train", "lora", "nowhere", "--from", "nowhere", "--features", "nowhere", "--out", "trained"),
    ("show", "nowhere", "0", "--data", "nowhere"),
    ("render", "nowhere", "scene", "--out", "video.gif"),
    ("export", "nowhere", "--to", "jsonl", "--out", "exported"),
    ("export-checkpoint", "nowhere", "--out", "exported"),
    ("import", "answers", "nowhere", "nowhere", "--out", "imported", "--model", "m"),
    ("import", "training", "nowhere", "--out", "imported"),
    ("import", "waypoints", "nowhere", "--bench", "nowhere", "--out", "imported"),
    ("import", "lidar-hallu", "nowhere", "--out", "imported"),
    ("import", "b4dl", "nowhere", "--out", "imported"),
    ("ask", "nowhere", "--model", "openai/m", "--out", "asked"),
    ("judge", "run", "nowhere", "nowhere", "--model", "openai/m", "--out", "judged"),
    ("judge", "agree", "nowhere"),
    ("review", "nowhere", "--out", "sheet.html"),
    ("review", "audit", "nowhere", "--model", "openai/m", "--out", "audited"),
    ("review", "apply", "nowhere", "decisions.json", "--out", "reviewed"),
    ("review", "run", "nowhere", "decisions.json", "--out", "human"),
    ("diagnose", "nowhere", "--out", "report"),
)


def test_no_key_is_printed_with_a_traceback(here: Command, tmp_path: Path) -> None:
    workplace = Workplace(tmp_path, here)
    for arguments in VERBS_GIVEN_NOTHING_OF_USE:
        assert "Traceback" in workplace.run(*arguments, "--debug", code=2)
    assert found(workplace.folder, ALL, but=[workplace.folder / ".env"]) == []
