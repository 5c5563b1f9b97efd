from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec
import pytest
from exhibit_making import question
from hypothesis import given
from hypothesis import strategies as st

import probe4d
from making import Model
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.lidar_hallu.templates import PROMPTS
from probe4d.benchmarks.question import LETTERS
from probe4d.benchmarks.suites import answers_elsewhere
from probe4d.errors import InputError
from probe4d.evidence.image import image_of
from probe4d.evidence.pictures import PictureOptions
from probe4d.evidence.rendering import Renderer
from probe4d.evidence.sources import Sources
from probe4d.models.asking import Finished
from probe4d.models.generation import Generation
from probe4d.models.request import Request
from probe4d.runs.ask import ask
from probe4d.runs.evidence_plan import EvidencePlan, evidence_named
from probe4d.runs.exhibits import Exhibit, Exhibits, exhibits
from probe4d.runs.plan import RunPlan
from probe4d.runs.requests import Asked, evidence_digest, request_key, requests_of, to_be_worded, wordable
from probe4d.runs.settings import Setting, Variant, setting_named
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

SMALL = PictureOptions(max_side_px=256)
FIXED = "Which? A. car B. bus C. truck"
CHOICE = question("q", stem="Which?", options=("car", "bus", "truck"), answer="B", prompt=FIXED)
WORD = PROMPTS["default"]


def asked_in(setting: Setting, *questions: object) -> list[Asked]:
    return [(one, variant) for one in questions for variant in setting.variants(one)]  # type: ignore[arg-type, misc]


def blind(asked: list[Asked], setting: Setting, generation: Generation | None = None) -> list[Request]:
    shown = Exhibits({one.id: Exhibit() for one, _ in asked})
    requests = requests_of(
        asked, shown, word=WORD, setting=setting, generation=generation or Generation(), renderer=None
    )
    return [request for request in requests if isinstance(request, Request)]


def test_a_fixed_prompt_is_sent_as_it_is() -> None:
    (request,) = blind(asked_in(setting_named("default"), CHOICE), setting_named("default"))
    assert request == Request(key="q", text=FIXED)


def test_rotated_options_are_worded_anew_in_every_rotation() -> None:
    setting = setting_named("permuted:3")
    requests = blind(asked_in(setting, CHOICE), setting)
    assert [request.key for request in requests] == ["q/rotation-0", "q/rotation-1", "q/rotation-2"]
    lines = [request.text.splitlines()[1:4] for request in requests]
    assert lines == [
        ["A. car", "B. bus", "C. truck"],
        ["A. bus", "B. truck", "C. car"],
        ["A. truck", "B. car", "C. bus"],
    ]
    assert len({text for request in requests for text in request.text.splitlines()[4:]}) == 1


@given(st.lists(st.text(min_size=1), min_size=2, max_size=8, unique=True), st.integers(0, 30))
def test_a_letter_stands_before_the_option_that_its_rotation_says(options: list[str], rotation: int) -> None:
    setting = setting_named("permuted:8")
    asked = question(options=tuple(options), answer="A", prompt="fixed")
    worded = to_be_worded(asked, Variant("v", rotation=rotation), setting)
    assert worded.prompt is None
    for at in range(len(options)):
        assert worded.options[at] == options[(at + rotation) % len(options)]
    assert msgspec.structs.replace(worded, options=asked.options, prompt="fixed") == asked


def test_a_question_without_options_is_never_worded_anew() -> None:
    asked = question(prompt="fixed")
    assert to_be_worded(asked, Variant("v", rotation=1), setting_named("permuted:4")) is asked


@pytest.mark.parametrize(("seed", "seeds"), [(None, [0, 1, 2]), (7, [7, 8, 9])])
def test_repeats_count_up_from_the_seed(seed: int | None, seeds: list[int]) -> None:
    setting = setting_named("repeat:3")
    requests = blind(asked_in(setting, question("q")), setting, Generation(seed=seed))
    assert [request.seed for request in requests] == seeds
    (once,) = blind([(question("q"), Variant())], setting_named("default"), Generation(seed=seed))
    assert once.seed == seed


def test_hints_hold_where_the_user_leaves_a_choice() -> None:
    setting = Setting("hinting", hints={"max_tokens": 2048, "stop_seqs": ["."]})
    (request,) = blind([(question(), Variant())], setting)
    assert request.hints == {"max_tokens": 2048, "stop_seqs": ["."]}
    (request,) = blind([(question(), Variant())], setting, Generation(max_tokens=9))
    assert request.hints == {"stop_seqs": ["."]}


