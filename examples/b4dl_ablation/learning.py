"""A tiny language model for free text, trained whole on rows of B4DL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import polars as pl
import torch
from tiny_model import tiny_language_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.models.lidar_lm.training.learner import features_on_disk
from probe4d.models.lidar_lm.training.options import training_options
from probe4d.models.lidar_lm.training.rows import TrainingRow
from probe4d.models.lidar_lm.training.stages import train_model
from probe4d.scenes.tables import Scenes

__all__ = ["captions", "learn", "tokenizer_of"]

_UNKNOWN, _END = "<unk>", "</s>"
_TOKENS = 1500
_NEAR_M = 40.0


def tokenizer_of(texts: Iterable[str]) -> PreTrainedTokenizerBase:
    """A tokenizer of byte pairs that are frequent in some texts; any other text is spelt."""
    tokenizer = Tokenizer(models.BPE(unk_token=_UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_TOKENS,
        special_tokens=[_UNKNOWN, _END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token=_UNKNOWN,
        eos_token=_END,
        pad_token=_END,
        clean_up_tokenization_spaces=False,
    )


def learn(
    rows: Sequence[TrainingRow],
    features: FeatureFolder,
    out: Path,
    tokenizer: PreTrainedTokenizerBase,
    *,
    epochs: int,
    seed: int,
) -> float:
    """Train projector and language model, or go on with that; the last loss."""
    torch.manual_seed(seed)
    model = tiny_language_model(tokenizer)
    model.encoder = features.record.encoder
    options = training_options(
        "projector",
        template="v1",
        precision="fp32",
        gradient_checkpointing=False,
        batch=32,
        accumulation=1,
        epochs=epochs,
        learning_rate=1e-3,
        warmup_ratio=0.08,
        seed=seed,
    )
    stage = "projector and language model"
    source = features_on_disk(features)
    trained = train_model(model, source, rows, out, options, features=features.fingerprint, stage=stage)
    return trained.losses[-1].loss


def captions(scenes: Scenes) -> Iterator[TrainingRow]:
    """Single-frame data: of every key frame which classes are near (B4DL, Sec. 5.2, has LiDAR-LLM's captions)."""
    near = scenes.boxes.filter(
        (pl.col("ego_x") ** 2 + pl.col("ego_y") ** 2).sqrt() < _NEAR_M, pl.col("lidar_points") > 0
    )
    counted = near.drop_nulls("label").group_by("scene", "frame", "label").len().sort("scene", "frame", "label")
    lengths = dict(scenes.scenes.select("scene", "keyframes").iter_rows())
    for (scene, frame), there in counted.group_by("scene", "frame", maintain_order=True):
        told = ", ".join(f"{n} x {label}" for label, n in there.select("label", "len").iter_rows())
        yield TrainingRow(
            scene=scene,
            frames=(frame,),
            prompt="Describe the point cloud.",
            answer=f"Near the ego vehicle: {told}.",
            keyframes=lengths[scene],
            dataset=scenes.fingerprint,
        )
