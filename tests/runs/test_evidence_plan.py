from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.errors import InputError
from probe4d.evidence.pictures import VIEWS, PictureOptions, View
from probe4d.runs.evidence_plan import EVIDENCE_KINDS, EvidenceKind, EvidencePlan, evidence_named


@pytest.mark.parametrize(
    ("text", "kind", "view"),
    [
        ("none", "none", None),
        ("cameras", "own", "cameras"),
        ("birds-eye", "own", "birds-eye"),
        ("black", "black", "cameras"),
        ("black:birds-eye", "black", "birds-eye"),
        ("shuffled", "shuffled", "cameras"),
        ("shuffled:cameras", "shuffled", "cameras"),
        ("shuffled:birds-eye", "shuffled", "birds-eye"),
        ("other-scene", "other-scene", "cameras"),
        ("other-scene:birds-eye", "other-scene", "birds-eye"),
    ],
)
def test_evidence_has_the_names_of_the_command_line(text: str, kind: str, view: str | None) -> None:
    plan = evidence_named(text)
    assert (plan.kind, plan.view) == (kind, view)
    assert (plan.span, plan.max_frames, plan.pictures) == ("question", 16, PictureOptions())
    assert (plan.is_own, plan.is_drawn) == (kind == "own", kind in ("shuffled", "other-scene"))


@given(st.sampled_from(EVIDENCE_KINDS), st.sampled_from(VIEWS))
def test_the_name_of_a_plan_names_it(kind: EvidenceKind, view: View) -> None:
    plan = EvidencePlan(kind=kind, view=None if kind == "none" else view)
    assert evidence_named(plan.name) == plan


def test_options_go_into_the_plan() -> None:
    pictures = PictureOptions(max_side_px=512)
    plan = evidence_named("shuffled", span="scene", max_frames=4, seed=7, pictures=pictures)
    assert plan == EvidencePlan(kind="shuffled", view="cameras", span="scene", max_frames=4, seed=7, pictures=pictures)
    assert msgspec.json.decode(msgspec.json.encode(plan), type=EvidencePlan) == plan


@pytest.mark.parametrize("text", ["", "own", "camera", "none:cameras", "cameras:birds-eye", "shuffled:", "black:lidar"])
def test_other_names_are_refused_with_those_that_there_are(text: str) -> None:
    with pytest.raises(
        InputError, match=r"none, cameras, birds-eye, one-camera, lidar, black\[:VIEW\], shuffled"
    ) as refused:
        evidence_named(text)
    assert repr(text) in str(refused.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "lidar"}, "no evidence of kind 'lidar'"),
        ({"kind": "none", "view": "cameras"}, "'none' takes no view"),
        ({"kind": "own"}, "'own' takes one of the views cameras, birds-eye, one-camera, lidar, not None"),
        ({"kind": "black", "view": "lidar"}, "not 'lidar'"),
        ({"span": "log"}, "no span 'log'; there are question, scene"),
        ({"max_frames": 0}, "at least 1, not 0"),
    ],
)
def test_a_plan_that_nobody_could_follow_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        EvidencePlan(**fields)  # type: ignore[arg-type]  # wrong on purpose


def test_a_view_that_there_is_not_of_this_evidence_is_told_as_such() -> None:
    with pytest.raises(
        InputError, match=r"no black evidence in the view lidar\. Give black:cameras, black:birds-eye or black:one"
    ):
        evidence_named("black", usual_view="lidar")
