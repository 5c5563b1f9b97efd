"""Encoders on disk: a folder of options and weights."""

from __future__ import annotations

from pathlib import Path

import msgspec
import torch

from probe4d.errors import InputError
from probe4d.models.lidar_lm.encoder.lidar_encoder import OTHER_ARCHITECTURE, LidarEncoder
from probe4d.models.lidar_lm.encoder.lidarclip_checkpoint import load_lidarclip
from probe4d.models.lidar_lm.encoder.options import Compat, EncoderOptions
from probe4d.models.lidar_lm.on_disk import ENCODER_RECORD, refuse_no_encoder
from probe4d.models.local.weights import fill, read_weights, refuse_other_shapes, write_weights
from probe4d.store.files import write_bytes
from probe4d.store.records import read_versioned

__all__ = ["load_encoder", "save_encoder"]

_VERSION = 1
_WEIGHTS = "encoder.safetensors"


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    options: EncoderOptions
    fingerprint: str
    version: int = _VERSION


def save_encoder(encoder: LidarEncoder, folder: Path | str) -> None:
    """Write an encoder: `encoder.safetensors`, then `encoder.json` with its options and fingerprint."""
    folder = Path(folder)
    write_weights(encoder.state_dict(), folder / _WEIGHTS)
    record = _Record(options=encoder.options, fingerprint=encoder.fingerprint)
    write_bytes(folder / ENCODER_RECORD, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")


def load_encoder(path: Path | str, *, compat: Compat | None = None) -> LidarEncoder:
    """Read an encoder, in `eval()` on the CPU, from a folder of `save_encoder` or a LidarCLIP checkpoint file.

    Args:
        path: The folder or file.
        compat: Whose behaviour it follows (see `EncoderOptions`); null is what the folder says, or `paper`.

    Raises:
        InputError: There is no encoder, or a file is broken, or the weights are not those that the record describes.
    """
    path = Path(path)
    refuse_no_encoder(path)
    encoder = load_lidarclip(path) if path.is_file() else _load_folder(path)
    if compat in (None, encoder.options.compat):
        return encoder
    other = LidarEncoder(msgspec.structs.replace(encoder.options, compat=compat))
    other.load_state_dict(encoder.state_dict())
    return other.eval()


def _load_folder(path: Path) -> LidarEncoder:
    record = read_versioned(path / ENCODER_RECORD, _Record, _VERSION, what="an encoder")
    file = path / _WEIGHTS
    weights = read_weights(file)
    with torch.device("meta"):  # nothing is allocated for sizes that are not those of the file
        refuse_other_shapes(LidarEncoder(record.options).state_dict(), weights, file, remedy=OTHER_ARCHITECTURE)
    encoder = LidarEncoder(record.options)
    fill(encoder.state_dict(), weights, file, remedy=OTHER_ARCHITECTURE)
    if encoder.fingerprint != record.fingerprint:
        raise InputError(
            f"has the fingerprint {encoder.fingerprint}, but {ENCODER_RECORD} beside it describes "
            f"{record.fingerprint}.",
            path=file,
            remedy="Copy both files of one encoder.",
        )
    return encoder.eval()
