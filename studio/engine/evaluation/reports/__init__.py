"""The report of an evaluation as a file: HTML that needs nothing else, CSV, JSON."""
