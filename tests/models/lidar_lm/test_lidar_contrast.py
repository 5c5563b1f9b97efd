from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from decoding_making import QUESTIONS, Parts, feature_rows, one_at_a_time, prompt, tiny_model, up_to_a_tie
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from probe4d.errors import InputError
from probe4d.models.lidar_lm.decoding.contrast import contrasted, label_tokens
from probe4d.models.lidar_lm.decoding.decoder import Decoder, DecodingItem, DecodingOptions
from probe4d.models.lidar_lm.decoding.shuffling import shuffled_order
from probe4d.models.request import Contrast

FRAMES = (5, 8)
HOT = DecodingOptions(sampling="same", temperature=2.0, max_new_tokens=6)
"""So hot that a difference of logits would show in what is drawn."""


@pytest.fixture(scope="module")
def model() -> Parts:
    return tiny_model()


def questions(model: Parts, alpha: float, orders: Sequence[Sequence[int]] | None = None) -> list[DecodingItem]:
    """Each question of two scenes, with LiDAR-Hallu's orders and seeds unless others are given."""
    shown = [feature_rows(frames, seed=frames) for frames in FRAMES]
    return [
        DecodingItem(
            token_ids=prompt(model, question),
            rows=rows,
            contrast=Contrast(
                alpha=alpha, order=tuple(orders[scene]) if orders else shuffled_order(len(rows), 42 + number)
            ),
            seed=1234 + number,
            labels=("Yes", "No"),
        )
        for number, question in enumerate(QUESTIONS)
        for scene, rows in enumerate(shown)
    ]


def plainly(items: Sequence[DecodingItem]) -> list[DecodingItem]:
    return [replace(item, contrast=None) for item in items]


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5])
def test_answers_as_two_passes_one_at_a_time(model: Parts, alpha: float) -> None:
    items = questions(model, alpha)
    greedy = DecodingOptions(temperature=0.0, max_new_tokens=6, batch_rows=7)
    for item, answer in zip(items, Decoder(model).generate(items, greedy), strict=True):
        mine, others = up_to_a_tie(answer.token_ids, one_at_a_time(model, item, greedy))
        assert mine == others
        assert len(mine) > 1
    for item, answer in zip(items, Decoder(model).generate(items, HOT), strict=True):
        assert list(answer.token_ids) == one_at_a_time(model, item, HOT).tokens


def test_contrast_changes_answers(model: Parts) -> None:
    contrasted_answers = Decoder(model).generate(questions(model, 1.5), HOT)
    assert contrasted_answers != Decoder(model).generate(plainly(questions(model, 1.5)), HOT)


@pytest.mark.parametrize("keep_logits", [None, 0])
def test_alpha_of_zero_is_plain_decoding(model: Parts, keep_logits: int | None) -> None:
    """Without and with the shuffled branches, which are computed where their logits are kept."""
    items = questions(model, 0.0)
    options = DecodingOptions(sampling="same", temperature=2.0, max_new_tokens=6, keep_logits=keep_logits)
    answers = Decoder(model).generate(items, options)
    plain = Decoder(model).generate(plainly(items), options)
    assert [answer.token_ids for answer in answers] == [answer.token_ids for answer in plain]
    assert all(logit.shuffled is not None for answer in answers for logit in answer.first_logits)


@pytest.mark.parametrize("keep_logits", [None, 0])
def test_the_order_of_the_frames_changes_nothing(model: Parts, keep_logits: int | None) -> None:
    items = questions(model, 1.5, orders=[range(frames) for frames in FRAMES])
    options = DecodingOptions(sampling="same", temperature=2.0, max_new_tokens=6, keep_logits=keep_logits)
    answers = Decoder(model).generate(items, options)
    plain = Decoder(model).generate(plainly(items), options)
    assert [answer.token_ids for answer in answers] == [answer.token_ids for answer in plain]
    for logit in (logit for answer in answers for logit in answer.first_logits):
        assert logit.shuffled == pytest.approx(logit.clean, abs=1e-4)


