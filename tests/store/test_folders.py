from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from probe4d.errors import InputError
from probe4d.store.files import is_half_written, whole_file
from probe4d.store.folders import refuse_full, whole_folder


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "far" / "out") as folder:
        (folder / "a").write_text("a")
        assert not (tmp_path / "far" / "out").exists()
    assert (tmp_path / "far" / "out" / "a").read_text() == "a"
    assert os.listdir(tmp_path / "far") == ["out"]


def test_a_folder_is_replaced_and_what_else_it_holds_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "runs").mkdir(parents=True)
    (out / "runs" / "mine").write_text("precious")
    (out / "a").write_text("old")
    with whole_folder(out) as folder:
        (folder / "a").write_text("new")
        assert (out / "a").read_text() == "old"
    assert (out / "a").read_text() == "new"
    assert (out / "runs" / "mine").read_text() == "precious"
    assert os.listdir(tmp_path) == ["out"]


def test_a_failed_block_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("old")

    def fail() -> None:
        with whole_folder(tmp_path / "out") as folder:
            (folder / "a").write_text("new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert (tmp_path / "out" / "a").read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


def test_a_failed_swap_puts_the_old_folder_back(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("old")
    with pytest.raises(InputError, match="out: cannot be written"), whole_folder(tmp_path / "out") as folder:
        folder.rmdir()
    assert (tmp_path / "out" / "a").read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


def test_the_target_of_a_link_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with whole_folder(tmp_path / "link") as folder:
        (folder / "a").write_text("a")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target" / "a").read_text() == "a"


def test_the_current_folder_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with whole_folder(".") as folder:
        (folder / "a").write_text("a")
    assert (tmp_path / "a").read_text() == "a"


def test_a_folder_under_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    with pytest.raises(InputError, match="cannot be written"), whole_folder(tmp_path / "file" / "out"):
        pass


@pytest.mark.parametrize("length", [250, 300])  # the first is too long for the name of the temporary folder alone
def test_a_name_too_long_for_the_disk_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / ("x" * length)
    with pytest.raises(InputError, match="is too long a name for the disk"), whole_folder(path):
        pass
    assert list(tmp_path.iterdir()) == []
    if length > 255:
        with pytest.raises(InputError, match="is too long a name for the disk"):
            refuse_full(path)


@pytest.mark.parametrize(
    ("held", "own", "refused"),
    [
        ((), ("mine.json",), False),
        (("theirs.txt",), ("mine.json",), True),
        (("theirs.txt", "mine.json"), ("mine.json",), False),
        (("mine.json",), (), True),
        ((".mine.json.ab12.part",), ("mine.json",), False),
        ((".theirs",), (), True),
        (("theirs.part",), (), True),
    ],
)
def test_only_what_its_writer_left_in_a_folder_is_written_over(
    tmp_path: Path, held: tuple[str, ...], own: tuple[str, ...], refused: bool
) -> None:
    for name in held:
        (tmp_path / name).touch()
    with pytest.raises(InputError, match="is not empty") if refused else nullcontext():
        refuse_full(tmp_path, own=own)


def test_what_a_killed_write_leaves_is_in_nobodys_way(tmp_path: Path) -> None:
    with whole_file(tmp_path / "a") as file, whole_folder(tmp_path / "b") as folder:
        assert sorted(tmp_path.iterdir()) == [file, folder]
        assert is_half_written(file)
        assert is_half_written(folder)
        refuse_full(tmp_path)
