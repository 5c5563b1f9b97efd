"""Tiny language models on disk, made once for each process, and a benchmark asked of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lidar_asking_making import GREEDY, checkpoint_of, features_of
from lidar_making import llama_like_tokenizer, smollm_like_tokenizer, tiny_llama, write_tiny_base
from transformers import PreTrainedTokenizerFast

import probe4d
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.models.lidar_lm.base_model import write_base
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.run import Run
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="session")
def smollm_like() -> PreTrainedTokenizerFast:
    return smollm_like_tokenizer()


@pytest.fixture(scope="session")
def llama_like() -> PreTrainedTokenizerFast:
    return llama_like_tokenizer()


@pytest.fixture(scope="session", params=["smollm_like", "llama_like"])
def tokenizer(request: pytest.FixtureRequest) -> PreTrainedTokenizerFast:
    """Either of them."""
    made: PreTrainedTokenizerFast = request.getfixturevalue(request.param)
    return made


@pytest.fixture(scope="session")
def tiny_base(smollm_like: PreTrainedTokenizerFast, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Llama of random weights as transformers has it, to be read only."""
    return write_tiny_base(tmp_path_factory.mktemp("tiny") / "base", smollm_like)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One whose weights are large enough that what it says turns on the order of what it reads."""
    folder = tmp_path_factory.mktemp("base") / "llama"
    tokenizer = smollm_like_tokenizer()
    write_base(tiny_llama(tokenizer, initializer_range=0.4), tokenizer, folder)
    return folder


@pytest.fixture(scope="session")
def checkpoint(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkpoint_of(base, tmp_path_factory.mktemp("checkpoint") / "tiny")


@pytest.fixture(scope="session")
def features(scenes: Scenes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return features_of(scenes, tmp_path_factory.mktemp("features") / "drawn")


@pytest.fixture
def asked(built: Benchmark, checkpoint: Path, features: Path, tmp_path: Path) -> Any:
    """Ask the tiny model; every call in a folder of its own."""
    count = iter(range(100))

    def ask(evidence: str = "lidar", *, features: Path | None = features, **fields: Any) -> Run:
        scenes, model = fields.pop("scenes", None), fields.pop("model", checkpoint)
        plan = RunPlan(evidence=evidence_named(evidence, usual_view="lidar"), **({"generation": GREEDY} | fields))
        out = tmp_path / f"run{next(count)}"
        return probe4d.ask(built, out, model=f"lidar-lm:{model}", plan=plan, scenes=scenes, features=features)

    return ask
