"""Evaluation: how good a model is, on which images it fails, and whether another is better.

Reports are read in background threads (`work.py`); never imports Keras or another page.
"""