def test_what_no_prompt_can_word_is_told_from_the_rest() -> None:
    kept_back = question("kept back", stem=None)
    worded, left_out, _ = wordable([question("q"), kept_back], WORD, setting_named("default"))
    assert [one.id for one in worded] == ["q"]
    assert [line.question for line in left_out] == ["kept back"]
    assert left_out[0].reason == "the release keeps the text of the question back, so that no prompt can be made of it."
    assert (left_out[0].detail or "").startswith("question kept back: the release keeps the text")
    fixed = question("fixed", stem=None, options=("car", "bus"), answer="A", prompt="fixed")
    assert wordable([fixed], WORD, setting_named("default"))[:2] == ([fixed], [])
    assert wordable([fixed], WORD, setting_named("permuted:2"))[0] == []


@pytest.mark.parametrize("name", ["default", "ego", "explicit-threshold"])
def test_a_reason_that_questions_share_names_none_of_them(name: str) -> None:
    word, several = PROMPTS[name], [question(f"id {n}", stem=None) for n in range(3)]
    _, left_out, *_ = wordable(several, word, setting_named(name))
    assert len({line.reason for line in left_out}) == 1
    for line in left_out:
        assert line.question not in line.reason
        assert line.question in (line.detail or "")


def test_keys_name_question_and_variant() -> None:
    assert request_key("q", None) == "q"
    assert request_key("q", "rotation-1") == "q/rotation-1"


def test_a_digest_is_that_of_the_pictures_in_their_order() -> None:
    one, two = image_of(b"one", "image/png"), image_of(b"two", "image/png")
    assert evidence_digest([]) is None
    assert evidence_digest([one, two]) == hashlib.sha256(f"{one.digest}\n{two.digest}\n".encode()).hexdigest()
    assert len({evidence_digest(several) for several in ([one], [two], [one, two], [two, one], [one, one])}) == 5


@dataclass
class Shown:
    """Requests of a benchmark with some evidence, by question."""

    exhibits: Exhibits
    requests: dict[str, Request | Finished]


@pytest.fixture(scope="module")
def standard(scenes: Scenes) -> Benchmark:
    return probe4d.build("lidar-hallu", scenes, per_family=4)


def requests_with(plan: EvidencePlan, standard: Benchmark, scenes: Scenes) -> Shown:
    setting = setting_named("default")
    shown = exhibits(standard.questions, plan, scenes)
    asked = [(one, Variant()) for one in standard.questions if one.id in shown.of]
    with Renderer(scenes, plan.pictures, workers=2) as renderer:
        requests = requests_of(asked, shown, word=WORD, setting=setting, generation=Generation(), renderer=renderer)
        found = {request.key if isinstance(request, Request) else request.request.key: request for request in requests}
    assert list(found) == [one.id for one, _ in asked]
    return Shown(shown, found)


def sent(shown: Shown) -> Iterator[tuple[str, Request]]:
    for key, request in shown.requests.items():
        assert isinstance(request, Request)
        yield key, request


def test_pictures_and_their_list_go_before_the_question(scenes: Scenes, standard: Benchmark) -> None:
    shown = requests_with(evidence_named("birds-eye", max_frames=3, pictures=SMALL), standard, scenes)
    words = {one.id: WORD(one) for one in standard.questions}
    counts = set()
    for key, request in sent(shown):
        exhibit = shown.exhibits.of[key]
        assert request.text == exhibit.preamble + words[key]
        assert len(request.images) == len(exhibit.pictures)
        counts.add(len(request.images))
        for image in request.images:
            assert image.digest == hashlib.sha256(image.content).hexdigest()
    assert counts == {1, 3}


def test_evidence_differs_by_what_is_shown(scenes: Scenes, standard: Benchmark) -> None:
    digests = {
        name: {
            key: evidence_digest(request.images)
            for key, request in sent(
                requests_with(evidence_named(name, max_frames=3, pictures=SMALL), standard, scenes)
            )
        }
        for name in ("birds-eye", "black:birds-eye", "shuffled:birds-eye", "other-scene:birds-eye")
    }
    temporal = [one.id for one in standard.questions if one.family == "temporal"]
    assert temporal
    assert set(temporal) <= set(digests["shuffled:birds-eye"]) < set(digests["birds-eye"])
    for key in temporal:
        assert len({of[key] for of in digests.values()}) == len(digests)


