"""Estimates before any training: plans, figures, reports and cached features.

Never imports Keras or the window; `compute.baseline` computes them.
"""
