"""Features of scenes on disk: ours, released ones, and what is neither."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors import torch as torch_files
from safetensors.numpy import save_file

from probe4d import extras
from probe4d.errors import InputError
from probe4d.models.lidar_lm.features import FEATURES_FILE, FeatureFolder, FeatureRecord, start_features, write_rows

RECORD = FeatureRecord(encoder="ab" * 8, width=6, coverage="wedges", wedges=("A", "B"), fuse="concatenated")


def rows_of(frames: int, width: int = 6) -> np.ndarray:
    return np.arange(frames * width, dtype=np.float32).reshape(frames, width)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Features of two scenes."""
    start_features(tmp_path / "features", RECORD)
    write_rows(tmp_path / "features", "a", rows_of(4))
    write_rows(tmp_path / "features", "b", rows_of(3) + 100)
    return tmp_path / "features"


class TestOwn:
    def test_gives_back_what_was_written(self, folder: Path) -> None:
        read = FeatureFolder(folder)
        assert read.record == RECORD
        assert read.scenes == ["a", "b"]
        assert (read.frames("a"), read.frames("b")) == (4, 3)
        assert np.array_equal(read.rows("b"), rows_of(3) + 100)
        assert read.rows("a").dtype == np.float32

    def test_gives_frames_in_the_order_asked(self, folder: Path) -> None:
        assert np.array_equal(FeatureFolder(folder).rows("a", (3, 0, 0)), rows_of(4)[[3, 0, 0]])
        assert FeatureFolder(folder).rows("a", ()).shape == (0, 6)

    @given(name=st.text(st.characters(codec="utf-8"), min_size=1, max_size=10))
    @settings(max_examples=40)
    @example(name="../a")
    @example(name=".hidden")
    def test_any_name_of_a_scene_is_a_file_of_the_folder(
        self, name: str, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        path = tmp_path_factory.mktemp("named") / "features"
        start_features(path, RECORD)
        write_rows(path, name, rows_of(2))
        assert FeatureFolder(path).scenes == [name]
        assert np.array_equal(FeatureFolder(path).rows(name), rows_of(2))
        assert {entry.parent for entry in path.parent.rglob("*") if entry.is_file()} == {path}

    def test_the_fingerprint_is_that_of_how_they_were_made(self, folder: Path, tmp_path: Path) -> None:
        same = start_features(tmp_path / "same", RECORD).fingerprint
        other = start_features(tmp_path / "other", FeatureRecord(encoder="cd" * 8, width=6)).fingerprint
        assert FeatureFolder(folder).fingerprint == same != other


class TestStart:
    def test_goes_on_with_features_of_the_same_making(self, folder: Path) -> None:
        assert start_features(folder, RECORD).scenes == ["a", "b"]

    def test_refuses_to_mix(self, folder: Path) -> None:
        other = FeatureRecord(encoder="cd" * 8, width=6, coverage="one-wedge", wedges=("A", "B"), fuse="concatenated")
        with pytest.raises(InputError, match=r"another way \(other encoder and coverage\)"):
            start_features(folder, other)

    def test_refuses_a_folder_of_something_else(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").touch()
        with pytest.raises(InputError, match="not empty"):
            start_features(tmp_path, RECORD)

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_writes_no_value_that_is_not_finite(self, folder: Path, value: float) -> None:
        with pytest.raises(InputError, match="'c' are NaN or infinite"):
            write_rows(folder, "c", np.full((2, 6), value, dtype=np.float32))
        assert FeatureFolder(folder).scenes == ["a", "b"]


class TestReleased:
    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
    def test_is_read(self, tmp_path: Path, dtype: str) -> None:
        np.save(tmp_path / "008395103.npy", rows_of(5).astype(dtype))
        read = FeatureFolder(tmp_path)
        assert read.record == FeatureRecord(encoder=None, width=6, modality=None, dtype=dtype)
        assert (read.scenes, read.frames("008395103")) == (["008395103"], 5)
        assert np.array_equal(read.rows("008395103", [4, 1]), rows_of(5)[[4, 1]])

    def test_a_flat_row_is_one_frame(self, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", rows_of(1)[0])
        assert FeatureFolder(tmp_path).frames("a") == 1
        assert np.array_equal(FeatureFolder(tmp_path).rows("a"), rows_of(1))

    @pytest.mark.parametrize("odd", [b"", b"\x80\x04N.", "of another width", "of another type"])
    @pytest.mark.parametrize("place", [0, 1, 4])
    def test_an_odd_file_spoils_no_other(self, tmp_path: Path, odd: bytes | str, place: int) -> None:
        for number, scene in enumerate("abcde"):
            np.save(tmp_path / f"{scene}.npy", rows_of(number + 1))
        spoilt, others = "abcde"[place], [scene for scene in "abcde" if scene != "abcde"[place]]
        if isinstance(odd, bytes):
            (tmp_path / f"{spoilt}.npy").write_bytes(odd)
        else:
            np.save(tmp_path / f"{spoilt}.npy", rows_of(2, width=5).astype("<f2" if "type" in odd else "<f4"))
        read = FeatureFolder(tmp_path)
        assert (read.record.width, read.record.dtype) == (6, "float32")
        assert [read.frames(scene) for scene in others] == [len(read.rows(scene)) for scene in others]
        for of_scene in (read.frames, read.rows):
            with pytest.raises(InputError, match=rf"{spoilt}\.npy: (cannot be read|has features of width 5)"):
                of_scene(spoilt)

    def test_nothing_but_odd_files(self, tmp_path: Path) -> None:
        np.save(tmp_path / "b.npy", np.ones((2, 3), dtype=np.int64))
        (tmp_path / "a.npy").write_bytes(b"")
        with pytest.raises(InputError, match=r"a\.npy: cannot be read"):
            FeatureFolder(tmp_path)

    def test_the_fingerprint_is_that_of_the_files(self, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", rows_of(2))
        before = FeatureFolder(tmp_path).fingerprint
        assert FeatureFolder(tmp_path).fingerprint == before
        np.save(tmp_path / "a.npy", rows_of(2) + 1)
        assert FeatureFolder(tmp_path).fingerprint != before

    def test_pickled_objects_are_never_loaded(self, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", rows_of(2))
        np.save(tmp_path / "b.npy", np.array([{"code": 1}, None], dtype=object), allow_pickle=True)
        (tmp_path / "c.npy").write_bytes(b"\x80\x04N.")
        for scene in ("b", "c"):
            with pytest.raises(InputError, match=rf"{scene}\.npy: cannot be read .* never loaded"):
                FeatureFolder(tmp_path).rows(scene)

    def test_a_header_that_promises_more_than_there_is_takes_no_memory(self, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", rows_of(2))
        whole = (tmp_path / "a.npy").read_bytes()
        with open(tmp_path / "b.npy", "wb") as file:
            declared = {"descr": "<f4", "fortran_order": False, "shape": (10**13, 6)}
            np.lib.format.write_array_header_1_0(file, declared)
            file.write(rows_of(2).tobytes())
        (tmp_path / "c.npy").write_bytes(whole[:-4])
        (tmp_path / "d.npy").write_bytes(b"")
        (tmp_path / "e.npy").write_bytes(whole.replace(b"}", b" "))
        for scene in ("b", "c", "d", "e"):
            with pytest.raises(InputError, match=rf"{scene}\.npy: cannot be read"):
                FeatureFolder(tmp_path).rows(scene)


class TestBadInput:
    def test_no_folder(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="no folder of features"):
            FeatureFolder(tmp_path / "nowhere")

    def test_nothing_in_it(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"holds no features.*probe4d encode"):
            FeatureFolder(tmp_path)

    @pytest.mark.parametrize(
        "text", ["", "{}", "[]", '{"encoder": null, "width": "6"}', '{"encoder": "a", "width": 0}']
    )
    def test_a_record_that_is_none(self, tmp_path: Path, text: str) -> None:
        (tmp_path / FEATURES_FILE).write_text(text)
        with pytest.raises(InputError, match=FEATURES_FILE):
            FeatureFolder(tmp_path)

    def test_a_scene_without_features_names_the_file(self, folder: Path) -> None:
        with pytest.raises(InputError, match=r"no features of the scene 'c': there is no file c\.safetensors"):
            FeatureFolder(folder).rows("c")
        with pytest.raises(InputError, match=r"c\.safetensors"):
            FeatureFolder(folder).frames("c")

    @pytest.mark.parametrize("scene", ["../features/a", "/etc/passwd", "..", "."])
    def test_no_name_leads_out_of_the_folder(self, folder: Path, scene: str) -> None:
        with pytest.raises(InputError, match="there is no file"):
            FeatureFolder(folder).rows(scene)

    @pytest.mark.parametrize("frame", [-1, 4])
    def test_a_frame_beyond_the_scene(self, folder: Path, frame: int) -> None:
        with pytest.raises(InputError, match=rf"features of 4 key frames, none of key frame {frame}"):
            FeatureFolder(folder).rows("a", [0, frame])

    def test_a_width_that_no_file_has(self, folder: Path) -> None:
        record = json.loads((folder / FEATURES_FILE).read_text())
        for width, told in (
            (10**6, "gives features the width 1000000, and the first files have width 6"),
            (10**13, "width"),
        ):
            (folder / FEATURES_FILE).write_text(json.dumps(record | {"width": width}))
            with pytest.raises(InputError, match=told):
                FeatureFolder(folder)

    def test_a_record_of_another_version(self, folder: Path) -> None:
        record = json.loads((folder / FEATURES_FILE).read_text())
        (folder / FEATURES_FILE).write_text(json.dumps(record | {"version": 2}))
        with pytest.raises(InputError, match=r"another version of Probe4D .*of version 2, here of 1"):
            FeatureFolder(folder)

    def test_a_file_of_another_width(self, folder: Path) -> None:
        save_file({"features": rows_of(4, width=5)}, folder / "a.safetensors")
        for read in (FeatureFolder(folder).rows, FeatureFolder(folder).frames):
            with pytest.raises(InputError, match=r"a\.safetensors: has features of width 5.*width 6"):
                read("a")

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_a_value_that_is_not_finite_names_the_frame(self, folder: Path, value: float) -> None:
        rows = rows_of(4)
        rows[2, 3] = value
        save_file({"features": rows}, folder / "a.safetensors")
        with pytest.raises(InputError, match=r"a\.safetensors: has values that are NaN or infinite.*key frame 2"):
            FeatureFolder(folder).rows("a")

    @pytest.mark.parametrize(
        "tensors",
        [
            {"features": torch.ones((4, 6), dtype=torch.int64)},
            {"features": torch.ones((4, 6), dtype=torch.bfloat16)},
            {"features": torch.ones((4, 6), dtype=torch.float8_e4m3fn)},
            {"features": torch.ones((4, 6, 1))},
            {"features": torch.ones((0, 6))},
            {"other": torch.ones((4, 6))},
        ],
    )
    def test_a_file_of_something_else(self, folder: Path, tensors: dict[str, torch.Tensor]) -> None:
        torch_files.save_file(tensors, folder / "a.safetensors")
        with pytest.raises(InputError, match=r"a\.safetensors: (holds numbers of type|cannot be read as features)"):
            FeatureFolder(folder).rows("a")
        with pytest.raises(InputError, match=r"a\.safetensors: "):
            FeatureFolder(folder).frames("a")

    @pytest.mark.parametrize("keep", [0, 4, 40, -4])
    def test_a_file_cut_off(self, folder: Path, keep: int) -> None:
        file = folder / "a.safetensors"
        file.write_bytes(file.read_bytes()[:keep])
        with pytest.raises(InputError, match=r"a\.safetensors: cannot be read as features"):
            FeatureFolder(folder).rows("a")


class TestPackages:
    """Features are read without the packages of the model that is shown them."""

    @pytest.fixture
    def installed(self, monkeypatch: pytest.MonkeyPatch) -> set[str]:
        """Packages of the LiDAR language model that seem to be installed; a test may add some."""
        there: set[str] = set()
        monkeypatch.setattr(extras, "find_spec", lambda module: object() if module in there else None)
        return there

    def test_ours_take_safetensors_alone(self, folder: Path, installed: set[str]) -> None:
        with pytest.raises(InputError, match=r"not installed: safetensors\. Install with: pip install safetensors"):
            FeatureFolder(folder)
        installed.add("safetensors")
        assert np.array_equal(FeatureFolder(folder).rows("a"), rows_of(4))

    def test_released_ones_take_none(self, tmp_path: Path, installed: set[str]) -> None:
        np.save(tmp_path / "a.npy", rows_of(2))
        assert not installed
        assert np.array_equal(FeatureFolder(tmp_path).rows("a"), rows_of(2))


class TestRefuseOther:
    def test_takes_what_is_needed(self, folder: Path) -> None:
        FeatureFolder(folder).refuse_other(encoder=RECORD.encoder, width=6, frames={"a": 4, "b": 3})

    @pytest.mark.parametrize(
        ("needed", "fault"),
        [
            ({"encoder": "cd" * 8}, "another encoder"),
            ({"width": 768}, "width 6, and the model takes width 768"),
            ({"frames": {"a": 4, "b": 4}}, r"b\.safetensors: has features of 3 key frames, and the scene has 4"),
            ({"frames": {"c": 4}}, r"no file c\.safetensors"),
        ],
    )
    def test_refuses_others(self, folder: Path, needed: dict[str, object], fault: str) -> None:
        with pytest.raises(InputError, match=fault):
            FeatureFolder(folder).refuse_other(**needed)

    def test_refuses_another_dataset(self, tmp_path: Path) -> None:
        found = start_features(tmp_path / "features", FeatureRecord(encoder=None, width=6, dataset="1" * 64))
        found.refuse_other(dataset="1" * 64)
        with pytest.raises(InputError, match="another dataset"):
            found.refuse_other(dataset="2" * 64)

    def test_warns_of_what_the_folder_does_not_say(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        np.save(tmp_path / "a.npy", rows_of(2))
        with caplog.at_level(logging.WARNING):
            FeatureFolder(tmp_path).refuse_other(encoder="ab" * 8)
        assert "does not say of which encoder" in caplog.text


def test_the_record_is_readable(folder: Path) -> None:
    assert json.loads((folder / FEATURES_FILE).read_text())["wedges"] == ["A", "B"]


def test_a_scene_is_read_once_and_what_is_kept_is_not_given_away(folder: Path) -> None:
    read = FeatureFolder(folder)
    first = read.rows("a", [3, 0])
    (folder / "a.safetensors").unlink()
    write_rows(folder, "a", rows_of(4) + 7)
    assert np.array_equal(read.rows("a", [3, 0]), first)
    read.rows("a")[0] = first[0] = 0
    assert np.array_equal(read.rows("a"), rows_of(4))


def test_a_file_under_the_name_of_another_scene_is_told(folder: Path) -> None:
    (folder / "a.safetensors").rename(folder / "c.safetensors")
    with pytest.raises(InputError, match=r"c\.safetensors: holds features of the scene 'a', not of 'c'"):
        FeatureFolder(folder).rows("c")
