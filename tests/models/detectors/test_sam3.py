"""A tiny SAM 3 of random weights as a detector: its boxes and masks are those that transformers gives."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer, Sam3Model

from probe4d.errors import InputError, RunError
from probe4d.models.detectors.detector import Detection
from probe4d.models.detectors.loading import load_detector
from probe4d.models.detectors.sam3 import LEAST_SCORE, Sam3Detector, load_sam3
from sam3_making import SIDE_PX, write_tiny_sam3

PROMPTS = ("car", "construction vehicle")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_sam3(tmp_path_factory.mktemp("sam3") / "checkpoint")


@pytest.fixture(scope="module")
def detector(folder: Path) -> Sam3Detector:
    return load_sam3(folder, device="cpu")


def picture(seed: int, size: tuple[int, int] = (160, 90)) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 255, (*size[::-1], 3), dtype=np.uint8))


def boxes_of(found: list[Detection]) -> list[tuple[float, ...]]:
    return [(one.left_px, one.top_px, one.right_px, one.bottom_px) for one in found]


def test_boxes_are_those_of_transformers(folder: Path, detector: Sam3Detector) -> None:
    """Its own forward pass and the post-processing of its image processor, written out."""
    image = picture(0)
    square = np.asarray(image.resize((SIDE_PX, SIDE_PX), Image.Resampling.BILINEAR), dtype=np.float32)
    pixels = torch.from_numpy((square / 255 - 0.5) / 0.5).permute(2, 0, 1)[None]
    model = Sam3Model.from_pretrained(folder).eval()
    tokens = AutoTokenizer.from_pretrained(folder)(
        ["construction vehicle"], return_tensors="pt", padding="max_length", max_length=32
    )
    with torch.inference_mode():
        output = model(pixel_values=pixels, **tokens)
    scores = output.pred_logits.sigmoid() * output.presence_logits.sigmoid()
    kept = scores[0] > LEAST_SCORE
    boxes = output.pred_boxes[0][kept] * torch.tensor([160, 90, 160, 90])
    found = [one for one in detector.detect([image], PROMPTS)[0] if one.category == "construction vehicle"]
    assert len(found) == int(kept.sum()) > 0
    np.testing.assert_allclose(boxes_of(found), boxes, atol=1e-3)
    np.testing.assert_allclose([one.confidence for one in found], scores[0][kept], atol=1e-5)
    masks = output.pred_masks[0][kept]
    areas = (masks > 0).float().mean(dim=(1, 2)) * 160 * 90
    np.testing.assert_allclose([one.area_px for one in found], areas, rtol=1e-4)
    steady = (masks > 1).sum(dim=(1, 2)) / (masks > -1).sum(dim=(1, 2))
    np.testing.assert_allclose([one.mask_quality for one in found], steady, atol=1e-5)


def test_images_of_any_size_are_looked_at_together_as_alone(detector: Sam3Detector) -> None:
    pictures = [picture(1), picture(2, (90, 160)), picture(3, (320, 40))]
    together = detector.detect(pictures, PROMPTS)
    for image, found in zip(pictures, together, strict=True):
        (alone,) = detector.detect([image], PROMPTS)
        assert [one.category for one in found] == [one.category for one in alone]
        np.testing.assert_allclose(boxes_of(found), boxes_of(alone), atol=1e-3)
        assert all(0 <= one.left_px < one.right_px <= image.width for one in found)
        assert all(0 <= one.top_px < one.bottom_px <= image.height for one in found)


def test_the_fingerprint_is_that_of_the_weights(folder: Path, detector: Sam3Detector, tmp_path: Path) -> None:
    assert load_sam3(folder).fingerprint == detector.fingerprint
    assert load_sam3(write_tiny_sam3(tmp_path, seed=1)).fingerprint != detector.fingerprint


def test_the_detector_of_a_checkpoint_for_videos_is_read(folder: Path, detector: Sam3Detector, tmp_path: Path) -> None:
    """Such as facebook/sam3 is: its weights have a name before theirs, and there are others beside them."""
    config = {"model_type": "sam3_video", "detector_config": json.loads((folder / "config.json").read_text())}
    (tmp_path / "config.json").write_text(json.dumps(config))
    weights = {f"detector_model.{name}": value for name, value in load_file(folder / "model.safetensors").items()}
    weights |= {"tracker_model.no_memory_embedding": torch.zeros(1), "tracker_neck.bias": torch.zeros(1)}
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    assert load_sam3(tmp_path, device="cpu").fingerprint == detector.fingerprint


def test_memory_that_does_not_suffice_says_what_to_lower(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    detector = load_sam3(folder, device="cpu")

    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr(detector._model, "get_vision_features", full)
    with pytest.raises(RunError, match=r"does not suffice for 4 images at once.*fewer at once \(batch=, --batch 2\)\."):
        detector.detect([picture(0)] * 4, PROMPTS)
    with pytest.raises(RunError, match=r"for 1 image at once\. Take another device \(device=, --device cpu\)\."):
        detector.detect([picture(0)], PROMPTS)


class TestRefused:
    def test_other_names(self) -> None:
        for name in ("yolo:x", "sam3", "sam3:", "", "sam2:x"):
            with pytest.raises(InputError, match="there is no detector"):
                load_detector(name)

    def test_no_folder(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"is no folder of a SAM 3 checkpoint: it has no config\.json"):
            load_detector(f"sam3:{tmp_path}")

    def test_a_checkpoint_without_weights(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "config.json").write_bytes((folder / "config.json").read_bytes())
        with pytest.raises(InputError, match="cannot be read as SAM 3"):
            load_sam3(tmp_path)

    def test_a_checkpoint_that_lacks_some_weights(self, folder: Path, tmp_path: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        config["detr_encoder_config"]["num_layers"] = 2
        for file in folder.iterdir():
            (tmp_path / file.name).write_bytes(file.read_bytes())
        (tmp_path / "config.json").write_text(json.dumps(config))
        with pytest.raises(InputError, match="lacks weights of SAM 3, such as detr_encoder"):
            load_sam3(tmp_path)

    def test_a_device_that_is_not_there(self, folder: Path) -> None:
        with pytest.raises(InputError, match="there is no device"):
            load_sam3(folder, device="nowhere")
