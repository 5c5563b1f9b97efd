"""Which files a command may write over, where it writes one that the user names."""

from __future__ import annotations

from pathlib import Path

from probe4d.errors import InputError

__all__ = ["unkept"]


def unkept(path: Path | None) -> Path | None:
    """The path as it is; the callback of every option that names a file to write.

    A file of the same name is replaced, as an earlier outcome of the command is; but none that a benchmark, a run or
    judgements consist of: what a model answered, and was paid for, would be lost to a slip.

    Raises:
        InputError: There is such a file.
    """
    from probe4d.benchmarks.benchmark import CARD_FILE, QUESTIONS_FILE
    from probe4d.benchmarks.benchmark import RECORD_FILE as BENCHMARK_RECORD
    from probe4d.diagnosis.judging.judgements import JUDGEMENTS_FILE
    from probe4d.diagnosis.judging.judgements import RECORD_FILE as JUDGE_RECORD
    from probe4d.exchange.inspect_log import LOG_FILE
    from probe4d.runs.run import ANSWERS_FILE, ERRORS_FILE, LEFT_OUT_FILE
    from probe4d.runs.run import RECORD_FILE as RUN_RECORD

    kept = (
        *(BENCHMARK_RECORD, QUESTIONS_FILE, CARD_FILE, RUN_RECORD, ANSWERS_FILE, ERRORS_FILE, LEFT_OUT_FILE, LOG_FILE),
        *(JUDGE_RECORD, JUDGEMENTS_FILE),
    )
    if path is not None and path.name in kept and path.exists():
        raise InputError(
            "is there already, under a name of what a benchmark, a run or judgements consist of, and is not written "
            "over.",
            path=path,
            remedy="Give another file.",
        )
    return path
