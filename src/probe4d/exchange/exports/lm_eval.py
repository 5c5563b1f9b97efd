"""`--to lm-eval`: tasks of lm-evaluation-harness, one for each family, format and unit, and the groups of them.

The harness finds a letter, or yes or no, in a reply by a regular expression. That is only near to what Probe4D's parser
reads: it takes the first letter or the first yes or no that stands alone (after reasoning the last), and knows no
refusals, withdrawals or truncation. Words of a vocabulary, intervals and numbers are read by `lm_eval_scoring.py`,
which every export with such questions has beside its tasks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from probe4d.benchmarks.question import LETTERS
from probe4d.exchange.exports.items import Exported, ExportItem, cells_of, scored
from probe4d.exchange.exports.notes import INTERVAL_FIGURES, NUMBER_FIGURES, readme
from probe4d.exchange.interval_replies import INTERVAL_METRICS
from probe4d.exchange.number_replies import ERROR_METRICS, SHARE_METRICS
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
lm_eval --include_path . --tasks {groups} --model MODEL --model_args …
```"""

_LABELS = """\
`{name}` generates a reply and finds the answer in it; `{name}_likelihood` compares the likelihoods of the answers and \
reads no reply. Letters, yes and no are found by a regular expression that is only near to what Probe4D's parser \
reads: it takes the first that stands alone (in "A car is nearest, so B" it takes A; in the setting chain-of-thought \
it takes the last), and does not tell refused and truncated replies from wrong ones."""

_WORDS = """\
Answers that are a word of a vocabulary (`…_text`) are read by `scoring.py`, which needs Python alone: the one word \
that a reply names, whatever its capitals, hyphens and plural; `valid` is the share of the replies that name one."""

_INTERVALS = """\
`{name}_intervals` asks for intervals of key frames. `scoring.py` reads the one interval that a reply names and gives \
{interval_figures}. It reads nearly what Probe4D's parser reads, and nothing where a reply leaves a doubt."""

_NUMBERS = """\
`{name}_metres` and `{name}_degrees`, where they are, ask for numbers in these units. `scoring.py` reads the one \
number that a reply names, in digits or in words up to twenty, and gives {number_figures}. Ranges, bounds and numbers \
that read in two ways, such as 1,234, are not read; it reads less than Probe4D's parser, and nothing where a reply \
leaves a doubt. A group has no mean error, since the harness weighs tasks by all replies and not by those that were \
read: take it from the tasks."""

_FIGURES_THAT_HOLD = """\
For figures that hold, log the samples and import the replies:

```
lm_eval --include_path . --tasks {groups} --model MODEL --log_samples --output_path logged
cat logged/*/samples_*.jsonl > replies.jsonl
probe4d import answers BENCH replies.jsonl --out RUN --model NAME --setting {setting}
```"""

_OPENING = "`opening.py` opens the pictures with Pillow, which the harness does not bring: `pip install pillow`."


def write_lm_eval(exported: Exported, folder: Path) -> Exported:
    """Write task files with their data, one for each family, format and unit, and the groups; give what is written.

    Answers that are labels are in one group that generates and one that compares, those that are intervals in a third,
    and numbers in one for each unit.

    Raises:
        InputError: No question has an answer that is scored there.
    """
    exported = scored(exported, "lm-evaluation-harness")
    name = f"probe4d_{exported.record.suite}".replace("-", "_")
    pictured = any(item.evidence for item in exported.items)
    tasks: dict[str, list[str]] = {kind: [] for kind in _GROUPS}
    for (family, form, unit), items in cells_of(exported.items).items():
        wanted = "_".join([name, family, form, *([unit] if unit else [])])
        cell = _file_name(wanted, [task for of_kind in tasks.values() for task in of_kind])
        lines = [_line(item) for item in items]
        write_bytes(folder / f"{cell}.jsonl", msgspec.json.Encoder().encode_lines(lines))
        common = _common(exported, cell)
        generation = common | _generation(exported, items)
        _write_task(folder, cell, generation, pictured=pictured, scored_by=_SCORED_BY.get(form))
        tasks[unit or ("interval" if form == "interval" else "label")].append(cell)
        if items[0].scored_as == "label":
            tasks["likelihood"].append(f"{cell}_likelihood")
            _write_task(folder, f"{cell}_likelihood", common | _LIKELIHOOD, pictured=pictured)
    groups = _write_groups(folder, name, tasks, exported.record.version)
    formats = {item.format for item in exported.items}
    if formats & _SCORED_BY.keys():
        parts = ["lm_eval_scoring.py", *(["lm_eval_numbers.py"] if "number" in formats else [])]
        write_text(folder / "scoring.py", _joined(parts))
    if pictured:
        write_text(folder / "opening.py", _OPENER)
    write_text(folder / "README.md", readme(exported, "lm-evaluation-harness", _how(exported, name, groups)))
    return exported


def _joined(names: Sequence[str]) -> str:
    """Modules of this folder as one that imports none of Probe4D: what one takes from another stands in it."""
    first, *others = (resources.files("probe4d.exchange.exports").joinpath(name).read_text("utf-8") for name in names)
    ours = re.compile(r"^from (?:__future__|probe4d)\b[^\n(]*(?:\([^)]*\))?\n", re.MULTILINE)
    return "\n\n".join([first, *(ours.sub("", other) for other in others)])


