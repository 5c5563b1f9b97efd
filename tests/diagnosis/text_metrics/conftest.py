from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from wordnet_making import complete_for_nltk, write_wordnet


@pytest.fixture(scope="session")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small WordNet, as Debian's package has the large one."""
    return write_wordnet(tmp_path_factory.mktemp("wordnet") / "wordnet")


@pytest.fixture(scope="session")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Open a folder of WordNet by NLTK's own reader, which wants more files than there are."""
    import shutil

    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    def open_by_nltk(folder: Path) -> Any:
        data = tmp_path_factory.mktemp("nltk_data")
        copied = Path(shutil.copytree(folder, data / "corpora" / "wordnet"))
        nltk.data.path.insert(0, str(data))
        with warnings.catch_warnings(action="ignore"):  # that there are no other languages
            return WordNetCorpusReader(str(complete_for_nltk(copied)), None)

    return open_by_nltk
