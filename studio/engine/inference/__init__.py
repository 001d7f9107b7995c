"""Predictions: what is asked, what is answered, and where the pictures come from.

Plain data, paths and questions to the engine host; never imports Keras or Qt.
"""
