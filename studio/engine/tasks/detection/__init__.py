"""Boxes of objects in images."""
