"""Everything that a server can do wrong ends in the right state, within a bounded time."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, NamedTuple

import pytest
from asking_fake import ask
from fake_server import FakeServer

from probe4d.evidence.image import image_of
from probe4d.models.asking import Finished

PICTURES = (image_of(b"a picture", "image/jpeg"),)
KEY = "fake-key-that-no-file-may-hold"


class Fault(NamedTuple):
    """What a server does with a question, and what must come of it.

    Attributes:
        name: For the test's id.
        steps: What the server does at the first, second, ... request.
        state: `answered`, `failed`, or `ended` for all asking.
        words: What the failure says, or the reply's text.
        requests: How often the question is asked; 3 is once and 2 repetitions.
        reply: Other fields of the reply.
    """

    name: str
    steps: list[dict[str, Any]]
    state: str
    words: str = "Yes."
    requests: int = 1
    reply: dict[str, Any] | None = None


def error(status: int, message: str, headers: dict[str, str] | None = None, **fields: Any) -> dict[str, Any]:
    return {"status": status, "json": {"error": {"message": message, **fields}}, "headers": headers or {}}


def choice(content: Any = "Yes.", finish_reason: Any = "stop", **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": content, **message}
    return {"change": {"choices": [{"index": 0, "message": said, "finish_reason": finish_reason}]}}


def usage(value: Any) -> dict[str, Any]:
    return {"change": {"usage": value}}


GOOD: dict[str, Any] = {}
PART = '{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, '
HTML = {"body": "<html>Bad gateway</html>", "headers": {"Content-Type": "text/html"}}

PASSING = [
    Fault("429", [error(429, "slow down"), GOOD], "answered", requests=2),
    Fault("429 with Retry-After", [error(429, "slow down", {"Retry-After": "1"}), GOOD], "answered", requests=2),
    Fault("429 with no time", [error(429, "slow down", {"Retry-After": "soon"}), GOOD], "answered", requests=2),
    Fault("429 for ever", [error(429, "slow down")], "failed", "HTTP 429: slow down", requests=3),
    Fault("429, wait an hour", [error(429, "no", {"Retry-After": "3600"}), GOOD], "failed", "again in 3,600.0 s"),
    Fault("408", [error(408, "late"), GOOD], "answered", requests=2),
    Fault("500", [error(500, "oops"), GOOD], "answered", requests=2),
    Fault("500 twice", [error(500, "oops"), error(500, "oops"), GOOD], "answered", requests=3),
    Fault("500 for ever", [error(500, "oops")], "failed", "HTTP 500: oops", requests=3),
    Fault("502 in HTML", [HTML | {"status": 502}, GOOD], "answered", requests=2),
    Fault("503", [error(503, "starting"), GOOD], "answered", requests=2),
    Fault("504 for ever", [error(504, "late")], "failed", "HTTP 504: late", requests=3),
    Fault("reset before headers", [{"cut": "before"}, GOOD], "answered", requests=2),
    Fault("reset before headers for ever", [{"cut": "before"}], "failed", "the connection broke", requests=3),
    Fault("reset after headers", [{"cut": "after"}, GOOD], "answered", requests=2),
    Fault("reset after headers for ever", [{"cut": "after"}], "failed", "the connection broke", requests=3),
    Fault("reset in the body", [{"cut": "body"}, GOOD], "answered", requests=2),
    Fault("chunked body cut", [{"chunked": True, "cut": "body"}, GOOD], "answered", requests=2),
    Fault("no response", [{"raw": ""}, GOOD], "answered", requests=2),
    Fault("no HTTP", [{"raw": "SSH-2.0-OpenSSH\r\n\r\n"}], "failed", "the connection broke", requests=3),
    Fault("body shorter than said", [{"length": 100_000}, GOOD], "answered", requests=2),
    Fault("body longer than said", [{"length": 20}, GOOD], "answered", requests=2),
    Fault("truncated JSON", [{"body": '{"choices": [{"mess'}, GOOD], "answered", requests=2),
    Fault("truncated JSON for ever", [{"body": '{"choices": [{"mess'}], "failed", "no valid JSON", requests=3),
    Fault("empty body", [{"body": ""}], "failed", "no valid JSON", requests=3),
    Fault("HTML with 200", [HTML, GOOD], "answered", requests=2),
    Fault("HTML with 200 for ever", [HTML], "failed", "not as its protocol says", requests=3),
    Fault("HTML that calls itself JSON", [{"body": "<html>"}], "failed", "no valid JSON", requests=3),
    Fault("a text", [{"json": "Yes."}], "failed", "not as its protocol says", requests=3),
    Fault("an array", [{"json": ["Yes."]}], "failed", "not as its protocol says", requests=3),
    Fault("null", [{"json": None}], "failed", "not as its protocol says", requests=3),
    Fault("no UTF-8", [{"base64": base64.b64encode(b'{"id": "\xff\xfe"}').decode()}], "failed", "JSON", requests=3),
]

FINAL = [
    Fault("401", [error(401, f"Incorrect API key {KEY}")], "ended", "refuses the key (HTTP 401: Incorrect API key [r"),
    Fault("402", [error(402, "pay first")], "ended", "the account may not go on"),
    Fault("429, no money", [error(429, "Quota", code="insufficient_quota")], "ended", "the account may not go on"),
    Fault("403", [error(403, "your region")], "failed", "HTTP 403: your region"),
    Fault("400 for the key", [error(400, "API key not valid")], "ended", "refuses the key (HTTP 400: API key not"),
    Fault("404 model", [error(404, "The model `m` does not exist")], "ended", "no such model or address"),
    Fault("404 page", [HTML | {"status": 404}], "ended", "no such model or address"),
    Fault("400", [error(400, "bad request")], "failed", "HTTP 400: bad request"),
    Fault("422", [error(422, "bad field")], "failed", "HTTP 422: bad field"),
    Fault("413", [error(413, "too large")], "failed", "too large for the server"),
    Fault("context", [error(400, "no", code="context_length_exceeded")], "failed", "too long for the model"),
    Fault(
        "context in words", [error(400, "maximum context length is 8")], "failed", "too long for the model's context"
    ),
    Fault("filter", [error(400, "A. Blocked", code="content_filter")], "failed", "refuses the question (A. Blocked)"),
    Fault("400 with a key", [{"status": 400, "body": "You sent {key}"}], "failed", "You sent [redacted]"),
]

ODD_ANSWERS = [
    Fault("no choices", [{"change": {"choices": []}}], "failed", "holds no choice"),
    Fault("choices a text", [{"change": {"choices": "no"}}], "failed", "a field is missing or of another kind."),
    Fault("choices null", [{"change": {"choices": None}}], "failed", "not as its protocol says"),
    Fault("no model", [{"change": {"model": None}}], "failed", "not as its protocol says"),
    Fault("content null", [choice(None)], "answered", ""),
    Fault("filtered", [choice("Y", "content_filter")], "answered", "Y", reply={"finish_reason": "content_filter"}),
    Fault("refusal", [choice(None, refusal="I cannot.")], "answered", "I cannot.", reply={"finish_reason": "refusal"}),
    Fault("cut short", [choice("Y", "length")], "answered", "Y", reply={"finish_reason": "max_tokens"}),
    Fault("no finish reason", [choice(finish_reason=None)], "answered", reply={"finish_reason": None}),
    Fault("odd finish reason", [choice(finish_reason="tired")], "answered", reply={"finish_reason": None}),
    Fault("thoughts apart", [choice(reasoning_content="Hm.")], "answered", reply={"reasoning": "Hm."}),
    Fault("thoughts in tags", [choice("<think>Hm.</think>Yes.")], "answered", reply={"reasoning": "Hm."}),
    Fault("half a surrogate", [choice("Y\ud800es")], "answered", "Y\ufffdes"),
    Fault("the key in the answer", [choice(f"It is {KEY}.")], "answered", "It is [redacted]."),
    Fault("a huge answer", [choice("Yes. " * 100_000)], "answered", "Yes. " * 100_000),
    Fault("another model", [{"change": {"model": "other-2"}}], "answered", reply={"model": "other-2"}),
    Fault("no usage", [usage(None)], "answered", reply={"tokens": None, "input_tokens": None}),
    Fault("usage below zero", [usage({"completion_tokens": -5})], "answered", reply={"tokens": None}),
    Fault("usage a text", [usage("many")], "failed", "not as its protocol says"),
    Fault("usage in texts", [usage({"prompt_tokens": "two"})], "failed", "not as its protocol says"),
    Fault("chunked", [{"chunked": True}], "answered"),
    Fault("an unknown header", [{"headers": {"X-Odd": "ä"}}], "answered"),
]


FAULTS = [*PASSING, *FINAL, *ODD_ANSWERS]
ENDING = [fault for fault in FAULTS if fault.state == "ended"]
OTHERS = [fault for fault in FAULTS if fault.state != "ended"]


def question(fault: Fault) -> str:
    return f"[{fault.name}]"


def script(faults: list[Fault]) -> dict[str, Any]:
    return {"default": "Yes.", "steps": {question(fault): fault.steps for fault in faults}}


class Outcome(NamedTuple):
    lines: dict[str, Finished]
    counts: dict[str, int]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcome]:
    """What came of all faults that end no asking, met at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAKE_API_KEY", KEY)
        server = FakeServer(script(OTHERS), tmp_path_factory.mktemp("faults"))
        asked = ask(server, [question(fault) for fault in OTHERS], max_connections=len(OTHERS) + 1, timeout_s=60)
        assert asked.ended is None
        assert asked.seconds < 120
        yield Outcome({line.request.text: line for line in asked.lines}, server.counts())
        server.stop()


