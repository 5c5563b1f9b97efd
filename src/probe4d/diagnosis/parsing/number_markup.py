"""Takes the markup from replies that hold a number, where a star may multiply and a point may end a sentence."""

from __future__ import annotations

import re
import unicodedata

from probe4d.diagnosis.parsing.normalise import containers, untagged, visible

__all__ = ["answer_places", "legible", "plain"]

# What folding to compatible characters would make another number of.
_SUPERSCRIPTS = {
    ord(raised): f"^{digit}"
    for digit, raised in enumerate("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
}
_DEGREE_SIGNS = dict.fromkeys(map(ord, "\u00ba\u02da\u2218"), "\u00b0")
_LIST_SIGNS = {
    sign: f"nr.{unicodedata.numeric(chr(sign)):.0f} "
    for first, end in ((0x2460, 0x249C), (0x24EA, 0x2500), (0x2776, 0x2794))
    for sign in range(first, end)
}
_SIGNS = _SUPERSCRIPTS | _DEGREE_SIGNS | _LIST_SIGNS
_FRACTION = re.compile("([0-9]{0,15})([\u00bc\u00bd\u00be])")
_DECIMALS = {"\u00bc": ".25", "\u00bd": ".5", "\u00be": ".75"}
_FIXED_SPACE = re.compile("(?<=[0-9])[\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))")
_DIGIT = re.compile(r"\d")

_FIELD = re.compile(
    r"[\"'](?:final_?answer|answer|prediction|result|value|estimate|distance|length|width|height|offset|angle|bearing"
    r"|met(?:er|re)s|degrees)(?:_(?:m|met(?:er|re)s|deg|degrees))?[\"']\s*:\s*(?:\"([^\"\n]{0,200})\"|'([^'\n]{0,200})'|([^\s,}\]][^,}\n]{0,200}))",
    re.IGNORECASE,
)
_ANSWER_FIELD = re.compile(r"[\"'](?:final_?answer|answer|prediction)", re.IGNORECASE)
_UNIT_FIELD = re.compile(r"[\"']units?[\"']\s*:\s*[\"']([^\"'\n]{1,40})[\"']", re.IGNORECASE)
_NUMBER_ALONE = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?\s*")

_LATEX_TEXT = re.compile(r"\\(?:text|textbf|textrm|mathrm|mathbf|boldsymbol|boxed)\s*\{([^{}]{0,200})\}")
_LATEX_DEGREE = re.compile(r"\^?\s?\{?\s?\\(?:circ|degree|textdegree)\b\s?\}?")
_LATEX_SIGNS = (
    (re.compile(r"\\(?:approx|simeq|sim)\b"), "\u2248"),
    (re.compile(r"\\pm\b"), "\u00b1"),
    (re.compile(r"\\(?:leq?|lt|ll)\b"), "<"),
    (re.compile(r"\\(?:geq?|gt|gg)\b"), ">"),
    (re.compile(r"\\[,;:! ]|\\quad\b|\\[()\[\]]"), " "),
)
_FIXED_SPACES = re.compile(r"\u00a0|(?<=[0-9])~(?=[A-Za-z\\])")
_DOLLARS = re.compile(r"\$\$?([^$\n]{1,200})\$\$?")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3}|`{1,3})(?=[^\s*_`])([^*`\n]{1,300}?)(?<=[^\s*_`])\1(?![\w*])")
_LINE_START = re.compile(r"^[ \t]*(?:(?:#{1,6}|[*\u2022])[ \t]+|\|[ \t]*)", re.MULTILINE)
_LINE_END = re.compile(r"[ \t]{0,8}\|[ \t]{0,8}$", re.MULTILINE)


def legible(text: str) -> str:
    """Return a reply as a reader sees it, with every digit one of 0 to 9 and no number changed."""
    if text.isascii():
        return text
    text = _FRACTION.sub(lambda hit: (hit[1] or "0") + _DECIMALS[hit[2]], _FIXED_SPACE.sub("", text))
    return _DIGIT.sub(lambda hit: str(unicodedata.decimal(hit[0])), visible(text.translate(_SIGNS)))


def answer_places(text: str) -> list[str]:
    r"""Return what stands in places made for the answer alone: a field of JSON, `<answer>`, `\boxed`.

    A number of JSON is given with the unit of the field `unit`; what is no text and no number, such as a list, with a
    sign that no number has.
    """
    fields = list(_FIELD.finditer(text)) if ":" in text else []
    fields = [field for field in fields if _ANSWER_FIELD.match(field[0])] or fields
    if not fields:
        return containers(text)
    unit = _UNIT_FIELD.search(text)
    found = []
    for field in fields:
        given = next(group for group in field.groups() if group is not None)
        if field[3] is not None and not _NUMBER_ALONE.fullmatch(given):
            given += " \u25a1"
        elif unit and _NUMBER_ALONE.fullmatch(given):
            given = f"{given.strip()} {unit[1]}"
        found.append(given)
    return found


def plain(text: str) -> str:
    """Take Markdown, HTML and LaTeX away, and leave alone what may calculate."""
    text = _FIXED_SPACES.sub(" ", untagged(text))
    if "\\" in text:
        text = _LATEX_DEGREE.sub("\u00b0", text)
        for pattern, sign in _LATEX_SIGNS:
            text = pattern.sub(sign, text)
        text = _LATEX_TEXT.sub(r"\1", text)
    if "$" in text:
        text = _DOLLARS.sub(r"\1", text)
    for _ in range(2):  # one mark within another
        text = _EMPHASIS.sub(r"\2", text)
    return _LINE_END.sub("", _LINE_START.sub("", text)).strip()
