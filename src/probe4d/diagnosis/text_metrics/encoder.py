"""Opens an encoder of texts from a folder, and gives the vectors of their tokens; nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from probe4d.errors import InputError
from probe4d.extras import refuse_missing

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["EXTRA", "TextEncoder", "open_encoder", "transformer_layers"]

EXTRA = "bert"
"""The extra that encoders need."""

_TOKENS_AT_ONCE = 8_192
"""Of one batch, padding counted: some hundred texts of 25 words."""

_BYTE_LEVEL = ("GPT2Tokenizer", "RobertaTokenizer")
"""Tokenizers to which the first word of a text is another than the same word behind a blank."""

_OPENED = 2
"""Encoders that a process keeps: one of BERTScore and one of sentences."""

_OF_ORIGIN = ("_name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype")
"""What a configuration says of where weights come from, and not of what they compute."""

_REMEDY = (
    "Name a folder with config.json, a tokenizer and weights in safetensors, as `hf download NAME --local-dir FOLDER` "
    "makes it of roberta-large or sentence-transformers/all-MiniLM-L6-v2."
)


class _Shape(msgspec.Struct):
    """What `config.json` says of an encoder before torch is imported."""

    model_type: str
    num_hidden_layers: int
    hidden_size: int = 0


def transformer_layers(folder: Path) -> tuple[str, int, int]:
    """Kind, number of layers and width of the encoder in a folder, without opening it.

    Raises:
        InputError: There is no such folder, or its `config.json` does not tell.
    """
    path = folder / "config.json"
    if not path.is_file():
        what = "has no config.json" if folder.is_dir() else "is no folder"
        raise InputError(f"{what}, where an encoder of texts was expected.", path=folder, remedy=_REMEDY)
    try:
        shape = msgspec.json.decode(path.read_bytes(), type=_Shape)
    except (msgspec.DecodeError, OSError) as error:
        raise InputError(f"is no configuration of an encoder ({error}).", path=path, remedy=_REMEDY) from error
    return shape.model_type, shape.num_hidden_layers, shape.hidden_size


@dataclass(frozen=True, eq=False)
class TextEncoder:
    """An encoder and its tokenizer.

    Attributes:
        model: The encoder, its last layer the one whose vectors are given; in `eval()`.
        tokenizer: Its tokenizer.
        longest: Tokens of a text that are read, special ones among them; further ones are cut off.
        leading_blank: Whether byte-level tokenizers (RoBERTa's, GPT-2's) get a text with a blank before it, so that its
            first word is the same token as elsewhere.
        digest: Of the weights and the configuration, 16 hexadecimal digits.
    """

    model: Any
    tokenizer: Any
    longest: int
    leading_blank: bool
    digest: str

    def tokens(self, text: str) -> list[int]:
        """The numbers of a text's tokens, special ones around them, as many as are read.

        Blanks around a text do not count.
        """
        text = text.strip()
        if text and self.leading_blank and type(self.tokenizer).__name__ in _BYTE_LEVEL:
            text = f" {text}"
        numbers: list[int] = self.tokenizer.encode(
            text, add_special_tokens=True, truncation=True, max_length=self.longest
        )
        return numbers

    def vectors(self, texts: Sequence[str]) -> Iterator[tuple[int, list[int], Tensor]]:
        """Give the vectors of each text, of texts of one length together, the longest first.

        Yields:
            Position of the text, the numbers of its tokens, and (tokens, width) float32 on the CPU.
        """
        import torch

        read = [self.tokens(text) for text in texts]
        order = sorted(range(len(read)), key=lambda place: (-len(read[place]), place))
        while order:
            most = max(1, _TOKENS_AT_ONCE // len(read[order[0]]))
            batch, order = order[:most], order[most:]
            sizes = [len(read[place]) for place in batch]
            numbers = torch.full((len(batch), sizes[0]), self.tokenizer.pad_token_id or 0, dtype=torch.long)
            mask = torch.zeros_like(numbers)
            for row, (place, size) in enumerate(zip(batch, sizes, strict=True)):
                numbers[row, :size] = torch.tensor(read[place])
                mask[row, :size] = 1
            device = self.model.device
            with torch.inference_mode():
                found = self.model(numbers.to(device), attention_mask=mask.to(device))[0].float().cpu()
            for place, size, vectors in zip(batch, sizes, found, strict=True):
                yield place, read[place], vectors[:size]


@lru_cache(maxsize=_OPENED)
def open_encoder(
    folder: Path,
    *,
    user: str,
    layer: int | None = None,
    longest: int | None = None,
    leading_blank: bool = False,
    device: str | None = None,
) -> TextEncoder:
    """Open an encoder; a process opens each once.

    Args:
        folder: As transformers saves it. No code that comes with it is run.
        user: What needs it, in words, as the subject of a sentence.
        layer: The layer whose vectors are given, counted from 1; those behind it are not opened. Null is the last.
        longest: Tokens of a text that are read, special ones among them; null reads as many as the model knows
            places for.
        leading_blank: See `TextEncoder`.
        device: Where it runs; null takes an accelerator where there is one.

    Raises:
        InputError: The extra `bert` is not installed, there is no such folder, layer or device, or something of the
            folder is missing or broken.
        RunError: The memory does not suffice.
    """
    kind, layers, _ = transformer_layers(folder)
    if layer is not None and not 1 <= layer <= layers:
        raise InputError(f"has {layers} layers, and no layer {layer}.", path=folder, remedy="Name one of its layers.")
    refuse_missing({name: name for name in ("torch", "transformers", "safetensors")}, user=user, extra=EXTRA)
    from transformers import AutoTokenizer

    from probe4d.models.local.devices import device_named
    from probe4d.models.local.memory import memory_to_read
    from probe4d.models.local.weights import fingerprint

    where = device_named(device)
    with memory_to_read(folder, "a smaller encoder"):
        model, drawn = _read_model(folder, layers if layer is None else layer)
    tokenizer = _read(folder, "tokenizer", AutoTokenizer)
    settings = {name: value for name, value in model.config.to_diff_dict().items() if name not in _OF_ORIGIN}
    weights = {name: weight for name, weight in model.state_dict().items() if name not in drawn}
    whole = [kind, settings, tokenizer.backend_tokenizer.to_str() if tokenizer.is_fast else sorted(tokenizer.vocab)]
    return TextEncoder(
        model.eval().to(where),
        tokenizer,
        min(_places(model.config), tokenizer.model_max_length, longest or _places(model.config)),
        leading_blank,
        fingerprint(whole, weights),
    )


def _places(config: Any) -> int:
    """How many tokens a model knows places for; RoBERTa's begin behind that of padding."""
    places = int(getattr(config, "max_position_embeddings", None) or 512)
    return places - (config.pad_token_id + 1 if "roberta" in config.model_type else 0)


