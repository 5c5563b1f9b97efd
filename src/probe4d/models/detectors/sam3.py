"""SAM 3 (Carion et al., 2025) as a detector: open-vocabulary boxes and masks from prompts, by transformers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from probe4d.errors import InputError
from probe4d.extras import refuse_missing
from probe4d.models.detectors.detector import Detection
from probe4d.wording import counted

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = ["LEAST_SCORE", "Sam3Detector", "load_sam3"]

LEAST_SCORE = 0.3
"""Confidence below which nothing is kept in the journal, as in transformers' post-processing of SAM 3; the filters of
objects are stricter, and may be changed without asking the model again down to here."""

_STABILITY_LOGITS = 1.0
"""How far the threshold of a mask is moved each way for its quality, as in SAM's automatic masks (Kirillov, 2023)."""

_PROMPT_TOKENS = 32
"""Length that prompts are padded to, as transformers' `Sam3Processor` does it."""

_PIXEL_MEAN, _PIXEL_DEVIATION = 0.5, 0.5
"""Of the colours of images, from 0 to 1, by which `Sam3ImageProcessor` brings them to -1 to 1."""

_PACKAGES = {name: name for name in ("torch", "transformers", "tokenizers", "safetensors")}
_CONFIG = "config.json"
_REMEDY = "Give the folder of a SAM 3 checkpoint in the layout of transformers, such as facebook/sam3, already fetched."


class Sam3Detector:
    """SAM 3 with its tokenizer, in `eval()`.

    Images are brought to the model's square, their aspect not kept, as `Sam3ImageProcessor` does it; that class itself
    needs torchvision for it, which nothing else here does.

    Args:
        model: A `Sam3Model` of transformers.
        tokenizer: Its tokenizer.
        device: Where it runs.
        least_score: Confidence below which nothing is returned.
    """

    name = "sam3"

    def __init__(self, model: Any, tokenizer: Any, device: torch.device, *, least_score: float = LEAST_SCORE) -> None:
        self._model = model.to(device).eval()
        self._tokenizer = tokenizer
        self._device = device
        self._least_score = least_score
        self._side_px = int(model.config.vision_config.backbone_config.image_size)
        self._prompts: dict[str, tuple[Any, Tensor]] = {}

    @property
    def fingerprint(self) -> str:
        """Digest of settings and weights, computed when asked."""
        from probe4d.models.local.weights import fingerprint

        settings = [self._side_px, self._least_score, _STABILITY_LOGITS, _PIXEL_MEAN, _PIXEL_DEVIATION, _PROMPT_TOKENS]
        return fingerprint(settings, self._model.state_dict())

    def detect(self, images: Sequence[Image.Image], prompts: Sequence[str]) -> list[list[Detection]]:
        """Find objects; see `Detector.detect`. The image is looked at once, whatever the number of prompts."""
        import torch

        from probe4d.models.local.memory import memory_that_suffices

        found: list[list[Detection]] = [[] for _ in images]
        fewer = f", or look at fewer at once (batch=, --batch {len(images) // 2})" if len(images) > 1 else ""
        words = (
            f"the memory of {self._device} does not suffice for {counted(len(images), 'image')} at once. "
            f"Take another device (device=, --device cpu){fewer}."
        )
        with torch.inference_mode(), memory_that_suffices(words):
            pixels = torch.from_numpy(np.stack([self._prepared(image) for image in images]))
            seen = self._model.get_vision_features(pixel_values=pixels.to(self._device, self._model.dtype))
            for prompt in prompts:
                words, mask = self._asked(prompt)
                output = self._model(
                    vision_embeds=seen,
                    text_embeds=_repeated(words, len(images)),
                    attention_mask=mask.expand(len(images), -1),
                )
                for number, image in enumerate(images):
                    found[number] += self._found(output, number, prompt, image.size)
        return found

    def _prepared(self, image: Image.Image) -> NDArray[np.float32]:
        square = image.resize((self._side_px, self._side_px), Image.Resampling.BILINEAR)
        pixels = (np.asarray(square, dtype=np.float32) / 255 - _PIXEL_MEAN) / _PIXEL_DEVIATION
        return np.ascontiguousarray(pixels.transpose(2, 0, 1), dtype=np.float32)

    def _asked(self, prompt: str) -> tuple[Any, Tensor]:
        """What a prompt is to the model, worked out once, and which of its tokens count."""
        if prompt not in self._prompts:
            tokens = self._tokenizer(
                [prompt], return_tensors="pt", padding="max_length", max_length=_PROMPT_TOKENS, truncation=True
            ).to(self._device)
            words = self._model.get_text_features(
                input_ids=tokens["input_ids"], attention_mask=tokens["attention_mask"], return_dict=True
            )
            self._prompts[prompt] = words, tokens["attention_mask"]
        return self._prompts[prompt]

    def _found(self, output: Any, number: int, prompt: str, size_px: tuple[int, int]) -> list[Detection]:
        """What was found in one image; boxes come as shares of its width and height."""
        scores = output.pred_logits[number].float().sigmoid() * output.presence_logits[number].float().sigmoid()
        kept = scores >= self._least_score
        boxes = output.pred_boxes[number][kept].float().clamp(0, 1).cpu().numpy() * np.tile(size_px, 2)
        qualities, areas = _measured(output.pred_masks[number][kept].float(), size_px)
        return [
            Detection(
                category=prompt,
                **dict(zip(("left_px", "top_px", "right_px", "bottom_px"), box.tolist(), strict=True)),
                confidence=score,
                mask_quality=quality,
                area_px=area,
            )
            for box, score, quality, area in zip(boxes, scores[kept].tolist(), qualities, areas, strict=True)
            if box[2] > box[0] and box[3] > box[1] and area > 0
        ]


