"""The look of tables that the style sheet cannot give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView

from studio.ui.widgets.eliding import ElidingDelegate
from studio.ui.widgets.terms import HeaderTips

ROW_HEIGHT: Final = 32


def dress_table(view: QTableView) -> None:
    """Give a table calm rows without a grid, whole-row selection and headings at the left."""
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    view.setItemDelegate(ElidingDelegate(view))
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    # Tab leaves the table; the arrow keys move inside it.
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    view.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
    header = view.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setHighlightSections(False)
    header.setStretchLastSection(True)
    HeaderTips(header)


def set_widths(view: QTableView, widths: Sequence[int]) -> None:
    """Give the first columns these widths in pixels, or those that their headings need."""
    header = view.horizontalHeader()
    for column, width in enumerate(widths):
        view.setColumnWidth(column, max(width, header.sectionSizeHint(column)))
