"""Refuses every connection that leaves this machine, in the tests and in each Python that they start.

Python imports a module of this name at start-up if it finds one; tests/conftest.py puts this folder first
on PYTHONPATH.
"""

from __future__ import annotations

import functools
import socket
from collections.abc import Callable
from typing import Any


def _guarded(method: Callable[..., Any], place: int) -> Callable[..., Any]:
    """Check the address, which stands at `place` among the arguments (-1 is the last)."""

    @functools.wraps(method)
    def call(self: socket.socket, *arguments: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = str(arguments[place][0])
            if host not in ("localhost", "::1") and not host.startswith("127."):
                raise RuntimeError(f"a test tried to reach {host}")
        return method(self, *arguments)

    return call


if not hasattr(socket.socket, "refuses_other_machines"):
    for _name, _place in (("connect", 0), ("connect_ex", 0), ("sendto", -1)):
        setattr(socket.socket, _name, _guarded(getattr(socket.socket, _name), _place))
    socket.socket.refuses_other_machines = True  # type: ignore[attr-defined]  # so that it is done once
