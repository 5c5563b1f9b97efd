"""Estimates of tokens before anything is sent: of texts by length or by a tokenizer on disk, of pictures by size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from probe4d.errors import InputError

__all__ = ["BYTES_PER_TOKEN", "TextTokens", "image_tokens", "tokenizer_at", "tokens_by_length"]

TextTokens = Callable[[Sequence[str]], int]
"""Number of tokens of some texts together."""

BYTES_PER_TOKEN = 4
"""What providers give as a rule of thumb for English text."""


def tokens_by_length(texts: Sequence[str]) -> int:
    """Estimate tokens from the length of texts in UTF-8."""
    return sum(math.ceil(len(text.encode()) / BYTES_PER_TOKEN) for text in texts)


def tokenizer_at(path: Path | str) -> TextTokens:
    """Read a `tokenizer.json` from disk; nothing is ever fetched.

    Raises:
        InputError: There is no such file, it is no tokenizer, or the package `tokenizers` is not installed.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(
            "is no file.", path=path, remedy="Give the path of a tokenizer.json on disk; none is fetched by its name."
        )
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise InputError(
            "reading a tokenizer needs the package tokenizers, which is not installed.",
            remedy="Install it with: pip install 'probe4d[models]', or leave the tokenizer (--tokenizer) out to "
            "estimate by length.",
        ) from error
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises nothing narrower
        raise InputError(f"is no tokenizer ({error}).", path=path, remedy="Give a model's tokenizer.json.") from error
    return lambda texts: sum(len(one.ids) for one in tokenizer.encode_batch(list(texts)))


def image_tokens(model: str, width_px: int, height_px: int, *, detail: str | None = None) -> int | None:
    """Estimate the tokens of a picture by the rule that its provider documents.

    OpenAI: 512-pixel tiles after fitting into 2048 and the shorter side into 768, or a fixed number at low detail
    ("Images and vision"). Anthropic: width times height over 750, the longer side at most 1568 ("Vision"). Gemini:
    258 for each 768-pixel tile, or once where both sides are at most 384; from Gemini 3 on 1120 ("Understand and
    count tokens", "Media resolution"). Qwen-VL: one for each square of 28 pixels, of 32 from Qwen3 on (its card).

    Args:
        model: inspect-ai name of the model.
        width_px: Width, pixels.
        height_px: Height, pixels.
        detail: OpenAI's image detail; null is high.

    Returns:
        Tokens, or null where no rule is known for the model.
    """
    name = model.lower()
    if "qwen" in name:
        square_px = 28 if "qwen2" in name else 32
        return math.ceil(width_px / square_px) * math.ceil(height_px / square_px)
    if "gpt-" in name:
        base, tile = (85, 170) if "gpt-4" in name else (70, 140)
        return base if detail == "low" else base + tile * _openai_tiles(width_px, height_px)
    if "claude" in name:
        shrink = min(1.0, 1568 / max(width_px, height_px))
        return math.ceil(width_px * shrink * height_px * shrink / 750)
    if "gemini" in name:
        if "gemini-1" not in name and "gemini-2" not in name:
            return 1120
        small = max(width_px, height_px) <= 384
        return 258 if small else 258 * math.ceil(width_px / 768) * math.ceil(height_px / 768)
    return None


def _openai_tiles(width_px: int, height_px: int) -> int:
    shrink = min(1.0, 2048 / max(width_px, height_px))
    shrink *= min(1.0, 768 / (min(width_px, height_px) * shrink))
    return math.ceil(width_px * shrink / 512) * math.ceil(height_px * shrink / 512)
