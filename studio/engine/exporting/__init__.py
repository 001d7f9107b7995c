"""Exports: what is asked for, the formats there are, and the certificate each file carries.

Declarations only: the writers live in `compute/exporters`. Never imports Keras or Qt.

To add a format: 1. `formats/<name>.py` with an `ExportFormat`; 2. one line in `formats/__init__`;
3. its writer in `compute/exporters/<name>.py`, one line in its `__init__`; 4. what runs it in
`assets/export/runtimes/<name>.py`, unless one of those does. Certificate, option and boxes follow.
"""
