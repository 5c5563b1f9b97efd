"""Models with the options that papers evaluated them with: `presets.toml`, as objects."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from probe4d.errors import InputError
from probe4d.models.generation import Generation

__all__ = ["WITHOUT_API", "Preset", "preset_named", "presets"]

WITHOUT_API = "Ask it with your own code (`probe4d prompts`) and bring its replies in with `probe4d import answers`."
"""What to do about a model that no API serves."""


class Preset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model as a paper evaluated it; what the paper does not state is null or empty.

    Attributes:
        name: Name of the preset.
        title: The paper's name of the model.
        source: Paper, table and section.
        model: inspect-ai name of the model; null where no API serves it.
        note: What else the paper did, or why no API serves the model.
        arguments: The provider's own arguments.
        generation: Generation options.
        shown: Most frames shown (`max_frames`), and size and quality of pictures, by the names of
            `probe4d.evidence.pictures.PictureOptions`.
    """

    name: str
    title: str
    source: str
    model: str | None = None
    note: str | None = None
    arguments: Mapping[str, Any] = {}
    generation: Generation = Generation()
    shown: Mapping[str, int] = {}

    def fill(self, given: Generation) -> Generation:
        """Generation options where the preset gives what the user left open; the user's own stand."""
        own = msgspec.structs.asdict(given)
        extra_body = {**self.generation.extra_body, **given.extra_body}
        filled = {
            name: value
            for name, value in msgspec.structs.asdict(self.generation).items()
            if own[name] is None and value is not None
        }
        return msgspec.structs.replace(given, **{**filled, "extra_body": extra_body})

    def arguments_for(self, model: str) -> Mapping[str, Any]:
        """The provider's arguments, where a model is of the preset's own provider; none for others."""
        own = self.model is not None and model.partition("/")[0] == self.model.partition("/")[0]
        return self.arguments if own else {}


@cache
def presets() -> Mapping[str, Preset]:
    """All presets by name, in the order of `presets.toml`."""
    text = files("probe4d.models").joinpath("presets.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    return {name: msgspec.convert({"name": name, **table}, Preset) for name, table in tables.items()}


def preset_named(name: str) -> Preset:
    """Find a preset.

    Raises:
        InputError: There is none of this name.
    """
    if name not in presets():
        raise InputError(
            f"there is no preset {name!r}.", remedy=f"`probe4d ask --list-presets` shows them: {', '.join(presets())}."
        )
    return presets()[name]
