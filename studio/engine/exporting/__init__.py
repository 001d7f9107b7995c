"""Exports: requests, the table of formats, and the certificate of each file.

Declarations only: the writers are in `compute/exporters`. Never imports Keras or Qt. To add a
format, see `formats`; the command line and the page read that table.
"""
