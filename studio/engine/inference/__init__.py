"""Predictions: requests, replies, and sources of pictures.

Plain data, paths and requests to the engine host; never imports Keras or Qt.
"""
