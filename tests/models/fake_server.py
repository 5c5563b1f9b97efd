"""A scripted OpenAI-compatible server, run as a process of its own so that it outlives the client that is killed.

    python fake_server.py SCRIPT.json

prints its base URL and serves until its standard input ends. `FakeServer` starts one from a test (fixture
`fake_server` in tests/conftest.py). It counts the requests of each question, that is of each text of a user's
message, and keeps what it was sent: `GET /counts`, `GET /most_at_once` and `GET /requests` tell.

The script is an object with any of these:

- `replies`: the text of the reply by SHA-256 (hexadecimal) of the user's text;
- `default`: the reply to every other text; `{digest}` in it stands for that hash, `{text}` for the text, `{number}`
  for how often it has been asked before. Without it the reply is the hash itself;
- `model`: the name that answers carry; the name asked for, unless given;
- `delay_s`, `jitter_s`: time before each reply, and how much more at most, by the hash of the text;
- `steps`: what happens instead of a plain reply, for the first, second, ... request of each text; the last is
  repeated. A list, or an object that gives a list for each part of a text it is used for (`"": [...]` for others);
- `steps_of`: the same by SHA-256 (hexadecimal) of the user's text, over `steps`;
- `max_requests_kept`: how many requests `GET /requests` gives (the last ones).

A step is an object with any of these; an empty one is a plain reply:

- `status`, `headers`; `json` or `body` (text) or `base64` (bytes) in place of the usual body, in which `{key}` stands
  for the key that the client sent and `{text}` for the user's text;
- `change`: what to lay over the usual completion; an object is merged, null included;
- `delay_s` before the first byte; `pause_s` between the headers and the body;
- `length`: another Content-Length; `chunked`: true to send the body in chunks;
- `cut`: where the connection is reset: `before` the headers, `after` the headers, in the middle of the `body`;
- `repeat`: how often the response is sent;
- `raw`: bytes (as text) in place of the whole response;
- `die`: true to end the server.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import socket
import struct
import subprocess
import sys
import urllib.request
from collections import Counter, deque
from pathlib import Path
from typing import Any

LARGEST_BODY = 1 << 30


class FakeServer:
    """A running server, as tests see it."""

    def __init__(self, script: dict[str, Any], folder: Path) -> None:
        path = folder / "script.json"
        path.write_text(json.dumps(script), encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.base_url = self._process.stdout.readline().strip()
        assert self.base_url, "the fake server did not start"

    def counts(self) -> dict[str, int]:
        """How often each user's text was asked."""
        return self._told("counts")

    def most_at_once(self) -> int:
        """How many requests were under way at once, at most."""
        return self._told("most_at_once")

    def requests(self) -> list[dict[str, Any]]:
        """The last requests: `path`, `headers` (names in lower case), `body`; pictures are given as their SHA-256."""
        return self._told("requests")

    def stop(self) -> None:
        """Stop the server; from then on connections are refused."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()

    def _told(self, what: str) -> Any:
        address = self.base_url.removesuffix("/v1")
        with urllib.request.urlopen(f"{address}/{what}", timeout=60) as response:
            return json.load(response)


def digest_of(text: str) -> str:
    """The hash by which `replies` are found."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class Server:
    """Answers requests by a script."""

    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.counts: Counter[str] = Counter()
        self.under_way = self.most_at_once = 0
        self.requests: deque[dict[str, Any]] = deque(maxlen=script.get("max_requests_kept", 1000))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while (request := await read_request(reader)) is not None:
                if not await self.answer(request, writer):
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    async def answer(self, request: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        """Answer one request, and say whether the connection is kept."""
        told = {"/counts": self.counts, "/most_at_once": self.most_at_once, "/requests": self.requests}
        if request["path"] in told:
            return await respond(writer, {"json": told[request["path"]]})
        if request["path"].endswith("/models"):
            return await respond(writer, {"json": {"object": "list", "data": []}})
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            return await self.answer_question(request, writer)
        finally:
            self.under_way -= 1

    async def answer_question(self, request: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        """Answer a question by the script, and say whether the connection is kept."""
        text = text_of(request["body"])
        number = self.counts[text]
        self.counts[text] += 1
        self.requests.append({**request, "body": without_pictures(request["body"])})
        step = self.step(text, number)
        if step.get("die"):
            os._exit(1)
        await asyncio.sleep(self.delay_s(text) + step.get("delay_s", 0))
        completion = merged(self.completion(request["body"], text, number), step.get("change", {}))
        key = request["headers"].get("authorization", "").removeprefix("Bearer ")
        return await respond(writer, {"json": completion} | step, {"{key}": key, "{text}": text})

    def step(self, text: str, number: int) -> dict[str, Any]:
        """What happens at the request of this number, from 0, of a text."""
        steps = self.script.get("steps", [])
        if (own := self.script.get("steps_of", {}).get(digest_of(text))) is not None:
            steps = own
        elif isinstance(steps, dict):
            steps = next((found for part, found in steps.items() if part and part in text), steps.get("", []))
        found: dict[str, Any] = steps[min(number, len(steps) - 1)] if steps else {}
        return found

    def delay_s(self, text: str) -> float:
        """Time before a reply."""
        share = int(digest_of(text)[:8], 16) / 0xFFFFFFFF
        delay: float = self.script.get("delay_s", 0) + share * self.script.get("jitter_s", 0)
        return delay

    def completion(self, body: dict[str, Any], text: str, number: int) -> dict[str, Any]:
        """A chat completion."""
        digest = digest_of(text)
        reply = self.script.get("replies", {}).get(digest)
        if reply is None:
            reply = self.script.get("default", "{digest}")
            for word, meaning in (("{digest}", digest), ("{number}", str(number)), ("{text}", text)):
                reply = reply.replace(word, meaning)
        usage = {"prompt_tokens": len(text.split()), "completion_tokens": len(reply.split())}
        return {
            "id": f"chatcmpl-{digest[:12]}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": self.script.get("model", body.get("model")),
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"},
            ],
            "usage": {**usage, "total_tokens": sum(usage.values())},
        }


async def read_request(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """Read a request; null at the end of the connection."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    content = await reader.readexactly(int(headers.get("content-length", 0)))
    return {"path": first.split(" ")[1], "headers": headers, "body": json.loads(content) if content else {}}


def text_of(body: dict[str, Any]) -> str:
    """Text of the last user's message."""
    messages = [message for message in body.get("messages", []) if message.get("role") == "user"]
    content = messages[-1]["content"] if messages else ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def without_pictures(body: dict[str, Any]) -> Any:
    """A request with the SHA-256 of each picture's bytes in place of its data URI."""

    def shortened(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: shortened(one) for name, one in value.items()}
        if isinstance(value, list):
            return [shortened(one) for one in value]
        if isinstance(value, str) and value.startswith("data:image/"):
            kind, _, content = value.partition(",")
            return f"{kind},{hashlib.sha256(base64.b64decode(content)).hexdigest()}"
        return value

    return shortened(body)


def merged(value: Any, change: Any) -> Any:
    """An object with another laid over it."""
    if not isinstance(value, dict) or not isinstance(change, dict):
        return change
    return value | {name: merged(value.get(name), one) for name, one in change.items()}


async def respond(writer: asyncio.StreamWriter, step: dict[str, Any], words: dict[str, str] | None = None) -> bool:
    """Send a response, or what is left of it, and say whether the connection is kept."""
    if step.get("cut") == "before":
        return reset(writer)
    content = content_of(step, words or {})
    head = head_of(step, content)
    if step.get("chunked"):
        content = b"".join(b"%x\r\n%s\r\n" % (1, content[at : at + 1]) for at in range(len(content))) + b"0\r\n\r\n"
    for _ in range(step.get("repeat", 1)):
        if "raw" in step:
            writer.write(step["raw"].encode("latin-1"))
            await writer.drain()
            return False
        writer.write(head)
        if step.get("cut") or step.get("pause_s"):
            await writer.drain()
            await asyncio.sleep(step.get("pause_s", 0.02))
        if step.get("cut") == "after":
            return reset(writer)
        writer.write(content[: len(content) // 2] if step.get("cut") == "body" else content)
        await writer.drain()
        if step.get("cut") == "body":
            await asyncio.sleep(0.02)
            return reset(writer)
    return "length" not in step


def content_of(step: dict[str, Any], words: dict[str, str]) -> bytes:
    """The body of a response."""
    if "base64" in step:
        return base64.b64decode(step["base64"])
    content: str = step["body"] if "body" in step else json.dumps(step["json"], default=list)
    for word, meaning in words.items():
        content = content.replace(word, meaning if "body" in step else json.dumps(meaning)[1:-1])
    return content.encode("utf-8")


def head_of(step: dict[str, Any], content: bytes) -> bytes:
    """Status line and headers of a response."""
    headers = {"Content-Type": "application/json"}
    if step.get("chunked"):
        headers["Transfer-Encoding"] = "chunked"
    else:
        headers["Content-Length"] = str(step.get("length", len(content)))
    headers |= step.get("headers", {})
    lines = [f"HTTP/1.1 {step.get('status', 200)} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def reset(writer: asyncio.StreamWriter) -> bool:
    """Reset the connection, so that the client sees an error and no orderly end."""
    handle = writer.get_extra_info("socket")
    handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()
    return False


async def main() -> None:
    """Serve the script until standard input ends."""
    server = Server(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0, limit=LARGEST_BODY, backlog=1024)
    host, port = listener.sockets[0].getsockname()
    print(f"http://{host}:{port}/v1", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)  # connections may be open still, and nobody waits for them


if __name__ == "__main__":
    asyncio.run(main())
