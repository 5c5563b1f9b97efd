from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from lidar_making import saying, stir, tiny_llama, write_tiny_base
from peft import PeftModel
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

from probe4d.errors import InputError
from probe4d.models.lidar_lm.checkpoints.checkpoint import load_lidar_lm, save
from probe4d.models.lidar_lm.language_model import LidarLanguageModel

WIDTH = 6
ASKED: dict[str, Any] = {"layout": "paper", "template": "v1", "ego_text": "question", "encoder": "0123456789abcdef"}


@pytest.fixture(scope="module")
def adapted(tiny_base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint with LoRA, to be read only."""
    model = stir(LidarLanguageModel.from_base(tiny_base, WIDTH, **ASKED).with_lora(rank=4, alpha=8, dropout=0.1))
    folder = tmp_path_factory.mktemp("adapted") / "checkpoint"
    save(model, folder)
    return folder


@pytest.fixture
def copied(adapted: Path, tmp_path: Path) -> Path:
    return shutil.copytree(adapted, tmp_path / "checkpoint")


@pytest.fixture(scope="module")
def broken(adapted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy whose files a test may damage, one at a time."""
    return shutil.copytree(adapted, tmp_path_factory.mktemp("broken") / "checkpoint")


def edit(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    path.write_text(json.dumps(change(json.loads(path.read_text()))))


@pytest.mark.parametrize("stage", ["projector", "lora"])
def test_a_checkpoint_gives_the_model_back(tiny_base: Path, tmp_path: Path, stage: str) -> None:
    model = LidarLanguageModel.from_base(tiny_base, WIDTH, seed=5, **ASKED)
    if stage == "lora":
        stir(model.with_lora(rank=4, alpha=8))
    save(model.eval(), tmp_path / "checkpoint")
    read = load_lidar_lm(tmp_path / "checkpoint")
    assert torch.equal(saying(read), saying(model))
    for name in ("layout", "template", "ego_text", "encoder", "feature_width", "base", "dtype"):
        assert getattr(read, name) == getattr(model, name)
    assert (read.lora is not None) == (stage == "lora")
    assert not read.training


def test_a_checkpoint_holds_what_was_trained_and_no_more(adapted: Path) -> None:
    held = {path.relative_to(adapted).as_posix() for path in adapted.rglob("*") if path.is_file()}
    assert held == {
        "lidar_lm.json",
        "projector.safetensors",
        "adapter/adapter_config.json",
        "adapter/adapter_model.safetensors",
    }


def test_training_goes_on_from_a_checkpoint(adapted: Path, tmp_path: Path) -> None:
    model = load_lidar_lm(adapted)
    trained = {name for name, weight in model.named_parameters() if weight.requires_grad}
    assert trained
    assert all("lora" in name for name in trained)
    save(model, tmp_path / "again")
    for name in ("adapter/adapter_model.safetensors", "projector.safetensors", "lidar_lm.json"):
        assert (tmp_path / "again" / name).read_bytes() == (adapted / name).read_bytes()


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
def test_peft_reads_the_adapter(adapted: Path, tiny_base: Path) -> None:
    own = load_lidar_lm(adapted)
    peers = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(tiny_base), adapted / "adapter").eval()
    ids = torch.arange(20)[None]
    with torch.inference_mode():
        assert not torch.equal(
            own.language_model(ids).logits, AutoModelForCausalLM.from_pretrained(tiny_base)(ids).logits
        )
        assert torch.equal(peers(ids).logits, own.language_model(ids).logits)


@pytest.mark.parametrize("made", ["merged", "without a base", "trained in full", "with new LoRA"])
def test_weights_of_its_own_are_written_in_full(
    tiny_base: Path, smollm_like: PreTrainedTokenizerFast, tmp_path: Path, made: str
) -> None:
    if made == "without a base":
        projector = torch.nn.Linear(WIDTH, 32)
        model = LidarLanguageModel(tiny_llama(smollm_like, seed=4), projector, smollm_like)
    else:
        model = stir(LidarLanguageModel.from_base(tiny_base, WIDTH).with_lora(4)).merged()
    if made == "trained in full":
        model = LidarLanguageModel.from_base(tiny_base, WIDTH)
        model.language_model.requires_grad_(True)
        model.language_model.model.norm.weight.data += 1
    if made == "with new LoRA":
        stir(model.with_lora(2))
    save(model.eval(), tmp_path / "checkpoint")
    read = load_lidar_lm(tmp_path / "checkpoint")
    assert torch.equal(saying(read), saying(model))
    assert read.base is None
    with pytest.raises(InputError, match="has its language model in full and takes no other"):
        load_lidar_lm(tmp_path / "checkpoint", base=tiny_base)


def test_half_precision_is_kept_or_changed_on_demand(tiny_base: Path, tmp_path: Path) -> None:
    save(LidarLanguageModel.from_base(tiny_base, WIDTH, torch.bfloat16), tmp_path / "half")
    assert load_lidar_lm(tmp_path / "half").dtype == torch.bfloat16
    assert load_file(tmp_path / "half" / "projector.safetensors")["weight"].dtype == torch.bfloat16
    whole = load_lidar_lm(tmp_path / "half", dtype=torch.float32)
    assert {weight.dtype for weight in whole.parameters()} == {torch.float32}


def test_a_base_that_was_moved_is_named(adapted: Path, tiny_base: Path, tmp_path: Path) -> None:
    moved = shutil.copytree(tiny_base, tmp_path / "moved")
    read = load_lidar_lm(adapted, base=moved)
    assert torch.equal(saying(read), saying(load_lidar_lm(adapted)))
    assert read.base is not None
    assert read.base.path == moved


def test_a_base_that_is_gone_is_asked_for(copied: Path) -> None:
    edit(copied / "lidar_lm.json", lambda record: record | {"base": record["base"] | {"path": "/no/such/base"}})
    with pytest.raises(InputError, match=r"not in /no/such/base\. Say where it is .*--base, or -M base=DIR"):
        load_lidar_lm(copied)


def test_another_base_of_the_same_shape_is_refused(
    adapted: Path, smollm_like: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    other = write_tiny_base(tmp_path / "other", smollm_like, seed=1)
    with pytest.raises(InputError, match=r"with the fingerprint [0-9a-f]{16} .*; that in .*other has [0-9a-f]{16}"):
        load_lidar_lm(adapted, base=other)


def test_a_language_model_of_another_width_is_refused(
    smollm_like: PreTrainedTokenizerFast, tiny_base: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "checkpoint"
    save(LidarLanguageModel.from_base(tiny_base, WIDTH).with_lora(4).merged(), folder)
    shutil.rmtree(folder / "language_model")
    write_tiny_base(folder / "language_model", smollm_like, hidden=16)
    with pytest.raises(InputError, match=r"for embeddings of width 32; the language model's have 16\."):
        load_lidar_lm(folder)


def test_a_folder_that_is_no_checkpoint_is_refused(tmp_path: Path, tiny_base: Path) -> None:
    for folder in (tmp_path, tmp_path / "absent", tiny_base):
        with pytest.raises(InputError, match=r"has no lidar_lm\.json"):
            load_lidar_lm(folder)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"layout": "other"}, "Invalid enum value 'other'.*layout"),
        ({"dtype": "int8"}, "dtype is 'int8'; expected float32, bfloat16 or float16"),
        ({"dtype": "load"}, "dtype is 'load'; expected"),
        ({"feature_width": "6"}, "Expected `int`"),
        ({"feature_width": 0}, "feature_width"),
        ({"feature_width": WIDTH + 1}, r"weight has the shape \(32, 6\); expected \(32, 7\)"),
        ({"feature_width": 10**6}, r"weight has the shape \(32, 6\); expected \(32, 1000000\)"),
        ({"feature_width": 10**13}, "feature_width"),
        ({"version": 2}, "another version of Probe4D .*of version 2, here of 1"),
    ],
)
def test_a_record_that_means_nothing_is_refused(copied: Path, change: dict[str, Any], told: str) -> None:
    edit(copied / "lidar_lm.json", lambda record: record | change)
    with pytest.raises(InputError, match=told):
        load_lidar_lm(copied)


