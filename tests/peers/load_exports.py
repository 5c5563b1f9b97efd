"""Loads exports in the harnesses they are written for and prints, as JSON, what these see.

    load_exports.py EXPORTS

EXPORTS holds a folder for each harness. Run by the Python of `.venv-harnesses`.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

EXPORTS = Path(sys.argv[1]).resolve()


def lm_eval() -> dict[str, Any]:
    """Evaluate both groups with a model that knows every answer."""
    from lm_eval import evaluator
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    texts = [path.read_bytes() for path in sorted(Path().glob("*.jsonl"))]
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    known = {line["prompt"]: line["answer"] for line in lines}
    seen: set[str] = set()

    class Known(LM):
        MULTIMODAL = True

        def generate_until(self, requests: list[Any]) -> list[str]:
            seen.update(request.args[0] for request in requests)
            return [f"The answer is {known[request.args[0]]}." for request in requests]

        def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
            return [(0.0 if request.args[1].strip() == known[request.args[0]] else -9.0, True) for request in requests]

        def loglikelihood_rolling(self, requests: list[Any]) -> list[float]:
            raise NotImplementedError

    manager = TaskManager(include_path=".", include_defaults=False)
    results = evaluator.simple_evaluate(
        model=Known(),
        tasks=["probe4d_lidar_hallu", "probe4d_lidar_hallu_likelihood"],
        task_manager=manager,
        bootstrap_iters=0,
        log_samples=True,
    )
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
    """Read the table as VLMEvalKit does, with pandas' defaults."""
    import pandas

    table = pandas.read_csv("lidar_hallu.tsv", sep="\t")
    cells = {name: [None if pandas.isna(cell) else cell for cell in table[name]] for name in table.columns}
    return {"cells": json.loads(json.dumps(cells, default=lambda number: number.item()))}


if __name__ == "__main__":
    found = {}
    for name, load in {"lm-eval": lm_eval, "huggingface": huggingface, "vlmevalkit": vlmevalkit}.items():
        os.chdir(EXPORTS / name)
        found[name] = load()
    Path(EXPORTS, "found.json").write_text(json.dumps(found), encoding="utf-8")
