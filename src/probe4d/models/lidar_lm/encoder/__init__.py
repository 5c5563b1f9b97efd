"""The LiDAR encoder of LidarCLIP and B4DL in plain PyTorch: clouds to embeddings in CLIP's space."""

from probe4d.models.lidar_lm.encoder.grid import PackedClouds, pack
from probe4d.models.lidar_lm.encoder.lidar_encoder import LidarEncoder, LocalFeatures
from probe4d.models.lidar_lm.encoder.lidarclip_checkpoint import load_lidarclip
from probe4d.models.lidar_lm.encoder.options import EncoderOptions, GridOptions
from probe4d.models.lidar_lm.encoder.stored import load_encoder, save_encoder

__all__ = [
    "EncoderOptions",
    "GridOptions",
    "LidarEncoder",
    "LocalFeatures",
    "PackedClouds",
    "load_encoder",
    "load_lidarclip",
    "pack",
    "save_encoder",
]
