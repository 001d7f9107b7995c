"""Evaluate: how good a model is, on which images it fails, and whether another is better.

Evaluations are opened in background threads (`pictures.py`); never imports Keras or another page.
A tab of reports on classes is a `ReportTab` in `tabs.py` and a line in `TABS` of `report.py`.
"""
