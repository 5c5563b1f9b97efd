"""Models are opened by name, are sent what was asked for, and leave nothing behind."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from asking_fake import ask
from fake_server import FakeServer

from probe4d.errors import InputError
from probe4d.evidence.image import image_of
from probe4d.models.asking import ask_all
from probe4d.models.generation import Generation
from probe4d.models.hosted import open_model
from probe4d.models.request import Request

BASE_URL = "http://127.0.0.1:9/v1"


def sent(server: FakeServer, **options: Any) -> dict[str, Any]:
    """The body of the one request that `ask` with these options sends."""
    asked = ask(server, **options)
    assert asked.lines[0].failure is None
    [request] = server.requests()
    body: dict[str, Any] = request["body"]
    return body


def test_every_option_of_the_generation_reaches_the_server(fake_server: Callable[..., FakeServer]) -> None:
    generation = Generation(
        temperature=0.5,
        top_p=0.9,
        max_tokens=7,
        seed=3,
        reasoning_effort="low",
        extra_body={"repetition_penalty": 1.2},
        system="You drive.",
    )
    body = sent(fake_server(), generation=generation)
    assert {name: body[name] for name in ("model", "temperature", "top_p", "max_tokens", "seed")} == {
        "model": "model",
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 7,
        "seed": 3,
    }
    assert (body["reasoning_effort"], body["repetition_penalty"]) == ("low", 1.2)
    assert body["messages"][0] == {"role": "system", "content": "You drive."}


def test_options_that_are_not_given_are_left_to_the_provider(fake_server: Callable[..., FakeServer]) -> None:
    assert set(sent(fake_server())) == {"model", "messages"}


def test_seed_and_hints_of_a_request_stand_before_those_of_the_model(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server()
    generation = Generation(temperature=0.0, seed=1, max_tokens=5)
    model = open_model("openai-api/fake/model", base_url=server.base_url, generation=generation)
    ask_all(model, iter([Request(key="0", text="?", seed=9, hints={"max_tokens": 512})]), Forgetful())
    body = server.requests()[0]["body"]
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0.0, 9, 512)


def test_pictures_stand_before_the_text_in_their_order_and_detail(fake_server: Callable[..., FakeServer]) -> None:
    pictures = (image_of(b"first", "image/jpeg"), image_of(b"second", "image/png"))
    body = sent(fake_server(), images=pictures, generation=Generation(image_detail="low"))
    *images, text = body["messages"][-1]["content"]
    assert text == {"type": "text", "text": "Question 0?"}
    assert [part["image_url"]["url"] for part in images] == [
        f"data:image/jpeg;base64,{hashlib.sha256(b'first').hexdigest()}",
        f"data:image/png;base64,{hashlib.sha256(b'second').hexdigest()}",
    ]
    assert {part["image_url"]["detail"] for part in images} == {"low"}


def test_tokens_of_the_providers_cache_count_as_read(fake_server: Callable[..., FakeServer]) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}
    server = fake_server(steps=[{"change": {"usage": usage | {"prompt_tokens_details": {"cached_tokens": 60}}}}])
    reply = ask(server).lines[0].reply
    assert reply is not None
    assert (reply.input_tokens, reply.tokens) == (100, 5)


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_repetitions_of_client_and_provider_do_not_multiply(
    fake_server: Callable[..., FakeServer], retries: int
) -> None:
    server = fake_server(steps=[{"status": 503, "body": "{}"}])
    ask(server, max_retries=retries)
    assert server.counts() == {"Question 0?": retries + 1}


def test_a_second_model_of_this_process_has_connections_of_its_own(fake_server: Callable[..., FakeServer]) -> None:
    """inspect-ai keeps the first limit of a process for ever; ours must not be held to it."""
    server = fake_server(delay_s=0.2)
    ask(server, 2, max_connections=1)
    assert server.most_at_once() == 1
    ask(server, 64, max_connections=32)
    assert 1 < server.most_at_once() <= 32


OPENING_FAULTS: list[tuple[str, dict[str, Any], str]] = [
    ("gpt-5", {}, "names no provider"),
    ("/gpt-5", {}, "names no provider"),
    ("openai/", {}, "names no provider"),
    ("nobody/gpt-5", {}, "inspect-ai knows no provider 'nobody'"),
    ("openai/gpt-5", {}, "needs OPENAI_API_KEY or AZUREAI_OPENAI_API_KEY, which"),
    ("openai-api/mine/model", {"base_url": BASE_URL}, "needs MINE_API_KEY, which the environment lacks"),
    ("openai-api/fake/model", {}, "needs FAKE_BASE_URL, which the environment lacks. Give base_url (--base-url)."),
    ("openai-api/fake/model", {"base_url": "localhost:8000"}, "is no address. It begins with http://"),
    ("openai-api/fake/model", {"base_url": "http://[::1"}, "the base URL 'http://[::1' is no address"),
    ("openai-api/fake/model", {"base_url": "http://localhost:99999/v1"}, "is no address"),
    ("openai-api/fake/model", {"base_url": "http://:8000/v1"}, "is no address"),
    ("openai-api/fake/model", {"base_url": "http://local host/v1"}, "is no address"),
    (
        "openai-api/fake/model",
        {"base_url": BASE_URL, "arguments": {"api_key": "canary"}},
        "api_key=… in arguments (-M) would put",
    ),
    (
        "openai-api/fake/model",
        {"base_url": BASE_URL, "arguments": {"base_url": BASE_URL}},
        "Give it as base_url (--base-url)",
    ),
    ("openai-api/fake/model", {"base_url": BASE_URL, "arguments": {"no_such": 1}}, "takes no argument 'no_such'"),
    *(
        ("openai-api/fake/model", {"base_url": BASE_URL, "arguments": arguments}, words)
        for arguments, words in (
            ({"model_name": "x"}, "'model_name' is no argument of a provider (-M). Give it as the model (--model)."),
            ({"self": 1}, "'self' is no argument of a provider (-M)"),
            ({"timeout": {"a": 1}}, "gives 'timeout' itself and takes no such argument. Give the time that"),
            ({"service": 3}, "'openai-api' cannot be opened with these arguments (-M): service. Mend the value"),
            ({"max_retries": {"a": 1}}, "(-M): max_retries (max_retries must be a non-negative integer)."),
        )
    ),
    ("control:fixed", {}, "names no provider. Give what probe4d.control_model(benchmark, NAME, setting="),
    ("groq/llama", {}, "needs packages that are not installed: groq. Install with: pip install groq"),
    ("hf/no/such/model", {}, "cannot be opened (OSError: "),
    ("hf/model", {"arguments": {"trust_remote_code": True}}, "would run code that comes with a model"),
]


@pytest.mark.parametrize(("name", "options", "words"), OPENING_FAULTS)
def test_what_cannot_be_opened_says_why_in_one_line(
    monkeypatch: pytest.MonkeyPatch, name: str, options: dict[str, Any], words: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("FAKE_API_KEY", "fake-key-that-no-file-may-hold")
    with pytest.raises(InputError) as caught:
        open_model(name, **options)
    assert words in str(caught.value)
    assert "canary" not in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600


def test_keys_in_extra_body_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "fake-key-that-no-file-may-hold")
    with pytest.raises(InputError, match=r"api_key=… in extra_body \(--extra-body\)"):
        open_model("openai-api/fake/m", base_url=BASE_URL, generation=Generation(extra_body={"api_key": "x"}))


@pytest.mark.parametrize(
    ("missing", "name", "words"),
    [
        ("inspect_ai", "openai/gpt-5", "pip install 'probe4d[models]'"),
        ("openai", "openai/gpt-5", "pip install 'probe4d[models]'"),
        ("torch", "hf/model", "pip install 'probe4d[local]'"),
    ],
)
def test_a_missing_package_is_named_with_what_installs_it(missing: str, name: str, words: str) -> None:
    said = _opened_with(f"import sys; sys.modules[{missing!r}] = None", name)
    assert words in said
    assert said.count("\n") == 1


def _opened_with(first: str, name: str) -> str:
    """What opening a model says in a process that begins with these lines."""
    code = (
        f"{first}\n"
        "from probe4d.errors import InputError\n"
        "from probe4d.models.hosted import open_model\n"
        f"try: open_model({name!r})\n"
        "except InputError as error: print(error)"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120).stdout


def test_another_inspect_ai_is_named_by_its_version() -> None:
    done = _opened_with("import inspect_ai.model; del inspect_ai.model.ModelUsage", "openai/gpt-5")
    assert re.search(r"inspect-ai \d[\d.]+ is not as this version of probe4d needs it .*ModelUsage", done)
    assert "pip install 'probe4d[models]'" in done


def test_without_the_private_sink_models_are_asked_with_a_warning(
    fake_server: Callable[..., FakeServer], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from probe4d.models import inspect_model

    monkeypatch.setattr(inspect_model, "use_model_event_sink", None)
    [line] = ask(fake_server()).lines
    assert line.reply is not None
    assert "keeps every picture" in caplog.text


def test_a_word_in_place_of_a_key_is_told_and_stays_in_replies(
    fake_server: Callable[..., FakeServer], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "anything")
    reply = ask(fake_server(default="I cannot see anything.")).lines[0].reply
    assert reply is not None
    assert reply.text == "I cannot see anything."
    assert [record.getMessage() for record in caplog.records if record.name.startswith("probe4d")] == [
        "FAKE_API_KEY holds an ordinary word, which is no key and is not looked for in replies."
    ]


def test_filters_of_warnings_are_as_before_once_all_is_asked(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server()
    ask(server)  # what is imported by it may have filters of its own
    before = list(warnings.filters)
    ask(server, 20)
    assert warnings.filters == before


@pytest.mark.parametrize(
    ("option", "fields"),
    [
        ("--system", {"system": "Say fake-key-that-no-file-may-hold."}),
        ("--system", {"system": "sk-" + "aB3" * 10}),
        ("--extra-body", {"extra_body": {"note": ["fake-key-that-no-file-may-hold"]}}),
    ],
)
def test_keys_in_values_of_the_generation_are_refused(
    monkeypatch: pytest.MonkeyPatch, option: str, fields: dict[str, Any]
) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "fake-key-that-no-file-may-hold")
    with pytest.raises(InputError, match=rf"\({option}\) holds a key") as caught:
        open_model("openai-api/fake/m", base_url=BASE_URL, generation=Generation(**fields))
    assert "aB3" not in str(caught.value)
    assert "no-file" not in str(caught.value)


@pytest.mark.parametrize("key", ["fake-kéy-of-no-alphabet", "fake-key-with-a\nline-feed"])
def test_a_key_that_no_header_can_hold_ends_asking(
    fake_server: Callable[..., FakeServer], monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    server = fake_server()
    monkeypatch.setenv("FAKE_API_KEY", key)
    asked = ask(server, 50)
    assert str(asked.ended).startswith("FAKE_API_KEY holds characters that no key can hold (")
    assert "fake" not in str(asked.ended)
    assert server.counts() == {}


def test_a_value_that_breaks_the_provider_is_told_as_the_users(fake_server: Callable[..., FakeServer]) -> None:
    odd = fake_server(steps=[{"change": {"choices": "no"}}])
    said = str(ask(odd, arguments={"strict_tools": True}).lines[0].failure)
    assert said.endswith(
        "of another kind. Or the value of an argument (-M) is none that the provider takes: strict_tools."
    )


class Forgetful:
    """A journal that keeps nothing."""

    def put(self, finished: Any) -> None:
        """Drop it."""


def test_pictures_are_let_go_once_they_are_answered(fake_server: Callable[..., FakeServer]) -> None:
    """150 MB of pictures pass through, and what the process keeps is far less."""
    server = fake_server(max_requests_kept=0)
    model = open_model("openai-api/fake/model", base_url=server.base_url, max_connections=2)
    resident: list[int] = []

    def requests(number: int) -> Any:
        for place in range(number):
            picture = image_of(os.urandom(1_000_000), "image/jpeg")
            yield Request(key=f"{place}", text=f"Question {place}?", images=(picture,))
            resident.append(_resident_mb())

    ask_all(model, requests(150), Forgetful())
    assert resident[-1] - resident[20] < 90


def _resident_mb() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1_000_000
