"""The asking loop: nothing that was answered is lost, whatever ends it."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from probe4d.errors import RunError
from probe4d.models.asking import Finished, ask_all
from probe4d.models.request import ModelFailure, Reply, Request


class Echo:
    """Answers each request with its key, after what `before` does."""

    name = "test/echo"

    def __init__(self, max_connections: int = 4, before: Callable[[Request], None] = lambda request: None) -> None:
        self.max_connections = max_connections
        self.closed = 0
        self.asked: list[str] = []
        self._before = before

    async def reply(self, request: Request) -> Reply:
        self.asked.append(request.key)
        await asyncio.sleep(0)  # others have their turn meanwhile
        self._before(request)
        return Reply(text=request.key)

    async def close(self) -> None:
        self.closed += 1


class Memory:
    """A journal that keeps everything."""

    def __init__(self) -> None:
        self.lines: list[Finished] = []
        self.puts = 0

    def put(self, finished: Sequence[Finished]) -> None:
        self.puts += 1
        self.lines += finished

    @property
    def keys(self) -> list[str]:
        return [line.request.key for line in self.lines]


def requests(number: int) -> list[Request]:
    return [Request(key=f"{place}", text=f"Question {place}?") for place in range(number)]


def failing_at(key: str, failure: Exception) -> Callable[[Request], None]:
    def before(request: Request) -> None:
        if request.key == key:
            raise failure

    return before


def test_every_request_is_answered_once() -> None:
    model, journal = Echo(), Memory()
    ask_all(model, iter(requests(100)), journal)
    assert sorted(journal.keys, key=int) == [f"{place}" for place in range(100)]
    assert all(line.reply == Reply(text=line.request.key) for line in journal.lines)
    assert model.closed == 1


def test_replies_that_finish_while_others_are_written_share_a_write() -> None:
    all_replied = threading.Event()

    class Waiting(Memory):
        def put(self, finished: Sequence[Finished]) -> None:
            assert all_replied.wait(30)
            super().put(finished)

    def before(request: Request) -> None:
        if len(model.asked) == 32:
            all_replied.set()

    model, journal = Echo(max_connections=32, before=before), Waiting()
    ask_all(model, iter(requests(32)), journal)
    assert len(journal.keys) == 32
    assert journal.puts == 2


def test_a_connection_is_held_until_the_reply_is_on_disk() -> None:
    """So no more than `max_connections` requests are ever asked and not yet on disk."""
    journal, unwritten = Memory(), []

    def count(request: Request) -> None:
        unwritten.append(len(model.asked) - len(journal.lines))

    model = Echo(max_connections=7, before=count)
    ask_all(model, iter(requests(60)), journal)
    assert max(unwritten) <= 7


def test_requests_are_drawn_as_connections_become_free() -> None:
    model, journal, ahead = Echo(max_connections=3), Memory(), []

    def drawn() -> Iterator[Request]:
        for place, request in enumerate(requests(30)):
            ahead.append(place - len(journal.lines))
            yield request

    ask_all(model, drawn(), journal)
    assert max(ahead) <= 3


def test_what_could_not_be_prepared_goes_to_the_journal_unasked() -> None:
    lost, asked = requests(2)
    model, journal = Echo(), Memory()
    ask_all(model, iter([Finished(lost, None, "its picture is missing"), asked]), journal)
    assert model.asked == ["1"]
    assert {(line.request.key, line.failure) for line in journal.lines} == {
        ("0", "its picture is missing"),
        ("1", None),
    }


def test_a_failure_is_told_and_the_others_are_asked() -> None:
    journal = Memory()
    ask_all(Echo(before=failing_at("3", ModelFailure("no reply"))), iter(requests(20)), journal)
    assert len(journal.lines) == 20
    assert [(line.request.key, line.reply) for line in journal.lines if line.failure == "no reply"] == [("3", None)]


def test_a_fatal_failure_ends_asking_and_keeps_what_was_finished() -> None:
    model, journal = Echo(before=failing_at("50", ModelFailure("the key is refused", fatal=True))), Memory()
    with pytest.raises(ModelFailure, match="the key is refused"):
        ask_all(model, iter(requests(1000)), journal)
    assert set(journal.keys) >= {f"{place}" for place in range(45)}
    assert len(model.asked) < 60
    assert model.closed == 1


@pytest.mark.parametrize(("max_connections", "asked"), [(2, 10), (16, 16)])
def test_many_failures_in_a_row_that_may_be_the_servers_end_asking(max_connections: int, asked: int) -> None:
    def before(request: Request) -> None:
        raise ModelFailure("HTTP 500", of_server=True)

    model, journal = Echo(max_connections, before), Memory()
    with pytest.raises(ModelFailure, match=f"{asked} requests in a row .* HTTP 500"):
        ask_all(model, iter(requests(1000)), journal)
    assert len(model.asked) <= asked + 2 * max_connections


@pytest.mark.parametrize(("max_connections", "asked"), [(2, 10), (16, 16)])
@pytest.mark.parametrize("of_server", [False, True])
def test_failures_of_any_kind_end_asking_before_the_first_answer(
    max_connections: int, asked: int, of_server: bool
) -> None:
    def before(request: Request) -> None:
        raise ModelFailure("HTTP 400: unsupported parameter", of_server=of_server and int(request.key) % 2 == 0)

    model, journal = Echo(max_connections, before), Memory()
    with pytest.raises(ModelFailure, match=f"{asked} requests in a row .* unsupported parameter"):
        ask_all(model, iter(requests(1000)), journal)
    assert len(model.asked) <= asked + 2 * max_connections


def test_failures_known_to_be_of_one_question_end_no_asking() -> None:
    """Not even before the first answer, nor do they add to others that might."""

    def before(request: Request) -> None:
        if int(request.key) < 95:
            raise ModelFailure("no answer", of_question=int(request.key) >= 9)

    journal = Memory()
    ask_all(Echo(before=before), iter(requests(100)), journal)
    assert sum(line.reply is not None for line in journal.lines) == 5


@pytest.mark.parametrize("answered", [True, False])
def test_failures_of_single_requests_end_no_asking_that_has_answers(answered: bool) -> None:
    """Be it from an earlier call, whose failures come first when it goes on."""

    def before(request: Request) -> None:
        if answered or request.key != "0":
            raise ModelFailure("too long")

    journal = Memory()
    ask_all(Echo(before=before), iter(requests(100)), journal, answered=answered)
    assert len(journal.lines) == 100


def test_failures_of_single_requests_do_not_break_a_row_of_the_servers() -> None:
    def before(request: Request) -> None:
        raise ModelFailure("HTTP 500" if int(request.key) % 2 else "too long", of_server=int(request.key) % 2 == 1)

    model = Echo(max_connections=1, before=before)
    with pytest.raises(ModelFailure, match="20 requests in a row got no answer, the last one because HTTP 500"):
        ask_all(model, iter(requests(1000)), Memory(), answered=True)


def test_failures_with_answers_between_never_end_asking() -> None:
    def before(request: Request) -> None:
        if int(request.key) % 5:
            raise ModelFailure("HTTP 500", of_server=True)

    journal = Memory()
    ask_all(Echo(before=before), iter(requests(200)), journal)
    assert sum(line.reply is not None for line in journal.lines) == 40


def test_a_journal_that_cannot_write_ends_asking_with_its_error() -> None:
    class Full(Memory):
        def put(self, finished: Sequence[Finished]) -> None:
            if len(self.lines) > 20:
                raise RunError("the disk is full.")
            super().put(finished)

    model, journal = Echo(), Full()
    with pytest.raises(RunError, match="the disk is full"):
        ask_all(model, iter(requests(1000)), journal)
    assert len(model.asked) < 40
    assert model.closed == 1


def test_an_error_while_requests_are_drawn_ends_asking_with_it() -> None:
    def drawn() -> Iterator[Request]:
        yield from requests(5)
        raise RunError("no more.")

    journal = Memory()
    with pytest.raises(RunError, match=r"no more\."):
        ask_all(Echo(), drawn(), journal)
    assert set(journal.keys) <= {"0", "1", "2", "3", "4"}


def test_interrupting_keeps_every_reply_that_had_come() -> None:
    replied = []

    class Stopped(Echo):
        async def reply(self, request: Request) -> Reply:
            reply = await super().reply(request)
            if request.key == "40":
                os.kill(os.getpid(), signal.SIGINT)
            replied.append(request.key)
            return reply

    model, journal = Stopped(), Memory()
    with pytest.raises(KeyboardInterrupt):
        ask_all(model, iter(requests(1000)), journal)
    assert set(journal.keys) == set(replied)
    assert 40 <= len(replied) < 60
    assert model.closed == 1


def test_it_may_be_called_where_an_event_loop_runs() -> None:
    journal, threads = Memory(), []
    model = Echo(before=lambda request: threads.append(threading.current_thread()))

    async def notebook() -> None:
        ask_all(model, iter(requests(20)), journal)

    asyncio.run(notebook())
    assert len(journal.lines) == 20
    assert threading.main_thread() not in threads


def test_its_errors_reach_the_caller_where_an_event_loop_runs() -> None:
    async def notebook() -> None:
        ask_all(Echo(before=failing_at("3", ModelFailure("gone", fatal=True))), iter(requests(20)), Memory())

    with pytest.raises(ModelFailure, match="gone"):
        asyncio.run(notebook())


def test_interrupting_where_an_event_loop_runs_keeps_every_reply() -> None:
    def before(request: Request) -> None:
        if request.key == "40":
            os.kill(os.getpid(), signal.SIGINT)

    def without_end() -> Iterator[Request]:
        for place in itertools.count():
            yield Request(key=f"{place}", text=f"Question {place}?")

    async def notebook() -> None:
        ask_all(model, without_end(), journal)

    model, journal = Echo(before=before), Memory()
    loop = asyncio.new_event_loop()  # unlike `asyncio.run`, it leaves Ctrl-C as notebooks have it
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(notebook())
    loop.close()
    assert len(journal.lines) > 30
    assert model.closed == 1
