"""Estimates before any training: plans, figures, reports and cached features.

Never imports Keras or the window; the work itself is done in `compute.baseline`.
"""
