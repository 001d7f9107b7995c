"""Seeing inside: a map of what a model makes of images, its layers, and its heat maps."""
