"""The record of a benchmark says whether the objects of its questions are called by letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from lettered_making import lettered_benchmark, lettered_scenes
from probe4d.evidence.pictures import PictureOptions
from probe4d.models.request import Request
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import Prepared, prepare
from probe4d.scenes.tables import Scenes

SMALL = PictureOptions(max_side_px=256)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return lettered_scenes(tmp_path_factory.mktemp("scenes"))


def prepared(scenes: Scenes, evidence: str, *, refer: str = "marker") -> Prepared:
    plan = RunPlan(evidence=evidence_named(evidence, pictures=SMALL))
    return prepare(lettered_benchmark(scenes, refer=refer), plan, scenes=scenes)


def requests(one: Prepared) -> list[Request]:
    with one.rendering(cache=False) as renderer:
        made = list(one.requests(one.asked, renderer=renderer))
    assert all(isinstance(request, Request) for request in made)
    return made  # type: ignore[return-value]  # as the line above says


def test_letters_are_drawn_for_each_set_of_objects_once(scenes: Scenes) -> None:
    first, turned, others, view = requests(prepared(scenes, "one-camera"))
    assert all(len(request.images) == 1 for request in (first, turned, others, view))
    assert first.images == turned.images
    assert len({request.images[0].digest for request in (first, others, view)}) == 3
    said = "The objects that the question names are outlined, each with its letter."
    assert [said in request.text for request in (first, turned, others, view)] == [True, True, True, False]


def test_nothing_is_drawn_where_the_record_does_not_say_so(scenes: Scenes) -> None:
    made = requests(prepared(scenes, "one-camera", refer="caption"))
    assert len({request.images for request in made}) == 1
    assert not any("letter" in request.text for request in made)


@pytest.mark.parametrize("evidence", ["black:one-camera", "none"])
def test_what_shows_nothing_shows_no_letters(scenes: Scenes, evidence: str) -> None:
    made = requests(prepared(scenes, evidence))
    assert len(made) == 4
    assert len({request.images for request in made}) == 1


def test_the_wording_of_a_run_is_the_same_whatever_can_be_shown(scenes: Scenes, tmp_path: Path) -> None:
    """Going on with a run needs no picture, so that one lost since does not make it another run."""
    bare = lettered_scenes(tmp_path)
    for file in bare.sensors["file"]:
        (tmp_path / file).unlink()
    lost = prepared(bare, "one-camera")
    assert not lost.asked
    assert lost.wording == prepared(scenes, "one-camera").wording != prepared(scenes, "cameras").wording
