"""What pages ask of a task."""

from __future__ import annotations


class TaskView:
    """The parts of pages that differ between tasks.

    Every method has a plain default, so that a task of a plug-in is shown without a view of its
    own. Methods make widgets; modules of widgets are imported by the view of a task.
    """
