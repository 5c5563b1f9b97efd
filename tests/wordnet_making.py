"""A WordNet of a few synsets, in the format of the real one (wndb(5WN)), and what NLTK needs beside it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

SYNSETS = {
    "noun": [("car", "auto", "automobile", "motor_vehicle"), ("car", "railcar"), ("pedestrian", "walker"), ("man",)],
    "verb": [("brake",), ("halt", "stop"), ("stop", "quit"), ("move", "go", "travel")],
    "adj": [("quick",), ("fast",), ("ahead", "in_front")],
    "adv": [("quickly", "rapidly", "fast"), ("forward", "ahead")],
}
"""Words of each synset. The second adjective is a satellite of the first."""

EXCEPTIONS = {"noun": "men man\n", "verb": "went go\n", "adj": "", "adv": ""}

_LETTERS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
_HEADER = "  1 This is no WordNet, though it is written like one.  \n"


def write_wordnet(folder: Path) -> Path:
    """Write the files that Debian's package has and METEOR needs."""
    folder.mkdir(parents=True)
    for part, synsets in SYNSETS.items():
        lines, offsets = _data(part, synsets)
        (folder / f"data.{part}").write_text(_HEADER + "".join(lines))
        (folder / f"index.{part}").write_text(_HEADER + "".join(_index(part, synsets, offsets)))
        (folder / f"{part}.exc").write_text(EXCEPTIONS[part])
    return folder


def complete_for_nltk(folder: Path) -> Path:
    """Add the files without which NLTK's own reader does not open."""
    names = ("adj.all", "adj.pert", "adv.all", "noun.Tops", *(f"other.{number}" for number in range(41)))
    (folder / "lexnames").write_text("".join(f"{number:02d}\t{name}\t1\n" for number, name in enumerate(names)))
    (folder / "index.sense").write_text("")
    (folder / "cntlist.rev").touch()
    return folder


def _data(part: str, synsets: Iterable[tuple[str, ...]]) -> tuple[list[str], list[int]]:
    """The lines of synsets, each beginning with the byte where it stands."""
    lines: list[str] = []
    offsets: list[int] = []
    place = len(_HEADER)
    for words in synsets:
        letter = "s" if words == ("fast",) else _LETTERS[part]
        pointers = f"001 & {offsets[0]:08d} a 0000" if letter == "s" else "000"
        frames = " 00" if part == "verb" else ""
        names = " ".join(f"{word} 0" for word in words)
        lines.append(f"{place:08d} 00 {letter} {len(words):02x} {names} {pointers}{frames} | no gloss\n")
        offsets.append(place)
        place += len(lines[-1])
    return lines, offsets


def _index(part: str, synsets: Iterable[tuple[str, ...]], offsets: Iterable[int]) -> list[str]:
    places: dict[str, list[int]] = {}
    for words, offset in zip(synsets, offsets, strict=True):
        for word in words:
            places.setdefault(word, []).append(offset)
    return [
        f"{word} {_LETTERS[part]} {len(of_word)} 0 {len(of_word)} 0 {' '.join(f'{place:08d}' for place in of_word)}\n"
        for word, of_word in sorted(places.items())
    ]
