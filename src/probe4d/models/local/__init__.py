"""What models need that run on this machine: weights from disk, a device, memory, and what they are shown in time."""
