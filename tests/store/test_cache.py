"""The cache saves time and never changes a result: damaged, unwritable, shared or outdated."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from probe4d.store import cache
from probe4d.store.arrow_map import map_ipc, write_ipc

TABLE = pl.DataFrame(
    {
        "text": ["a token of more than twelve bytes", "short", None],
        "number": [1.5, None, float("nan")],
        "whole": [1, None, 3],
        "level": pl.Series([1, None, 3], dtype=pl.UInt8),
        "index": pl.Series([1, 2, 3], dtype=pl.Int32),
        "names": [["x", "a name of more than twelve bytes"], [], None],
        "matrix": [[1.0, 2.0], None, []],
        "nothing": pl.Series([None, None, None], dtype=pl.String),
    }
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROBE4D_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def keep(subject: str = "data", key: object = 1, table: pl.DataFrame = TABLE) -> pl.DataFrame:
    with cache.stage() as stage:
        kept = stage.keep("table", table)
        stage.finish(subject, key, {"fact": 7})
    return kept


def kept_file(folder: Path) -> Path:
    (path,) = folder.rglob("table.arrow")
    return path


@pytest.mark.parametrize(
    "table", [TABLE, TABLE.clear(), TABLE[1:], pl.concat([TABLE, TABLE], rechunk=False), TABLE.gather_every(2)]
)
def test_mapped_table_is_the_written_one(tmp_path: Path, table: pl.DataFrame) -> None:
    write_ipc(table, tmp_path / "t.arrow")
    mapped = map_ipc(tmp_path / "t.arrow")
    assert mapped.schema == table.schema
    assert mapped.equals(table)
    assert mapped.filter(pl.col("text").str.len_bytes() > 12).equals(table.filter(pl.col("text").str.len_bytes() > 12))
    assert mapped.equals(pl.read_ipc(tmp_path / "t.arrow"))


def test_mapped_table_is_not_copied(tmp_path: Path) -> None:
    """The columns lie in the file's mapping: a 160 MB table costs less than a tenth of it."""
    script = f"""
import resource
from pathlib import Path
from probe4d.store.arrow_map import map_ipc
path = Path({str(tmp_path / "big.arrow")!r})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
table = map_ipc(path)
assert table["text"][-1] == "token-0000000000000000000000001999999" and table["x"][0] == 0
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    big = pl.select(x=pl.int_range(2_000_000, dtype=pl.Int64)).with_columns(
        text=pl.lit("token-") + pl.col("x").cast(pl.String).str.zfill(31)
    )
    write_ipc(big, tmp_path / "big.arrow")
    assert (tmp_path / "big.arrow").stat().st_size > 120e6
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 < 12e6


def test_other_layouts_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    path.write_bytes(b"not an Arrow file at all, but long enough")
    with pytest.raises((ValueError, pl.exceptions.PolarsError)):
        map_ipc(path)
    pl.DataFrame({"x": [1, 2, 3]}).write_ipc(tmp_path / "lz4.arrow", compression="lz4")
    with pytest.raises(ValueError, match="compressed"):
        map_ipc(tmp_path / "lz4.arrow")
    pl.DataFrame({"flag": [True]}).write_ipc(tmp_path / "type.arrow", compression="uncompressed")
    with pytest.raises(ValueError, match="Boolean"):
        map_ipc(tmp_path / "type.arrow")


def test_entry_is_given_under_its_key_only() -> None:
    assert cache.load("data", 1) is None
    assert keep().equals(TABLE)
    entry = cache.load("data", 1)
    assert entry is not None
    assert entry.tables["table"].equals(TABLE)
    assert entry.facts == {"fact": 7}
    assert cache.load("data", 2) is None
    assert cache.load("other", 1) is None


def test_newer_entry_replaces_the_older_one(own_cache: Path) -> None:
    older = keep()
    keep(key=2, table=TABLE[1:])
    assert cache.load("data", 1) is None
    assert kept_file(own_cache).exists()  # the only one
    assert older.equals(TABLE)  # a mapped table outlives its file


def test_what_is_not_finished_is_removed(own_cache: Path) -> None:
    with cache.stage() as stage:
        stage.keep("table", TABLE)
    assert list(own_cache.rglob("*.arrow")) == []
    assert cache.load("data", 1) is None


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "absent", "index", "index is a list"])
def test_damaged_entry_is_a_warning_and_made_anew(
    own_cache: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    keep()
    path = kept_file(own_cache)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    if damage == "flipped":
        path.write_bytes(content)
    elif damage == "cut":
        path.write_bytes(content[:-50])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "absent":
        path.unlink()
    else:
        (path.parent / "index.json").write_text("{" if damage == "index" else "[]")
    with caplog.at_level(logging.WARNING):
        assert cache.load("data", 1) is None
    assert "is damaged and will be made anew" in caplog.text
    keep()
    assert cache.load("data", 1) is not None


def test_unwritable_cache_is_a_warning(own_cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    own_cache.write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING):
        assert keep().equals(TABLE)
    assert "the cache could not be written" in caplog.text
    assert cache.load("data", 1) is None


def test_what_a_killed_process_left_is_swept_after_a_day(own_cache: Path) -> None:
    for name, age_h in ((".stage-old", 25), (".stage-new", 23), ("other", 1000)):
        (own_cache / name).mkdir(parents=True)
        (own_cache / name / "table.arrow").write_bytes(b"half")
        changed = time.time() - age_h * 3600
        os.utime(own_cache / name, (changed, changed))
    keep()
    names = {folder.name for folder in own_cache.iterdir()}
    assert ".stage-old" not in names
    assert {".stage-new", "other"} <= names


def test_an_entry_that_replaced_a_damaged_one_is_not_discarded(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    keep()
    place = kept_file(own_cache).parent
    (place / "table.arrow").write_bytes(b"damaged")
    mapped = cache._mapped

    def replaced_meanwhile(path: Path, kept: cache._FileIndex) -> pl.DataFrame:
        monkeypatch.setattr(cache, "_mapped", mapped)
        place.rename(own_cache / "older")
        keep()
        (own_cache / "older").rename(own_cache / "oldest")
        return mapped(own_cache / "oldest" / path.name, kept)

    monkeypatch.setattr(cache, "_mapped", replaced_meanwhile)
    assert cache.load("data", 1) is None
    entry = cache.load("data", 1)
    assert entry is not None
    assert entry.tables["table"].equals(TABLE)
    assert caplog.text == ""


def test_two_processes_at_once(own_cache: Path) -> None:
    script = """
import polars as pl
from probe4d.store import cache
for number in range(15):
    with cache.stage() as stage:
        stage.keep("table", pl.DataFrame({"x": range(1000)}))
        stage.finish("data", 1, {})
    entry = cache.load("data", 1)
    assert entry is None or entry.tables["table"]["x"].sum() == 499500
"""
    command = [sys.executable, "-c", script]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ) for _ in range(2)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    entry = cache.load("data", 1)
    assert entry is not None
    assert entry.tables["table"]["x"].sum() == 499_500
    assert list(own_cache.glob(".stage-*")) == []


def test_folder_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PROBE4D_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / "probe4d"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.cache_folder() == Path.home() / ".cache" / "probe4d"
