"""The page of sweeps: planning one, its trials live, what is done with the best of them.

Must not import other pages or the shell. Everything shown of a journal comes from the bridge.
"""
