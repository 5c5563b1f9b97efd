from __future__ import annotations

import json
import math
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from training_making import ENCODER, FRAMES, WIDTH, Ground, make_ground, small

from probe4d.errors import InputError, RunError
from probe4d.models.lidar_lm.checkpoints.checkpoint import load_lidar_lm
from probe4d.models.lidar_lm.features import FeatureFolder, FeatureRecord, start_features, write_rows
from probe4d.models.lidar_lm.splicing import IGNORED
from probe4d.models.lidar_lm.training.learner import Learner, features_on_disk
from probe4d.models.lidar_lm.training.loss_log import Loss, read_losses
from probe4d.models.lidar_lm.training.rows import TrainingRow
from probe4d.models.lidar_lm.training.stages import TRAINING_FILE, Trained, train_lora, train_model, train_projector


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return make_ground(tmp_path_factory.mktemp("ground"))


@pytest.fixture(scope="module")
def projector(ground: Ground, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return ground.projector(tmp_path_factory.mktemp("trained") / "projector", epochs=4)


@pytest.fixture(scope="module")
def overfitted(ground: Ground, projector: Trained) -> Trained:
    """LoRA that has seen 32 rows sixty times."""
    options = {"epochs": 60, "rank": 8, "alpha": 16, "dropout": 0.0, "checkpoint_every": 60}
    return ground.lora(projector.folder.with_name("overfitted"), projector.folder, **options)


def test_the_projector_learns_alone(ground: Ground, projector: Trained) -> None:
    assert projector.losses[-1].loss < 0.9 * projector.losses[0].loss
    trained, base = load_lidar_lm(projector.folder), load_lidar_lm(projector.folder).language_model
    assert trained.encoder == ENCODER
    assert trained.lora is None
    assert (trained.projector.in_features, trained.template, trained.layout) == (WIDTH, "v1", "hallu")
    untrained = type(trained).from_base(ground.base, WIDTH, torch.float32, seed=42)
    assert not torch.equal(trained.projector.weight, untrained.projector.weight)
    for name, weight in untrained.language_model.state_dict().items():
        assert torch.equal(weight, base.state_dict()[name]), name


def test_lora_learns_32_answers_that_only_the_features_tell(ground: Ground, overfitted: Trained) -> None:
    assert overfitted.losses[0].loss > 5
    assert overfitted.losses[-1].loss < 0.05
    model = load_lidar_lm(overfitted.folder)
    features = ground.features
    for row in ground.rows:
        rows = torch.from_numpy(features.rows(row.scene, row.frames))
        with torch.no_grad():
            losses = {
                float(model([model.prompt(row.prompt, answer=answer)], [[rows]]).loss): answer
                for answer in ("Yes.", "No.")
            }
        assert losses[min(losses)] == row.answer


def test_lora_leaves_the_projector_as_it_was(projector: Trained, overfitted: Trained) -> None:
    for name, weight in load_file(projector.folder / "projector.safetensors").items():
        assert torch.equal(weight, load_file(overfitted.folder / "projector.safetensors")[name])
    assert overfitted.folder.joinpath("adapter").is_dir()


def test_a_finished_training_leaves_a_checkpoint_with_log_and_picture(overfitted: Trained) -> None:
    assert sorted(path.name for path in overfitted.folder.iterdir() if path.name[0] != ".") == [
        "adapter",
        "lidar_lm.json",
        "losses.jsonl",
        "losses.png",
        "projector.safetensors",
        "training.json",
    ]
    assert read_losses(overfitted.folder) == overfitted.losses
    assert (overfitted.folder / "losses.png").read_bytes().startswith(b"\x89PNG")
    first, last = overfitted.losses[0], overfitted.losses[-1]
    assert (first.step, first.epoch, first.rows) == (1, 0.5, 16)
    assert (last.step, last.epoch) == (120, 60.0)
    assert max(loss.learning_rate for loss in overfitted.losses) == 0.01


def test_the_same_call_again_does_nothing(ground: Ground, projector: Trained) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in projector.folder.iterdir() if path.name != ".lock"}
    again = ground.projector(projector.folder, epochs=4)
    assert again == Trained(projector.folder, projector.losses, steps_before=len(projector.losses))
    assert {path.name: path.stat().st_mtime_ns for path in projector.folder.iterdir() if path.name != ".lock"} == before


