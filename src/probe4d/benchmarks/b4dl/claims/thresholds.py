"""Where motion is told apart: for each kind a line from which it surely is so, and one from which it surely is not.

What lies between is undecided. Lines are those of the annotation phrases or stricter. All are ours; the paper has none.
"""

from __future__ import annotations

RANGE_M = 3.0
"""A range that shrinks (or grows) by so much is an approach (or a retreat) ..."""
RANGE_BACK_M = 0.5
"""... if it never goes back by more."""
RANGE_NOT_M = 1.0
"""A range that nowhere shrinks (or grows) by so much is none."""
SHARE_M = 1.5
"""What the object's own motion has to add: a parked car that one drives up to approaches to some, and not to others."""

KEEPS_M, KEEPS_NOT_M = 1.0, 5.0
"""Spread of a range that surely is kept, and that surely is not."""

MOVES_MPS = 0.8
"""In every step as fast: surely moves. A slow walk."""
MOVED_M = 2.0
"""Extent of a way that surely is one."""
STILL_M, EGO_STILL_M = 0.5, 0.3
"""Smaller extents are none: boxes of parked cars tremble."""
STAYS_NOT_M = 3.0
"""What is said to remain in place has surely not, after so much."""
FAST_MPS, STANDS_MPS = 1.2, 0.3
"""Speeds before and after a stop, or after and before a start, that surely is one."""
GAIN_MPS, GAIN_BACK_MPS = 3.0, 0.5
"""A speed that rises by so much, and never falls by more, is a speeding up."""
GAIN_NOT_MPS, EGO_GAIN_NOT_MPS = 0.8, 0.4
"""Speeds that nowhere rise by so much have surely not risen: 0.8 m/s is 0.2 m of a box in two key frames."""

TURN_DEG = 45.0
"""Change of heading that surely is a turn; a bend of a road stays below."""
TURN_NOT_DEG, EGO_TURN_NOT_DEG = 10.0, 5.0
"""Headings that nowhere change by so much surely have not turned."""
STRAIGHT_DEG = 5.0
"""Spread of a heading that surely is straight on."""
BACK_NOT_M = 0.1
"""Steps that lead back by less are no reversing."""

PAST_AHEAD_M, PAST_BEHIND_M = 4.0, 2.0
"""What surely has got past lies wholly so far ahead of the rear axle at one end, and so far behind it at the other."""
PASS_ASIDE_M = 8.0
"""What gets past is no farther aside: two lanes."""
PASS_NOT_M = 2.0
"""What nowhere gains (or loses) so much along the ego vehicle has surely not got past it."""
BESIDE_AHEAD_M, BESIDE_BEHIND_M = 5.0, 3.0
"""What never comes as near from ahead, or from behind, has never been beside."""

ASIDE_M, ASIDE_NOT_M = 3.0, 0.75
"""Way to a side that surely is one, and that surely is none."""
ACROSS_M = 2.0
"""On either side of the ego vehicle's way, at both ends of a crossing that surely is one."""
ACROSS_NOT_M = 2.0
"""What stays so far on one side has surely not crossed the way."""

FEWEST_FRAMES = 3
"""Boxes of a thing that a motion can be denied from."""
