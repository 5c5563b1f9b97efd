from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from probe4d.errors import InputError
from probe4d.store.job_folder import hold_folder


class Asked(msgspec.Struct, kw_only=True):
    """What a job was asked to do."""

    options: dict[str, int]
    version: int = 1


ASKED = Asked(options={"epochs": 1})


def hold(folder: Path, asked: Asked = ASKED) -> None:
    with hold_folder(folder, "job.json", asked):
        assert (folder / "job.json").is_file()


def test_what_a_kill_left_half_written_is_taken_away(tmp_path: Path) -> None:
    job, elsewhere = tmp_path / "job", tmp_path / "elsewhere"
    hold(job)
    (job / ".state.0f.part").write_bytes(b"half of it")
    (job / "..checkpoint.0f.part" / "adapter").mkdir(parents=True)
    (job / "..checkpoint.0f.part" / "adapter" / "weights").write_bytes(b"half of it")
    elsewhere.mkdir()
    (elsewhere / "thesis.tex").write_text("mine")
    (job / ".link.0f.part").symlink_to(elsewhere)
    hold(job)
    assert sorted(path.name for path in job.iterdir()) == [".lock", "job.json"]
    assert (elsewhere / "thesis.tex").read_text() == "mine"


def test_a_job_that_was_asked_otherwise_is_left_alone(tmp_path: Path) -> None:
    hold(tmp_path)
    before = (tmp_path / "job.json").read_bytes()
    with pytest.raises(InputError, match="asked otherwise: epochs 1, now 2"):
        hold(tmp_path, Asked(options={"epochs": 2}))
    assert (tmp_path / "job.json").read_bytes() == before
    other = Asked(options={"epochs": 2})
    with (
        pytest.raises(InputError, match="or take another --out"),
        hold_folder(tmp_path, "job.json", other, other="another --out"),
    ):
        pass


def test_one_process_holds_it_at_a_time(tmp_path: Path) -> None:
    with hold_folder(tmp_path, "job.json", ASKED), pytest.raises(InputError, match="in use by another command"):
        hold(tmp_path)


class AskedOfAModel(msgspec.Struct, kw_only=True):
    """What a job was asked to do by a model."""

    generation: dict[str, object]
    seed: int = 1
    probe4d: str | None = None


def test_a_difference_is_told_by_the_option_that_differs_and_the_version_is_none(tmp_path: Path) -> None:
    def held(generation: dict[str, object], probe4d: str | None = None) -> None:
        with hold_folder(tmp_path, "job.json", AskedOfAModel(generation=generation, probe4d=probe4d)):
            pass

    held({"max_tokens": 4096, "seed": 3})
    held({"max_tokens": 4096, "seed": 3}, probe4d="9.9")
    with pytest.raises(InputError, match="otherwise: max_tokens 4096, now 64, generation seed 3, now None and top_p"):
        held({"max_tokens": 64, "top_p": 0.5})
