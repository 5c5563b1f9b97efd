"""Vectors of whole texts by an encoder of sentences, as sentence-transformers makes them (Reimers, Gurevych, 2019)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.text_metrics.encoder import TextEncoder, open_encoder
from probe4d.errors import InputError

__all__ = ["SentenceEncoder", "open_sentence_encoder"]

Kind = TypeVar("Kind")

_MODULES = ("Transformer", "Pooling", "Normalize")
_MEAN = "pooling_mode_mean_tokens"
_POOLING = "pooling_mode_"
_REMEDY = (
    "Name the folder of an encoder whose vectors are the mean over tokens, such as all-MiniLM-L6-v2 (`hf download "
    "sentence-transformers/all-MiniLM-L6-v2 --local-dir minilm`)."
)


class _Module(msgspec.Struct):
    type: str


class _Reading(msgspec.Struct):
    """What `sentence_bert_config.json` says."""

    max_seq_length: int | None = None
    do_lower_case: bool = False


@dataclass(frozen=True, eq=False)
class SentenceEncoder:
    """An encoder whose vector of a text is the mean of those of its tokens, special ones among them, of length 1.

    Attributes:
        encoder: The encoder of tokens.
        lower_case: Whether texts are put into small letters first.
    """

    encoder: TextEncoder
    lower_case: bool

    def vectors(self, texts: Sequence[str], *, done: Callable[[object], None] | None = None) -> npt.NDArray[np.float32]:
        """(texts, width) vectors of length 1; equal texts are read once.

        Args:
            texts: The texts.
            done: Told of each distinct text.
        """
        distinct = sorted({text.lower() if self.lower_case else text for text in texts})
        rows: dict[str, npt.NDArray[np.float32]] = {}
        for place, _, vectors in self.encoder.vectors(distinct):
            mean = vectors.mean(dim=0)
            rows[distinct[place]] = (mean / mean.norm()).numpy()
            if done is not None:
                done(place)
        return np.stack([rows[text.lower() if self.lower_case else text] for text in texts])


def open_sentence_encoder(folder: Path, *, user: str, device: str | None = None) -> SentenceEncoder:
    """Open an encoder of sentences from a folder; an encoder without files of sentence-transformers will do.

    Args:
        folder: As sentence-transformers or transformers save it.
        user: What needs it, in words, as the subject of a sentence.
        device: Where it runs; null takes an accelerator where there is one.

    Raises:
        InputError: As `probe4d.diagnosis.text_metrics.encoder.open_encoder`, or its vectors of texts are made
            otherwise.
        RunError: The memory does not suffice.
    """
    for module in _read(folder / "modules.json", list[_Module]) or ():
        if (name := module.type.rpartition(".")[2]) not in _MODULES:
            raise InputError(
                f"makes vectors of texts by a module {name!r}, which is not known.",
                path=folder / "modules.json",
                remedy=_REMEDY,
            )
    path = folder / "1_Pooling" / "config.json"
    pooling = {
        name for name, value in (_read(path, dict[str, object]) or {}).items() if name.startswith(_POOLING) and value
    }
    if pooling - {_MEAN}:
        raise InputError(
            f"makes vectors of texts by {', '.join(sorted(pooling))}, not by the mean alone.", path=path, remedy=_REMEDY
        )
    reading = _read(folder / "sentence_bert_config.json", _Reading) or _Reading()
    opened = open_encoder(folder.resolve(), user=user, longest=reading.max_seq_length, device=device)
    return SentenceEncoder(opened, reading.do_lower_case)


def _read(path: Path, kind: type[Kind]) -> Kind | None:
    """What a JSON file holds; null where there is none."""
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (msgspec.DecodeError, OSError) as error:
        raise InputError(f"does not fit ({error}).", path=path, remedy=_REMEDY) from error
