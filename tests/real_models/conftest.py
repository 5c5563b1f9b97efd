"""Real models, served by a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import Server, serving
from vision_language import write_vision_language_model

from making import made_once

ROOT = Path(__file__).parents[2]
SMOLLM2 = ROOT / "build" / "models" / "smollm2"


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """SmolLM2-135M-Instruct as transformers has it, or skip with the reason."""
    if not (SMOLLM2 / "config.json").exists():
        pytest.skip(f"SmolLM2 was not found in {SMOLLM2}; run `make weights`")
    return SMOLLM2


@pytest.fixture(scope="session")
def smollm2_server(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """SmolLM2 behind `transformers serve`."""
    with serving(smollm2, tmp_path_factory.mktemp("server") / "log") as server:
        yield server


@pytest.fixture(scope="session")
def vision_language_server(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A tiny vision-language model with random weights behind `transformers serve`."""
    folder = tmp_path_factory.mktemp("vision_language")
    write_vision_language_model(folder / "tiny", tokenizer=smollm2)
    with serving(folder / "tiny", folder / "log") as server:
        yield server


@pytest.fixture(scope="session")
def streets(of_session: Path) -> Path:
    """A simulated dataset with cameras: two scenes, made once for all workers of a session."""
    from probe4d.scenes.simulator import simulate

    path = of_session / "streets"
    with made_once(path) as wanted:
        if wanted:
            simulate(path, scenes=2, seed=3)
    return path


@pytest.fixture(scope="module", autouse=True)
def _environment() -> Iterator[None]:
    """A key, which the client wants and the server does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCAL_API_KEY", "none")
        yield
