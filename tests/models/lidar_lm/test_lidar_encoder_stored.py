"""Encoders on disk: folders of this project and checkpoints of LidarCLIP, whole and broken."""

from __future__ import annotations

import json
import logging
import os
import pickle
from collections import OrderedDict
from pathlib import Path

import msgspec
import pytest
import torch
from lidar_encoder_making import (
    TINY,
    random_cloud,
    random_encoder,
    released_shapes,
    released_state_dict,
    write_checkpoint,
)

from probe4d.errors import InputError
from probe4d.models.lidar_lm.encoder import EncoderOptions, load_encoder, load_lidarclip, pack, save_encoder

POOLER = "lidar_encoder._pooler."
FIRST_LAYER = "lidar_encoder._sst.voxel_encoder.vfe_layers.0.linear.weight"


@pytest.fixture(scope="module")
def released() -> dict[str, torch.Tensor]:
    return released_state_dict()


@pytest.fixture(scope="module")
def checkpoint(released, tmp_path_factory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("released") / "lidarclip.ckpt", released)


@pytest.fixture
def folder(tmp_path) -> Path:
    save_encoder(random_encoder(), tmp_path / "encoder")
    return tmp_path / "encoder"


class _Runs:
    """Makes a file where it is unpickled with the code in it."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self):
        return os.system, (f"touch {self.marker}",)


class _Calls:
    """Where it is unpickled, calls what `getattr` finds in a class that checkpoints may hold."""

    def __reduce__(self):
        return OrderedDict.fromkeys, ("ab",)


def test_a_released_checkpoint_loads_in_full(released, checkpoint, caplog):
    with caplog.at_level(logging.INFO):
        encoder = load_lidarclip(checkpoint)
    loaded = {}
    for name, weight in encoder.state_dict().items():
        part = "" if name.startswith("pooler.") else "_sst."
        loaded[f"lidar_encoder.{part}{name}".replace("lidar_encoder.pooler.", POOLER)] = weight
    assert {name: tuple(weight.shape) for name, weight in loaded.items()} == released_shapes()
    assert all(torch.equal(weight, released[name]) for name, weight in loaded.items())
    assert not encoder.training
    told = [record.getMessage().removeprefix(f"{checkpoint}: ") for record in caplog.records]
    assert told == [
        "6 weights lidar_encoder._sst.bbox_head.* are not used.",
        "2 weights clip.* are not used.",
    ]
    assert {record.levelname for record in caplog.records} == {"INFO"}


def test_a_loaded_checkpoint_encodes_and_is_kept_as_a_folder(checkpoint, tmp_path):
    encoder = load_encoder(checkpoint)
    clouds = pack([random_cloud(500, 1, encoder.options)])
    save_encoder(encoder, tmp_path)
    again = load_encoder(tmp_path)
    with torch.no_grad():
        embeddings = encoder(clouds)
        assert embeddings.shape == (1, 768)
        assert torch.equal(embeddings, again(clouds))


def test_the_width_of_the_embedding_is_read_from_the_checkpoint(tmp_path):
    state = released_state_dict(out_channels=512)  # that of CLIP ViT-B/32
    assert load_lidarclip(write_checkpoint(tmp_path / "b32.ckpt", state)).options == EncoderOptions(out_channels=512)


def test_a_checkpoint_takes_the_behaviour_it_is_asked_for(checkpoint):
    options = EncoderOptions(compat="released")
    encoder = load_lidarclip(checkpoint, options)
    assert encoder.options == options
    assert encoder.fingerprint != load_lidarclip(checkpoint).fingerprint


def test_weights_of_other_modules_are_told(released, tmp_path, caplog):
    path = write_checkpoint(
        tmp_path / "more.ckpt", {**released, "teacher.a": torch.ones(1), "teacher.b": torch.ones(1)}
    )
    load_lidarclip(path)
    warned = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warned == [f"{path}: 2 weights teacher.* are not used."]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda state: state.pop(FIRST_LAYER),
            rf"lacks 1 weight: {FIRST_LAYER}\. It is a checkpoint of another architecture",
        ),
        (
            lambda state: [state.pop(name) for name in list(state) if name.startswith(POOLER)],
            rf"lacks 11 weights: {POOLER}c_proj.bias, .* and 6 more",
        ),
        (
            lambda state: state.update({"lidar_encoder._sst.backbone.block_list.4.encoder_list.0.x": torch.ones(1)}),
            r"has unexpected 1 weight: lidar_encoder._sst.backbone.block_list.4.encoder_list.0.x",
        ),
        (
            lambda state: state.update({"lidar_encoder.neck.x": torch.ones(1)}),
            "unexpected 1 weight: lidar_encoder.neck.x",
        ),
        (
            lambda state: state.update({FIRST_LAYER: torch.ones(64, 11)}),
            rf"{FIRST_LAYER} has the shape \(64, 11\); expected \(64, 10\)",
        ),
        (
            lambda state: state.update({f"{POOLER}positional_embedding": torch.ones(401, 768)}),
            rf"{POOLER}positional_embedding has the shape \(401, 768\); expected \(6401, 768\)",
        ),
        (
            lambda state: state.update({f"{POOLER}c_proj.bias": torch.ones(7)}),
            rf"{POOLER}c_proj.bias has the shape \(7,\); expected \(768,\)",
        ),
        (
            lambda state: state.update({f"{POOLER}c_proj.bias": torch.full((768,), torch.nan)}),
            rf"{POOLER}c_proj.bias holds NaN or infinite values",
        ),
        (
            lambda state: [state.pop(name) for name in list(state) if name.startswith("lidar_encoder.")],
            "holds no weights of a LiDAR encoder: none begins with 'lidar_encoder.'",
        ),
    ],
)
def test_checkpoints_of_other_architectures_are_refused_by_name(released, tmp_path, change, message):
    state = dict(released)
    change(state)
    path = write_checkpoint(tmp_path / "other.ckpt", state)
    with pytest.raises(InputError, match=message) as caught:
        load_encoder(path)
    assert caught.value.path == path


def test_sizes_other_than_asked_are_refused_by_name(checkpoint):
    with pytest.raises(InputError, match=rf"{FIRST_LAYER} has the shape \(64, 10\); expected \(6, 10\)"):
        load_lidarclip(checkpoint, EncoderOptions(point_channels=6))
    with pytest.raises(InputError, match=r"has unexpected 48 weights: .*block_list\.2\."):
        load_lidarclip(checkpoint, EncoderOptions(blocks=2))


def test_training_state_of_its_time_is_passed_over(released, tmp_path):
    """As PyTorch 1.9 kept it: a method of the scheduler, and with it scheduler and optimizer as objects."""
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.Adam([weight])
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-3, total_steps=10)
    weight.sum().backward()
    optimizer.step()
    scheduler.step()
    path = tmp_path / "trained.ckpt"
    state = {**scheduler.state_dict(), "anneal_func": scheduler.get_lr}
    torch.save({"state_dict": released, "optimizer_states": [optimizer.state_dict()], "lr_schedulers": [state]}, path)
    assert "torch.optim.adam.Adam" in torch.serialization.get_unsafe_globals_in_checkpoint(path)
    assert torch.equal(load_encoder(path).pooler.c_proj.bias, released[f"{POOLER}c_proj.bias"])
    with pytest.raises(pickle.UnpicklingError):  # elsewhere such a file is refused as before
        torch.load(path, weights_only=True)


def test_what_getattr_finds_in_a_checkpoint_is_not_called(released, tmp_path):
    path = tmp_path / "evil.ckpt"
    torch.save({"state_dict": released, "callbacks": _Calls()}, path)
    assert torch.serialization.get_unsafe_globals_in_checkpoint(path) == ["builtins.getattr"]
    with pytest.raises(InputError, match="code in a file is never run"):
        load_encoder(path)


@pytest.mark.parametrize("as_zip", [True, False])
def test_code_in_a_checkpoint_is_refused_and_not_run(released, tmp_path, as_zip):
    marker, path = tmp_path / "was_run", tmp_path / "evil.ckpt"
    content = {"state_dict": {FIRST_LAYER: released[FIRST_LAYER]}, "callbacks": _Runs(marker)}
    if as_zip:
        torch.save(content, path)
    else:
        path.write_bytes(pickle.dumps(_Runs(marker)))
    with pytest.raises(InputError, match="holds more than weights: code in a file is never run") as caught:
        load_encoder(path)
    assert caught.value.path == path
    assert not marker.exists()


def test_files_that_are_no_checkpoints_are_refused(checkpoint, tmp_path):
    whole = checkpoint.read_bytes()
    broken = {
        "empty": b"",
        "text": b"version https://git-lfs.github.com/spec/v1\n",
        "cut": whole[: len(whole) // 2],
        "start": whole[:100],
    }
    for name, content in broken.items():
        path = tmp_path / f"{name}.ckpt"
        path.write_bytes(content)
        with pytest.raises(InputError, match=name):
            load_encoder(path)
    lightning = "expected a PyTorch Lightning checkpoint"
    for content, message in (
        ([1], lightning),
        ({"epoch": 1}, lightning),
        ({"state_dict": {"a": 1}}, "no dictionary of weights by name"),
    ):
        path = tmp_path / "other.ckpt"
        torch.save(content, path)
        with pytest.raises(InputError, match=message):
            load_encoder(path)


def test_an_encoder_is_read_as_it_was_written(folder):
    encoder, again = random_encoder(), load_encoder(folder)
    clouds = pack([random_cloud(100, 1), random_cloud(10, 2)])
    with torch.no_grad():
        assert torch.equal(encoder(clouds), again(clouds))
    assert again.options == TINY
    assert not again.training
    assert sorted(file.name for file in folder.iterdir()) == ["encoder.json", "encoder.safetensors"]


def test_the_fingerprint_tells_options_and_weights():
    encoder = random_encoder()
    fingerprint = encoder.fingerprint
    assert len(fingerprint) == 16
    assert fingerprint == random_encoder().fingerprint
    assert fingerprint != random_encoder(msgspec.structs.replace(TINY, compat="released")).fingerprint
    with torch.no_grad():
        encoder.pooler.c_proj.bias[0] += 1e-6
    assert encoder.fingerprint != fingerprint


def test_weights_of_another_encoder_are_refused(folder):
    save_encoder(random_encoder(seed=1), folder.parent / "other")
    (folder.parent / "other" / "encoder.safetensors").replace(folder / "encoder.safetensors")
    with pytest.raises(InputError, match=r"has the fingerprint [0-9a-f]{16}, but encoder.json beside it describes"):
        load_encoder(folder)


def test_weights_of_other_sizes_are_refused_by_name(folder):
    record = json.loads((folder / "encoder.json").read_text())
    record["options"]["channels"] = 16
    (folder / "encoder.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=r"linear.weight has the shape \(8, 12\); expected \(16, 12\)"):
        load_encoder(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no record of an encoder"),
        (b"[]", "is no record of an encoder"),
        (b'{"version": 2}', "another version of Probe4D"),
        (b'{"options": {"out_channels": 10000000000000}, "fingerprint": ""}', "at most 65,536, not 10000000000000"),
        (b'{"options": {"out_channels": 65536}, "fingerprint": ""}', r"expected \(6401, 65536\)|lacks|unexpected"),
        (b'{"options": {"grid": {"range_m": [0, 0, -2, 1e300, 20, 4]}}, "fingerprint": ""}', "into 1 to 4,096 cells"),
        (b'{"options": {}}', "missing required field `fingerprint`"),
        (b'{"options": {"chanels": 3}, "fingerprint": ""}', "unknown field `chanels`"),
        (b'{"options": {"compat": "other"}, "fingerprint": ""}', "Invalid enum value 'other'"),
        (b'{"options": {"heads": 0}, "fingerprint": ""}', "heads of an encoder must be at least 1"),
    ],
)
def test_broken_records_are_refused(folder, content, message):
    (folder / "encoder.json").write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        load_encoder(folder)
    assert caught.value.path is not None
    assert caught.value.path.parent == folder


def test_broken_and_missing_files_are_named(folder, tmp_path):
    with pytest.raises(InputError, match=r"there is no encoder here .* Name the folder of a trained encoder"):
        load_encoder(tmp_path / "nowhere")
    weights = folder / "encoder.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    with pytest.raises(InputError, match=r"encoder.safetensors: is broken"):
        load_encoder(folder)
    weights.unlink()
    with pytest.raises(InputError, match=r"encoder.safetensors: is missing; weights are expected here"):
        load_encoder(folder)
