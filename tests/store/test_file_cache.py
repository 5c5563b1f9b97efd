from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probe4d.store.file_cache import FileCache

KEYS = [f"{number:064x}" for number in (1, 2, 3, 1 << 250)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROBE4D_CACHE", str(tmp_path))
    return tmp_path / "things"


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_is_kept_is_given_back(folder: Path) -> None:
    for number, key in enumerate(KEYS):
        FileCache("things", most_bytes=1000).put(key, bytes(number))
    cache = FileCache("things", most_bytes=1000)
    assert [cache.get(key) for key in KEYS] == [bytes(number) for number in range(len(KEYS))]
    assert cache.get("f" * 64) is None
    assert FileCache("others", most_bytes=1000).get(KEYS[0]) is None


@given(st.binary(max_size=64), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_any_change_to_a_file_makes_it_absent(folder: Path, content: bytes, data: st.DataObject) -> None:
    cache = FileCache("things", most_bytes=1000)
    cache.put(KEYS[0], content)
    (path,) = files(folder)
    whole = path.read_bytes()
    changed = data.draw(st.binary(max_size=100).filter(lambda other: other != whole))
    path.write_bytes(changed)
    assert cache.get(KEYS[0]) is None


def test_content_under_another_key_is_absent(folder: Path) -> None:
    cache = FileCache("things", most_bytes=1000)
    cache.put(KEYS[0], b"one")
    cache.put(KEYS[1], b"two")
    one, two = sorted(files(folder))
    one.write_bytes(two.read_bytes())
    assert cache.get(KEYS[0]) is None
    assert cache.get(KEYS[1]) == b"two"


def test_a_sweep_removes_what_was_longest_unused(folder: Path) -> None:
    keys = [f"{number:064x}" for number in range(10)]
    earlier = FileCache("things", most_bytes=10_000)
    for key in keys[:-1]:
        earlier.put(key, bytes(68))  # 100 bytes with the digest
    cache = FileCache("things", most_bytes=500)
    cache.put(keys[-1], bytes(68))
    for path in files(folder):
        os.utime(path, (1_000_000, 1_000_000))
    for key in keys[:3]:
        assert cache.get(key) is not None
    cache.sweep()
    assert sum(path.stat().st_size for path in files(folder)) == 400
    assert all(cache.get(key) is not None for key in keys[:3])


def test_a_long_command_stays_near_the_limit_while_it_writes(folder: Path) -> None:
    cache = FileCache("things", most_bytes=1000)
    most = 0
    for number in range(100):
        cache.put(f"{number:064x}", bytes(68))
        most = max(most, sum(path.stat().st_size for path in files(folder)))
    assert 1000 <= most <= 1300


def test_nothing_is_swept_below_the_limit_or_by_a_reader(folder: Path) -> None:
    writer = FileCache("things", most_bytes=10_000)
    for key in KEYS:
        writer.put(key, bytes(100))
    writer.sweep()
    reader = FileCache("things", most_bytes=10)
    assert reader.get(KEYS[0]) is not None
    reader.sweep()
    assert len(files(folder)) == len(KEYS)


def test_a_sweep_removes_what_killed_processes_left(folder: Path) -> None:
    cache = FileCache("things", most_bytes=1000)
    cache.put(KEYS[0], b"whole")
    (path,) = files(folder)
    old, fresh = path.with_name(".old.part"), path.with_name(".fresh.part")
    for part in (old, fresh):
        part.write_bytes(b"half")
    os.utime(old, (time.time() - 200_000, time.time() - 200_000))
    cache.sweep()
    assert sorted(files(folder)) == sorted([path, fresh])


def test_a_cache_that_fails_warns_once(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("in the way")
    cache = FileCache("things", most_bytes=1000)
    for key in KEYS:
        cache.put(key, b"content")
        assert cache.get(key) is None
    cache.sweep()
    assert len(caplog.records) == 1
    assert "cache" in caplog.text