@pytest.mark.parametrize("fault", OTHERS, ids=lambda fault: fault.name)
def test_a_fault_ends_in_its_state(outcome: Outcome, fault: Fault) -> None:
    _, reply, failure = outcome.lines[question(fault)]
    assert outcome.counts[question(fault)] == fault.requests
    if fault.state == "failed":
        assert reply is None
        assert failure is not None
        assert fault.words in failure
        assert failure.isprintable()
        assert len(failure) < 500
        return
    assert failure is None
    assert reply is not None
    assert reply.text == fault.words
    wanted = {"finish_reason": "stop", "model": "model", "reasoning": None, **(fault.reply or {})}
    assert {name: getattr(reply, name) for name in wanted} == wanted


@pytest.mark.parametrize("fault", ENDING, ids=lambda fault: fault.name)
def test_a_fault_of_all_requests_ends_asking(fake_server: Callable[..., FakeServer], fault: Fault) -> None:
    asked = ask(fake_server(**script(ENDING)), [question(fault)] * 50)
    assert asked.lines  # the failure that ends all is written down for its question as well
    assert all(fault.words in (line.failure or "") for line in asked.lines)
    assert fault.words in str(asked.ended)
    assert asked.seconds < 10


def test_a_server_that_asks_for_a_while_gets_it(fake_server: Callable[..., FakeServer]) -> None:
    at = (datetime.now(UTC) + timedelta(seconds=2)).replace(microsecond=0)
    later = {"Retry-After": format_datetime(at, usegmt=True)}
    server = fake_server(steps=[error(429, "slow down", later), GOOD], default="Yes.")
    asked = ask(server)
    assert asked.lines[0].reply is not None
    assert datetime.now(UTC) >= at


