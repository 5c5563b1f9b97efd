from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from probe4d.errors import InputError
from probe4d.scenes.simulator import VERSION, simulate

Contents = Callable[[Path], dict[str, bytes]]

KILLED = """
import os, signal, sys
from probe4d.scenes.simulator import simulate

out, kind, part, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])

def watch(event, arguments):
    global count
    if event == kind and part in str(arguments[0]):
        count -= 1
        if not count:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
simulate(out, scenes=2, seed=6, cameras=False)
"""


def killed(out: Path, kind: str, part: str, count: int) -> None:
    """Simulate two scenes and kill the process at the given opening or renaming of a path with this part."""
    process = subprocess.run([sys.executable, "-c", KILLED, out, kind, part, str(count)], timeout=120, check=False)
    assert process.returncode == -signal.SIGKILL


def written_at(out: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in out.rglob("samples/*/*")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two scenes, simulated without interruption."""
    return simulate(tmp_path_factory.mktemp("whole"), scenes=2, seed=6, cameras=False)


@pytest.mark.parametrize(
    ("kind", "part", "count", "finished", "workers"),
    [
        ("open", "/sim-0001__", 20, 0, 2),
        ("open", "/sim-0002__", 20, 1, 2),
        ("open", "/tables.part/", 5, 2, 1),
        ("os.rename", f"/{VERSION}", 1, 2, 1),
    ],
    ids=["in the first scene", "in the second scene", "at the tables", "at the move"],
)
def test_a_killed_simulation_goes_on_where_it_stopped(
    tmp_path: Path, whole: Path, contents: Contents, kind: str, part: str, count: int, finished: int, workers: int
) -> None:
    killed(tmp_path, kind, part, count)
    assert not (tmp_path / VERSION).exists()
    before = {name: time for name, time in written_at(tmp_path).items() if int(name[4:8]) <= finished}
    found: list[int] = []
    done: list[int] = []
    simulate(tmp_path, scenes=2, seed=6, cameras=False, workers=workers, found=found.append, done=done.append)
    assert contents(tmp_path) == contents(whole)
    assert found == [finished]
    assert done == [0, 1]
    assert before.items() <= written_at(tmp_path).items()
    assert len({name[:8] for name in before}) == finished


def test_a_file_that_lost_its_bytes_is_simulated_again(tmp_path: Path, whole: Path, contents: Contents) -> None:
    killed(tmp_path, "open", "/tables.part/", 1)
    victim = sorted(tmp_path.rglob("sim-0001__*"))[3]
    victim.write_bytes(bytes(victim.stat().st_size))  # as after a loss of power
    found: list[int] = []
    done: list[int] = []
    simulate(tmp_path, scenes=2, seed=6, cameras=False, found=found.append, done=done.append)
    assert contents(tmp_path) == contents(whole)
    assert found == [1]
    assert done == [1, 0]


def test_a_finished_dataset_is_left_as_it_is_and_grows(tmp_path: Path, whole: Path, contents: Contents) -> None:
    found: list[int] = []
    simulate(tmp_path, scenes=1, seed=6, cameras=False)
    first = written_at(tmp_path)
    simulate(tmp_path, scenes=1, seed=6, cameras=False, found=found.append)
    simulate(tmp_path, scenes=2, seed=6, cameras=False, found=found.append)
    assert found == [1, 1]
    assert contents(tmp_path) == contents(whole)
    assert first.items() <= written_at(tmp_path).items()


def test_a_dataset_whose_tables_were_changed_does_not_grow(tmp_path: Path, contents: Contents) -> None:
    simulate(tmp_path, scenes=1, seed=6, cameras=False)
    (tmp_path / VERSION / "sample.json").write_text("[]")
    with pytest.raises(InputError, match=r"sample\.json: is not as it was simulated"):
        simulate(tmp_path, scenes=2, seed=6, cameras=False)


@pytest.mark.parametrize(
    ("scenes", "seed", "cameras"), [(2, 7, False), (1, 6, False), (2, 6, True)], ids=["seed", "fewer", "cameras"]
)
def test_a_dataset_of_other_arguments_is_not_touched(
    whole: Path, contents: Contents, scenes: int, seed: int, cameras: bool
) -> None:
    before = contents(whole)
    asked = f"--scenes {scenes} --seed {seed} {'--cameras' if cameras else '--no-cameras'}"
    with pytest.raises(
        InputError, match=f"a finished dataset simulated with --scenes 2 --seed 6 --no-cameras, not {asked}"
    ):
        simulate(whole, scenes=scenes, seed=seed, cameras=cameras)
    assert contents(whole) == before


def test_a_dataset_to_be_replaced_stays_until_the_new_one_is_complete(
    tmp_path: Path, whole: Path, contents: Contents
) -> None:
    simulate(tmp_path, scenes=1, seed=9, cameras=False)
    old = contents(tmp_path)

    def stop(scene: int) -> None:
        assert old.items() <= contents(tmp_path).items()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(tmp_path, scenes=2, seed=6, cameras=False, replace=True, done=stop)
    assert old.items() <= contents(tmp_path).items()
    found: list[int] = []
    simulate(tmp_path, scenes=2, seed=6, cameras=False, replace=True, found=found.append)
    assert found == [1]
    assert contents(tmp_path) == contents(whole)
