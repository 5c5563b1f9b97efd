"""Files of features: one a scene, as safetensors of ours or as `.npy` of B4DL's release."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.store.files import whole_file

__all__ = [
    "MAKE_AGAIN",
    "RELEASED",
    "SAFETENSORS",
    "FeatureShape",
    "read_array",
    "read_shape",
    "scene_file",
    "scenes_in",
    "write_array",
]

SAFETENSORS, RELEASED = ".safetensors", ".npy"
"""Suffixes of the files, which tell the format."""

MAKE_AGAIN = "Delete it, and encode the scene again with `probe4d encode`."

_TENSOR = "features"
_FLOATS = {"F16": "float16", "F32": "float32", "F64": "float64"}  # as safetensors calls them, and as numpy does


class FeatureShape(NamedTuple):
    """What a file says of its features before their numbers are read.

    Attributes:
        dtype: Type of the numbers.
        frames: Number of rows, one for each key frame.
        width: Length of a row.
    """

    dtype: str
    frames: int
    width: int


def scene_file(folder: Path, scene: str, suffix: str) -> Path:
    """The file of a scene; whatever a scene is called, it lies in the folder and is not hidden."""
    name = quote(scene, safe=" ")
    return folder / f"{f'%2E{name[1:]}' if name.startswith('.') else name}{suffix}"


def scenes_in(folder: Path, suffix: str) -> list[str]:
    """Names of the scenes that have a file in a folder, sorted."""
    files = (entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    return sorted(unquote(name.removesuffix(suffix)) for name in files if name.endswith(suffix))


def read_shape(path: Path) -> FeatureShape:
    """Type and shape of the features in a file, whose numbers are not read.

    Raises:
        InputError: The file cannot be read, or holds something else than features.
    """
    if path.suffix == RELEASED:
        return _released_shape(path, _map_released(path))
    with _opened(path) as file:
        return _safetensors_shape(path, file)


def read_array(path: Path, scene: str) -> NDArray[Any]:
    """The features in a file, shape (frames, width), in the type that they have there.

    Args:
        path: The file.
        scene: The scene whose features it should hold.

    Raises:
        InputError: The file cannot be read, holds something else than features, or says that it is of another scene.
    """
    if path.suffix == RELEASED:
        released = _map_released(path)
        _dtype, frames, width = _released_shape(path, released)
        return np.array(released).reshape(frames, width)
    with _opened(path) as file:
        _refuse_other_scene(path, scene, file)
        _dtype, frames, width = _safetensors_shape(path, file)  # first, since numpy lacks some of the other types
        return np.asarray(file.get_tensor(_TENSOR)).reshape(frames, width)


def write_array(path: Path, scene: str, rows: NDArray[np.float32]) -> None:
    """Write the features of a scene as a whole safetensors file.

    Raises:
        InputError: The file cannot be written.
        RunError: The disk is full.
    """
    from safetensors.numpy import save_file

    with whole_file(path) as temporary:
        save_file({_TENSOR: np.ascontiguousarray(rows, dtype=np.float32)}, temporary, metadata={"scene": scene})


def _features_shape(path: Path, dtype: str, shape: tuple[int, ...]) -> FeatureShape:
    """Type and shape, if they are those of features; one row may lie flat."""
    if dtype not in _FLOATS.values() or len(shape) not in (1, 2) or 0 in shape:
        raise InputError(
            f"holds numbers of type {dtype} and shape {shape}, and features are float32, frames × width.",
            path=path,
            remedy=MAKE_AGAIN,
        )
    return FeatureShape(dtype, *(shape if len(shape) == 2 else (1, shape[0])))


def _released_shape(path: Path, released: NDArray[Any]) -> FeatureShape:
    return _features_shape(path, released.dtype.name, released.shape)


def _safetensors_shape(path: Path, file: Any) -> FeatureShape:
    tensor = file.get_slice(_TENSOR)
    dtype = tensor.get_dtype()
    return _features_shape(path, _FLOATS.get(dtype, dtype), tuple(tensor.get_shape()))


def _refuse_other_scene(path: Path, scene: str, file: Any) -> None:
    told = (file.metadata() or {}).get("scene", scene)
    if told != scene:
        raise InputError(
            f"holds features of the scene {told!r}, not of {scene!r}.", path=path, remedy="Give it its own name again."
        )


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            yield file
    except (OSError, SafetensorError) as error:
        raise InputError(f"cannot be read as features ({error}).", path=path, remedy=MAKE_AGAIN) from error


def _map_released(path: Path) -> NDArray[Any]:
    """The array of a `.npy` file, never unpickled; mapped, so that no header makes us allocate what is not there."""
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except (OSError, ValueError, EOFError, SyntaxError, TokenError) as error:  # the last two of a damaged header
        raise InputError(
            f"cannot be read as features ({error}).",
            path=path,
            remedy="It has to be a .npy file of plain numbers; pickled objects are never loaded.",
        ) from error