def test_a_picture_that_cannot_be_rendered_fails_its_question_alone(
    scenes: Scenes, standard: Benchmark, tmp_path: Path
) -> None:
    plan = evidence_named("birds-eye", max_frames=1, pictures=SMALL)
    shown = exhibits(standard.questions, plan, scenes)
    broken = next(iter(shown.of.values())).pictures[0]
    sources = Sources(scenes)
    for picture in {picture for exhibit in shown.of.values() for picture in exhibit.pictures}:
        (source,) = sources.of(picture)
        copy = tmp_path / source.file
        copy.parent.mkdir(parents=True, exist_ok=True)
        content = (scenes.root / source.file).read_bytes()
        copy.write_bytes(content[:-1] if picture == broken else content)
    found = requests_with(plan, standard, replace(scenes, root=tmp_path))
    for key, exhibit in shown.of.items():
        request = found.requests[key]
        if broken in exhibit.pictures:
            assert isinstance(request, Finished)
            assert request.reply is None
            assert str(tmp_path) in (request.failure or "")
            assert request.request.images == ()
        else:
            assert isinstance(request, Request)
    assert any(isinstance(request, Request) for request in found.requests.values())


def test_requests_are_prepared_as_they_are_drawn(scenes: Scenes, standard: Benchmark) -> None:
    worded: list[str] = []

    def word(one: object) -> str:
        worded.append("one")
        return "text"

    setting = setting_named("default")
    asked = [(one, Variant()) for one in standard.questions]
    shown = Exhibits({one.id: Exhibit() for one in standard.questions})
    requests = requests_of(asked, shown, word=word, setting=setting, generation=Generation(), renderer=None)
    assert worded == []
    next(requests)
    next(requests)
    assert len(worded) == 2


@pytest.mark.real_data
def test_grids_and_birds_eye_views_of_real_recordings(real_data: Callable[[str], Path]) -> None:
    scenes = open_scenes(real_data("kitti_0001_nuscenes_format"))
    standard = probe4d.build("lidar-hallu", scenes, per_family=4)
    for name, words in (("cameras", "the view of the front camera"), ("birds-eye", "LiDAR points from above")):
        shown = requests_with(evidence_named(name, pictures=SMALL), standard, scenes)
        assert shown.requests
        for _, request in sent(shown):
            assert words in request.text
            assert request.images


def test_a_wording_that_fails_after_all_is_not_hidden() -> None:
    with pytest.raises(InputError, match="keeps the text"):
        blind([(question(stem=None), Variant())], setting_named("default"))


def test_letters_name_all_options() -> None:
    many = question(options=tuple(f"option {at}" for at in range(8)), answer="H", stem="Which?")
    setting = setting_named("permuted:8")
    last = blind(asked_in(setting, many), setting)[-1]
    assert last.text.splitlines()[1:9] == [f"{LETTERS[at]}. option {(at + 7) % 8}" for at in range(8)]


def mirror() -> Model:
    """A model that answers with the number of pictures it was shown."""
    return Model(lambda request: str(len(request.images)), name="mirror/mirror")


def test_answers_keep_what_was_shown(scenes: Scenes, standard: Benchmark, tmp_path: Path) -> None:
    plan = evidence_named("other-scene:birds-eye", max_frames=2, pictures=SMALL)
    run = ask(standard, tmp_path / "run", model=mirror(), plan=RunPlan(evidence=plan), scenes=scenes)
    shown = exhibits(standard.questions, plan, scenes, elsewhere=partial(answers_elsewhere, standard))
    assert run.left_out == shown.left_out
    assert set(run.answers["question"]) == set(shown.of)
    with Renderer(scenes, SMALL) as renderer:
        for row in run.answers.iter_rows(named=True):
            exhibit = shown.of[row["question"]]
            assert row["text"] == str(len(exhibit.pictures))
            assert row["evidence"] == evidence_digest([renderer.render(picture) for picture in exhibit.pictures])
            assert row["evidence_frames"] == [picture.frame for picture in exhibit.pictures]
            assert (row["shown_scene"], row["shown_answer"]) == (exhibit.shown_scene, exhibit.shown_answer)
    answers = run.answers["shown_answer"]
    assert answers.null_count() < answers.len()


def test_answers_without_pictures_have_no_digest(standard: Benchmark, tmp_path: Path) -> None:
    run = ask(standard, tmp_path / "run", model=mirror())
    assert run.answers.height == standard.table.height
    for name in ("evidence", "evidence_frames", "shown_scene", "shown_answer"):
        assert run.answers[name].null_count() == run.answers.height
