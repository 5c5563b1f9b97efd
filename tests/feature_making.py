"""Tiny encoders of random weights, of point clouds and of images, on disk."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import CLIPVisionConfig, CLIPVisionModelWithProjection

from probe4d.models.lidar_lm.encoder import EncoderOptions, GridOptions, LidarEncoder, save_encoder
from probe4d.models.local.quietly import quiet_transformers

WIDTH = 8


def tiny_encoder(*, seed: int = 0, **options: object) -> LidarEncoder:
    """An encoder of 20 x 20 cells of 2 m, in `eval()`."""
    small = {
        "grid": GridOptions(voxel_m=(2.0, 2.0, 6.0)),
        "point_channels": 8,
        "channels": 16,
        "blocks": 1,
        "heads": 2,
        "feedforward_channels": 16,
        "out_channels": WIDTH,
        "pooling_heads": 2,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LidarEncoder(EncoderOptions(**small | options)).eval()


def write_tiny_encoder(folder: Path, *, seed: int = 0, **options: object) -> Path:
    save_encoder(tiny_encoder(seed=seed, **options), folder)
    return folder


def write_tiny_clip(folder: Path, *, seed: int = 0) -> Path:
    """The vision half of a CLIP model that looks at images of 32 x 32 pixels, as transformers has it."""
    config = CLIPVisionConfig(
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        image_size=32,
        patch_size=8,
        projection_dim=WIDTH,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        with quiet_transformers():
            CLIPVisionModelWithProjection(config).save_pretrained(folder)
    return folder
