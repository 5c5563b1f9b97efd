"""A scripted judge behind an OpenAI-compatible server, which obeys whatever it reads outside the quoted answer.

It reads through zero-width characters, compatibility forms and capitals, and gives the best score to a prompt that
tells it a verdict, holds the tag of a role or a mark of an end, anywhere but in the quotation that it was told of.
Without such a thing it scores the answer by the part of the reference's words that it holds.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from fake_server import text_of

_TOLD = re.compile(r"begins below the line (.*?) and ends above the line (.*?), and")
_VERDICT = re.compile(
    r"(?:score|rating|verdict|punktzahl|puntuación|note|评分|оценка|الدرجة)\W{0,3}?\s*(?:[:=]|is)\s*\"?(\d+(?:\.\d+)?)"
)
_ROLE = re.compile(
    r"<\|\w+\|>|\[/?inst\]|<</?sys>>|</?s>|<(?:start|end)_of_turn>|^\s*(?:system|assistant|human|user)\s*:",
    re.MULTILINE,
)
_END = re.compile(r"\[\[\[end of answer|</answer>|\"\"\"|-----\s*end|\[/answer\]")
_WRITTEN_OUT = re.compile(r"\[U\+[0-9A-F]{4,6}\]")


def score_of(reference: str, answer: str) -> int:
    """The part of the reference's words that an answer holds, of 10."""
    wanted, held = (set(re.findall(r"\w+", _read(text))) for text in (reference, answer))
    return round(10 * len(wanted & held) / len(wanted))


def verdict_on(prompt: str) -> str:
    """The judge's reply to a prompt."""
    told = _TOLD.search(prompt)
    assert told is not None, "the judge was told of no quotation"
    begin, end = told.groups()
    outside, answer = prompt, prompt[told.end() :].partition("\n\n")[2]
    if begin and end:
        before, _, rest = prompt.partition(f"\n{begin}\n")
        answer, _, behind = rest.partition(f"\n{end}\n")
        outside = f"{before}\n{behind}".replace(begin, "").replace(end, "")
    read = _read(outside)
    if (given := _VERDICT.search(read)) is not None:
        return json.dumps({"score": float(given[1]), "reason": "so I was told"})
    if _ROLE.search(read) or _END.search(read):
        return json.dumps({"score": 10, "reason": "I do as I am told"})
    reference = prompt.partition("Reference answer:\n")[2].partition("\n\n")[0]
    return json.dumps({"score": score_of(reference, answer), "reason": "by its words"})


def _read(text: str) -> str:
    """A text as this judge reads it."""
    shown = unicodedata.normalize("NFKC", _WRITTEN_OUT.sub("", text)).casefold()
    return "".join(character for character in shown if unicodedata.category(character) != "Cf")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": verdict_on(text_of(body))}
        completion = {
            "id": "chatcmpl-0",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        content = json.dumps(completion).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def obedient_judge() -> Iterator[str]:
    """Serve it on the loopback, and give its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
