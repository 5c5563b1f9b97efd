from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from lidar_making import Canary, feature_rows, saying, stir, tiny_llama, write_tiny_base
from transformers import PreTrainedTokenizerFast

from probe4d import extras
from probe4d.errors import InputError, RunError
from probe4d.models.lidar_lm.base_model import fingerprint
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.models.lidar_lm.splicing import IGNORED

WIDTH = 6
QUESTION = "Is there a car in frame 012?"


@pytest.fixture
def model(tiny_base: Path) -> LidarLanguageModel:
    return LidarLanguageModel.from_base(tiny_base, WIDTH)


def test_the_language_model_reads_text_and_projected_rows(model: LidarLanguageModel) -> None:
    asked = model.prompt(QUESTION)
    place = asked.ids.tolist().index(-200)
    embed = model.language_model.get_input_embeddings()
    inputs = torch.cat(
        [embed(asked.ids[:place]), model.projector(feature_rows(model, 4)), embed(asked.ids[place + 1 :])]
    )
    expected = model.language_model(inputs_embeds=inputs[None]).logits
    torch.testing.assert_close(saying(model, QUESTION), expected)


def test_the_loss_is_that_of_the_answers_tokens(model: LidarLanguageModel) -> None:
    learnt = model.prompt(QUESTION, answer="Yes.")
    output = model([learnt], [[feature_rows(model, 4)]])
    answer = [label for label in learnt.labels.tolist() if label != IGNORED]
    chances = output.logits[0, -len(answer) - 1 : -1].log_softmax(-1)
    torch.testing.assert_close(output.loss, -chances[range(len(answer)), answer].mean())


def test_a_sequence_reads_alike_alone_and_padded_in_a_batch(model: LidarLanguageModel) -> None:
    pair = model(
        [model.prompt(QUESTION), model.prompt(QUESTION * 3)], [[feature_rows(model, 4)], [feature_rows(model, 9)]]
    ).logits
    alone = saying(model, QUESTION)
    torch.testing.assert_close(pair[0, : alone.shape[1]], alone[0], atol=1e-5, rtol=1e-5)


def test_a_question_is_asked_in_the_models_own_layout(tiny_base: Path) -> None:
    told = LidarLanguageModel.from_base(tiny_base, WIDTH, layout="paper", ego_text="paper")
    text = told.tokenizer.decode([token for token in told.prompt(QUESTION, "it turns").ids.tolist() if token >= 0])
    assert text.endswith(f"USER: <4DLiDAR>\n<meta>\nit turns\n\n{QUESTION} ASSISTANT:")


def test_only_the_projector_is_trained_at_first(model: LidarLanguageModel) -> None:
    assert {name for name, weight in model.named_parameters() if weight.requires_grad} == {
        "projector.weight",
        "projector.bias",
    }


def test_the_projectors_first_weights_follow_from_the_seed_alone(tiny_base: Path) -> None:
    state = torch.random.get_rng_state()
    drawn = [LidarLanguageModel.from_base(tiny_base, WIDTH, seed=seed).projector.weight for seed in (5, 5, 6)]
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])
    assert torch.equal(torch.random.get_rng_state(), state)


def test_lora_lies_beside_every_linear_layer_but_the_head(model: LidarLanguageModel) -> None:
    before = saying(model, QUESTION)
    assert model.with_lora(rank=4, alpha=8) is model
    trained = [name for name, weight in model.named_parameters() if weight.requires_grad]
    layers = {name.partition(".lora_")[0].rpartition(".")[2] for name in trained}
    assert layers == {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}
    assert len(trained) == 2 * 7 * 2  # layers, their linear ones, A and B
    assert all("lora" in name for name in trained)
    torch.testing.assert_close(saying(model, QUESTION), before)  # updates begin at nothing


def test_merging_keeps_what_the_model_says_and_makes_weights_its_own(model: LidarLanguageModel) -> None:
    before = saying(model, QUESTION)
    stir(model.with_lora(rank=4))
    stirred = saying(model, QUESTION)
    assert not torch.allclose(before, stirred, atol=1e-3)
    assert model.merged() is model
    torch.testing.assert_close(saying(model, QUESTION), stirred, atol=1e-4, rtol=1e-4)
    assert (model.lora, model.base) == (None, None)
    assert not [name for name, _ in model.named_parameters() if "lora" in name]


