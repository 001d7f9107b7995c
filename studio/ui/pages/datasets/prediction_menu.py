"""The menu of runs whose predictions can be looked at."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMenu, QToolButton

from studio.ui.pages.datasets.prediction_watch import PredictionWatch


def offer_runs(button: QToolButton, watch: PredictionWatch) -> None:
    """Open the menu below a button; what is chosen in it is wanted of `watch`."""
    menu = QMenu(button)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    runs = watch.runs()
    for run in runs:
        # An & would underline the letter behind it.
        action = menu.addAction(run.info.name.replace("&", "&&"))
        action.triggered.connect(partial(watch.want, run))
    if not runs:
        text = QCoreApplication.translate("datasets", "No run has learned from this dataset yet")
        menu.addAction(text).setEnabled(False)
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
