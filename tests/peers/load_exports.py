"""Loads exports in the harnesses they are written for and prints, as JSON, what these see.

    load_exports.py EXPORTS

EXPORTS holds a folder for each harness, and may hold `replies.json`, the reply to each prompt; without it the model
knows every answer. Run by the Python of `.venv-harnesses`.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

EXPORTS = Path(sys.argv[1]).resolve()


def lm_eval() -> dict[str, Any]:
    """Evaluate all groups with a model that knows what to reply, and log what it replied in `logged`."""
    from lm_eval import evaluator
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    texts = [path.read_bytes() for path in sorted(Path().glob("*.jsonl"))]
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    known = {line["prompt"]: line["answer"] for line in lines}
    replies = {prompt: f"The answer is {answer}." for prompt, answer in known.items()}
    if (EXPORTS / "replies.json").exists():
        replies = json.loads((EXPORTS / "replies.json").read_text(encoding="utf-8"))
    groups = [path.stem for path in sorted(Path().glob("*.yaml")) if path.read_bytes().startswith(b"group:")]
    seen: set[str] = set()

    class Known(LM):
        MULTIMODAL = True

        def generate_until(self, requests: list[Any]) -> list[str]:
            seen.update(request.args[0] for request in requests)
            return [replies[request.args[0]] for request in requests]

        def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
            return [(0.0 if request.args[1].strip() == known[request.args[0]] else -9.0, True) for request in requests]

        def loglikelihood_rolling(self, requests: list[Any]) -> list[float]:
            raise NotImplementedError

    manager = TaskManager(include_path=".", include_defaults=False)
    results = evaluator.simple_evaluate(
        model=Known(),
        tasks=groups,
        task_manager=manager,
        bootstrap_iters=0,
        log_samples=True,
    )
    tracker = EvaluationTracker(output_path=str(EXPORTS / "logged"))
    tracker.save_results_aggregated(
        results={name: part for name, part in results.items() if name != "samples"}, samples=results["samples"]
    )
    for name, samples in results["samples"].items():
        if not name.endswith("_likelihood"):
            tracker.save_results_samples(name, samples)
    return {
        "prompts": sorted(seen),
        "expected": sorted(known),
        "results": results["results"],
        "versions": results["versions"],
        "samples": {name: len(samples) for name, samples in results["samples"].items()},
    }


def huggingface() -> dict[str, Any]:
    """Load the folder by its card, and its Croissant metadata with their records."""
    import mlcroissant
    from datasets import load_dataset

    dataset = load_dataset(str(Path.cwd()), split="test")
    croissant = mlcroissant.Dataset(jsonld="croissant.json")
    records = list(croissant.records("questions"))

    def text(value: Any) -> Any:
        return value.decode() if isinstance(value, bytes) else value

    return {
        "rows": [{name: row[name] for name in ("id", "prompt", "options", "answer", "pictures")} for row in dataset],
        "features": list(dataset.features),
        "errors": sorted(croissant.metadata.issues.errors),
        "warnings": sorted(croissant.metadata.issues.warnings),
        "records": [[text(record["questions/id"]), text(record["questions/prompt"])] for record in records],
    }


def vlmevalkit() -> dict[str, Any]:
    """Read the tables as VLMEvalKit does, with pandas' defaults."""
    import pandas

    found = {}
    for path in sorted(Path().glob("*.tsv")):
        table = pandas.read_csv(path, sep="\t")
        cells = {name: [None if pandas.isna(cell) else cell for cell in table[name]] for name in table.columns}
        found[path.stem] = json.loads(json.dumps(cells, default=lambda number: number.item()))
    return found


if __name__ == "__main__":
    found = {}
    for name, load in {"lm-eval": lm_eval, "huggingface": huggingface, "vlmevalkit": vlmevalkit}.items():
        if (EXPORTS / name).is_dir():
            os.chdir(EXPORTS / name)
            found[name] = load()
    Path(EXPORTS, "found.json").write_text(json.dumps(found), encoding="utf-8")
