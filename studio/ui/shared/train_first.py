"""What a page shows that needs a trained network, where there is none."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.ui.context import AppContext
from studio.ui.navigation import OpenPage
from studio.ui.widgets.pages import EmptyState


def train_first(context: AppContext, icon: str, text: str, parent: QWidget) -> EmptyState:
    """The way to a network.

    Args:
        context: Of the window.
        icon: Of the page.
        text: What can be done here then.
        parent: The page.
    """
    tr = partial(QCoreApplication.translate, "TrainFirst")
    empty = EmptyState(context.theme, icon, tr("Train a network first"), text, parent)
    train = empty.add_action(tr("Train a network"), kind="primary")
    data = empty.add_action(tr("Import images"))
    tour = empty.add_action(tr("Try the handwritten digits"))
    train.clicked.connect(partial(_open, context, "train"))
    data.clicked.connect(partial(_open, context, "datasets"))
    tour.clicked.connect(context.navigator.start_tour)
    return empty


def _open(context: AppContext, page: str, _checked: bool = False) -> None:
    context.navigator.open(OpenPage(page))
