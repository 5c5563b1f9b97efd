"""Writes datasets in the schema of nuScenes: rows of its tables, scene by scene, and the tables whole."""
