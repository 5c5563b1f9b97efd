"""Canonical JSON and the digests made of it, and of files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec

__all__ = ["canonical_json", "digest", "file_digest"]

_ENCODER = msgspec.json.Encoder(order="deterministic")


def canonical_json(value: Any) -> bytes:
    """Encode a value as UTF-8 JSON with sorted keys and no white space: equal values, equal bytes."""
    return _ENCODER.encode(value)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`, 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def file_digest(path: Path | str) -> str:
    """SHA-256 of the bytes of a file, 64 hexadecimal digits, without holding them all."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
