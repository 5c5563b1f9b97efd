"""Where the rules of STRIDE draw their lines, and why. The paper prints none of these numbers; they are ours."""

from __future__ import annotations

HISTORY_FRAMES = 4
"""Key frames before the query frame: with it five, 0.5 s apart (App. A.3)."""
FRAME_SPACING_S = 0.5
"""Seconds between key frames, as far as questions say; speeds are taken over the real times (App. A.3)."""
MOST_SPACING_S = 0.75
"""Key frames farther apart are not half a second apart: between them one is missing, and nothing is asked across."""
MOTION_FRAMES = 4
"""Key frames in which the future motion of an object is measured: as long as the history that is shown."""
FUTURE_POSITIONS = 5
"""Future positions of the ego vehicle that are asked for (App. C.3)."""
PAST_POSITIONS = HISTORY_FRAMES
"""Past positions: one for each earlier picture that is shown; one more could not be seen."""

FEWEST_PARTS = 2
"""Parts that the reference of an open question needs: with one it would be a choice question."""

MOST_RANGE_M = 60.0
"""Objects farther off are never targets: a person is a few pixels high in the grid."""
LEAST_TARGET_HEIGHT_PX = 24.0
"""Height of a target's box in an image of 1600 x 900: about three rows of pixels in a grid of 640."""
COUNTED_IMAGE_HEIGHT_PX = 900
"""Height of that image. In others a box has to be as high a part of the image."""
DISTANCE_BOUNDS_M = (10.0, 20.0, 30.0, 45.0)
"""Bins widen with distance, as what an eye can tell does."""
TRAFFIC_RANGE_M = 50.0
"""How far traffic matters to a driver in town, and people still show in the pictures."""
TRAFFIC_BOUNDS = (10, 20, 40)
"""Parts the key frames of nuScenes mini into quarters, about."""
DENSITY_RANGE_M = 20.0
"""As far as the way ahead is asked to be free."""
DENSITY_BOUNDS = (5, 10, 20)
"""Quarters again."""
TIME_TO_COLLISION_BOUNDS_S = (2.0, 4.0, 8.0)
"""Two seconds are the usual gap of a driver's handbook; beyond eight nobody acts yet."""

FIXED_CATEGORIES = (
    "movable_object.barrier",
    "movable_object.trafficcone",
    "movable_object.debris",
    "static_object.bicycle_rack",
)
"""Categories of what never moves by itself: how it moves is not asked about."""
STILL_MPS = 0.5
"""Slower is standing still: the annotations of parked cars tremble by up to 0.2 m between key frames."""
SPEED_CHANGE_MPS = 1.0
"""Of the mean speeds of the first and the last half of a window: less is a steady speed."""
TURN_DEG = 15.0
"""Change of heading of an object over a window: less is straight on, as lane changes are."""
EGO_TURN_DEG = 10.0
"""The same of the ego vehicle, whose poses do not tremble."""
DIRECTION_DEG = 45.0
"""From the heading of the ego vehicle: up to here an object moves along, beyond it across."""

PATH_HALF_WIDTH_M = 1.5
"""Half the way of the ego vehicle: half its width and half a metre of room."""
LANE_FAR_SIDE_M = 5.0
"""Farther side of the strip beside the way: a lane of 3.5 m."""
PATH_AHEAD_M = 30.0
"""An object blocks the way up to here: what a car needs to stop from 50 km/h."""
FREE_AHEAD_M = 20.0
"""Way ahead that has to be free to go on: what a car needs to stop from 40 km/h."""
BESIDE_BEHIND_M = 5.0
"""How far a strip beside reaches back: the rest of the ego vehicle and a small car behind it."""
BESIDE_AHEAD_M = 15.0
"""How far a strip beside reaches ahead: what moving over by a lane takes in town."""
LANE_CHANGE_BEHIND_M = 10.0
"""Room that a lane change has to leave behind: one second at 36 km/h."""
LANE_CHANGE_AHEAD_M = 15.0
"""Room that it needs ahead, as far as the strips of free regions."""
LANE_CHANGE_LOOK_BACK_M = 40.0
"""How far back a mirror is looked into: 15 m/s faster, a car from there is beside in two seconds."""
LANE_CHANGE_S = 2.0
"""An object from behind that would be beside the ego vehicle within this time takes the room away."""

RISK_S = 4.0
"""How far velocities are extrapolated for risk."""
RISK_STEP_S = 0.25
"""Time between the places at which outlines are compared."""
RISK_APPROACH_M = 0.5
"""Outlines that come nearer to each other by less than this do not meet: a car beside or one that follows."""
RISK_BOUNDS_M = (1.0, 3.0, 8.0)
"""Nearest approach of outlines: high, moderate, low, and none beyond."""
APPROACH_MPS = 0.5
"""A range that shrinks by less is no approach."""
PLANE_M = 0.5
"""Height of an object's bottom above or below the plane of the ego vehicle's wheels that still is contact."""
MOVED_M = 2.0
"""An ego vehicle that goes less far stays near where it is."""
ASIDE_M = 1.5
"""Sideways offset after which a position is no longer straight ahead."""
NEAR_MISS_M = 1.0
"""Room beside an object that a driver would not go below at speed."""
COURSE_M = 2.0
"""Ends of trajectories that are farther apart are of different courses."""
STRETCHES = (0.5, 1.5)
"""Factors by which a wrong trajectory is slower or faster than the driven one."""
SWERVE_M = 3.0
"""Sideways offset at the end of a swerve: nearly a lane."""
SWERVE_LEAST_M = 2 * SWERVE_M
"""Shortest way on which a car can swerve so far."""
STOP_WITHIN_S = 2.0
"""Time in which a wrong trajectory brakes to a stop."""
CLEARANCE_PARTS = 4
"""Places between two positions of a trajectory at which outlines are compared: at 15 m/s, less than 2 m apart."""
CLEARANCE_REACH_M = 5.0
"""Objects farther from a trajectory say nothing about it."""

WELL_VISIBLE_LEVEL = 3
"""Visibility level (60 % and more) from which an object counts as well visible; level 1 (below 40 %) is occluded."""
SEEN_LEVEL = 2
"""Visibility level (40 % and more) from which an object counts as seen at all, and may be a target."""
MEMORY_RANGE_M = 30.0
"""Objects farther off are too small in the grid to be missed; a car is some 20 pixels long there."""

LEAST_MARGIN: dict[str, float] = {
    "metres": 0.5,
    "degrees": 3.0,
    "metres per second": 0.2,
    "seconds": 0.3,
}
"""Nearer to a line, by the unit of the measure, an answer is not asked for: no eye could tell."""
LEAST_ROOM_M = 0.2
"""The same of room between outlines and of heights, whose lines are a metre or less apart: the whole unit would leave
nothing between them. About what annotations tremble by."""
