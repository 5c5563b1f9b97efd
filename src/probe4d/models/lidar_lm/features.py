"""Features of scenes on disk: a row of numbers for every key frame, which a language model is shown in its place.

A folder holds `features.json`, which says how the features were made, and `SCENE.safetensors` for every scene. The
released layout of B4DL, a `SCENE.npy` for every scene and no record, is read as well.
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.evidence.coverage import Coverage
from probe4d.extras import refuse_missing
from probe4d.models.lidar_lm.feature_files import (
    MAKE_AGAIN,
    RELEASED,
    SAFETENSORS,
    FeatureShape,
    read_array,
    read_shape,
    scene_file,
    scenes_in,
    write_array,
)
from probe4d.models.lidar_lm.on_disk import Width
from probe4d.store.files import write_bytes
from probe4d.store.folders import refuse_full
from probe4d.store.hashing import digest
from probe4d.store.records import read_versioned
from probe4d.wording import counted, listed

__all__ = ["FEATURES_FILE", "FeatureFolder", "FeatureRecord", "start_features", "write_rows"]

_LOG = logging.getLogger(__name__)

FEATURES_FILE = "features.json"
"""The record of a folder of features."""

_VERSION = 1  # of the record; it lies beside the fields, since features do not depend on it
_SCENES_HELD = 128
_FILES_COMPARED = 3
_MAKE_THEM = "Make them with `probe4d encode`."


class FeatureRecord(msgspec.Struct, frozen=True, kw_only=True):
    """How the features of a folder were made.

    Attributes:
        encoder: Fingerprint of the encoder, or of the image tower; null where the folder does not say.
        width: Length of a row.
        modality: `lidar`, or `camera:CHANNEL`; null where the folder does not say.
        coverage: Which points of a scan are seen; null for cameras, and where the folder does not say.
        wedges: Channels of the wedges whose embeddings make a row, in this order; empty for cameras.
        fuse: How the embeddings of a frame's wedges make its row; null where there is only one.
        dataset: Fingerprint of the dataset's tables; null where the folder does not say.
        batch: Key frames that were encoded together, where features depend on it; null where they do not.
        dtype: Type of the numbers on disk.
    """

    encoder: str | None
    width: Width
    modality: str | None = "lidar"
    coverage: Coverage | None = None
    wedges: tuple[str, ...] = ()
    fuse: Literal["concatenated"] | None = None
    dataset: str | None = None
    batch: int | None = None
    dtype: str = "float32"


class FeatureFolder:
    """Features that lie in a folder.

    Args:
        path: The folder.

    Attributes:
        path: The folder.
        record: How the features were made.

    Raises:
        InputError: There is no such folder, it holds no features, or its record cannot be read.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise InputError("is no folder of features.", path=self.path, remedy=_MAKE_THEM)
        self._scene = lru_cache(maxsize=_SCENES_HELD)(self._read_scene)  # rows of a scene are asked for one by one
        self._suffix = SAFETENSORS if (self.path / FEATURES_FILE).exists() else RELEASED
        if self._suffix == SAFETENSORS:
            refuse_missing({"safetensors": "safetensors"}, user="a folder of features")
        self.record = self._own_record() if self._suffix == SAFETENSORS else self._released_record()

    @cached_property
    def fingerprint(self) -> str:
        """What tells these features from others, 64 hexadecimal digits.

        It is the SHA-256 of the record, which says all that features depend on, or of the files where there is none.
        """
        if self._suffix == SAFETENSORS:
            return digest(self.record)
        contents = hashlib.sha256()
        for scene in self.scenes:
            with open(self._file(scene), "rb") as file:
                contents.update(f"{scene}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
        return contents.hexdigest()

    @property
    def scenes(self) -> list[str]:
        """Names of the scenes that have features, sorted."""
        return scenes_in(self.path, self._suffix)

    def frames(self, scene: str) -> int:
        """Number of rows of a scene, one for each key frame.

        Raises:
            InputError: The scene has no features, or they cannot be read.
        """
        path = self._file(scene)
        shape = read_shape(path)
        self._refuse_width(path, shape.width)
        return shape.frames

    def rows(self, scene: str, frames: Sequence[int] | None = None) -> NDArray[np.float32]:
        """Rows of a scene, float32, shape (number of frames, width).

        Args:
            scene: The scene's name.
            frames: Key frames in the order wanted, from 0; null is the whole scene.

        Raises:
            InputError: The scene has no features, they cannot be read, have another width than the folder's, are not
                finite, or there are none of a frame.
        """
        found = self._scene(scene)
        if frames is None:
            return found.copy()
        if beyond := [frame for frame in frames if not 0 <= frame < len(found)]:
            raise InputError(
                f"has features of {counted(len(found), 'key frame')}, none of key frame {beyond[0]}.",
                path=self._file(scene),
                remedy="Use the features of the dataset that is asked about.",
            )
        return found[np.asarray(frames, dtype=np.int64)]

    def _read_scene(self, scene: str) -> NDArray[np.float32]:
        path = self._file(scene)
        numbers = read_array(path, scene)
        self._refuse_width(path, numbers.shape[1])
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is told below
            found = numbers.astype(np.float32)
        finite = np.isfinite(found).all(axis=1)
        if not finite.all():
            raise InputError(
                f"has values that are NaN or infinite, or too large for float32, in the features of key frame "
                f"{int(np.flatnonzero(~finite)[0])}.",
                path=path,
                remedy=MAKE_AGAIN,
            )
        return found

    def refuse_other(
        self,
        *,
        encoder: str | None = None,
        width: int | None = None,
        dataset: str | None = None,
        frames: Mapping[str, int] | None = None,
    ) -> None:
        """Refuse features that are not those that somebody needs, before any is used.

        What the folder does not say of its features is warned of, since then it cannot be checked.

        Args:
            encoder: Fingerprint of the encoder that they must come from; null is any.
            width: Length that a row must have; null is any.
            dataset: Fingerprint of the dataset's tables; null is any.
            frames: Number of key frames of every scene that is needed; null is any scenes.

        Raises:
            InputError: They are of another encoder, width or dataset, or a scene has none or those of another
                number of key frames.
        """
        if width is not None and width != self.record.width:
            raise InputError(
                f"has features of width {self.record.width}, and the model takes width {width}.",
                path=self.path,
                remedy="Use the features that the model was trained with.",
            )
        self._refuse_source("encoder", self.record.encoder, encoder)
        self._refuse_source("dataset", self.record.dataset, dataset)
        for scene, count in (frames or {}).items():
            if (found := self.frames(scene)) != count:
                raise InputError(
                    f"has features of {counted(found, 'key frame')}, and the scene has {count:,}.",
                    path=self._file(scene),
                    remedy="Use the features of the dataset that is asked about.",
                )

    def _refuse_source(self, what: str, found: str | None, wanted: str | None) -> None:
        if wanted is None or found == wanted:
            return
        if found is None:
            _LOG.warning("%s does not say of which %s its features are, so that it cannot be checked.", self.path, what)
            return
        raise InputError(
            f"has features of another {what} ({found[:16]}) than the one needed ({wanted[:16]}).",
            path=self.path,
            remedy="Features of different encoders have nothing in common; use those that the model was trained with."
            if what == "encoder"
            else "Use the features of the dataset that the questions are about.",
        )

    def _file(self, scene: str) -> Path:
        path = scene_file(self.path, scene, self._suffix)
        if not path.is_file():
            raise InputError(
                f"has no features of the scene {scene!r}: there is no file {path.name}.",
                path=self.path,
                remedy="Encode the scene with `probe4d encode`.",
            )
        return path

    def _refuse_width(self, path: Path, width: int) -> None:
        if width != self.record.width:
            raise InputError(
                f"has features of width {width}, and those of the folder have width {self.record.width}.",
                path=path,
                remedy=MAKE_AGAIN,
            )

    def _own_record(self) -> FeatureRecord:
        record = read_versioned(self.path / FEATURES_FILE, FeatureRecord, _VERSION, what="features", remedy=_MAKE_THEM)
        shapes, _ = self._first_shapes()
        if shapes and all(shape.width != record.width for shape in shapes):  # what takes them is made for the record's
            raise InputError(
                f"gives features the width {record.width}, and the first files have width {shapes[0].width}.",
                path=self.path / FEATURES_FILE,
                remedy=_MAKE_THEM,
            )
        return record

    def _released_record(self) -> FeatureRecord:
        """What most of the first files are, so that an odd one does not spoil the others."""
        shapes, faults = self._first_shapes()
        if not shapes:
            nothing = f"holds no features: neither {FEATURES_FILE} nor .npy files."
            raise faults[0] if faults else InputError(nothing, path=self.path, remedy=_MAKE_THEM)
        ((dtype, width), _) = Counter((shape.dtype, shape.width) for shape in shapes).most_common(1)[0]
        return FeatureRecord(encoder=None, width=width, modality=None, dtype=dtype)

    def _first_shapes(self) -> tuple[list[FeatureShape], list[InputError]]:
        """What the first files say that can be read, and what is wrong with those before them that cannot."""
        shapes: list[FeatureShape] = []
        faults: list[InputError] = []
        for scene in self.scenes:
            try:
                shapes.append(read_shape(scene_file(self.path, scene, self._suffix)))
            except InputError as fault:
                faults.append(fault)
            if len(shapes) == _FILES_COMPARED:
                break
        return shapes, faults


def start_features(path: Path | str, record: FeatureRecord) -> FeatureFolder:
    """Make a folder for features, or go on with one whose features are made in the same way.

    Raises:
        InputError: It holds something else, or features that were made in another way.
    """
    folder = Path(path)
    refuse_full(
        folder,
        "is no folder of features and is not empty.",
        own=(FEATURES_FILE,),
        ignored=lambda entry: entry.name.startswith("."),
    )
    if not (folder / FEATURES_FILE).exists():
        versioned = msgspec.to_builtins(record) | {"version": _VERSION}
        write_bytes(folder / FEATURES_FILE, msgspec.json.format(msgspec.json.encode(versioned)) + b"\n")
    found = FeatureFolder(folder)
    fields = FeatureRecord.__struct_fields__
    if other := [name for name in fields if getattr(found.record, name) != getattr(record, name)]:
        raise InputError(
            f"holds features that were made in another way (other {listed(other)}).",
            path=folder,
            remedy="Choose another folder.",
        )
    return found


def write_rows(path: Path | str, scene: str, rows: NDArray[np.float32]) -> None:
    """Write the features of a scene as a whole file.

    Args:
        path: The folder, from `start_features`.
        scene: The scene's name.
        rows: A row for each key frame, in their order, float32, shape (frames, width).

    Raises:
        InputError: A value is NaN or infinite, or the file cannot be written.
    """
    if not np.isfinite(rows).all():
        raise InputError(
            f"the features of the scene {scene!r} are NaN or infinite.",
            remedy="Check the encoder's weights and the scene's point clouds.",
        )
    write_array(scene_file(Path(path), scene, SAFETENSORS), scene, rows)