def _measured(masks: Tensor, size_px: tuple[int, int]) -> tuple[list[float], list[float]]:
    """Quality and area of masks given as logits, shape (n, height, width), of an image of a size.

    The quality is the stability score of SAM: the overlap of the mask with its threshold raised and lowered. Both are
    measured in the model's own grid, a cell of which is a rectangle of pixels.
    """
    high = (masks > _STABILITY_LOGITS).flatten(1).sum(dim=1)
    low = (masks > -_STABILITY_LOGITS).flatten(1).sum(dim=1)
    cell_px = size_px[0] * size_px[1] / (masks.shape[-1] * masks.shape[-2])
    areas = (masks > 0).flatten(1).sum(dim=1) * cell_px
    return (high / low.clamp(min=1)).tolist(), areas.tolist()


def _repeated(words: Any, times: int) -> Any:
    """The features of a prompt for as many images."""
    from transformers.modeling_outputs import BaseModelOutputWithPooling

    return BaseModelOutputWithPooling(pooler_output=words.pooler_output.expand(times, -1, -1))


def load_sam3(path: Path | str, *, device: str | None = None) -> Sam3Detector:
    """Read a SAM 3 checkpoint from a folder, never from the network.

    Args:
        path: A folder as transformers saves it, with weights in safetensors and the tokenizer's files.
        device: Where it runs, such as cuda or cpu; null takes an accelerator where there is one.

    Raises:
        InputError: There is no such folder, it holds no whole SAM 3, the device is not there, or packages are missing.
        RunError: The memory does not suffice.
    """
    folder = Path(path)
    if not (folder / _CONFIG).is_file():
        raise InputError(f"is no folder of a SAM 3 checkpoint: it has no {_CONFIG}.", path=folder, remedy=_REMEDY)
    refuse_missing(_PACKAGES, user="SAM 3")
    from transformers import AutoTokenizer, Sam3Model

    from probe4d.models.local.devices import device_named
    from probe4d.models.local.memory import memory_for_model, memory_to_read
    from probe4d.models.local.quietly import quiet_transformers

    where = device_named(device)
    read: Any = Sam3Model.from_pretrained  # its type leaves output_loading_info out
    try:
        with quiet_transformers(), memory_to_read(folder, "a smaller model"):
            model, loading = read(folder, local_files_only=True, use_safetensors=True, output_loading_info=True)
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"cannot be read as SAM 3 ({reason}).", path=folder, remedy=_REMEDY) from error
    if loading["missing_keys"]:  # transformers would leave them random
        name = sorted(loading["missing_keys"])[0]
        raise InputError(f"lacks weights of SAM 3, such as {name}.", path=folder, remedy=_REMEDY)
    with memory_for_model("SAM 3", where, option="device=, --device cpu", smaller="a smaller model"):
        return Sam3Detector(model, tokenizer, where)
