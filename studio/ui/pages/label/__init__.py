"""Labeling: from pictures without labels to a dataset.

`page` (list, new, one labeling), `session` (an open labeling: what is shown next, decisions),
`view` (one labeling), `single` (one picture after another), `classes` (the classes with their
keys), `grid` (many at once), `capture` (webcam, screen, clipboard), `output` (dataset, files).
"""
