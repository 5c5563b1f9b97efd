"""The image half of a CLIP model: camera images to embeddings, which a LiDAR encoder learns to imitate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from probe4d.errors import InputError
from probe4d.models.lidar_lm.needs import refuse_missing
from probe4d.models.lidar_lm.on_disk import CLIP_REMEDY, refuse_no_clip

if TYPE_CHECKING:
    import torch

__all__ = ["ImageTower", "load_image_tower"]

_CHANNEL_MEANS, _CHANNEL_DEVIATIONS = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
"""Of the pixels that OpenAI's CLIP was trained on (Radford et al., 2021)."""

_PREPROCESSOR = "preprocessor_config.json"


class ImageTower:
    """A CLIP image tower with its projection, in `eval()`.

    Args:
        model: A `CLIPVisionModelWithProjection` of transformers.
        means: Of the pixels of each colour, from 0 to 1.
        deviations: Of the pixels of each colour.

    Attributes:
        model: The model.
        width: Length of an embedding.
    """

    def __init__(
        self,
        model: Any,
        *,
        means: Sequence[float] = _CHANNEL_MEANS,
        deviations: Sequence[float] = _CHANNEL_DEVIATIONS,
    ) -> None:
        self.model = model.eval()
        self.width: int = model.config.projection_dim
        self._side_px: int = model.config.image_size
        self._means = np.asarray(means, dtype=np.float32)
        self._deviations = np.asarray(deviations, dtype=np.float32)

    @property
    def fingerprint(self) -> str:
        """Digest of settings and weights (see `weights.fingerprint`), computed when asked."""
        from probe4d.models.local.weights import fingerprint

        settings = [self._side_px, self._means.tolist(), self._deviations.tolist()]
        return fingerprint(settings, self.model.state_dict())

    def to(self, device: torch.device) -> ImageTower:
        """Move the model to a device."""
        self.model.to(device)
        return self

    def prepared(self, image: Image.Image) -> NDArray[np.float32]:
        """The centre square of an image as CLIP takes it, float32, shape (3, side, side).

        Args:
            image: RGB, of any size.
        """
        side = self._side_px
        scale = side / min(image.size)
        width, height = (max(side, round(length * scale)) for length in image.size)
        left, top = (width - side) // 2, (height - side) // 2
        square = image.resize((width, height), Image.Resampling.BICUBIC).crop((left, top, left + side, top + side))
        pixels = (np.asarray(square, dtype=np.float32) / 255 - self._means) / self._deviations
        return np.ascontiguousarray(pixels.transpose(2, 0, 1), dtype=np.float32)

    def embed(self, images: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Embeddings of prepared images, not normalised, float32, shape (n, width)."""
        import torch

        with torch.inference_mode():
            pixels = torch.from_numpy(np.stack(images)).to(self.model.device, self.model.dtype)
            embeddings: NDArray[np.float32] = self.model(pixel_values=pixels).image_embeds.float().cpu().numpy()
        return embeddings


def load_image_tower(path: Path | str) -> ImageTower:
    """Read the image tower of a CLIP model from a folder, never from the network.

    Args:
        path: Folder of a CLIP model of transformers, or of its vision half, with weights in safetensors.

    Raises:
        InputError: There is no such folder, or it holds no whole image tower.
        RunError: The memory does not suffice.
    """
    folder = Path(path)
    refuse_no_clip(folder)
    refuse_missing()
    from transformers import AutoConfig, CLIPVisionModelWithProjection

    from probe4d.models.local.memory import memory_to_read
    from probe4d.models.local.quietly import quiet_transformers

    read: Any = CLIPVisionModelWithProjection.from_pretrained  # its type leaves output_loading_info out
    try:
        with quiet_transformers(), memory_to_read(folder, "a smaller CLIP model"):
            config: Any = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
            if config.model_type == "clip":  # both halves, whose shared width stands beside them
                config.vision_config.projection_dim = config.projection_dim
                config = config.vision_config
            model, loading = read(
                folder, config=config, local_files_only=True, use_safetensors=True, output_loading_info=True
            )
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            f"cannot be read as a CLIP image tower ({reason}).", path=folder, remedy=CLIP_REMEDY
        ) from error
    if loading["missing_keys"]:  # transformers would leave them random
        name = sorted(loading["missing_keys"])[0]
        raise InputError(f"lacks weights of a CLIP image tower, such as {name}.", path=folder, remedy=CLIP_REMEDY)
    means, deviations = _pixel_statistics(folder / _PREPROCESSOR)
    return ImageTower(model, means=means, deviations=deviations)


def _pixel_statistics(path: Path) -> tuple[Sequence[float], Sequence[float]]:
    """Means and deviations of colours that a model was trained with; OpenAI's where it does not say."""
    if not path.exists():
        return _CHANNEL_MEANS, _CHANNEL_DEVIATIONS
    try:
        told = json.loads(path.read_bytes())
        found = np.array([told["image_mean"], told["image_std"]], dtype=np.float64)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"cannot be read as image_mean and image_std ({error}).", path=path) from error
    if found.shape != (2, 3) or not np.isfinite(found).all() or (found[1] <= 0).any():
        raise InputError("has no image_mean and image_std of three colours.", path=path)
    return found[0].tolist(), found[1].tolist()
