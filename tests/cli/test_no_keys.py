"""A canary: a key that a server echoes in every way is in nothing that any command prints or leaves."""

from __future__ import annotations

import base64
import gzip
import io
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import polars as pl
import pytest
from fake_server import FakeServer

import probe4d

Command = Callable[..., subprocess.CompletedProcess[str]]

CANARY = "canary/of+the=mine 7&"
PASSWORD = "a-pass-for-the-proxy"


def forms(key: str) -> set[bytes]:
    """A key as it may lie in a file; of base64 the part that does not depend on what stands around it."""
    texts = {key, quote(key), quote(key, safe=""), quote_plus(key), key.encode("unicode_escape").decode()}
    in_base64 = {base64.b64encode(bytes(before) + key.encode())[4:-4] for before in range(3)}
    in_addresses = {one.replace(b"+", b"-").replace(b"/", b"_") for one in in_base64}
    return {text.encode() for text in texts} | in_base64 | in_addresses


FORMS = forms(CANARY) | forms(PASSWORD)


def contents(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """A file's bytes and, of an archive or a table of columns, those of what it holds."""
    yield name, content
    if content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                yield from contents(f"{name}/{member}", archive.read(member))
    elif content[:2] == b"\x1f\x8b":
        yield from contents(f"{name}/unzipped", gzip.decompress(content))
    elif content[:4] == b"PAR1":
        yield f"{name}/columns", pl.read_parquet(io.BytesIO(content)).write_ndjson().encode()


def left(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield from contents(str(path.relative_to(folder)), path.read_bytes())


def echoing(server: Callable[..., FakeServer]) -> FakeServer:
    """Says the key in answers, thoughts, names and errors, as it is and in other forms."""
    said = f"A. {CANARY} {quote(CANARY)} {base64.b64encode(b'user:' + CANARY.encode()).decode()} {PASSWORD}"
    message = {"role": "assistant", "content": said, "reasoning_content": said}
    answer = {"change": {"model": said, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}}
    refused = {"status": 400, "json": {"error": {"message": said}}}
    wrong = {"headers": {"Content-Type": "text/html"}, "body": f"<html>{said}</html>"}
    return server(steps={"bicycle": [refused], "truck": [wrong], "": [answer]})


def test_no_key_is_in_anything_that_commands_leave(
    command: Command,
    simulated: Path,
    fake_server: Callable[..., FakeServer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FAKE_API_KEY", CANARY)
    monkeypatch.setenv("PROBE4D_CACHE", str(tmp_path / "cache"))
    (tmp_path / ".env").write_text(f"OTHER_API_KEY='{CANARY}'\n")
    bench, run, printed = tmp_path / "bench", tmp_path / "run", []
    probe4d.build("lidar-hallu", probe4d.open_scenes(simulated), bench, per_family=20)
    address = echoing(fake_server).base_url.replace("http://", f"http://me:{PASSWORD}@") + f"?api_key={PASSWORD}"
    asking: tuple[Any, ...] = ("ask", bench, "--model", "openai-api/fake/m", "--base-url", address)
    asking = (*asking, "--max-retries", 0, "--timeout", 20, "--limit", 60)

    def runs(*arguments: Any, code: int) -> None:
        done = command(*arguments, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        printed.append((arguments[0], (done.stdout + done.stderr).encode()))

    runs(*asking, "--dry-run", code=0)
    runs(*asking, "--out", run, code=1)
    runs(*asking, "--out", run, "--debug", "--json", code=1)
    runs(*asking, "--out", run, "--seed", 3, code=2)
    runs("diagnose", bench, run, "--allow-missing", "--out", tmp_path / "report", code=0)
    runs("export", bench, "--to", "inspect", "--limit", 5, "--out", tmp_path / "exported", code=0)
    assert b"[redacted]" in (run / "answers.jsonl").read_bytes()
    assert b"[redacted]" in (run / "errors.jsonl").read_bytes()
    assert b"[redacted]" in (run / "run.json").read_bytes()
    (tmp_path / ".env").unlink()
    found = [name for name, content in [*printed, *left(tmp_path)] if any(form in content for form in FORMS)]
    assert found == []
    names = {name for name, _ in left(tmp_path)}
    assert any("/questions.parquet/columns" in name for name in names)
    assert any(name.endswith(".html") for name in names)
