"""A LiDAR language model as it is trained: batches of rows in, the loss of their answers out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from probe4d.errors import InputError
from probe4d.models.lidar_lm.conversation import TemplateName
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.models.lidar_lm.layouts import laid_out
from probe4d.models.lidar_lm.splicing import IGNORED, Spliced, spliced
from probe4d.models.lidar_lm.training.rows import TrainingRow

__all__ = ["Batch", "FeaturesOf", "Learner", "features_on_disk"]

_MOST_AROUND = 256  # bytes of template and layout, and the tokens that stand for none

FeaturesOf = Callable[[Sequence[TrainingRow]], Sequence[Tensor]]
"""Gives each row of a batch its feature rows, (frames, width) in the order of `TrainingRow.frames`.

An `nn.Module`, such as one that holds the encoder, is trained along as far as its parameters require gradients.
"""


def features_on_disk(folder: FeatureFolder) -> FeaturesOf:
    """Take features from a folder that was encoded before; the encoder stays as it is."""

    def features_of(rows: Sequence[TrainingRow]) -> list[Tensor]:
        return [torch.tensor(folder.rows(row.scene, row.frames)) for row in rows]

    return features_of


@dataclass(frozen=True)
class Batch:
    """Rows that go through the model at once.

    Attributes:
        rows: The rows.
        sequences: Their prompts and answers in tokens.
    """

    rows: tuple[TrainingRow, ...]
    sequences: tuple[Spliced, ...]

    @property
    def answer_tokens(self) -> int:
        """Number of tokens that are learnt."""
        return sum(int((sequence.labels != IGNORED).sum()) for sequence in self.sequences)


class Learner(nn.Module):
    """A LiDAR language model with what gives it features.

    Args:
        model: The model; of it is trained what requires gradients.
        features_of: Gives rows their features.
        template: Conversation template in which it is trained, which may be another than it is asked in.
        max_length: Most tokens and feature rows of a sequence.
    """

    def __init__(
        self, model: LidarLanguageModel, features_of: FeaturesOf, *, template: TemplateName, max_length: int
    ) -> None:
        super().__init__()
        self.model = model
        self.features_of = features_of
        self._template = template
        self._max_length = min(max_length, model.language_model.config.max_position_embeddings)

    def batch(self, rows: Sequence[TrainingRow]) -> Batch:
        """Turn rows into tokens.

        Raises:
            InputError: The tokenizer cannot take a prompt apart from its answer.
        """
        return Batch(tuple(rows), tuple(self._spliced(row) for row in rows))

    def forward(self, batch: Batch) -> Tensor:
        """Cross-entropy of the answers' tokens, in nats, summed over the batch: float32, ().

        Raises:
            InputError: A sequence is longer than the most, or features have another width than the projector takes.
        """
        features = self.features_of(batch.rows)
        for row, sequence, shown in zip(batch.rows, batch.sequences, features, strict=True):
            self._refuse_long(row, sequence, len(shown))
        embedded = self.model.embedded(batch.sequences, [[rows] for rows in features])
        targets = embedded.labels[:, 1:]  # what follows each position
        places = (targets != IGNORED).any(dim=0).nonzero().squeeze(1)  # of all the others no logits are needed
        logits = self.model.language_model(
            inputs_embeds=embedded.inputs_embeds,
            attention_mask=embedded.attention_mask,
            position_ids=embedded.position_ids,
            use_cache=False,
            logits_to_keep=places,
        ).logits
        return functional.cross_entropy(
            logits.float().flatten(0, 1), targets[:, places].flatten(), ignore_index=IGNORED, reduction="sum"
        )

    def _spliced(self, row: TrainingRow) -> Spliced:
        human = laid_out(self.model.layout, row.prompt, row.ego_text)
        return spliced(self.model.tokenizer, self._template, human, row.answer)

    def refuse_long(self, row: TrainingRow, frames: int) -> None:
        """Refuse a row that is longer than the most with so many frames.

        Raises:
            InputError: It is.
        """
        text = f"{row.prompt}{row.ego_text or ''}{row.answer}"
        if frames + len(text.encode()) + _MOST_AROUND > self._max_length:  # no token is shorter than a byte
            self._refuse_long(row, self._spliced(row), frames)

    def _refuse_long(self, row: TrainingRow, sequence: Spliced, frames: int) -> None:
        length = len(sequence.ids) - 1 + frames
        if length > self._max_length:
            raise InputError(
                f"a training row of scene {row.scene!r} has {length:,} tokens and feature rows, and "
                f"{self._max_length:,} is the most ({row.prompt[:60]!r}).",
                remedy="Raise --max-length as far as the language model reads, or shorten the row.",
            )
