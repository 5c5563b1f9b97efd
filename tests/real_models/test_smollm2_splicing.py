from __future__ import annotations

from pathlib import Path

import pytest
import torch
from splicing_reference import reference_example, reference_ids, v1_prompt
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from probe4d.models.lidar_lm.layouts import laid_out
from probe4d.models.lidar_lm.splicing import FEATURES, IGNORED, embed_batch, spliced

QUESTION = (
    "During frames 003-011, does the nearest construction vehicle become closer to the ego vehicle?\n"
    'Only answer with "No" or "Yes".'
)
TEXT = "At the first referenced frame, frame 003, the ego vehicle is nearly stationary with little displacement."


@pytest.fixture(scope="module")
def tokenizer(smollm2: Path) -> PreTrainedTokenizerBase:
    return AutoTokenizer.from_pretrained(smollm2, local_files_only=True)


def test_the_tokenizer_has_what_splicing_must_not_trip_over(tokenizer: PreTrainedTokenizerBase) -> None:
    assert tokenizer("").input_ids == []
    assert tokenizer.pad_token_id == tokenizer.eos_token_id
    assert len(tokenizer("</s>").input_ids) == 3


@pytest.mark.parametrize(
    ("layout", "ego_text", "human"),
    [
        ("hallu", None, f"<video>\n{QUESTION}"),
        ("hallu", TEXT, f"<video>\n<4DLiDAR>\n<meta>\n{TEXT}\n{QUESTION}"),
        ("paper", None, f"<4DLiDAR>\n<video>\n{QUESTION}"),
        ("paper", TEXT, f"<4DLiDAR>\n<meta>\n{TEXT}\n<video>\n{QUESTION}"),
    ],
)
def test_prompts_and_labels_are_those_of_the_released_procedure(
    tokenizer: PreTrainedTokenizerBase, layout: str, ego_text: str | None, human: str
) -> None:
    chunks = laid_out(layout, QUESTION, ego_text)
    assert spliced(tokenizer, "v1", chunks).ids.tolist() == reference_ids(tokenizer, v1_prompt(human))
    for answer in ("Yes.", "No", "A", "From frame 003 to frame 011.\nIt turns.", "</s>"):
        learnt = spliced(tokenizer, "v1", chunks, answer)
        expected = reference_example(tokenizer, v1_prompt(human), f" {answer}{tokenizer.eos_token}")
        assert (learnt.ids.tolist(), learnt.labels.tolist()) == expected
        learnt = spliced(tokenizer, "plain", chunks, answer)
        assert (learnt.ids.tolist(), learnt.labels.tolist()) == reference_example(tokenizer, "<video>\n", f"{answer}\n")


def test_the_end_that_is_learnt_is_no_padding(tokenizer: PreTrainedTokenizerBase) -> None:
    short, long = (spliced(tokenizer, "v1", laid_out("hallu", question), "Yes.") for question in ("Is it?", QUESTION))
    embedding, projector = torch.nn.Embedding(len(tokenizer), 4), torch.nn.Linear(2, 4)
    batch = embed_batch([short, long], [[torch.zeros(3, 2)], [torch.zeros(2, 2)]], embedding, projector)
    length = len(short.ids) + 2
    assert int(batch.attention_mask[0].sum()) == length < batch.labels.shape[1]
    assert batch.labels[0, length - 1] == tokenizer.eos_token_id
    assert set(batch.labels[0, length:].tolist()) == {IGNORED}
    assert FEATURES not in batch.labels.tolist()[0]
