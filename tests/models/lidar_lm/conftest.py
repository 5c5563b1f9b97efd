"""Tiny language models on disk, made once for each process."""

from __future__ import annotations

from pathlib import Path

import pytest
from lidar_making import llama_like_tokenizer, smollm_like_tokenizer, write_tiny_base
from transformers import PreTrainedTokenizerFast


@pytest.fixture(scope="session")
def smollm_like() -> PreTrainedTokenizerFast:
    return smollm_like_tokenizer()


@pytest.fixture(scope="session")
def llama_like() -> PreTrainedTokenizerFast:
    return llama_like_tokenizer()


@pytest.fixture(scope="session", params=["smollm_like", "llama_like"])
def tokenizer(request: pytest.FixtureRequest) -> PreTrainedTokenizerFast:
    """Either of them."""
    made: PreTrainedTokenizerFast = request.getfixturevalue(request.param)
    return made


@pytest.fixture(scope="session")
def tiny_base(smollm_like: PreTrainedTokenizerFast, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Llama of random weights as transformers has it, to be read only."""
    return write_tiny_base(tmp_path_factory.mktemp("tiny") / "base", smollm_like)
