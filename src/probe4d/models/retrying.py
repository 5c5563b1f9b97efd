"""When a request is repeated after a passing fault, and how long one waits before."""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

import msgspec

__all__ = ["Retries", "retry_after_s"]


class Retries(msgspec.Struct, frozen=True, kw_only=True):
    """How passing faults (429, 5xx, lost connections) are met.

    A request costs at most `timeout_s` with all its repetitions; without an answer by then it has failed.

    Attributes:
        most: Repetitions of a request.
        first_wait_s: Wait before the first repetition; it doubles from one to the next.
        longest_wait_s: Longest wait, unless the server asks for a longer one.
        timeout_s: Longest time for a request with its repetitions and waits.
    """

    most: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    timeout_s: float = 600.0

    def wait_s(self, key: str, attempt: int, asked_s: float | None) -> float:
        """Wait after an attempt, 0-based, that failed.

        What the server asks for is kept, unless it is less than `first_wait_s`: repetitions at once would all be
        used up before a server that says so has room. Else the wait grows exponentially and is shortened by up to a
        half, by a hash of request and attempt, so that requests that failed together do not return together.
        """
        if asked_s is not None and asked_s >= self.first_wait_s:
            return asked_s
        share = zlib.crc32(f"{key}/{attempt}".encode()) / 0xFFFFFFFF
        return float(min(self.first_wait_s * 2**attempt, self.longest_wait_s) * (1 - share / 2))


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that a response asks to wait; null where it does not, or in no way that RFC 9110, 10.2.3, knows.

    Args:
        headers: Headers of the response, by names in any case (as HTTP libraries give them) or in lower case.
    """
    for name, per_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            wait_s = float(value) / per_second
        except ValueError:
            try:
                wait_s = parsedate_to_datetime(value).timestamp() - time.time()
            except ValueError:
                continue
        if math.isfinite(wait_s):
            return max(wait_s, 0.0)
    return None
