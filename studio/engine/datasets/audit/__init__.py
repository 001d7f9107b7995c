"""The audit of a dataset: one pass over the pixels, checks, a report, and fixes that are edits.

Never imports Keras or Qt, and never changes a dataset: fixes go through `datasets.versions`.
`plan` and `findings` stay free of NumPy, because the window imports them when it starts.

To add a check: 1. write a function in `checks.py`; 2. list it in `CHECKS`.
"""
