"""Evaluation of a model from its predictions alone, in NumPy.

Never imports Keras or the window: predictions come in as arrays, figures go out as data.

To add a way to spoil images: one function and one entry in `compute/measured.py`. To add a
figure: its field in `report.py`, its value and its interval in `report_builder.py`, a line in
`report_table.py`.
"""
