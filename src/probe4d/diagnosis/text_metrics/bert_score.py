"""BERTScore (Zhang et al., 2020), computed from its definition: the package bert-score fails on empty texts today.

Greedy matching of the vectors of tokens: a token's partner is the nearest one of the other text by cosine; recall is
the mean over the reference's tokens, precision that over the answer's, and F their harmonic mean. Special tokens may
be partners and are in no mean. No weights by rarity of words (idf), no rescaling to a baseline.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.text_metrics.encoder import TextEncoder, open_encoder, transformer_layers
from probe4d.diagnosis.text_metrics.fingerprint import Fingerprint, fingerprint_of
from probe4d.diagnosis.text_metrics.metric import Texts, means_of_sums
from probe4d.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["BertScore", "bert_score_of"]

_USER = "BERTScore"
_ROBERTA_LARGE = ("roberta", 24, 1024)
_LAYER_OF_ROBERTA_LARGE = 17
"""Which agrees best with people on the translations of WMT16, and is the default of the package."""


@dataclass(frozen=True)
class BertScore:
    """F of BERTScore by an encoder in a folder; of several pairs the mean.

    Attributes:
        encoder: Folder of the encoder, such as roberta-large (see `open_encoder`).
        layer: The layer whose vectors are compared, counted from 1; null is 17 for roberta-large, and needed else.
        device: Where it runs; null takes an accelerator where there is one.
    """

    encoder: Path | str
    layer: int | None = None
    device: str | None = None

    @property
    def name(self) -> str:
        """Name in tables."""
        return "BERTScore"

    @property
    def in_processes(self) -> bool:
        """See `TextMetric.in_processes`: the encoder is opened once."""
        return False

    def fingerprint(self) -> Fingerprint:
        """Version of transformers, digest of the encoder's weights, the layer and the options.

        Raises:
            InputError: As `open_encoder`, or the layer is needed.
        """
        opened = self._opened()
        return fingerprint_of(
            self.name,
            "transformers",
            {
                "torch": version("torch"),
                "encoder": f"{opened.model.config.model_type} {opened.digest}",
                "layer": self._layer(),
                "longest": f"{opened.longest} tokens",
                "idf": "off",
                "rescaling": "off",
                "value": "F",
                "corpus": "mean of pairs",
            },
        )

    def statistics(self, candidates: Texts, references: Texts) -> npt.NDArray[np.float64]:
        """See `TextMetric.statistics`; behind F stand precision and recall.

        The vectors of all texts are held together: of 1,000 pairs of 25 words some 250 MB by roberta-large.

        Raises:
            InputError: As `fingerprint`.
            RunError: The memory does not suffice.
        """
        opened = self._opened()
        pairs = list(zip(candidates, references, strict=True))
        known = _scores(opened, set(pairs))
        return np.array([known[pair] for pair in pairs], dtype=np.float64).reshape(-1, 3)

    def corpus(self, statistics: npt.NDArray[np.float64]) -> float:
        """See `TextMetric.corpus`."""
        return float(statistics[:, 0].mean())

    def corpora(self, sums: npt.NDArray[np.float64], pairs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """See `TextMetric.corpora`."""
        return means_of_sums(sums, pairs)

    def _opened(self) -> TextEncoder:
        return open_encoder(
            Path(self.encoder).resolve(), user=_USER, layer=self._layer(), leading_blank=True, device=self.device
        )

    def _layer(self) -> int:
        if self.layer is not None:
            return self.layer
        found = transformer_layers(Path(self.encoder))
        if found == _ROBERTA_LARGE:
            return _LAYER_OF_ROBERTA_LARGE
        raise InputError(
            f"is no roberta-large, whose layer {_LAYER_OF_ROBERTA_LARGE} is usual, but a {found[0]} of {found[1]} "
            "layers: there is no usual layer.",
            path=Path(self.encoder),
            remedy=f"Name the layer: {self.encoder}:{found[1]} is the last one.",
        )


def bert_score_of(text: str, *, device: str | None = None) -> BertScore:
    """Read `FOLDER[:LAYER]`, as the command line has it.

    Raises:
        InputError: The layer is no number above 0.
    """
    folder, colon, layer = text.rpartition(":")
    if not colon or Path(text).is_dir():
        return BertScore(Path(text), device=device)
    if not (layer.isascii() and layer.isdigit() and int(layer) > 0):
        raise InputError(
            f"{text!r} is not of the form FOLDER[:LAYER], and no folder of this name is there.",
            remedy="Name the folder of an encoder and, behind a colon, the number of a layer.",
        )
    return BertScore(Path(folder), int(layer), device)


def _scores(opened: TextEncoder, pairs: Set[tuple[str, str]]) -> dict[tuple[str, str], tuple[float, float, float]]:
    """F, precision and recall of each pair."""
    texts = sorted({text for pair in pairs for text in pair})
    special = {opened.tokenizer.cls_token_id, opened.tokenizer.sep_token_id}
    held: dict[str, tuple[Tensor, Tensor]] = {}
    for place, numbers, vectors in opened.vectors(texts):
        held[texts[place]] = _unit_vectors(numbers, vectors, special)
    return {pair: _score(*map(partial(dict.__getitem__, held), pair)) for pair in pairs}


def _unit_vectors(numbers: Sequence[int], vectors: Tensor, special: set[int]) -> tuple[Tensor, Tensor]:
    """(tokens, width) vectors of length 1, and which tokens are none of the special ones."""
    import torch

    return vectors / vectors.norm(dim=-1, keepdim=True), torch.tensor([number not in special for number in numbers])


def _score(candidate: tuple[Tensor, Tensor], reference: tuple[Tensor, Tensor]) -> tuple[float, float, float]:
    (said, said_words), (right, right_words) = candidate, reference
    if not (bool(said_words.any()) and bool(right_words.any())):
        return 0.0, 0.0, 0.0
    cosines = said @ right.T
    precision = float(cosines.amax(dim=1)[said_words].mean())
    recall = float(cosines.amax(dim=0)[right_words].mean())
    both = precision + recall
    return (2 * precision * recall / both if both else 0.0), precision, recall