def test_another_call_into_the_same_folder_is_refused_and_told_apart(ground: Ground, projector: Trained) -> None:
    with pytest.raises(InputError, match=r"learning_rate 0\.01, now 0.02 and seed 42, now 7"):
        ground.projector(projector.folder, epochs=4, learning_rate=0.02, seed=7)
    with pytest.raises(InputError, match=r"asked otherwise: other rows\."):
        ground.projector(projector.folder, ground.rows[1:], epochs=4)


def test_a_folder_that_holds_something_else_is_left_alone(ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match="is no folder of this training and is not empty"):
        ground.projector(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_how_a_step_is_split_does_not_change_what_is_learnt(ground: Ground, projector: Trained, tmp_path: Path) -> None:
    rows = [
        msgspec.structs.replace(row, answer=row.answer if number % 3 else "Yes, there is a car.")
        for number, row in enumerate(ground.rows[:10])
    ]  # of other lengths, so that a mean of means would differ
    whole = ground.lora(tmp_path / "whole", projector.folder, rows, batch=8, dropout=0.0)
    split = ground.lora(
        tmp_path / "split",
        projector.folder,
        rows,
        batch=2,
        accumulation=4,
        dropout=0.0,
        gradient_checkpointing=True,
    )
    assert [loss.tokens for loss in split.losses] == [loss.tokens for loss in whole.losses]
    for one, other in zip(whole.losses, split.losses, strict=True):
        assert other.loss == pytest.approx(one.loss, rel=1e-5)
    weights = load_file(split.folder / "adapter" / "adapter_model.safetensors")
    for name, weight in load_file(whole.folder / "adapter" / "adapter_model.safetensors").items():
        torch.testing.assert_close(weights[name], weight, rtol=1e-3, atol=1e-5)


def test_the_loss_is_that_of_the_answers_alone(ground: Ground, projector: Trained) -> None:
    model = load_lidar_lm(projector.folder)
    learner = Learner(model, features_on_disk(ground.features), template="v1", max_length=500).eval()
    batch = learner.batch(ground.rows[:5])
    expected = 0.0
    with torch.no_grad():
        for row, sequence in zip(batch.rows, batch.sequences, strict=True):
            output = model([sequence], [[torch.from_numpy(ground.features.rows(row.scene, row.frames))]])
            expected += float(output.loss) * int((sequence.labels != IGNORED).sum())
        assert float(learner(batch)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("precision", ["bf16", "fp16", "fp32"])
def test_what_is_trained_is_kept_in_float32(ground: Ground, projector: Trained, tmp_path: Path, precision: str) -> None:
    trained = ground.lora(tmp_path / "out", projector.folder, precision=precision, learning_rate=1e-6, epochs=4)
    weights = load_file(trained.folder / "adapter" / "adapter_model.safetensors")
    assert {weight.dtype for weight in weights.values()} == {torch.float32}
    of_b = [weight for name, weight in weights.items() if "lora_B" in name]
    assert all(0 < float(weight.abs().max()) < 1e-4 for weight in of_b)  # steps that bf16 beside 1 would lose
    kept = json.loads((trained.folder / "lidar_lm.json").read_bytes())["dtype"]
    assert kept == {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}[precision]


def test_lora_on_lora_merges_the_first(ground: Ground, overfitted: Trained, tmp_path: Path) -> None:
    again = ground.lora(tmp_path / "again", overfitted.folder, learning_rate=1e-8, dropout=0.0)
    assert again.losses[0].loss == pytest.approx(overfitted.losses[-1].loss, abs=0.02)
    model = load_lidar_lm(again.folder)
    assert (model.lora, model.base) == (None, None)  # both lie in its own weights


def test_a_module_that_gives_features_is_trained_along(ground: Ground, projector: Trained, tmp_path: Path) -> None:
    class Encoder(nn.Module):
        """Learns the rows of every scene, as an encoder would learn from its points."""

        def __init__(self) -> None:
            super().__init__()
            self.scenes = nn.Embedding(8, WIDTH)
            self.seen: Tensor
            self.register_buffer("seen", torch.zeros((), dtype=torch.int64))

        def forward(self, rows: Sequence[TrainingRow]) -> list[Tensor]:
            self.seen += len(rows)
            return [self.scenes.weight[int(row.scene[-1])].expand(2, -1) for row in rows]

    def trained(out: Path, **told: Any) -> tuple[Encoder, Trained]:
        torch.manual_seed(0)
        encoder, model = Encoder(), load_lidar_lm(projector.folder)
        model.projector.requires_grad_(True)
        options = small("lora", epochs=3, batch=16, learning_rate=0.01, template="v1", checkpoint_every=2)
        done = train_model(model, encoder, ground.rows, out, options, features="own", stage="all of it", **told)
        assert load_lidar_lm(out).encoder is None  # whose features are no longer those that it was trained with
        return encoder, done

    def stop(loss: Loss) -> None:
        if loss.step == 5:
            raise KeyboardInterrupt

    encoder, whole = trained(tmp_path / "whole")
    torch.manual_seed(0)
    assert not torch.allclose(encoder.scenes.weight, Encoder().scenes.weight, atol=1e-3)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "stopped", done=stop)
    other, stopped = trained(tmp_path / "stopped")
    assert stopped.steps_before == 4
    assert torch.equal(other.scenes.weight, encoder.scenes.weight)
    assert int(other.seen) == int(encoder.seen) == 3 * 32
    assert [loss.loss for loss in stopped.losses] == [loss.loss for loss in whole.losses]
    again, done_before = trained(tmp_path / "stopped")  # what it learnt is not lost with the object that learnt it
    assert done_before.steps_before == len(stopped.losses)
    assert torch.equal(again.scenes.weight, other.scenes.weight)
    assert int(again.seen) == int(other.seen)


def features_with(folder: Path, ground: Ground, record: FeatureRecord, scenes: int) -> FeatureFolder:
    start_features(folder, record)
    draw = np.random.default_rng(1)
    for row in ground.rows[: 4 * scenes : 4]:
        write_rows(folder, row.scene, draw.normal(size=(FRAMES, record.width)).astype(np.float32))
    return FeatureFolder(folder)


@pytest.mark.parametrize(
    ("record", "scenes", "words"),
    [
        (FeatureRecord(encoder=ENCODER, width=WIDTH), 7, "no file scene-7.safetensors"),
        (FeatureRecord(encoder="f" * 16, width=WIDTH), 8, "another encoder"),
        (FeatureRecord(encoder=ENCODER, width=WIDTH + 1), 8, "takes width 12"),
    ],
)
def test_features_that_are_missing_or_of_others_end_it_before_it_begins(
    ground: Ground, projector: Trained, tmp_path: Path, record: FeatureRecord, scenes: int, words: str
) -> None:
    features = features_with(tmp_path / "features", ground, record, scenes)
    with pytest.raises(InputError, match=words):
        train_lora(ground.rows, features, tmp_path / "out", start=projector.folder, options=small("lora"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"frames": (0, FRAMES)},
            f"key frame {FRAMES} of scene 'scene-0', of which there are features of 6 key frames",
        ),
        ({"prompt": "Is there a car? " * 300}, "512 is the most"),
        ({"scene": "../scene-1"}, "no features of the scene '../scene-1'"),
    ],
)
def test_a_row_that_cannot_be_learnt_ends_it_before_it_begins(
    ground: Ground, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    rows = [msgspec.structs.replace(ground.rows[0], **change), *ground.rows[1:]]
    options = small("projector", template="v1")
    with pytest.raises(InputError, match=words):
        train_projector(rows, ground.features, tmp_path / "out", base=ground.base, options=options)
    assert not (tmp_path / "out").exists()


def test_a_loss_that_is_not_a_number_stops_it_and_says_where(ground: Ground, tmp_path: Path) -> None:
    model = load_lidar_lm(ground.projector(tmp_path / "start").folder)
    model.projector.requires_grad_(True)
    poisoned = ground.rows[13]

    def features_of(rows: Any) -> list[Tensor]:
        return [torch.full((2, WIDTH), math.nan if row == poisoned else 0.5) for row in rows]

    options = small("projector", epochs=2, batch=2, learning_rate=1e-3, checkpoint_every=2)
    with pytest.raises(RunError, match=r"the loss is nan at step \d+ of 32, in a batch of 2 rows") as error:
        train_model(model, features_of, ground.rows, tmp_path / "out", options, features="-", stage="projector")
    assert "--learning-rate" in str(error.value)
    losses = read_losses(tmp_path / "out")
    assert f"at step {len(losses) + 1} of 32" in str(error.value)
    assert all(math.isfinite(loss.loss) for loss in losses)
    assert not (tmp_path / "out" / "lidar_lm.json").exists()


@pytest.mark.parametrize(
    "failure",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
        MemoryError(),
    ],
)
def test_too_little_memory_is_told_with_what_to_lower(
    ground: Ground, projector: Trained, tmp_path: Path, failure: Exception
) -> None:
    def features_of(rows: Any) -> list[Tensor]:
        raise failure

    model = load_lidar_lm(projector.folder).with_lora(4, 8)
    options = small("lora", batch=6, accumulation=3)
    with pytest.raises(RunError, match="lower --batch from 6 to 3 and raise --accumulation to 6") as error:
        train_model(model, features_of, ground.rows, tmp_path / "out", options, features="-", stage="lora")
    assert "--recompute" in str(error.value)
    assert "--precision bf16" in str(error.value)
    assert "--rank" in str(error.value)


