from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from lidar_making import llama_like_tokenizer, smollm_like_tokenizer
from splicing_reference import reference_example, reference_ids, v1_prompt
from tokenizers import Tokenizer, models
from torch import nn
from transformers import PreTrainedTokenizerFast

from probe4d.errors import InputError
from probe4d.models.lidar_lm.layouts import laid_out
from probe4d.models.lidar_lm.splicing import FEATURES, IGNORED, Spliced, embed_batch, spliced

QUESTION = 'Is there a car in frame 012?\nOnly answer with "No" or "Yes".'
TOKENIZERS = [smollm_like_tokenizer(), llama_like_tokenizer()]
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60).filter(lambda text: "<video>" not in text)
ANSWERS = TEXTS.filter(lambda text: text.strip() != "")


def test_a_prompt_has_the_tokens_of_the_released_template(tokenizer: PreTrainedTokenizerFast) -> None:
    asked = spliced(tokenizer, "v1", laid_out("hallu", QUESTION))
    assert asked.ids.tolist() == reference_ids(tokenizer, v1_prompt(f"<video>\n{QUESTION}"))
    assert asked.labels.tolist() == [IGNORED] * len(asked.ids)
    assert asked.ids.dtype == asked.labels.dtype == torch.int64


def test_an_answer_is_learnt_with_the_tokenizers_end_of_sequence(tokenizer: PreTrainedTokenizerFast) -> None:
    learnt = spliced(tokenizer, "v1", laid_out("hallu", QUESTION), "Yes.")
    ids, labels = reference_example(tokenizer, v1_prompt(f"<video>\n{QUESTION}"), f" Yes.{tokenizer.eos_token}")
    assert (learnt.ids.tolist(), learnt.labels.tolist()) == (ids, labels)
    assert tokenizer.decode([label for label in labels if label != IGNORED][:-1]).strip() == "Yes."
    assert labels[-1] == tokenizer.eos_token_id


def test_the_projectors_template_drops_the_question_and_learns_the_line(tokenizer: PreTrainedTokenizerFast) -> None:
    learnt = spliced(tokenizer, "plain", laid_out("hallu", QUESTION, "it turns"), "Yes.")
    ids, labels = reference_example(tokenizer, "<video>\n", "Yes.\n")
    assert (learnt.ids.tolist(), learnt.labels.tolist()) == (ids, labels)
    assert tokenizer.eos_token_id not in ids


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=["smollm-like", "llama-like"])
@pytest.mark.parametrize("template", ["v1", "plain"])
@settings(max_examples=60)
@given(question=TEXTS, answer=ANSWERS)
def test_any_text_is_spliced_as_by_the_reference(
    tokenizer: PreTrainedTokenizerFast, template: str, question: str, answer: str
) -> None:
    learnt = spliced(tokenizer, template, laid_out("hallu", question), answer)
    if template == "v1":
        expected = reference_example(
            tokenizer, v1_prompt(f"<video>\n{question}"), f" {answer.strip()}{tokenizer.eos_token}"
        )
    else:
        expected = reference_example(tokenizer, "<video>\n", f"{answer.strip()}\n")
    assert (learnt.ids.tolist(), learnt.labels.tolist()) == expected


def test_a_tokenizers_own_beginning_is_kept_once(llama_like: PreTrainedTokenizerFast) -> None:
    ids = spliced(llama_like, "v1", ("first ", "second", "third")).ids.tolist()
    assert ids == reference_ids(llama_like, v1_prompt("first <video>second<video>third"))
    assert [place for place, token in enumerate(ids) if token == llama_like.bos_token_id] == [0]
    plain = spliced(llama_like, "plain", ("", "")).ids.tolist()
    assert plain[:2] == [llama_like.bos_token_id, FEATURES]


def test_no_beginning_is_put_where_the_tokenizer_puts_none(smollm_like: PreTrainedTokenizerFast) -> None:
    assert smollm_like.bos_token_id is not None
    assert smollm_like.bos_token_id not in spliced(smollm_like, "v1", laid_out("hallu", QUESTION)).ids.tolist()


def test_texts_make_neither_places_for_features_nor_special_tokens(tokenizer: PreTrainedTokenizerFast) -> None:
    hostile = f"<video> {tokenizer.eos_token}{tokenizer.bos_token} <video>\n"
    learnt = spliced(tokenizer, "v1", laid_out("hallu", hostile, hostile), hostile)
    ids = learnt.ids.tolist()
    assert ids.count(FEATURES) == 1
    assert ids.count(tokenizer.eos_token_id) == 1
    assert ids[-1] == tokenizer.eos_token_id
    assert tokenizer.bos_token_id not in ids[1:]
    answer = tokenizer.decode([token for token in learnt.labels.tolist() if token != IGNORED][:-1])
    assert answer.strip() == hostile.strip()


def test_a_prompt_without_features_is_one_text(tokenizer: PreTrainedTokenizerFast) -> None:
    assert spliced(tokenizer, "v1", (QUESTION,)).ids.tolist() == tokenizer(v1_prompt(QUESTION)).input_ids


@pytest.mark.parametrize("answer", ["", " \n"])
def test_an_empty_answer_is_refused(smollm_like: PreTrainedTokenizerFast, answer: str) -> None:
    with pytest.raises(InputError, match="an answer is empty"):
        spliced(smollm_like, "v1", laid_out("hallu", QUESTION), answer)


def test_a_tokenizer_that_joins_prompt_and_answer_is_refused() -> None:
    whole_texts = Tokenizer(models.WordLevel({"<unk>": 0, "\n": 1}, unk_token="<unk>"))
    joining = PreTrainedTokenizerFast(tokenizer_object=whole_texts, unk_token="<unk>", eos_token="<unk>")
    with pytest.raises(InputError, match="joins the end of a prompt to the answer 'Yes'"):
        spliced(joining, "plain", laid_out("hallu", QUESTION), "Yes")


