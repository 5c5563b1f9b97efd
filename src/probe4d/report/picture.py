"""The picture of a question as numbers: a bird's-eye panel for each frame asked about.

`Pictures` computes what is drawn, once; the page's script and the SVG template of `drawing` only put it into
elements.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
import polars as pl

from probe4d.benchmarks.facts import query_frame
from probe4d.benchmarks.intervals import interval_in
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.source import SceneNames
from probe4d.report.camera_panels import CameraPanels
from probe4d.report.entities import Entity, SceneBoxes, entities_at, measured_elsewhere, unpack
from probe4d.report.reference import answer_text
from probe4d.report.shapes import LETTER_WIDTH, PANEL, Label, Panel, Shape, View, apart, extent_for, outline
from probe4d.report.trajectories import Trajectory, is_about_waypoints, waypoint_panel
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.geometry import SECTORS
from probe4d.scenes.tables import Scenes

__all__ = ["Picture", "Pictures", "picture_of_waypoints"]

SECTOR_WIDTH_DEG = 360 / len(SECTORS)
TIMELINE_ROW = 26.0
LABEL_ROOM = 6.0


class Picture(msgspec.Struct, frozen=True):
    """The panels of one question, the scene whose boxes they show, and what they show in words."""

    scene: str
    panels: list[Panel]
    words: str


class Pictures:
    """Draws questions about some scenes.

    Args:
        scenes: The scenes; questions about others have no picture.
        names: Scenes, by name or token, that will be asked for; no others are unpacked.
        cameras: Camera panels of the questions that will be asked for; without it they have none.
    """

    def __init__(self, scenes: Scenes, names: Iterable[str], cameras: CameraPanels | None = None) -> None:
        self._cameras = cameras
        self._names = SceneNames(scenes)
        wanted = sorted({found for name in names if (found := self._names.named(name)) is not None})
        keep = pl.col("scene").is_in(pl.Series(wanted, dtype=pl.String).implode())
        boxes = scenes.boxes.filter(keep)
        parts = boxes.partition_by("scene", as_dict=True)
        poses = scenes.keyframes.filter(keep).partition_by("scene", as_dict=True)
        self._scenes = {
            str(name): unpack(parts.get((name,), boxes.clear()), keyframes) for (name,), keyframes in poses.items()
        }

    def scene_of(self, question: Question) -> str | None:
        """Name of the question's scene here, if it is one of those asked for; null without."""
        name = self._names.of(question)
        return name if name in self._scenes else None

    def faint(self, scene: str, frame: int) -> list[list[int]]:
        """Every box of a key frame, coarse enough to be embedded for thousands of frames.

        Returns:
            One row a box: x and y of the centre (dm, ego frame), length and width (dm), yaw (degrees), index
            of its class in `CLASSES` (-1 for others), and 1 if it has LiDAR returns, else 0.
        """
        part = self._scenes[scene]
        rows = part.rows(frame)
        whole = np.rint(part.columns[rows] * (10, 10, 10, 10, 180 / math.pi)).astype(int).tolist()
        kinds = [CLASSES.index(label) if label in CLASSES else -1 for label in part.labels[rows.start : rows.stop]]
        seen = part.seen[rows.start : rows.stop]
        return [[*row, kind, int(returns)] for row, kind, returns in zip(whole, kinds, seen, strict=True)]

    def picture(self, question: Question, answers: Sequence[Trajectory] = ()) -> Picture | None:
        """Compute the picture of a question.

        Args:
            question: The question.
            answers: What was answered, where it asks for waypoints.

        Returns:
            Null if its scene is not at hand, it asks about no frame of it, or it was measured from other records
            than those of that scene, as in another dataset whose scenes have the same names.
        """
        name = self.scene_of(question)
        if name is None:
            return None
        part = self._scenes[name]
        if measured_elsewhere(question, part):
            return None
        if is_about_waypoints(question):
            frame = query_frame(question)
            known = frame is not None and 0 <= frame < part.keyframes
            return picture_of_waypoints(question, answers, scene=name, frame=frame) if known else None
        interval = _interval(question)
        frames = [frame for frame in _frames(question, interval) if 0 <= frame < part.keyframes]
        if not frames:
            return None
        entities = entities_at(question, part, frames)
        shown = [entity for found in entities.values() for entity in found if entity.kind != "group"]
        view = View(extent_for([(entity.x, entity.y) for entity in shown]))
        panels = [_panel(question, part, frames, frame, entities, view) for frame in frames]
        camera = None if self._cameras is None else self._cameras.panel(question)
        if camera is not None:
            panels.insert(0, camera)
        if interval is not None and question.options:
            panels.append(_timeline(question, interval, part.keyframes))
        return Picture(name, panels, _words(name, panels))