def test_merging_nothing_changes_nothing(model: LidarLanguageModel) -> None:
    base = model.base
    assert model.merged().base == base


def test_lora_is_not_added_twice(model: LidarLanguageModel) -> None:
    with pytest.raises(RunError, match="has LoRA layers already"):
        model.with_lora(4).with_lora(4)


def test_updates_that_are_not_finite_are_not_merged(model: LidarLanguageModel) -> None:
    model.with_lora(4)
    for name, weight in model.language_model.named_parameters():
        if "lora_B" in name:
            weight.data.fill_(torch.nan)
    with pytest.raises(RunError, match="cannot be merged"):
        model.merged()


@pytest.mark.parametrize("stage", ["projector", "lora"])
def test_gradient_checkpointing_changes_no_gradient(tiny_base: Path, stage: str) -> None:
    gradients = []
    for checkpointing in (False, True):
        model = LidarLanguageModel.from_base(tiny_base, WIDTH)
        if stage == "lora":
            model.with_lora(rank=4, dropout=0)
            stir(model)
        if checkpointing:
            model.language_model.activation_checkpointing_enable({"use_reentrant": False})
        model.train()
        model([model.prompt(QUESTION, answer="Yes.")], [[feature_rows(model, 4)]]).loss.backward()
        gradients.append([weight.grad for weight in model.parameters() if weight.requires_grad])
    assert all(bool(gradient.count_nonzero()) for gradient in gradients[0])
    torch.testing.assert_close(gradients[0], gradients[1])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_weights_have_the_dtype_asked_for_and_lora_float32(tiny_base: Path, dtype: torch.dtype) -> None:
    model = LidarLanguageModel.from_base(tiny_base, WIDTH, dtype)
    assert model.dtype == dtype
    assert {weight.dtype for weight in model.parameters()} == {dtype}
    assert model.language_model.model.rotary_emb.inv_freq.dtype == torch.float32
    assert saying(model, QUESTION).isfinite().all()
    model.with_lora(rank=4)
    assert {weight.dtype for weight in model.parameters() if weight.requires_grad} == {torch.float32}
    assert model([model.prompt(QUESTION, answer="No.")], [[feature_rows(model, 3).double()]]).loss.isfinite()


def test_a_prompt_longer_than_the_model_reads_is_refused(model: LidarLanguageModel) -> None:
    fitting = 512 - len(model.prompt(QUESTION).ids) + 1
    saying(model, QUESTION, fitting)
    with pytest.raises(InputError, match=r"has 513 positions; the language model takes 512\."):
        saying(model, QUESTION, fitting + 1)


def test_a_fingerprint_tells_other_weights_and_not_other_files(
    smollm_like: PreTrainedTokenizerFast, tiny_base: Path, tmp_path: Path
) -> None:
    same = LidarLanguageModel.from_base(tiny_base, WIDTH, torch.float16).base
    in_pieces = tmp_path / "pieces"
    tiny_llama(smollm_like).save_pretrained(in_pieces, max_shard_size="20kB")
    smollm_like.save_pretrained(in_pieces)
    assert len(list(in_pieces.glob("*.safetensors"))) > 1
    again = LidarLanguageModel.from_base(in_pieces, WIDTH + 1).base
    assert same is not None
    assert again is not None
    assert same.fingerprint == again.fingerprint == fingerprint(tiny_llama(smollm_like))
    assert same.fingerprint != fingerprint(tiny_llama(smollm_like, seed=1))


def test_how_a_base_was_sampled_does_not_matter(tiny_base: Path, tmp_path: Path) -> None:
    """Vicuna's own file sets a temperature without sampling, and newer transformers refuse to save that."""
    base = shutil.copytree(tiny_base, tmp_path / "base")
    (base / "generation_config.json").write_text('{"temperature": 0.9, "top_p": 0.6, "do_sample": false}')
    model = LidarLanguageModel.from_base(base, WIDTH)
    model.language_model.save_pretrained(tmp_path / "saved")
    assert "top_p" not in json.loads((tmp_path / "saved" / "generation_config.json").read_text())