def test_an_order_of_rows_that_are_alike_changes_nothing(model: Parts) -> None:
    """Not the order of the frames, so that both branches are computed whatever is kept."""
    items = [
        replace(item, rows=item.rows[[0] * len(item.rows)]) for item in questions(model, 1.5) if item.rows is not None
    ]
    answers = Decoder(model).generate(items, HOT)
    assert [answer.token_ids for answer in answers] == [
        answer.token_ids for answer in Decoder(model).generate(plainly(items), HOT)
    ]


def test_contrast_is_never_cut_off(model: Parts) -> None:
    items = questions(model, 1.0)
    released = DecodingOptions(sampling="released", temperature=2.0, max_new_tokens=6, top_k=1)
    assert Decoder(model).generate(items, released) == Decoder(model).generate(items, HOT)
    mixed = [*items[:3], *plainly(items[3:])]
    answers = Decoder(model).generate(mixed, released)
    assert answers[:3] == Decoder(model).generate(items[:3], HOT)
    greedy = DecodingOptions(temperature=0.0, max_new_tokens=6)
    assert answers[3:] == Decoder(model).generate(plainly(items[3:]), greedy)


def test_logits_of_both_branches_are_kept(model: Parts) -> None:
    items = questions(model, 1.0)
    options = DecodingOptions(temperature=0.0, max_new_tokens=2, keep_logits=4)
    for item, answer in zip(items, Decoder(model).generate(items, options), strict=True):
        plain = one_at_a_time(model, item, options)
        assert plain.shuffled is not None
        kept = answer.first_logits
        assert [logit.label for logit in kept] == ["Yes", "No", None, None, None, None]
        assert [logit.text for logit in kept[:2]] == [" Yes", " No"]
        assert len({logit.token for logit in kept}) == 6
        for logit in kept:
            assert logit.clean == pytest.approx(float(plain.clean[logit.token]), abs=1e-4)
            assert logit.shuffled == pytest.approx(float(plain.shuffled[logit.token]), abs=1e-4)
        combined = 2 * plain.clean - plain.shuffled
        labelled = {logit.token for logit in kept[:2]}
        ranked = [token for token in combined.argsort(descending=True).tolist() if token not in labelled]
        assert [logit.token for logit in kept[2:]] == ranked[:4]


def test_plain_answers_have_no_shuffled_logits(model: Parts) -> None:
    answers = Decoder(model).generate(plainly(questions(model, 1.0)), DecodingOptions(keep_logits=2))
    assert all(logit.shuffled is None for answer in answers for logit in answer.first_logits)
    assert all(len(answer.first_logits) == 4 for answer in answers)


def test_equation_nine() -> None:
    clean, shuffled = torch.tensor([[1.0, 2.0], [3.0, -1.0]]), torch.tensor([[0.0, 4.0], [3.0, 1.0]])
    assert contrasted(clean, shuffled, torch.tensor([0.5, 2.0])).tolist() == [[1.5, 1.0], [3.0, -5.0]]
    half = contrasted(clean.half() * 300, shuffled.half() * -300, torch.tensor([1.5, 1.5]))
    assert half.dtype == torch.float32
    assert half[0].tolist() == [750.0, 3300.0]


def test_labels_are_read_as_the_tokenizer_writes_them_after_a_space(tokenizer: PreTrainedTokenizerFast) -> None:
    tokens = label_tokens(tokenizer, ("Yes", "No", "A"))
    assert tokens.keys() == {"Yes", "No", "A"}
    for label, token in tokens.items():
        answered = tokenizer(f"USER: Is it? ASSISTANT: {label}", add_special_tokens=False)["input_ids"]
        assert answered[-1] == token


def test_a_label_that_is_joined_to_the_colon_is_told() -> None:
    made = Tokenizer(models.WordLevel({"<unk>": 0, ":": 1, ": Yes": 2}, unk_token="<unk>"))
    with pytest.raises(InputError, match="the label 'Yes' no token of its own"):
        label_tokens(PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>"), ("Yes",))


def test_labels_that_begin_alike_are_told() -> None:
    made = Tokenizer(models.WordLevel({"<unk>": 0, ":": 1, " ": 2, "Yes": 3, "No": 4}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split(" ", "isolated")
    spaced = PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>")
    assert spaced(": Yes", add_special_tokens=False)["input_ids"] == [1, 2, 3]
    with pytest.raises(InputError, match="several of the labels Yes, No with the same token"):
        label_tokens(spaced, ("Yes", "No"))
