"""Reads the language model that a LiDAR language model is made of, from disk alone."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerBase,
)

from probe4d.errors import InputError
from probe4d.extras import refuse_missing
from probe4d.models.lidar_lm.on_disk import LANGUAGE_MODEL_REMEDY, refuse_no_language_model
from probe4d.models.local.memory import is_out_of_memory, memory_to_read
from probe4d.models.local.quietly import quiet_transformers

__all__ = ["BaseModel", "fingerprint", "read_base", "write_base"]

ARCHITECTURE = "LlamaForCausalLM"
_SENTENCEPIECE = {"sentencepiece": "sentencepiece", "protobuf": "google.protobuf"}
"""What reading a tokenizer takes that is a `tokenizer.model` alone, as Vicuna's is."""
_MORE_THAN_WEIGHTS = "Weights only load failed"
SAMPLED = 1024
"""Values of a weight that its fingerprint rests on."""


class BaseModel(NamedTuple):
    """A language model as it lies on disk.

    Attributes:
        language_model: The model, in `eval()`, on the CPU.
        tokenizer: Its tokenizer.
        fingerprint: Digest of its weights.
    """

    language_model: LlamaForCausalLM
    tokenizer: PreTrainedTokenizerBase
    fingerprint: str


def read_base(path: Path | str, dtype: torch.dtype | None = None) -> BaseModel:
    """Read a language model and its tokenizer; nothing is fetched, and no code that comes with it is run.

    Args:
        path: Folder as transformers saves it. Weights in `.bin` are read with weights-only loading.
        dtype: Of the weights; null keeps that of the file.

    Raises:
        InputError: There is no such folder, something of it is missing or broken, or it is another architecture.
        RunError: The memory does not suffice.
    """
    path = Path(path)
    refuse_no_language_model(path)
    with memory_to_read(path, "a smaller language model"):
        return _read_base(path, dtype)


def _read_base(path: Path, dtype: torch.dtype | None) -> BaseModel:
    config = _read(path, "config.json", AutoConfig)
    if config.architectures != [ARCHITECTURE]:
        found = ", ".join(config.architectures or []) or config.model_type
        raise InputError(f"is a {found}; expected a {ARCHITECTURE}.", path=path, remedy=LANGUAGE_MODEL_REMEDY)
    language_model, info = _read(path, "weights", AutoModelForCausalLM, dtype="auto", output_loading_info=True)
    _refuse_other_weights(path, info)
    # How tokens are drawn is the decoder's matter; Vicuna's own configuration cannot be saved by newer transformers.
    language_model.generation_config = GenerationConfig.from_model_config(config)
    digest = fingerprint(language_model)
    if dtype is not None:
        for weight in language_model.parameters():  # buffers stay: rotary frequencies are float32 whatever the weights
            weight.data = weight.data.to(dtype)
    if (path / "tokenizer.model").is_file() and not (path / "tokenizer.json").is_file():
        refuse_missing(_SENTENCEPIECE, user=f"{path / 'tokenizer.model'}, a tokenizer of SentencePiece,")
    return BaseModel(language_model.eval(), _read(path, "tokenizer", AutoTokenizer), digest)


def write_base(language_model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Write a language model, without LoRA layers inside it, and its tokenizer as transformers has them."""
    weights = {
        name.replace(".base_layer.", "."): weight
        for name, weight in language_model.state_dict().items()
        if ".lora_" not in name
    }
    with quiet_transformers():
        language_model.save_pretrained(folder, state_dict=weights)
        tokenizer.save_pretrained(folder)


def fingerprint(language_model: nn.Module) -> str:
    """SHA-256 over name, shape and 1,024 evenly spaced values of every weight, 16 hexadecimal digits.

    It tells other weights, not tampered ones, and depends neither on how files hold the weights nor on a dtype
    that holds the same values.
    """
    digest = hashlib.sha256()
    for name, weight in sorted(language_model.state_dict().items()):
        flat = weight.detach().reshape(-1)
        sample = flat[torch.linspace(0, len(flat) - 1, min(SAMPLED, len(flat)), dtype=torch.float64).long()]
        digest.update(f"{name} {tuple(weight.shape)}\n".encode())
        digest.update(sample.float().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


def _read(path: Path, what: str, reader: Any, **options: Any) -> Any:
    try:
        with quiet_transformers():
            return reader.from_pretrained(path, local_files_only=True, trust_remote_code=False, **options)
    except Exception as error:  # transformers, safetensors and tokenizers share no narrower class
        if is_out_of_memory(error):
            raise
        said = str(error).strip().partition("\n")[0]
        if _MORE_THAN_WEIGHTS in said:  # behind which torch says how to run it all the same
            said = "a .bin file holds more than weights, and code in a file is never run"
        raise InputError(
            f"the language model's {what} cannot be read ({said}).", path=path, remedy=LANGUAGE_MODEL_REMEDY
        ) from error


def _refuse_other_weights(path: Path, info: dict[str, Any]) -> None:
    """Refuse what transformers only warns of: weights that it drew at random or left out."""
    for kind, fault in (("missing_keys", "lacks"), ("unexpected_keys", "has unexpected")):
        if names := sorted(info[kind]):
            raise InputError(f"{fault} weights, such as {names[0]}.", path=path, remedy=LANGUAGE_MODEL_REMEDY)
    if mismatched := sorted(info["mismatched_keys"]):
        raise InputError(f"has weights of other shapes than its config.json says, such as {mismatched[0]}.", path=path)
