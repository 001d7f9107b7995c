"""The sheet on which an import is prepared: one page, with everything that will happen on it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio.engine.errors import Problem, StudioError
from studio.engine.progress import Cancelled
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.import_work import Found, Search, find_images, submit_import
from studio.ui.pages.datasets.recipe_panel import RecipePanel
from studio.ui.pages.datasets.search_panel import SearchPanel
from studio.ui.pages.datasets.state import one_folder, size_on_disk, unused_name
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.page_header import PageHeader

LAST_FOLDER = "images"


class ImportSheet(QWidget):
    """From a folder to a job.

    Signals:
        submitted: Id of the dataset whose import was asked for.
        closed: The user does not want to import.
    """

    submitted = Signal(str)
    closed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._search: Search | None = None
        self._is_asking = False
        theme = context.theme
        self.header = PageHeader(self.tr("Import images"), "", self)
        self.other_button = push_button(
            self.tr("Another folder…"), theme, icon="folder-open", parent=self
        )
        self.search = SearchPanel(theme, self)
        self.recipe = RecipePanel(theme, context.background, self)
        self.outcome = QLabel(self)
        self.outcome.setProperty("role", "muted")
        self.close_button = push_button(self.tr("Not now"), theme, kind="quiet", parent=self)
        self.import_button = push_button("", theme, kind="primary", icon="download", parent=self)
        self._parts = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self.start(None)

    def start(self, path: Path | None) -> None:
        """Begin anew, with a folder, or by asking for one."""
        self._forget_search()
        self.recipe.clear()
        if path is None:
            self._ask()
            return
        path = path.absolute()
        self._context.settings.set_folder(LAST_FOLDER, path.parent)
        self.header.set_subtitle(str(path))
        self.search.show_search(path)
        self._show_part(self.search)
        self._search = Search(self)
        self._search.advanced.connect(self.search.show_number)
        self._context.background.run(
            self,
            partial(find_images, path, self._search),
            partial(self._on_found, self._search),
            partial(self._on_search_failed, self._search),
        )

    def browse(self) -> None:
        """Let the user choose a folder."""
        path = self._ask_folder()
        if path is not None:
            self.start(path)

    def refresh_names(self) -> None:
        """Take note that datasets came, went, or were renamed."""
        self.recipe.name.set_taken(self._taken())
        self._refresh()

    def _ask(self, error: StudioError | None = None) -> None:
        if error is None:
            self.header.set_subtitle("")
        self.search.ask(error)
        self._show_part(self.search)

    def _show_part(self, part: QWidget) -> None:
        self._parts.setCurrentWidget(part)
        ready = part is self.recipe
        self.other_button.setVisible(ready)
        self.import_button.setVisible(ready)
        self.outcome.setVisible(ready)
        self._refresh()

    def _forget_search(self) -> None:
        if self._search is not None:
            self._search.cancel()
            self._search = None

    def _on_found(self, search: Search, found: Found) -> None:
        search.deleteLater()
        if search is not self._search:
            return
        self._search = None
        taken = self._taken()
        self.recipe.show_found(found, unused_name(found.path.name or "images", taken), taken)
        self._show_part(self.recipe)
        self.recipe.name.edit.setFocus()

    def _on_search_failed(self, search: Search, error: BaseException) -> None:
        search.deleteLater()
        if search is not self._search:
            return
        self._search = None
        if isinstance(error, StudioError):
            self._ask(error)
            return
        self._ask()
        if not isinstance(error, Cancelled):
            self._context.background.failed.emit(error)

    def _refresh(self) -> None:
        """Say what the button would do, or why it cannot."""
        found, recipe = self.recipe.found, self.recipe.recipe()
        if found is None:
            return
        self.import_button.setText(messages.import_words(found.count))
        if recipe is not None:
            size = size_on_disk(recipe, found.count)
            self.outcome.setText(messages.outcome_line(recipe, size))
        reason = ""
        if self._is_asking:
            reason = self.tr("It is being asked for")
        elif self.recipe.name.problem is not None:
            reason = self.tr("The name cannot be used")
        elif recipe is None:
            reason = self.tr("Mend the marked settings first")
        self.import_button.setEnabled(not reason)
        self.import_button.setToolTip(reason)

    def _submit(self) -> None:
        recipe = self.recipe.recipe()
        if recipe is None:
            return
        self._is_asking = True
        self._refresh()
        work = partial(submit_import, self._context.jobs.queue, recipe, self.recipe.name.name())
        self._context.background.run(self, work, self._on_submitted, self._on_refused)

    def _on_submitted(self, record_id: str) -> None:
        self._is_asking = False
        self.submitted.emit(record_id)

    def _on_refused(self, error: BaseException) -> None:
        self._is_asking = False
        if not isinstance(error, StudioError):
            self._context.background.failed.emit(error)
        elif error.where == "source":
            self._ask(error)
        else:
            self.recipe.show_problem(Problem(error.where, error.message, error.hint))
        self._refresh()

    def _taken(self) -> list[str]:
        return [entry.name for entry in self._context.jobs.entries(RecordKind.DATASET)]

    def _ask_folder(self) -> Path | None:
        start = str(self._context.settings.folder(LAST_FOLDER))
        title = self.tr("Choose the folder that holds one folder per class")
        chosen = QFileDialog.getExistingDirectory(self, title, start)
        return Path(chosen) if chosen else None

    def _on_dropped(self, paths: list[Path]) -> None:
        folder = one_folder(paths)
        if folder is not None:
            self.start(folder)
            return
        text = self.tr("One folder is needed; {n} things were dropped, or a file.")
        hint = self.tr("Drop the folder that holds the class folders.")
        self._ask(StudioError(text.format(n=len(paths)), hint))

    def _on_cancel(self) -> None:
        if self._search is not None:
            self._search.cancel()

    def _on_close(self) -> None:
        self._forget_search()
        self.recipe.clear()
        self.closed.emit()

    def _lay_out(self) -> None:
        self.header.add_action(self.other_button)
        self._parts.addWidget(self.search)
        self._parts.addWidget(self.recipe)
        bottom = QHBoxLayout()
        bottom.setSpacing(SPACE.s)
        bottom.addWidget(self.outcome)
        bottom.addStretch(1)
        bottom.addWidget(self.close_button)
        bottom.addWidget(self.import_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.l, SPACE.l)
        column.setSpacing(SPACE.m)
        column.addWidget(self.header)
        column.addWidget(self._parts, 1)
        column.addLayout(bottom)

    def _connect(self) -> None:
        self.search.paths_dropped.connect(self._on_dropped)
        self.search.browse_requested.connect(self.browse)
        self.search.cancel_requested.connect(self._on_cancel)
        self.other_button.clicked.connect(self.browse)
        self.recipe.changed.connect(self._refresh)
        self.close_button.clicked.connect(self._on_close)
        self.import_button.clicked.connect(self._submit)
