"""Evaluate page: metrics of a model, the images it gets wrong, and comparison with other models.

Evaluations are opened in background threads (`pictures.py`). Must not import Keras or other pages.
A tab of reports on classes is a `ReportTab` in `tabs.py` and a line in `TABS` of `report.py`.
"""
