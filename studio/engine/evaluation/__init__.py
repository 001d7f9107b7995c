"""Evaluation of a model from its predictions alone, in NumPy.

Never imports Keras or the window: predictions come in as arrays, figures go out as data.

A report has the same form for all tasks (`report.py`): metrics that the `Reporter` of the task
declares, the same for each output, and parts that only some tasks measure. An evaluation that is
opened (`opened.py`) adds the predictions that it was measured from; a task names its class.

To add a way to spoil images: one function and one entry in `compute/measured.py`. To add a metric
of classes: its `MetricSpec` in `report_metrics` or `report_columns` of the reporter, its name in
`class_layout.py`, its value and its interval in `report_builder.py`.
"""
