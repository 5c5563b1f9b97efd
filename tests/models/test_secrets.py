"""No key stays in anything that passes through, and nothing else is changed."""

from __future__ import annotations

import base64
import json
import string
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.errors import InputError
from probe4d.models.secrets import (
    REDACTED,
    Redactor,
    names_secret,
    redacted,
    refuse_secrets,
    without_secrets,
)

KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=8, max_size=60).filter(
    lambda key: not key.isalpha() and not set(key) & set(",;")
)
WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=24)
AROUND = st.text(string.ascii_letters + string.digits + " .,:\n", max_size=30)


@given(KEYS, AROUND, AROUND)
def test_a_key_of_the_environment_goes_in_every_form(key: str, before: str, after: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROVIDER_API_KEY", key)
        quoted = (quote(key), quote(key, safe=""), quote_plus(key), repr(key)[1:-1])
        in_json = json.dumps(key)[1:-1]
        for form in (key, *quoted, in_json, json.dumps(in_json)[1:-1]):
            assert form not in redacted(f"{before}{form}{after}")


@given(KEYS, st.binary(max_size=20), st.binary(max_size=20))
def test_a_key_goes_from_base64_of_anything_around_it(key: str, before: bytes, after: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROVIDER_API_KEY", key)
        for encoding in (base64.b64encode, base64.urlsafe_b64encode):
            kept = redacted(encoding(before + key.encode() + after).decode())
            assert REDACTED in kept
            whole = encoding(key.encode()).decode().rstrip("=")[:-1]
            assert whole not in kept


@given(st.text(string.ascii_letters + string.digits + string.punctuation.replace("@", "") + " \n", max_size=200))
def test_a_text_without_keys_is_untouched(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROVIDER_API_KEY", "a key that is in no text of this test")
        if "://" not in text:
            assert redacted(text) == text


@pytest.mark.parametrize("value", ["", " ", "a", "none", "EMPTY", "local"])
def test_short_values_do_no_harm(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", value)
    text = "A local model says none; EMPTY. a b c"
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("anything", "I cannot see anything."),
        ("pedestrian", "The pedestrian is in CAM_FRONT."),
        ("disabled,position", "position B"),
        ("pedestrian, motorcycle", "A pedestrian, motorcycle; bicycle."),
        (" position\n", "The position is B."),
        ("DISABLED", "DISABLED"),
        ("Überholvorgang", "Ein Überholvorgang."),
    ],
)
def test_ordinary_words_under_names_of_keys_stay(value: str, text: str) -> None:
    redact = Redactor({"SORT_KEY": value, "OPENAI_API_KEY": "k3y-of-a-provider", "NO_NAME": "position"})
    assert redact(text) == text
    assert redact.ordinary == ("SORT_KEY",)
    assert redact("It is k3y-of-a-provider.") == f"It is {REDACTED}."


@given(st.lists(WORDS, min_size=1, max_size=4), st.sampled_from([",", ", ", ";", "\n"]), AROUND)
def test_no_list_of_words_is_cut_from_a_text(words: list[str], between: str, around: str) -> None:
    value = between.join(words)
    text = f"{around} {value} {words[0]} {around}"
    assert Redactor({"ZONE_KEYS": value})(text) == text


@pytest.mark.parametrize("value", ["aBcDeFgHiJkL", "correct horse battery", "pedestrian1", "abcdefgh" * 4])
def test_letters_that_are_no_word_are_keys(value: str) -> None:
    redact = Redactor({"SORT_KEY": value})
    assert redact(f"It is {value}.") == f"It is {REDACTED}."
    assert redact.ordinary == ()


def test_a_key_beside_a_word_is_still_looked_for() -> None:
    redact = Redactor({"POOL_KEYS": "disabled,first-key-of-two"})
    assert redact("disabled first-key-of-two") == f"disabled {REDACTED}"
    assert redact.ordinary == ("POOL_KEYS",)


def test_a_path_to_a_key_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_CREDENTIALS", __file__)
    assert redacted(f"{__file__}: is damaged.") == f"{__file__}: is damaged."


def test_a_key_that_a_file_of_the_working_directory_is_named_by_is_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "a-key-as-a-name").touch()
    monkeypatch.chdir(tmp_path)
    said = "It is a-key-as-a-name."
    assert Redactor({"PROVIDER_API_KEY": "a-key-as-a-name"})(said) == f"It is {REDACTED}."
    assert (
        Redactor({"PROVIDER_API_KEY": "./a-key-as-a-name"})(f"{said} ./a-key-as-a-name") == f"{said} ./a-key-as-a-name"
    )


def test_each_of_several_keys_in_one_variable_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POOL_KEYS", "first-key-of-two,second-key-of-two\n")
    assert redacted("second-key-of-two, first-key-of-two") == f"{REDACTED}, {REDACTED}"


@pytest.mark.parametrize(
    "key",
    [
        "sk-" + "aB3" * 10,
        "sk-ant-api03-" + "aB3_" * 10,
        "sk-proj-" + "aB3-" * 10,
        "gsk_" + "aB3" * 10,
        "hf_" + "aB3" * 10,
        "AIza" + "aB3" * 12,
        "AKIA" + "AB34" * 4,
        "ghp_" + "aB3" * 12,
    ],
)
def test_keys_of_well_known_providers_go_without_being_known(key: str) -> None:
    assert redacted(f"Incorrect API key provided: {key}.") == f"Incorrect API key provided: {REDACTED}."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Authorization: Bearer abcdefgh12345678", f"Authorization: Bearer {REDACTED}"),
        ("at http://me:pass@host:8000/v1", f"at http://{REDACTED}@host:8000/v1"),
        ("at http://me:p@ss@host:8000/v1", f"at http://{REDACTED}@host:8000/v1"),
        ("at http://host/v1/@me, or http://a:b@c/v1", f"at http://host/v1/@me, or http://{REDACTED}@c/v1"),
        ("at http://host/v1 or me@host", "at http://host/v1 or me@host"),
        ("at https://host/v1?api_key=abc&n=1", f"at https://host/v1?api_key={REDACTED}&n=1"),
        ("at https://host/v1?x=1&token=abc", f"at https://host/v1?x=1&token={REDACTED}"),
        ("at https://host/v1?max_tokens=5", "at https://host/v1?max_tokens=5"),
        ("Basic responsibilities of a driver", "Basic responsibilities of a driver"),
        ("the bearer of interesting-and-long-news", "the bearer of interesting-and-long-news"),
        ("risk-averse-driving-in-difficult-weather", "risk-averse-driving-in-difficult-weather"),
    ],
)
def test_what_looks_like_a_key(text: str, kept: str) -> None:
    assert redacted(text) == kept


