"""Tests reach nothing but this machine, nor does what they start."""

import socket
import subprocess
import sys

import pytest

ELSEWHERE = ("192.0.2.1", 9)  # an address for documentation (RFC 5737), which belongs to nobody


@pytest.mark.parametrize("method", ["connect", "connect_ex"])
def test_connections_elsewhere_are_refused(method) -> None:
    with socket.socket() as stream, pytest.raises(RuntimeError, match="tried to reach"):
        getattr(stream, method)(ELSEWHERE)


def test_datagrams_elsewhere_are_refused() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as datagrams, pytest.raises(RuntimeError, match="tried to reach"):
        datagrams.sendto(b"", ELSEWHERE)


def test_started_processes_are_held_too() -> None:
    code = f"import socket; socket.socket().connect({ELSEWHERE!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "tried to reach" in done.stderr


def test_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass
