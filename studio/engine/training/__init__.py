"""Training plans, learning-rate schedules and the checks before a run starts.

Plain data and pure functions: never imports Keras, Qt or jobs.
"""
