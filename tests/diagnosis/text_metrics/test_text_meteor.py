"""METEOR equals NLTK's own, with NLTK's own reader of WordNet."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer, word_tokenize
from nltk.tokenize.punkt import PunktSentenceTokenizer
from nltk.translate.meteor_score import single_meteor_score

from probe4d.diagnosis.text_metrics.meteor import Meteor

Reader = Callable[[Path], Any]

DEBIAN = Path("/usr/share/wordnet")

KNOWN = "car cars auto automobile railcar walker men man brake braking stops halting go going went quick fast ahead"
WORDS = st.sampled_from([*KNOWN.split(), "Car", "the", "the", "don't", "12.5", ",", "!", "façade", "车", "x_y", "''"])
SENTENCES = st.lists(WORDS, max_size=12).map(" ".join)


@pytest.fixture(scope="module")
def small(wordnet: Path, readers: Reader) -> Any:
    return readers(wordnet)


def scored(metric: Meteor, candidate: str, reference: str) -> float:
    return float(metric.statistics([candidate], [reference])[0, 0])


@given(candidate=SENTENCES, reference=SENTENCES)
def test_equals_nltk(candidate: str, reference: str, wordnet: Path, small: Any) -> None:
    tokens = [word_tokenize(text, preserve_line=True) for text in (reference, candidate)]
    assert scored(Meteor(wordnet), candidate, reference) == single_meteor_score(*tokens, wordnet=small)


@given(candidate=st.text(max_size=40), reference=st.text(max_size=40))
def test_equals_nltk_on_any_text(candidate: str, reference: str, wordnet: Path, small: Any) -> None:
    sentences, words = PunktSentenceTokenizer(), NLTKWordTokenizer()
    tokens = [
        [word for sentence in sentences.tokenize(text) for word in words.tokenize(sentence)]
        for text in (reference, candidate)
    ]
    assert scored(Meteor(wordnet), candidate, reference) == single_meteor_score(*tokens, wordnet=small)


@pytest.mark.parametrize(
    ("candidate", "reference", "score"),
    [
        ("", "", 0.0),
        ("", "the car", 0.0),
        ("the car", "", 0.0),
        (" \n", "the car", 0.0),
        ("a bus", "the car", 0.0),
        ("the car", "The CAR", 0.9375),  # one chunk of two matches: 1 - 0.5 / 2 ** 3
        ("the auto", "the car", 0.9375),  # a synonym
        ("braking", "brake", 0.5),  # a stem: one chunk of one match
        ("in front", "ahead", 0.0),  # synonyms of several words are none
    ],
)
def test_scores_by_hand(candidate: str, reference: str, score: float, wordnet: Path) -> None:
    assert scored(Meteor(wordnet), candidate, reference) == pytest.approx(score)


def test_the_folder_may_be_a_text(wordnet: Path) -> None:
    assert scored(Meteor(str(wordnet)), "the auto", "the car") == scored(Meteor(wordnet), "the auto", "the car") > 0
    assert Meteor(str(wordnet)).fingerprint() == Meteor(wordnet).fingerprint()


def test_a_sentence_ends_inside_a_text(wordnet: Path) -> None:
    told, turned = "The car stops. Men go ahead.", "Men go ahead. The car stops."
    assert scored(Meteor(wordnet), turned, told) == pytest.approx(
        1 - 0.5 * (4 / 8) ** 3
    )  # the last point goes to the last


def test_equals_nltk_with_the_whole_of_wordnet(readers: Reader) -> None:
    if not DEBIAN.is_dir():
        pytest.skip("WordNet not found in /usr/share/wordnet; run `make system`")
    whole = readers(DEBIAN)
    rows = [line.split() for line in (DEBIAN / "data.noun").read_text().splitlines() if line[:1].isdigit()]
    synonyms = [[word for word in row[4 : 4 + 2 * int(row[3], 16) : 2] if word.isalpha()] for row in rows]
    draw = random.Random(7)
    groups = draw.sample([words for words in synonyms if len(words) > 1], 60)
    groups += [["drives", "driving"], ["yields", "yield"], ["went", "go"], ["quickly", "rapidly"], ["the", "."]]
    meant = [draw.choices(groups, k=14) for _ in range(40)]  # the same things in other words, and now and then others
    references = [[draw.choice(words) for words in groups] for groups in meant]
    candidates = [[draw.choice(draw.choice([words] * 5 + groups[:1])) for words in groups] for groups in meant]
    pairs = list(zip(candidates, references, strict=True))
    found = Meteor(DEBIAN).statistics(*([" ".join(words) for words in texts] for texts in (candidates, references)))
    expected = [single_meteor_score(reference, candidate, wordnet=whole) for candidate, reference in pairs]
    assert found[:, 0].tolist() == expected
    assert len(set(expected)) > 20


def test_the_fingerprint_tells_the_dictionary(wordnet: Path, tmp_path: Path) -> None:
    from wordnet_making import write_wordnet

    again, other = write_wordnet(tmp_path / "again"), write_wordnet(tmp_path / "other")
    (other / "noun.exc").write_text("geese goose\n")
    assert Meteor(again).fingerprint() == Meteor(wordnet).fingerprint() != Meteor(other).fingerprint()
    assert "METEOR: nltk 3." in str(Meteor(wordnet).fingerprint())


def test_goes_to_other_processes(wordnet: Path) -> None:
    assert pickle.loads(pickle.dumps(Meteor(wordnet))) == Meteor(wordnet)
