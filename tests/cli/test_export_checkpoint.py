"""`probe4d export-checkpoint` as people call it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "models" / "lidar_lm"))
from lidar_making import smollm_like_tokenizer, write_tiny_base

from probe4d import LidarLanguageModel, load_lidar_lm
from probe4d.cli import app
from probe4d.errors import InputError
from probe4d.models.lidar_lm.checkpoints.checkpoint import save

Made = Callable[..., Path]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_base(tmp_path_factory.mktemp("export-checkpoint") / "base", smollm_like_tokenizer())


@pytest.fixture
def made(base: Path, tmp_path: Path) -> Made:
    """Writes a checkpoint with LoRA that is asked as said."""

    def make(**asked: str) -> Path:
        save(LidarLanguageModel.from_base(base, 6, **asked).with_lora(2), tmp_path / "checkpoint")
        return tmp_path / "checkpoint"

    return make


def called(*arguments: object) -> None:
    app(["export-checkpoint", *map(str, arguments)], standalone_mode=False)


def test_both_stages_are_written_and_can_be_read(
    made: Made, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoint, out = made(ego_text="question", encoder="0123456789abcdef"), tmp_path / "released"
    called(checkpoint, "--out", out)
    assert capsys.readouterr().out.splitlines() == [
        f"{out / 'stage1'}: config.json, mm_projector.bin",
        f"{out / 'stage2-metatoken'}: adapter_config.json, adapter_model.bin, config.json, non_lora_trainables.bin",
    ]
    read = load_lidar_lm(out / "stage2-metatoken", base=base)
    assert (read.ego_text, read.encoder) == ("question", "0123456789abcdef")
    with pytest.raises(InputError, match="is not empty"):
        called(checkpoint, "--out", out)


def test_a_base_that_was_moved_is_named(made: Made, base: Path, tmp_path: Path) -> None:
    checkpoint, moved = made(), shutil.copytree(base, tmp_path / "moved")
    record = checkpoint / "lidar_lm.json"
    record.write_text(record.read_text().replace(str(base), "/no/such/base"))
    with pytest.raises(InputError, match=r"not in /no/such/base\. Say where it is \(base=, --base"):
        called(checkpoint, "--out", tmp_path / "released")
    called(checkpoint, "--base", moved, "--out", tmp_path / "released")
    assert (tmp_path / "released" / "stage2" / "adapter_model.bin").is_file()


def test_what_cannot_be_held_is_refused_and_leaves_nothing(made: Made, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot hold the model's layout paper"):
        called(made(layout="paper"), "--out", tmp_path / "released")
    with pytest.raises(InputError, match="is no checkpoint"):
        called(tmp_path, "--out", tmp_path / "released")
    assert not (tmp_path / "released").exists()
