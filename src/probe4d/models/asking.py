"""The resumable asking loop: requests in, replies on disk before they count.

Runs, captions, data pipelines and judges ask through it. It knows neither questions nor providers: requests
come from an iterator that may prepare them as they are drawn, and finished ones go to a `Journal`, which
returns once they are on disk. A request holds its connection until then, so that a kill costs at most
`max_connections` repeated calls. See design/asking.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple, Protocol

from probe4d.models.request import Model, ModelFailure, Reply, Request

__all__ = ["Finished", "Journal", "ask_all", "close_model"]

_FEWEST_FAILURES = 10
"""Fewest failures in a row after which asking ends.

Each has been repeated with waits up to a minute, so that ten at one connection are no passing fault any more.
"""

_LOOK_S = 0.2
"""How often a thread that waits for another looks for Ctrl-C."""


class Finished(NamedTuple):
    """A request and its outcome: a reply, or the failure in words."""

    request: Request
    reply: Reply | None
    failure: str | None = None


class Journal(Protocol):
    """Where finished requests are put down."""

    def put(self, finished: Sequence[Finished]) -> None:
        """Write them down and return when they are on disk.

        It is called from a thread, and never twice at once.
        """


def ask_all(
    model: Model,
    requests: Iterator[Request | Finished],
    journal: Journal,
    *,
    answered: bool = False,
) -> None:
    """Ask every request, at most `model.max_connections` at once.

    Whatever ends it (an error, Ctrl-C), the replies that had come are in the journal and the model is closed; calls
    that were under way are given up. It may be called where an event loop runs already, as in a notebook.

    Args:
        model: Who is asked; it is closed at the end.
        requests: Drawn one at a time in a thread, as connections become free; a request that could not be
            prepared comes as `Finished` with its failure, and only goes to the journal.
        journal: Told of replies and failures; those that finish together come in one call.
        answered: Whether this model has answered requests like these before, so that failures of the first of
            them are not what all would share.

    Raises:
        ModelFailure: A failure that every other request would share, or as many without a reply between them as
            `max_connections` (and 10): before the first reply all but those known to be of one question, later such
            as may be the server's.
        RunError: The journal could not write, for example because the disk is full.
    """
    _run(lambda: _Asking(model, requests, journal, answered).run())


def close_model(model: Model) -> None:
    """Close a model that was opened and not asked; `ask_all` closes those that it asks."""
    _run(model.close)


class _Asking:
    def __init__(self, model: Model, requests: Iterator[Request | Finished], journal: Journal, answered: bool) -> None:
        self._model = model
        self._requests = requests
        self._writing = _Writing(journal)
        self._answered_before = answered
        self._drawing = asyncio.Lock()
        self._failures_in_a_row = 0
        self._counted_in_a_row = 0
        self._ending: ModelFailure | None = None

    async def run(self) -> None:
        writing = asyncio.create_task(self._writing.run())
        workers = [asyncio.create_task(self._work()) for _ in range(self._model.max_connections)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            self._writing.end()
            try:
                await writing
            finally:
                await self._model.close()

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            async with self._drawing:
                request = await loop.run_in_executor(None, next, self._requests, None)
            if request is None:
                return
            finished = request if isinstance(request, Finished) else await self._answered(request)
            await self._writing.put(finished)
            if self._ending is not None:  # raised here, so that the failure that ends all is in the journal as well
                raise self._ending

    async def _answered(self, request: Request) -> Finished:
        try:
            reply = await self._model.reply(request)
        except ModelFailure as failure:
            self._ending = self._ending or (failure if failure.fatal else self._counted(failure))
            return Finished(request, None, str(failure))
        self._answered_before = True
        self._failures_in_a_row = self._counted_in_a_row = 0
        return Finished(request, reply)

    def _counted(self, failure: ModelFailure) -> ModelFailure | None:
        """Count a failure; give what ends all asking where it is one too many.

        Before the first reply one of a request is as likely one of all (a wrong option), unless it is known to be of
        this question.
        """
        self._failures_in_a_row += 1
        self._counted_in_a_row += failure.of_server or not (failure.of_question or self._answered_before)
        if self._counted_in_a_row >= max(self._model.max_connections, _FEWEST_FAILURES):
            what = f"{self._failures_in_a_row:,} requests in a row got no answer, the last one because {failure}"
            return ModelFailure(what, fatal=True)
        return None


class _Writing:
    """Puts what finishes together into the journal together, so that they share one fsync."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._waiting: list[tuple[Finished, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._ended = False
        self._error: BaseException | None = None

    async def put(self, finished: Finished) -> None:
        """Return once it is on disk."""
        if self._error is not None:
            raise self._error
        on_disk = asyncio.get_running_loop().create_future()
        self._waiting.append((finished, on_disk))
        self._wake.set()
        await on_disk

    def end(self) -> None:
        """Let `run` return when all is written."""
        self._ended = True
        self._wake.set()

    async def run(self) -> None:
        """Write what waits, until `end`.

        Raises:
            BaseException: What the journal raised; everyone who waits gets it, too.
        """
        while self._waiting or not self._ended:
            await self._wake.wait()
            self._wake.clear()
            batch, self._waiting = self._waiting, []
            if not batch:
                continue
            try:
                await asyncio.to_thread(self._journal.put, [finished for finished, _ in batch])
            except BaseException as error:
                self._error = error
                for _, on_disk in batch + self._waiting:
                    if not on_disk.done():
                        on_disk.set_exception(error)
                raise
            for _, on_disk in batch:
                if not on_disk.done():
                    on_disk.set_result(None)


def _run(asking: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run it in an event loop of its own, in another thread where this one has a running loop already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(asking())
    else:
        _run_beside(asking)


def _run_beside(asking: Callable[[], Coroutine[Any, Any, None]]) -> None:
    began: Future[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = Future()

    async def run() -> None:
        task = asyncio.ensure_future(asking())
        began.set_result((asyncio.get_running_loop(), task))
        await task

    with ThreadPoolExecutor(max_workers=1) as threads:
        try:
            asked = threads.submit(lambda: asyncio.run(run()))
            while not wait([asked], timeout=_LOOK_S).done:
                pass  # a signal that another thread received is seen now
            asked.result()
        except KeyboardInterrupt:
            loop, task = began.result()
            loop.call_soon_threadsafe(task.cancel)
            raise
