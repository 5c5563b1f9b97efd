"""What two runs differ in, in the words in which it was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from probe4d.runs.run import RunRecord
from probe4d.runs.selection import Selection

__all__ = ["differences"]

_UNCOMPARED = ("course", "versions", "preset")
"""What a continued run may have otherwise: the options that a preset stands for are compared themselves."""

_FOLLOWING = ("layout", "hints", "wording")
"""What follows from the setting, the evidence and the generation options where these differ."""

_PLACES = ("model", "parameters base")
"""Where a checkpoint and its base lie, which may be elsewhere: the checkpoint's fingerprint tells what they are."""

_SAID = {
    "benchmark": "the benchmark",
    "evidence kind": "--evidence",
    "evidence span": "--evidence-span",
    "evidence seed": "--evidence-seed",
    "selection families": "--family",
    "selection seed": "--sample-seed",
    "evidence pictures max_side_px": "--max-side",
    "evidence pictures clip_side_px": "--clip-side",
    "parameters base_url": "--base-url",
    "parameters checkpoint": "the checkpoint",
    "parameters features": "the features",
    "parameters fit_controls": "--fit-controls",
    "parameters keep_logits": "--keep-logits",
    "parameters layout": "--layout",
    "parameters sampling": "--sampling",
    "parameters max_connections": "--max-connections",
}
"""Options whose name on the command line is not the last word of their name in the record."""

_BY_THE_VERSION = "than by the version of probe4d that began it"

_REWORDED = f"its prompts are worded otherwise {_BY_THE_VERSION}"
"""Said of a `wording` that differs, since two digests tell a reader nothing."""


def differences(old: RunRecord, new: RunRecord) -> list[str]:
    """All that differs between two runs and has an effect, one phrase each."""
    was, now = _options(old), _options(new)
    differing = [name for name in was | now if was.get(name) != now.get(name)]
    if old.wording is None or new.wording is None:  # of which nothing is known
        differing = [name for name in differing if name != "wording"]
    differing = [name for name in differing if not _is_of_no_account(name, was, now)]
    chosen = [name for name in differing if name.partition(" ")[0] not in _FOLLOWING]
    return [_phrase(name, was.get(name), now.get(name)) for name in chosen or differing]


def _is_of_no_account(name: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether something comes to the same: an option at the value that it had by itself, or a checkpoint moved."""
    kind, _, option = name.partition(" ")
    if kind in ("generation", "hints"):
        return bool(_in_effect(was, option) == _in_effect(now, option))
    checkpoints = [options.get("parameters checkpoint") for options in (was, now)]
    return name in _PLACES and None not in checkpoints and len(set(checkpoints)) == 1


def _in_effect(options: Mapping[str, Any], option: str) -> Any:
    return options.get(f"generation {option}", options.get(f"hints {option}"))


def _phrase(name: str, was: Any, now: Any) -> str:
    field, _, option = name.partition(" ")
    if field == "wording":
        return _REWORDED
    if field == "layout":
        return f"its prompts are laid out otherwise {_BY_THE_VERSION} ({_word(was)}, and now {_word(now)})"
    if field == "hints":
        return f"its setting or model gave {_given(option, was)} and now gives {_given(option, now)}"
    return f"{_said(name)} was {_word(was)} and is now {_word(now)}"


def _given(option: str, value: Any) -> str:
    return f"no {option}" if value is None else f"{option} {_word(value)}"


def _options(record: RunRecord) -> dict[str, Any]:
    """Options by the names that lead to them in a record, but for those without effect and those that are null."""
    fields = {name: value for name, value in msgspec.to_builtins(record).items() if name not in _UNCOMPARED}
    fields["selection"] = msgspec.to_builtins((record.selection or Selection()).of_effect)
    if record.evidence is not None:
        shown = msgspec.to_builtins(record.evidence.of_effect)
        fields["evidence"] = shown | {"kind": record.evidence.name, "view": None}  # named as it is asked for
    return _flat(fields)


def _flat(value: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, one in value.items():
        if isinstance(one, Mapping):
            options |= _flat(one, f"{before}{name} ")
        elif one is not None and one not in ([], ()):
            options[f"{before}{name}"] = one
    return options


def _said(name: str) -> str:
    """An option of a record as the command line has it."""
    if name in _SAID:
        return _SAID[name]
    if name.startswith("parameters "):
        return f"-M {name.removeprefix('parameters ')}"
    if name.startswith("generation extra_body"):
        return f"--extra-body {name.removeprefix('generation extra_body ')}"
    return f"--{name.split()[-1].replace('_', '-')}"


def _word(value: Any) -> str:
    return "not given" if value is None else msgspec.json.encode(value).decode()
