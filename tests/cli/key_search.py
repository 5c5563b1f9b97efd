"""Finds keys in whatever a command leaves behind, packed and quoted as they may be."""

from __future__ import annotations

import base64
import binascii
import gzip
import html
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import polars as pl
import zipfile_zstd  # noqa: F401 - archives of logs may be packed with zstd, which zipfile has no part in
import zstandard

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{64,}={0,2}")
_ZSTD = b"\x28\xb5\x2f\xfd"
_DEPTH = 6


def forms(key: str) -> set[bytes]:
    """Either half of a key, as it may stand in a file: plain, in JSON, HTML and addresses, in base64."""
    return {form for half in _halves(key) for form in _quoted(half)}


def found(root: Path, keys: Iterable[str], *, but: Iterable[Path] = ()) -> list[str]:
    """Where keys stand below a folder: the path, and inside archives the member, with the key's number."""
    needles = [(number, forms(key)) for number, key in enumerate(keys)]
    without = set(but)
    hits = []
    for path in sorted(root.rglob("*")):
        if path in without:
            continue
        name = str(path.relative_to(root))
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        for place, text in [(name, name.encode()), *_unpacked(name, content)]:
            hits += [f"{place}: key {number}" for number, those in needles if any(one in text for one in those)]
    return sorted(set(hits))


def _halves(key: str) -> tuple[str, str]:
    middle = len(key) // 2
    return key[:middle], key[middle:]


def _quoted(text: str) -> Iterator[bytes]:
    quoted = {quote(text, safe="/"), quote(text, safe=""), quote_plus(text)}
    quoted |= {re.sub("%..", lambda one: one[0].lower(), form) for form in quoted}
    escaped = {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], html.escape(text)}
    for form in {text, *quoted, *escaped}:
        yield form.encode()
    yield text.encode("utf-16-le")
    for before in range(3):  # base64 of a text depends on how many bytes stand before it, but for its edges
        encoded = base64.b64encode(b"\0" * before + text.encode()).rstrip(b"=")
        inner = encoded[(8 * before + 5) // 6 : 8 * (before + len(text.encode())) // 6]
        yield inner
        yield inner.translate(bytes.maketrans(b"+/", b"-_"))


def _unpacked(name: str, content: bytes, depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """A file's bytes, and those of what is packed in it."""
    yield name, content
    if depth == _DEPTH:
        return
    for inside, part in _parts(content):
        yield from _unpacked(f"{name}!{inside}", part, depth + 1)


def _parts(content: bytes) -> Iterator[tuple[str, bytes]]:
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                yield member, archive.read(member)
    elif content[:2] == b"\x1f\x8b":
        yield "gz", _gunzipped(content)
    elif content[:4] == _ZSTD:
        yield "zst", zstandard.ZstdDecompressor().decompressobj().decompress(content)
    elif content[:4] == b"PAR1":
        yield "columns", _columns(pl.read_parquet(io.BytesIO(content)))
    elif content[:6] == b"ARROW1":
        yield "columns", _columns(pl.read_ipc(io.BytesIO(content)))
    elif content[:8] == b"\x89PNG\r\n\x1a\n":
        yield from _notes_of_png(content)
    else:
        for place, encoded in enumerate(_BASE64.findall(content)):
            packed = _decoded(encoded)
            if packed[:2] in (b"PK", b"\x1f\x8b") or packed[:4] in (_ZSTD, b"PAR1", b"\x89PNG"):
                yield f"base64 {place}", packed


def _gunzipped(content: bytes) -> bytes:
    """What can be read: a log that is still written to ends in the middle."""
    try:
        return gzip.decompress(content)
    except EOFError:
        return zlib.decompressobj(wbits=31).decompress(content)


def _columns(table: pl.DataFrame) -> bytes:
    """All cells as JSON, and once more with what JSON escapes as it stood in them."""
    text = table.with_columns(pl.col(pl.Binary).bin.encode("base64")).write_ndjson().encode()
    return text + text.replace(b'\\"', b'"').replace(b"\\\\", b"\\")


def _notes_of_png(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Text chunks, of which two kinds are compressed."""
    at = 8
    while at + 8 <= len(content):
        length, kind = int.from_bytes(content[at : at + 4]), content[at + 4 : at + 8]
        chunk = content[at + 8 : at + 8 + length]
        if kind == b"zTXt":
            yield "zTXt", zlib.decompress(chunk.split(b"\0", 1)[1][1:])
        elif kind == b"iTXt" and chunk.split(b"\0", 1)[1][:1] == b"\x01":
            yield "iTXt", zlib.decompress(chunk.split(b"\0", 1)[1][2:].split(b"\0", 2)[2])
        at += 12 + length


def _decoded(encoded: bytes) -> bytes:
    plain = encoded.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        return base64.b64decode(plain + b"=" * (-len(plain) % 4))
    except binascii.Error:
        return b""