def test_a_model_that_does_not_fit_the_device_is_told(
    ground: Ground, projector: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 26 GiB")

    monkeypatch.setattr(Learner, "to", full)
    with pytest.raises(RunError, match=r"the model does not fit into the memory of cpu\. Take a machine with more"):
        ground.lora(tmp_path / "out", projector.folder)


def test_other_faults_of_torch_stay_what_they_are(ground: Ground, projector: Trained, tmp_path: Path) -> None:
    def features_of(rows: Any) -> list[Tensor]:
        raise RuntimeError("the sky falls")

    model = load_lidar_lm(projector.folder).with_lora(4, 8)
    with pytest.raises(RuntimeError, match="the sky falls"):
        train_model(model, features_of, ground.rows, tmp_path / "out", small("lora"), features="-", stage="lora")


class Overflowing(torch.autograd.Function):
    """Passes rows on, and back a gradient that has overflowed where it is longer than the limit."""

    @staticmethod
    def forward(context: Any, rows: Tensor, limit: float) -> Tensor:
        context.limit = limit
        return rows.clone()

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return torch.where(gradient.abs().max() > context.limit, math.inf, gradient), None


class OverflowingRows(nn.Module):
    """Gives every row the same features, whose gradient overflows."""

    def __init__(self, limit: float) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.ones(2, WIDTH))
        self._limit = limit

    def forward(self, rows: Sequence[TrainingRow]) -> list[Tensor]:
        return [Overflowing.apply(self.rows, self._limit) for _ in rows]


