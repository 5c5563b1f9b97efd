"""A run before it is asked: its questions in their variants, and what each shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.source import SceneNames
from probe4d.benchmarks.suite import Prompt
from probe4d.benchmarks.suites import answers_elsewhere, before_letters, suite_prompt
from probe4d.errors import InputError
from probe4d.evidence.camera_grid import SURROUND
from probe4d.evidence.pictures import Picture
from probe4d.evidence.rendering import Renderer
from probe4d.models.asking import Finished
from probe4d.models.generation import refuse_keys
from probe4d.models.request import Request
from probe4d.runs.evidence_plan import EvidenceView
from probe4d.runs.exhibits import Exhibits, exhibits
from probe4d.runs.lidar_requests import FeatureReader, LidarRequests, refuse_unfit_setting
from probe4d.runs.lidar_wording import lidar_wording
from probe4d.runs.plan import RunPlan
from probe4d.runs.preamble import preamble
from probe4d.runs.requests import Asked, requests_of, wordable
from probe4d.runs.run import AnswerKey, LeftOut
from probe4d.runs.selection import selected_of
from probe4d.runs.settings import Setting, setting_named
from probe4d.runs.told_motion import ToldMotion
from probe4d.scenes.tables import Scenes
from probe4d.store.hashing import digest
from probe4d.wording import counted

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """A run that could be asked.

    Attributes:
        benchmark: Fingerprint of the benchmark.
        plan: What is asked and how.
        scenes: The scenes that pictures are taken from; null where nothing is shown.
        setting: How the questions are asked.
        word: Words a question as the setting has it.
        shown: What each question shows.
        wording: Digest of all texts, as far as they do not depend on which pictures can be shown.
        selected: Question and variant of every call that the selection holds, in benchmark order.
        asked: Of these the calls that can be made, with their question and variant, in the same order.
        left_out: Selected questions that cannot be asked, and why.
        lidar: Completes the requests for a LiDAR language model; null for other models.
    """

    benchmark: str
    plan: RunPlan
    scenes: Scenes | None
    setting: Setting
    word: Prompt
    shown: Exhibits
    wording: str
    selected: tuple[AnswerKey, ...]
    asked: dict[AnswerKey, Asked]
    left_out: tuple[LeftOut, ...]
    lidar: LidarRequests | None = None

    def requests(self, keys: Iterable[AnswerKey], *, renderer: Renderer | None = None) -> Iterator[Request | Finished]:
        """The requests of these calls, in their order (see `probe4d.runs.requests.requests_of`).

        Without a renderer they come without pictures.
        """
        return requests_of(
            [self.asked[key] for key in keys],
            self.shown,
            word=self.word,
            setting=self.setting,
            generation=self.plan.generation,
            renderer=renderer,
            lidar=self.lidar,
        )

    def refuse_unaskable(self) -> None:
        """Refuse a run without a call.

        Raises:
            InputError: None of the selected questions can be asked; the sentence says why the first cannot.
        """
        if self.left_out and not self.asked:
            first = self.left_out[0]
            raise InputError(
                f"none of the {len(self.left_out):,} selected questions can be asked; "
                f"of the first: {first.detail or first.reason}",
            )

    @contextmanager
    def rendering(self, *, workers: int | None = None, cache: bool = True) -> Iterator[Renderer | None]:
        """Hold a renderer of the run's pictures while the block runs; null where nothing is shown.

        Args:
            workers: Threads that render; null takes one for each processor.
            cache: Whether rendered pictures are kept on disk.
        """
        if self.scenes is None or self.plan.evidence.view in (None, "lidar"):
            yield None
            return
        with Renderer(self.scenes, self.plan.evidence.pictures, workers=workers, cache=cache) as renderer:
            yield renderer


def prepare(
    benchmark: Benchmark,
    plan: RunPlan | None = None,
    *,
    scenes: Scenes | None = None,
    reader: FeatureReader | None = None,
) -> Prepared:
    """Work out what a run asks, without asking it.

    Args:
        benchmark: The questions.
        plan: What is asked and how; null asks every question once, with nothing shown.
        scenes: The scenes that evidence is taken from.
        reader: The LiDAR language model that is asked; null for other models.

    Raises:
        InputError: The setting, the selection or the evidence cannot be had, the scenes are not those that the
            benchmark was built from, or an option would put a key into the record.
    """
    plan = plan or RunPlan()
    refuse_keys(plan.arguments, plan.generation)
    setting = setting_named(plan.setting)
    refuse_unfit_setting(setting, plan, of_lidar=reader is not None)
    if scenes is not None and (plan.evidence.kind != "none" or reader is not None):
        _refuse_other_scenes(benchmark, scenes)
    if reader is not None and reader.features is not None:
        reader.features.refuse_other(dataset=benchmark.record.source.fingerprint)
    word = suite_prompt(benchmark.record.suite, setting.wording)
    questions = benchmark.records(selected_of(benchmark, plan.selection)["id"])
    worded = wordable(questions, word, setting)
    shown = exhibits(
        worded.questions,
        plan.evidence,
        scenes,
        features=None if reader is None else reader.features,
        elsewhere=partial(answers_elsewhere, benchmark),
        before_letters=before_letters(benchmark.record),
    )
    lidar = None
    untold: dict[str, LeftOut] = {}
    texts = [worded.digest, _example(plan.evidence.view)]
    if reader is not None:
        texts += lidar_wording(reader, worded.questions)
        motion = ToldMotion(reader.ego_text, scenes)
        lidar = LidarRequests(motion, setting.contrast, seed=plan.generation.seed)
        untold = {question.id: left for question in worded.questions if (left := motion.missing(question))}
    asked = {
        (question.id, variant.name): (question, variant)
        for question in worded.questions
        if question.id in shown.of and question.id not in untold
        for variant in setting.variants(question)
    }
    return Prepared(
        benchmark=benchmark.fingerprint,
        plan=plan,
        scenes=scenes,
        setting=setting,
        word=word,
        shown=shown,
        wording=digest(texts),
        selected=tuple((question.id, variant.name) for question in questions for variant in setting.variants(question)),
        asked=asked,
        left_out=(
            *worded.left_out,
            *shown.left_out,
            *(left for identity, left in untold.items() if identity in shown.of),
        ),
        lidar=lidar,
    )


def _example(view: EvidenceView | None) -> str:
    """The lines that list pictures of a view, for examples that depend on no dataset."""
    if view is None or view == "lidar":
        return ""
    cameras = tuple(SURROUND)
    several = [Picture(view, "", frame, frame) for frame in range(2)]
    first = preamble(several, cameras[:1] if view == "one-camera" else cameras, asked=cameras[0])
    return first + preamble(several[:1], cameras[:1], lettered=True)


def _refuse_other_scenes(benchmark: Benchmark, scenes: Scenes) -> None:
    source = benchmark.record.source
    if source.fingerprint is None or scenes.fingerprint == source.fingerprint:
        return
    named, tables = SceneNames(scenes), scenes.root / scenes.version
    asked = benchmark.columns("scene")["scene"].unique(maintain_order=True).to_list()
    if absent := [name for name in asked if named.named(name) is None]:
        how = (
            f"{len(absent):,} of the benchmark's {counted(len(asked), 'scene')} are not in {tables}, first {absent[0]}"
        )
    else:
        how = (
            f"{tables} holds scenes of the same names, and other tables "
            f"(SHA-256 {scenes.fingerprint[:12]}…, not {source.fingerprint[:12]}…)"
        )
    raise InputError(
        f"the evidence would come from other tables than those that the answers were measured in: {how}.",
        remedy="Give the dataset (scenes=, --data) that the benchmark was built from, as it was then, "
        "or build the benchmark again from this one.",
    )