def test_weights_of_a_base_in_a_bin_file_are_read(tiny_base: Path, tmp_path: Path, model: LidarLanguageModel) -> None:
    base = shutil.copytree(tiny_base, tmp_path / "base")
    (base / "model.safetensors").unlink()
    frequencies = {f"model.layers.{layer}.self_attn.rotary_emb.inv_freq": torch.ones(4) for layer in range(2)}
    torch.save(model.language_model.state_dict() | frequencies, base / "pytorch_model.bin")  # as Vicuna's has them
    read = LidarLanguageModel.from_base(base, WIDTH)
    assert read.base is not None
    assert read.base.fingerprint == fingerprint(model.language_model)
    assert torch.equal(saying(read, QUESTION), saying(model, QUESTION))


def test_code_in_the_weights_of_a_base_is_not_run(tiny_base: Path, tmp_path: Path) -> None:
    base = shutil.copytree(tiny_base, tmp_path / "base")
    (base / "model.safetensors").unlink()
    torch.save({"model.norm.weight": Canary(tmp_path / "ran")}, base / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"weights cannot be read .* code in a file is never run") as refusal:
        LidarLanguageModel.from_base(base, WIDTH)
    assert "weights_only" not in str(refusal.value)
    assert not (tmp_path / "ran").exists()


def broken(base: Path, how: str) -> None:
    config = json.loads((base / "config.json").read_text())
    if how == "no config":
        (base / "config.json").unlink()
    elif how == "config is no JSON":
        (base / "config.json").write_text("{")
    elif how == "another architecture":
        (base / "config.json").write_text(json.dumps(config | {"architectures": ["GPT2LMHeadModel"]}))
    elif how == "code of its own":
        own = {"auto_map": {"AutoConfig": "own.Config"}, "model_type": "own", "architectures": ["Own"]}
        (base / "config.json").write_text(json.dumps(config | own))
        (base / "own.py").write_text("raise SystemExit('ran')")
    elif how == "no weights":
        (base / "model.safetensors").unlink()
    elif how == "weights cut short":
        whole = (base / "model.safetensors").read_bytes()
        (base / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    elif how == "more layers than weights":
        (base / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 3}))
    elif how == "fewer layers than weights":
        (base / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 1}))
    elif how == "weights of another shape":
        (base / "config.json").write_text(json.dumps(config | {"intermediate_size": 24}))
    else:
        (base / "tokenizer.json").unlink()


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("no config", r"no config\.json"),
        ("config is no JSON", r"config\.json cannot be read"),
        ("another architecture", "is a GPT2LMHeadModel; expected a LlamaForCausalLM"),
        ("code of its own", r"config\.json cannot be read"),
        ("no weights", "weights cannot be read"),
        ("weights cut short", "weights cannot be read"),
        ("more layers than weights", r"lacks weights, such as model\.layers\.2"),
        ("fewer layers than weights", r"has unexpected weights, such as model\.layers\.1"),
        ("weights of another shape", "weights"),
        ("no tokenizer", "tokenizer cannot be read"),
    ],
)
def test_a_broken_base_is_refused_and_nothing_is_drawn_in_its_place(
    tiny_base: Path, tmp_path: Path, how: str, told: str
) -> None:
    base = shutil.copytree(tiny_base, tmp_path / "base")
    broken(base, how)
    with pytest.raises(InputError, match=told) as refusal:
        LidarLanguageModel.from_base(base, WIDTH)
    assert refusal.value.path == base


def test_what_a_sentencepiece_tokenizer_needs_is_named(
    tiny_base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = shutil.copytree(tiny_base, tmp_path / "base")
    (base / "tokenizer.json").rename(base / "tokenizer.model")
    monkeypatch.setattr(extras, "find_spec", lambda module: None if module == "sentencepiece" else object())
    with pytest.raises(InputError, match=r"tokenizer\.model, .* not installed: sentencepiece\. .*pip install sentenc"):
        LidarLanguageModel.from_base(base, WIDTH)


def test_a_base_is_never_fetched_by_its_name() -> None:
    with pytest.raises(InputError, match="is no folder of a language model"):
        LidarLanguageModel.from_base("HuggingFaceTB/SmolLM2-135M-Instruct", WIDTH)


def test_a_base_of_a_llama_like_tokenizer_reads_it_as_it_was(
    llama_like: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    model = LidarLanguageModel.from_base(write_tiny_base(tmp_path / "base", llama_like), WIDTH)
    ids = model.prompt(QUESTION, answer="Yes.").ids.tolist()
    assert (ids[0], ids[-1]) == (llama_like.bos_token_id, llama_like.eos_token_id)
    assert saying(model, QUESTION).isfinite().all()
