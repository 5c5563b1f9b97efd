"""The resumable asking loop: requests in, replies on disk before they count.

Runs, captions, data pipelines and judges ask through it. It knows neither questions nor providers: requests
come from an iterator that may prepare them as they are drawn, and finished ones go to a `Journal`, which
returns once they are on disk. A request holds its connection until then, so that a kill costs at most
`max_connections` repeated calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from probe4d.models.request import Model, ModelFailure, Reply, Request

__all__ = ["Finished", "Journal", "ask_all"]


class Finished(NamedTuple):
    """A request and its outcome: a reply, or the failure in words."""

    request: Request
    reply: Reply | None
    failure: str | None = None


class Journal(Protocol):
    """Where finished requests are put down."""

    def put(self, finished: Sequence[Finished]) -> None:
        """Write them down and return when they are on disk."""


def ask_all(
    model: Model,
    requests: Iterator[Request | Finished],
    journal: Journal,
    *,
    done: Callable[[Finished], None] | None = None,
) -> None:
    """Ask every request, at most `model.max_connections` at once.

    Args:
        model: Who is asked.
        requests: Drawn one at a time in a thread, as connections become free; a request that could not be
            prepared comes as `Finished` with its failure, and only goes to the journal.
        journal: Told of replies and failures.
        done: Told of each finished request once it is on disk, for progress bars.

    Raises:
        ModelFailure: A failure that every other request would share; what was finished is in the journal.
    """
    asyncio.run(_ask_all(model, requests, journal, done))


async def _ask_all(
    model: Model, requests: Iterator[Request | Finished], journal: Journal, done: Callable[[Finished], None] | None
) -> None:
    drawing = asyncio.Lock()

    async def worker() -> None:
        while True:
            async with drawing:
                request = await asyncio.to_thread(next, requests, None)
            if request is None:
                return
            finished = request if isinstance(request, Finished) else await _answered(model, request)
            await asyncio.to_thread(journal.put, [finished])
            if done is not None:
                done(finished)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(model.max_connections):
                group.create_task(worker())
    finally:
        await model.close()


async def _answered(model: Model, request: Request) -> Finished:
    try:
        return Finished(request, await model.reply(request))
    except ModelFailure as failure:
        if failure.fatal:
            raise
        return Finished(request, None, str(failure))
