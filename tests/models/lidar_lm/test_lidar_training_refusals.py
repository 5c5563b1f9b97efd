"""What every training refuses before it begins, whatever its rows were made with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from training_making import Ground, make_ground, small

from probe4d.errors import InputError
from probe4d.models.lidar_lm.checkpoints.checkpoint import load_lidar_lm
from probe4d.models.lidar_lm.training.learner import features_on_disk
from probe4d.models.lidar_lm.training.rows import TrainingRow
from probe4d.models.lidar_lm.training.stages import train_lora, train_model, train_projector

Training = Callable[[list[TrainingRow]], object]
TOLD: dict[str, Any] = {"ego_text": "It stands.", "ego_text_kind": "question"}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return make_ground(tmp_path_factory.mktemp("ground"))


@pytest.fixture(scope="module")
def start(ground: Ground, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint with a projector."""
    return ground.projector(tmp_path_factory.mktemp("trained") / "projector").folder


@pytest.fixture
def trainings(ground: Ground, start: Path, tmp_path: Path) -> dict[str, Training]:
    """Every public training of a language model, into the folder `out`."""
    model = load_lidar_lm(start)
    model.projector.requires_grad_(True)
    given = {"options": small("projector", batch=32), "features": "-", "stage": "own"}
    return {
        "projector": lambda rows: ground.projector(tmp_path / "out", rows),
        "lora": lambda rows: ground.lora(tmp_path / "out", start, rows),
        "model": lambda rows: train_model(model, features_on_disk(ground.features), rows, tmp_path / "out", **given),
    }


@pytest.mark.parametrize("training", ["projector", "lora", "model"])
def test_rows_that_no_training_can_learn_from(
    ground: Ground, trainings: dict[str, Training], tmp_path: Path, training: str
) -> None:
    first = ground.rows[0]
    for change, words in (
        ({"frames": ()}, "row 2: a training row shows no frame"),
        ({"frames": (0, -1)}, "row 2: there is no key frame -1"),
        ({"answer": " "}, "row 2: the answer of a training row is empty"),
        ({"ego_text": "It stands."}, "row 2: .*does not say of which kind"),
        (TOLD, "some training rows have the ego text 'none' and others 'question'"),
    ):
        with pytest.raises(InputError, match=words):
            trainings[training]([first, msgspec.structs.replace(first, **change)])
    assert not (tmp_path / "out").exists()


def test_no_rows(ground: Ground, start: Path, trainings: dict[str, Training], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no training row"):
        trainings["model"]([])
    with pytest.raises(InputError, match="no training row"):
        train_projector([], ground.features, tmp_path / "out", base=ground.base)
    with pytest.raises(InputError, match="no training row"):
        train_lora([], ground.features, tmp_path / "out", start=start)
    assert not (tmp_path / "out").exists()


def test_nothing_to_train(ground: Ground, start: Path, tmp_path: Path) -> None:
    model = load_lidar_lm(start).requires_grad_(False)
    given = {"options": small("projector"), "features": "-", "stage": "own"}
    with pytest.raises(InputError, match="nothing of the model is to be trained"):
        train_model(model, features_on_disk(ground.features), ground.rows, tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


def test_options_of_the_other_stage(ground: Ground, start: Path, tmp_path: Path) -> None:
    out, projector, lora = tmp_path / "out", small("projector"), small("lora")
    with pytest.raises(InputError, match="the options have no rank, alpha or dropout"):
        train_lora(ground.rows, ground.features, out, start=start, options=projector)
    with pytest.raises(InputError, match="the projector is trained without rank, alpha and dropout, of LoRA"):
        train_projector(ground.rows, ground.features, out, base=ground.base, options=lora)
    assert not out.exists()


def test_a_model_is_asked_with_the_ego_text_of_its_rows(
    ground: Ground, trainings: dict[str, Training], tmp_path: Path
) -> None:
    trainings["model"]([msgspec.structs.replace(row, **TOLD) for row in ground.rows])
    assert load_lidar_lm(tmp_path / "out").ego_text == "question"


def test_lora_is_as_its_options_say(ground: Ground, start: Path, tmp_path: Path) -> None:
    ground.lora(tmp_path / "out", start, dropout=0.25)
    lora = load_lidar_lm(tmp_path / "out").lora
    assert lora is not None
    config = lora.peft_config["default"]
    assert (config.r, config.lora_alpha, config.lora_dropout) == (4, 8, 0.25)
