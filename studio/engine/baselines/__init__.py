"""What a dataset promises before any training: plans, figures and reports, and kept features.

Never imports Keras or the window; the work itself is done in `compute.baseline`.
"""
