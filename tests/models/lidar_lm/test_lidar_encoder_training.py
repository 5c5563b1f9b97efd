"""Encoders that learn to embed what a camera sees as an image tower embeds its image."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from feature_making import WIDTH, tiny_encoder, write_tiny_clip
from picture_making import YAWS_DEG, write_dataset, write_scan
from probe4d.errors import InputError, RunError
from probe4d.evidence.point_clouds import PointClouds
from probe4d.models.lidar_lm.encoder import load_encoder, pack
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.models.lidar_lm.image_tower import ImageTower, load_image_tower
from probe4d.models.lidar_lm.training.encoder import embed_images, new_encoder, train_encoder
from probe4d.models.lidar_lm.training.encoder_loop import EncoderLoss, one_cycle
from probe4d.models.lidar_lm.training.encoder_options import EncoderTraining
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

FRAMES = 6
SHORT = EncoderTraining(epochs=3, batch=2, checkpoint_every=4)
Targets = dict[str, FeatureFolder]


def distinct(root: Path) -> Scenes:
    """Six cameras that each see one colour, where the LiDAR sees a wall whose distance goes with the colour."""
    scenes = write_dataset(root, frames=FRAMES)
    rng = np.random.default_rng(0)
    for frame in range(FRAMES):
        walls = []
        for number, yaw_deg in enumerate(YAWS_DEG.values()):
            bearing = np.radians(yaw_deg + rng.uniform(-12, 12, 40))
            distance = 4 + 5 * number + rng.uniform(-0.5, 0.5, 40)
            height = rng.uniform(0.5, 4, 40)
            walls.append(np.stack([distance * np.cos(bearing), distance * np.sin(bearing), height], axis=1))
        write_scan(root / f"samples/LIDAR_TOP/{frame}.pcd.bin", np.concatenate(walls))
    return scenes


@pytest.fixture(scope="module")
def tower(tmp_path_factory: pytest.TempPathFactory) -> ImageTower:
    return load_image_tower(write_tiny_clip(tmp_path_factory.mktemp("clip") / "clip"))


@pytest.fixture(scope="module")
def clouds(tmp_path_factory: pytest.TempPathFactory) -> PointClouds:
    return PointClouds(distinct(tmp_path_factory.mktemp("distinct")))


@pytest.fixture(scope="module")
def targets(clouds: PointClouds, tower: ImageTower, tmp_path_factory: pytest.TempPathFactory) -> Targets:
    return embed_images(clouds, tower, tmp_path_factory.mktemp("targets"))


class TestSchedule:
    @pytest.mark.parametrize(("steps", "warmup_ratio"), [(40, 0.1), (97, 0.3), (1000, 0.1)])
    def test_is_the_one_cycle_of_torch(self, steps: int, warmup_ratio: float) -> None:
        optimizer = torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))])
        expected = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-3, total_steps=steps, pct_start=warmup_ratio)
        options = EncoderTraining(warmup_ratio=warmup_ratio)
        for step in range(1, steps + 1):
            group = optimizer.param_groups[0]
            assert one_cycle(step, steps, options) == pytest.approx((group["lr"], group["betas"][0]), rel=1e-9)
            optimizer.step()
            if step < steps:
                expected.step()

    @pytest.mark.parametrize("steps", [1, 2, 5, 10])
    def test_short_ones_end_low(self, steps: int) -> None:
        rates = [one_cycle(step, steps, EncoderTraining())[0] for step in range(1, steps + 1)]
        assert all(0 < rate <= 1e-3 for rate in rates)
        assert all(later < earlier for earlier, later in pairwise(rates))


class TestTraining:
    def test_embeddings_come_near_those_of_the_images(self, clouds, targets: Targets, tmp_path: Path) -> None:
        losses: list[EncoderLoss] = []
        options = EncoderTraining(epochs=90, batch=3, learning_rate=1e-2)  # running means need steps
        encoder = train_encoder(
            clouds, targets, tmp_path / "encoder", encoder=tiny_encoder(), options=options, done=losses.append
        )
        assert [loss.step for loss in losses] == list(range(1, 181))
        assert losses[-1].loss < losses[0].loss / 10
        assert (losses[-1].epoch, losses[-1].pairs) == (90, 18)
        logged = [json.loads(line) for line in (tmp_path / "encoder/losses.jsonl").read_text().splitlines()]
        assert [line["loss"] for line in logged] == [loss.loss for loss in losses]
        with Image.open(tmp_path / "encoder/losses.png") as picture:
            assert picture.width > 1000
        read = load_encoder(tmp_path / "encoder")
        assert read.fingerprint == encoder.fingerprint
        wedges = clouds.of(clouds.scenes.names[0], 0)
        with torch.inference_mode():
            embedded = read(pack([wedge.points for wedge in wedges])).numpy()
        wanted = np.concatenate([targets[wedge.channel].rows(clouds.scenes.names[0], [0]) for wedge in wedges])
        nearest = np.linalg.norm(embedded[:, None] - wanted[None], axis=2).argmin(axis=1)
        assert nearest.tolist() == list(range(6))

    @pytest.mark.parametrize("stop_after", [1, 4, 6])
    def test_one_that_was_broken_off_ends_with_the_same_weights(
        self, clouds, targets: Targets, tmp_path: Path, stop_after: int
    ) -> None:
        def break_off(loss: EncoderLoss) -> None:
            if loss.step == stop_after:
                raise KeyboardInterrupt

        def train(folder: Path, **told: Callable[..., None]) -> tuple[str, list[float]]:
            encoder = train_encoder(clouds, targets, folder, encoder=tiny_encoder(), options=SHORT, **told)
            lines = (folder / "losses.jsonl").read_text().splitlines()
            return encoder.fingerprint, [json.loads(line)["loss"] for line in lines]

        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "broken", done=break_off)
        begun: list[tuple[int, int]] = []
        gone_on = train(tmp_path / "broken", begun=lambda *counts: begun.append(counts))
        assert begun == [(9, stop_after // 4 * 4)]
        assert gone_on == train(tmp_path / "whole")

    def test_one_that_is_done_is_not_done_again(self, clouds, targets: Targets, tmp_path: Path) -> None:
        out = tmp_path / "encoder"
        first = train_encoder(clouds, targets, out, encoder=tiny_encoder(), options=SHORT)
        assert {path.name for path in out.iterdir()} == {
            ".lock",
            "encoder.json",
            "encoder.safetensors",
            "encoder_training.json",
            "losses.jsonl",
            "losses.png",
        }
        before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
        begun: list[tuple[int, int]] = []
        steps: list[EncoderLoss] = []
        again = train_encoder(
            clouds,
            targets,
            out,
            encoder=tiny_encoder(),
            options=SHORT,
            begun=lambda *counts: begun.append(counts),
            done=steps.append,
        )
        assert (again.fingerprint, again.training) == (first.fingerprint, False)
        assert (begun, steps) == ([(9, 9)], [])
        assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == before

    @pytest.mark.parametrize("broken_off_at", ["encoder.json", "training_state.safetensors"])
    def test_one_that_was_broken_off_at_its_end(
        self, clouds, targets: Targets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken_off_at: str
    ) -> None:
        """Before the encoder's record is in its place, and before the state is taken away."""
        method = "replace" if broken_off_at == "encoder.json" else "unlink"
        usual = getattr(Path, method)

        def break_off(path: Path, *arguments: Path, **told: bool) -> Path | None:
            if broken_off_at in (path.name, *(one.name for one in arguments)):
                raise KeyboardInterrupt
            return usual(path, *arguments, **told)

        out = tmp_path / "encoder"
        with monkeypatch.context() as patched:
            patched.setattr(Path, method, break_off)
            with pytest.raises(KeyboardInterrupt):
                train_encoder(clouds, targets, out, encoder=tiny_encoder(), options=SHORT)
        assert (out / "training_state.safetensors").exists()
        steps: list[EncoderLoss] = []
        gone_on = train_encoder(clouds, targets, out, encoder=tiny_encoder(), options=SHORT, done=steps.append)
        whole = train_encoder(clouds, targets, tmp_path / "whole", encoder=tiny_encoder(), options=SHORT)
        assert (gone_on.fingerprint, steps) == (whole.fingerprint, [])
        assert {path.name for path in out.iterdir()} == {path.name for path in (tmp_path / "whole").iterdir()}

    def test_the_seed_is_that_of_the_order(self, clouds, targets: Targets, tmp_path: Path) -> None:
        made = set()
        for seed in (1, 2):
            options = EncoderTraining(epochs=1, batch=2, seed=seed)
            encoder = train_encoder(clouds, targets, tmp_path / f"{seed}", encoder=tiny_encoder(), options=options)
            made.add(encoder.fingerprint)
        assert len(made) == 2

    def test_bf16(self, clouds, targets: Targets, tmp_path: Path) -> None:
        losses: dict[str, list[float]] = {"fp32": [], "bf16": []}
        for precision, of_precision in losses.items():
            options = EncoderTraining(epochs=2, batch=3, precision=precision)
            train_encoder(
                clouds,
                targets,
                tmp_path / precision,
                encoder=tiny_encoder(),
                options=options,
                done=lambda loss, of_precision=of_precision: of_precision.append(loss.loss),
            )
        assert losses["bf16"] == pytest.approx(losses["fp32"], rel=0.05)
        assert losses["bf16"] != pytest.approx(losses["fp32"], rel=1e-5)

    def test_squares_of_all_cameras_as_released(self, tower: ImageTower, tmp_path: Path) -> None:
        scenes = distinct(tmp_path / "data")
        intrinsics = [200.0, 0.0, 160.0, 0.0, 200.0, 90.0, 0.0, 0.0, 1.0]
        scenes = replace(scenes, sensors=scenes.sensors.with_columns(intrinsics=intrinsics))
        squares = PointClouds(scenes, "one-wedge", squares_of=tuple(YAWS_DEG))
        losses: list[EncoderLoss] = []
        train_encoder(
            squares,
            embed_images(squares, tower, tmp_path / "targets"),
            tmp_path / "encoder",
            encoder=tiny_encoder(),
            options=EncoderTraining(epochs=1, batch=3),
            done=losses.append,
        )
        assert [loss.pairs for loss in losses] == [18, 18]

    def test_a_new_encoder_has_the_width_of_the_tower(self) -> None:
        state = torch.random.get_rng_state()
        made = [new_encoder(16, seed=seed) for seed in (1, 1, 2)]
        assert made[0].options.out_channels == 16
        assert made[0].fingerprint == made[1].fingerprint != made[2].fingerprint
        assert torch.equal(torch.random.get_rng_state(), state)