@pytest.mark.parametrize(("precision", "limit"), [("fp32", 0.0), ("bf16", 0.0), ("fp16", 0.0), ("fp16", 1e4)])
def test_gradients_that_overflow_stop_it_unless_fp16_can_scale_them(
    ground: Ground, projector: Trained, tmp_path: Path, precision: str, limit: float
) -> None:
    features = OverflowingRows(limit)
    model = load_lidar_lm(projector.folder)
    options = small("lora", epochs=20, batch=32, precision=precision, learning_rate=1e-3)

    def train() -> list[Loss]:
        return train_model(model, features, ground.rows, tmp_path / "out", options, features="-", stage="own").losses

    if limit:
        losses = train()
        assert losses[0].gradient_norm is None
        assert losses[0].loss == losses[1].loss  # the step was left out
        assert losses[-1].gradient_norm is not None
        return
    with pytest.raises(RunError, match=r"the gradient is (inf|nan) at step \d+ of 20\.") as error:
        train()
    assert ("--precision" in str(error.value)) == (precision == "fp16")
    assert torch.equal(features.rows, torch.ones(2, WIDTH))


def test_rows_with_different_ego_texts_are_refused(ground: Ground, projector: Trained, tmp_path: Path) -> None:
    told = [msgspec.structs.replace(row, ego_text="It stands.", ego_text_kind="question") for row in ground.rows]
    with pytest.raises(InputError, match="some training rows have the ego text 'none' and others 'question'"):
        ground.lora(tmp_path / "out", projector.folder, [ground.rows[0], *told])
    trained = ground.lora(tmp_path / "ego", projector.folder, told)
    assert load_lidar_lm(trained.folder).ego_text == "question"


