"""Benchmarks page: training, prediction and single operations on each device."""
