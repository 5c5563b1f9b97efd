"""Opens any model that inspect-ai can reach: hosted APIs, local servers, Hugging Face models in this process."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import msgspec

from probe4d.errors import InputError
from probe4d.models.failures import is_of_python, one_line
from probe4d.models.generation import Generation, refuse_keys
from probe4d.models.request import Model
from probe4d.models.retrying import Retries
from probe4d.models.secrets import Redactor

__all__ = ["asked_in_batches", "open_model"]

_LOG = logging.getLogger(__name__)

_OWN_OPTIONS = {
    "base_url": "Give it as base_url (--base-url).",
    **dict.fromkeys(("model", "model_name"), "Give it as the model (--model)."),
    **dict.fromkeys(
        ("self", "role", "required", "default", "config", "memoize"),
        "See inspect-ai's documentation of the provider.",
    ),
}
"""Names that cannot be a provider's arguments, and what to do instead."""

_LEAVE_OUT = (
    "Leave it out of the arguments (-M); inspect-ai's documentation lists those of a provider, "
    "and `probe4d ask --help` the options of asking."
)
_INSTEAD = {"timeout": "Give the time that a request may take as timeout_s (--timeout)."}
"""What to do instead of arguments that some providers' code gives itself."""

_CONTROLS = "control:"
"""What the names of the controls of a diagnosis begin with, which the command makes and no provider serves."""

_EXTRA_OF = {"openai": "models", "torch": "local", "transformers": "local", "accelerate": "local"}
"""Our extra that holds a package which a provider asks for."""

_SERVERS_OF_THEIR_OWN = ("vllm", "sglang")
"""Providers that start a server on this machine with the package of their name, unless they are given an address."""

_NO_LIMIT = 1_000
"""Connections that inspect-ai allows. `ask_all` sets the bound; inspect-ai's own holds for the life of a process."""


def asked_in_batches(name: str) -> bool:
    """Whether a model runs in this process, where requests under way at once are padded to a batch.

    Padding turns close calls, so that the number of connections is then a part of how answers came about.
    """
    return name.startswith("hf/")


def open_model(
    name: str,
    *,
    base_url: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    generation: Generation | None = None,
    max_connections: int = 10,
    max_retries: int = 5,
    timeout_s: float = 600,
    first_wait_s: float = 1.0,
) -> Model:
    """Open a model by its inspect-ai name, such as `openai/gpt-5` or `openai-api/local/llama`.

    Args:
        name: Provider and model.
        base_url: Address of the server, where it is not the provider's own.
        arguments: The provider's own arguments.
        generation: Generation options.
        max_connections: Most requests under way at once.
        max_retries: Repetitions of a request after passing faults, such as 429 and 503.
        timeout_s: Longest time for one request with its repetitions, seconds.
        first_wait_s: Wait before the first repetition, seconds; see `probe4d.models.retrying.Retries`.

    Raises:
        InputError: inspect-ai or the provider's package is not installed, the provider is unknown, its key is not
            in the environment, or an argument holds a key or is none of a provider's.
    """
    generation, arguments = generation or Generation(), dict(arguments or {})
    _check(name, base_url, arguments, generation)
    redact = Redactor(addresses=() if base_url is None else (base_url,))
    try:
        from inspect_ai.model import get_model

        from probe4d.models.inspect_model import InspectModel, generate_config
    except ImportError as error:
        raise _lacks_inspect(error) from error
    options, given = msgspec.structs.asdict(generation), tuple(arguments)
    in_this_process = asked_in_batches(name)
    if in_this_process and generation.temperature == 0:  # transformers knows no temperature of 0
        options["temperature"] = None
        arguments.setdefault("do_sample", False)
    config = generate_config(options)
    config.max_retries = 0  # ours alone repeat: see `Retries`
    config.max_connections = max_connections if in_this_process else _NO_LIMIT  # here the size of a batch
    _refuse_missing_server(name, base_url, arguments)
    try:
        model = get_model(name, config=config, base_url=base_url, memoize=False, **arguments)
    except Exception as error:
        raise _cannot_open(name, given, error, redact) from error
    client = getattr(model.api, "client", None)
    if client is not None and "max_retries" not in arguments and hasattr(client, "max_retries"):
        client.max_retries = 0
    retries = Retries(most=max_retries, first_wait_s=first_wait_s, timeout_s=timeout_s)
    for variable in redact.ordinary:
        _LOG.warning("%s holds an ordinary word, which is no key and is not looked for in replies.", variable)
    return InspectModel(name, model, generation, max_connections, retries, redact, given)


