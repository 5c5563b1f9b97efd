"""Invented scenes, questions, runs and a Diagnosis of them, small and the same every time."""

from __future__ import annotations

import math
from typing import Any

import msgspec

import making
from making import with_id_of_content
from probe4d.benchmarks.benchmark import Benchmark, SourceDataset
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.lookup import Lookup
from probe4d.report.sections.accuracy import accuracy
from probe4d.report.sections.averages import averages
from probe4d.report.sections.models import models
from probe4d.report.sections.part import Section
from probe4d.report.sections.relations import relations
from probe4d.report.sections.run_families import run_families
from probe4d.report.sections.slices import slices
from probe4d.report.sections.words_by_template import words_by_template
from probe4d.runs.run import Run
from probe4d.scenes.tables import Scenes

KEYFRAMES = 12

PAYLOADS = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "'><iframe src=javascript:alert(1)>",
    "javascript:alert(1)",
    "<!--",
    "--><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "</textarea></title></style><script>alert(1)</script>",
    "{{ 7 * 7 }}{% raw %}",
    "${alert(1)}`",
    "\\u003cscript\\u003ealert(1)",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u2028alert(1)\u2029",
    "\x00\x07\x08\x1b[31m\x7f",
    "\u202ereversed\u202c",
    "a" * 100_000,
    "<a href='http://example.org/'>x</a><link rel=stylesheet href=//example.org/x.css>",
    "<style>@import url(//example.org/x.css)</style>",
    "<meta http-equiv=refresh content='0;url=http://example.org'>",
    "<base href=http://example.org/>",
    "__proto__",
    "\ufeff\ufffe\ud7ff",
)
"""What a hostile model replies."""


def scenes(count: int = 2) -> Scenes:
    """Scenes of an ego vehicle that drives straight at 2 m a frame, one car, one pedestrian, one unseen truck."""
    names = [f"scene-{index:04d}" for index in range(1, count + 1)]
    frames, boxes = [], []
    for name in names:
        for frame in range(KEYFRAMES):
            pose = {"pose_x": 2.0 * frame, "pose_y": 0.0, "pose_z": 0.0, "pose_qw": 1.0}
            frames.append(
                {"scene": name, "frame": frame, "token": f"{name}-k{frame}", "timestamp_us": 500_000 * frame}
                | {"pose_token": f"{name}-p{frame}", "pose_qx": 0.0, "pose_qy": 0.0, "pose_qz": 0.0}
                | pose
            )
            for track, label, x, y, size, points in (
                ("car-1", "car", 18.0, 4.0, (4.5, 1.9), 60),
                ("pedestrian-1", "pedestrian", 9.0, -5.0, (0.6, 0.6), 9),
                ("truck-1", "truck", -12.0, 7.0, (8.0, 2.5), 0),
            ):
                boxes.append(
                    {"scene": name, "frame": frame, "token": f"{name}-{track}-{frame}", "track": track}
                    | {"category": label, "label": label, "x": x, "y": y, "z": 0.0}
                    | {"length": size[0], "width": size[1], "height": 1.6}
                    | {"qw": 1.0, "qx": 0.0, "qy": 0.0, "qz": 0.0}
                    | {"ego_x": x - 2.0 * frame, "ego_y": y, "ego_z": 0.0, "ego_yaw": 0.1}
                    | {"lidar_points": points, "radar_points": 0, "visibility": 4, "attributes": []}
                )
    rows = [
        {"scene": name, "token": f"token-{name}", "split": None, "keyframes": KEYFRAMES}
        | {"log": "log", "location": "nowhere", "description": ""}
        for name in names
    ]
    return making.scenes_of(rows, frames, boxes, version="v1.0-sim")


def question(
    family: str,
    kind: str,
    *,
    scene: str = "scene-0001",
    frames: tuple[int, ...] = (3,),
    entities: tuple[str, ...] = ("car",),
    text: str | None = None,
    options: tuple[str, ...] = (),
    answer: str = "Yes",
    order: int = 0,
    **rest: Any,
) -> Question:
    text = text if text is not None else f"Is the nearest car where the {family} rule says, in frame {frames}?"
    context = rest.pop("context", "|".join([*entities, rest.get("relation") or ""]))
    return with_id_of_content(
        making.question(
            order,
            suite="lidar-hallu",
            family=family,
            template=f"{family}-{kind}",
            format=kind,
            scene=scene,
            keyframes=KEYFRAMES,
            frames=frames,
            entities=entities,
            question=text,
            options=options,
            answer=answer,
            rule=f"{family}-rule",
            context=context,
            features=tuple(option.lower() for option in options),
            **rest,
        )
    )


def fact(frame: int, label: str = "car", *, scene: str = "scene-0001") -> dict[str, Any]:
    """The measured object of a label at a frame of `scenes`."""
    x, y = {"car": (18.0, 4.0), "pedestrian": (9.0, -5.0)}[label]
    x -= 2.0 * frame
    return {"frame": frame, "label": label, "track": f"{label}-1", "box": f"{scene}-{label}-1-{frame}"} | {
        "x": x,
        "y": y,
        "distance_m": math.hypot(x, y),
        "lidar_points": 60,
    }


