"""What NuScenes-SpatialQA says of itself on a dataset card."""

from __future__ import annotations

from probe4d.benchmarks.card import SuiteCard

__all__ = ["CARD"]

CARD = SuiteCard(
    title="NuScenes-SpatialQA",
    about=(
        "Questions about one camera image: how two objects lie to each other, how far and how large they are, which of "
        "several is closest or largest, and what would happen. Every answer is measured in the dataset's 3D boxes by a "
        "fixed rule; `rule`, `facts` and `margin` of a question say how, from which boxes, and how close it was. The "
        "templates are those of the paper, Appendix D; its benchmark was never released."
    ),
    rules={
        "qualitative": (
            "one measure of two boxes is compared: heights of centres above ground (above, below), the camera's own "
            "axes (left, right, in front, behind: nearer to the viewer), volume, length, height or width. Both orders "
            "of each pair are asked about; where both are equal there is no question."
        ),
        "quantitative": (
            "distances are between centres in space; offsets are magnitudes along and across the ego vehicle's "
            "heading; bearings are from object 1 to object 2, counter-clockwise from the heading, in (-180, 180]. The "
            "ego vehicle stands for the origin of the ego frame."
        ),
        "direct-reasoning": (
            "of options the one is right whose centre is closest, or whose box is largest. To 'Are there any' the "
            "answer is Yes if an object of the image that passes the filters is near or wide enough, and No if no "
            "annotated box that could be meant is; where only one that the filters left out is, there is no question."
        ),
        "situational": (
            "a collision within 5 s at 2 m/s is a distance of at most 10 m: Yes if even the centres are that close, No "
            "if even the footprints are not. Occlusion: the camera drives straight on in steps of 0.25 m, until it "
            "comes to where object 1 begins, and all corners of object 2 lie behind object 1's box. A vehicle passes "
            "between two footprints if their gap is as wide; an object fits a spot with the clearance on all sides."
        ),
    },
    limits=(
        "Sizes follow from classes: whoever knows the words for two objects knows mostly which is larger, longer, "
        "taller and wider. See what the content control answers without a picture before trusting such a figure, or "
        "draw a sample with `--balance contents`.",
        "Depth and left or right are in the camera's axes, heights in the ego frame's: on nuScenes mini left and right "
        "differ from the order of the image boxes for 11 % of pairs, above and below for 26 %.",
        "Words for an object stand for one annotated object of the image; other things in it may look like it.",
        "Where a dataset says nothing of visibility, objects are taken as visible unless `unknown_visibility` is drop.",
        "Questions of neighbouring key frames are much alike; intervals should be taken over whole scenes.",
    ),
    papers=(
        "NuScenes-SpatialQA: A Spatial Understanding and Reasoning Benchmark for Vision-Language Models in Autonomous "
        "Driving. https://taco-group.github.io/NuScenes-SpatialQA/",
    ),
)
