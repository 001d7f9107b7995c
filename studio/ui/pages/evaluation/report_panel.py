"""One evaluation: its headline figures, its tabs, and the images behind what is clicked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFileDialog,
    QMenu,
    QSplitter,
    QTabBar,
    QWidget,
)

from studio.engine.evaluation.reports import ReportKind
from studio.engine.files import slug
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.drawer import Drawer
from studio.ui.pages.evaluation.state import Evaluation
from studio.ui.pages.evaluation.tabs.certainty import CertaintyTab
from studio.ui.pages.evaluation.tabs.classes import ClassesTab
from studio.ui.pages.evaluation.tabs.compare import CompareTab
from studio.ui.pages.evaluation.tabs.confusion import ConfusionTab
from studio.ui.pages.evaluation.tabs.figures import FiguresTab
from studio.ui.pages.evaluation.tabs.robustness import RobustnessTab
from studio.ui.pages.evaluation.tabs.tab import ReportTab
from studio.ui.pages.evaluation.tiles import Tiles
from studio.ui.pages.evaluation.work import Opened, save
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.pages import PageHeader, PageStack
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPLITTER: Final = "evaluation/drawer"
TABS: Final[tuple[type[ReportTab], ...]] = (
    ConfusionTab,
    ClassesTab,
    CertaintyTab,
    RobustnessTab,
    FiguresTab,
    CompareTab,
)


class ReportPanel(QWidget):
    """Shows an opened evaluation.

    Signals:
        saved: A report was written; carries its path.
    """

    saved = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._opened: Opened | None = None
        theme = context.theme
        self.header = PageHeader("", parent=self)
        self.save_button = push_button(self.tr("Save report"), theme, icon="export", parent=self)
        self.save_menu = QMenu(self)
        self._fill_menu()
        self.save_button.setMenu(self.save_menu)
        self.trash_button = icon_button("trash", self.tr("Move to the trash"), theme, parent=self)
        self.header.add_action(self.save_button)
        self.header.add_action(self.trash_button)
        self.tiles = Tiles(self)
        # Over the images, too: a small window has no room for all words beside them.
        self.tabs = QTabBar(self)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(self.tr("Parts of the report"))
        self._pages = PageStack(self)
        self._images_tab: int | None = None
        self.drawer = Drawer(theme, self)
        self.made: list[ReportTab] = []
        for kind in TABS:
            tab = kind(context, self)
            tab.images_wanted.connect(self._on_images)
            tab.failed.connect(context.navigator.show_failure)
            self.made.append(tab)
            self.tabs.addTab(kind.title())
            self._pages.addWidget(tab)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._lay_out()
        self.tabs.currentChanged.connect(self._on_tab)
        self.drawer.closed.connect(self._on_closed)
        self._splitter.splitterMoved.connect(self._on_splitter)
        explain(
            self.save_button,
            self.tr("Writes the report as a page for any browser, with its figures as tables."),
        )
        explain(self.tabs, self.tr("Ways to look at the same answers."))

    def show_tab(self, kind: type[ReportTab]) -> None:
        """Open one of the tabs."""
        self.tabs.setCurrentIndex(TABS.index(kind))

    def tab(self, kind: type[ReportTab]) -> ReportTab:
        """One of the tabs."""
        return self.made[TABS.index(kind)]

    @property
    def compare(self) -> CompareTab:
        """The tab that holds two evaluations against each other."""
        tab = self.tab(CompareTab)
        if not isinstance(tab, CompareTab):
            raise TypeError("the tabs are in another order than their kinds")
        return tab

    def show_opened(self, opened: Opened) -> None:
        """Show another evaluation."""
        self._opened = opened
        report = opened.evaluated.report
        self.header.set_title(report.subject.title)
        notes = engine_text(" ".join(report.notes))
        self.header.set_subtitle(f"{messages.subtitle(report)} {notes}".strip())
        self.tiles.show_report(report)
        self._images_tab = None
        for tab in self.made:
            tab.show_opened(opened)
        self._show_drawer()

    def show_rivals(self, rivals: Sequence[Evaluation]) -> None:
        """Offer evaluations to compare with."""
        self.compare.show_rivals(rivals)

    def save_report(self, kind: ReportKind) -> None:
        """Ask for a file, and write the report into it."""
        opened = self._opened
        path = None if opened is None else self._ask_file(kind, opened)
        if opened is None or path is None:
            return
        work = partial(save, self._context.workspace, opened, kind, path, self.compare.comparison)
        self._context.background.run(self, work, self._on_saved)

    def _on_saved(self, path: Path) -> None:
        text = self.tr("Saved as {path}.").format(path=path)
        self._context.navigator.notify(Notice("success", text))
        self.saved.emit(path)

    def _ask_file(self, kind: ReportKind, opened: Opened) -> Path | None:
        subject = opened.evaluated.report.subject
        name = f"{slug(subject.title, 'evaluation')}-{subject.split}.{kind}"
        chosen, _ = QFileDialog.getSaveFileName(
            self, self.tr("Save the report"), name, f"{kind.upper()} (*.{kind})"
        )
        if not chosen:
            return None
        path = Path(chosen)
        return path if path.suffix else path.with_suffix(f".{kind}")

    def _on_images(self, title: str, places: NDArray[np.int64]) -> None:
        opened = self._opened
        if opened is None:
            return
        self.drawer.show_images(title, opened.captioned(places), opened.pictures)
        self._images_tab = self.tabs.currentIndex()
        self._show_drawer()

    def _on_closed(self) -> None:
        self._images_tab = None
        self._show_drawer()

    def _on_tab(self, index: int) -> None:
        self._pages.setCurrentIndex(index)
        self._show_drawer()

    def _show_drawer(self) -> None:
        # Images belong to the tab in which they were asked for; others have the whole width.
        self.drawer.setVisible(self._images_tab == self.tabs.currentIndex())

    def _fill_menu(self) -> None:
        kinds: tuple[tuple[ReportKind, str], ...] = (
            ("html", self.tr("As a page with pictures (HTML)…")),
            ("csv", self.tr("As a table (CSV)…")),
            ("json", self.tr("As data (JSON)…")),
        )
        for kind, text in kinds:
            action = QAction(text, self)
            action.triggered.connect(partial(self._on_save, kind))
            self.save_menu.addAction(action)

    def _on_save(self, kind: ReportKind, _checked: bool = False) -> None:
        self.save_report(kind)

    def _on_splitter(self, _position: int, _index: int) -> None:
        self._context.settings.set_bytes(SPLITTER, self._splitter.saveState())

    def _lay_out(self) -> None:
        splitter = self._splitter
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._pages)
        splitter.addWidget(self.drawer)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([600, 240])
        state = self._context.settings.bytes(SPLITTER)
        if state is not None:
            splitter.restoreState(state)
        vbox(self.header, self.tiles, self.tabs, (splitter, 1), owner=self, spacing=SPACE.s)
