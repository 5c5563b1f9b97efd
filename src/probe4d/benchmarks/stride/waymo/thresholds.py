"""Where rules draw their lines on Waymo's end-to-end data, and why: most of it is estimated. All are ours."""

from __future__ import annotations

from probe4d.benchmarks.stride.thresholds import COUNTED_IMAGE_HEIGHT_PX, LEAST_TARGET_HEIGHT_PX

MOST_ESTIMATED_RANGE_M = 40.0
"""Objects farther off are never targets: beyond, flat ground puts half of them 30 % and more from where they are."""
MOST_MOVING_RANGE_M = 25.0
"""Farther off it is not asked how something moves."""
SLOPE_DEG = 0.5
"""Slope, or pitch of the vehicle, that flat ground leaves out: less is not seen in a picture."""
LOWEST_CAMERA_M = 1.5
"""Height of a front camera above the road, from which a slope puts a place at distance d by d² · slope / height off."""
MOST_SLOPE_MPS = 0.25
"""Speed that such a slope gives to what stands, from where the target was first to where it was last: more, and it is
not asked how it moves. On nuScenes mini, nine in ten directions are right then, else seven."""
LEAST_TARGET_PART = LEAST_TARGET_HEIGHT_PX / COUNTED_IMAGE_HEIGHT_PX
"""Height of a target's box, as a part of its image's: the 24 px in an image of 900 that annotated targets have."""

ESTIMATED_DISTANCE_BOUNDS_M = (8.0, 14.0, 22.0, 32.0)
"""Bins as far as targets are, each about half as wide again as the one before, as errors of estimates grow."""
ESTIMATED_STILL_MPS = 1.5
"""Slower is standing still. Where an estimate is off by 15 %, what stands seems to move at 1.5 m/s from a car at 10."""
ESTIMATED_SPEED_CHANGE_MPS = 3.0
"""Less of a change is a steady speed: two halves of a window, each as wrong as a standing car's."""
ESTIMATED_TURN_DEG = 30.0
"""Less of a turn is straight on: twice the line of annotated objects."""
ESTIMATED_APPROACH_MPS = 1.0
"""A range that shrinks by less is no approach: the median error of range rates below 20 m."""
ESTIMATED_MARGIN_FACTOR = 2.0
"""How many times the least margin of annotated objects an estimated one needs."""
LEAST_POINT_ROOM_M = 1.0
"""Room that a place needs to a zone's border: half the width of a car, which a place does not have."""

OCCLUSION_BOUNDS = (0.1, 0.4, 0.7)
"""Shares of a box that nearer boxes cover: boxes are fuller than what is in them, so that a tenth is nothing yet."""
LEAST_SHARE = 0.05
"""Nearer to one of these shares nothing is asked: by so much a box of 60 pixels is off where its edge is by three."""
EARLIER_BEARING_DEG = 8.0
"""Bearing up to which something was ahead: a third of the 50 degrees that Waymo's front camera sees."""
EARLIER_NEAR_M = 20.0
"""Distance below which it was near: where half of the estimates are within 8 %."""

ACTION_ASIDE_M = 3.0
"""Sideways offset at the end of a trajectory that is a move to that side: nearly a lane."""
LEAST_RATED_POSITIONS = 8
"""Positions 0.5 s apart that a rated trajectory needs, in which it is seen what it does."""
FIRST_STEP_M = 0.5
"""Way in 0.25 s from which the first position of a rated trajectory tells whether it is of the present."""
RATING_BOUNDS = (3.5, 5.5, 7.5)
"""Scores between classes of consequence. Raters gave whole points from 0 to 10; of three trajectories at least one
has 6 or more, so that the line between what they accept and what they do not lies below 6."""
LEAST_RATING_LEAD = 1.0
"""Points by which the best trajectory leads: raters differ by less."""
LEAST_RATING_POINTS = 0.25
"""Nearer to a line between classes nothing is asked: the lines lie between whole points, means of raters may not."""
RATED_HORIZON_S = 5.0
"""How far trajectories go (WOD-E2E)."""
