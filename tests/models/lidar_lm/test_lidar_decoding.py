from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from decoding_making import (
    QUESTIONS,
    SYSTEM,
    WIDTH,
    Parts,
    embedded,
    feature_rows,
    one_at_a_time,
    prompt,
    tiny_model,
    up_to_a_tie,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.errors import InputError, RunError
from probe4d.models.lidar_lm.decoding import batch as decoding_batch
from probe4d.models.lidar_lm.decoding.decoder import Decoder, DecodingItem, DecodingOptions
from probe4d.models.lidar_lm.decoding.sampling import SamplingOptions, generator_of, next_tokens
from probe4d.models.lidar_lm.decoding.sequences import parts_alike
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.models.request import Contrast

GREEDY = DecodingOptions(temperature=0.0, max_new_tokens=6)


@pytest.fixture(scope="module")
def model() -> Parts:
    return tiny_model()


def questions(model: Parts, scenes: int = 3) -> list[DecodingItem]:
    """Each question of scenes of 4, 5, … frames, and of none."""
    shown = [feature_rows(frames=4 + scene, seed=scene) for scene in range(scenes)]
    return [
        DecodingItem(token_ids=prompt(model, question), rows=rows, seed=1234 + number)
        for number, question in enumerate(QUESTIONS)
        for rows in (*shown, None)
    ]


def tokens_read(model: Parts, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tokens and rows each call of the language model reads, as they are made."""
    read: list[int] = []
    forward: Callable[..., Any] = model.language_model.forward

    def counting(**arguments: Any) -> Any:
        read.append(arguments["inputs_embeds"].shape[1])
        return forward(**arguments)

    monkeypatch.setattr(model.language_model, "forward", counting)
    return read


@pytest.mark.parametrize("key_value_heads", [1, 2, 4])
def test_answers_as_one_at_a_time(key_value_heads: int) -> None:
    model = tiny_model(key_value_heads)
    items = questions(model)
    compared = 0
    for item, answer in zip(items, Decoder(model).generate(items, GREEDY), strict=True):
        plain = one_at_a_time(model, item, GREEDY)
        mine, others = up_to_a_tie(answer.token_ids, plain)
        assert mine == others
        compared += len(mine)
        assert answer.prompt_tokens == embedded(model, item).shape[1]
    assert compared > 3 * len(items)


@settings(max_examples=12)
@given(st.data())
def test_no_answer_depends_on_the_others(model: Parts, data: st.DataObject) -> None:
    items = questions(model)
    chosen = data.draw(st.lists(st.integers(0, len(items) - 1), min_size=1, max_size=len(items)))
    options = DecodingOptions(temperature=0.0, max_new_tokens=3, batch_rows=data.draw(st.integers(1, 12)))
    answers = Decoder(model).generate([items[place] for place in chosen], options)
    for place, answer in zip(chosen, answers, strict=True):
        mine, others = up_to_a_tie(answer.token_ids, one_at_a_time(model, items[place], options))
        assert mine == others


def test_shared_beginnings_are_read_once(model: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    system = len(model.tokenizer(SYSTEM)["input_ids"])
    items = [item for item in questions(model, scenes=2) if item.rows is not None]
    read = tokens_read(model, monkeypatch)
    Decoder(model).generate(items, DecodingOptions(temperature=0.0, max_new_tokens=1))
    whole = sum(embedded(model, item).shape[1] for item in items)
    shared = [
        len(QUESTIONS) * 2 * system,
        len(QUESTIONS) * (4 + 1) + len(QUESTIONS) * (5 + 1),
    ]
    assert read == [system, 4 + 5 + 2, whole - sum(shared)]


@given(st.lists(st.integers(1, 100), min_size=1, max_size=60), st.integers(1, 500))
def test_rows_are_read_in_parts_of_about_one_length(lengths: list[int], most: int) -> None:
    parts = parts_alike(lengths, most)
    assert [row for start, stop in parts for row in range(start, stop)] == list(range(len(lengths)))
    for start, stop in parts:
        part = lengths[start:stop]
        assert len(part) == 1 or max(part) * len(part) <= most
        for count in range(1, len(part)):
            if max(part[: count + 1]) > 1.5 * min(part[: count + 1]):
                assert 8 * max(part[:count]) * count < most
    for (start, stop), _ in pairwise(parts):
        cut_for = lengths[start : stop + 1]
        assert max(cut_for) * len(cut_for) > most or max(cut_for) > 1.5 * min(cut_for)


def test_prompts_that_are_read_in_parts_are_answered_alike(model: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    items = questions(model)
    whole = Decoder(model).generate(items, GREEDY)
    monkeypatch.setattr(decoding_batch, "_READ_AT_ONCE", 30)
    assert Decoder(model).generate(items, GREEDY) == whole


def test_questions_that_are_answered_are_computed_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model()
    items = questions(model)
    whole = Decoder(model).generate(items, DecodingOptions(temperature=0.0, max_new_tokens=6, stop_at_eos=False))
    end = whole[0].token_ids[2]
    model.tokenizer.eos_token = model.tokenizer.convert_ids_to_tokens(end)
    read = tokens_read(model, monkeypatch)
    stopped = Decoder(model).generate(items, GREEDY)
    assert {answer.finish_reason for answer in stopped} == {"stop", "max_tokens"}
    for unstopped, answer in zip(whole, stopped, strict=True):
        assert end not in answer.token_ids
        assert answer.token_ids == unstopped.token_ids[: len(answer.token_ids)]
        assert (len(answer.token_ids) == 6) == (answer.finish_reason == "max_tokens")
    assert read[-5:] == [sum(len(answer.token_ids) >= step for answer in stopped) for step in range(1, 6)]


def test_a_temperature_next_to_none_takes_the_likeliest_token() -> None:
    logits = torch.tensor([[1.0, 30.0, -5.0]])
    for temperature in (0.0, 1e-40, 1e-7):
        assert next_tokens(logits, SamplingOptions(temperature=temperature), [generator_of(1)], [True]) == [1]


@pytest.mark.parametrize("temperature", [0.05, 1.0])
def test_released_sampling_is_that_of_generate(model: Parts, temperature: float) -> None:
    items = questions(model)
    options = DecodingOptions(temperature=temperature, max_new_tokens=5)
    answers = Decoder(model).generate(items, options)
    for item, answer in zip(items, answers, strict=True):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(item.seed or 0)
            inputs = embedded(model, item)
            generated = model.language_model.generate(
                inputs_embeds=inputs,
                attention_mask=torch.ones(inputs.shape[:2], dtype=torch.int64),
                do_sample=True,
                temperature=temperature,
                top_k=50,
                top_p=0.6,
                max_new_tokens=5,
            )[0].tolist()
        assert list(answer.token_ids) == [token for token in generated if token != model.tokenizer.eos_token_id]


def test_same_sampling_cuts_nothing_off(model: Parts) -> None:
    items = questions(model)
    options = DecodingOptions(sampling="same", temperature=2.0, max_new_tokens=4)
    answers = Decoder(model).generate(items, options)
    assert [list(answer.token_ids) for answer in answers] == [
        one_at_a_time(model, item, options).tokens for item in items
    ]


@pytest.mark.parametrize(("top_k", "top_p"), [(None, 0.3), (3, None), (None, None), (1, 1.0)])
def test_cutting_off_can_be_chosen(model: Parts, top_k: int | None, top_p: float | None) -> None:
    items = questions(model)[:6]
    hot = DecodingOptions(temperature=3.0, max_new_tokens=4, top_k=top_k, top_p=top_p)
    answers = Decoder(model).generate(items, hot)
    if top_k == 1:
        assert answers == Decoder(model).generate(items, DecodingOptions(temperature=0.0, max_new_tokens=4))
    elif top_k is None and top_p is None:
        same = DecodingOptions(sampling="same", temperature=3.0, max_new_tokens=4)
        assert answers == Decoder(model).generate(items, same)
    else:
        for item, answer in zip(items, answers, strict=True):
            logits = one_at_a_time(model, item, hot).clean
            ranked = logits.topk(top_k or len(logits))
            before = ranked.values.div(3.0).softmax(-1).cumsum(-1) - ranked.values.div(3.0).softmax(-1)
            allowed = ranked.indices[before < (top_p or 1.0)].tolist()
            assert answer.token_ids[0] in allowed


@given(st.integers(0, 2**63 - 1))
def test_a_generator_draws_as_the_global_one(seed: int) -> None:
    probabilities = torch.linspace(1, 2, 100).softmax(-1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        drawn = [int(torch.multinomial(probabilities[None], 1)) for _ in range(5)]
    generator = generator_of(seed)
    assert [int(torch.multinomial(probabilities, 1, generator=generator)) for _ in range(5)] == drawn


def test_seeds_alone_decide_what_is_drawn(model: Parts) -> None:
    item = questions(model)[0]
    hot = DecodingOptions(sampling="same", temperature=5.0, max_new_tokens=12)
    alike = Decoder(model).generate([item] * 3, hot)
    assert alike == [alike[0]] * 3
    unseeded = DecodingItem(token_ids=item.token_ids, rows=item.rows)
    assert len({answer.token_ids for answer in Decoder(model).generate([unseeded] * 4, hot)}) > 1


def test_lora_layers_decode_as_merged_weights(tiny_base: Path) -> None:
    torch.manual_seed(0)  # of the adapter's own weights, too: by chance they change next to nothing
    model = LidarLanguageModel.from_base(tiny_base, WIDTH).with_lora(rank=2)
    for name, weight in model.language_model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weight)
    items = [
        DecodingItem(token_ids=model.prompt(question).ids.tolist(), rows=feature_rows(4), labels=("Yes", "No"))
        for question in QUESTIONS
    ]
    options = DecodingOptions(temperature=0.0, max_new_tokens=1, keep_logits=0)
    beside = Decoder(model).generate(items, options)
    merged = Decoder(model.merged()).generate(items, options)
    untrained = Decoder(LidarLanguageModel.from_base(tiny_base, WIDTH)).generate(items, options)
    for mine, other, without in zip(beside, merged, untrained, strict=True):
        logits = [[logit.clean for logit in answer.first_logits] for answer in (mine, other, without)]
        assert logits[0] == pytest.approx(logits[1], abs=1e-4)
        assert logits[0] != pytest.approx(logits[2], abs=1e-2)


def test_half_precision_and_one_row_and_none() -> None:
    model = tiny_model(dtype=torch.bfloat16)
    items = [DecodingItem(token_ids=prompt(model, QUESTIONS[0]), rows=feature_rows(frames)) for frames in (1, 0)]
    answers = Decoder(model).generate(items, GREEDY)
    assert [answer.prompt_tokens for answer in answers] == [embedded(model, item).shape[1] for item in items]
    for item, answer in zip(items, answers, strict=True):
        mine, others = up_to_a_tie(answer.token_ids, one_at_a_time(model, item, GREEDY), gap=0.5)
        assert mine == others
    assert Decoder(model).generate([], GREEDY) == []


def test_the_model_is_left_as_it_was(model: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    model.language_model.train()
    items = questions(model)
    before = model.language_model.config._attn_implementation
    answers = Decoder(model).generate(items, GREEDY)
    assert model.language_model.training
    assert model.language_model.config._attn_implementation == before == "sdpa"
    monkeypatch.setattr(model.language_model, "forward", _out_of_memory)
    with pytest.raises(RunError):
        Decoder(model).generate(items, GREEDY)
    assert model.language_model.training
    assert model.language_model.config._attn_implementation == before
    monkeypatch.undo()
    model.language_model.eval()
    assert Decoder(model).generate(items, GREEDY) == answers


def _out_of_memory(**_: Any) -> None:
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")


def _no_memory_of_the_processor(**_: Any) -> None:
    raise RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory: you tried …")


def _another_fault(**_: Any) -> None:
    raise RuntimeError("shapes do not match")


@pytest.mark.parametrize("fault", [_out_of_memory, _no_memory_of_the_processor])
def test_out_of_memory_says_what_to_lower(model: Parts, monkeypatch: pytest.MonkeyPatch, fault: Any) -> None:
    monkeypatch.setattr(model.language_model, "forward", fault)
    with pytest.raises(RunError, match=r"while 17 rows were decoded .*Ask fewer .* or show fewer frames"):
        Decoder(model).generate(questions(model), DecodingOptions(batch_rows=17))


def test_other_faults_are_not_taken_for_want_of_memory(model: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model.language_model, "forward", _another_fault)
    with pytest.raises(RuntimeError, match="shapes do not match"):
        Decoder(model).generate(questions(model), GREEDY)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_logits_that_are_no_numbers_are_told(model: Parts, value: float) -> None:
    rows = feature_rows(4)
    rows[2, 1] = value
    with pytest.raises(RunError, match="logits are not finite numbers"):
        Decoder(model).generate([DecodingItem(token_ids=prompt(model, QUESTIONS[0]), rows=rows)], DecodingOptions())


@pytest.mark.parametrize(
    ("rows", "contrast", "ids", "said"),
    [
        (feature_rows(4, width=WIDTH + 1), None, None, r"have the shape \(4, 7\); the projector takes rows of 6"),
        (feature_rows(4)[0], None, None, r"have the shape \(6,\)"),
        (feature_rows(4), None, (1, 2, 3), "must have one place for its feature rows, and has 0"),
        (feature_rows(4), None, (-200, 2, -200), "and has 2"),
        (None, Contrast(alpha=1.0, order=()), None, "temporal contrast needs feature rows"),
        (feature_rows(4), Contrast(alpha=1.0, order=(0, 1, 2)), None, "each of its 4 feature rows once"),
        (feature_rows(4), Contrast(alpha=1.0, order=(0, 1, 2, 2)), None, "each of its 4 feature rows once"),
        (feature_rows(250), None, None, r"has 2\d\d positions and its answer up to 32; the language model takes 256"),
    ],
)
def test_what_does_not_fit_is_refused(model: Parts, rows: Any, contrast: Any, ids: Any, said: str) -> None:
    item = DecodingItem(token_ids=ids or prompt(model, QUESTIONS[0]), rows=rows, contrast=contrast)
    with pytest.raises(InputError, match=said):
        Decoder(model).generate([item], DecodingOptions())


@pytest.mark.parametrize(
    ("option", "value"),
    [("max_new_tokens", 0), ("batch_rows", 0), ("keep_logits", -1), ("top_k", 0), ("top_p", 0.0), ("top_p", 1.5)],
)
def test_options_out_of_range_are_refused(option: str, value: float) -> None:
    with pytest.raises(InputError, match=f"{option} must"):
        DecodingOptions(**{option: value})
