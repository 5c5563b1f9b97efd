"""Scenes encoded into features: that rows are embeddings, what is gone on with, and what cannot be encoded."""

from __future__ import annotations

import json
import logging
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from PIL import Image
from transformers import CLIPConfig, CLIPModel

from feature_making import WIDTH, tiny_encoder, write_tiny_clip, write_tiny_encoder
from picture_making import SCENE, write_dataset, write_scan
from probe4d.errors import InputError, RunError
from probe4d.evidence.camera_images import CameraImages
from probe4d.evidence.point_clouds import PointClouds
from probe4d.models.lidar_lm.encoder import LidarEncoder, load_encoder, pack
from probe4d.models.lidar_lm.encoding import encode
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.models.lidar_lm.image_tower import ImageTower, load_image_tower
from probe4d.models.local.quietly import quiet_transformers
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="module")
def encoder() -> LidarEncoder:
    return tiny_encoder()


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_clip(tmp_path_factory.mktemp("clip") / "clip")


@pytest.fixture(scope="module")
def tower(clip: Path) -> ImageTower:
    return load_image_tower(clip)


@pytest.fixture
def surround(tmp_path: Path) -> Scenes:
    """One scene of five key frames, with a LiDAR and six cameras."""
    scenes = write_dataset(tmp_path / "data", frames=5)
    rng = np.random.default_rng(5)
    for frame in range(5):
        write_scan(tmp_path / f"data/samples/LIDAR_TOP/{frame}.pcd.bin", rng.uniform(-30, 30, (200 + frame, 3)))
    return scenes


def with_scenes(scenes: Scenes, names: list[str]) -> Scenes:
    """The one scene under several names."""
    tables = {
        name: pl.concat([getattr(scenes, name).with_columns(scene=pl.lit(scene)) for scene in names])
        for name in ("scenes", "keyframes", "sensors")
    }
    return replace(scenes, **tables)


