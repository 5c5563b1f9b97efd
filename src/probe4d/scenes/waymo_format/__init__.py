"""What Waymo's end-to-end and perception data share: shards, messages, values, cameras, steps in time."""
