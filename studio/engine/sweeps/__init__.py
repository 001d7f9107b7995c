"""Sweeps: varied fields and their values, the choice of trials, and the best ones.

Plans, trials and requests of sweeps. Never imports Keras, and Optuna, which takes half a second,
only when a study is opened: window and command line read plans and results without it.

To add a sampler or a pruner: 1. its name in `plan.py`; 2. one case in `study.py`.
To add an objective: one entry in `OBJECTIVES` of `plan.py`, and its measure in `rows.py`.
"""