def test_a_slow_body_is_given_up(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server(steps=[{"pause_s": 60}])
    asked = ask(server, timeout_s=0.5)
    assert asked.lines[0].failure == "no answer within 0.5 s."
    assert asked.seconds < 5


def test_slow_headers_are_given_up(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server(delay_s=60)
    asked = ask(server, timeout_s=0.5)
    assert asked.lines[0].failure == "no answer within 0.5 s."


@pytest.mark.parametrize("step", [{}, {"cut": "body"}, {"body": "data: {}\n\ndata: [DONE]\n\n"}, {"body": ""}])
def test_a_stream_that_breaks_off_is_no_answer(fake_server: Callable[..., FakeServer], step: dict[str, Any]) -> None:
    stream = (
        'data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, '
    )
    stream += '"delta": {"role": "assistant", "content": "Ye"}}]}\n\n' + "data: {" * (not step)
    server = fake_server(steps=[{"headers": {"Content-Type": "text/event-stream"}, "body": stream} | step])
    asked = ask(server, arguments={"stream": True})
    [(_, reply, failure)] = asked.lines
    assert (reply, asked.ended) == (None, None)
    assert failure


def test_a_stream_is_put_together(fake_server: Callable[..., FakeServer]) -> None:
    parts = [PART + '"delta": {"role": "assistant", "content": "Ye"}}]}', PART + '"delta": {"content": "s."}}]}']
    parts += [PART + '"delta": {}, "finish_reason": "stop"}]}', "[DONE]"]
    body = "".join(f"data: {one}\n\n" for one in parts)
    server = fake_server(steps=[{"headers": {"Content-Type": "text/event-stream"}, "body": body}])
    [(_, reply, _)] = ask(server, arguments={"stream": True}).lines
    assert reply is not None
    assert (reply.text, reply.finish_reason, reply.tokens) == ("Yes.", "stop", None)


def test_answers_out_of_order_reach_their_questions(fake_server: Callable[..., FakeServer]) -> None:
    asked = ask(fake_server(jitter_s=0.2, default="{text}"), 40)
    assert all(line.reply is not None and line.reply.text == line.request.text for line in asked.lines)
    assert [line.request.key for line in asked.lines] != [f"{place}" for place in range(40)]
    assert len(asked.lines) == 40


def test_a_model_that_takes_no_pictures_ends_asking(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server(steps=[error(400, "This model does not support image input")])
    asked = ask(server, 50, images=PICTURES)
    assert "10 requests in a row" in str(asked.ended)
    assert "the model takes no pictures" in str(asked.ended)


def test_one_picture_that_is_refused_ends_nothing(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server(steps={"Question 3?": [error(400, "cannot decode image")]}, default="Yes.")
    asked = ask(server, 50, images=PICTURES)
    assert asked.ended is None
    assert [line.request.key for line in asked.lines if line.reply is None] == ["3"]


def test_a_server_of_faults_alone_ends_asking(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server(steps=[error(500, "oops")])
    asked = ask(server, 10_000)
    assert "10 requests in a row got no answer" in str(asked.ended)
    assert len(server.counts()) < 40


def test_an_option_that_the_server_refuses_ends_asking(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server(steps=[error(400, "unsupported parameter: reasoning_effort")])
    asked = ask(server, 10_000)
    assert "10 requests in a row got no answer, the last one because the server says HTTP 400: " in str(asked.ended)
    assert len(server.counts()) < 40


@pytest.mark.parametrize(
    "step",
    [
        error(400, "maximum context length is 8"),
        error(400, "no", code="context_length_exceeded"),
        error(400, "Blocked", code="content_filter"),
        error(413, "too large"),
    ],
)
def test_questions_refused_for_what_they_are_end_no_asking(
    fake_server: Callable[..., FakeServer], step: dict[str, Any]
) -> None:
    asked = ask(fake_server(steps={f"Question {place}?": [step] for place in range(30)}, default="Yes."), 40)
    assert asked.ended is None
    assert sum(line.reply is not None for line in asked.lines) == 10


def test_replies_longer_than_the_context_end_asking(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server(steps=[error(400, "'max_tokens' is too large: the maximum context length is 8")])
    assert "10 requests in a row got no answer" in str(ask(server, 10_000).ended)


def test_no_server_ends_asking(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server()
    server.stop()
    asked = ask(server, 10_000)
    assert f"there is no server at {server.base_url}" in str(asked.ended)
    assert asked.seconds < 10


def test_a_server_that_dies_ends_asking_and_keeps_its_answers(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server(steps={"Question 30?": [{"die": True}]}, default="Yes.")
    asked = ask(server, 10_000)
    assert "in a row got no answer" in str(asked.ended)
    answered = {line.request.key for line in asked.lines if line.reply is not None}
    assert answered >= {f"{place}" for place in range(20)}
