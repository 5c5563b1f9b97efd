"""A tokenizer of its own for a tiny language model: what prompts share between frame numbers is one token."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from probe4d.models.lidar_lm.conversation import TEMPLATES

__all__ = ["phrase_tokenizer"]

UNKNOWN, END = "<unk>", "</s>"
_NUMBER = re.compile(r"([0-9]{3})")


def phrase_tokenizer(prompts: Iterable[str], answers: Iterable[str]) -> PreTrainedTokenizerBase:
    """Make a tokenizer whose tokens are frame numbers and the phrases between them.

    A prompt of LiDAR-Hallu has three tokens then, and `, is the nearest car at the left position ...` is one of them:
    a language model of few layers need not compose a class and a sector before it can look for them. Any other text
    is spelt in characters.

    Args:
        prompts: All prompts that the model will learn from.
        answers: All answers.
    """
    template = TEMPLATES["v1"]
    phrases = {template.opening, template.closing, "\n", *(template.before_answer + answer for answer in answers)}
    for prompt in prompts:
        phrases.update(_NUMBER.split(prompt))
    phrases.discard("")
    tokens = [UNKNOWN, END, *sorted(phrases | set(string.printable))]
    tokenizer = Tokenizer(models.WordLevel({token: number for number, token in enumerate(tokens)}, unk_token=UNKNOWN))
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    pattern = "|".join([*map(re.escape, longest_first), r"[\s\S]"])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(pattern), behavior="isolated")
    tokenizer.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token=UNKNOWN, eos_token=END, pad_token=END, clean_up_tokenization_spaces=False
    )
