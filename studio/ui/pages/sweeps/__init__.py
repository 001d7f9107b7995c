"""The page of sweeps: planning one, its live trials, and actions for the best trials.

Must not import other pages or the shell. All data of journals comes from the bridge.
"""
