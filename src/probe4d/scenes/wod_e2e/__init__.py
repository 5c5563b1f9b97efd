"""Waymo's end-to-end driving data (WOD-E2E): shards of camera frames with ego states and rated trajectories."""
