"""Edits, versions and splits of a dataset."""
