from __future__ import annotations

import pytest
from diagnosis_making import benchmark_of, question

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.watching import Watch, is_same_model
from probe4d.runs.run import Answer, AnswerError
from waypoint_making import driven

OPTIONS = ("parked near", "moving away", "out of sight")


@pytest.fixture(scope="module")
def asked() -> Benchmark:
    return benchmark_of([question(n, "B", options=OPTIONS) for n in range(60)])


def told(watch: Watch, asked: Benchmark, texts: list[str], **fields: object) -> list[str]:
    sentences: list[str] = []
    for identity, text in zip(asked.table["id"], texts, strict=False):
        sentences += watch.see(Answer(question=identity, text=text, **fields))  # type: ignore[arg-type]
    return sentences


def test_more_than_a_twentieth_unreadable_is_said_once_with_three_examples(asked: Benchmark) -> None:
    watch = Watch(asked, model="openai/m")
    texts = ["B"] * 19 + ["I see\n  nothing at all. " * 20] + ["perhaps"] * 30
    sentences = told(watch, asked, texts)
    assert len(sentences) == 1
    first, *examples = sentences[0].splitlines()
    assert first.startswith("2 of 21 answers so far (9.5 %) cannot be read: 2 ambiguous.")
    assert len(examples) == 2
    assert examples[0].startswith(f"  {asked.table['id'][19]}, choice, ambiguous: “I see nothing at all. I see")
    assert len(examples[0]) < 160
    assert "…" in examples[0]
    assert watch.valid_share == pytest.approx(19 / 50)


def test_below_twenty_answers_and_up_to_a_twentieth_nothing_is_said(asked: Benchmark) -> None:
    assert told(Watch(asked, model="m"), asked, ["perhaps"] * 19) == []
    assert told(Watch(asked, model="m"), asked, ["B"] * 57 + ["perhaps"] * 3) == []


def test_a_reply_far_longer_than_an_answer_is_not_read_while_others_wait(asked: Benchmark) -> None:
    watch = Watch(asked, model="m")
    assert told(watch, asked, ["B", "perhaps " * 20_000]) == []
    assert (watch.answers, watch.states.total()) == (2, 1)


def test_free_text_is_not_read_and_words_of_a_vocabulary_are() -> None:
    free = [question(n, "It turns left.", options=(), format="text") for n in range(2)]
    asked = benchmark_of([*free, question(2, "car", options=("car", "bus"), format="text")])
    watch = Watch(asked, model="m")
    assert told(watch, asked, ["It stops.", "It turns left.", "CAR."]) == []
    assert (watch.answers, watch.states) == (3, {"valid": 1})


def test_cut_answers_come_with_advice(asked: Benchmark) -> None:
    sentences = told(Watch(asked, model="m"), asked, ["It could be that"] * 20, finish_reason="max_tokens")
    assert len(sentences) == 1
    assert "20 truncated. A larger --max-tokens" in sentences[0]
    assert len(sentences[0].splitlines()) == 4


def test_replies_are_read_with_the_options_as_they_were_shown(asked: Benchmark) -> None:
    identity = asked.table["id"][0]
    watch = Watch(asked, model="m", setting="permuted:3")
    watch.see(Answer(question=identity, variant="rotation-1", text="A. moving away", rotation=1))
    assert dict(watch.states) == {"valid": 1}
    watch.see(Answer(question=identity, variant="rotation-1", text="A. parked near", rotation=1))
    assert watch.valid_share == 0.5


@pytest.mark.parametrize(("setting", "state"), [("chain-of-thought", "valid"), ("default", "ambiguous")])
def test_the_settings_part_of_a_reply_is_read(asked: Benchmark, setting: str, state: str) -> None:
    watch = Watch(asked, model="m", setting=setting)
    watch.see(Answer(question=asked.table["id"][0], text="I would say A or C.\n## Answer\n\nB"))
    assert dict(watch.states) == {state: 1}


def test_formats_without_a_parser_do_not_count_as_unreadable() -> None:
    open_ended = benchmark_of([question(0, "12.5", format="number")])
    watch = Watch(open_ended, model="m")
    assert watch.see(Answer(question=open_ended.table["id"][0], text="about twelve", tokens=3, input_tokens=9)) == []
    assert (watch.answers, watch.valid_share, watch.tokens, watch.input_tokens) == (1, None, 3, 9)


def test_numbers_of_a_known_unit_are_read() -> None:
    measured = benchmark_of([question(0, "12.5", format="number", facts={"unit": "metres"}), question(1, "Yes")])
    watch = Watch(measured, model="m", setting="chain-of-thought")
    for text in ("The car is 4 m long, the van 6 m.\nAnswer: 12 m", "4 m or 6 m"):
        watch.see(Answer(question=measured.table["id"][0], text=text))
    watch.see(Answer(question=measured.table["id"][1], text="Yes"))
    assert dict(watch.states) == {"valid": 2, "ambiguous": 1}


def test_waypoints_are_read_with_as_many_as_were_asked_for() -> None:
    asked = benchmark_of([driven(0, steps=5), driven(2, steps=3)])
    watch = Watch(asked, model="m")
    three = "[[1, 0], [2, 0], [3, 0]]"
    assert told(watch, asked, [three, three]) == []
    assert watch.states == {"ambiguous": 1, "valid": 1}


def test_failures_are_counted_by_reason_apart_from_answers(asked: Benchmark) -> None:
    watch = Watch(asked, model="m")
    for reason in ("429", "429", "reset"):
        assert watch.see(AnswerError(question=asked.table["id"][0], error=reason)) == []
    assert watch.failures == {"429": 2, "reset": 1}
    assert watch.answers == 0


def test_another_model_or_several_are_said_once(asked: Benchmark) -> None:
    watch = Watch(asked, model="openai/gpt-9")
    names = ["gpt-9-2026-08-07", "gpt-9-2026-08-07", "gpt-8", "gpt-8", None]
    sentences = [watch.see(Answer(question=asked.table["id"][0], text="B", model=name)) for name in names]
    assert sentences[:2] == [[], []]
    assert sentences[2] == [
        "The server answers as more than one model: gpt-9-2026-08-07 (2 answers) and gpt-8 (1 answer)."
    ]
    assert sentences[3:] == [[], []]
    other = Watch(asked, model="openai/gpt-9").see(Answer(question=asked.table["id"][0], text="B", model="gpt-8"))
    assert other == ["The server answers as gpt-8, and openai/gpt-9 was asked."]


@pytest.mark.parametrize(
    ("wanted", "given", "same"),
    [
        ("openai/gpt-5", "gpt-5-2026-08-07", True),
        ("openai/gpt-4", "gpt-4-0613", True),
        ("anthropic/claude-x-latest", "claude-x-20250514", True),
        ("google/gemini-3-pro", "models/gemini-3-pro", True),
        ("openai-api/local/llama", "Llama", True),
        ("vllm/Qwen/Q", "Qwen/Q", True),
        ("hf//tmp/models/tiny", "/tmp/models/tiny/", True),
        ("openai/gpt-5", "gpt-5-mini", False),
        ("openai/gpt-4", "gpt-5", False),
        ("openai/gpt-4o-2024-08-06", "gpt-4o-2024-05-13", False),
    ],
)
def test_snapshots_are_the_same_model_and_siblings_are_not(wanted: str, given: str, same: bool) -> None:
    assert is_same_model(wanted, given) is same
