"""Tiny LiDAR language models for tests: tokenizers of both kinds, a Llama of random weights, folders of both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, LlamaTokenizer, PreTrainedTokenizerFast

from probe4d.models.lidar_lm.base_model import write_base
from probe4d.models.lidar_lm.conversation import SYSTEM
from probe4d.models.lidar_lm.language_model import LidarLanguageModel

CORPUS = [
    f"{SYSTEM} USER: ASSISTANT: Yes. No. A. B. C. D.\n",
    "Is there a car, truck, bus, pedestrian, bicycle, trailer or traffic cone in frame 000?\n",
    "In frame 012, is the nearest car at the front-left position relative to the ego vehicle?\n",
    'Only answer with "No" or "Yes".\n<4DLiDAR>\n<meta>\nAt the first referenced frame, frame 003, the ego vehicle is',
]
"""What the tokenizers know whole words of."""


def smollm_like_tokenizer() -> PreTrainedTokenizerFast:
    """Tokens of bytes, as SmolLM2's: no automatic beginning of sequence, and padding is the end of sequence."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        pad_token="<|im_end|>",
        unk_token="<|endoftext|>",
    )


def llama_like_tokenizer() -> PreTrainedTokenizerFast:
    """Llama's own kind, with few tokens: `<s>` before every text, words that begin with `▁`, bytes for the unknown."""
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    words = "".join(CORPUS).split()  # as in Llama's, no token joins a line's end to what follows
    learner.train_from_iterator(
        [f"▁{word}" for word in words], trainers.BpeTrainer(vocab_size=400, show_progress=False)
    )
    learnt = json.loads(learner.to_str())["model"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *learnt["vocab"]]
    return LlamaTokenizer(
        vocab={token: index for index, token in enumerate(tokens)},
        merges=[tuple(pair) for pair in learnt["merges"]],
        add_bos_token=True,
        pad_token="<unk>",
    )


def tiny_llama(
    tokenizer: PreTrainedTokenizerFast, *, hidden: int = 32, seed: int = 0, **options: Any
) -> LlamaForCausalLM:
    """Two layers of random weights, in `eval()`; `options` of its configuration may be others."""
    standard = {
        "vocab_size": len(tokenizer),
        "hidden_size": hidden,
        "intermediate_size": 2 * hidden,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    config = LlamaConfig(**(standard | options))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LlamaForCausalLM(config).eval()


def write_tiny_base(folder: Path, tokenizer: PreTrainedTokenizerFast, *, hidden: int = 32, seed: int = 0) -> Path:
    """A tiny language model on disk as transformers has it; gives its folder."""
    write_base(tiny_llama(tokenizer, hidden=hidden, seed=seed), tokenizer, folder)
    return folder


def stir(model: LidarLanguageModel) -> LidarLanguageModel:
    """Give LoRA updates that change what a model says; gives the model, in `eval()`."""
    generator = torch.Generator().manual_seed(3)
    for name, weight in model.language_model.named_parameters():
        if "lora_B" in name:
            weight.data.normal_(0, 0.3, generator=generator)
    return model.eval()


def feature_rows(model: LidarLanguageModel, frames: int, seed: int = 0) -> torch.Tensor:
    """(frames, width) random rows as a model takes them."""
    return torch.randn(frames, model.feature_width, generator=torch.Generator().manual_seed(seed))


def saying(model: LidarLanguageModel, question: str = "Is there a car in frame 012?", frames: int = 4) -> torch.Tensor:
    """(1, length, vocabulary) logits of a model that is asked a question over some frames."""
    with torch.inference_mode():
        return model([model.prompt(question)], [[feature_rows(model, frames)]]).logits


class Canary:
    """Writes a file when it is unpickled by a reader that runs what it reads."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return (open, (str(self.path), "w"))
