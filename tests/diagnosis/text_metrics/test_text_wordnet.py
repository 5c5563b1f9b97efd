"""Folders that are no WordNet, or a broken one, are refused with what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe4d.diagnosis.text_metrics.wordnet import files_digest, open_wordnet
from probe4d.errors import InputError
from wordnet_making import write_wordnet


def names(path: Path, word: str) -> list[str]:
    return sorted(open_wordnet(path).of(word))


def test_synonyms_of_all_parts_of_speech_without_those_of_several_words(wordnet: Path) -> None:
    assert names(wordnet, "cars") == ["auto", "automobile", "car", "railcar"]
    assert names(wordnet, "Fast") == ["fast", "quickly", "rapidly"]
    assert names(wordnet, "went") == ["go", "move", "travel"]
    assert names(wordnet, "bicycle") == []


@pytest.mark.parametrize("opened", [open_wordnet, files_digest])
def test_no_folder(opened, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere: is no folder.*/usr/share/wordnet of Debian's package"):
        opened(tmp_path / "nowhere")


@pytest.mark.parametrize("opened", [open_wordnet, files_digest])
def test_a_missing_file(opened, tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path / "wordnet")
    (folder / "data.verb").unlink()
    (folder / "adj.exc").unlink()
    with pytest.raises(InputError, match=r"wordnet: has no data\.verb, adj\.exc, where WordNet's database"):
        opened(folder)


@pytest.mark.parametrize("line", ["car n", "car n x 0 1 0 00000000", "car n 1 0 2 0 00000000"])
def test_a_broken_index(line: str, tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path / "wordnet")
    (folder / "index.noun").write_text(line + "\n")
    with pytest.raises(InputError, match="is no sound WordNet database"):
        open_wordnet(folder)


@pytest.mark.parametrize("shift", ["", "  2 A line more.\n"])
def test_files_that_do_not_belong_together(shift: str, tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path / "wordnet")
    data = (folder / "data.noun").read_text()
    (folder / "data.noun").write_text(shift + data if shift else data[: len(data) // 2])
    with pytest.raises(InputError, match="is no sound WordNet database"):
        [names(folder, word) for word in ("car", "pedestrian", "man")]


def test_nothing_of_it_is_fetched(wordnet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk

    monkeypatch.setattr(nltk, "download", None)
    assert names(wordnet, "walker") == ["pedestrian", "walker"]
