"""TFRecord files: records one after another, each with checksums of its length and of its data.

A record is the length of its data (uint64), the masked CRC32C of these 8 bytes (uint32), the data, and the
masked CRC32C of the data (uint32), all little-endian (TensorFlow's `record_writer.h`). Files are read
record by record and never whole, so that a shard of gigabytes takes the memory of one record.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from probe4d.errors import InputError
from probe4d.extras import needed
from probe4d.scenes.sensor_files import FETCH_AGAIN, unreadable

__all__ = ["EXTRA", "FALSE_DATA", "USER", "Fault", "Record", "masked_crc32c", "read_record", "scan_records"]

EXTRA, USER = "waymo", "reading Waymo's files"
"""The extra that has the packages of these files, and what needs them, as `extras.needed` takes both."""

FALSE_DATA = "the checksum of a record's data is wrong"
"""What is wrong with a record that alone is damaged: those after it can be read."""

_NO_RECORDS = "holds no records: it is empty"
_NO_TFRECORDS = "is no TFRecord file: the checksum of its first record's length is wrong"
_FALSE_LENGTH = "cannot be read from here on: the checksum of a record's length is wrong"
_CUT_OFF = "ends in the middle of a record"

_LENGTH = struct.Struct("<Q")
_CHECKSUM = struct.Struct("<I")
_HEAD_BYTES = _LENGTH.size + _CHECKSUM.size
_MASK_DELTA = 0xA282EAD8


class Record(NamedTuple):
    """A record whose checksums are right.

    Attributes:
        offset: Where in the file it starts, bytes.
        data: What it holds.
        checksum: Masked CRC32C of `data`, as the file has it.
    """

    offset: int
    data: bytes
    checksum: int


class Fault(NamedTuple):
    """A place of a file that cannot be read.

    Attributes:
        offset: Where in the file it starts, bytes.
        reason: What is wrong there, as the end of a sentence about the file.
    """

    offset: int
    reason: str


def masked_crc32c(data: bytes) -> int:
    """CRC32C (RFC 3720) of data, rotated right by 15 bits and shifted by a constant, as TFRecord files have it.

    Raises:
        InputError: The package crc32c is not installed.
    """
    checksum: int = needed("crc32c", extra=EXTRA, user=USER).crc32c(data)
    return ((checksum >> 15 | checksum << 17) + _MASK_DELTA) & 0xFFFFFFFF


def scan_records(path: Path) -> Iterator[Record | Fault]:
    """Every record of a file in its order, with the places between them that cannot be read.

    A record with wrong data is a fault, and reading goes on after it. Nothing says where the next record
    starts after a wrong length or at a sudden end: that fault is the last thing given.

    Raises:
        InputError: The file cannot be opened or read.
    """
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size == 0:
                yield Fault(0, _NO_RECORDS)
            offset = 0
            while offset < size:
                found, end = _record_at(file, offset, size)
                yield found
                if end is None:
                    return
                offset = end
    except OSError as error:
        raise unreadable(path, error) from error


def read_record(path: Path, offset: int) -> Record:
    """The record that starts at an offset in bytes.

    Raises:
        InputError: The file cannot be read, or has no sound record there.
    """
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            found, _ = _record_at(file, offset, os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise unreadable(path, error) from error
    if isinstance(found, Fault):
        raise InputError(f"{found.reason}.", path=path, row=f"byte {offset}", remedy=FETCH_AGAIN)
    return found


def _record_at(file: BinaryIO, offset: int, size: int) -> tuple[Record | Fault, int | None]:
    """What the place holds that a file stands at, and where the next record starts, if that is known.

    The length is believed only after its checksum and the file's size, so that no damaged length is allocated.
    """
    head = file.read(_HEAD_BYTES)
    if len(head) < _HEAD_BYTES:
        return Fault(offset, _CUT_OFF), None
    if masked_crc32c(head[: _LENGTH.size]) != _CHECKSUM.unpack_from(head, _LENGTH.size)[0]:
        return Fault(offset, _FALSE_LENGTH if offset else _NO_TFRECORDS), None
    (length,) = _LENGTH.unpack_from(head)
    end = offset + _HEAD_BYTES + length + _CHECKSUM.size
    if end > size:
        return Fault(offset, _CUT_OFF), None
    data, tail = file.read(length), file.read(_CHECKSUM.size)
    if len(tail) < _CHECKSUM.size:  # the file became shorter while it was read
        return Fault(offset, _CUT_OFF), None
    (checksum,) = _CHECKSUM.unpack(tail)
    if masked_crc32c(data) != checksum:
        return Fault(offset, FALSE_DATA), end
    return Record(offset, data, checksum), end
