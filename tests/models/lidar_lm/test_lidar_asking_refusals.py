"""What a LiDAR language model cannot be asked: it is told in words, early, and leaves no folder."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from lidar_asking_making import features_of, texts
from transformers import AutoModelForCausalLM

import probe4d
from probe4d.benchmarks.benchmark import Benchmark, write_benchmark
from probe4d.errors import InputError, RunError
from probe4d.models.generation import Generation
from probe4d.models.lidar_lm.answering import LidarModel
from probe4d.models.lidar_lm.answering_options import LidarArguments, LidarOptions
from probe4d.models.lidar_lm.features import FeatureFolder, write_rows
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.models.request import Request
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.scenes.tables import Scenes


def test_broken_features_are_told_before_anything_is_asked(
    asked: Any, built: Benchmark, features: Path, tmp_path: Path
) -> None:
    scene = built.questions[-1].scene
    with pytest.raises(InputError, match=rf"{scene}.*NaN or infinite"):
        asked(features=spoilt(features, tmp_path / "nan", scene, lambda rows: np.full_like(rows, np.nan)))
    assert not list(tmp_path.glob("run*"))


def test_features_of_another_make_are_refused(asked: Any, scenes: Scenes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"width 4.*width 6"):
        asked(features=features_of(scenes, tmp_path / "narrow", width=4))
    with pytest.raises(InputError, match="another encoder"):
        asked(features=features_of(scenes, tmp_path / "strange", encoder="f" * 16))
    assert not list(tmp_path.glob("run*"))


def spoilt(features: Path, folder: Path, scene: str, change: Callable[[np.ndarray[Any, Any]], Any]) -> Path:
    """A copy of features in which those of one scene are changed."""
    shutil.copytree(features, folder)
    (folder / f"{scene}.safetensors").unlink()
    write_rows(folder, scene, change(FeatureFolder(features).rows(scene)))
    return folder


def test_features_of_another_number_of_key_frames_are_refused(
    asked: Any, built: Benchmark, features: Path, tmp_path: Path
) -> None:
    question = next(iter(built.questions))
    fewer = spoilt(features, tmp_path / "fewer", question.scene, lambda rows: rows[:5])
    told = rf"{question.scene}.*features of 5 key frames, and the scene has {question.keyframes}\."
    with pytest.raises(InputError, match=told):
        asked(features=fewer)
    assert not list(tmp_path.glob("run*"))


WRONG = {
    "argument": ("-M junk=1", "takes no argument 'junk'"),
    "server": ("--base-url http://127.0.0.1:9", "has no server"),
    "effort": ("--reasoning-effort high", "takes no reasoning_effort"),
    "no features": ("--features nowhere", "is no folder of features"),
    "blind with features": ("--evidence none", "is shown no features"),
    "ego setting": ("--setting ego", "the ego-motion text that it was trained with"),
    "ego text": ("-M ego_text=question", "says itself that it was trained with the ego text none"),
    "unknown ego text": ("-M ego_text=some", "takes no such argument .*none, question or paper"),
    "base": ("-M base=nowhere", "is not in nowhere"),
    "layout": ("--layout paper", "trained in the layout hallu"),
    "no checkpoint": ("--model lidar-lm:.", "is no checkpoint"),
}


def test_wrong_options_are_told_before_torch_is_imported(
    built: Benchmark, checkpoint: Path, features: Path, scenes: Scenes, tmp_path: Path
) -> None:
    """Importing it takes longer than all else that a wrong command does; and no weights can be read without it."""
    write_benchmark(built, tmp_path / "bench", card="")
    usual = ["ask", str(tmp_path / "bench"), "--out", "run", "--model", f"lidar-lm:{checkpoint}"]
    usual += ["--features", str(features)]
    narrow = features_of(scenes, tmp_path / "narrow", width=4)
    strange = features_of(scenes, tmp_path / "strange", encoder="f" * 16)
    wrong = {
        **WRONG,
        "width": (f"--features {narrow}", "width 4.*width 6"),
        "encoder": (f"--features {strange}", "another encoder"),
    }
    code = (
        "import json, sys\nfrom probe4d.cli import app\nfrom probe4d.errors import InputError\n"
        "for options in json.load(sys.stdin):\n"
        "    try:\n        app(options, standalone_mode=False)\n"
        "    except InputError as error:\n        print('torch' in sys.modules, ascii(str(error)))\n"
    )
    commands = [usual + options.split() for options, _ in wrong.values()]
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    for line, (name, (_, told)) in zip(done.stdout.splitlines(), wrong.items(), strict=True):
        assert line.startswith("False"), name
        assert re.search(told, line), name
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"evidence": "lidar", "features": None}, "of which there is no folder"),
        ({"evidence": "none"}, "is shown no features"),
        ({"evidence": "cameras"}, "is shown no features"),
        ({"evidence": "none", "features": None, "setting": "tscd:1"}, "contrasts the feature rows"),
        ({"lidar": LidarOptions(layout="paper")}, "trained in the layout hallu.*force"),
        ({"arguments": {"speed": 3}}, "takes no argument 'speed'"),
        ({"arguments": {"device": "abacus"}}, "no device 'abacus'"),
        ({"base_url": "http://localhost:1"}, "has no server"),
        ({"generation": Generation(system="Be good.")}, "takes no system"),
        ({"model": Path("nowhere")}, "names no folder of a checkpoint"),
        ({"setting": "tscd:1", "lidar": LidarOptions(sampling="released")}, "the sampling same, not released"),
        ({"setting": "tscd:1", "generation": Generation(top_p=0.5)}, r"top_p \(--top-p\) has no effect"),
        ({"generation": Generation(max_tokens=10**6)}, r"1,000,000 tokens .* Lower max_tokens"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_a_folder_is_made(
    asked: Any, tmp_path: Path, fields: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        asked(**fields)
    assert not list(tmp_path.glob("run*"))


def test_features_of_another_dataset_are_refused(asked: Any, scenes: Scenes, tmp_path: Path) -> None:
    strange = features_of(scenes, tmp_path / "strange", dataset="x" * 64)
    for more in ({}, {"scenes": scenes}):
        with pytest.raises(InputError, match="another dataset"):
            asked(features=strange, **more)
    assert texts(asked(features=features_of(scenes, tmp_path / "own", dataset=scenes.fingerprint)))


@pytest.mark.parametrize(("setting", "evidence"), [("tscd:1", "none"), ("default", "lidar")])
def test_other_models_take_neither_contrast_nor_features(
    built: Benchmark, scenes: Scenes, tmp_path: Path, setting: str, evidence: str
) -> None:
    plan = RunPlan(setting=setting, evidence=evidence_named(evidence))
    with pytest.raises(InputError, match="LiDAR language model"):
        probe4d.ask(built, tmp_path / "run", model="openai/gpt-5", plan=plan, scenes=scenes)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("options", [{"sampling": "same"}, {"keep_logits": True}, {"layout": "paper"}, {"force": True}])
def test_options_of_lidar_models_are_refused_for_others(
    built: Benchmark, tmp_path: Path, options: dict[str, Any]
) -> None:
    control = probe4d.control_model(built, "control:fixed")
    with pytest.raises(InputError, match="are options of LiDAR language models"):
        probe4d.ask(built, tmp_path / "run", model=control, plan=RunPlan(lidar=LidarOptions(**options)))
    assert not (tmp_path / "run").exists()


def _out_of_memory(*_: object, **_others: object) -> None:
    raise torch.OutOfMemoryError("CUDA out of memory")


@pytest.mark.parametrize(
    ("owner", "method", "told"),
    [
        (AutoModelForCausalLM, "from_pretrained", "memory of this machine does not suffice .*smaller language model"),
        (LidarLanguageModel, "to", r"does not fit into the memory of cpu\. Take a machine with more memory, or a"),
    ],
)
def test_a_model_that_does_not_fit_into_the_memory_says_what_to_do(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch, owner: type, method: str, told: str
) -> None:
    monkeypatch.setattr(owner, method, _out_of_memory)
    with pytest.raises(RunError, match=told):
        LidarModel(f"lidar-lm:{checkpoint}", arguments=LidarArguments(device="cpu"))


def test_who_waits_for_a_reply_when_the_model_is_closed_is_let_go(checkpoint: Path) -> None:
    model = LidarModel(f"lidar-lm:{checkpoint}", arguments=LidarArguments(device="cpu"))

    async def close_while_waiting() -> list[object]:
        replies = [asyncio.create_task(model.reply(Request(key=str(n), text=f"Is it {n}?"))) for n in range(2)]
        await asyncio.sleep(0)
        await model.close()
        return list(await asyncio.wait_for(asyncio.gather(*replies, return_exceptions=True), timeout=60))

    assert [type(reply) for reply in asyncio.run(close_while_waiting())] == [asyncio.CancelledError] * 2
