from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, get_args

import pytest
import torch
from lidar_making import Canary, saying, stir
from safetensors.torch import save_file

from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.lidar_lm.checkpoints.checkpoint import load_lidar_lm, save
from probe4d.models.lidar_lm.checkpoints.released import save_released_checkpoint
from probe4d.models.lidar_lm.language_model import LidarLanguageModel

WIDTH = 6


@pytest.fixture(scope="module")
def adapted(tiny_base: Path) -> LidarLanguageModel:
    return stir(LidarLanguageModel.from_base(tiny_base, WIDTH, seed=5).with_lora(rank=4, alpha=8))


@pytest.fixture(scope="module")
def written(adapted: LidarLanguageModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`stage1` and `stage2` in the released layout, to be read only."""
    folder = tmp_path_factory.mktemp("released") / "checkpoints"
    save_released_checkpoint(adapted, folder)
    return folder


@pytest.fixture
def released(written: Path, tmp_path: Path) -> Path:
    """The two folders under LiDAR-Hallu's names; gives that of LoRA."""
    name = "vtimellm-vicuna-v1-5-7b"
    shutil.copytree(written / "stage1", tmp_path / f"{name}-stage1")
    return shutil.copytree(written / "stage2", tmp_path / f"{name}-stage2-combined")


def test_the_files_have_the_released_names_and_keys(written: Path, adapted: LidarLanguageModel) -> None:
    held = {path.relative_to(written).as_posix() for path in written.rglob("*") if path.is_file()}
    assert held == {
        "stage1/config.json",
        "stage1/mm_projector.bin",
        "stage2/adapter_config.json",
        "stage2/adapter_model.bin",
        "stage2/config.json",
        "stage2/non_lora_trainables.bin",
    }
    projector = torch.load(written / "stage1" / "mm_projector.bin", weights_only=True)
    assert {name: tuple(weight.shape) for name, weight in projector.items()} == {
        "model.mm_projector.weight": (32, WIDTH),
        "model.mm_projector.bias": (32,),
    }
    lora = torch.load(written / "stage2" / "adapter_model.bin", weights_only=True)
    assert lora["base_model.model.model.layers.1.self_attn.q_proj.lora_A.weight"].shape == (4, 32)
    assert lora["base_model.model.model.layers.0.mlp.down_proj.lora_B.weight"].shape == (32, 4)
    assert len(lora) == 2 * 7 * 2
    assert torch.load(written / "stage2" / "non_lora_trainables.bin", weights_only=True) == {}
    for stage in ("stage1", "stage2"):
        assert json.loads((written / stage / "config.json").read_text())["model_type"] == "VTimeLLM"


def test_a_released_checkpoint_gives_the_model_back(
    released: Path, adapted: LidarLanguageModel, tiny_base: Path
) -> None:
    read = load_lidar_lm(released, base=tiny_base)
    assert torch.equal(saying(read), saying(adapted))
    assert (read.layout, read.template, read.ego_text, read.encoder) == ("hallu", "v1", "none", None)
    assert not read.training


def test_the_projectors_stage_is_read_alone(released: Path, adapted: LidarLanguageModel, tiny_base: Path) -> None:
    read = load_lidar_lm(released.with_name("vtimellm-vicuna-v1-5-7b-stage1"), base=tiny_base)
    assert read.lora is None
    assert torch.equal(read.projector.weight, adapted.projector.weight)


@pytest.mark.parametrize(
    ("name", "assumed", "why"),
    [("stage2-combined", "none", "has no word metatoken"), ("stage2-metatoken", "question", "has the word metatoken")],
)
def test_what_is_taken_from_the_folders_name_is_told_once_and_can_be_said_otherwise(
    released: Path, tiny_base: Path, caplog: pytest.LogCaptureFixture, name: str, assumed: str, why: str
) -> None:
    folder = released.rename(released.with_name(f"vtimellm-vicuna-v1-5-7b-{name}"))
    assert load_lidar_lm(folder, base=tiny_base).ego_text == assumed
    (told,) = caplog.messages
    assert str(folder) in told
    assert f"Taken is {assumed}" in told
    assert why in told
    caplog.clear()
    for said in get_args(EgoText):
        assert load_lidar_lm(folder, base=tiny_base, ego_text=said).ego_text == said
    assert not caplog.messages


def test_of_a_projector_alone_nothing_is_assumed_aloud(
    released: Path, tiny_base: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert load_lidar_lm(released.with_name("vtimellm-vicuna-v1-5-7b-stage1"), base=tiny_base).ego_text == "none"
    assert not caplog.messages


@pytest.mark.parametrize("lora", [True, False])
@pytest.mark.parametrize("asked", [{}, {"ego_text": "question"}, {"encoder": "0123456789abcdef"}])
def test_what_the_layout_holds_comes_back(tiny_base: Path, tmp_path: Path, asked: dict[str, Any], lora: bool) -> None:
    model = LidarLanguageModel.from_base(tiny_base, WIDTH, seed=3, **asked)
    save_released_checkpoint(stir(model.with_lora(rank=4, alpha=8)) if lora else model.eval(), tmp_path / "written")
    last = max((tmp_path / "written").iterdir())
    read = load_lidar_lm(last, base=tiny_base)
    assert torch.equal(saying(read), saying(model))
    for name in ("layout", "template", "ego_text", "encoder", "feature_width", "base"):
        assert getattr(read, name) == getattr(model, name)
    assert (read.lora is not None) == lora


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"layout": "paper"}, "cannot hold the model's layout paper: what reads it would ask the model with hallu"),
        ({"template": "plain"}, "cannot hold the model's template plain: .* with v1"),
        ({"ego_text": "paper"}, "cannot hold the model's ego text paper: .* with none or question"),
    ],
)
def test_what_the_layout_cannot_hold_is_refused_by_name(
    tiny_base: Path, tmp_path: Path, asked: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        save_released_checkpoint(LidarLanguageModel.from_base(tiny_base, WIDTH, **asked), tmp_path / "written")
    assert not (tmp_path / "written").exists()


def test_a_checkpoint_that_says_its_ego_text_is_told_no_other(released: Path, tiny_base: Path, tmp_path: Path) -> None:
    save(load_lidar_lm(released, base=tiny_base, ego_text="question"), tmp_path / "own")
    with pytest.raises(InputError, match=r"says itself that it was trained with the ego text question.*Leave ego_text"):
        load_lidar_lm(tmp_path / "own", ego_text="none")
    assert load_lidar_lm(tmp_path / "own").ego_text == "question"


def test_a_released_checkpoint_can_be_kept_in_the_own_layout(released: Path, tiny_base: Path, tmp_path: Path) -> None:
    read = load_lidar_lm(released, base=tiny_base)
    save(read, tmp_path / "own")
    assert torch.equal(saying(load_lidar_lm(tmp_path / "own")), saying(read))


@pytest.mark.parametrize("prefix", ["mm_projector.", "base_model.model.model.mm_projector."])
def test_a_projector_trained_with_lora_takes_the_place_of_the_first_stages(
    released: Path, tiny_base: Path, prefix: str
) -> None:
    other = {f"{prefix}weight": torch.ones(32, 3), f"{prefix}bias": torch.zeros(32)}
    torch.save(other, released / "non_lora_trainables.bin")
    assert torch.equal(load_lidar_lm(released, base=tiny_base).projector.weight, torch.ones(32, 3))


def test_the_projector_may_lie_beside_lora(released: Path, tiny_base: Path, adapted: LidarLanguageModel) -> None:
    stage1 = released.with_name("vtimellm-vicuna-v1-5-7b-stage1")
    (stage1 / "mm_projector.bin").rename(released / "mm_projector.bin")
    (released / "non_lora_trainables.bin").unlink()
    assert torch.equal(saying(load_lidar_lm(released, base=tiny_base)), saying(adapted))


def test_lora_in_safetensors_is_read_too(released: Path, tiny_base: Path, adapted: LidarLanguageModel) -> None:
    path = released / "adapter_model.bin"
    save_file(torch.load(path, weights_only=True), released / "adapter_model.safetensors")
    path.unlink()
    assert torch.equal(saying(load_lidar_lm(released, base=tiny_base)), saying(adapted))


def test_a_missing_projector_is_never_drawn_at_random(released: Path, tiny_base: Path) -> None:
    shutil.rmtree(released.with_name("vtimellm-vicuna-v1-5-7b-stage1"))
    with pytest.raises(InputError, match=r"has no projector; mm_projector\.bin is expected in it or in .*-stage1\."):
        load_lidar_lm(released, base=tiny_base)


def test_the_base_has_to_be_named(released: Path) -> None:
    told = r"needs the language model that it was made of, which it calls '.*base'\. .*--base, or -M base=DIR"
    with pytest.raises(InputError, match=told):
        load_lidar_lm(released)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"hidden_size": 4096}, "for a language model with hidden_size 4096; the base has 32"),
        ({"num_hidden_layers": 32}, "num_hidden_layers 32; the base has 2"),
        ({"vocab_size": 32000}, "vocab_size 32000; the base has"),
        ({"model_type": "chatglm"}, "model_type is 'chatglm'; expected 'VTimeLLM'"),
        ({"hidden_size": "x"}, "is no configuration of a language model"),
    ],
)
def test_a_checkpoint_of_another_language_model_is_refused(
    released: Path, tiny_base: Path, change: dict[str, Any], told: str
) -> None:
    path = released / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=told):
        load_lidar_lm(released, base=tiny_base)