class TestLidar:
    def test_a_row_is_the_embeddings_of_all_wedges(self, surround: Scenes, encoder: LidarEncoder, tmp_path) -> None:
        clouds = PointClouds(surround)
        features = encode(clouds, encoder, tmp_path / "features")
        record = features.record
        assert (record.width, record.wedges, record.fuse) == (6 * WIDTH, clouds.channels, "concatenated")
        assert (record.encoder, record.modality, record.coverage) == (encoder.fingerprint, "lidar", "wedges")
        assert (record.dataset, record.batch) == (surround.fingerprint, None)
        for frame in range(5):
            with torch.inference_mode():
                embeddings = encoder(pack([wedge.points for wedge in clouds.of(SCENE, frame)])).numpy()
            assert np.allclose(features.rows(SCENE, [frame])[0], embeddings.reshape(-1), atol=1e-5)

    def test_rows_do_not_depend_on_batch_or_workers(self, surround: Scenes, encoder: LidarEncoder, tmp_path) -> None:
        ways = [(1, 1), (2, 3), (5, 2), (64, 1)]
        made = [
            encode(PointClouds(surround), encoder, tmp_path / f"{batch}", batch=batch, workers=workers)
            for batch, workers in ways
        ]
        assert len({features.fingerprint for features in made}) == 1
        for features in made[1:]:
            assert np.allclose(features.rows(SCENE), made[0].rows(SCENE), atol=1e-5)

    def test_the_released_batch_is_recorded_since_rows_depend_on_it(self, surround: Scenes, tmp_path: Path) -> None:
        released = load_encoder(write_tiny_encoder(tmp_path / "encoder"), compat="released")
        features = encode(PointClouds(surround), released, tmp_path / "features", batch=4)
        assert features.record.batch == 4
        with pytest.raises(InputError, match=r"another way \(other batch\)"):
            encode(PointClouds(surround), released, tmp_path / "features", batch=5)

    def test_simulated_scenes_without_cameras(self, scenes: Scenes, encoder: LidarEncoder, tmp_path: Path) -> None:
        name = scenes.names[0]
        features = encode(PointClouds(scenes), encoder, tmp_path, scenes=[name], batch=16)
        assert features.scenes == [name]
        rows = features.rows(name)
        assert len(rows) == scenes.scenes["keyframes"][0]
        assert len(np.unique(rows, axis=0)) == len(rows)

    def test_points_left_out_are_told(
        self, surround, encoder, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        values = np.full((3, 5), 5, dtype="<f4")
        values[:2, 0] = np.nan
        (surround.root / "samples/LIDAR_TOP/2.pcd.bin").write_bytes(values.tobytes())
        with caplog.at_level(logging.WARNING):
            features = encode(PointClouds(surround), encoder, tmp_path / "features")
        assert "left out 2 LiDAR points that are not finite" in caplog.text
        assert np.isfinite(features.rows(SCENE)).all()


class TestCamera:
    def test_a_row_is_the_embedding_of_the_image(self, surround: Scenes, tower: ImageTower, tmp_path: Path) -> None:
        images = CameraImages(surround, "CAM_BACK")
        features = encode(images, tower, tmp_path / "features", batch=2)
        record = features.record
        assert (record.width, record.modality, record.coverage) == (WIDTH, "camera:CAM_BACK", None)
        assert record.encoder
        assert len(record.encoder) == len(tower.fingerprint)
        expected = tower.embed([tower.prepared(images.of(SCENE, frame)) for frame in range(5)])
        assert np.allclose(features.rows(SCENE), expected, atol=1e-5)

    def test_cameras_are_told_apart(self, surround: Scenes, tower: ImageTower, tmp_path: Path) -> None:
        front, back = (
            encode(CameraImages(surround, channel), tower, tmp_path / channel) for channel in ("CAM_FRONT", "CAM_BACK")
        )
        assert np.abs(front.rows(SCENE) - back.rows(SCENE)).max() > 1e-3
        with pytest.raises(InputError, match="features of another encoder"):  # a model learns from one of them
            back.refuse_other(encoder=front.record.encoder)

    def test_a_camera_that_there_is_not(self, surround: Scenes, scenes: Scenes) -> None:
        with pytest.raises(InputError, match=r"no camera CAM_TOP. Take one of CAM_BACK,"):
            CameraImages(surround, "CAM_TOP")
        with pytest.raises(InputError, match="no cameras at all"):
            CameraImages(scenes, "CAM_FRONT")

    def test_an_image_that_is_damaged(self, surround: Scenes, tower: ImageTower, tmp_path: Path) -> None:
        file = surround.root / "samples/CAM_BACK/3.jpg"
        file.write_bytes(file.read_bytes()[:-900])
        with pytest.raises(InputError, match=r"CAM_BACK/3\.jpg: is (cut off|damaged)"):
            encode(CameraImages(surround, "CAM_BACK"), tower, tmp_path / "features")
        with pytest.raises(InputError, match="no key frame 5"):
            CameraImages(surround, "CAM_BACK").of(SCENE, 5)


class TestImageTower:
    def test_sees_the_centre_square_as_clip_was_trained(self, tower: ImageTower) -> None:
        image = Image.new("RGB", (96, 48), (255, 0, 0))
        image.paste((0, 255, 0), (24, 0, 72, 48))
        pixels = tower.prepared(image)
        assert (pixels.shape, pixels.dtype) == ((3, 32, 32), np.float32)
        expected = (np.array([0, 1, 0]) - [0.48145466, 0.4578275, 0.40821073]) / [0.26862954, 0.26130258, 0.27577711]
        assert np.allclose(pixels[:, 4:-4, 4:-4], expected[:, None, None], atol=1e-5)

    def test_embeds_as_transformers_does(self, tower: ImageTower) -> None:
        noise = np.random.default_rng(1).normal(size=(3, 3, 32, 32)).astype(np.float32)
        with torch.no_grad():
            expected = tower.model(pixel_values=torch.from_numpy(noise)).image_embeds.numpy()
        assert np.allclose(tower.embed(list(noise)), expected, atol=1e-6)

    def test_the_fingerprint_is_that_of_the_weights(self, tower: ImageTower, clip: Path, tmp_path: Path) -> None:
        assert load_image_tower(clip).fingerprint == tower.fingerprint
        assert load_image_tower(write_tiny_clip(tmp_path, seed=1)).fingerprint != tower.fingerprint

    def test_half_precision_is_taken_as_it_is_stored(self, clip: Path, tmp_path: Path, tower: ImageTower) -> None:
        stored = load_image_tower(clip).model.to(torch.bfloat16)
        with quiet_transformers():
            stored.save_pretrained(tmp_path)
        half = load_image_tower(tmp_path)
        assert half.model.dtype == torch.bfloat16
        assert half.fingerprint not in ("", tower.fingerprint)
        noise = np.random.default_rng(1).normal(size=(2, 3, 32, 32)).astype(np.float32)
        assert np.allclose(half.embed(list(noise)), tower.embed(list(noise)), atol=0.1)

    def test_is_read_out_of_a_whole_clip_model(self, tmp_path: Path) -> None:
        sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
        config = CLIPConfig(
            text_config={**sizes, "vocab_size": 50},
            vision_config={**sizes, "image_size": 32, "patch_size": 8},
            projection_dim=12,
        )
        whole = CLIPModel(config).eval()
        with quiet_transformers():
            whole.save_pretrained(tmp_path)
        tower = load_image_tower(tmp_path)
        noise = np.random.default_rng(1).normal(size=(2, 3, 32, 32)).astype(np.float32)
        with torch.no_grad():
            seen = whole.vision_model(pixel_values=torch.from_numpy(noise)).pooler_output
            expected = whole.visual_projection(seen).numpy()
        assert tower.width == 12
        assert np.allclose(tower.embed(list(noise)), expected, atol=1e-6)

    def test_a_model_that_is_no_clip(self, tmp_path: Path) -> None:
        (tmp_path / "config.json").write_text('{"model_type": "llama"}')
        with pytest.raises(InputError, match="cannot be read as a CLIP image tower"):
            load_image_tower(tmp_path)

    def test_reads_the_statistics_of_pixels(self, clip: Path, tmp_path: Path, tower: ImageTower) -> None:
        shutil.copytree(clip, tmp_path / "clip")
        path = tmp_path / "clip/preprocessor_config.json"
        path.write_text(json.dumps({"image_mean": [0, 0, 0], "image_std": [1, 1, 1], "size": 32}))
        plain = load_image_tower(tmp_path / "clip")
        white = Image.new("RGB", (40, 40), (255, 255, 255))
        assert np.allclose(plain.prepared(white), 1)
        assert plain.fingerprint != tower.fingerprint
        for text in (
            "{}",
            "[",
            '{"image_mean": [0], "image_std": [1]}',
            '{"image_mean": [0,0,0], "image_std": [1,1,0]}',
        ):
            path.write_text(text)
            with pytest.raises(InputError, match="image_mean and image_std"):
                load_image_tower(tmp_path / "clip")

    def test_what_is_none(self, clip: Path, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"no config\.json"):
            load_image_tower(tmp_path)
        half = shutil.copytree(clip, tmp_path / "half")
        from safetensors.torch import load_file, save_file

        weights = load_file(half / "model.safetensors")
        save_file(
            {name: weight for name, weight in weights.items() if "visual_projection" not in name},
            half / "model.safetensors",
            metadata={"format": "pt"},
        )
        with pytest.raises(InputError, match=r"lacks weights of a CLIP image tower, such as visual_projection"):
            load_image_tower(half)
        (half / "model.safetensors").unlink()
        (half / "pytorch_model.bin").write_bytes(b"\x80\x04N.")
        with pytest.raises(InputError, match="cannot be read as a CLIP image tower"):
            load_image_tower(half)


class TestGoingOn:
    def test_scenes_that_are_there_are_kept(self, surround: Scenes, encoder: LidarEncoder, tmp_path: Path) -> None:
        clouds = PointClouds(with_scenes(surround, ["a", "b", "c"]))
        encode(clouds, encoder, tmp_path / "features", scenes=["b"])
        before = (tmp_path / "features/b.safetensors").stat().st_mtime_ns
        told: list[object] = []
        features = encode(
            clouds, encoder, tmp_path / "features", begun=lambda *counts: told.append(counts), done=told.append
        )
        assert features.scenes == ["a", "b", "c"]
        assert told == [(15, 5), *((scene, frame) for scene in "ac" for frame in range(5))]
        assert (tmp_path / "features/b.safetensors").stat().st_mtime_ns == before

    def test_a_scene_appears_whole_or_not_at_all(self, surround: Scenes, encoder: LidarEncoder, tmp_path: Path) -> None:
        clouds = PointClouds(with_scenes(surround, ["a", "b"]))
        calls: list[object] = []

        def break_off(frame: object) -> None:
            calls.append(frame)
            if frame == ("b", 3):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt) as broken_off:
            encode(clouds, encoder, tmp_path / "features", batch=2, done=break_off)
        assert FeatureFolder(tmp_path / "features").scenes == ["a"]
        assert not _reading_ahead(), broken_off  # though its traceback is held
        assert encode(clouds, encoder, tmp_path / "features", done=calls.append).scenes == ["a", "b"]

    @pytest.mark.parametrize("other", ["encoder", "coverage", "dataset"])
    def test_features_made_otherwise_are_not_mixed(self, surround, encoder, tmp_path: Path, other: str) -> None:
        encode(PointClouds(surround), encoder, tmp_path / "features")
        scenes = replace(surround, fingerprint="1" * 64) if other == "dataset" else surround
        clouds = PointClouds(scenes, "one-wedge" if other == "coverage" else "wedges")
        made_by = tiny_encoder(seed=1) if other == "encoder" else encoder
        with pytest.raises(InputError, match=f"another way .*{other}"):
            encode(clouds, made_by, tmp_path / "features")

    def test_a_folder_that_another_command_writes(self, surround, encoder, tmp_path: Path) -> None:
        refused: list[str] = []

        def again(_frame: object) -> None:
            with pytest.raises(InputError, match="in use by another command") as error:
                encode(PointClouds(surround), encoder, tmp_path / "features")
            refused.append(str(error.value))

        encode(PointClouds(surround), encoder, tmp_path / "features", batch=5, done=again)
        assert len(refused) == 5

    def test_features_of_another_number_of_frames(self, surround, encoder, tmp_path: Path) -> None:
        encode(PointClouds(surround), encoder, tmp_path / "features")
        longer = write_dataset(tmp_path / "longer", frames=6)
        with pytest.raises(InputError, match="features of 5 key frames, and the scene has 6"):
            encode(PointClouds(longer), encoder, tmp_path / "features")


