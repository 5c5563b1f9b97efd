"""Shards of WOD-E2E byte by byte, without the package that they test."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import crc32c
import numpy as np
from PIL import Image

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
IDENTITY = (1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)


def checksum(data: bytes) -> bytes:
    """Masked CRC32C, as `record_writer.h` of TensorFlow has it."""
    plain = crc32c.crc32c(data)
    return struct.pack("<I", (((plain >> 15) | (plain << 17)) + 0xA282EAD8) % (1 << 32))


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + checksum(length) + data + checksum(data)


def broken(whole: bytes) -> bytes:
    """A record with one bit of its data turned over."""
    return whole[:20] + bytes([whole[20] ^ 1]) + whole[21:]


def varint(value: int) -> bytes:
    value %= 1 << 64
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value: int | float | bytes | str) -> bytes:
    """One field: integers as varints, floating-point numbers in 64 bits, bytes, text and messages with a length."""
    if isinstance(value, int):
        return varint(number << 3 | VARINT) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | FIXED64) + struct.pack("<d", value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | BYTES) + varint(len(content)) + content


def float_field(number: int, value: float) -> bytes:
    return varint(number << 3 | FIXED32) + struct.pack("<f", value)


def transform(values: Sequence[float]) -> bytes:
    return b"".join(field(1, float(value)) for value in values)


def states(*columns: Sequence[float], score: float | None = None) -> bytes:
    """`EgoTrajectoryStates`: positions x, y, z, velocities x, y, accelerations x, y, each packed."""
    packed = [field(number, struct.pack(f"<{len(c)}f", *c)) for number, c in enumerate(columns, 1) if len(c)]
    return b"".join(packed) + (b"" if score is None else float_field(8, score))


def calibration(
    camera: int = 1,
    extrinsic: Sequence[float] = IDENTITY,
    intrinsic: Sequence[float] = (1000.0, 1000.0, 960.0, 640.0, 0, 0, 0, 0, 0),
) -> bytes:
    values = b"".join(field(2, float(value)) for value in intrinsic)
    return field(1, camera) + values + field(3, transform(extrinsic)) + field(4, 1920) + field(5, 1280)


def image(camera: int = 1, jpeg: bytes = b"\xff\xd8") -> bytes:
    return field(1, camera) + field(2, jpeg)


def small_frame(images: Iterable[bytes] = (), calibrations: Iterable[bytes] = (), pose: bytes = b"") -> bytes:
    """`Frame` without a name and a time."""
    context = b"".join(field(2, one) for one in calibrations)
    frame = field(1, context) + b"".join(field(4, one) for one in images)
    return frame + (field(3, pose) if pose else b"")


def end_to_end(
    name: str | bytes,
    timestamp_us: int | None = 1_600_000_000_000_000,
    *,
    frame: bytes = b"",
    past: bytes = b"",
    future: bytes = b"",
    intent: int | None = None,
    rated: Iterable[bytes] = (),
) -> bytes:
    """`E2EDFrame`: later fields of a message overrule earlier ones, so that a real frame takes another name."""
    named = frame + field(1, field(1, name)) + (b"" if timestamp_us is None else field(2, timestamp_us))
    parts = [field(1, named), field(5, future), field(6, past), *(field(8, one) for one in rated)]
    return b"".join(parts) + (b"" if intent is None else field(7, intent))


def write_shard(folder: Path, name: str, *parts: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.tfrecord"
    path.write_bytes(b"".join(parts))
    return path


def real_frame(path: Path) -> bytes:
    """The only record's data of a TFRecord file."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    assert content == record(content[12 : 12 + length])
    return content[12 : 12 + length]


def decoded(message: bytes) -> list[tuple[int, Any]]:
    """Numbers and values of the fields of a message, in their order."""
    found: list[tuple[int, Any]] = []
    at = 0

    def read_varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = read_varint()
        value: Any
        if key & 7 == VARINT:
            value = read_varint()
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(key & 7) or read_varint()
            value, at = message[at : at + size], at + size
            if key & 7 != BYTES:
                value = struct.unpack("<d" if size == 8 else "<f", value)[0]
        found.append((key >> 3, value))
    return found


def values_of(message: bytes, number: int) -> list[Any]:
    return [value for found, value in decoded(message) if found == number]


def moved_image(whole: bytes, pose: Sequence[float] | None, seconds: float | None) -> bytes:
    """A real `CameraImage` with another pose and time, or without."""
    kept = b"".join(field(number, value) for number, value in decoded(whole) if number in (1, 2))
    return kept + (b"" if pose is None else field(3, transform(pose))) + (b"" if seconds is None else field(5, seconds))


def moved_frame(raw: bytes, pose: Sequence[float] | None, seconds: float | None) -> bytes:
    """Cameras of a real `Frame`, each 10 ms after the one before, with another pose and time, or without."""
    images = [
        moved_image(whole, pose, None if seconds is None else seconds + 0.01 * number)
        for number, whole in enumerate(values_of(raw, 4))
    ]
    return small_frame(images, values_of(values_of(raw, 1)[0], 2))


@cache
def small_jpeg(number: int) -> bytes:
    """A small photograph, another one for each number."""
    content = BytesIO()
    Image.new("RGB", (32, 24), (number * 29 % 256, number * 83 % 256, 128)).save(content, "JPEG")
    return content.getvalue()


def planar(x_m: float, y_m: float, yaw: float, z_m: float = 0.0) -> tuple[float, ...]:
    """A pose on the ground as 16 values."""
    cosine, sine = float(np.cos(yaw)), float(np.sin(yaw))
    return (cosine, -sine, 0.0, x_m, sine, cosine, 0.0, y_m, 0.0, 0.0, 1.0, z_m, 0.0, 0.0, 0.0, 1.0)


def camera_extrinsic(camera: int) -> tuple[float, ...]:
    """Where a camera looks: the front one ahead, the others all around it; a camera of each number at another place."""
    bearings_deg = {1: 0, 2: 45, 3: -45, 4: 90, 5: -90, 6: 135, 7: 180, 8: -135}
    return planar(1.5, 0.1 * camera, float(np.radians(bearings_deg[camera])), 1.75)


def surround_frame(
    number: int, pose: Sequence[float] | None, seconds: float | None, cameras: Iterable[int] = range(1, 9)
) -> bytes:
    """`Frame` with small images of cameras, each 1 ms after the one before."""
    images, calibrations = [], []
    for camera in cameras:
        images.append(
            image(camera, small_jpeg(10 * number + camera))
            + (b"" if pose is None else field(3, transform(pose)))
            + (b"" if seconds is None else field(5, seconds + 0.001 * (camera - 1)))
        )
        calibrations.append(calibration(camera, camera_extrinsic(camera)))
    return small_frame(images, calibrations)
