from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from probe4d.errors import InputError
from probe4d.scenes.simulator.staging import VERSION, Settings, Stage, claimed, open_stage
from probe4d.version import __version__

Contents = Callable[[Path], dict[str, bytes]]


def settings(scenes: int, seed: int = 3) -> Settings:
    return Settings(version=__version__, scenes=scenes, seed=seed, cameras=False)


def complete(out: Path, wanted: Settings) -> Stage:
    """Open a stage and put a dataset of two sensor files a scene into it, but not in its place."""
    out.mkdir(exist_ok=True)
    stage = open_stage(out, wanted, replace=True)
    assert stage is not None
    for name in ("records", "maps", "samples/A", "samples/B", VERSION):
        (stage.folder / name).mkdir(parents=True)
    (stage.folder / "maps" / f"{wanted.seed}.png").write_text("map")
    for scene in range(stage.first, wanted.scenes):
        (stage.folder / "records" / str(scene)).write_text("record")
        for channel in ("A", "B"):
            (stage.folder / "samples" / channel / str(scene)).write_text(f"{wanted.seed} {scene}")
    (stage.folder / VERSION / "scene.json").write_text(wanted.words())
    return stage


def dying(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Break off before the given one of all steps that move or remove something."""
    steps = itertools.count()

    def broken(function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            if next(steps) == step:
                raise KeyboardInterrupt
            return function(*arguments, **options)

        return counted

    for owner, name in ((Path, "rename"), (Path, "replace"), (Path, "rmdir"), (shutil, "rmtree")):
        monkeypatch.setattr(owner, name, broken(getattr(owner, name)))


@pytest.mark.parametrize("before", [None, settings(2, seed=8), settings(2)], ids=["new", "replacing", "adding"])
def test_a_move_broken_off_at_any_step_is_completed_by_the_next_call(
    tmp_path: Path, contents: Contents, monkeypatch: pytest.MonkeyPatch, before: Settings | None
) -> None:
    wanted = settings(4)
    complete(tmp_path / "expected", wanted).put_in_place()
    expected = contents(tmp_path / "expected")
    if before:
        complete(tmp_path / "prepared", before).put_in_place()
    old = contents(tmp_path / "prepared") if before else expected
    prepared = complete(tmp_path / "prepared", wanted)
    broken_off = 0
    for step in itertools.count():
        out = tmp_path / str(step)
        shutil.copytree(tmp_path / "prepared", out)
        with monkeypatch.context() as patch:
            dying(patch, step)
            try:
                replace(prepared, out=out, folder=out / prepared.folder.name).put_in_place()
                break
            except KeyboardInterrupt:
                broken_off += 1
        if (out / VERSION).exists():
            # Whoever opens it meanwhile sees a dataset that is complete: the old one or the new one.
            present = contents(out).items()
            assert any(data.items() <= present for data in (old, expected))
        assert open_stage(out, wanted, replace=False) is None
        assert contents(out) == expected
    assert broken_off >= 6


def test_a_complete_stage_is_put_in_place_before_another_is_begun(tmp_path: Path, contents: Contents) -> None:
    complete(tmp_path, settings(2))
    stage = open_stage(tmp_path, settings(3), replace=False)
    assert stage is not None
    assert stage.first == 2
    assert (tmp_path / VERSION / "scene.json").read_text() == settings(2).words()
    assert [*contents(stage.folder)] == ["simulation.json"]


def test_an_unfinished_dataset_of_other_settings_is_refused_or_given_up(tmp_path: Path) -> None:
    begun = open_stage(tmp_path, settings(2, seed=8), replace=False)
    assert begun is not None
    with pytest.raises(InputError, match=r"an unfinished dataset simulated with --scenes 2 --seed 8 --no-cameras, not"):
        open_stage(tmp_path, settings(2), replace=False)
    with pytest.raises(InputError, match=r"--scenes 2 --seed 8 .*, not --scenes 1 --seed 8"):
        open_stage(tmp_path, settings(1, seed=8), replace=False)
    assert open_stage(tmp_path, settings(3, seed=8), replace=False) is not None
    assert begun.folder.exists()
    assert open_stage(tmp_path, settings(2), replace=True) is not None
    assert not begun.folder.exists()


def test_another_version_simulates_other_scenes(tmp_path: Path) -> None:
    older = Settings(version="0.0.9", scenes=2, seed=3, cameras=False)
    complete(tmp_path, older).put_in_place()
    with pytest.raises(InputError, match=r"a finished dataset .* \(Probe4D 0\.0\.9\), not --scenes 3.*--replace"):
        open_stage(tmp_path, settings(3), replace=False)


def test_what_a_kill_leaves_before_anything_is_begun_is_no_hindrance(tmp_path: Path) -> None:
    stage = open_stage(tmp_path, settings(2), replace=False)
    assert stage is not None
    (stage.folder / "simulation.json").replace(stage.folder / ".simulation.json.k3j2.part")
    stage = open_stage(tmp_path, settings(2, seed=8), replace=False)
    assert stage is not None
    assert [path.name for path in tmp_path.iterdir()] == [stage.folder.name]


def test_two_calls_do_not_work_in_one_folder_at_once(tmp_path: Path) -> None:
    with (
        claimed(tmp_path),
        pytest.raises(InputError, match="is being written to by another simulation"),
        claimed(tmp_path),
    ):
        pytest.fail("claimed twice")
    with claimed(tmp_path):
        pass