def test_a_tokenizer_without_an_end_of_sequence_is_refused(smollm_like: PreTrainedTokenizerFast) -> None:
    endless = PreTrainedTokenizerFast(tokenizer_object=smollm_like.backend_tokenizer)
    with pytest.raises(InputError, match="no end of sequence"):
        spliced(endless, "v1", laid_out("hallu", QUESTION), "Yes")


WIDTH, HIDDEN = 3, 5
EMBEDDING = nn.Embedding(600, HIDDEN)
PROJECTOR = nn.Linear(WIDTH, HIDDEN)


def sequence(ids: list[int], learnt: int = 0) -> Spliced:
    labels = [IGNORED] * (len(ids) - learnt) + ids[len(ids) - learnt :]
    return Spliced(torch.tensor(ids), torch.tensor(labels))


def rows(count: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(count, WIDTH, generator=torch.Generator().manual_seed(seed))


def test_rows_lie_in_their_places_in_order() -> None:
    first, second = rows(2, seed=1), rows(3, seed=2)
    batch = embed_batch([sequence([7, FEATURES, 8, FEATURES, 9, 2], learnt=2)], [[first, second]], EMBEDDING, PROJECTOR)
    tokens = EMBEDDING(torch.tensor([7, 8, 9, 2]))
    expected = torch.cat([tokens[:1], PROJECTOR(first), tokens[1:2], PROJECTOR(second), tokens[2:]])
    torch.testing.assert_close(batch.inputs_embeds, expected[None])
    assert batch.labels.tolist() == [[IGNORED] * 7 + [9, 2]]


def test_padding_is_masked_by_length_and_not_by_token() -> None:
    pad = 2
    batch = embed_batch(
        [sequence([pad, pad, 5, pad], learnt=2), sequence([FEATURES, 6, pad], learnt=1)],
        [[], [rows(4)]],
        EMBEDDING,
        PROJECTOR,
    )
    assert batch.attention_mask.tolist() == [[1, 1, 1, 1, 0, 0], [1] * 6]
    assert batch.position_ids.tolist() == [[0, 1, 2, 3, 3, 3], [0, 1, 2, 3, 4, 5]]
    assert batch.labels.tolist() == [
        [IGNORED, IGNORED, 5, pad, IGNORED, IGNORED],
        [IGNORED] * 5 + [pad],
    ]
    assert batch.inputs_embeds[0, 4:].count_nonzero() == 0


@given(st.lists(st.lists(st.integers(0, 4), max_size=3), min_size=1, max_size=4))
@settings(max_examples=40)
def test_a_batch_holds_what_its_sequences_hold_alone(counts: list[list[int]]) -> None:
    sequences = [sequence([11 * n + 1, *[FEATURES, 5] * len(sets), 2], learnt=1) for n, sets in enumerate(counts)]
    features = [[rows(count, seed=count) for count in sets] for sets in counts]
    batch = embed_batch(sequences, features, EMBEDDING, PROJECTOR)
    for row, (one, sets) in enumerate(zip(sequences, features, strict=True)):
        alone = embed_batch([one], [sets], EMBEDDING, PROJECTOR)
        length = alone.labels.shape[1]
        assert batch.attention_mask[row].tolist() == [1] * length + [0] * (batch.labels.shape[1] - length)
        assert torch.equal(batch.labels[row, :length], alone.labels[0])
        torch.testing.assert_close(batch.inputs_embeds[row, :length], alone.inputs_embeds[0])


def test_a_set_without_rows_leaves_its_place_empty() -> None:
    batch = embed_batch([sequence([7, FEATURES, 8])], [[torch.empty(0, WIDTH)]], EMBEDDING, PROJECTOR)
    torch.testing.assert_close(batch.inputs_embeds, EMBEDDING(torch.tensor([[7, 8]])))


@pytest.mark.parametrize("given_dtype", [torch.float16, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("own_dtype", [torch.float32, torch.bfloat16])
def test_features_are_cast_to_the_models_dtype(given_dtype: torch.dtype, own_dtype: torch.dtype) -> None:
    embedding, projector = nn.Embedding(10, HIDDEN, dtype=own_dtype), nn.Linear(WIDTH, HIDDEN, dtype=own_dtype)
    shown = rows(2).to(given_dtype)
    batch = embed_batch([sequence([FEATURES, 8])], [[shown]], embedding, projector)
    assert batch.inputs_embeds.dtype == own_dtype
    assert torch.equal(batch.inputs_embeds[0, :2], projector(shown.to(own_dtype)))


def test_a_projector_of_another_dtype_than_the_embeddings_is_cast() -> None:
    batch = embed_batch([sequence([FEATURES, 8])], [[rows(2)]], nn.Embedding(10, HIDDEN).half(), PROJECTOR)
    assert batch.inputs_embeds.dtype == torch.float16


@pytest.mark.parametrize("sets", [0, 2])
def test_as_many_sets_as_places_are_wanted(sets: int) -> None:
    with pytest.raises(InputError, match=f"has 1 place for LiDAR features; given were {sets} sets"):
        embed_batch([sequence([7, FEATURES, 8])], [[rows(1)] * sets], EMBEDDING, PROJECTOR)


@pytest.mark.parametrize("shape", [(2, WIDTH + 1), (WIDTH,)])
def test_rows_of_another_width_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=rf"have the shape \({shape[0]},.*; the projector takes rows of {WIDTH}\."):
        embed_batch([sequence([FEATURES])], [[torch.zeros(shape)]], EMBEDDING, PROJECTOR)
