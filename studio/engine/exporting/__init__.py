"""Exports: requests, the table of formats, and the certificate of each file.

Declarations only: the writers live in `compute/exporters`. Never imports Keras or Qt. To add a
format, see `formats`; certificate, option and boxes on the page follow.
"""
