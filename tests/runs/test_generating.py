"""Replies to a suite's prompts: kept whole, given again, refused for other prompts, missing with a reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from fake_server import FakeServer, digest_of
from PIL import Image

from probe4d.benchmarks.generating import Generated, Picture, Prompt, Stage
from probe4d.errors import InputError, RunError
from probe4d.models.course import Course
from probe4d.models.generation import Generation
from probe4d.runs.generating import GeneratedReply, HostedGenerator
from probe4d.version import __version__

MODEL = "openai-api/fake/m"
REFUSED = {"status": 400, "json": {"error": {"message": "this is not liked", "code": "bad"}}}
PROMPTS = [Prompt(key=f"scene/0/{name}", text=f"Tell of {name}.") for name in ("front", "rear")]


def generator(folder: Path, server: FakeServer, **options: Any) -> HostedGenerator:
    options = {"root": folder.parent, "dataset": "f" * 64, "course": Course(max_retries=0, timeout_s=20)} | options
    return HostedGenerator(MODEL, folder, base_url=server.base_url, **options)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_replies_are_kept_in_the_order_of_keys_and_given_again(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(
        replies={digest_of(PROMPTS[0].text): "A car.\n\nIt stands."},
        default="{text}",
        steps={"rear": [{"change": {"choices": [{"finish_reason": "length", "message": {"content": "cut"}}]}}]},
        delay_s=0.0,
    )
    begun: list[tuple[str, int, int]] = []
    told: list[GeneratedReply] = []
    asked = generator(
        tmp_path / "out", server, begun=lambda *numbers: begun.append(numbers), done=told.append, root=tmp_path
    )
    expected = {
        "scene/0/front": Generated(text="A car.\n\nIt stands.", finish_reason="stop"),
        "scene/0/rear": Generated(text="cut", finish_reason="max_tokens"),
    }
    assert asked.replies("contexts", PROMPTS) == expected
    kept = (tmp_path / "out" / "contexts.jsonl").read_bytes()
    lines = lines_of(tmp_path / "out" / "contexts.jsonl")
    assert [line["key"] for line in lines] == list(expected)
    assert lines[0]["model"] == "m"
    assert lines[0]["input_tokens"] == 3
    assert lines[0]["tokens"] == 4
    assert {line.key for line in told} == set(expected)
    server.stop()
    again = HostedGenerator(
        MODEL,
        tmp_path / "out",
        root=tmp_path,
        dataset="f" * 64,
        base_url=server.base_url,
        begun=lambda *numbers: begun.append(numbers),
    )
    assert again.replies("contexts", PROMPTS) == expected
    assert again.replies("contexts", PROMPTS[1:]) == {"scene/0/rear": expected["scene/0/rear"]}
    assert begun == [("contexts", 2, 0), ("contexts", 2, 2), ("contexts", 1, 1)]
    assert (tmp_path / "out" / "contexts.jsonl").read_bytes() == kept
    assert not (tmp_path / "out" / "contexts-errors.jsonl").exists()


def test_pictures_are_sent_in_order_no_larger_than_asked(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    names = [f"{number}.jpg" for number in range(9)]
    for number, name in enumerate(names):
        Image.new("RGB", (400, 300), (20 * number, 80, 120)).save(tmp_path / name)
    server = fake_server(default="seen")
    prompts = [
        Prompt(key=f"scene/{number}/front", text=f"{number}", pictures=tuple(Picture(name, side_px) for name in names))
        for number, side_px in enumerate((200, 800))
    ]
    asked = generator(tmp_path / "out", server, course=Course(max_connections=1), root=tmp_path)
    asked.replies("contexts", prompts)
    parts = [request["body"]["messages"][-1]["content"] for request in server.requests()]
    assert [[part["type"] for part in of_request] for of_request in parts] == [["image_url"] * 9 + ["text"]] * 2
    first, second = ([part["image_url"]["url"] for part in of_request[:-1]] for of_request in parts)
    assert len({*first, *second}) == 18  # each colour, and each size, is another picture
    evidence = [line["evidence"] for line in lines_of(tmp_path / "out" / "contexts.jsonl")]
    assert len(set(evidence)) == 2


def test_another_prompt_under_a_key_is_refused(tmp_path: Path, fake_server: Callable[..., FakeServer]) -> None:
    server = fake_server(default="said")
    generator(tmp_path / "out", server).replies("pairs", PROMPTS)
    for other in (
        Prompt(key=PROMPTS[0].key, text="Tell of something else."),
        Prompt(key=PROMPTS[0].key, text=PROMPTS[0].text, pictures=(Picture("0.jpg", 200),)),
    ):
        with pytest.raises(InputError, match=r"reply to another prompt under the key scene/0/front") as raised:
            generator(tmp_path / "out", server).replies("pairs", [other])
        assert "pairs.jsonl" in str(raised.value)
        assert "--generated" in str(raised.value)
    assert sum(server.counts().values()) == 2
    generator(tmp_path / "out", server).replies("repairs", [Prompt(key=PROMPTS[0].key, text="another stage")])


@pytest.mark.parametrize("begun_by", [None, "0.1.0", __version__])
def test_replies_to_prompts_of_another_version_are_told_as_such(
    begun_by: str | None, tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server, record_file = fake_server(default="said"), tmp_path / "out" / "generation.json"
    generator(tmp_path / "out", server).replies("pairs", PROMPTS)
    record = json.loads(record_file.read_text())
    assert record.pop("probe4d") == __version__
    record_file.write_text(json.dumps(record if begun_by is None else record | {"probe4d": begun_by}))
    assert len(generator(tmp_path / "out", server).replies("pairs", PROMPTS)) == 2
    with pytest.raises(InputError, match="reply to another prompt") as raised:
        generator(tmp_path / "out", server).replies("pairs", [Prompt(key=PROMPTS[0].key, text="Reworded.")])
    of_another = f"begun by Probe4D {begun_by or 'of an earlier version'}, and this is {__version__}"
    assert (of_another in str(raised.value)) == (begun_by != __version__)
    assert "another folder for the replies (--generated)" in str(raised.value)


def test_repairs_of_another_prompt_are_asked_again_and_kept_until_then(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(default="{text}", steps={"Otherwise": [REFUSED, {}]})
    generator(tmp_path / "out", server).replies("repairs", PROMPTS)
    other = [Prompt(key=PROMPTS[0].key, text="Otherwise."), PROMPTS[1]]
    missing = generator(tmp_path / "out", server, allow_missing=True)
    assert missing.replies("repairs", other)[other[0].key].text is None
    assert missing.usage.replies == 1
    assert [line["text"] for line in lines_of(tmp_path / "out" / "repairs.jsonl")] == [one.text for one in PROMPTS]
    found = generator(tmp_path / "out", server).replies("repairs", other)
    assert [one.text for one in found.values()] == [one.text for one in other]
    assert [line["text"] for line in lines_of(tmp_path / "out" / "repairs.jsonl")] == [one.text for one in other]
    assert sum(server.counts().values()) == 4


def test_what_is_kept_is_given_without_asking_or_writing(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(default="said")
    assert generator(tmp_path / "out", server).kept("contexts", PROMPTS) == {}
    assert not (tmp_path / "out").exists()
    generator(tmp_path / "out", server).replies("contexts", PROMPTS[:1])
    kept = generator(tmp_path / "out", server).kept("contexts", PROMPTS)
    assert kept == {PROMPTS[0].key: Generated(text="said", finish_reason="stop")}
    with pytest.raises(InputError, match="other dataset"):
        generator(tmp_path / "out", server, dataset="e" * 64).kept("contexts", PROMPTS)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"dataset": "e" * 64}, "other dataset"),
        ({"generation": Generation(temperature=1.0)}, "max_tokens 4096, now None and temperature None, now 1.0"),
        ({"arguments": {"timeout": 3}}, "other parameters"),
    ],
)
def test_another_generation_into_the_same_folder_is_refused(
    options: dict[str, Any], what: str, tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(default="said")
    generator(tmp_path / "out", server).replies("pairs", PROMPTS)
    with pytest.raises(InputError, match=f"holds a generation that was asked otherwise: {what}"):
        generator(tmp_path / "out", server, **options).replies("pairs", PROMPTS)


def test_what_got_no_reply_is_counted_and_asked_for_by_the_next_call(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(default="said", steps={"rear": [REFUSED, REFUSED, {}], "": [{}]})
    with pytest.raises(RunError, match=r"1 prompt of the stage contexts got no reply, such as scene/0/rear") as raised:
        generator(tmp_path / "out", server).replies("contexts", PROMPTS)
    assert "this is not liked" in str(raised.value)
    assert [line["key"] for line in lines_of(tmp_path / "out" / "contexts.jsonl")] == ["scene/0/front"]
    (error,) = lines_of(tmp_path / "out" / "contexts-errors.jsonl")
    assert (error["stage"], error["key"]) == ("contexts", "scene/0/rear")
    found = generator(tmp_path / "out", server, allow_missing=True).replies("contexts", PROMPTS)
    assert found["scene/0/rear"].text is None
    assert "this is not liked" in (found["scene/0/rear"].failure or "")
    found = generator(tmp_path / "out", server).replies("contexts", PROMPTS)
    assert [one.text for one in found.values()] == ["said", "said"]
    assert not (tmp_path / "out" / "contexts-errors.jsonl").exists()


def test_a_picture_that_cannot_be_read_is_a_failure_of_its_prompt_alone(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    Image.new("RGB", (40, 30)).save(tmp_path / "whole.jpg")
    (tmp_path / "broken.jpg").write_bytes(b"no image")
    server = fake_server(default="said")
    prompts = [
        Prompt(key=f"scene/{number}/front", text="Tell.", pictures=(Picture("whole.jpg", 20), Picture(name, 20)))
        for number, name in enumerate(("broken.jpg", "whole.jpg", "absent.jpg", "../outside.jpg"))
    ]
    asked = generator(tmp_path / "out", server, allow_missing=True, root=tmp_path)
    found = asked.replies("contexts", prompts)
    assert [one.text for one in found.values()] == [None, "said", None, None]
    for place, words in ((0, "broken.jpg"), (2, "absent.jpg"), (3, "outside.jpg")):
        assert words in (found[f"scene/{place}/front"].failure or "")


def test_a_wrong_model_leaves_no_folder_and_a_key_in_options_is_refused(tmp_path: Path) -> None:
    asked = HostedGenerator("opnai/gpt-5", tmp_path / "out", root=tmp_path, dataset="f" * 64)
    with pytest.raises(InputError, match="provider"):
        asked.replies("contexts", PROMPTS)
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="api_key"):
        HostedGenerator(MODEL, tmp_path / "out", root=tmp_path, dataset="f", arguments={"api_key": "x"})


def test_errors_of_all_stages_stay_until_an_earlier_one_is_asked_again(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server, out = fake_server(default="said", steps={"rear": [REFUSED] * 4}), tmp_path / "out"
    asked = generator(out, server, allow_missing=True)
    stages: tuple[Stage, ...] = get_args(Stage)
    for stage in stages:
        asked.replies(stage, PROMPTS)
    for stage in stages:
        (error,) = lines_of(out / f"{stage}-errors.jsonl")
        assert (error["stage"], error["key"]) == (stage, "scene/0/rear")
    asked.replies("contexts", PROMPTS)
    assert [path.name for path in out.glob("*errors*")] == ["contexts-errors.jsonl"]
