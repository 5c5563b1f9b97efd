from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from asking_fake import Lines
from fake_server import FakeServer

from probe4d.errors import InputError
from probe4d.evidence.image import image_of
from probe4d.evidence.pictures import PictureOptions
from probe4d.models import presets as presets_module
from probe4d.models.asking import ask_all
from probe4d.models.generation import Generation
from probe4d.models.hosted import open_model
from probe4d.models.presets import Preset, preset_named, presets
from probe4d.models.request import Request


@pytest.mark.parametrize("preset", presets().values(), ids=lambda preset: preset.name)
def test_every_preset_holds_only_options_that_exist(preset: Preset) -> None:
    assert re.fullmatch(r"(stride|spatialqa)-[a-z0-9.-]+", preset.name)
    assert {*preset.shown} <= {"max_frames", *PictureOptions.__struct_fields__}
    assert preset.fill(Generation()) == preset.generation
    assert "Table" in preset.source
    assert preset.model or preset.note
    assert preset.arguments_for("else/m") == {}
    assert preset.arguments_for(preset.model or "") == preset.arguments


def test_no_option_of_the_file_is_lost_on_the_way() -> None:
    """A misspelt generation option would be left out in silence, were it not compared with the file."""
    import tomllib

    tables = tomllib.loads(Path(presets_module.__file__).with_name("presets.toml").read_text(encoding="utf-8"))
    for name, table in tables.items():
        assert msgspec.to_builtins(presets()[name].generation) == table.get("generation", {})


def test_the_papers_models_are_all_there() -> None:
    titles = {preset.title for preset in presets().values()}
    stride = {"GPT-5.5", "GPT-5.6", "GPT-6-Astra", "Gemini-3.6-Flash", "Gemini-3.1-Pro", "Claude-Sonnet-5"}
    stride |= {"Qwen3.6-35B-A3B", "Qwen3-VL-30B-A3B-Thinking", "Qwen3-VL-8B-Thinking", "Qwen3.6-27B"}
    stride |= {"Dolphins", "UniAD 2.0"}
    spatial_qa = {"LLaVA-v1.6", "Llama-3.2", "blip2", "Qwen2.5-VL", "Deepseek-vl2", "SpatialRGPT"}
    assert titles == stride | spatial_qa


def test_what_the_user_gives_stands() -> None:
    preset = preset_named("stride-qwen3.6-27b")
    filled = preset.fill(Generation(temperature=0.7, seed=3, extra_body={"chat_template_kwargs": {}, "top_k": 1}))
    assert filled == Generation(temperature=0.7, seed=3, extra_body={"chat_template_kwargs": {}, "top_k": 1})
    assert preset.fill(Generation(seed=3)).extra_body == {"chat_template_kwargs": {"enable_thinking": False}}
    assert preset.fill(Generation(temperature=0.0)).temperature == 0.0


def test_a_long_clip_is_shown_in_smaller_pictures_than_five_frames() -> None:
    """STRIDE's C.2 and C.3: at most 640 pixels, or 40 (8) frames of at most 360."""
    for name, frames in (("stride-gpt-5.5", 40), ("stride-qwen3.6-27b", 8), ("stride-qwen3-vl-8b-thinking", 40)):
        assert preset_named(name).shown == {"max_frames": frames, "max_side_px": 640, "clip_side_px": 360}
    gemini = preset_named("stride-gemini-3.1-pro")
    assert gemini.shown == {"max_frames": 40, "max_side_px": 768, "clip_side_px": 360, "jpeg_quality": 85}


def test_an_unknown_preset_is_refused_with_those_known() -> None:
    with pytest.raises(InputError, match=r"no preset 'gpt'.*stride-gpt-5\.5"):
        preset_named("gpt")


def test_inspect_ai_knows_every_provider_of_a_preset() -> None:
    from inspect_ai.model._providers import providers

    models = [preset.model for preset in presets().values() if preset.model]
    assert models
    assert all(hasattr(providers, model.partition("/")[0]) for model in models)


@pytest.mark.parametrize("name", ["stride-gpt-5.5", "stride-gpt-5.6", "stride-gpt-6-astra"])
def test_what_a_preset_asks_for_reaches_the_server(
    name: str, fake_server: Callable[..., FakeServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-no-one")
    server, preset = fake_server(default="A"), preset_named(name)
    model = open_model(
        preset.model or "", base_url=server.base_url, arguments=preset.arguments, generation=preset.generation
    )
    lines = Lines()
    image = image_of(b"a picture", "image/jpeg")
    ask_all(model, iter([Request(key="0", text="Which?", images=(image,))]), lines)
    assert [line.failure for line in lines] == [None]
    (request,) = server.requests()
    body = request["body"]
    assert request["path"].endswith("/chat/completions")
    assert (body["model"], body["reasoning_effort"]) == ((preset.model or "").partition("/")[2], "low")
    assert body["max_completion_tokens"] == 4096
    picture = next(part for part in body["messages"][-1]["content"] if part["type"] == "image_url")
    assert picture["image_url"]["detail"] == "low"
