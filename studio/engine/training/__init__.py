"""Training plans, learning-rate schedules and the checks before a run starts.

Also requests and the history of runs. Never imports Keras or Qt.
"""
