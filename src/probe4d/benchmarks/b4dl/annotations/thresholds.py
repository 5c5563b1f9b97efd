"""Where the annotation phrases draw their lines, and why. The paper prints none of these numbers; they are ours.

Speeds and rates are smoothed: at a key frame they are taken from the one before to the one after it.
"""

from __future__ import annotations

MOST_RANGE_M = 50.0
"""Objects farther off are not spoken of: LiDAR returns are few there, and boxes follow them loosely."""
LEAST_FRAMES = 3
"""Key frames in a row that a motion needs to be measured: between two of them, noise and motion look alike."""
MOST_SPACING_S = 0.75
"""Key frames farther apart have one missing between them; nothing is said across."""

MOVES_MPS = 1.0
"""As fast moves: a slow walk."""
STANDS_MPS = 0.5
"""Slower stands: boxes of parked cars tremble by up to 0.2 m between key frames. In between, nothing is said."""
STILL_RADIUS_M = 0.75
"""What stands stays as near to its median place: an object that creeps on does not stand."""
PARKED_RADIUS_M = 1.5
"""The same of an object annotated as parked: boxes of distant parked cars wander by more than those of near ones."""
MOVED_M = 2.0
"""Way before a stop, after a start, and across or along in a turn: less may be a correction of the box."""
STAND_STEPS = 2
"""Steps between key frames, of half a second each, that a stand needs to be one: shorter stops are none."""
STAY_STEPS = 4
"""Steps of a stand that is told for itself."""

RANGE_RATE_MPS = 0.5
"""A range that changes more slowly is steady."""
RANGE_CHANGE_M = 3.0
"""A range that changes by less neither shrinks nor grows."""
RANGE_STEPS = 2
"""Steps of a change of range."""
SHARE_M = 2.0
"""What the object's or the ego vehicle's own motion has to add to a change of range to be named as its cause."""
OBJECT_SHARE = 0.5
"""Of the way of an object, what has to lead towards (or away from) the ego vehicle: within 60 degrees of it."""
EGO_SHARE = 0.75
"""Of the way of the ego vehicle, what has to lead towards an object that it drives `towards`: within 41 degrees."""

KEEP_MPS = 1.0
"""Faster in the ego frame, an object does not keep its distance."""
KEEP_STEPS = 4
"""Steps over which a distance is kept."""
KEEP_CHANGE_M = 2.0
"""Between the least and the largest range of a distance that is kept."""
KEEP_RADIUS_M = 2.0
"""In the ego frame, an object that keeps its distance stays as near to its mean place: it goes the same way."""

DIRECTION_DEG = 45.0
"""Within this angle of the ego vehicle's heading an object goes the same way, within it of the opposite it comes."""
PASS_ASIDE_M = 8.0
"""What passes or is passed is no farther to the side: two lanes."""
PASS_BESIDE_M = 1.0
"""And no nearer: what is straight ahead or behind is not passed."""
STEADY_DEG = 30.0
"""While the ego vehicle turns more than this, objects swing past its sides and ends without passing or crossing."""
PASS_SHARE = 2.0
"""Times that the ego vehicle's way is that of an object, where it is the one that passes."""

CROSS_SHARE = 0.5
"""Of an object's speed, what goes to the side: 30 degrees or more from the heading of the ego vehicle."""
CROSS_CLEAR_M = 1.0
"""Of the centre line of the ego vehicle, on either side: what crosses comes from and gets to beyond it."""
CROSS_REACH_M = 30.0
"""How far ahead or behind a crossing is one of the ego vehicle's way."""
CROSS_ASIDE_M = 15.0
"""How far to the side a crossing begins and ends."""

TURN_RATE_DEG_S = 5.0
"""Slower changes of heading are no turning: a bend of 100 m at 30 km/h."""
TURN_DEG = 30.0
"""Change of heading of a turn: bends of roads and changes of lane stay below it."""
TURN_AGREEMENT = 0.5
"""Of the change of heading of a box, what the way of its centre has to turn too: boxes are turned in annotating."""

ACCELERATION_MPS2 = 0.5
"""Slower changes of the ego vehicle's speed are none."""
SPEED_CHANGE_MPS = 2.0
"""Change of speed that is told."""
DRIVE_STEPS = 2
"""Steps of a drive that is told for itself."""
STEADY_MPS = 1.0
"""Speeds that differ by no more over a drive are steady,"""
STEADY_SHARE = 0.2
"""if they also differ by no more of their mean: rolling to a stop is not steady."""
STRAIGHT_DEG = 15.0
"""Change of heading up to which a drive is straight on."""
