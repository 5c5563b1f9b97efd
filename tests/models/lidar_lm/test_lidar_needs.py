from __future__ import annotations

import pytest

from probe4d.errors import InputError
from probe4d.models.lidar_lm import needs


def test_nothing_is_refused_where_everything_is_installed() -> None:
    needs.refuse_missing()


def test_every_missing_package_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "find_spec", lambda module: None if module in {"torch", "peft"} else object())
    with pytest.raises(InputError, match=r"not installed: torch and peft\. .*pip install 'probe4d\[lidar\]'"):
        needs.refuse_missing()


def test_a_module_inside_a_missing_package_is_missing() -> None:
    with pytest.raises(InputError, match=r"this needs packages .*: absent\. .*pip install absent"):
        needs.refuse_missing({"absent": "no_such_package.module", "pytest": "pytest"}, user="this")
