"""A tiny vision-language model with random weights, built from its configuration alone."""

from __future__ import annotations

from pathlib import Path

IMAGE = "<image>"
SIDE_PX = 112
PATCH_PX = 14
TOKENS_OF_A_PICTURE = (SIDE_PX // PATCH_PX) ** 2 + 1
"""One for each patch, and the line break that the chat template puts behind a picture."""

TEMPLATE = """\
{%- for message in messages -%}
<|im_start|>{{ message['role'] }}
{% if message['content'] is string %}{{ message['content'] }}{% else %}
{%- for part in message['content'] -%}
{%- if part['type'] == 'image' -%}<image>
{% else %}{{ part['text'] }}{% endif -%}
{%- endfor -%}
{%- endif %}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif -%}
"""
"""SmolLM2's turns, with pictures where they stand in the message."""


def write_vision_language_model(folder: Path, tokenizer: Path) -> None:
    """Write a Llava of a small CLIP vision tower and a small Llama, and what prepares its input.

    Args:
        folder: Where the model goes.
        tokenizer: Folder of a tokenizer, to which the image token is added.
    """
    import torch
    from transformers import (
        AutoTokenizer,
        CLIPVisionConfig,
        GenerationConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )
    from transformers.models.llava.image_processing_pil_llava import LlavaImageProcessorPil

    words = AutoTokenizer.from_pretrained(tokenizer)
    words.add_special_tokens({"additional_special_tokens": [IMAGE]})
    special = {"bos_token_id": words.bos_token_id, "eos_token_id": words.eos_token_id}
    special["pad_token_id"] = words.pad_token_id
    small = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    torch.manual_seed(7)
    model = LlavaForConditionalGeneration(
        LlavaConfig(
            vision_config=CLIPVisionConfig(**small, projection_dim=32, image_size=SIDE_PX, patch_size=PATCH_PX),
            text_config=LlamaConfig(**small, **special, vocab_size=len(words), max_position_embeddings=8192),
            image_token_index=words.convert_tokens_to_ids(IMAGE),
            image_seq_length=(SIDE_PX // PATCH_PX) ** 2,
        )
    )
    ends = [words.eos_token_id, *range(0, len(words), 2)]  # random weights would end no reply before it is cut
    model.generation_config = GenerationConfig(**{**special, "eos_token_id": ends}, min_new_tokens=3, do_sample=True)
    model.save_pretrained(folder)
    square = {"height": SIDE_PX, "width": SIDE_PX}
    LlavaProcessor(
        LlavaImageProcessorPil(size=square, do_center_crop=False),  # pressed, not cropped: a grid is wide
        words,
        patch_size=PATCH_PX,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,  # the class token, which that strategy takes off again
        chat_template=TEMPLATE,
    ).save_pretrained(folder)
