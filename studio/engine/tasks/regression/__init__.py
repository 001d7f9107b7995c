"""Regression: one or more numbers per image."""
