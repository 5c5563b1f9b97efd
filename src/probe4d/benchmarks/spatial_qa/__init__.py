"""NuScenes-SpatialQA: relations, quantities and situations of objects in one camera image."""