def test_a_missing_projector_is_never_drawn_at_random(copied: Path) -> None:
    (copied / "projector.safetensors").unlink()
    with pytest.raises(InputError, match=r"projector\.safetensors: is missing"):
        load_lidar_lm(copied)


@pytest.mark.parametrize("name", ["projector.safetensors", "adapter/adapter_model.safetensors"])
def test_weights_that_are_cut_short_are_refused(copied: Path, name: str) -> None:
    whole = (copied / name).read_bytes()
    for length in (0, 4, len(whole) // 2, len(whole) - 1):
        (copied / name).write_bytes(whole[:length])
        with pytest.raises(InputError, match="is broken") as refusal:
            load_lidar_lm(copied)
        assert refusal.value.path == copied / name


@pytest.mark.parametrize("fault", ["lacks 1 weight", "has unexpected 1 weight", "has the shape", "NaN or infinite"])
def test_an_adapter_that_does_not_fit_is_refused(copied: Path, fault: str) -> None:
    path = copied / "adapter" / "adapter_model.safetensors"
    weights = load_file(path)
    name = sorted(weights)[0]
    if fault.startswith("lacks"):
        del weights[name]
    elif fault.startswith("has unexpected"):
        weights["base_model.model.model.layers.9.mlp.up_proj.lora_A.weight"] = weights[name].clone()
    elif fault == "has the shape":
        weights[name] = weights[name][:-1].contiguous()
    else:
        weights[name][0, 0] = torch.inf
    save_file(weights, path)
    with pytest.raises(InputError, match=fault):
        load_lidar_lm(copied)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"peft_type": "IA3"}, "peft_type is 'IA3'; expected 'LORA'"),
        ({"target_modules": ["q_proj", "v_proj"]}, "target_modules is .*'v_proj'.*; expected .*'down_proj'"),
        ({"bias": "all"}, "bias is 'all'; expected 'none'"),
        ({"use_dora": True}, "use_dora is True; expected False"),
        ({"use_rslora": True}, "use_rslora is True"),
        ({"rank_pattern": {"q_proj": 2}}, "rank_pattern is"),
        ({"modules_to_save": ["lm_head"]}, "modules_to_save is"),
        ({"r": 0}, "r`"),
        ({"lora_dropout": 1.5}, "lora_dropout"),
        ({"r": 8}, "r is 8; the weights beside it are of rank 4"),
        ({"r": 10**13}, "r is 10000000000000; the weights beside it are of rank 4"),
        ({"lora_alpha": 0}, "lora_alpha"),
        ({"alora_invocation_tokens": [1]}, "alora_invocation_tokens is .*not known here"),
        ({"init_lora_weights": "pissa"}, "init_lora_weights is 'pissa', which changes the language model"),
    ],
)
def test_an_adapter_of_another_kind_is_refused(copied: Path, change: dict[str, Any], told: str) -> None:
    edit(copied / "adapter" / "adapter_config.json", lambda config: config | change)
    with pytest.raises(InputError, match=told):
        load_lidar_lm(copied)


