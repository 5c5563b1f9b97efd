"""Makes tiny encoders of texts, of random weights, in the layout of transformers."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from transformers import BertConfig, BertModel, BertTokenizer, RobertaConfig, RobertaModel, RobertaTokenizer

WORDS = [
    "the",
    "a",
    "car",
    "bus",
    "truck",
    "moves",
    "stops",
    "forward",
    "slightly",
    "from",
    "frame",
    "to",
    "no",
    "yes",
    "ahead",
    ",",
    ".",
    "?",
    "0",
    "8",
    "12",
]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_SMALL = {"hidden_size": 32, "num_attention_heads": 4, "intermediate_size": 64, "initializer_range": 0.2}


def write_tiny_bert(folder: Path, *, layers: int = 3, places: int = 32, seed: int = 0) -> Path:
    """A BERT that knows `WORDS` and pieces of one letter."""
    pieces = [
        *SPECIAL,
        *dict.fromkeys(WORDS),
        *"abcdefghijklmnopqrstuvwxyz",
        *map("##{}".format, "abcdefghijklmnopqrst"),
    ]
    names = list(dict.fromkeys(pieces))
    tokenizer = BertTokenizer(vocab={name: number for number, name in enumerate(names)}, model_max_length=places)
    torch.manual_seed(seed)
    config = BertConfig(vocab_size=len(names), num_hidden_layers=layers, max_position_embeddings=places, **_SMALL)
    BertModel(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_tiny_roberta(folder: Path, *, layers: int = 2, places: int = 24, seed: int = 0) -> Path:
    """A RoBERTa whose tokens are bytes; its tokenizer tells no longest text, as the old files of roberta-large do."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    vocabulary = {name: number for number, name in enumerate([*special, *bytes_to_unicode().values()])}
    tokenizer = RobertaTokenizer(vocab=vocabulary, merges=[])
    torch.manual_seed(seed)
    config = RobertaConfig(
        vocab_size=len(vocabulary), num_hidden_layers=layers, max_position_embeddings=places, **_SMALL
    )
    RobertaModel(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def as_sentence_transformer(folder: Path, *, longest: int, pooling: str = "mean") -> Path:
    """Add what sentence-transformers writes beside an encoder."""
    (folder / "1_Pooling").mkdir()
    pool = {f"pooling_mode_{name}": name.startswith(pooling) for name in ("cls_token", "mean_tokens", "max_tokens")}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 32, **pool}))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": longest, "do_lower_case": False}))
    return folder
