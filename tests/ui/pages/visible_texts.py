"""All texts that a window shows, page by page, in one language after the other.

Run as a script, `visible_texts.py WORKSPACE SETTINGS LANGUAGE…` opens a window in the first
language, changes to each of the others while it is open, and prints the texts of each pass as
JSON: a list of `{page: [text, …]}`. A process of its own has no text that an earlier test
translated and kept.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEventLoop,
    QModelIndex,
    Qt,
    QTimer,
)
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QGroupBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

from helpers.zygote import forking
from studio.engine.workspace import RecordKind, Workspace
from studio.ui import app as app_module
from studio.ui.app import StudioApp
from studio.ui.charts.chart import Description
from studio.ui.navigation import Intent, PlanRun, page_intent
from studio.ui.pages import PAGES
from studio.ui.settings import Settings
from studio.ui.shell.frame import DeviceMeters
from studio.ui.shell.main_window import MainWindow
from studio.ui.theme.theme import Theme

KINDS = {
    "datasets": RecordKind.DATASET,
    "train": RecordKind.RUN,
    "sweeps": RecordKind.SWEEP,
    "evaluation": RecordKind.EVALUATION,
    "predict": RecordKind.RUN,
    "export": RecordKind.RUN,
    "bench": RecordKind.BENCHMARK,
}
_MOST_ROWS = 50
_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
)


def texts_of(window: QWidget) -> list[str]:
    """Texts of a window and of what is in sight there, sorted; without the meters of devices."""
    for description in window.findChildren(Description):
        description.write()  # it waits for a second otherwise
    found: set[str] = set()
    for widget in (window, *window.findChildren(QWidget)):
        if _is_seen(widget):
            found.update(_texts(widget))
    return sorted(found - {""})


def _is_seen(widget: QWidget) -> bool:
    """True for what is in sight, and for the closed menus of that."""
    parent = widget.parentWidget()
    while isinstance(widget, QMenu) and parent is not None:
        widget, parent = parent, parent.parentWidget()
    if not widget.isVisible():
        return False
    while parent is not None and not isinstance(widget, DeviceMeters):
        widget, parent = parent, parent.parentWidget()
    return not isinstance(widget, DeviceMeters)


def _texts(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.whatsThis(), widget.windowTitle())
    yield from (widget.accessibleName(), widget.accessibleDescription())
    for action in widget.actions():
        yield from _action_texts(action)
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QGroupBox):
        yield widget.title()
    elif isinstance(widget, QTabBar):
        for tab in range(widget.count()):
            yield from (widget.tabText(tab), widget.tabToolTip(tab))
    elif isinstance(widget, QAbstractItemView):
        yield from _view_texts(widget)
    else:
        yield from _field_texts(widget)


def _field_texts(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLineEdit):
        yield from (widget.text(), widget.placeholderText())
    elif isinstance(widget, QTextEdit | QPlainTextEdit):
        yield from (widget.toPlainText(), widget.placeholderText())
    elif isinstance(widget, QAbstractSpinBox):
        yield from (widget.text(), widget.specialValueText())
    elif isinstance(widget, QComboBox):
        yield from (widget.itemText(row) for row in range(widget.count()))


def _view_texts(view: QAbstractItemView) -> Iterator[str]:
    if isinstance(view, QHeaderView):
        yield from _header_texts(view)
        return
    model: QAbstractItemModel | None = view.model()
    if model is not None:
        yield from _item_texts(model, QModelIndex())


def _action_texts(action: QAction) -> Iterator[str]:
    yield from (action.text(), action.toolTip())


def _header_texts(header: QHeaderView) -> Iterator[str]:
    model: QAbstractItemModel | None = header.model()
    if model is None or header.orientation() == Qt.Orientation.Vertical:
        return
    for section in range(header.count()):
        for role in _ROLES:
            yield _text(model.headerData(section, header.orientation(), role))


def _item_texts(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[str]:
    # Qt gives no access to the columns of a list.
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    for row in range(min(_MOST_ROWS, model.rowCount(parent))):
        for column in range(columns):
            index = model.index(row, column, parent)
            yield from (_text(index.data(role)) for role in _ROLES)
            if column == 0 and columns > 1:
                yield from _item_texts(model, index)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def visit(window: MainWindow) -> dict[str, list[str]]:
    """Show each page with a record of the workspace; return its texts."""
    found = {}
    for key, intent in _visits(window.context.workspace):
        window.open(intent)
        settle(window)
        found[key] = sorted(set(texts_of(window)).union(*texts_of_tabs(window)))
    return found


def _visits(workspace: Workspace) -> Iterator[tuple[str, Intent]]:
    for page in PAGES:
        kind = KINDS.get(page.name)
        records = workspace.records(kind) if kind is not None else []
        first = min(records, key=lambda each: each.name).id if records else ""
        yield page.name, page_intent(page.name, first)
    yield "train new", PlanRun(dataset=workspace.records(RecordKind.DATASET)[0].id)


def texts_of_tabs(window: MainWindow) -> Iterator[list[str]]:
    """Texts with each of the tabs opened that are in sight on the page."""
    page = window.page(window.current_page)
    for bar in (bar for bar in page.findChildren(QTabBar) if bar.isVisible()):
        for number in range(bar.count()):
            bar.setCurrentIndex(number)
            settle(window)
            yield texts_of(page)


def settle(window: MainWindow) -> None:
    """Wait until nothing is being computed or about to be."""
    for _ in range(3):
        QApplication.processEvents()
        while not window.context.background.is_idle or _is_about_to_work(window):
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)


def _is_about_to_work(window: MainWindow) -> bool:
    """True if a part of the window waits a little for more changes before it shows them."""
    return any(
        timer.isSingleShot() and timer.isActive() and not isinstance(timer, Description)
        for timer in window.findChildren(QTimer)
    )


def main(root: str, settings_file: str, *languages: str) -> None:
    app = QApplication(["studio"])
    app_module.WARM_UP_MS = 10**8
    theme = Theme("light")
    theme.apply(app)
    settings = Settings(Path(settings_file))
    settings.language = languages[0]
    studio = StudioApp(settings, theme)
    studio.open(Path(root))
    passes = []
    for language in languages:
        before = studio.window
        if before is not None and language != settings.language:
            before.context.navigator.language_requested.emit(language)
        window = studio.window
        if window is None:
            raise SystemExit("the window is gone")
        while not window.context.jobs.is_loaded:
            QApplication.processEvents()
        window.resize(1400, 900)
        passes.append(visit(window))
    studio.close()
    sys.stdout.write(json.dumps(passes) + "\n")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with forking():
        main(*sys.argv[1:])
