"""Families and sizes in the names of models, and runs in the order of them."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest
from diagnosis_making import driving_benchmark, mixture, oracle, run_of
from hypothesis import given
from hypothesis import strategies as st
from number_making import BENCHMARK, said

from probe4d.diagnosis.comparing.model_names import named_model, size_in_words
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.overview import by_model
from probe4d.errors import InputError
from probe4d.runs.run import Run

LABELLED = driving_benchmark(5, scenes=5, per_family=10)


@pytest.mark.parametrize(
    ("name", "family", "parameters"),
    [
        ("llava-v1.6-vicuna-13b", "llava-v1.6-vicuna", 13e9),
        ("LLaVA-v1.6-34b", "LLaVA-v1.6", 34e9),
        ("hf/Qwen/Qwen2.5-VL-7B-Instruct", "Qwen2.5-VL-Instruct", 7e9),
        ("hf/HuggingFaceTB/SmolLM2-135M-Instruct", "SmolLM2-Instruct", 135e6),
        ("llava-onevision-qwen2-0.5b-ov", "llava-onevision-qwen2-ov", 0.5e9),
        ("ollama/llava:13b", "llava", 13e9),
        ("InternVL2_5-8B", "InternVL2_5", 8e9),
        ("llama-2-7b.Q4_K_M.gguf", "llama-2-Q4_K_M.gguf", 7e9),
        ("Qwen2.5-7B-Instruct-1M", "Qwen2.5-Instruct-1M", 7e9),
        ("Qwen3-30B-A3B-Instruct", "Qwen3-Instruct", 30e9),
        ("twice-7B-and-7b", "twice-and", 7e9),
        ("13B", None, 13e9),
        ("mixtral-8x7B", "mixtral-8x7B", None),
        ("gemma-3n-E4B-it", "gemma-3n-E4B-it", None),
        ("phi-3-mini-128k", "phi-3-mini-128k", None),
        ("model-4bit", "model-4bit", None),
        ("vision-8B-language-7B", "vision-8B-language-7B", None),
        ("openai/gpt-4o-mini", "gpt-4o-mini", None),
        ("deepseek-vl2-tiny", "deepseek-vl2-tiny", None),
        ("nothing-0B", "nothing-0B", None),
        ("folder/model/", "model", None),
        ("", None, None),
    ],
)
def test_names_say_family_and_size(name: str, family: str | None, parameters: float | None) -> None:
    assert named_model(name) == (family, parameters)


@given(st.text())
def test_any_text_is_a_name(name: str) -> None:
    family, parameters = named_model(name)
    assert family != ""
    assert parameters is None or parameters > 0


@pytest.mark.parametrize(("parameters", "words"), [(None, ""), (7e9, "7B"), (1.5e9, "1.5B"), (135e6, "135M")])
def test_sizes_read_as_in_names(parameters: float | None, words: str) -> None:
    assert size_in_words(parameters) == words


def of_model(run: Run, model: str) -> Run:
    return dataclasses.replace(run, record=msgspec.structs.replace(run.record, model=model))


def test_runs_stand_in_the_order_of_families_and_sizes() -> None:
    models = {
        "a": "LLaVA-v1.6-34b",
        "b": "own",
        "c": "control:fixed",
        "d": "llava-v1.6-7b",
        "e": "Bert-135M",
        "f": "llava-v1.6",
    }
    runs = [of_model(run_of(name, LABELLED, mixture(1, 0.5)), model) for name, model in models.items()]
    diagnosis = diagnose(LABELLED, runs, model_names={"b": "llava-v1.6-13b"})
    assert diagnosis.models.rows() == [
        ("e", "Bert-135M", "Bert", 135e6),
        ("d", "llava-v1.6-7b", "LLaVA-v1.6", 7e9),
        ("b", "llava-v1.6-13b", "LLaVA-v1.6", 13e9),
        ("a", "LLaVA-v1.6-34b", "LLaVA-v1.6", 34e9),
        ("f", "llava-v1.6", "LLaVA-v1.6", None),
        ("c", "control:fixed", None, None),
    ]
    unnamed = diagnose(LABELLED, runs)
    assert unnamed.figures.equals(diagnosis.figures)
    with pytest.raises(InputError, match=r"a model is named for 'g', which is no run.*a, b"):
        diagnose(LABELLED, runs, model_names={"g": "llava-v1.6-13b"})


def test_models_stand_beside_what_they_get_right() -> None:
    runs = [of_model(run_of(name, BENCHMARK, said(factor)), f"m-{name}") for name, factor in (("7b", 1.5), ("2b", 1.1))]
    table = by_model(diagnose(BENCHMARK, runs))
    assert table.columns == ["model_family", "parameters", "run", "existence", "position", "distance", "quantities"]
    assert table.rows() == [("m", 2e9, "2b", 1.0, 1.0, 1.0, 1.0), ("m", 7e9, "7b", 1.0, 1.0, 1.0, 0.0)]


def test_without_runs_there_are_no_models() -> None:
    assert diagnose(LABELLED, []).models.height == 0
    assert by_model(diagnose(LABELLED, [])).height == 0
    assert by_model(diagnose(LABELLED, [run_of("m", LABELLED, oracle)]))["model_family"].to_list() == ["m"]
