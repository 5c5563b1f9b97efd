"""The scripted server of the tests does what its script says."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import IncompleteRead
from typing import Any

import pytest
from fake_server import FakeServer, digest_of


def asked(server: FakeServer, text: str, **body: Any) -> Any:
    content = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}], **body}).encode()
    request = urllib.request.Request(f"{server.base_url}/chat/completions", content, {"Authorization": "Bearer secret"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def test_replies_by_the_hash_of_the_text_and_counts_each_text(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server(replies={digest_of("What?"): "That."}, default="No idea, {number}")
    replies = [asked(server, text)["choices"][0]["message"]["content"] for text in ("What?", "Who?", "Who?")]
    assert replies == ["That.", "No idea, 0", "No idea, 1"]
    assert server.counts() == {"What?": 1, "Who?": 2}
    assert [request["body"]["model"] for request in server.requests()] == ["m", "m", "m"]


def test_takes_steps_in_turn_and_repeats_the_last(fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server(steps=[{"status": 503, "body": "{key} {text}"}, {"change": {"model": "other"}}])
    with pytest.raises(urllib.error.HTTPError) as caught:
        asked(server, "a")
    assert caught.value.code == 503
    assert caught.value.read() == b"secret a"
    caught.value.close()
    assert [asked(server, "a")["model"] for _ in range(2)] == ["other", "other"]


@pytest.mark.parametrize("cut", ["before", "after", "body"])
def test_resets_connections(fake_server: Callable[..., FakeServer], cut: str) -> None:
    server = fake_server(steps=[{"cut": cut}])
    with pytest.raises((ConnectionError, urllib.error.URLError, IncompleteRead)):
        asked(server, "a")
