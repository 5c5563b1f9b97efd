"""Datasets in the nuScenes schema: nuScenes itself, Tier IV T4, TruckScenes and others."""
