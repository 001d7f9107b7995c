"""The parts of pages for several labels per image."""

from __future__ import annotations

from studio.ui.tasks.multi_label.answer import LabelAnswer
from studio.ui.tasks.multi_label.data import MultiLabelData
from studio.ui.tasks.view import TaskView


class MultiLabelView(MultiLabelData, TaskView):
    """Shows several labels per image."""

    answer = LabelAnswer()


VIEW = MultiLabelView()
