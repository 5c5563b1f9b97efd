"""Asks a scripted server, for tests of this folder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from fake_server import FakeServer

from probe4d.evidence.image import Image
from probe4d.models.asking import Finished, ask_all
from probe4d.models.hosted import open_model
from probe4d.models.request import ModelFailure, Request


class Asked(NamedTuple):
    """What came of asking: a line for each finished request, what ended the asking, and how long it took."""

    lines: list[Finished]
    ended: ModelFailure | None
    seconds: float


class Lines(list[Finished]):
    """A journal in memory."""

    def put(self, finished: Sequence[Finished]) -> None:
        self += finished


def ask(
    server: FakeServer, questions: int | Sequence[str] = 1, *, images: tuple[Image, ...] = (), **options: Any
) -> Asked:
    """Ask these questions, or so many (`Question 0?`, ...), with quick retries unless options say otherwise."""
    texts = [f"Question {place}?" for place in range(questions)] if isinstance(questions, int) else questions
    options = {"max_retries": 2, "first_wait_s": 0.01, "timeout_s": 10, **options}
    model = open_model("openai-api/fake/model", base_url=server.base_url, **options)
    requests = [Request(key=f"{place}", text=text, images=images) for place, text in enumerate(texts)]
    lines, ended, began = Lines(), None, time.monotonic()
    try:
        ask_all(model, iter(requests), lines)
    except ModelFailure as failure:
        ended = failure
    return Asked(list(lines), ended, time.monotonic() - began)
