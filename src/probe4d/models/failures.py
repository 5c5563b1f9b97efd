"""What went wrong with a request, in one line that holds no key, from whatever a provider raised."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from probe4d.models.request import ModelFailure
from probe4d.models.retrying import retry_after_s
from probe4d.models.secrets import redacted
from probe4d.wording import visible

__all__ = ["Fault", "fault_of", "is_of_python", "one_line", "too_long"]

_LONGEST = 300
"""Characters of what a provider says."""

_REFUSED_CONNECTIONS = {
    "ConnectError",
    "ConnectTimeout",
    "ClientConnectorError",
    "ConnectionRefusedError",
    "gaierror",
}
"""Names of the errors by which HTTP libraries say that there is no server at an address."""

_UNREADABLE = (AttributeError, TypeError, LookupError, ValueError)
"""What providers' code raises where an answer lacks what it should hold, or holds something else."""

_PYTHONS_WORDS = re.compile(r"' object|not supported between|unsupported operand|NoneType|\(\) |not iterable|subscript")
"""What tells a `TypeError` of the language from one that was worded for the user of a library."""

_IMAGES = ("image", "vision", "multimodal", "multi-modal", "picture")
_TOO_LONG = (
    "context length",
    "context window",
    "context_length",
    "maximum context",
    "input length",
    "too many tokens",
    "prompt is too long",
    "maximum number of tokens",
)
_LENGTH_OF_REPLIES = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_BAD_KEY = ("api key", "api_key", "apikey")
"""What refusals by 400 (Google) and 403 say of a wrong key."""

_NO_MONEY = ("insufficient_quota", "billing", "credit balance", "payment required")


class Fault(NamedTuple):
    """Why an attempt got no reply.

    Attributes:
        failure: The failure, should the request not be repeated.
        unreachable: Whether no server was there.
        hopeless: Whether a repetition cannot help, whatever the provider's classification says.
        passing: Whether a repetition may help, whatever the provider's classification says.
        retry_after_s: How long the server asks to wait, seconds.
        unreadable: Whether the provider's code failed over a value, as a rule one of the server's answer.
    """

    failure: ModelFailure
    unreachable: bool = False
    hopeless: bool = False
    passing: bool = False
    retry_after_s: float | None = None
    unreadable: bool = False


def one_line(text: str, redact: Callable[[str], str] = redacted) -> str:
    """A text as one line without keys, control sequences and control characters, cut to 300 characters."""
    seen = visible(redact(text), lambda character: " " if character.isspace() else "")
    line = redact(" ".join(seen.split()))
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def is_of_python(error: BaseException) -> bool:
    """Whether an exception's text is the language's own, such as "'int' object has no attribute 'upper'".

    It says what some code failed over, and nothing to who knows only what was sent or asked for.
    """
    if isinstance(error, AttributeError):
        return True
    return isinstance(error, TypeError) and _PYTHONS_WORDS.search(str(error)) is not None


def too_long(said: str) -> ModelFailure:
    """The failure of a question that no context holds; of all, maybe, where an option for replies takes the room.

    Args:
        said: What the provider says of it, in one line.
    """
    of_question = not any(option in said for option in _LENGTH_OF_REPLIES)
    return ModelFailure(f"the question is too long for the model's context ({said}).", of_question=of_question)


