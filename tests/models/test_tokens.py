from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from probe4d.errors import InputError
from probe4d.models.tokens import image_tokens, tokenizer_at, tokens_by_length


@given(st.lists(st.text()))
def test_tokens_by_length_count_bytes(texts: list[str]) -> None:
    together = sum(len(text.encode()) for text in texts)
    assert together / 4 <= tokens_by_length(texts) <= together / 4 + len(texts)


def test_a_tokenizer_on_disk_counts_exactly(tmp_path: Path) -> None:
    tokenizer = Tokenizer(WordLevel({"is": 0, "it": 1, "near": 2, "?": 3, "[UNK]": 4}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    count = tokenizer_at(tmp_path / "tokenizer.json")
    assert count(["is it near?", "far"]) == 5
    assert count([]) == 0


def test_what_is_no_tokenizer_on_disk_is_refused_and_nothing_fetched(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gpt2: is no file\. .*none is fetched by its name"):
        tokenizer_at("gpt2")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match=r"tokenizer\.json: is no tokenizer"):
        tokenizer_at(tmp_path / "tokenizer.json")
    with pytest.raises(InputError, match="is no file"):
        tokenizer_at(tmp_path)


@pytest.mark.parametrize(
    ("model", "size", "detail", "tokens"),
    [
        # The worked examples of the providers' pages.
        ("openai/gpt-4o", (1024, 1024), None, 765),
        ("openai/gpt-4o", (2048, 4096), "high", 1105),
        ("openai/gpt-4o", (4096, 8192), "low", 85),
        ("anthropic/claude-sonnet-5", (1000, 1000), None, 1334),
        ("google/gemini-2.5-flash", (384, 384), None, 258),
        ("google/gemini-2.5-flash", (1000, 700), None, 516),
        ("google/gemini-3.1-pro-preview", (1024, 576), None, 1120),
        ("vllm/Qwen/Qwen2.5-VL-7B-Instruct", (280, 56), None, 20),
        ("vllm/Qwen/Qwen3.6-27B", (640, 320), None, 200),
        ("openai-api/local/llava", (640, 320), None, None),
    ],
)
def test_pictures_are_counted_as_providers_document(model, size, detail, tokens) -> None:
    assert image_tokens(model, *size, detail=detail) == tokens


@given(st.sampled_from(["gpt-5", "claude", "gemini-2", "qwen"]), st.integers(1, 9000), st.integers(1, 9000))
def test_a_picture_has_at_least_a_token_whichever_way_it_lies(model, width, height) -> None:
    assert image_tokens(model, width, height) >= 1
    assert image_tokens(model, width, height) == image_tokens(model, height, width)