def picture_of_waypoints(
    question: Question, answers: Sequence[Trajectory] = (), *, scene: str | None = None, frame: int | None = None
) -> Picture:
    """Compute the picture of a question for waypoints, which needs no scene: it is seen from above.

    Args:
        question: The question.
        answers: What was answered.
        scene: Name of the scene whose boxes lie below; null for none.
        frame: Key frame of these boxes.
    """
    panels = [waypoint_panel(question, answers, frame=frame)]
    return Picture(scene or question.scene, panels, _words(scene or question.scene, panels))


def _interval(question: Question) -> tuple[int, int] | None:
    match question.facts.get("interval"):
        case [int(start), int(end)] if start <= end:
            return start, end
    return None


def _frames(question: Question, interval: tuple[int, int] | None) -> list[int]:
    if interval is not None:
        return sorted(set(interval))
    asked = sorted(set(question.frames))
    return asked if len(asked) <= 2 else [asked[0], asked[-1]]


def _panel(
    question: Question,
    part: SceneBoxes,
    frames: Sequence[int],
    frame: int,
    entities: dict[int, list[Entity]],
    view: View,
) -> Panel:
    shapes: list[Shape] = []
    labels: list[Label] = []
    _sectors(question, view, shapes, labels)
    if len(frames) == 2:
        _motion(part, frames, frame, entities, view, shapes)
    origin = _compared_with(question, entities[frame])
    for entity in entities[frame]:
        _point_out(entity, origin, None if origin else question.facts.get("bearing_deg"), view, shapes, labels)
    if not entities[frame] and question.entities and question.format != "text":  # a text is about more than these
        told = f"no {' or '.join(question.entities)} measured here"
        labels.append(Label("absent", PANEL / 2, PANEL - 12, "middle", told))
    ends = ("start", "end") if len(frames) == 2 else ("",)
    title = f"frame {frame:03d} {ends[frames.index(frame)]}".rstrip()
    return Panel(title, PANEL, int(view.extent_m), frame, shapes, apart(labels))


def _sectors(question: Question, view: View, shapes: list[Shape], labels: list[Label]) -> None:
    """The sector proposed, and the true one, of a question about one key frame.

    Over an interval `left` and `right` are predicates of motion, and in a camera's view they are those of the image.
    """
    if len(question.frames) != 1 or question.channel is not None:
        return
    asked = question.relation
    true = question.facts.get("sector", asked if question.answer == "Yes" else answer_text(question))
    radius = 0.94 * view.extent_m
    wedges = [("sector-true", str(true), str(true))]
    if asked != true:
        wedges.insert(0, ("sector-asked", str(asked), f"asked: {asked}"))
    for kind, sector, text in wedges:
        if sector in SECTORS:
            centre = SECTORS.index(sector) * SECTOR_WIDTH_DEG
            shapes.append(Shape(kind, view.wedge(centre, SECTOR_WIDTH_DEG, radius)))
            labels.append(_at_bearing(kind, text, centre, radius, view))


def _at_bearing(kind: str, text: str, bearing_deg: float, radius_m: float, view: View) -> Label:
    bearing = math.radians(bearing_deg)
    x, y = view.at((0.9 * radius_m * math.cos(bearing), 0.9 * radius_m * math.sin(bearing)))
    anchor = "middle" if abs(x - PANEL / 2) < PANEL / 6 else ("end" if x > PANEL / 2 else "start")
    return Label(kind, round(x, 1), round(y, 1), anchor, text)


def _motion(
    part: SceneBoxes,
    frames: Sequence[int],
    frame: int,
    entities: dict[int, list[Entity]],
    view: View,
    shapes: list[Shape],
) -> None:
    """The way of the ego vehicle, and of each track measured as it appears from it, over the interval."""
    interval = range(frames[0], frames[1] + 1)
    way = part.relative(interval, frame)
    shapes.append(Shape("ego-way", view.path(way)))
    shapes.append(Shape("ego-way-dots", view.dots(way, 1.6)))
    measured = {e.track for found in entities.values() for e in found if e.kind == "target" and e.track}
    for track in sorted(measured):
        seen = [row for at in interval for row in part.rows(at) if part.tracks[row] == track]
        points = [(float(part.columns[row, 0]), float(part.columns[row, 1])) for row in seen]
        if len(points) > 1:
            shapes += [Shape("track", view.path(points)), Shape("track-dots", view.dots(points))]
    other = frames[0] if frame == frames[1] else frames[1]
    for entity in entities[other]:
        if entity.kind == "target" and entity.size is not None:
            shapes.append(Shape("ghost", view.path(outline(entity.x, entity.y, *entity.size), closed=True)))


