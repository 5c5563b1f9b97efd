"""Takes from a reply what is not the answer: invisible characters, thoughts, markup."""

from __future__ import annotations

import html
import re
import unicodedata

__all__ = ["after_last_thought", "answer_part", "containers", "unmarked", "untagged", "visible"]

_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_ENCLOSED = {start + index: chr(ord("A") + index) for start in (0x1F150, 0x1F170) for index in range(26)}
_LOOK_ALIKES = {
    ord(other): latin
    for others, latins in (
        ("АВСЕНІКМОРТХЈЅавсеіорхјѕ", "ABCEHIKMOPTXJSabceiopxjs"),
        ("ΑΒΕΗΙΚΜΝΟΡΤΧΖ", "ABEHIKMNOPTXZ"),
        ("ᎪᏴᏟᎠᎬᎻᏆ", "ABCDEHI"),
    )
    for other, latin in zip(others, latins, strict=True)
}
_OTHER_SCRIPTS = re.compile("[\u0370-\u052f\u13a0-\u13ff]+")

_THOUGHT_NAMES = r"think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis"
_THOUGHT_TAG = re.compile(
    rf"<(/?)(?:{_THOUGHT_NAMES})>|\u25c1(/?)think\u25b7|\[(/?)THINK\]|<\|(?:begin|(end))_of_thought\|>", re.IGNORECASE
)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*final\s*<\|message\|>", re.IGNORECASE)
_ANY_CHANNEL = re.compile(r"<\|channel\|>", re.IGNORECASE)

_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]{0,100}\}){0,200})\}")
_ANSWER_FIELD = re.compile(
    r"\"(?:final_?answer|answer|choice|option|prediction)\"\s*:\s*\"([^\"\n]{0,200})\"", re.IGNORECASE
)
_ANSWER_OPEN, _ANSWER_CLOSE = "<answer>", "</answer>"

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*$", re.MULTILINE)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,80}>|<\|[a-z_]{1,40}\|>")
_MARKED_LETTER = re.compile(r"(\*{1,3}|_{1,3}|`)[(\[]?([A-Z])[.:)\]]{0,2}\1")
_EMPHASIS = re.compile(r"[*_`]")
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|boldsymbol|boxed)\s*\{([^{}]{0,200})\}")
_LINE_START = re.compile(r"^[ \t]*(?:[>#\-+\u2022|]{1,6}[ \t]+)*(?:\d{1,2}[.)][ \t]+)?(?=\S)", re.MULTILINE)
_ANY_MARK = re.compile(r"[*`$|\\#_]")
_MARKS = re.compile(r"[*`$|\\#]+|(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])")


def visible(text: str) -> str:
    """Return the reply as a reader sees it: compatibility forms folded, invisible characters gone.

    Cyrillic, Greek and Cherokee letters shaped like Latin ones become these where each stands alone; in a reply with
    words of that script they are letters of it (the Russian preposition "В" is no option B).
    """
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text).translate(_ENCLOSED))
    if all(len(run) == 1 for run in _OTHER_SCRIPTS.findall(folded)):
        folded = folded.translate(_LOOK_ALIKES)
    return folded


def answer_part(text: str) -> tuple[str, bool]:
    """Leave the thoughts out of a reply.

    Returns:
        What is not thought, and whether a thought was left open. A closing tag without an opening one ends a thought
        that the chat template opened.
    """
    finals = list(_FINAL_CHANNEL.finditer(text))
    if finals:
        return text[finals[-1].end() :], False
    if _ANY_CHANNEL.search(text):
        return "", True
    kept: list[str] = []
    depth, start = 0, 0
    for tag in _THOUGHT_TAG.finditer(text):
        closes = any(tag.groups())
        if closes and depth == 0:
            kept.clear()
        elif closes:
            depth -= 1
        else:
            if depth == 0:
                kept.append(text[start : tag.start()])
            depth += 1
        start = tag.end()
    if depth == 0:
        kept.append(text[start:])
    return " ".join(kept), depth > 0


def after_last_thought(text: str) -> tuple[str, bool]:
    """Keep only what follows the last closed thought of a reply, as STRIDE does (App. C.3).

    Returns:
        What follows, without thoughts that open later, and whether one of these was left open.
    """
    ends = [tag.end() for tag in _THOUGHT_TAG.finditer(text) if any(tag.groups())]
    return answer_part(text[ends[-1] :] if ends else text)


def containers(text: str) -> list[str]:
    r"""Return what stands in places made for the answer alone: `<answer>`, `\boxed`, a JSON field."""
    answers = _tagged(text) if "<" in text else []
    if answers:
        return answers
    if "\\boxed" in text:
        boxed = _BOXED.findall(text)
        if boxed:
            return boxed
    return _ANSWER_FIELD.findall(text) if '"' in text else []


def _tagged(text: str) -> list[str]:
    """Return what stands between each opening answer tag and the closing one that follows before another opens."""
    lowered = text.lower()
    found = []
    closed = lowered.find(_ANSWER_CLOSE)
    start = 0
    while closed >= 0:
        opened = lowered.rfind(_ANSWER_OPEN, start, closed)
        if opened >= 0:
            found.append(text[opened + len(_ANSWER_OPEN) : closed])
        start = closed + len(_ANSWER_CLOSE)
        closed = lowered.find(_ANSWER_CLOSE, start)
    return found


def untagged(text: str) -> str:
    """Take HTML, fences of code and struck-out text away."""
    if "&" in text:
        text = html.unescape(text)
    if "~~" in text:
        text = _STRUCK.sub(" ", text)
    if "`" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    return _TAG.sub(" ", text) if "<" in text else text


def unmarked(text: str) -> str:
    """Take Markdown, HTML, LaTeX, list numbers and struck-out text away."""
    text = untagged(text)
    if "\\" in text:
        text = _LATEX_TEXT.sub(r"\1", text).replace("\\(", " ").replace("\\)", " ")
    if _EMPHASIS.search(text):
        text = _MARKED_LETTER.sub(r"(\2)", text)  # an emphasised "A" is no article
    text = _LINE_START.sub("", text.strip())
    return (_MARKS.sub("", text) if _ANY_MARK.search(text) else text).strip()
