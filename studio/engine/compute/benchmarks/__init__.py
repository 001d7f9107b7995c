"""Measurements for benchmarks: single operations, and training for one cell of a study."""
