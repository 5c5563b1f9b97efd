"""One writer a folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from probe4d.errors import InputError
from probe4d.store.locks import locked

HOLD = """
import sys
from pathlib import Path
from probe4d.store.locks import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_holder_is_refused_at_once(tmp_path: Path) -> None:
    lock = tmp_path / "run" / ".lock"
    with (
        locked(lock),
        pytest.raises(InputError, match=r"run: is in use by another command\. Wait until it has ended, or stop it\."),
        locked(lock),
    ):
        pass


def test_another_process_is_refused_until_the_first_ends_however_it_ends(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(InputError, match="in use"), locked(lock):
        pass
    holder.kill()
    holder.communicate()
    with locked(lock):
        assert lock.exists()


def test_a_lock_file_left_behind_is_harmless(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    lock.write_text("from a machine that lost power")
    with locked(lock):
        pass
    with locked(lock):
        pass


def test_the_lock_is_given_back_after_an_error(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    with pytest.raises(ValueError, match="inside"), locked(lock):
        raise ValueError("inside")
    with locked(lock):
        pass


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"), locked(tmp_path / "file" / "run" / ".lock"):
        pass
    with pytest.raises(InputError, match="cannot be written"), locked(Path("/proc/probe4d/.lock")):
        pass
