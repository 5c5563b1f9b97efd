"""Options that several verbs take as one parameter: typer makes each parameter one option, and reads no groups."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

__all__ = ["with_groups"]


def with_groups(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb, for each parameter that is a dataclass, an option for each of its fields.

    A field without default is an option that has to be given.
    """
    flat: list[inspect.Parameter] = []
    groups: dict[str, tuple[Any, list[str]]] = {}
    for parameter in inspect.signature(verb, eval_str=True).parameters.values():
        group: Any = parameter.annotation
        if not is_dataclass(group):
            flat.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        hints = get_type_hints(group, include_extras=True)
        groups[parameter.name] = (group, [field.name for field in fields(group)])
        flat += [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=hints[field.name],
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
            )
            for field in fields(group)
        ]

    @functools.wraps(verb)
    def with_options(**given: Any) -> None:
        made = {name: group(**{field: given.pop(field) for field in names}) for name, (group, names) in groups.items()}
        verb(**made, **given)

    with_options.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return with_options
