"""Keeps keys out of everything that is written or printed.

Keys come from the environment alone. Whatever a provider or server says (errors, replies) passes through a
`Redactor` before it is kept; options that are recorded pass through `without_secrets`, and those that hold a key
are refused beforehand by `refuse_secrets`.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

from probe4d.errors import InputError

__all__ = ["REDACTED", "Redactor", "names_secret", "redacted", "refuse_secrets", "without_secrets"]

REDACTED = "[redacted]"

_SECRET_NAME = re.compile(
    r"(?:^|[_.-])(?:"
    r"(?:api|access|secret|private|auth|service|account|subscription)?key|keys|token|secret|secrets|"
    r"(?:api|access|auth|bearer|secret)[_.-]?tokens|"
    r"password|passwd|passphrase|(?<=[_.-])pwd|credential|credentials|authorization|auth|bearer|cookie|sas|signature|sig"
    r")$"
)
_HARMLESS_NAME = re.compile(r"(?:(?:max|pad|eos|bos|unk|stop|image|mask)[_.-]token|cache[_.-]key)$")
"""Options such as `pad_token` speak of text."""

_SHORTEST = 8
"""Characters; shorter values are no keys of any provider, and would hit short words and numbers."""

_SHORTEST_TOKEN = 20
"""Characters of a user name in an address from which it is a token, as `https://TOKEN:x-oauth-basic@host` has it."""

_LONGEST_WORD = 24
"""Letters; words of English end there, and a longer value without a digit is a password."""

_KEY_PATTERNS = (
    r"sk-[A-Za-z0-9_\-]{20,}",  # OpenAI, Anthropic, OpenRouter, DeepSeek
    r"(?:gsk|xai|hf|pplx|fw|nvapi|r8|csk|tgp_v1)[_-][A-Za-z0-9_\-]{20,}",
    r"AIza[A-Za-z0-9_\-]{30,}",  # Google
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",  # Amazon
    r"gh[oprsu]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}",
    r"eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}",  # JSON web token
)
_WELL_KNOWN = re.compile(r"(?<![A-Za-z0-9])(?:" + "|".join(_KEY_PATTERNS) + r")")
_BEARER = re.compile(r"(?i)\b((?:bearer|basic)\s+)(?=[^\s\d]*\d)[A-Za-z0-9_\-.~+/]{16,}=*")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://[^\s\"'<>]+")
_USERINFO = re.compile(r"(?<=://)[^/\s?#]+(?=@)")  # up to the last @, for a password may hold one
_QUERY = re.compile(r"([?&]([A-Za-z0-9_.\-]+)=)([^&#\s\"'<>]+)")


@functools.lru_cache(maxsize=4096)
def names_secret(name: str) -> bool:
    """Whether an option, header, query parameter or variable of this name holds a key or password."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return bool(_SECRET_NAME.search(plain)) and not _HARMLESS_NAME.search(plain)


class Redactor:
    """Puts `[redacted]` in place of every key in a text.

    Keys are the values of environment variables whose names say so (`…_KEY`, `…_TOKEN`, `…_SECRET`, …), the
    passwords and keys in the addresses it was told, the user and the keys in any address, and what looks like a key
    of a well-known provider; plain, quoted for JSON or an address, or in base64. Values that are an ordinary word
    (`LOCAL_API_KEY=anything`, `SORT_KEY=pedestrian`) are not looked for, since answers hold them. Everything else
    is untouched.

    Args:
        environment: Variables by name, read once; null takes those of this process.
        addresses: Addresses, or texts with addresses, whose passwords and keys are looked for everywhere.

    Attributes:
        ordinary: Names of variables that are named as keys are but hold an ordinary word of 8 letters or more.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, *, addresses: Iterable[str] = ()) -> None:
        variables = os.environ if environment is None else environment
        named = {name: value for name, value in variables.items() if names_secret(name)}
        secrets = {*named.values(), *(secret for text in addresses for secret in _secrets_in(text))}
        self.ordinary = tuple(sorted(name for name, value in named.items() if _holds_a_word(value)))
        self._by_value = _by_value(frozenset(value for secret in secrets for value in _values(secret)))

    def __call__(self, text: str) -> str:
        """The text without keys."""
        if self._by_value is not None:
            text = self._by_value.sub(REDACTED, text)
        text = _WELL_KNOWN.sub(REDACTED, text)
        text = _BEARER.sub(rf"\1{REDACTED}", text)
        return _without_keys_in_addresses(text)


def redacted(text: str, *, addresses: Iterable[str] = ()) -> str:
    """A text without the keys that this process's environment and the addresses hold; see `Redactor`."""
    return Redactor(addresses=addresses)(text)


