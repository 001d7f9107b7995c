"""Canvases to draw on large pictures: boxes and masks, with mouse, touchpad or keyboard alone.

`pyramid` (a picture at several sizes), `picture` (zoom and pan), `box_list` and `mask_image` (what
is drawn, with undo; free of Qt), `boxes` and `masks` (their canvases), `editor` (a canvas with its
tools). The page of labels has a set of tools for each, `ui.pages.label.tools`.

All modules but `pyramid` and `picture` import NumPy, so that they are imported when they are used.
"""
