"""Semantic segmentation: a class for each pixel of an image."""
