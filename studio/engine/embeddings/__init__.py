"""Embedding maps of images: plan, points and their file.

Plain data and NumPy; never imports Keras or Qt.
"""