def _how(exported: Exported, name: str, groups: Sequence[str]) -> str:
    """How the tasks of an export are used, as Markdown; of what is not among them nothing is said."""
    formats = {item.format for item in exported.items}
    kinds = {item.scored_as for item in exported.items}
    paragraphs = {
        _HOW: True,
        _LABELS: "label" in kinds,
        _WORDS: "text" in formats,
        _INTERVALS: "interval" in kinds,
        _NUMBERS: "number" in kinds,
        _FIGURES_THAT_HOLD: True,
        _OPENING: any(item.evidence for item in exported.items),
    }
    told = {
        "name": name,
        "interval_figures": INTERVAL_FIGURES,
        "number_figures": NUMBER_FIGURES,
        "groups": ",".join(groups),
        "setting": exported.setting.name,
    }
    return "\n\n".join(text.format(**told) for text, is_told in paragraphs.items() if is_told)


def _write_groups(folder: Path, name: str, tasks: Mapping[str, list[str]], version: str) -> list[str]:
    """Write a group for each kind of tasks that there are, and name those that generate replies."""
    written = []
    for kind, (ending, metrics, found_by) in _GROUPS.items():
        if tasks[kind]:
            group = f"{name}{ending}"
            _write_yaml(folder, group, _group(group, tasks[kind], metrics, found_by, version))
            written += [group] if kind != "likelihood" else []
    return written


def _file_name(wanted: str, used: list[str]) -> str:
    """Name of a task and its files, made of letters, digits and underscores whatever a family is called."""
    name = re.sub(r"\W", "_", wanted, flags=re.ASCII)
    return name if name not in used else f"{name}_{len(used)}"


def _line(item: ExportItem) -> dict[str, Any]:
    """A line of data: the item, its prompt with a placeholder for each picture, and the answers to choose from."""
    prompt = "<image>" * len(item.evidence) + item.prompt
    return {**msgspec.to_builtins(item), "prompt": prompt, "choices": list(item.labels)}


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


_GROUPS: Mapping[str, tuple[str, Sequence[str], str]] = {
    "label": ("", ("exact_match",), "answer"),
    "interval": ("_intervals", INTERVAL_METRICS, "answer"),
    "metres": ("_metres", SHARE_METRICS, "answer"),
    "degrees": ("_degrees", SHARE_METRICS, "answer"),
    "likelihood": ("_likelihood", ("acc",), "none"),
}
"""The kinds of tasks that make a group: how its name ends, what is averaged in it, and the filter that it rests on."""

_SCORED_BY = {"text": "scoring.word", "interval": "scoring.interval", "number": "scoring.number"}
"""The functions that read and score replies of these formats; others are read by an expression."""


def _generation(exported: Exported, items: list[ExportItem]) -> dict[str, Any]:
    """What a task that generates replies has beside the common part."""
    tokens = exported.setting.hints.get("max_tokens", 256)
    generation = {
        "output_type": "generate_until",
        "generation_kwargs": {"until": [], "do_sample": False, "max_gen_toks": tokens},
    }
    kind = items[0].format
    if kind in _SCORED_BY:
        whole_reply = [{"function": "take_first"}]
        return generation | {
            "filter_list": [{"name": "answer", "filter": whole_reply}],
            "metric_list": [
                {"metric": metric, "aggregation": "mean", "higher_is_better": metric not in ERROR_METRICS}
                for metric in _metrics_of(items[0])
            ],
        }
    most = max(len(item.options) for item in items)
    pattern = rf"\b([{LETTERS[0]}-{LETTERS[most - 1]}])\b" if most else r"(?i)\b(yes|no)\b"
    which = -1 if exported.setting.wording == "chain-of-thought" else 0  # there the answer follows the reasoning
    answer = [{"function": "regex", "regex_pattern": pattern, "group_select": which}, {"function": "take_first"}]
    return generation | {
        "filter_list": [{"name": "answer", "filter": answer}],
        "metric_list": [
            {"metric": "exact_match", "aggregation": "mean", "higher_is_better": True, "ignore_case": True}
        ],
    }


def _metrics_of(item: ExportItem) -> tuple[str, ...]:
    """What `scoring.py` gives of a reply to such a question."""
    match item.scored_as:
        case "interval":
            return INTERVAL_METRICS
        case "number":
            return (*SHARE_METRICS, *(ERROR_METRICS if item.unit == "degrees" else ERROR_METRICS[:1]))
        case _:
            return ("exact_match", "valid")


def _group(name: str, tasks: list[str], metrics: Sequence[str], found_by: str, version: str) -> dict[str, Any]:
    whole = [{"metric": metric, "weight_by_size": True, "filter_list": [found_by]} for metric in metrics]
    return {"group": name, "task": tasks, "aggregate_metric_list": whole, "metadata": {"version": version}}


def _write_task(folder: Path, name: str, task: dict[str, Any], *, pictured: bool, scored_by: str | None = None) -> None:
    functions = {"doc_to_image": "opening.pictures" if pictured else None, "process_results": scored_by}
    last = [f"{key}: !function {function}" for key, function in functions.items() if function]
    _write_yaml(folder, name, {"task": name} | task, last=last)


def _write_yaml(folder: Path, name: str, content: dict[str, Any], *, last: Sequence[str] = ()) -> None:
    """Write YAML with a JSON value a key, which YAML reads as it stands, and lines that hold functions."""
    lines = [f"{key}: {json.dumps(value)}" for key, value in content.items()]
    write_text(folder / f"{name}.yaml", "\n".join([*lines, *last]) + "\n")
