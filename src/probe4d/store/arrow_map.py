"""Arrow IPC files as polars tables whose columns lie in the file, mapped into memory and not copied.

polars reads IPC files by copying them. Here the places of the buffers are taken from the file's metadata
(Arrow columnar format, IPC file format; flatbuffers) and handed to polars by Arrow's C data interface, so
that opening costs no time, memory is that of the pages in use, and processes share them.

A mapped file stays mapped until the process ends. To give it back, polars would have to call Python from
whichever thread drops the last column, which may be waiting for the very lock that Python holds.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

__all__ = ["map_ipc", "write_ipc"]

_MAGIC = b"ARROW1"
_FORMATS: dict[pl.DataType, bytes] = {
    pl.String(): b"vu",
    pl.Float64(): b"g",
    pl.Int32(): b"i",
    pl.Int64(): b"l",
    pl.UInt8(): b"C",
}
# Released is never called back into Python (see above); this function of Python's may be called from any
# thread at any time and does nothing.
_RELEASE = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value


class _CSchema(ctypes.Structure):
    """ArrowSchema of the C data interface."""


_CSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_CSchema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class _CArray(ctypes.Structure):
    """ArrowArray of the C data interface."""


_CArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_CArray))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

_NULLABLE = 2
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def write_ipc(table: pl.DataFrame, path: Path) -> None:
    """Write a table as an Arrow IPC file that `map_ipc` can map: one record batch, not compressed."""
    table.rechunk().write_ipc(path, compression="uncompressed", record_batch_size=max(1, table.height))


def map_ipc(path: Path) -> pl.DataFrame:
    """Map a file that `write_ipc` wrote.

    The content is trusted; compare a checksum before, since wrong offsets lead out of the file.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is of another layout.
    """
    state = path.stat()
    return _map_file(path, state.st_ino, state.st_mtime_ns, state.st_size)


@functools.cache
def _map_file(path: Path, inode: int, mtime_ns: int, size: int) -> pl.DataFrame:
    """Map a file once in this process: the mapping lasts as long, so a second one would be wasted."""
    schema = pl.read_ipc_schema(path)
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)  # private: nothing goes back to the file
    if not (mapped[:6] == _MAGIC == mapped[-6:]):
        raise ValueError(f"{path.name} is no Arrow IPC file")
    batch = _record_batch(mapped)
    if batch is None:
        return pl.DataFrame(schema=schema)
    columns = _Columns(batch, ctypes.addressof(ctypes.c_char.from_buffer(mapped)))
    table = pl.DataFrame([columns.take(name, dtype) for name, dtype in schema.items()])
    _KEPT.append((mapped, columns.kept))
    return table


_KEPT: list[object] = []
"""What polars' columns point to, for as long as the process lives."""


class _Batch(NamedTuple):
    """Where the parts of a record batch are: (length, null count) of each array, (position, size) of each buffer."""

    nodes: Iterator[tuple[int, int]]
    buffers: Iterator[tuple[int, int]]
    variadic_counts: Iterator[int]


def _record_batch(mapped: mmap.mmap) -> _Batch | None:
    """Read the metadata of the only record batch of a file; None where there are no rows."""
    (footer_size,) = struct.unpack_from("<i", mapped, len(mapped) - 10)
    footer = _Flat.root(mapped, len(mapped) - 10 - footer_size)
    blocks = list(footer.structs(3, "<qi4xq"))
    if not blocks:
        return None
    if len(blocks) > 1:
        raise ValueError(f"the Arrow file has {len(blocks)} record batches, and one was expected")
    block_position, metadata_size, _ = blocks[0]
    message = _Flat.root(mapped, block_position + 8)
    header = message.table(2)
    if header.has(3):
        raise ValueError("the Arrow file is compressed")
    body = block_position + metadata_size
    return _Batch(
        nodes=((length, null_count) for length, null_count in header.structs(1, "<qq")),
        buffers=((body + position, size) for position, size in header.structs(2, "<qq")),
        variadic_counts=(count for (count,) in header.structs(4, "<q")),
    )