def one_of_each(scene: str = "scene-0001", frame: int = 3) -> list[Question]:
    """A question of every template of lidar-hallu about one scene, with the facts that a build writes."""
    near = {"objects": [fact(frame, scene=scene)], "bearing_deg": 18.4, "sector": "front"}
    moved = {"margin_unit": "metres", "distance_delta_m": -12.0, "lateral_delta_m": 0.0}
    motion = {"objects": [fact(1, scene=scene), fact(9, scene=scene)], **moved}
    both = {"objects": [fact(frame, "pedestrian", scene=scene), fact(frame, scene=scene)]}
    spans = tuple(f"from frame {a:03d} to frame {b:03d}" for a, b in ((0, 4), (2, 8), (5, 9), (1, 3)))
    event = {"interval": [5, 9], "event": {"kind": "ego-still", "definition": "speed below 0.2 m/s"}}
    at = {"scene": scene, "frames": (frame,)}
    no_entity = {"scene": scene, "entities": ()}
    return [
        question("existence", "yes-no", **at, facts={"present": ["car"]}, text=f"Does car exist in frame {frame:03d}?"),
        question(
            "existence",
            "choice",
            **no_entity,
            frames=(frame,),
            options=("bus", "car", "trailer", "barrier"),
            answer="B",
            facts={"present": ["car"]},
        ),
        question("position", "yes-no", **at, relation="back", answer="No", facts=near, margin=4.1, lidar_points=60),
        question("position", "choice", **at, options=("front", "back", "right", "left"), answer="A", facts=near),
        question("motion", "yes-no", scene=scene, frames=(1, 9), relation="closer", facts=motion, margin=10.0),
        question(
            "distance",
            "choice",
            **no_entity,
            frames=(frame,),
            options=("car", "bus", "pedestrian", "truck"),
            answer="C",
            facts=both,
        ),
        question(
            "temporal",
            "choice",
            **no_entity,
            frames=(),
            options=spans,
            answer="C",
            facts=event,
            text="When does the ego vehicle stand still?",
        ),
    ]


def benchmark(questions: list[Question]) -> Benchmark:
    source = SourceDataset(
        name="nuscenes", version="v1.0-sim", fingerprint="0" * 64, licence="none", split="all scenes", scenes=2
    )
    about = {"parameters": {"per_family": len(questions)}, "exclusions": {"no LiDAR returns": 3}, "probe4d": "0.1.0"}
    return making.benchmark_of(questions, seed=1, source=source, **about)


def diagnosed(
    answers: dict[str, list[str]] | None = None,
    questions: list[Question] | None = None,
    compare: tuple[str, ...] = (),
) -> Diagnosis:
    """Diagnose invented answers: run name to one reply for each question."""
    asked = benchmark(questions or many_questions())
    runs = [run(name, asked, replies) for name, replies in (answers or {}).items()]
    return diagnose(asked, runs, compare=compare)


def part_of(diagnosis: Diagnosis, anchor: str) -> Section:
    """One of a report's `sections`; no chart of the others is drawn, which takes seconds."""
    lookup, names = Lookup.of(diagnosis), diagnosis.answerers("labels")
    made = {
        "accuracy": lambda: accuracy(lookup, names),
        "averages": lambda: averages(diagnosis),
        "models": lambda: models(diagnosis),
        "relations": lambda: relations(lookup, names),
        "run-families": lambda: run_families(diagnosis, lookup, names),
        "slices": lambda: slices(diagnosis, names),
        "templates": lambda: words_by_template(diagnosis),
    }[anchor]()
    assert made.anchor == anchor
    assert made.charts, "without charts it is no part of a report"
    return made


def run(name: str, asked: Benchmark, replies: list[str]) -> Run:
    pairs = zip(asked.table["id"], replies, strict=True)
    return making.run_of(name, asked, [{"question": identity, "text": reply} for identity, reply in pairs])


def many_questions(names: int = 10, frames: int = 3) -> list[Question]:
    """All templates over several scenes and frames; half of the yes-no questions have the answer No."""
    made: dict[str, Question] = {}
    for scene in range(1, names + 1):
        for frame in range(2, 2 + frames):
            for one in one_of_each(f"scene-{scene:04d}", frame):
                changed = msgspec.structs.replace(_turned(one, scene + frame), order=len(made))
                if one.format == "yes-no":
                    changed = msgspec.structs.replace(changed, answer="Yes" if (scene + frame) % 2 else "No")
                made.setdefault(changed.id, changed)
    return list(made.values())


def _turned(one: Question, by: int) -> Question:
    """The same choice question with its options turned, so that every letter is right somewhere."""
    if not one.options:
        return one
    by %= len(one.options)
    turn = lambda values: (*values[by:], *values[:by])  # noqa: E731
    answer = LETTERS[(LETTERS.index(one.answer) - by) % len(one.options)]
    turned = {"options": turn(one.options), "features": turn(one.features), "answer": answer}
    return with_id_of_content(msgspec.structs.replace(one, **turned))


def right_answers(questions: list[Question]) -> list[str]:
    return [one.answer for one in questions]