def _compared_with(question: Question, entities: Sequence[Entity]) -> Entity | None:
    """The object that a question about a view compares others with; null where the ego vehicle is that."""
    targets = [entity for entity in entities if entity.kind == "target"]
    return targets[0] if question.channel is not None and targets and len(entities) > 1 else None


def _point_out(
    entity: Entity, origin: Entity | None, bearing: float | None, view: View, shapes: list[Shape], labels: list[Label]
) -> None:
    """A box, its distance from the ego vehicle or from another entity, and its name."""
    kind, centre = entity.kind, (entity.x, entity.y)
    if kind != "group" and entity is not origin:
        start = (0.0, 0.0) if origin is None else (origin.x, origin.y)
        shapes.append(Shape(f"measure {kind}", view.path([start, centre])))
    if entity.size is None:
        shapes.append(Shape(f"box {kind}", view.dots([centre], 5.0)))
    else:
        length, _, yaw = entity.size
        nose = (entity.x + length / 2 * math.cos(yaw), entity.y + length / 2 * math.sin(yaw))
        shapes.append(Shape(f"box {kind}", view.path(outline(entity.x, entity.y, *entity.size), closed=True)))
        shapes.append(Shape(f"heading {kind}", view.path([centre, nose])))
    if kind != "group":
        text = entity.label
        if entity is not origin:
            text += f" {entity.away_m(origin):.1f} m" + (f", {bearing:+.1f}°" if bearing is not None else "")
        labels.append(_beside(entity, kind, text, view))


def _beside(entity: Entity, kind: str, text: str, view: View) -> Label:
    """A text beside a box, away from the ego vehicle; above the box where the text would leave the panel."""
    corners = [(entity.x, entity.y)]
    if entity.size is not None:
        corners = outline(entity.x, entity.y, *entity.size)
    columns, rows = zip(*map(view.at, corners), strict=True)
    x, y = view.at((entity.x, entity.y))
    width, left = LETTER_WIDTH * len(text), x < PANEL / 2
    start = min(columns) - LABEL_ROOM if left else max(columns) + LABEL_ROOM
    height = y + 4
    if not 0 <= (start - width if left else start + width) <= PANEL:
        start = max(x, width) if left else min(x, PANEL - width)
        height = min(rows) - LABEL_ROOM
    return Label(kind, round(start, 1), round(height, 1), "end" if left else "start", text)


def _timeline(question: Question, interval: tuple[int, int], keyframes: int) -> Panel:
    """The intervals proposed, a bar each, over the scene's key frames."""
    left, width = 24.0, PANEL - 40
    step = width / keyframes
    shapes = [Shape("axis", f"M{left:g} 14H{left + width:g}")]
    labels = [Label("ring", left + frame * step, 10.0, "middle", f"{frame}") for frame in range(0, keyframes, 10)]
    for row, text in enumerate(question.options):
        offered = interval_in(text)
        if offered is None:
            continue
        start, end = offered
        top = 20 + row * TIMELINE_ROW
        kind = "target" if LETTERS[row] == question.answer else "option"
        first, past = left + start * step, left + (end + 1) * step
        bar = f"M{first:.1f} {top:g}H{past:.1f}v{TIMELINE_ROW - 8:g}H{first:.1f}Z"
        shapes.append(Shape(f"box {kind}", bar))
        labels.append(Label(kind, 4.0, top + 14, "start", LETTERS[row]))
    height = 24 + TIMELINE_ROW * len(question.options)
    return Panel(
        f"intervals offered; the event takes place in frames {interval[0]} to {interval[1]}",
        height,
        None,
        None,
        shapes,
        labels,
    )


def _words(scene: str, panels: Sequence[Panel]) -> str:
    cameras = _labels(panel for panel in panels if panel.photograph is not None)
    from_above = _labels(panel for panel in panels if panel.extent is not None)
    camera = f"Camera image {cameras}. " if cameras else ""
    return f"{camera}Bird's-eye view of {scene}, ego vehicle in the middle heading up. {from_above}."


def _labels(panels: Iterable[Panel]) -> str:
    return "; ".join(
        f"{panel.title}: {', '.join(label.text for label in panel.labels) or 'nothing pointed out'}" for panel in panels
    )