def fault_of(
    error: BaseException,
    *,
    with_images: bool,
    address: str | None = None,
    key_names: Sequence[str] = (),
    redact: Callable[[str], str] = redacted,
) -> Fault:
    """Read the exception of a provider.

    Args:
        error: What was raised, with the exceptions that caused it.
        with_images: Whether the request held pictures.
        address: Base URL of the server, where it is known.
        key_names: Environment variables that the provider's key is read from.
        redact: Takes keys out of what is said.
    """
    chain = list(_chain(error))
    status = next((found for one in chain if (found := _status(one)) is not None), None)
    said = _said(chain, redact)
    if status is not None:
        return _of_status(status, said, chain, with_images, key_names)
    if any(type(one).__name__ in _REFUSED_CONNECTIONS for one in chain):
        where = redact(address) if address else "its address"
        what = f"there is no server at {where} ({one_line(str(chain[-1]), redact)})."
        return Fault(ModelFailure(what, of_server=True), unreachable=True, passing=True)
    if (isinstance(error, UnicodeEncodeError) and error.encoding == "ascii") or "Illegal header value" in said:
        what = f"{' or '.join(key_names) or 'the key'} holds characters that no key can hold ({said})."
        return Fault(ModelFailure(what, fatal=True), hopeless=True)
    if with_images and isinstance(error, NotImplementedError):
        return Fault(ModelFailure(f"it takes no pictures ({said}).", fatal=True), hopeless=True)
    first = f"{type(chain[-1]).__name__}: {said}"
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        failure = ModelFailure(f"the server's answer is no valid JSON ({said}).", of_server=True)
        return Fault(failure, passing=True)
    if any(type(one).__name__ == "APIConnectionError" for one in chain):
        return Fault(ModelFailure(f"the connection broke ({first}).", of_server=True), passing=True)
    if isinstance(chain[-1], _UNREADABLE) or type(chain[-1]).__name__ == "OpenAIResponseError":
        what = "the server's answer is not as its protocol says: a field is missing or of another kind"
        detail = "" if is_of_python(chain[-1]) else f" ({first})"
        return Fault(ModelFailure(f"{what}{detail}.", of_server=True), unreadable=True)
    return Fault(ModelFailure(f"no answer could be had ({first}).", of_server=True))


def _of_status(
    status: int, said: str, chain: list[BaseException], with_images: bool, key_names: Sequence[str]
) -> Fault:
    where = f"HTTP {status}: {said}"
    lower = said.lower() + str(_field(chain, "code") or "").lower()
    if status == 401 or (status in (400, 403) and any(words in lower for words in _BAD_KEY)):
        check = f" Check {' or '.join(key_names)}." if key_names else " Check its key."
        return Fault(ModelFailure(f"the server refuses the key ({where}).{check}", fatal=True), hopeless=True)
    if status == 402 or (status == 429 and any(word in lower for word in _NO_MONEY)):
        return Fault(ModelFailure(f"the account may not go on ({where}).", fatal=True), hopeless=True)
    if status in (404, 405):
        what = f"the server knows no such model or address ({where}). Check the model's name and the base URL."
        return Fault(ModelFailure(what, fatal=True), hopeless=True)
    if status in (400, 413, 422) and any(words in lower for words in _TOO_LONG):
        return Fault(too_long(where), hopeless=True)
    if with_images and status in (400, 415, 422) and any(word in lower for word in _IMAGES):
        what = f"the model takes no pictures, or not these ({where})."
        return Fault(ModelFailure(what, of_server=True), hopeless=True)
    if status == 413:
        what = f"the question with its pictures is too large for the server ({where})."
        return Fault(ModelFailure(what, of_question=True))
    wait_s = next((found for one in chain if (found := _wait_s(one)) is not None), None)
    of_request = status in (400, 422)
    return Fault(ModelFailure(f"the server says {where}.", of_server=not of_request), retry_after_s=wait_s)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and those that caused it, the first cause last; of a group the first of its exceptions.

    What was only being handled meanwhile (`__context__`) is passed over: it is the libraries' own, such as
    "no running event loop" of a look for one.
    """
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.exceptions[0] if isinstance(cause, BaseExceptionGroup) else cause.__cause__


def _status(error: BaseException) -> int | None:
    for found in (getattr(error, "status_code", None), getattr(error, "code", None)):
        if isinstance(found, int) and 100 <= found < 600:
            return found
    return None


def _wait_s(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return retry_after_s(headers) if isinstance(headers, Mapping) else None


def _field(chain: list[BaseException], name: str) -> Any:
    return next((found for one in chain if isinstance(found := getattr(one, name, None), str)), None)


def _said(chain: list[BaseException], redact: Callable[[str], str]) -> str:
    """The provider's own words, without what libraries put around them."""
    for error in chain:
        body = getattr(error, "body", None)
        if isinstance(body, str) and body.strip():
            return one_line(body, redact)
        if isinstance(body, dict):
            inner = body.get("error")
            message = body.get("message") or (inner.get("message") if isinstance(inner, dict) else inner)
            if message:
                return one_line(str(message), redact)
    for error in reversed(chain):
        text = getattr(error, "provider_message", None) or str(error)
        if text:
            return one_line(text, redact)
    return type(chain[0]).__name__
