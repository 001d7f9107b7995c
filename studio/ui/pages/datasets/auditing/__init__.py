"""Audit of a dataset: its job, findings and fixes."""
