"""Benchmarks written for other harnesses, one module a harness."""