class TestBadInput:
    def test_missing_scans_are_told_before_any_is_encoded(self, surround, encoder, tmp_path: Path) -> None:
        for frame in (1, 4):
            (surround.root / f"samples/LIDAR_TOP/{frame}.pcd.bin").unlink()
        with pytest.raises(InputError, match=r"1\.pcd\.bin: is not there\. So it is with 2 key frames in all"):
            encode(PointClouds(surround), encoder, tmp_path / "features")
        assert FeatureFolder(tmp_path / "features").scenes == []

    @pytest.mark.parametrize(("content", "fault"), [(b"", "holds no points"), (b"\0" * 30, "has 30 bytes")])
    def test_a_scan_that_is_empty_or_cut_off(
        self, surround, encoder, tmp_path: Path, content: bytes, fault: str
    ) -> None:
        (surround.root / "samples/LIDAR_TOP/4.pcd.bin").write_bytes(content)
        with pytest.raises(InputError, match=rf"4\.pcd\.bin: {fault}"):
            encode(PointClouds(surround), encoder, tmp_path / "features", batch=2)
        assert FeatureFolder(tmp_path / "features").scenes == []
        assert not _reading_ahead()

    def test_an_encoder_whose_embeddings_are_not_finite(self, surround, tmp_path: Path) -> None:
        broken = tiny_encoder()
        with torch.no_grad():
            next(broken.parameters()).fill_(torch.nan)
        with pytest.raises(InputError, match=f"the features of the scene '{SCENE}' are NaN"):
            encode(PointClouds(surround), broken, tmp_path / "features")

    def test_a_scene_that_there_is_not(self, surround, encoder, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="has no scene 'b'"):
            encode(PointClouds(surround), encoder, tmp_path / "features", scenes=["b"])

    def test_a_scene_without_key_frames(self, surround, encoder, tmp_path: Path, caplog) -> None:
        two = with_scenes(surround, ["a", "b"])
        empty = replace(
            two,
            scenes=two.scenes.with_columns(keyframes=pl.when(pl.col("scene") == "a").then(0).otherwise(5)),
            keyframes=two.keyframes.filter(pl.col("scene") == "b"),
        )
        with caplog.at_level(logging.WARNING):
            assert encode(PointClouds(empty), encoder, tmp_path / "features").scenes == ["b"]
        assert "1 scene without key frames, which get no features: a" in caplog.text

    def test_a_device_that_there_is_not(self, surround, encoder, tmp_path: Path) -> None:
        for device in ("nonsense", "cuda:99"):
            with pytest.raises(InputError, match=f"no device '{device}'"):
                encode(PointClouds(surround), encoder, tmp_path / "features", device=device)

    def test_out_of_memory_says_what_to_lower(self, surround, tmp_path: Path, monkeypatch) -> None:
        full = tiny_encoder()
        monkeypatch.setattr(full, "forward", _out_of_memory)
        with pytest.raises(RunError, match=r"does not suffice for 8 key frames at once\. Lower --batch from 8 to 4"):
            encode(PointClouds(surround), full, tmp_path / "features")

    def test_an_encoder_that_does_not_fit_into_the_memory(self, surround, tmp_path: Path, monkeypatch) -> None:
        large = tiny_encoder()
        monkeypatch.setattr(large, "to", _out_of_memory)
        with pytest.raises(RunError, match="the encoder does not fit into the memory of cpu"):
            encode(PointClouds(surround), large, tmp_path / "features", device="cpu")

    def test_what_cannot_go_together(self, surround, encoder, tower, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="images by an image tower"):
            encode(CameraImages(surround, "CAM_BACK"), encoder, tmp_path)
        with pytest.raises(InputError, match="at least 1"):
            encode(PointClouds(surround), encoder, tmp_path, batch=0)


