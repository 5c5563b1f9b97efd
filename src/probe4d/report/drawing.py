"""A question's picture as SVG and as PNG, for files; the page draws the same numbers by its script."""

from __future__ import annotations

import textwrap
from functools import cache
from importlib import resources
from pathlib import Path

import jinja2
import msgspec

from probe4d.benchmarks.question import Question
from probe4d.errors import InputError
from probe4d.report.camera_panels import CameraPanels
from probe4d.report.embedded_photographs import LARGE, Photograph, Photographs
from probe4d.report.measured import figures_measured
from probe4d.report.picture import Picture, Pictures
from probe4d.report.reference import answer_in_words, options_in_words
from probe4d.report.shapes import PANEL, Panel, grid
from probe4d.report.theme import LIGHT, resolved
from probe4d.scenes.tables import Scenes
from probe4d.store.files import write_bytes
from probe4d.wording import visible

__all__ = ["environment", "panel_svg", "picture_png", "picture_svg", "printable", "template_text", "write_picture"]

GAP = 16.0
SCALE = 2.0  # pixels a drawing unit, so that lines stay fine on dense screens


@cache
def environment(package: str = "probe4d.report") -> jinja2.Environment:
    """The templates of a package; everything put into one is escaped."""
    return jinja2.Environment(loader=jinja2.PackageLoader(package), autoescape=True, undefined=jinja2.StrictUndefined)


def template_text(name: str, *, package: str = "probe4d.report") -> str:
    """The text of a file among the templates of a package, as it stands."""
    return resources.files(package).joinpath("templates", name).read_text(encoding="utf-8")


def printable(text: str) -> str:
    """Take out control sequences; replace characters that XML cannot hold or that a reader cannot see by U+FFFD."""
    return visible(text, lambda _: "\ufffd")


def picture_svg(question: Question, pictures: Pictures, photograph: Photograph | None = None) -> str | None:
    """Draw a question as a whole SVG document in light colours; null if it has no picture.

    Args:
        question: The question.
        pictures: What draws it.
        photograph: The camera image below the camera panel, if it has one.
    """
    picture = pictures.picture(question)
    if picture is None:
        return None
    beside = [panel for panel in picture.panels if panel.extent is not None or panel.photograph is not None]
    width = GAP + sum(panel.width + GAP for panel in beside)
    heading, top = _heading(question, picture, width)
    panels = []
    x, below = GAP, top
    for panel in picture.panels:
        if panel not in beside:
            x, top = GAP, below
        faint = [] if panel.frame is None else pictures.faint(picture.scene, panel.frame)
        below_shapes = _photographed(panel, photograph)
        panels.append({"x": x, "y": top + 22, **_drawn(panel, faint), **below_shapes})
        heading.append(_line(panel.title, top + 16, 13, x=x, fill="muted"))
        x, below = x + panel.width + GAP, max(below, top + 22 + panel.height + GAP)
    template = environment().get_template("picture.svg")
    css = resolved(template_text("picture.css"), LIGHT)
    return template.render(width=width, height=below, heading=heading, panels=panels, css=css, page=LIGHT["card"])


def panel_svg(panel: Panel, title: str, words: str) -> str:
    """Draw one panel without boxes as an SVG element for a page, whose style sheet colours it.

    Args:
        panel: The panel; no photograph lies below it.
        title: What it is called.
        words: What it shows, for those who do not see it.
    """
    template = environment().get_template("panel_alone.svg")
    return template.render(panel=_drawn(panel, []), title=printable(title), words=printable(words))


def _drawn(panel: Panel, faint: list[list[int]]) -> dict[str, object]:
    """A panel as its template takes it; `faint` are the boxes below."""
    return {
        "width": panel.width,
        "height": panel.height,
        "shapes": panel.shapes,
        "labels": [msgspec.structs.replace(label, text=printable(label.text)) for label in panel.labels],
        "grid": None if panel.extent is None else grid(panel.extent),
        "faint": faint,
        "unit": PANEL,
    }


def picture_png(question: Question, pictures: Pictures, photograph: Photograph | None = None) -> bytes | None:
    """Draw a question as PNG (see `picture_svg`); null if it has no picture."""
    import vl_convert

    svg = picture_svg(question, pictures, photograph)
    return None if svg is None else bytes(vl_convert.svg_to_png(svg, scale=SCALE))


def write_picture(question: Question, scenes: Scenes, path: Path | str) -> Path:
    """Write the picture of a question as PNG, whole or not at all.

    Where a camera image cannot be read, the picture says so in its place.

    Returns:
        The path written.

    Raises:
        InputError: The scenes do not hold the question's, it asks about no frame of it, it was measured from
            other records, or the file cannot be written.
    """
    names = (question.scene, question.facts.get("scene_token"))
    cameras = CameraPanels(scenes, [question])
    pictures = Pictures(scenes, (name for name in names if isinstance(name, str)), cameras)
    key = cameras.key(question)
    photograph = None if key is None else Photographs(scenes.root, LARGE).of(cameras.views[key])
    png = picture_png(question, pictures, photograph)
    if png is None:
        raise InputError(
            f"cannot show question {question.id}: the scene {question.scene!r} here has none of its key frames, or "
            "holds none of the records it was measured from.",
            path=scenes.root / scenes.version,
            remedy="Give the dataset that the benchmark was built from.",
        )
    path = Path(path)
    write_bytes(path, png)
    return path


def _photographed(panel: Panel, photograph: Photograph | None) -> dict[str, object]:
    """Whether a panel is of a camera image, and its image or why there is none."""
    if panel.photograph is None:
        return {"camera": False, "ground": LIGHT["panel"], "photograph": None, "problem": []}
    address, problem = (None, "") if photograph is None else (photograph.address, photograph.problem or "")
    lines = textwrap.wrap(printable(problem), int(panel.width / 8))
    return {"camera": True, "ground": LIGHT["dusk"], "photograph": address, "problem": lines}


def _heading(question: Question, picture: Picture, width: float) -> tuple[list[dict[str, object]], float]:
    """Question, options, reference and scene as lines of text, and where the panels may begin below them."""
    stem = question.question or f"(question text not released) {question.family}"
    lines = [(line, 15, 600) for line in textwrap.wrap(printable(stem), int(width / 9.6)) or [""]]
    stop = "." if question.format == "choice" else ":"
    options = [f"{mark}{stop} {text}" for mark, text in options_in_words(question)]
    lines += [(line, 13, 400) for text in options for line in textwrap.wrap(printable(text), int(width / 8))]
    reference = f"Reference: {printable(answer_in_words(question))}"
    lines += [(line, 13, 600) for line in textwrap.wrap(reference, int(width / 8.6))]
    figures = [f"{name} {value}" for name, value in figures_measured(question)]
    if figures:
        lines.append((f"Measured: {', '.join(figures)}", 13, 400))
    lines.append((f"{picture.scene} · {question.template} · {question.id}", 11, 400))
    heading: list[dict[str, object]] = []
    y = GAP + 2
    for text, size, weight in lines:
        y += size * 1.45
        heading.append(_line(text, y - size * 0.4, size, weight=weight, fill="muted" if size == 11 else "ink"))
    return heading, y + GAP / 2


def _line(text: str, y: float, size: int, *, x: float = GAP, weight: int = 400, fill: str = "ink") -> dict[str, object]:
    return {"text": text, "x": x, "y": round(y, 1), "size": size, "weight": weight, "fill": LIGHT[fill]}
