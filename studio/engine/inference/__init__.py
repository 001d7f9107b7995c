"""Predictions: what is asked, what is answered, and where the pictures come from.

Plain data and paths; never imports Keras, Qt or jobs.
"""