class TestBadInput:
    def test_another_training_in_the_folder(self, clouds, targets: Targets, tmp_path: Path) -> None:
        train_encoder(clouds, targets, tmp_path / "encoder", encoder=tiny_encoder(), options=SHORT)
        for told, other in (
            ({"options": EncoderTraining(epochs=2)}, r"epochs \d+, now 2"),
            ({"encoder": tiny_encoder(seed=1)}, "other start"),
        ):
            given = {"encoder": tiny_encoder(), "options": SHORT} | told
            with pytest.raises(InputError, match=f"asked otherwise: .*{other}"):
                train_encoder(clouds, targets, tmp_path / "encoder", **given)

    def test_something_else_in_the_folder(self, clouds, targets: Targets, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").touch()
        with pytest.raises(InputError, match="not empty"):
            train_encoder(clouds, targets, tmp_path, encoder=tiny_encoder())

    def test_targets_of_another_width_or_dataset(self, clouds, targets: Targets, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=f"width {WIDTH}, and the model takes width 16"):
            train_encoder(clouds, targets, tmp_path, encoder=tiny_encoder(out_channels=16))
        other = PointClouds(replace(clouds.scenes, fingerprint="1" * 64))
        with pytest.raises(InputError, match="another dataset"):
            train_encoder(other, targets, tmp_path, encoder=tiny_encoder())

    def test_nothing_to_learn_from(self, clouds, targets: Targets, tmp_path: Path) -> None:
        name, target = next(iter(targets.items()))
        nowhere = replace(clouds.scenes, scenes=clouds.scenes.scenes.clear(), keyframes=clouds.scenes.keyframes.clear())
        for given, of, words in (
            (clouds, {}, "no embeddings of images"),
            (clouds, {name: target, "CAM_ROOF": target}, "embeddings of images of CAM_ROOF, and point clouds of"),
            (PointClouds(nowhere), targets, "no scene has a key frame"),
        ):
            with pytest.raises(InputError, match=words):
                train_encoder(given, of, tmp_path / "encoder", encoder=tiny_encoder())
        assert not (tmp_path / "encoder").exists()

    def test_too_little_memory(self, clouds, targets: Targets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: object) -> None:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

        encoder = tiny_encoder()
        monkeypatch.setattr(encoder, "forward", full)
        with pytest.raises(RunError, match=r"2 key frames at once\. Take a --batch below 2, .* in another folder"):
            train_encoder(clouds, targets, tmp_path / "encoder", encoder=encoder, options=SHORT)

    def test_too_little_memory_for_images(
        self, clouds, tower: ImageTower, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

        monkeypatch.setattr(ImageTower, "embed", full)
        with pytest.raises(RunError, match=r"from 16 to 8 \(of `probe4d train encoder`, --image-batch\)"):
            embed_images(clouds, tower, tmp_path)

    def test_a_dataset_without_cameras(self, scenes: Scenes, tower: ImageTower, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"no scene has images of .*Take a dataset with cameras"):
            embed_images(PointClouds(scenes), tower, tmp_path)
        with pytest.raises(InputError, match="has no cameras"):
            PointClouds(scenes, "one-wedge", squares_of=())

    def test_a_loss_that_is_not_finite_stops_it(self, clouds, targets: Targets, tmp_path: Path) -> None:
        broken = tiny_encoder()
        with torch.no_grad():
            next(broken.parameters()).fill_(torch.inf)
        with pytest.raises(RunError, match=r"loss is nan at step 1 of 9\. Lower the learning rate"):
            train_encoder(clouds, targets, tmp_path / "encoder", encoder=broken, options=SHORT)
        assert not (tmp_path / "encoder/encoder.json").exists()

    @pytest.mark.parametrize(
        "options",
        [{"epochs": 0}, {"batch": 0}, {"checkpoint_every": -1}, {"learning_rate": float("nan")}, {"warmup_ratio": 1.0}],
    )
    def test_options_that_cannot_be(self, options: dict[str, float]) -> None:
        with pytest.raises(InputError, match=r"of a training must be|share of the steps"):
            EncoderTraining(**options)


@pytest.mark.real_data
def test_a_real_camera(
    real_data: Callable[[str], Path], tower: ImageTower, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clouds = PointClouds(open_scenes(real_data("kitti_0001_nuscenes_format")))
    with caplog.at_level(logging.WARNING):
        targets = embed_images(clouds, tower, tmp_path / "encoder/targets")
    assert list(targets) == ["CAM_FRONT"]
    assert "no camera sees what lies there" in caplog.text
    losses: list[EncoderLoss] = []
    options = EncoderTraining(epochs=2, batch=11)
    train_encoder(clouds, targets, tmp_path / "encoder", encoder=tiny_encoder(), options=options, done=losses.append)
    assert [loss.pairs for loss in losses] == [11] * 4
