"""STRIDE on Waymo's end-to-end data: estimated objects, ego states, ratings and scenario clusters (App. A.1)."""
