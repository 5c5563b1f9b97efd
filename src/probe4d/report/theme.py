"""The colours of pages and pictures, each with a name, for light and for dark."""

from __future__ import annotations

import re

__all__ = ["DARK", "LIGHT", "css_variables", "resolved"]

_ON_PHOTOGRAPHS: dict[str, str] = {
    "dusk": "#171c22",
    "lit-line": "#ffffff",
    "lit-target": "#5cc8ff",
    "lit-second": "#e3a3ff",
    "lit-option": "#ffb054",
    "lit-right": "#6df59a",
    "lit-witness": "#ffe34d",
}

LIGHT: dict[str, str] = {
    **_ON_PHOTOGRAPHS,
    "page": "#f6f7f9",
    "card": "#ffffff",
    "panel": "#fbfcfd",
    "ink": "#1b2129",
    "muted": "#5b6673",
    "line": "#d5dae1",
    "accent": "#1f5fbf",
    "accent-tint": "#e6eefa",
    "right": "#1a7f4b",
    "right-tint": "#1a7f4b24",
    "wrong": "#b8322a",
    "wrong-tint": "#b8322a1f",
    "invalid": "#8a6100",
    "target": "#1f5fbf",
    "target-tint": "#1f5fbf38",
    "option": "#a1520b",
    "option-tint": "#a1520b2b",
    "second": "#8b3fa8",
    "second-tint": "#8b3fa82b",
    "witness": "#7a5c00",
    "witness-tint": "#7a5c0026",
    "ego": "#323b46",
    "faint": "#8a96a42e",
    "faint-edge": "#8a96a4",
    "run-0": "#1f5fbf",
    "run-1": "#c2570c",
    "run-2": "#12805c",
    "run-3": "#8b3fa8",
    "run-4": "#a8324a",
    "run-5": "#5c6f12",
    "control-content": "#5b6673",
    "control-fixed": "#98a2ae",
    "letter-0": "#2f6fca",
    "letter-1": "#66a3e0",
    "letter-2": "#e0a03c",
    "letter-3": "#c2570c",
    "letter-4": "#7d5ba6",
    "letter-5": "#4f8a6b",
    "letter-none": "#98a2ae",
}

DARK: dict[str, str] = {
    **_ON_PHOTOGRAPHS,
    "page": "#12161c",
    "card": "#1a2029",
    "panel": "#151a21",
    "ink": "#e4e9ef",
    "muted": "#a0abb8",
    "line": "#343d49",
    "accent": "#7db0f5",
    "accent-tint": "#22344d",
    "right": "#5cc98f",
    "right-tint": "#5cc98f26",
    "wrong": "#f08a80",
    "wrong-tint": "#f08a8026",
    "invalid": "#e0b34d",
    "target": "#7db0f5",
    "target-tint": "#7db0f547",
    "option": "#f0a35e",
    "option-tint": "#f0a35e33",
    "second": "#cf97e6",
    "second-tint": "#cf97e633",
    "witness": "#e6cf5c",
    "witness-tint": "#e6cf5c2b",
    "ego": "#ccd4dd",
    "faint": "#a0abb824",
    "faint-edge": "#76828f",
    "run-0": "#7db0f5",
    "run-1": "#f0a35e",
    "run-2": "#5cc98f",
    "run-3": "#cf97e6",
    "run-4": "#f08aa0",
    "run-5": "#bdcf63",
    "control-content": "#a0abb8",
    "control-fixed": "#6c7784",
    "letter-0": "#4f8ee6",
    "letter-1": "#8fbdf0",
    "letter-2": "#e6b565",
    "letter-3": "#d9772f",
    "letter-4": "#a385cc",
    "letter-5": "#79b394",
    "letter-none": "#6c7784",
}


def css_variables(theme: dict[str, str]) -> str:
    """Declarations of the colours as CSS custom properties."""
    return "".join(f"--{name}:{colour};" for name, colour in theme.items())


def resolved(css: str, theme: dict[str, str]) -> str:
    """Replace `var(--name)` by the colour, for renderers that know no custom properties."""
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda match: theme[match[1]], css)
