"""`--to inspect`: a task file for inspect-ai beside its questions, scored by Probe4D's parsers."""

from __future__ import annotations

import json
from pathlib import Path

from probe4d.exchange.exports.items import Exported, scored
from probe4d.exchange.exports.jsonl import write_lines
from probe4d.exchange.exports.notes import INTERVAL_FIGURES, NUMBER_FIGURES, readme
from probe4d.store.files import write_text

__all__ = ["write_inspect"]

_TASK = '''"""The suite {suite} as a task of inspect-ai; it needs `pip install 'probe4d[models]'`."""

from pathlib import Path

from inspect_ai import Task, task

from probe4d.exchange.inspect_registry import exported_task


@task(name={name})
def {function}() -> Task:
    """Ask the questions that lie beside this file."""
    return exported_task(Path(__file__).parent, name={name}, setting={setting})
'''

_HOW = """\
```
inspect eval {function}.py --model PROVIDER/NAME
```

asks the questions of `questions.jsonl` and scores the replies by Probe4D's parsers, which have to be installed \
(`pip install 'probe4d[models]'`). Accuracy counts a reply that cannot be read as wrong; the share that can be read \
stands beside it."""

_INTERVALS = f"Answers that are an interval of key frames have {INTERVAL_FIGURES}."

_NUMBERS = (
    f"Answers that are a number have {NUMBER_FIGURES}. Errors are given for each unit, and of a family in a unit."
)

_OF_FAMILIES = "All are given for each family, and standard errors are those of whole scenes."


def write_inspect(exported: Exported, folder: Path) -> Exported:
    """Write a task file named after the suite, and the questions; give the part that is written.

    Raises:
        InputError: No question has an answer that the parsers read.
    """
    exported = scored(exported, "inspect-ai")
    name = exported.record.suite
    function = name.replace("-", "_")
    write_lines(exported, folder)
    setting = exported.setting.name
    task = _TASK.format(suite=name, name=json.dumps(name), function=function, setting=json.dumps(setting))
    write_text(folder / f"{function}.py", task)
    asked = {item.scored_as for item in exported.items}
    told = [text for kind, text in (("interval", _INTERVALS), ("number", _NUMBERS)) if kind in asked]
    how = [_HOW.format(function=function), *told, _OF_FAMILIES]
    write_text(folder / "README.md", readme(exported, "inspect-ai", "\n\n".join(how)))
    return exported