ADDRESSES = [
    "https://the-developer:a%20long%20word@host/v1?api_key=another-long-word",
    "--base-url=https://a-key-that-stands-alone@host/v1",
    "http://localhost:8000/v1",
    "http://vehicles@host/v1",
    "https://a-t0ken-of-20-letters:x-oauth-basic@host/v1",
    "http://[::1",
]


def test_what_an_address_holds_goes_wherever_it_turns_up() -> None:
    kept = "the-developer; localhost; vehicles"
    said = f"{kept}; a long word; another-long-word; a-key-that-stands-alone; a-t0ken-of-20-letters"
    kept += f"; {REDACTED}" * 4
    assert redacted(said, addresses=ADDRESSES) == Redactor({}, addresses=ADDRESSES)(said) == kept


def test_what_an_address_holds_is_forgotten_with_its_run() -> None:
    assert Redactor({}, addresses=ADDRESSES)("another-long-word") == REDACTED
    assert redacted("another-long-word") == Redactor({})("another-long-word") == "another-long-word"


def test_words_of_a_passphrase_and_parts_of_a_path_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_PASSPHRASE", "pedestrian motorcycle construction")
    monkeypatch.setenv("PWD", "/gone/away/My Documents")
    text = "A pedestrian and a motorcycle, at the construction. /gone/away/My Documents"
    assert redacted(text) == text
    assert redacted("It is pedestrian motorcycle construction.") == f"It is {REDACTED}."


@pytest.mark.parametrize(
    "name",
    ["api_key", "OPENAI_API_KEY", "HF_TOKEN", "apiKey", "X-Api-Key", "Authorization", "client_secret", "password"],
)
def test_names_of_keys(name: str) -> None:
    assert names_secret(name)
    with pytest.raises(InputError, match="environment") as caught:
        refuse_secrets({"default_headers": [{name: "the value"}]})
    assert "the value" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["max_tokens", "pad_token", "tokenizer", "monkey", "author", "top_k", "prompt_cache_key"]
)
def test_names_of_other_things(name: str) -> None:
    assert not names_secret(name)
    refuse_secrets({name: 1})


def test_options_are_recorded_without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "a-canary-in-the-mine")
    options = {
        "base_url": "http://u:p@h/v1",
        "headers": {"X-Api-Key": "abc", "X-Other": "a-canary-in-the-mine"},
        "stop": ["a", "b"],
        "n": 3,
    }
    assert without_secrets(options) == {
        "base_url": f"http://{REDACTED}@h/v1",
        "headers": {"X-Api-Key": REDACTED, "X-Other": REDACTED},
        "stop": ["a", "b"],
        "n": 3,
    }
