"""The LiDAR language model of B4DL (section 4): a causal language model that reads projected feature rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self, TypedDict, Unpack

import torch
from peft import LoraConfig, LoraModel
from torch import Tensor, nn
from transformers import LlamaForCausalLM, PreTrainedTokenizerBase
from transformers.modeling_outputs import CausalLMOutputWithPast

from probe4d.errors import InputError, RunError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.lidar_lm.base_model import read_base
from probe4d.models.lidar_lm.conversation import TemplateName
from probe4d.models.lidar_lm.layouts import Layout, laid_out
from probe4d.models.lidar_lm.splicing import Embedded, Spliced, embed_batch, spliced

__all__ = ["LORA", "Base", "LidarLanguageModel"]

LORA = "default"
"""Name of the LoRA layers inside peft, which saved weights do not bear."""


class Base(NamedTuple):
    """The language model on disk that a LiDAR language model was made of.

    Attributes:
        path: Its folder.
        fingerprint: Digest of its weights (see `base_model.fingerprint`).
    """

    path: Path
    fingerprint: str


class AskedAs(TypedDict, total=False):
    """How a model is asked: attributes of `LidarLanguageModel`, which has their defaults."""

    layout: Layout
    template: TemplateName
    ego_text: EgoText
    encoder: str | None


class LidarLanguageModel(nn.Module):
    """A language model of Llama's architecture, its tokenizer, and a projector of feature rows to its embeddings.

    Attributes:
        language_model: The language model; LoRA layers, where there are any, lie inside it.
        projector: Linear layer from the width of the features to that of the embeddings.
        tokenizer: The language model's.
        base: What `language_model` was read from and, LoRA apart, still is; null where its weights are its own.
        layout: The prompt layout it is trained and asked with.
        template: The conversation template it is asked with.
        ego_text: Which text about the ego vehicle it is trained and asked with.
        encoder: Fingerprint of the encoder whose features it was trained with; null where that is not known.
    """

    def __init__(
        self,
        language_model: LlamaForCausalLM,
        projector: nn.Linear,
        tokenizer: PreTrainedTokenizerBase,
        *,
        base: Base | None = None,
        layout: Layout = "hallu",
        template: TemplateName = "v1",
        ego_text: EgoText = "none",
        encoder: str | None = None,
    ) -> None:
        super().__init__()
        self.language_model = language_model
        self.projector = projector
        self.tokenizer = tokenizer
        self.base = base
        self.layout: Layout = layout
        self.template: TemplateName = template
        self.ego_text: EgoText = ego_text
        self.encoder = encoder
        self._lora: tuple[LoraModel, ...] = ()  # in a tuple, so that its weights are not listed a second time

    @classmethod
    def from_base(
        cls,
        path: Path | str,
        feature_width: int,
        dtype: torch.dtype | None = None,
        *,
        seed: int = 0,
        **asked: Unpack[AskedAs],
    ) -> Self:
        """Put an untrained projector before a language model on disk, whose weights are then frozen.

        Args:
            path: Folder of a language model as transformers saves it; nothing is fetched.
            feature_width: Width of the feature rows.
            dtype: Of all weights; null keeps that of the file.
            seed: Of the projector's first weights.
            asked: `layout`, `template`, `ego_text` and `encoder` of the class.

        Raises:
            InputError: See `base_model.read_base`.
        """
        language_model, tokenizer, fingerprint = read_base(path, dtype)
        language_model.requires_grad_(False)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            projector = nn.Linear(feature_width, language_model.config.hidden_size)
        base = Base(Path(path).resolve(), fingerprint)
        return cls(language_model, projector.to(language_model.dtype), tokenizer, base=base, **asked)

    @property
    def feature_width(self) -> int:
        """Width of the feature rows that the projector takes."""
        return self.projector.in_features

    @property
    def dtype(self) -> torch.dtype:
        """Of the projector and the language model, LoRA layers apart, whose weights are float32."""
        return self.projector.weight.dtype

    @property
    def lora(self) -> LoraModel | None:
        """The LoRA layers as peft holds them; null where there are none."""
        return self._lora[0] if self._lora else None

    def prompt(self, question: str, ego_text: str | None = None, answer: str | None = None) -> Spliced:
        """Tokenize a question in the model's own layout and template.

        Args:
            question: The question with its options and directive.
            ego_text: How the ego vehicle moves; null where the model is not told.
            answer: What is learnt; null where the model is asked.
        """
        return spliced(self.tokenizer, self.template, laid_out(self.layout, question, ego_text), answer)

    def embedded(self, sequences: Sequence[Spliced], features: Sequence[Sequence[Tensor]]) -> Embedded:
        """Embed a batch (see `splicing.embed_batch`).

        Raises:
            InputError: The features do not fit, or a sequence is longer than the language model was made for.
        """
        batch = embed_batch(sequences, features, self.language_model.get_input_embeddings(), self.projector)
        length, most = batch.inputs_embeds.shape[1], self.language_model.config.max_position_embeddings
        if length > most:
            raise InputError(
                f"a prompt with its feature rows has {length:,} positions; the language model takes {most:,}.",
                remedy="Shorten the question, or show fewer frames.",
            )
        return batch

    def forward(self, sequences: Sequence[Spliced], features: Sequence[Sequence[Tensor]]) -> CausalLMOutputWithPast:
        """Logits (batch, length, vocabulary) and the mean cross-entropy of the tokens that are learnt.

        Args:
            sequences: What is read.
            features: For each sequence its sets of rows (see `splicing.embed_batch`).
        """
        batch = self.embedded(sequences, features)
        output: CausalLMOutputWithPast = self.language_model(**batch._asdict(), use_cache=False)
        return output

    def with_lora(self, rank: int = 64, alpha: int = 128, dropout: float = 0.05, *, seed: int = 0) -> Self:
        """Put LoRA layers beside every linear layer of the language model but `lm_head`, and freeze the projector.

        Args:
            rank: Of the updates; the defaults are the released ones.
            alpha: Their scale times the rank.
            dropout: Of their input in training.
            seed: Of their first weights, which change nothing.

        Returns:
            The model itself.

        Raises:
            RunError: It has LoRA layers already.
        """
        if self.lora is not None:
            raise RunError("The language model has LoRA layers already. Merge them first.")
        config = LoraConfig(
            r=rank,
            lora_alpha=alpha,
            lora_dropout=dropout,
            bias="none",
            task_type="CAUSAL_LM",
            target_modules=lora_targets(self.language_model),
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            lora = LoraModel(self.language_model, config, LORA)
        for weight in self.language_model.parameters():
            if weight.requires_grad:  # LoRA's alone; small steps would be lost in half precision
                weight.data = weight.data.float()
        self._lora = (lora,)
        self.projector.requires_grad_(False)
        return self

    def merged(self) -> Self:
        """Add the updates of the LoRA layers to the weights, which are the model's own then.

        Returns:
            The model itself.

        Raises:
            RunError: The weights would not be finite.
        """
        if self.lora is None:
            return self
        try:
            self.lora.merge_and_unload(safe_merge=True)  # in the language model's own place
        except ValueError as error:
            raise RunError(f"The LoRA layers cannot be merged: {error}") from error
        self._lora, self.base = (), None
        return self


def lora_targets(language_model: nn.Module) -> list[str]:
    """Last names of the linear layers that LoRA changes, sorted: for Llama `q_proj`, `up_proj` and the like."""
    leaves = {name.rpartition(".")[2] for name, module in language_model.named_modules() if type(module) is nn.Linear}
    return sorted(leaves - {"lm_head"})
