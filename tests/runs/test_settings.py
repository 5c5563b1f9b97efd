"""Settings: which there are, how often each asks, and what of a reply is the answer."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.suites import suite_prompt
from probe4d.diagnosis.parsing import parse
from probe4d.errors import InputError
from probe4d.runs.settings import SETTING_NAMES, Variant, recorded_setting, setting_named

OPTIONS = ("car", "truck", "bus", "pedestrian")


def asked(*options: str, **fields: object) -> Question:
    return Question(
        **{
            "id": "0" * 16,
            "suite": "lidar-hallu",
            "family": "distance",
            "template": "t",
            "format": "choice" if options else "yes-no",
            "scene": "s",
            "keyframes": 40,
            "question": "Which is closest?" if options else "Is it?",
            "options": options,
            "answer": "B" if options else "Yes",
            "rule": "r",
            "order": 0,
            "facts": {"ego_motion": {"text": "Ego stands."}},
        }
        | fields
    )


def named(name: str, number: int) -> str:
    """A setting's name with a number in the place of N or ALPHA."""
    return name.replace(":N", f":{number}").replace(":ALPHA", f":{number}")


@pytest.mark.parametrize("name", [named(name, 3) for name in SETTING_NAMES])
def test_every_setting_words_every_format(name: str) -> None:
    setting = setting_named(name)
    assert setting.name == recorded_setting(name).name == name
    suite = "b4dl" if name == "released" else "lidar-hallu"
    for question in (asked(), asked(*OPTIONS)):
        assert question.question in suite_prompt(suite, setting.wording)(question)


@pytest.mark.parametrize(
    "name", ["permuted:0", "permuted", "permuted:", "permuted:-1", "repeat:x", "repeat:1e2", "cot"]
)
def test_what_is_no_setting_is_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(InputError, match=r"there are default, .*, permuted:N, repeat:N, tscd:ALPHA, tscd-identity\."):
        setting_named(name)
    assert recorded_setting(name).variants(asked()) == recorded_setting("default").variants(asked())


def test_only_the_ego_setting_has_the_ego_layout() -> None:
    layouts = {name: setting_named(named(name, 2)).layout for name in SETTING_NAMES}
    assert layouts == dict.fromkeys(SETTING_NAMES, "plain") | {"ego": "ego"}


@given(st.integers(1, 9999), st.integers(2, 26))
def test_options_are_rotated_at_most_as_often_as_there_are(ways: int, options: int) -> None:
    setting = setting_named(f"permuted:{ways}")
    variants = setting.variants(asked(*LETTERS[:options]))
    assert [variant.rotation for variant in variants] == list(range(min(ways, options)))
    assert [variant.name for variant in variants] == [f"rotation-{n}" for n in range(len(variants))]
    assert [variant.name for variant in setting.variants(asked())] == ["rotation-0"]


@given(st.lists(st.text(max_size=3), max_size=26, unique=True), st.integers(-60, 60), st.text(max_size=2))
def test_what_a_letter_stands_for_is_shown_under_its_letter_and_found_again(
    options: list[str], rotation: int, word: str
) -> None:
    variant = Variant(rotation=rotation)
    shown = variant.shown(options)
    assert [*options, *options][rotation % len(options) if options else 0 :][: len(options)] == list(shown)
    for letter, text in zip(LETTERS, options, strict=False):
        under = variant.letter_shown(letter, len(options))
        assert shown[LETTERS.index(under)] == text
        assert variant.letter_of(under, len(options)) == letter
    if word not in LETTERS[: len(options)] or len(word) != 1:
        assert variant.letter_shown(word, len(options)) == variant.letter_of(word, len(options)) == word


def test_a_setting_says_what_its_variants_differ_in_and_how_many_there_are() -> None:
    told = {name: (setting_named(named(name, 7)).varies, setting_named(named(name, 7)).count) for name in SETTING_NAMES}
    assert told == dict.fromkeys(SETTING_NAMES, (None, 1)) | {"permuted:N": ("options", 7), "repeat:N": ("seed", 7)}