def test_a_record_or_a_state_that_is_broken_is_refused(ground: Ground, tmp_path: Path) -> None:
    def stop(loss: Loss) -> None:
        raise KeyboardInterrupt

    options = small("projector", epochs=1, batch=16, checkpoint_every=1)
    call = {"base": ground.base, "options": options}
    with pytest.raises(KeyboardInterrupt):
        train_projector(ground.rows, ground.features, tmp_path / "out", done=stop, **call)  # type: ignore[arg-type]
    state = next((tmp_path / "out").glob("*state*"))
    content = state.read_bytes()
    state.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=r"training_state\.safetensors: cannot be read"):
        train_projector(ground.rows, ground.features, tmp_path / "out", **call)  # type: ignore[arg-type]
    state.write_bytes(content)
    (tmp_path / "out" / "training.json").write_text("{")
    with pytest.raises(InputError, match=r"training\.json: is no record of a training"):
        train_projector(ground.rows, ground.features, tmp_path / "out", **call)  # type: ignore[arg-type]


def test_features_of_another_length_than_the_scene_are_refused(ground: Ground, tmp_path: Path) -> None:
    rows = [msgspec.structs.replace(row, keyframes=9) for row in ground.rows]
    with pytest.raises(InputError, match=r"features of 6 key frames of scene .* about a scene of 9"):
        ground.projector(tmp_path / "out", rows)
    assert not (tmp_path / "out").exists()


def test_features_of_another_dataset_are_refused(ground: Ground, tmp_path: Path) -> None:
    dataset = "d" * 64
    shutil.copytree(ground.path, tmp_path / "features")
    record = tmp_path / "features" / "features.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "dataset": dataset}))
    ground = replace(ground, path=tmp_path / "features")
    others = [*ground.rows[:1], *(msgspec.structs.replace(row, dataset="e" * 64) for row in ground.rows[1:])]
    with pytest.raises(InputError, match=r"features of another dataset \(d{16}\) than the one needed \(e{16}\)"):
        ground.projector(tmp_path / "out", others)
    assert not (tmp_path / "out").exists()
    same = [msgspec.structs.replace(row, dataset=dataset) for row in ground.rows]
    assert ground.projector(tmp_path / "out", same, epochs=1).losses


def test_the_record_of_another_version_is_told_as_such(ground: Ground, projector: Trained, tmp_path: Path) -> None:
    shutil.copytree(projector.folder, tmp_path / "older")
    record = tmp_path / "older" / TRAINING_FILE
    record.write_text(record.read_text().replace('"version": 1', '"version": 0').replace('"rows"', '"lines"'))
    with pytest.raises(InputError, match=r"another version of Probe4D \(its record is of version 0, here of 1\)"):
        ground.projector(tmp_path / "older", epochs=4)


def test_a_projector_is_asked_with_the_ego_text_of_its_rows(ground: Ground, tmp_path: Path) -> None:
    rows = [msgspec.structs.replace(row, ego_text="It stands.", ego_text_kind="question") for row in ground.rows]
    assert load_lidar_lm(ground.projector(tmp_path / "ego", rows, epochs=1).folder).ego_text == "question"


def test_checkpoints_can_be_read_by_whoever_may_read_files(projector: Trained, overfitted: Trained) -> None:
    (projector.folder / "plain").touch()
    usual = (projector.folder / "plain").stat().st_mode
    (projector.folder / "plain").unlink()
    for folder in (projector.folder, overfitted.folder):
        assert {path.name: path.stat().st_mode for path in folder.rglob("*.safetensors")}
        assert all(path.stat().st_mode == usual for path in folder.rglob("*.safetensors"))
