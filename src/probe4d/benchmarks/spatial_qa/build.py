"""A NuScenes-SpatialQA benchmark: its parameters, its record, its folder (Sec. 3 of the paper)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from probe4d.benchmarks.benchmark import (
    QUESTIONS_FILE,
    Benchmark,
    BenchmarkRecord,
    benchmark_folder,
    read_benchmark,
    write_description,
)
from probe4d.benchmarks.building import BuildParameters, dropped_rows, record_of_build, recorded, refuse_other
from probe4d.benchmarks.captions import read_captions
from probe4d.benchmarks.card import dataset_card
from probe4d.benchmarks.composition import COMPOSITION_FILE, composition_of
from probe4d.benchmarks.questions_file import write_questions
from probe4d.benchmarks.spatial_qa.assembling import Assembled, Assembly, every_question, sampled_questions
from probe4d.benchmarks.spatial_qa.card import CARD
from probe4d.benchmarks.spatial_qa.drafting import SUITE_NAME
from probe4d.benchmarks.spatial_qa.draws import Balance, Draw
from probe4d.benchmarks.spatial_qa.measuring import Ambiguous, Measuring, Refer
from probe4d.benchmarks.spatial_qa.referring import NO_CAPTION
from probe4d.benchmarks.spatial_qa.views import Filters, UnknownVisibility
from probe4d.benchmarks.splits import select_split
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes
from probe4d.store.hashing import file_digest

__all__ = ["VERSION", "Parameters", "build"]

VERSION = "1.1"

GRAPHS_FOLDER = "graphs"

_FULL = "full"
_SAMPLE = re.compile(r"sample:([1-9][0-9]{0,8})")


class Parameters(BuildParameters, frozen=True, kw_only=True):
    """What a build of NuScenes-SpatialQA is asked for.

    Attributes:
        scale: `full` for every pair and object, or `sample:N` for N questions: as many of each template and of each
            answer, scenes by turns.
        balance: What a sample balances: the answers to each template (`answers`), or of yes-no questions those to
            each template, relation and pair of categories (`contents`).
        refer: Whether questions call objects by their captions, or by letters that are drawn into the image.
        captions: Captions file (see `probe4d.benchmarks.captions`), for `caption`.
        ambiguous: What becomes of objects whose words stand for another one of the image as well.
        min_visibility: Lowest visibility level of an object that is asked about, 1 to 4.
        unknown_visibility: What becomes of objects whose visibility the dataset does not say.
        min_side_px: The image box of such an object is wider and higher than this, in pixels.
        graphs: Write the scene graphs too, JSON lines in the folder `graphs`.

    Raises:
        InputError: A value cannot be used, or not beside another.
    """

    scale: str = _FULL
    balance: Balance = "answers"
    refer: Refer = "caption"
    captions: Path | str | None = None
    ambiguous: Ambiguous = "drop"
    min_visibility: int = 4
    unknown_visibility: UnknownVisibility = "keep"
    min_side_px: float = 40.0
    graphs: bool = False

    def __post_init__(self) -> None:
        """Refuse what nothing could be built of."""
        super().__post_init__()
        refuse_other("balance", self.balance, Balance)
        refuse_other("refer", self.refer, Refer)
        refuse_other("ambiguous", self.ambiguous, Ambiguous)
        size = self.sample_size
        if self.refer == "caption" and self.captions is None:
            raise InputError(
                "there are no captions to call objects by.",
                remedy="Give a captions file, as `probe4d caption` writes it, or --refer marker for letters in the "
                "image.",
            )
        if self.refer == "marker" and self.captions is not None:
            raise InputError("captions have no place where letters stand for objects.", remedy="Give one of the two.")
        if self.balance == "contents" and size is None:
            raise InputError("contents can be balanced in samples only.", remedy="Give a scale such as sample:10000.")

    @property
    def sample_size(self) -> int | None:
        """Number of questions of a sample; null for all.

        Raises:
            InputError: There is no such scale.
        """
        if self.scale == _FULL:
            return None
        if (found := _SAMPLE.fullmatch(self.scale)) is None:
            raise InputError(
                f"there is no scale {self.scale!r}.",
                remedy="Give full, or sample:N with a whole number such as sample:10000.",
            )
        return int(found[1])

    @property
    def filters(self) -> Filters:
        """What an object must be like in an image to be asked about.

        Raises:
            InputError: Nothing can be like that.
        """
        return Filters(
            min_visibility=self.min_visibility,
            unknown_visibility=self.unknown_visibility,
            min_side_px=self.min_side_px,
        )


_RECORDED = (
    *("split", "scale", "balance", "refer", "captions_sha256", "ambiguous"),
    *("min_visibility", "unknown_visibility", "min_side_px", "reference_channel"),
)
"""Names of parameters in `benchmark.json`."""


def build(scenes: Scenes, out: Path | str | None, asked: Parameters) -> Benchmark:
    """Build the NuScenes-SpatialQA questions that scenes allow.

    Args:
        scenes: The scenes, with cameras.
        out: Folder to write to; nothing is written without it.
        asked: What is asked for.

    Returns:
        The benchmark, by family.

    Raises:
        InputError: Graphs are asked for and no folder is, the split holds no scene, the captions cannot be read, a
            camera has no image size or no intrinsics, or the scenes allow no question.
    """
    if asked.graphs and out is None:
        raise InputError("graphs are written into the folder of the benchmark.", remedy="Say which by --out.")
    filters = asked.filters
    used, split_words = select_split(scenes, asked.split)
    captions = None if asked.captions is None else Path(asked.captions)
    words = None if captions is None else read_captions(captions)
    measuring = Measuring(seed=asked.seed, filters=filters, captions=words, ambiguous=asked.ambiguous)
    parameters = recorded(
        asked,
        _RECORDED,
        captions_sha256=None if asked.captions is None else file_digest(asked.captions),
        reference_channel=scenes.reference_channel,
    )
    with _folder(out) as folder:
        graphs = folder / GRAPHS_FOLDER if asked.graphs else None
        assembly = Assembly(used, measuring, graphs, asked.workers, asked.done)
        draw = None if asked.sample_size is None else Draw(asked.sample_size, asked.balance, asked.seed)
        assembled = _assembled(assembly, draw, folder / QUESTIONS_FILE)
        record = record_of_build(
            SUITE_NAME,
            VERSION,
            assembled.questions,
            seed=asked.seed,
            parameters=parameters,
            used=used,
            split=split_words,
            exclusions=dict(sorted((assembled.exclusions | dropped_rows(scenes)).items())),
            shortfalls=assembled.shortfalls,
        )
        if not record.questions:
            raise _nothing_to_ask(scenes, record, draw)
        composition = composition_of(assembled.questions)
        composition.counts.write_csv(folder / COMPOSITION_FILE)
        write_description(folder, record, dataset_card(record, CARD, composition))
        if out is None:
            return Benchmark(read_benchmark(folder).table, record)
    return Benchmark.at(Path(out), record)


def _nothing_to_ask(scenes: Scenes, record: BenchmarkRecord, draw: Draw | None) -> InputError:
    """Why there is no question, with all that was left out."""
    left_out = "; ".join(f"{n:,} × {reason}" for reason, n in record.exclusions.items())
    told = f" Left out: {left_out}." if left_out else ""
    what = "cameras show no object that can be asked about"
    remedy = "Check with `probe4d scenes` that there are cameras that show boxes, or loosen the filters."
    if NO_CAPTION in record.exclusions and not any(": " in reason for reason in record.exclusions):
        what, remedy = "its captions name no object that cameras show", "Give the captions of this dataset."
    elif draw is not None:
        what = f"{what}, or a sample of {draw.size:,} cannot have as many of each answer"
        remedy = f"Ask for a larger sample. {remedy}"
    return InputError(f"allows no question: {what}.{told}", path=scenes.root, remedy=remedy)


def _assembled(assembly: Assembly, draw: Draw | None, file: Path) -> Assembled:
    """Put the questions together, all of them without a draw, and write them; they are read from that file then."""
    with TemporaryDirectory(dir=file.parent, prefix=".parts-") as parts:
        assembled = every_question(assembly, Path(parts)) if draw is None else sampled_questions(assembly, draw)
        write_questions(assembled.questions, file)
    return assembled._replace(questions=pl.scan_parquet(file))


@contextmanager
def _folder(out: Path | str | None) -> Iterator[Path]:
    """The folder that becomes the benchmark's; one that is gone at the end without one."""
    if out is not None:
        with benchmark_folder(Path(out)) as folder:
            yield folder
        return
    with TemporaryDirectory() as temporary:
        yield Path(temporary)
