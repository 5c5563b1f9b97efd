"""Waymo's perception data: segments of camera frames with laser labels and, where records hold them, range images."""
