"""`probe4d encode`: features of scenes, which a LiDAR language model is shown."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from probe4d.cli import app, output
from probe4d.cli.groups import with_groups
from probe4d.cli.reading_options import Reading
from probe4d.errors import InputError
from probe4d.evidence.coverage import Coverage
from probe4d.wording import counted

if TYPE_CHECKING:
    from probe4d.evidence.camera_images import CameraImages
    from probe4d.evidence.point_clouds import PointClouds
    from probe4d.models.lidar_lm.encoder import LidarEncoder
    from probe4d.models.lidar_lm.image_tower import ImageTower
    from probe4d.scenes.tables import Scenes

__all__ = ["encode"]

_CAMERA = "camera:"


@app.command("encode")
@with_groups
def encode(
    dataroot: Annotated[Path, typer.Argument(metavar="DATAROOT", help="Folder of a dataset.")],
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FEATURES", help="Folder of features, new or to go on with.")
    ],
    encoder: Annotated[
        Path | None,
        typer.Option("--encoder", metavar="CKPT", help="Folder of an encoder, or a LidarCLIP checkpoint (.ckpt)."),
    ] = None,
    modality: Annotated[
        str,
        typer.Option("--modality", help="lidar, or camera:CHANNEL for the embeddings of a camera's images by --clip."),
    ] = "lidar",
    clip: Annotated[
        Path | None, typer.Option("--clip", metavar="DIR", help="Folder of a CLIP model of transformers, for images.")
    ] = None,
    coverage: Annotated[
        Coverage,
        typer.Option("--coverage", help="All round, or what CAM_BACK_RIGHT sees, as in B4DL's release."),
    ] = "wedges",
    compat: Annotated[
        Literal["paper", "released"] | None,
        typer.Option(
            "--compat", help="Whose encoder is followed; released with --coverage one-wedge gives B4DL's features."
        ),
    ] = None,
    scene: Annotated[
        list[str] | None, typer.Option("--scene", metavar="NAME", help="A scene; may be repeated. Left out: all.")
    ] = None,
    batch: Annotated[
        int, typer.Option("--batch", min=1, help="Key frames encoded together; lower it to save memory.")
    ] = 8,
    reading: Reading,
) -> None:
    """Write the features of a dataset's scenes.

    A scene's file appears when the scene is finished: a command that was broken off goes on when it is repeated.
    """
    from probe4d.models.lidar_lm.encoding import encode as write

    load = _loader(modality, encoder, clip, coverage, compat)
    frames = _frames_of(modality, reading.scenes(dataroot), coverage)
    for name in scene or ():
        frames.frames(name)  # a name that there is not is refused before anything is loaded
    made_by = load()
    began = time.monotonic()
    made: list[object] = []
    with output.progress("Encoding key frames") as counter:

        def done(frame: object) -> None:
            made.append(frame)
            counter(frame)

        features = write(
            frames,
            made_by,
            out,
            scenes=scene or None,
            batch=batch,
            workers=reading.workers,
            device=reading.device,
            begun=counter.expect,
            done=done,
        )
    seconds = time.monotonic() - began
    typer.echo(f"{out}: {counted(len(features.scenes), 'scene')}, rows of width {features.record.width}")
    if made:
        output.note(f"{counted(len(made), 'key frame')} encoded, {len(made) / seconds:.1f} a second.")
    else:
        output.note("All scenes were encoded before.")


def _loader(
    modality: str,
    encoder: Path | None,
    clip: Path | None,
    coverage: Coverage,
    compat: Literal["paper", "released"] | None,
) -> Callable[[], LidarEncoder | ImageTower]:
    """What loads the encoder, whose files are there; loading takes seconds, since it imports torch."""
    from probe4d.models.lidar_lm.image_tower import load_image_tower
    from probe4d.models.lidar_lm.on_disk import refuse_no_clip, refuse_no_encoder

    if modality.startswith(_CAMERA):
        if encoder is not None:
            raise InputError("images are encoded by --clip, and --encoder is of point clouds.", remedy="Leave it out.")
        if clip is None:
            raise InputError("images need a CLIP model.", remedy="Give one (--clip DIR).")
        if coverage != "wedges" or compat is not None:
            raise InputError("--coverage and --compat are of point clouds, not of images.", remedy="Leave them out.")
        refuse_no_clip(clip)
        return partial(load_image_tower, clip)
    if modality != "lidar":
        raise InputError(f"there is no modality {modality!r}.", remedy="Take lidar, or camera:CHANNEL.")
    if clip is not None:
        raise InputError("point clouds are encoded by --encoder, and --clip is of images.", remedy="Leave it out.")
    if encoder is None:
        raise InputError("point clouds need an encoder.", remedy="Give one (--encoder CKPT).")
    refuse_no_encoder(encoder)
    return partial(_load_encoder, encoder, compat)


def _load_encoder(path: Path, compat: Literal["paper", "released"] | None) -> LidarEncoder:
    from probe4d.models.lidar_lm.needs import refuse_missing

    refuse_missing()
    from probe4d.models.lidar_lm.encoder import load_encoder

    return load_encoder(path, compat=compat)


def _frames_of(modality: str, scenes: Scenes, coverage: Coverage) -> PointClouds | CameraImages:
    from probe4d.evidence.camera_images import CameraImages
    from probe4d.evidence.point_clouds import PointClouds

    if modality.startswith(_CAMERA):
        return CameraImages(scenes, modality.removeprefix(_CAMERA))
    return PointClouds(scenes, coverage)
