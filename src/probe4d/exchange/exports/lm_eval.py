"""`--to lm-eval`: tasks of lm-evaluation-harness, one for each family and format, and the groups of them.

The harness finds the answer in a reply by a regular expression. That is only near to what Probe4D's parser reads: it
takes the first letter or the first yes or no that stands alone (after reasoning the last), and knows no refusals,
withdrawals or truncation.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from probe4d.benchmarks.question import LETTERS
from probe4d.exchange.exports.items import Exported, ExportItem, cells_of, scored
from probe4d.exchange.exports.notes import readme
from probe4d.store.files import write_bytes, write_text

__all__ = ["write_lm_eval"]

_OPENER = '''"""Opens the pictures of a question; lm-evaluation-harness finds this function through the task files."""

from pathlib import Path

from PIL import Image


def pictures(doc):
    """Give the pictures in the order shown."""
    folder = Path(__file__).resolve().parent
    return [Image.open(folder / path) for path in doc["evidence"]]
'''

_HOW = """\
Run it inside this folder, since the paths of data files are relative to it:

```
lm_eval --include_path . --tasks {name} --model MODEL --model_args …
```

`{name}` generates a reply and finds the answer in it by a regular expression; `{name}_likelihood` compares the \
likelihoods of the answers and reads no reply. The expression is only near to what Probe4D's parser reads: it takes \
the first letter, or the first yes or no, that stands alone (in "A car is nearest, so B" it takes A; in the setting \
chain-of-thought it takes the last), and it does not tell refused and truncated replies from wrong ones. For figures \
that hold, log the samples and import the replies:

```
lm_eval --include_path . --tasks {name} --model MODEL --log_samples --output_path logged
cat logged/*/samples_*.jsonl > replies.jsonl
probe4d import answers BENCH replies.jsonl --out RUN --model NAME --setting {setting}
```"""


_OPENING = "`opening.py` opens the pictures with Pillow, which the harness does not bring: `pip install pillow`."


def write_lm_eval(exported: Exported, folder: Path) -> Exported:
    """Write task files with their data, one for each family and format, and a group of all; give what is written.

    Raises:
        InputError: No question has a format that the harness can score.
    """
    exported = scored(exported, ("choice", "yes-no"), "lm-evaluation-harness")
    name = f"probe4d_{exported.record.suite}".replace("-", "_")
    pictured = any(item.evidence for item in exported.items)
    generating: list[str] = []
    comparing: list[str] = []
    for (family, kind), items in cells_of(exported.items).items():
        cell = _file_name(f"{name}_{family}_{kind}", generating)
        lines = [_line(item) for item in items]
        write_bytes(folder / f"{cell}.jsonl", msgspec.json.Encoder().encode_lines(lines))
        common = _common(exported, cell)
        generating.append(cell)
        _write_task(folder, cell, common | _generation(exported, items), pictured=pictured)
        comparing.append(f"{cell}_likelihood")
        _write_task(folder, f"{cell}_likelihood", common | _LIKELIHOOD, pictured=pictured)
    version = exported.record.version
    _write_yaml(folder, name, _group(name, generating, "exact_match", "answer", version))
    _write_yaml(folder, f"{name}_likelihood", _group(f"{name}_likelihood", comparing, "acc", "none", version))
    how = _HOW.format(name=name, setting=exported.setting.name)
    if pictured:
        write_text(folder / "opening.py", _OPENER)
        how = f"{how}\n\n{_OPENING}"
    write_text(folder / "README.md", readme(exported, "lm-evaluation-harness", how))
    return exported


def _file_name(wanted: str, used: list[str]) -> str:
    """Name of a task and its files, made of letters, digits and underscores whatever a family is called."""
    name = re.sub(r"\W", "_", wanted, flags=re.ASCII)
    return name if name not in used else f"{name}_{len(used)}"


def _line(item: ExportItem) -> dict[str, Any]:
    """A line of data: the item, its prompt with a placeholder for each picture, and the answers to choose from."""
    prompt = "<image>" * len(item.evidence) + item.prompt
    choices = LETTERS[: len(item.options)] if item.format == "choice" else ("Yes", "No")
    return {**msgspec.to_builtins(item), "prompt": prompt, "choices": list(choices)}


def _common(exported: Exported, cell: str) -> dict[str, Any]:
    # `doc_to_text` and `doc_to_target` name columns, so that no text of a question is ever read as a template.
    return {
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": f"{cell}.jsonl"}},
        "test_split": "test",
        "doc_to_text": "prompt",
        "doc_to_target": "answer",
        "target_delimiter": "\n",
        "metadata": {
            "version": exported.record.version,
            "benchmark": exported.record.fingerprint,
            "setting": exported.setting.name,
            "evidence": exported.evidence,
        },
    }


_LIKELIHOOD: dict[str, Any] = {
    "output_type": "multiple_choice",
    "doc_to_choice": "choices",
    "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
}


def _generation(exported: Exported, items: list[ExportItem]) -> dict[str, Any]:
    """What a task that generates replies has beside the common part."""
    most = max(len(item.options) for item in items)
    pattern = rf"\b([{LETTERS[0]}-{LETTERS[most - 1]}])\b" if most else r"(?i)\b(yes|no)\b"
    tokens = exported.setting.hints.get("max_tokens", 256)
    which = -1 if exported.setting.wording == "chain-of-thought" else 0  # there the answer follows the reasoning
    answer = [{"function": "regex", "regex_pattern": pattern, "group_select": which}, {"function": "take_first"}]
    return {
        "output_type": "generate_until",
        "generation_kwargs": {"until": [], "do_sample": False, "max_gen_toks": tokens},
        "filter_list": [{"name": "answer", "filter": answer}],
        "metric_list": [
            {"metric": "exact_match", "aggregation": "mean", "higher_is_better": True, "ignore_case": True}
        ],
    }


def _group(name: str, tasks: list[str], metric: str, found_by: str, version: str) -> dict[str, Any]:
    whole = {"metric": metric, "weight_by_size": True, "filter_list": [found_by]}
    return {"group": name, "task": tasks, "aggregate_metric_list": [whole], "metadata": {"version": version}}


def _write_task(folder: Path, name: str, task: dict[str, Any], *, pictured: bool) -> None:
    _write_yaml(folder, name, {"task": name} | task, last="doc_to_image: !function opening.pictures" * pictured)


def _write_yaml(folder: Path, name: str, content: dict[str, Any], *, last: str = "") -> None:
    """Write YAML with a JSON value a key, which YAML reads as it stands."""
    lines = [f"{key}: {json.dumps(value)}" for key, value in content.items()]
    write_text(folder / f"{name}.yaml", "\n".join([*lines, last]).rstrip() + "\n")