class _Flat:
    """A table of a flatbuffer: just enough to read Arrow's metadata."""

    def __init__(self, data: mmap.mmap, position: int) -> None:
        self._data, self._position = data, position

    @classmethod
    def root(cls, data: mmap.mmap, start: int) -> _Flat:
        return cls(data, start + _unpack("<I", data, start))

    def _field(self, index: int) -> int | None:
        vtable = self._position - _unpack("<i", self._data, self._position)
        entry = 4 + 2 * index
        if entry >= _unpack("<H", self._data, vtable):
            return None
        offset = _unpack("<H", self._data, vtable + entry)
        return self._position + offset if offset else None

    def has(self, index: int) -> bool:
        return self._field(index) is not None

    def table(self, index: int) -> _Flat:
        field = self._field(index)
        if field is None:
            raise ValueError("the Arrow file's metadata lacks a field")
        return _Flat(self._data, field + _unpack("<I", self._data, field))

    def structs(self, index: int, layout: str) -> Iterator[tuple[int, ...]]:
        """The elements of a vector of structs or numbers."""
        field = self._field(index)
        if field is None:
            return
        vector = field + _unpack("<I", self._data, field)
        step = struct.calcsize(layout)
        for element in range(_unpack("<I", self._data, vector)):
            yield struct.unpack_from(layout, self._data, vector + 4 + element * step)


def _unpack(layout: str, data: mmap.mmap, position: int) -> int:
    value: int = struct.unpack_from(layout, data, position)[0]
    return value


class _Columns:
    """Makes polars columns of a batch's buffers, in the order in which the batch lists them."""

    def __init__(self, batch: _Batch, address: int) -> None:
        self._batch, self._address = batch, address
        self.kept: list[object] = []

    def take(self, name: str, dtype: pl.DataType) -> pl.Series:
        """The next column."""
        schema, array = self._structures(name, dtype)
        return pl.Series(name, _Exported(schema, array), dtype=dtype)

    def _structures(self, name: str, dtype: pl.DataType) -> tuple[_CSchema, _CArray]:
        length, null_count = next(self._batch.nodes)
        buffers = [next(self._batch.buffers)]  # validity
        children: list[tuple[_CSchema, _CArray]] = []
        sizes: ctypes.Array[ctypes.c_int64] | None = None
        buffers.append(next(self._batch.buffers))  # values, views or offsets
        if isinstance(dtype, pl.List):
            layout = b"+L"
            inner = dtype.inner
            children.append(self._structures("item", inner() if isinstance(inner, type) else inner))
        elif dtype in _FORMATS:
            layout = _FORMATS[dtype]
            if dtype == pl.String():
                long = [next(self._batch.buffers) for _ in range(next(self._batch.variadic_counts))]
                buffers += long
                sizes = (ctypes.c_int64 * len(long))(*(size for _, size in long))
        else:
            raise ValueError(f"columns of type {dtype} are not mapped")
        pointers = [self._address + position if size else None for position, size in buffers]
        if not null_count:
            pointers[0] = None
        if sizes is not None:
            pointers.append(ctypes.addressof(sizes))
        c_pointers = (ctypes.c_void_p * len(pointers))(*pointers)
        c_schemas = (ctypes.POINTER(_CSchema) * len(children))(*(ctypes.pointer(child) for child, _ in children))
        c_arrays = (ctypes.POINTER(_CArray) * len(children))(*(ctypes.pointer(child) for _, child in children))
        schema = _CSchema(layout, name.encode(), None, _NULLABLE, len(children), c_schemas, None, _RELEASE, None)
        array = _CArray(length, null_count, 0, len(pointers), len(children), c_pointers, c_arrays, None, _RELEASE, None)
        self.kept += [schema, array, sizes, c_pointers, c_schemas, c_arrays]
        return schema, array


class _Exported:
    """One array, as the Arrow PyCapsule interface has it."""

    def __init__(self, schema: _CSchema, array: _CArray) -> None:
        self._schema, self._array = schema, array

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return (
            _new_capsule(ctypes.addressof(self._schema), b"arrow_schema", None),
            _new_capsule(ctypes.addressof(self._array), b"arrow_array", None),
        )
