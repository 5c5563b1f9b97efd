"""Objects of data without 3D annotations, estimated from boxes in camera images (STRIDE, A.1)."""
