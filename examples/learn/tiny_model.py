"""The tiny configuration: a LiDAR encoder and a language model of Llama's architecture, both untrained."""

from __future__ import annotations

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerBase

from probe4d.models.lidar_lm.encoder import EncoderOptions, GridOptions, LidarEncoder
from probe4d.models.lidar_lm.language_model import LidarLanguageModel

__all__ = ["tiny_encoder", "tiny_language_model"]

WEDGES = 6

ENCODER = EncoderOptions(
    # From 0.24 m above the road, as the LiDAR is mounted at 1.84 m: two thirds of all cells hold nothing but road.
    grid=GridOptions(range_m=(0.0, -32.0, -1.6, 48.0, 32.0, 2.4), voxel_m=(1.0, 1.0, 4.0)),
    point_channels=32,
    channels=64,
    blocks=1,
    heads=4,
    feedforward_channels=128,
    window_cells=8,
    out_channels=128,
    pooling_heads=8,
)

TYPICAL_SIZE = (20.0, 20.0, 1.4, 0.2, 0.3, 0.3, 0.7, 0.3, 0.3, 1.4)
"""Of the inputs of voxel features: x, y, z, intensity, offsets from the mean and from the centre of the cell."""


def tiny_encoder() -> LidarEncoder:
    """An untrained encoder. Each input of its first layer starts with about the same say, whatever its unit."""
    encoder = LidarEncoder(ENCODER)
    layers = encoder.voxel_encoder.vfe_layers
    with torch.no_grad():
        layers[0].linear.weight.div_(torch.tensor(TYPICAL_SIZE))
    for layer in layers:
        layer.norm.momentum = 0.05  # the usual 0.01 still remembers the first of a few hundred steps
    return encoder


def tiny_language_model(tokenizer: PreTrainedTokenizerBase) -> LidarLanguageModel:
    """An untrained language model, all of which will be trained, with an untrained projector."""
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=352,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        initializer_range=0.08,  # about 1 over the root of the width: at the usual 0.02 so small a model hardly starts
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    projector = nn.Linear(WEDGES * ENCODER.out_channels, config.hidden_size)
    return LidarLanguageModel(LlamaForCausalLM(config), projector, tokenizer)