def _reading_ahead() -> list[str]:
    return [thread.name for thread in threading.enumerate() if "reads-ahead" in thread.name]


def _out_of_memory(*_: object) -> None:
    raise torch.OutOfMemoryError("CUDA out of memory")


@pytest.mark.real_data
def test_real_scans(real_data: Callable[[str], Path], encoder: LidarEncoder, tmp_path: Path) -> None:
    kitti = open_scenes(real_data("kitti_0001_nuscenes_format"))
    features = encode(PointClouds(kitti), encoder, tmp_path / "kitti")
    rows = features.rows("scene-kitti-0001")
    assert rows.shape == (22, 6 * WIDTH)
    assert len(np.unique(rows, axis=0)) == 22
    mini = open_scenes(real_data("nuscenes_mini")).select(["scene-0061"])
    first = pl.col("frame") == 0
    one = replace(
        mini,
        scenes=mini.scenes.with_columns(keyframes=pl.lit(1, pl.Int32)),
        keyframes=mini.keyframes.filter(first),
        sensors=mini.sensors.filter(first),
    )
    for coverage, width in (("wedges", 6 * WIDTH), ("one-wedge", WIDTH)):
        features = encode(PointClouds(one, coverage), encoder, tmp_path / coverage)
        assert features.rows("scene-0061").shape == (1, width)
        assert features.record.coverage == coverage