def test_what_else_peft_writes_does_not_matter(copied: Path) -> None:
    released = {
        "peft_version": "0.21.2",
        "lora_bias": False,
        "qalora_group_size": 16,
        "inference_mode": True,
        "init_lora_weights": True,
        "revision": None,
        "rank_pattern": {},
    }
    edit(copied / "adapter" / "adapter_config.json", lambda config: config | released)
    assert load_lidar_lm(copied).lora is not None


def test_a_checkpoint_without_its_adapter_is_refused(copied: Path) -> None:
    shutil.rmtree(copied / "adapter")
    with pytest.raises(InputError, match=r"adapter_config\.json: is missing"):
        load_lidar_lm(copied)


def test_a_checkpoint_replaces_an_older_one_whole(adapted: Path, copied: Path, tiny_base: Path) -> None:
    model = LidarLanguageModel.from_base(tiny_base, WIDTH, seed=9)
    save(model, copied)
    assert load_lidar_lm(copied).lora is None
    assert torch.equal(load_lidar_lm(copied).projector.weight, model.projector.weight)


def test_a_checkpoint_that_cannot_be_written_leaves_nothing(tiny_base: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError):
        save(LidarLanguageModel.from_base(tiny_base, WIDTH), tmp_path / "file" / "checkpoint")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


NAMES = ["lidar_lm.json", "projector.safetensors", "adapter/adapter_config.json", "adapter/adapter_model.safetensors"]


@settings(max_examples=40)
@given(st.sampled_from(NAMES), st.data())
def test_a_damaged_checkpoint_is_read_or_refused_in_words(broken: Path, adapted: Path, name: str, data: Any) -> None:
    whole = (adapted / name).read_bytes()
    place = data.draw(st.integers(0, min(len(whole), 900) - 1))  # what a safetensors file says of itself is before that
    damaged = whole[:place] + data.draw(st.binary(max_size=4)) + whole[place + data.draw(st.integers(0, 4)) :]
    (broken / name).write_bytes(damaged)
    try:
        load_lidar_lm(broken)
    except InputError:
        pass
    finally:
        (broken / name).write_bytes(whole)
