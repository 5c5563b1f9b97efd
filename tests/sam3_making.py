"""A tiny SAM 3 of random weights, on disk as transformers saves it."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import CLIPTokenizer, Sam3Config, Sam3Model

from probe4d.models.local.quietly import quiet_transformers

SIDE_PX = 56
_PATCH_PX = 14
_WIDTH = 16
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def write_tiny_sam3(folder: Path, *, seed: int = 0) -> Path:
    """A SAM 3 that looks at squares of 56 x 56 pixels with eight queries, knows letters alone, and finds much."""
    cells = SIDE_PX // _PATCH_PX
    common = {"hidden_size": _WIDTH, "num_attention_heads": 2, "intermediate_size": 32, "dropout": 0.0}
    config = Sam3Config(
        vision_config={
            "backbone_config": {
                "model_type": "sam3_vit_model",
                "hidden_size": _WIDTH,
                "intermediate_size": 32,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "image_size": SIDE_PX,
                "pretrain_image_size": SIDE_PX,
                "patch_size": _PATCH_PX,
                "window_size": 2,
                "global_attn_indexes": [0],
            },
            "fpn_hidden_size": _WIDTH,
            "backbone_feature_sizes": [[4 * cells] * 2, [2 * cells] * 2, [cells] * 2],
        },
        text_config={
            "model_type": "clip_text_model",
            "vocab_size": 2 * len(_LETTERS) + 2,
            "hidden_size": _WIDTH,
            "intermediate_size": 32,
            "projection_dim": _WIDTH,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "max_position_embeddings": 32,
            "bos_token_id": 2 * len(_LETTERS),
            "eos_token_id": 2 * len(_LETTERS) + 1,
        },
        geometry_encoder_config={**common, "num_layers": 1, "roi_size": 2},
        detr_encoder_config={**common, "num_layers": 1},
        detr_decoder_config={**common, "num_layers": 1, "num_queries": 8},
        mask_decoder_config={"hidden_size": _WIDTH, "num_attention_heads": 2, "num_upsampling_stages": 2},
    )
    with torch.random.fork_rng(devices=[]), quiet_transformers():
        torch.manual_seed(seed)
        model = Sam3Model(config)
        model.detr_decoder.presence_head.layer3.bias.data.fill_(4.0)  # sure that what it is asked for is there
        model.save_pretrained(folder)
        _tokenizer().save_pretrained(folder)
    return folder


def _tokenizer() -> CLIPTokenizer:
    words = [*_LETTERS, *(f"{letter}</w>" for letter in _LETTERS), "<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer(vocab={word: number for number, word in enumerate(words)}, merges=[])
