"""LiDAR encoders of random weights, clouds, and checkpoints with the released names, for tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from probe4d.models.lidar_lm.encoder import EncoderOptions, GridOptions, LidarEncoder

TINY = EncoderOptions(
    grid=GridOptions(range_m=(0.0, -5.0, -2.0, 10.0, 4.0, 4.0), voxel_m=(0.5, 0.5, 6.0)),  # 20 columns, 18 rows
    point_channels=6,
    channels=8,
    blocks=2,
    heads=2,
    feedforward_channels=12,
    window_cells=6,
    out_channels=12,
    pooling_heads=3,
)


def random_encoder(options: EncoderOptions = TINY, seed: int = 0) -> LidarEncoder:
    """An encoder in `eval()` none of whose weights and running statistics is at its start value."""
    encoder = LidarEncoder(options)
    randomise(encoder, seed)
    return encoder.eval()


def randomise(module: nn.Module, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for name, values in module.state_dict().items():
        if values.is_floating_point():
            noise = torch.randn(values.shape, generator=generator)
            if name.endswith("running_var"):
                values.copy_(0.5 + noise.abs())
            elif "norm" in name and name.endswith("weight"):
                values.copy_(1 + 0.2 * noise)
            else:
                values.copy_(noise / max(values.shape[-1], 4) ** 0.5)


def random_cloud(points: int, seed: int, options: EncoderOptions = TINY, beyond_m: float = 2.0) -> np.ndarray:
    """(points, 4) float32, up to `beyond_m` outside of the range."""
    generator = np.random.default_rng(seed)
    low, high = np.array(options.grid.range_m[:3]) - beyond_m, np.array(options.grid.range_m[3:]) + beyond_m
    where = generator.uniform(low, high, size=(points, 3))
    return np.column_stack([where, generator.uniform(0, 1, points)]).astype(np.float32)


def released_shapes(out_channels: int = 768) -> dict[str, tuple[int, ...]]:
    """The names and shapes of a released LidarCLIP checkpoint, but for those of the frozen CLIP model."""
    shapes: dict[str, tuple[int, ...]] = {}
    for layer, width in enumerate((10, 128)):
        prefix = f"lidar_encoder._sst.voxel_encoder.vfe_layers.{layer}"
        channels = (64, 128)[layer]
        shapes[f"{prefix}.linear.weight"] = (channels, width)
        for name in ("weight", "bias", "running_mean", "running_var"):
            shapes[f"{prefix}.norm.{name}"] = (channels,)
        shapes[f"{prefix}.norm.num_batches_tracked"] = ()
    for block in range(4):
        for layer in range(2):
            prefix = f"lidar_encoder._sst.backbone.block_list.{block}.encoder_list.{layer}"
            shapes[f"{prefix}.win_attn.self_attn.in_proj_weight"] = (384, 128)
            shapes[f"{prefix}.win_attn.self_attn.in_proj_bias"] = (384,)
            for name, shape in (
                ("win_attn.self_attn.out_proj", (128, 128)),
                ("linear1", (256, 128)),
                ("linear2", (128, 256)),
                ("norm1", (128,)),
                ("norm2", (128,)),
            ):
                shapes[f"{prefix}.{name}.weight"] = shape
                shapes[f"{prefix}.{name}.bias"] = shape[:1]
    shapes["lidar_encoder._pooler.positional_embedding"] = (6401, out_channels)
    for name, width in (
        ("in", 128),
        ("q", out_channels),
        ("k", out_channels),
        ("v", out_channels),
        ("c", out_channels),
    ):
        shapes[f"lidar_encoder._pooler.{name}_proj.weight"] = (out_channels, width)
        shapes[f"lidar_encoder._pooler.{name}_proj.bias"] = (out_channels,)
    return shapes


def released_state_dict(out_channels: int = 768, seed: int = 0) -> dict[str, Tensor]:
    """Random weights under the released names, with the detection head and a part of CLIP."""
    generator = torch.Generator().manual_seed(seed)
    shapes = released_shapes(out_channels)
    for name, channels in (("conv_cls", 18), ("conv_reg", 42), ("conv_dir_cls", 12)):
        shapes[f"lidar_encoder._sst.bbox_head.{name}.weight"] = (channels, 384, 1, 1)
        shapes[f"lidar_encoder._sst.bbox_head.{name}.bias"] = (channels,)
    shapes |= {"clip.visual.proj": (16, 8), "clip.logit_scale": ()}
    state = {name: 0.05 * torch.randn(shape, generator=generator) for name, shape in shapes.items()}
    for name in state:
        if name.endswith("running_var"):
            state[name] = state[name].abs() + 0.5
        elif name.endswith("num_batches_tracked"):
            state[name] = torch.tensor(1000)
    return state


def write_checkpoint(path: Path, state: dict[str, Tensor]) -> Path:
    """As PyTorch Lightning 1.6 writes it."""
    torch.save(
        {
            "epoch": 19,
            "global_step": 26250,
            "pytorch-lightning_version": "1.6.2",
            "state_dict": state,
            "callbacks": {"ModelCheckpoint{'monitor': 'train_loss'}": {"best_model_score": torch.tensor(0.1)}},
            "optimizer_states": [],
            "lr_schedulers": [],
        },
        path,
    )
    return path
