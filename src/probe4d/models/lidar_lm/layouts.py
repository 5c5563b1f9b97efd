"""Prompt layouts: where LiDAR features, the ego vehicle's motion and the question stand in the human's text.

`<4DLiDAR>` and `<meta>` are ordinary text in both: as added tokens they would keep random embeddings, since
neither training stage learns any. The text about the ego vehicle follows from the question and the frames shown.
"""

from __future__ import annotations

from typing import Literal

from probe4d.models.lidar_lm.conversation import Chunks

__all__ = ["Layout", "laid_out"]

Layout = Literal["hallu", "paper"]
"""`hallu`: LiDAR-Hallu's protocol. `paper`: B4DL, section 4.2 and appendix C."""

TASK = "<4DLiDAR>"
MOTION = "<meta>"


def laid_out(layout: Layout, question: str, ego_text: str | None = None) -> Chunks:
    """The human's text around one set of feature rows.

    With `|` for the features, lines are:

    - `hallu`: `|`, question; with an ego text `|`, `<4DLiDAR>`, `<meta>`, text, question.
    - `paper`: `<4DLiDAR>`, then with an ego text `<meta>`, text, then `|`, question.

    Args:
        layout: Name of the layout.
        question: The question with its options and directive.
        ego_text: How the ego vehicle moves; null where the model is not told.
    """
    motion = [] if ego_text is None else [MOTION, ego_text]
    if layout == "hallu":
        task = [] if ego_text is None else [TASK]
        return ("", "\n" + "\n".join([*task, *motion, question]))
    return ("\n".join([TASK, *motion, ""]), f"\n{question}")
