"""What happened: key frames, ego poses, tracked boxes and sensors, as columns."""
