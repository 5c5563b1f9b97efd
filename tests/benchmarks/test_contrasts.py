from __future__ import annotations

from probe4d.benchmarks.contrasts import with_contrasts
from probe4d.benchmarks.question import Question, to_table


def asked(name: str, answer: str, **fields: object) -> Question:
    given: dict[str, object] = {
        "family": "motion",
        "template": "motion-yes-no",
        "format": "yes-no",
        "scene": "s",
        "keyframes": 40,
        "frames": (3, 11),
        "entities": ("car",),
        "question": name,
        "rule": "r",
        "order": 0,
    }
    return Question(id=name, suite="lidar-hallu", answer=answer, **(given | fields))  # type: ignore[arg-type]


def test_opposite_answers_about_one_object_and_interval_are_linked() -> None:
    table = to_table(
        [
            asked("closer", "Yes"),
            asked("right", "No"),
            asked("left", "No"),
            asked("other class", "No", entities=("bus",)),
            asked("other frames", "No", frames=(4, 12)),
            asked("other scene", "No", scene="t"),
            asked("other family", "No", family="position"),
            asked("nothing named", "No", entities=()),
            asked("choice", "A", format="choice", options=("a", "b")),
        ]
    )
    linked = with_contrasts(table)
    assert linked["id"].to_list() == table["id"].to_list()
    assert dict(zip(linked["id"], linked["links"].to_list(), strict=True)) == {
        "closer": ["left", "right"],
        "right": ["closer"],
        "left": ["closer"],
        "other class": [],
        "other frames": [],
        "other scene": [],
        "other family": [],
        "nothing named": [],
        "choice": [],
    }


def test_equal_answers_are_no_contrast() -> None:
    linked = with_contrasts(to_table([asked("left", "No"), asked("right", "No")]))
    assert linked["links"].to_list() == [[], []]
