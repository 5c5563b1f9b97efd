"""What `probe4d ask` is given: options that cannot be followed, and how their values are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import making
import probe4d
from probe4d.cli import app
from probe4d.cli.arguments import (
    evidence_plan,
    json_object,
    key_values,
    read_environment,
    selection,
    text_or_file,
)
from probe4d.cli.ask_options import SettingName
from probe4d.errors import InputError
from probe4d.models.presets import preset_named
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.selection import Selection
from probe4d.runs.settings import SETTING_NAMES


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("", r"ask needs a model\. Give --model PROVIDER/NAME, or --preset NAME"),
        ("--model nobody/m", "knows no provider 'nobody'"),
        ("--model gpt", "'gpt' names no provider"),
        ("--model openai-api/keyless/m", "KEYLESS_API_KEY"),
        ("--model control:magic", "no control 'control:magic'"),
        ("--model a/b --fit-controls .", "a/b is no control, and learns from no benchmark"),
        ("--model control:magic --evidence cameras --data . --dry-run", "no control 'control:magic'"),
        (
            "--model control:stationary",
            r"not asked: `probe4d diagnose` sets it beside .* control:fixed, control:content",
        ),
        ("--model control:constant-velocity --evidence black --dry-run", "not asked: `probe4d diagnose`"),
        ("--model control:content --fit-controls nothing", "nothing: is not a folder"),
        ("--model control:fixed --limit 0", "the limit is 0"),
        ("--model control:fixed --limit -1", "the limit is -1"),
        ("--model control:fixed --sample 100000", "a sample of 100,000 cannot be drawn"),
        ("--model control:fixed --family nothing", r"no family 'nothing'\. Choose from its families: existence"),
        ("--model control:fixed --max-connections 0", "max_connections must be at least 1, not 0"),
        ("--model control:fixed --setting other", "no setting 'other'; there are default"),
        ("--model control:fixed --setting repeat:99999", "a whole number from 1 to 9999 for N"),
        ("--model control:fixed --evidence sonar", "no evidence 'sonar'; there is none"),
        ("--model control:fixed --evidence cameras --data .", "Ask it without --evidence"),
        ("--model control:content --evidence black --dry-run", "Ask it without --evidence"),
        ("--model openai/m --evidence cameras", "Give its folder with --data DATAROOT"),
        ("--model openai/m --evidence cameras --data nowhere", "nowhere"),
        ("--model control:fixed -M device", "-M takes KEY=VALUE"),
        ("--model control:fixed -M a=1 -M a=2", "-M a is given twice"),
        ("--model control:fixed -M api_key=canary", "would put a key"),
        ("--model control:fixed -M default_headers={}", "would put a key"),
        ('--model control:fixed -M transport={"extra_headers":{"x":"canary"}}', "would put a key"),
        ('--model control:fixed --extra-body {"messages":[]}', "'messages', which each request says itself"),
        ('--model control:fixed --extra-body {"temperature":1}', r"Give it as temperature \(--temperature\)"),
        ('--model control:fixed --extra-body {"max_completion_tokens":1}', r"Give it as max_tokens \(--max-tokens\)"),
        ('--model control:fixed --extra-body {"n":2}', r"the setting repeat:N asks N times"),
        ("--model vllm/m", r"the package vllm, which is not installed\. Give the address .* as base_url"),
        ("--model sglang/m", r"the package sglang, which is not installed\. Give the address .* as base_url"),
        ("--model control:fixed --extra-body {", "--extra-body takes a JSON object"),
        ("--model control:fixed --system @nowhere", "nowhere: cannot be read"),
        ("--model control:fixed --temperature 3", r"temperature must be 0 to 2\.0, not 3\.0"),
        ("--model control:fixed --top-p 0", "top_p must be above 0"),
        ("--model control:fixed --max-tokens 0", "max_tokens must be at least 1"),
        ("--model control:fixed --dry-run --tokenizer gpt2", "gpt2: is no file"),
        ("--model control:fixed --max-retries -1", "max_retries must be at least 0, not -1"),
        ("--model control:fixed --max-frames 0 --evidence black", "most frames shown must be at least 1"),
        ("--model lidar-lm:", r"lidar-lm: names no folder of a checkpoint\. Give lidar-lm: and a folder"),
        ("--model lidar-lm:. -M speed=1", "It takes base, device and ego_text"),
        ("--model lidar-lm:. --reasoning-effort high", "takes no reasoning_effort .* Leave it out"),
        ("--preset nothing", "no preset 'nothing'"),
        ("--preset stride-dolphins", r"no API serves Dolphins.*probe4d import answers"),
    ],
)
def test_what_cannot_be_followed_is_one_sentence_and_leaves_nothing(
    bench: Path, options: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=words) as raised:
        app(["ask", str(bench), "--out", "run", *options.split()], standalone_mode=False)
    assert "canary" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_an_answer_folder_is_needed_unless_nothing_is_sent(bench: Path) -> None:
    with pytest.raises(InputError, match=r"Give --out RUN, or --dry-run to send nothing"):
        app(["ask", str(bench), "--model", "control:fixed"], standalone_mode=False)


def test_folders_that_are_none_or_hold_something_else_are_refused(bench: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thing").write_text("")
    for out, words in (("file", "is a file"), ("full", "is not empty and holds no run")):
        arguments = ["ask", str(bench), "--model", "control:fixed", "--out", str(tmp_path / out)]
        with pytest.raises(InputError, match=words):
            app(arguments, standalone_mode=False)
    with pytest.raises(InputError, match="is not a folder"):
        app(["ask", str(tmp_path / "nowhere"), "--model", "control:fixed", "--out", "run"], standalone_mode=False)


def test_who_answers_numbers_alone_is_asked_no_family_without_them(tmp_path: Path) -> None:
    of_families = {"gaps": {"format": "number", "facts": {"unit": "metres"}, "answer": "2.5"}, "kinds": {}}
    questions = [
        making.with_id_of_content(
            making.question(place, scene=f"s{place % 2}", family=family, entities=(family, str(place)), **about)
        )
        for family, about in of_families.items()
        for place in range(4)
    ]
    making.benchmark_of(questions, tmp_path / "bench", suite="lidar-hallu")
    median = ["ask", str(tmp_path / "bench"), "--model", "control:median", "--out", str(tmp_path / "run")]
    for options in ([], ["--dry-run"], ["--family", "kinds", "--family", "gaps"]):
        with pytest.raises(InputError, match=r"no question of kinds asks for one\. Ask it what does: --family gaps\."):
            app([*median, *options], standalone_mode=False)
    assert not (tmp_path / "run").exists()
    app([*median, "--family", "gaps"], standalone_mode=False)
    assert probe4d.read_run(tmp_path / "run").answers["text"].to_list() == ["2.5 metres"] * 4


def test_a_preset_fills_and_the_user_wins(
    bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = ["--model", "control:fixed", "--max-tokens", "7", "--max-side", "300"]
    app(["ask", str(bench), "--preset", "stride-gpt-5.5", *own, "--out", "run"], standalone_mode=False)
    record = probe4d.read_run(tmp_path / "run").record
    assert record.generation is not None
    assert record.evidence is not None
    assert (record.preset, record.model, record.parameters) == ("stride-gpt-5.5", "control:fixed", {})
    assert (record.generation.max_tokens, record.generation.image_detail) == (7, "low")
    assert (record.evidence.pictures.max_side_px, record.evidence.max_frames) == (300, 40)
    assert "The options of the preset stride-gpt-5.5 (GPT-5.5) are used for control:fixed." in capsys.readouterr().err


def test_values_behind_minus_m_are_json_scalars_or_text() -> None:
    pairs = ["a=1", "b=1.5", "c=true", "d=null", 'e="5"', "f=cpu", "g=", "h=a=b", "i=[1]", "j=NaN", "k=01"]
    assert key_values(pairs, option="-M") == {
        "a": 1,
        "b": 1.5,
        "c": True,
        "d": None,
        "e": "5",
        "f": "cpu",
        "g": "",
        "h": "a=b",
        "i": [1],
        "j": "NaN",
        "k": "01",
    }


@pytest.mark.parametrize("pair", ["sk-canary", "=canary", "a b=canary", "-x=canary"])
def test_a_malformed_pair_is_not_repeated_since_it_may_hold_a_key(pair: str) -> None:
    with pytest.raises(InputError, match="-M takes KEY=VALUE") as raised:
        key_values([pair], option="-M")
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "[1]", "3", "{", "{1: 2}", "[" * 100_000])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--extra-body takes a JSON object"):
        json_object(text, option="--extra-body")


def test_text_comes_from_a_file_behind_an_at_sign(tmp_path: Path) -> None:
    assert text_or_file("Look.", option="--system") == "Look."
    (tmp_path / "message").write_text("Sieh genau hin: ä.", encoding="utf-8")
    assert text_or_file(f"@{tmp_path / 'message'}", option="--system") == "Sieh genau hin: ä."
    (tmp_path / "message").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is no text in UTF-8"):
        text_or_file(f"@{tmp_path / 'message'}", option="--system")
    with pytest.raises(InputError, match="cannot be read"):
        text_or_file(f"@{tmp_path}", option="--system")


def test_an_env_file_sets_what_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    read_environment()  # there is none
    monkeypatch.setenv("PROBE4D_TEST_SET", "before")
    monkeypatch.setenv("PROBE4D_TEST_UNSET", "x")
    monkeypatch.delenv("PROBE4D_TEST_UNSET")
    Path(".env").write_text("PROBE4D_TEST_SET=after\nPROBE4D_TEST_UNSET='quoted value'\n")
    read_environment()
    assert (os.environ["PROBE4D_TEST_SET"], os.environ["PROBE4D_TEST_UNSET"]) == ("before", "quoted value")
    Path(".env").write_bytes(b"A=\xff\xfe\n")
    with pytest.raises(InputError, match=r"\.env: cannot be read as text in UTF-8"):
        read_environment()


def test_what_is_left_out_is_the_presets_and_then_the_usual() -> None:
    def pictures(preset: str | None, **options: int | None) -> tuple[int, int, int]:
        given = dict.fromkeys(("max_frames", "max_side_px", "clip_side_px", "jpeg_quality")) | options
        chosen = None if preset is None else preset_named(preset)
        plan = evidence_plan("cameras", span="scene", seed=7, preset=chosen, **given)
        assert (plan.name, plan.span, plan.seed) == ("cameras", "scene", 7)
        return plan.max_frames, plan.pictures.max_side_px, plan.pictures.jpeg_quality

    usual = EvidencePlan()
    assert pictures(None) == (usual.max_frames, usual.pictures.max_side_px, usual.pictures.jpeg_quality)
    assert pictures("spatialqa-qwen2-5-vl-7b") == pictures(None)
    assert pictures("stride-claude-sonnet-5") == (40, 768, 85)
    assert pictures("stride-claude-sonnet-5", max_frames=3, max_side_px=500, jpeg_quality=60) == (3, 500, 60)


def test_a_seed_without_a_sample_selects_nothing() -> None:
    assert selection(None, sample=None, seed=7, limit=None) is None
    assert selection(["motion"], sample=5, seed=7, limit=2) == Selection(
        families=("motion",), sample=5, seed=7, limit=2
    )


def test_the_help_names_every_setting() -> None:
    (help_of_setting,) = (one.help for one in SettingName.__metadata__)
    assert help_of_setting.removesuffix(".").replace(" or ", ", ").split(", ") == list(SETTING_NAMES)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--max-side 10", "256 to 4096 px, not 10"),
        ("--clip-side 9", "256 to 4096 px, not 9"),
        ("--jpeg-quality 0", "1 to 95, not 0"),
    ],
)
def test_impossible_pictures_are_refused_before_a_folder_is_made(
    bench: Path, simulated: Path, tmp_path: Path, options: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "none")
    model = ["--model", "openai-api/fake/m", "--base-url", "http://127.0.0.1:9/v1"]
    shown = ["--evidence", "birds-eye", "--data", str(simulated), *options.split()]
    for way in (["--out", str(tmp_path / "run")], ["--dry-run"]):
        with pytest.raises(InputError, match=words):
            app(["ask", str(bench), *model, *shown, *way], standalone_mode=False)
    assert not (tmp_path / "run").exists()
