"""Captions of objects: asked for, asked for again, marked as missing; and a captioning that is killed."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest
from captioning_making import MODEL, caption, crops_in
from fake_server import FakeServer, digest_of

from probe4d.benchmarks.captions import read_captions
from probe4d.errors import InputError, RunError
from probe4d.models.generation import Generation
from probe4d.runs.captioning import (
    MOST_ATTEMPTS,
    Captioner,
    CaptionReply,
    caption_prompt,
    write_captions_of,
)
from probe4d.store.hashing import digest

REFUSED = {"status": 400, "json": {"error": {"message": "the picture is not liked", "code": "bad_picture"}}}


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_prompt_is_that_of_the_paper() -> None:
    assert caption_prompt("human.pedestrian.adult") == (
        "Provide a short noun phrase captioning human.pedestrian.adult in the center of the image, such as 'black "
        "sedan with red logo' or 'man in a blue t-shirt and jeans'. The response must be a phrase only. Do NOT include "
        "full sentences or extra descriptions."
    )


def test_phrases_are_kept_sentences_asked_again_and_what_stays_none_is_marked(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    bus = caption_prompt("vehicle.bus")
    server = fake_server(
        replies={
            digest_of(caption_prompt("vehicle.car")): '"Black sedan with red logo."',
            digest_of(bus): "The image shows a bus.",
            digest_of(f"{bus} Your last reply was no such phrase."): "Caption: white city bus",
        },
        default="I'm sorry, I can't.",
    )
    root, out = tmp_path / "data", tmp_path / "captions"
    told: list[CaptionReply] = []
    begun: list[tuple[int, int]] = []
    crops = crops_in(root, ["vehicle.car", "vehicle.bus", "vehicle.truck"])
    captioner = Captioner(name=MODEL, base_url=server.base_url)
    found = write_captions_of(
        crops, root, out, captioner, begun=lambda *numbers: begun.append(numbers), done=told.append
    )
    assert found.captions == {"track-000": "Black sedan with red logo", "track-001": "white city bus"}
    assert found.without == {"track-002": "is a sentence"}
    assert found.unanswered == {}
    assert begun == [(3, 0)]
    assert sorted(reply.track for reply in told) == ["track-000", "track-001", "track-002"]
    assert len(lines_of(out / "replies.jsonl")) == 1 + 2 + MOST_ATTEMPTS
    assert read_captions(out / "captions.jsonl") == found.captions
    assert lines_of(out / "captions.jsonl")[2] == {"track": "track-002", "caption": None}
    assert [line["attempt"] for line in lines_of(out / "replies.jsonl") if line["track"] == "track-002"] == [1, 2, 3]
    pictures = {json.dumps(request["body"]["messages"][-1]) for request in server.requests()}
    assert len(pictures) > 3  # each object has a crop of its own, and repeated requests other words
    asked = len(server.requests())
    record = json.loads((out / "captioning.json").read_text())
    assert record == {
        "model": MODEL,
        "parameters": {"base_url": server.base_url},
        "generation": {"max_tokens": 64},
        "prompt": record["prompt"],
        "crops": digest(crops.rows()),
        "version": 1,
    }
    again = write_captions_of(crops, root, out, captioner)
    assert again == found
    assert len(server.requests()) == asked


def test_what_got_no_reply_is_told_and_asked_for_by_the_next_call(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(
        default="red car", steps={"vehicle.bus": [REFUSED] * MOST_ATTEMPTS + [{}], "": [{}]}, delay_s=0.01
    )
    categories = ["vehicle.car", "vehicle.bus", "vehicle.truck"]
    found = caption(tmp_path / "data", categories, tmp_path / "captions", server.base_url)
    assert list(found.unanswered) == ["track-001"]
    assert "the picture is not liked" in found.unanswered["track-001"]
    assert [line["track"] for line in lines_of(tmp_path / "captions" / "captions.jsonl")] == ["track-000", "track-002"]
    assert {line["track"] for line in lines_of(tmp_path / "captions" / "errors.jsonl")} == {"track-001"}
    found = caption(tmp_path / "data", categories, tmp_path / "captions", server.base_url)
    assert found.unanswered == {}
    assert list(found.captions) == ["track-000", "track-001", "track-002"]


def test_a_missing_image_is_an_error_of_its_object_alone(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(default="red car")
    root = tmp_path / "data"
    crops = crops_in(root, ["vehicle.car", "vehicle.bus"])
    (root / "back.jpg").unlink()
    found = write_captions_of(crops, root, tmp_path / "out", Captioner(name=MODEL, base_url=server.base_url))
    assert found.captions == {"track-000": "red car"}
    assert "back.jpg" in found.unanswered["track-001"]


def test_another_captioning_into_the_same_folder_is_refused(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(default="red car")
    root, out = tmp_path / "data", tmp_path / "out"
    crops = crops_in(root, ["vehicle.car"])
    captioner = Captioner(name=MODEL, base_url=server.base_url)
    write_captions_of(crops, root, out, captioner)
    for other, other_crops in (
        (Captioner(name="openai-api/fake/other", base_url=server.base_url), crops),
        (Captioner(name=MODEL, base_url=server.base_url, generation=Generation(temperature=1.0)), crops),
        (captioner, crops_in(root, ["vehicle.bus"])),
    ):
        with pytest.raises(InputError, match="holds a captioning that was asked otherwise"):
            write_captions_of(other_crops, root, out, other)
    with pytest.raises(InputError, match="no object to caption"):
        write_captions_of(crops.clear(), root, tmp_path / "none", captioner)
    assert not (tmp_path / "none").exists()
    with pytest.raises(InputError, match="provider"):
        write_captions_of(crops, root, tmp_path / "none", Captioner(name="opnai/gpt-5"))
    assert not (tmp_path / "none").exists()


def test_a_server_that_refuses_everybody_ends_it_and_keeps_what_came(
    tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(steps=[{"status": 401, "json": {"error": {"message": "no such key"}}}])
    with pytest.raises(RunError, match="no such key"):
        caption(tmp_path / "data", ["vehicle.car"] * 5, tmp_path / "out", server.base_url)
    assert not (tmp_path / "out" / "captions.jsonl").exists()


def test_a_captioning_that_is_killed_loses_no_reply(
    processes: ForkServerContext, tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(default="red car", jitter_s=0.02)
    categories = [f"kind {n}" for n in range(60)]
    root, out, connections = tmp_path / "data", tmp_path / "out", 4
    kills = (1, 20, 45)
    for lines in kills:
        process = processes.Process(target=caption, args=(root, categories, out, server.base_url, connections))
        process.start()
        replies = out / "replies.jsonl"
        while process.is_alive() and (replies.read_bytes().count(b"\n") if replies.exists() else 0) < lines:
            time.sleep(0.002)
        process.kill()
        process.join()
    found = caption(root, categories, out, server.base_url, connections)
    assert list(found.captions) == [f"track-{n:03d}" for n in range(60)]
    assert Counter(line["track"] for line in lines_of(out / "replies.jsonl")) == Counter(list(found.captions))
    assert sum(server.counts().values()) <= len(categories) + len(kills) * connections
