"""B4DL's data as released, in all its layouts: read into benchmarks, and written from them."""
