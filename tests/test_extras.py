from __future__ import annotations

import sys

import pytest

from probe4d import extras
from probe4d.errors import InputError
from probe4d.models.lidar_lm import needs


def test_a_module_is_imported_where_it_is_installed() -> None:
    assert extras.needed("json.decoder", extra="text", user="this") is sys.modules["json.decoder"]


def test_a_module_that_cannot_be_imported_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crc32c", None)
    with pytest.raises(InputError, match=r"this needs packages .*installed \(.*crc32c.*pip install 'probe4d\[waymo\]'"):
        extras.needed("crc32c", extra="waymo", user="this")


def test_nothing_is_refused_where_everything_is_installed() -> None:
    needs.refuse_missing()


def test_every_missing_package_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda module: None if module in {"torch", "peft"} else object())
    with pytest.raises(InputError, match=r"not installed: torch and peft\. .*pip install 'probe4d\[lidar\]'"):
        needs.refuse_missing()


def test_a_module_inside_a_missing_package_is_missing() -> None:
    packages = {"absent": "no_such_package.module", "pytest": "pytest"}
    with pytest.raises(InputError, match=r"this needs packages .*: absent\. .*pip install absent"):
        extras.refuse_missing(packages, user="this")
