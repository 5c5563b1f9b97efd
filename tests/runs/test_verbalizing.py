"""References worded by a model: taken, asked for again, left plain; and a folder that goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer, digest_of

from making import question
from probe4d.benchmarks.question import Question
from probe4d.errors import InputError, RunError
from probe4d.models.course import Course
from probe4d.models.generation import Generation
from probe4d.runs.verbalizing import MOST_ATTEMPTS, HostedVerbalizer, reference_fault, verbalizing_prompt
from probe4d.store.hashing import digest

MODEL = "openai-api/fake/model"
PLAIN = "The distance to the car in the red box is 10 to 20 m. Seen from the ego vehicle, it is to the front-left."
GOOD = "The car is ahead to the front-left, at a distance of 10 to 20 m."


def openers(count: int) -> list[Question]:
    return [
        question(place, template="SP-7", format="text", question=f"Describe car {place}.", answer=PLAIN)
        for place in range(count)
    ]


def verbalizer(folder: Path, server: FakeServer, **options: Any) -> HostedVerbalizer:
    given = {"course": Course(max_connections=2, max_retries=0, timeout_s=20)} | options
    return HostedVerbalizer(options.pop("model", MODEL), folder, base_url=server.base_url, **given)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_reply_that_says_more_is_asked_for_again_and_then_left_plain(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    first, second, third = openers(3)
    asked = verbalizing_prompt(second)
    server = fake_server(
        replies={
            digest_of(verbalizing_prompt(first)): f"<think>10 to 20 m, maybe 15</think>\n{GOOD}",
            digest_of(asked): f"{GOOD} It drives at 12 m/s.",
            digest_of(f"{asked}\nYour last reply has the number 12, which no statement has."): GOOD,
        },
        default="The car is 10 to 20 m behind.",
    )
    begun: list[tuple[int, int]] = []
    made = verbalizer(tmp_path / "texts", server, begun=lambda *numbers: begun.append(numbers))
    texts = made.texts([first, second, third])
    assert texts == {first.id: GOOD, second.id: GOOD}
    assert begun == [(3, 0)]
    record = json.loads((tmp_path / "texts" / "verbalizing.json").read_text())
    assert record == {
        "model": MODEL,
        "parameters": {"base_url": server.base_url},
        "generation": {"temperature": 0.0, "max_tokens": 1024},
        "prompt": record["prompt"],
        "references": digest([[one.id, one.answer] for one in (first, second, third)]),
        "version": 1,
    }
    lines = lines_of(tmp_path / "texts" / "replies.jsonl")
    assert len(lines) == 1 + 2 + MOST_ATTEMPTS
    assert [line["fault"] for line in lines if line["question"] == third.id] == [
        "has the word 'behind', which no statement has"
    ] * MOST_ATTEMPTS
    asked_before = len(server.requests())
    assert verbalizer(tmp_path / "texts", server).texts([first, second, third]) == texts
    assert len(server.requests()) == asked_before


def test_what_got_no_reply_ends_the_call_and_is_asked_for_by_the_next(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    refused = {"status": 400, "json": {"error": {"message": "not this one", "code": "bad"}}}
    server = fake_server(default=GOOD, steps={"car 1": [refused] * MOST_ATTEMPTS + [{}], "": [{}]})
    with pytest.raises(RunError, match=r"1 reference got no reply, such as 0{15}1 .*not this one.*the same command"):
        verbalizer(tmp_path / "texts", server).texts(openers(3))
    assert {*verbalizer(tmp_path / "texts", server).texts(openers(3))} == {one.id for one in openers(3)}


def test_another_verbalizing_into_the_same_folder_is_refused(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(default=GOOD)
    verbalizer(tmp_path, server).texts(openers(1))
    with pytest.raises(InputError, match=r"holds a verbalizing that was asked otherwise.* \(--verbalized\)") as caught:
        verbalizer(tmp_path, server, generation=Generation(temperature=1.0)).texts(openers(1))
    assert str(tmp_path) in str(caught.value)
    with pytest.raises(InputError, match="other references"):
        verbalizer(tmp_path, server).texts(openers(2))


def test_a_wrong_model_leaves_no_folder_that_would_block_the_right_one(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    folder = tmp_path / "texts"
    with pytest.raises(InputError, match="foo"):
        HostedVerbalizer("foo/bar", folder).texts(openers(1))
    assert not folder.exists()
    assert len(verbalizer(folder, fake_server(default=GOOD)).texts(openers(1))) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (GOOD, None),
        ("", "holds no text"),
        ("The car is to the front-left.", "leaves out the number 10"),
        ("The car is 10 to 20 m ahead, in 2 s.", "has the number 2, which no statement has"),
        ("The car is 10 to 20 m away, to the right.", "has the word 'right', which no statement has"),
        ("The car is 10 to 20 m away, with no risk.", "has the word 'no', which no statement has"),
    ],
)
def test_numbers_and_sides_have_to_be_those_of_the_statements(text: str, fault: str | None) -> None:
    assert reference_fault(text, openers(1)[0]) == fault