def without_secrets(value: Any) -> Any:
    """Options as they may be recorded: texts redacted, and what stands under the name of a key replaced."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, Mapping):
        return {
            redacted(str(name)): REDACTED if one and names_secret(str(name)) else without_secrets(one)
            for name, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [without_secrets(one) for one in value]
    return value


def refuse_secrets(options: Mapping[str, Any], *, of: str = "arguments (-M)") -> None:
    """Refuse options that hold a key, since options are recorded and seen by other users of the machine.

    Args:
        options: Options by name, nested as they may be.
        of: What they were given by, for the message.

    Raises:
        InputError: An option is named as keys, or headers, are; the message holds the name alone.
    """
    for name in _names(options):
        if names_secret(name) or name.lower().endswith("headers"):  # which carry keys under names of any kind
            raise InputError(
                f"{name}=… in {of} would put a key on the command line and into records.",
                remedy="Put it into the environment (or .env) under the name that the provider reads, "
                "such as OPENAI_API_KEY.",
            )


def _secrets_in(text: str) -> Iterator[str]:
    """Passwords and keys in the addresses that a text holds."""
    for address in _ADDRESS.findall(text):
        try:
            parts = urlsplit(address)
        except ValueError:  # no address, and refused as such where it is used
            continue
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        if password:
            yield password
        if not password or len(user) >= _SHORTEST_TOKEN:  # a key may stand there alone, or with a password of no use
            yield user
        yield from (value for name, value in parse_qsl(parts.query) if names_secret(name))


@functools.lru_cache(maxsize=8)
def _by_value(values: frozenset[str]) -> re.Pattern[str] | None:
    longest_first = sorted({form for value in values for form in _forms(value)}, key=lambda form: (-len(form), form))
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None


def _values(secret: str) -> set[str]:
    """What is looked for: the whole value and, of several in one variable or on several lines, each."""
    parts = _parts(secret)
    whole = set() if all(map(_is_word, parts)) else {secret, secret.strip()}
    values = whole | {part for part in parts if not _is_word(part)}
    return {one for one in values if len(one) >= _SHORTEST and not _is_path(one)}


def _is_path(value: str) -> bool:
    """Whether a value is the path of a key rather than a key; a name alone might be that of any file here."""
    return os.sep in value and os.path.exists(value)


def _parts(secret: str) -> list[str]:
    return [part for piece in re.split(r"[\r\n,;]+", secret) if (part := piece.strip())]


def _holds_a_word(secret: str) -> bool:
    """Whether a word is what keeps a part from being looked for, rather than its length."""
    return any(_is_word(part) and len(part) >= _SHORTEST for part in _parts(secret))


def _is_word(value: str) -> bool:
    """Whether a value is letters alone, in the cases of a word; `aBcDeFgH` is none."""
    in_case = value in (value.lower(), value.upper(), value.title())
    return value.isalpha() and len(value) <= _LONGEST_WORD and in_case


def _forms(value: str) -> Iterable[str]:
    quoted = {
        quote(value, "/", None, "replace"),
        quote(value, "", None, "replace"),
        quote_plus(value, "", None, "replace"),
    }
    in_json = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1]}
    in_json |= {json.dumps(one)[1:-1] for one in in_json}  # JSON in a text of JSON, as in a verdict that repeats one
    lower = {re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), one) for one in quoted}
    return {value, *quoted, *lower, *in_json, *_in_base64(value.encode("utf-8", "surrogateescape"))}


def _in_base64(value: bytes) -> Iterator[str]:
    """The parts of base64 that do not depend on what stands before or behind the value."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + value).decode("ascii").rstrip("=")
        first = (8 * before + 5) // 6
        last = 8 * (before + len(value)) // 6
        yield encoded[first:last]
        yield encoded[first:last].replace("+", "-").replace("/", "_")


def _without_keys_in_addresses(text: str) -> str:
    if "://" not in text:
        return text
    text = _USERINFO.sub(REDACTED, text)
    return _QUERY.sub(lambda found: found[1] + REDACTED if names_secret(found[2]) else found[0], text)


def _names(options: Any) -> Iterator[str]:
    if isinstance(options, Mapping):
        for name, value in options.items():
            yield str(name)
            yield from _names(value)
    elif isinstance(options, list | tuple):
        for value in options:
            yield from _names(value)
