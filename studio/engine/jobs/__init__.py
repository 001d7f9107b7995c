"""The job kernel: plans in, journals out; queue, workers and the engine host as processes.

Imports nothing of a domain, and never Keras or Qt: workers run in processes started by name.

To add a kind of job: 1. its plan, handler and `JobType` in its domain; 2. one line in the table of
`types.py`.
"""