def _read_model(folder: Path, layers: int) -> tuple[Any, set[str]]:
    """The encoder up to a layer, and the names of weights of its pooler that the folder lacks, which are drawn."""
    import torch
    from transformers import AutoModel

    model, info = _read(
        folder, "weights", AutoModel, num_hidden_layers=layers, dtype=torch.float32, output_loading_info=True
    )
    lacking = {name for name in info["missing_keys"] if not name.startswith("pooler.")}
    if lacking or info["mismatched_keys"]:
        named = sorted(lacking or map(str, info["mismatched_keys"]))[0]
        raise InputError(f"lacks weights that its config.json speaks of, such as {named}.", path=folder, remedy=_REMEDY)
    if model.config.is_encoder_decoder:
        raise InputError(
            f"is a {model.config.model_type}, an encoder with a decoder; expected an encoder alone.",
            path=folder,
            remedy=_REMEDY,
        )
    return model, set(info["missing_keys"])


def _read(folder: Path, what: str, reader: Any, **options: Any) -> Any:
    from probe4d.models.local.memory import is_out_of_memory
    from probe4d.models.local.quietly import quiet_transformers

    try:
        with quiet_transformers():
            return reader.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **options)
    except Exception as error:  # transformers, safetensors and tokenizers share no narrower class
        if is_out_of_memory(error):
            raise
        said = str(error).strip().partition("\n")[0]
        raise InputError(f"the encoder's {what} cannot be read ({said}).", path=folder, remedy=_REMEDY) from error
