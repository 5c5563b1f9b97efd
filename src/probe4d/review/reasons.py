"""Why people reject what they review, in the words of the page, by the names that files have."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CANNOT_TELL", "OF_ITEMS", "OF_REFERENCES"]

OF_ITEMS: Mapping[str, str] = {
    "not-well-posed": "the question can be read in several ways",
    "options-unusable": "no option fits, or several do",
    "answer-wrong": "the reference is wrong",
    "not-in-frames": "the frames do not show what the answer rests on",
    "annotation-missing": "it needs an annotation that the dataset lacks or has wrong",
    "target-unclear": "the object in the red box cannot be made out",
    "one-sided": "nearly all samples have the same answer",
    "other": "something else (see the note)",
}
"""What a question needs to be kept, and what speaks against it (STRIDE, App. A.6.1, Table 5)."""

OF_REFERENCES: Mapping[str, str] = {
    "wrong-object": "wrong object",
    "unsafe-claim": "unsafe driving claim",
    "wrong-distance": "wrong distance or position",
    "wrong-motion": "wrong motion",
    "wrong-risk": "wrong risk",
    "wrong-weather": "wrong weather or lighting",
    "unsupported": "says what the frames do not show",
    "incomplete": "leaves out what matters",
    "other": "something else (see the note)",
}
"""What references get wrong (STRIDE, App. A.6.2)."""

CANNOT_TELL = "I cannot tell."
"""Answer of who sees that it cannot be told; scored like a refusal."""
