"""The LiDAR encoder: from clouds to embeddings in CLIP's space."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from probe4d.models.lidar_lm.encoder.grid import Occupancy, PackedClouds, cell_centres, occupancy
from probe4d.models.lidar_lm.encoder.options import EncoderOptions
from probe4d.models.lidar_lm.encoder.pooling import AttentionPooling
from probe4d.models.lidar_lm.encoder.voxel_features import VoxelFeatures
from probe4d.models.lidar_lm.encoder.window_attention import WindowAttention
from probe4d.models.local.weights import fingerprint

__all__ = ["OTHER_ARCHITECTURE", "LidarEncoder", "LocalFeatures"]

OTHER_ARCHITECTURE = (
    "It is a checkpoint of another architecture; give the options it was made with, or another checkpoint."
)
"""What to do about weights that do not fit into an encoder."""


@dataclass(frozen=True)
class LocalFeatures:
    """Features of the occupied cells of one cloud.

    Attributes:
        features: (V, channels) one row an occupied cell, ordered by y, then x.
        centres_m: (V, 3) centres of the cells, in the axes of the cloud.
    """

    features: Tensor
    centres_m: Tensor


class LidarEncoder(nn.Module):
    """LiDAR encoder of LidarCLIP (Hess et al., 2024), which B4DL takes (section 4.1, equations 1 to 3).

    In `eval()` an embedding depends on its own cloud alone, not on its neighbours in the batch nor on the order of
    its points, but for rounding (with `compat="released"` it does depend on the batch). In `train()` voxel features
    are normalised by the batch, as batch normalisation has it.

    Args:
        options: Sizes, grid and whose behaviour is followed.
    """

    def __init__(self, options: EncoderOptions) -> None:
        super().__init__()
        self.options = options
        self.voxel_encoder = VoxelFeatures(options)
        self.backbone = WindowAttention(options)
        self.pooler = AttentionPooling(options)

    def forward(self, clouds: PackedClouds) -> Tensor:
        """The embeddings of clouds, (count, out_channels).

        An empty cloud, and one whose points all lie out of range, gives the embedding of an empty grid: a constant
        of the encoder.

        Raises:
            InputError: A point has a value that is not finite.
        """
        features, occupied = self._encoded(clouds)
        embeddings: Tensor = self.pooler(features, occupied, clouds.count)
        return embeddings

    def with_local(self, clouds: PackedClouds) -> tuple[Tensor, list[LocalFeatures]]:
        """The embeddings of clouds and, of each, the local features (B4DL equation 3: p^cls and p^1 ... p^k).

        Raises:
            InputError: A point has a value that is not finite.
        """
        features, occupied = self._encoded(clouds)
        centres = cell_centres(occupied.cell, self.options.grid)
        counts = torch.bincount(occupied.cloud, minlength=clouds.count).tolist()
        parts = zip(torch.split(features, counts), torch.split(centres, counts), strict=True)
        return self.pooler(features, occupied, clouds.count), [LocalFeatures(*part) for part in parts]

    @property
    def fingerprint(self) -> str:
        """Digest of options and weights (see `weights.fingerprint`), computed when asked."""
        return fingerprint(self.options, self.state_dict())

    def _encoded(self, clouds: PackedClouds) -> tuple[Tensor, Occupancy]:
        occupied = occupancy(clouds, self.options.grid, self.options.compat)
        return self.backbone(self.voxel_encoder(occupied), occupied), occupied