def _check(name: str, base_url: str | None, arguments: Mapping[str, Any], generation: Generation) -> None:
    if not all(name.partition("/")):
        raise InputError(
            f"the model {name!r} names no provider.",
            remedy="Give what probe4d.control_model(benchmark, NAME, setting=SETTING) makes of it."
            if name.startswith(_CONTROLS)
            else "Give PROVIDER/NAME, such as openai/gpt-5, vllm/NAME or openai-api/SERVICE/NAME.",
        )
    if base_url is not None and not _is_address(base_url):
        raise InputError(
            f"the base URL {one_line(base_url)!r} is no address.",
            remedy="It begins with http:// or https:// and a host, such as http://localhost:8000/v1.",
        )
    refuse_keys(arguments, generation)
    for argument in arguments:
        if argument in _OWN_OPTIONS:
            raise InputError(f"{argument!r} is no argument of a provider (-M).", remedy=_OWN_OPTIONS[argument])
        if argument == "trust_remote_code":
            raise InputError(
                "the argument trust_remote_code (-M) would run code that comes with a model.",
                remedy="Serve such a model yourself, and give its server's address as base_url (--base-url).",
            )


def _refuse_missing_server(name: str, base_url: str | None, arguments: Mapping[str, Any]) -> None:
    """Refuse at once what inspect-ai would find out with the first request."""
    provider = name.partition("/")[0]
    elsewhere = base_url or arguments.get("port") or os.environ.get(f"{provider.upper()}_BASE_URL")
    if provider in _SERVERS_OF_THEIR_OWN and not elsewhere and find_spec(provider) is None:
        raise InputError(
            f"the provider {provider!r} starts a server with the package {provider}, which is not installed.",
            remedy="Give the address of a server that runs elsewhere as base_url (--base-url), "
            f"or: pip install {provider}",
        )


def _lacks_inspect(error: ImportError) -> InputError:
    said = one_line(str(error))
    try:
        found = version("inspect-ai")
    except PackageNotFoundError:
        what = f"asking models needs inspect-ai, which cannot be imported ({said})."
    else:
        what = f"inspect-ai {found} is not as this version of probe4d needs it ({said})."
    return InputError(what, remedy="Install what it was tested with: pip install 'probe4d[models]'")


def _is_address(base_url: str) -> bool:
    try:
        parts = urlsplit(base_url)
        whole = parts.scheme in ("http", "https") and parts.hostname is not None and parts.port != 0
    except ValueError:  # a port past 65535, or brackets that hold no IPv6 address
        return False
    return whole and not re.search(r"\s", base_url)


def _cannot_open(name: str, arguments: Sequence[str], error: Exception, redact: Redactor) -> InputError:
    from rich.text import Text

    provider = name.partition("/")[0]
    marked_up = type(error).__name__ == "PrerequisiteError"
    said = one_line(Text.from_markup(str(error)).plain if marked_up else str(error), redact)
    if (unknown := re.search(r"unexpected keyword argument '(\w+)'", said)) is not None:
        return InputError(
            f"the provider {provider!r} takes no argument {unknown[1]!r}.",
            remedy=_LEAVE_OUT,
        )
    if (twice := re.search(r"multiple values for (?:keyword )?argument '(\w+)'", said)) is not None:
        return InputError(
            f"the provider {provider!r} gives {twice[1]!r} itself and takes no such argument.",
            remedy=_INSTEAD.get(twice[1], _LEAVE_OUT),
        )
    if "not recognized" in said and isinstance(error, ValueError):
        return InputError(
            f"inspect-ai knows no provider {provider!r}, which the model {one_line(name)!r} names.",
            remedy="Give one of its providers, such as openai, anthropic, google, vllm, ollama or hf; "
            "a server of its own kind is reached as openai-api/SERVICE/NAME with a base_url (--base-url).",
        )
    if (packages := re.search(r"pip install ([^.()]+)", said)) is not None:
        wanted = packages[1].split()
        extra = next((_EXTRA_OF[package] for package in wanted if package in _EXTRA_OF), None)
        install = f"'probe4d[{extra}]'" if extra else " ".join(wanted)
        return InputError(
            f"the provider {provider!r} needs packages that are not installed: {', '.join(wanted)}.",
            remedy=f"Install with: pip install {install}",
        )
    if "defined in the environment" in said:
        names = re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", said)
        address = any(one.endswith("BASE_URL") for one in names)
        return InputError(
            f"the provider {provider!r} needs {' or '.join(names)}, which the environment lacks.",
            remedy="Give base_url (--base-url)."
            if address
            else "Set it there, or in a .env file in the working directory.",
        )
    if arguments and isinstance(error, TypeError | AttributeError):
        reason = "" if is_of_python(error) else f" ({said})"
        return InputError(
            f"the provider {provider!r} cannot be opened with these arguments (-M): {', '.join(arguments)}{reason}.",
            remedy="Mend the value of one, or leave it out; inspect-ai's documentation says which values there are.",
        )
    return InputError(f"the model {one_line(name)!r} cannot be opened ({type(error).__name__}: {said}).")
