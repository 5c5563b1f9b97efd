"""Ways to break what a question of STRIDE says of its target, and the form that its template gives it."""

from __future__ import annotations

from collections.abc import Callable

from mutating import Change, added, changed, dropped, fact, fields, nudged
from stride_mutation import Mutation, shown

from probe4d.benchmarks.question import Question

__all__ = ["FORMS", "TARGETS"]


def _reworded(old: str, new: str) -> Change:
    return lambda question: changed(question, question=(question.question or "").replace(old, new))


def _offered(change: Callable[[list[str]], list[str]]) -> Change:
    def offer(question: Question, /) -> Question:
        options = tuple(change(list(question.options)))
        return changed(question, options=options, features=options)

    return offer


TARGETS = {
    name: Mutation(template, change, told, "target")
    for name, template, change, told in (
        ("box of another frame", "SP-1", fact("objects.0.box", lambda _: "nothing"), "names no box of the query frame"),
        ("no object", "SP-2", added("objects", []), "names no box of the query frame"),
        ("strange objects", "SP-3", added("objects", 3), "names no box of the query frame"),
        ("place of the target", "SP-5", fact("objects.0.x", nudged(1e-3)), "facts.objects[0]"),
        ("distance of the target", "SU-1", fact("objects.0.distance_m", nudged(1e-3)), "facts.objects[0]"),
        ("track of the target", "TM-2", fact("objects.0.track", lambda _: "t"), "facts.objects[0]"),
        ("words of the target in facts", "TM-3", fact("objects.0.label", lambda _: "the bus"), "facts.objects[0]"),
        ("frame of the target", "TE-1", fact("objects.0.frame", nudged(-1)), "facts.objects[0]"),
        ("returns in facts", "TE-2", fact("objects.0.lidar_points", lambda _: 4321), "facts.objects[0]"),
        ("returns", "TE-3", fields(lidar_points=4321), "lidar_points: "),
        ("camera of the red box", "SP-7", fact("target.channel", lambda name: f"{name}_2"), "facts.target.channel: "),
        ("red box moved", "SU-3", fact("target.bounds.0", nudged(1e-3)), "facts.target.bounds[0]: "),
        ("red box of another frame", "SU-7", fact("target.frame", nudged(-1)), "facts.target.frame: "),
        ("no red box", "SP-4", dropped("target"), "facts.target: "),
        ("context", "TM-6", fields(context="TM-6|bus stop"), "context: "),
        ("context of a scene", "SU-2", fields(context="SU-2|car"), "context: "),
        ("entity", "SP-6", fields(entities=("the bus stop in the red box",)), "entities"),
        ("entity of a scene", "SU-4", fields(entities=("the car in the red box",)), "entities"),
    )
}
FORMS = {
    "suite": Mutation("TM-1", fields(suite="spatial-qa"), "the suite is 'spatial-qa'", "suite"),
    "template": Mutation("TM-4", fields(template="TM-9"), "'TM-9' is no template", "template"),
    "family": Mutation("TM-5", fields(family="trajectory"), "no template of family 'trajectory'", "template"),
    "format": Mutation("TE-5", fields(format="text"), "in format 'text'", "template"),
    "relation": Mutation("SU-6", fields(relation="density"), "relation: stored 'density'"),
    "rule": Mutation("SC-4", fields(rule="density"), "rule: stored 'density'"),
    "needs": Mutation("TE-1", fields(needs=("boxes",)), "needs: stored ['boxes']"),
    "channel": Mutation("SP-2", fields(channel="CAM_FRONT"), "channel: stored 'CAM_FRONT'"),
    "prompt": Mutation("SP-3", fields(prompt="How far?"), "prompt: stored 'How far?'"),
    "features": Mutation("SP-5", lambda q: changed(q, features=q.features[::-1]), "features: stored"),
    "keyframes": Mutation("TRJ-5", fields(keyframes=9), "keyframes: stored 9"),
    "no query frame": Mutation("SU-5", fields(frames=()), "asks about key frames []"),
    "two query frames": Mutation(
        "SU-2", lambda q: changed(q, frames=(q.frames[0] - 1, *q.frames)), "and should about one"
    ),
    "query frame without history": Mutation("TRJ-6", fields(frames=(3,)), "does not have 4 before it"),
    "query frame without future": Mutation(
        "TRJ-1", lambda q: changed(q, frames=((q.keyframes or 0) - 2,)), "5 after it"
    ),
    "query frame beyond the scene": Mutation("SC-5", fields(frames=(400,)), "key frame 400 of"),
    "option twice": Mutation(
        "SP-1", _offered(lambda each: [each[1], *each[1:]]), "are not 5 different ones", "options"
    ),
    "option missing": Mutation("TM-3", _offered(lambda each: each[:-1]), "are not 6 different ones", "options"),
    "option of another template": Mutation(
        "SU-1", _offered(lambda each: ["none", *each[1:]]), "are not those of SU-1", "options"
    ),
    "letter beyond the options": Mutation("TM-2", fields(answer="I"), "the answer is 'I'", "answer"),
    "no letter": Mutation("TE-2", fields(answer=""), "the answer is ''", "answer"),
    "text as positions": Mutation("TRJ-5", fields(answer="straight on"), "is no list of positions", "answer"),
    "positions of three decimals": Mutation(
        "TRJ-6", fields(answer="[[1.234, 0.0]]"), "is no list of positions", "answer"
    ),
    "empty reference": Mutation("TE-6", fields(answer=" "), "has no text", "answer"),
    "no wording": Mutation("SU-6", fields(question=None), "has no text", "answer"),
    "another wording": Mutation("SC-4", _reworded("50", "40"), "is not how SC-4 is worded", "wording"),
    "another target in words": Mutation(
        "SP-3", _reworded(" in the red box", " in the blue box"), "is worded", "wording"
    ),
    "another moment": Mutation("SC-6", _reworded("frame ", "frame 1"), "is not how SC-6 is worded", "wording"),
    "first picture missing": Mutation(
        "SP-6", shown(lambda _, frames: frames[1:]), "evidence: stored key frames", "evidence"
    ),
    "a single camera": Mutation(
        "SP-4", shown(lambda _, frames: frames, ("CAM_FRONT",)), "evidence: stored views", "evidence"
    ),
    "scene cut short": Mutation(
        "SC-6", shown(lambda at, _: tuple(range(at + 1))), "evidence: stored key frames", "evidence"
    ),
    "margin that is none": Mutation("SP-1", fields(margin=float("nan")), "margin: stored nan"),
    "margin without a line": Mutation("TM-4", fields(margin=1.0), "margin: stored 1.0"),
}