@pytest.mark.parametrize("name", ["stage1/mm_projector.bin", "adapter_model.bin", "non_lora_trainables.bin"])
@pytest.mark.parametrize("zipped", [True, False])
def test_a_file_with_code_in_it_is_refused_and_not_run(
    released: Path, tiny_base: Path, tmp_path: Path, name: str, zipped: bool
) -> None:
    folder = released.with_name("vtimellm-vicuna-v1-5-7b-stage1") if name.startswith("stage1") else released
    path = folder / Path(name).name
    hostile = torch.load(path, weights_only=True) | {"model.mm_projector.extra": Canary(tmp_path / "ran")}
    torch.save(hostile, path, _use_new_zipfile_serialization=zipped)
    with pytest.raises(InputError, match="broken, or holds more than weights: code in a file is never run") as refusal:
        load_lidar_lm(released, base=tiny_base)
    assert refusal.value.path == path
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["adapter_model.bin", "non_lora_trainables.bin"])
def test_a_file_that_is_cut_short_is_refused(released: Path, tiny_base: Path, name: str) -> None:
    whole = (released / name).read_bytes()
    for length in (0, 10, len(whole) // 2):
        (released / name).write_bytes(whole[:length])
        with pytest.raises(InputError, match="is broken"):
            load_lidar_lm(released, base=tiny_base)


def test_other_weights_that_were_trained_are_not_dropped(released: Path, tiny_base: Path) -> None:
    torch.save({"base_model.model.model.embed_tokens.weight": torch.ones(2)}, released / "non_lora_trainables.bin")
    with pytest.raises(InputError, match=r"no projector's, such as base_model\.model\.model\.embed_tokens"):
        load_lidar_lm(released, base=tiny_base)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"model.mm_projector.weight": torch.ones(31, 4)}, "lacks 1 weight: bias"),
        ({"model.mm_projector.bias": torch.ones(32)}, "lacks 1 weight: weight"),
        (
            {"model.mm_projector.weight": torch.ones(31, 4), "model.mm_projector.bias": torch.ones(32)},
            r"weight has the shape \(31, 4\); expected \(32, 4\)",
        ),
        (
            {"model.mm_projector.weight": torch.ones(()), "model.mm_projector.bias": torch.ones(32)},
            r"weight has the shape \(\); expected",
        ),
    ],
)
def test_a_projector_that_does_not_fit_is_refused(
    released: Path, tiny_base: Path, weights: dict[str, torch.Tensor], told: str
) -> None:
    torch.save(weights, released / "mm_projector.bin")
    with pytest.raises(InputError, match=told):
        load_lidar_lm(released, base=tiny_base)


@pytest.mark.parametrize("made", ["merged", "trained in full"])
def test_own_weights_have_no_place_in_the_released_layout(tiny_base: Path, tmp_path: Path, made: str) -> None:
    model = LidarLanguageModel.from_base(tiny_base, WIDTH)
    if made == "merged":
        model = model.with_lora(4).merged()
    else:
        model.language_model.requires_grad_(True)
    with pytest.raises(InputError, match="has no place for a language model's own weights"):
        save_released_checkpoint(model, tmp_path / "released")
    assert not (tmp_path / "released").exists()
