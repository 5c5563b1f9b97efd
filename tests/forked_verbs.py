"""The command line in a process that was forked from one which has imported already what verbs need.

Importing takes longer than most verbs, and what they leave behind is the same.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from probe4d.cli import main

IMPORTED = (
    "probe4d.benchmarks.suites",
    "probe4d.cli",
    "probe4d.diagnosis.diagnose",
    "probe4d.exchange.exports.export",
    "probe4d.report.page",
    "probe4d.review.sheet",
    "probe4d.runs.ask",
    "probe4d.runs.captioning",
    "probe4d.runs.generating",
    "probe4d.scenes.opening",
    "inspect_ai.model._providers.openai_compatible",
)
"""What most verbs import, and all that ask models; no torch, which few want and which takes as long as all these."""


def run_verb(arguments: Sequence[str], folder: Path, environment: Mapping[str, str], out: Path, err: Path) -> None:
    """Be the command line, to the end of this process.

    Args:
        arguments: What stands behind `probe4d`.
        folder: Where the command runs.
        environment: All of its environment, the place of temporary files included.
        out: File for its standard output.
        err: File for its standard error.
    """
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    for path, descriptor in ((out, 1), (err, 2)):
        with open(path, "xb") as file:
            os.dup2(file.fileno(), descriptor)
    sys.argv = ["probe4d", *arguments]
    main()