def test_repeats_count_seeds_up() -> None:
    variants = setting_named("repeat:3").variants(asked())
    assert [(one.name, one.seed_offset, one.rotation) for one in variants] == [
        ("seed-0", 0, 0),
        ("seed-1", 1, 0),
        ("seed-2", 2, 0),
    ]


def test_chain_of_thought_asks_as_the_paper_does_in_the_forms_of_our_answers() -> None:
    word = suite_prompt("lidar-hallu", setting_named("chain-of-thought").wording)
    lines = word(asked("car", "bus", "van")).splitlines()
    assert lines[0].startswith("You are given a question about spatial relationships in an autonomous driving scene.")
    assert lines[1:] == [
        "Reasoning: (Step-by-step explanation)",
        "Answer: (A/B/C)",
        "Question: Which is closest?",
        "A. car",
        "B. bus",
        "C. van",
    ]
    assert word(asked()).splitlines()[2:] == ["Answer: (Yes/No)", "Question: Is it?"]
    assert setting_named("chain-of-thought").hints["max_tokens"] > 1000


@pytest.mark.parametrize("name", ["anti-position", "chain-of-thought", "explicit-threshold", "ego"])
def test_other_settings_word_a_fixed_prompt_anew_and_need_its_text(name: str) -> None:
    word = suite_prompt("lidar-hallu", setting_named(name).wording)
    fixed = asked(*OPTIONS, prompt="As released.")
    assert word(fixed) == word(msgspec.structs.replace(fixed, prompt=None))
    with pytest.raises(InputError, match="keeps the text of the question"):
        word(msgspec.structs.replace(fixed, question=None))


@pytest.mark.parametrize(
    ("reply", "part"),
    [
        ("Reasoning: A is far.\nAnswer: B", "B"),
        ("Reasoning: x\n\n**Answer:** B.", "B."),
        ("x\n**Answer**: B", "B"),
        ("x\n**Answer: B**", "B"),
        ("x\n### Final Answer\n\nB", "B"),
        ("x\n- ANSWER\uff1a C", "C"),
        ("x\n> The final answer is: **B. truck**", "B. truck"),
        ("Answer: (A/B/C/D)\nReasoning: so A?\nanswer : D", "D"),
        ("Answer: A\nno, wait.\nAnswer: B\nAnswer:", "B\nAnswer:"),
        ("Reasoning: the answer: A would be wrong.\nB", "Reasoning: the answer: A would be wrong.\nB"),
        ("The answers are A or B.", "The answers are A or B."),
        ("Answer:", ""),
        ("", ""),
    ],
)
def test_the_answer_follows_the_last_line_that_announces_it(reply: str, part: str) -> None:
    assert setting_named("chain-of-thought").answer_part(reply) == part
    assert setting_named("default").answer_part(reply) == reply


@given(
    st.text(),
    st.sampled_from(["Answer: ", "**Answer:** ", "## Answer\n", "final answer\uff1a"]),
    st.sampled_from("ABCD"),
)
def test_whatever_was_thought_the_answer_is_read(thought: str, marker: str, letter: str) -> None:
    part = setting_named("chain-of-thought").answer_part(f"Reasoning: {thought}\n{marker}{letter}")
    assert parse(part, format="choice", options=OPTIONS) == ("valid", letter)


@pytest.mark.parametrize(("name", "alpha"), [("tscd:0", 0), ("tscd:0.5", 0.5), ("tscd:1.5", 1.5), ("tscd-identity", 1)])
def test_temporal_contrast_has_a_weight(name: str, alpha: float) -> None:
    contrast = setting_named(name).contrast
    assert contrast is not None
    assert (contrast.alpha, contrast.is_shuffled) == (alpha, name != "tscd-identity")


@pytest.mark.parametrize("name", ["tscd", "tscd:", "tscd:-1", "tscd:1e2", "tscd:nan", "tscd:0,5", "tscd-identity:1"])
def test_a_weight_is_a_plain_number(name: str) -> None:
    with pytest.raises(InputError, match=r"there is no setting .*0 to 99 for ALPHA"):
        setting_named(name)
