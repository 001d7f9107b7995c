"""The sheet on which an import is prepared: one page, with everything that will happen on it."""

from __future__ import annotations

from collections.abc import Sequence
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

from studio.engine.datasets.importable import importable
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.list_file import SUFFIXES as LIST_SUFFIXES
from studio.engine.errors import Problem, StudioError
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.import_work import Found, submit_import
from studio.ui.pages.datasets.path_buttons import image_files_filter
from studio.ui.pages.datasets.recipe_panel import RecipePanel
from studio.ui.pages.datasets.search_panel import SearchPanel
from studio.ui.pages.datasets.state import name_of, size_on_disk, unused_name
from studio.ui.pages.datasets.survey import Survey
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.page_header import PageHeader

LAST_FOLDER = "images"


class ImportSheet(QWidget):
    """From a folder, or any file that holds images, to a job.

    Signals:
        submitted: Id of the dataset whose import was asked for.
        closed: The user does not want to import.
        samples_wanted: The user would rather have a sample.
    """

    submitted = Signal(str)
    closed = Signal()
    samples_wanted = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._path: Path | None = None
        self._survey = Survey(context.background, self)
        self._is_asking = False
        theme = context.theme
        self.header = PageHeader(self.tr("Import images"), "", self)
        self.other_button = push_button(
            self.tr("Other images…"), theme, icon="folder-open", parent=self
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

    def start(self, path: Path | None, prefix: str = "") -> None:
        """Begin anew, by asking for images, or with some.

        Args:
            path: A folder, an archive, a list, or whatever else a source reads.
            prefix: Folder that the paths of a list start from, where that is not its own.
        """
        self._survey.forget()
        self.recipe.clear()
        self._path = None if path is None else path.absolute()
        if self._path is None:
            self._ask()
            return
        path = self._path
        self._context.settings.set_folder(LAST_FOLDER, path.parent)
        self.header.set_subtitle(str(path))
        self.search.show_search(path)
        self._show_part(self.search)
        self._survey.look(DatasetRecipe(source=str(path), path_prefix=prefix))

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Begin with what was dropped, if it is one thing that can be imported."""
        path = importable(paths)
        if path is not None:
            self.start(path)
            return
        text = self.tr("One folder or one file of images is needed; {n} things were dropped.")
        if len(paths) == 1:
            text = self.tr("“{name}” is not of a kind that can be imported.")
        hint = self.tr(
            "Drop the folder that holds the class folders, an archive of it, a list of images, "
            "or a file of arrays."
        )
        self.start(None)
        name = paths[0].name if paths else ""
        self._ask(StudioError(text.format(n=len(paths), name=name), hint))

    def browse(self) -> None:
        """Let the user choose a folder."""
        self._start_with(self._ask_folder())

    def browse_file(self) -> None:
        """Let the user choose an archive, a list, or a file of arrays."""
        self._start_with(self._ask_file())

    def _start_with(self, path: Path | None) -> None:
        if path is not None:
            self.start(path)

    def _on_prefix(self) -> None:
        """The paths of a list start elsewhere."""
        prefix = self._ask_folder()
        if prefix is not None and self._path is not None:
            self.start(self._path, str(prefix))

    def _on_other(self) -> None:
        self.start(None)

    def refresh_names(self) -> None:
        """Take note that datasets came, went, or were renamed."""
        self.recipe.name.set_taken(self._taken())
        self._refresh()

    def _ask(self, error: StudioError | None = None) -> None:
        if error is None:
            self.header.set_subtitle("")
        self.search.ask(error, is_list=error is not None and _is_list(self._path))
        self._show_part(self.search)

    def _show_part(self, part: QWidget) -> None:
        self._parts.setCurrentWidget(part)
        ready = part is self.recipe
        self.other_button.setVisible(ready)
        self.import_button.setVisible(ready)
        self.outcome.setVisible(ready)
        self._refresh()

    def _on_found(self, found: Found) -> None:
        if self.recipe.found is not None:
            self.recipe.take_survey(found)
            self._refresh()
            return
        taken = self._taken()
        self.recipe.show_found(found, unused_name(name_of(found.path), taken), taken)
        self._show_part(self.recipe)
        self.recipe.name.edit.setFocus()

    def _on_nothing(self, error: StudioError | None) -> None:
        if self.recipe.found is None:
            self._ask(error)
            return
        if error is not None:
            self.recipe.refuse_survey(error)
        self._refresh()

    def _look_again(self) -> None:
        """Other images may be found with the settings of now."""
        recipe = self.recipe.recipe()
        if recipe is not None and self.recipe.found is not None and not self.recipe.is_surveyed:
            self._survey.look(recipe, self.recipe.found)
            self._refresh()

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
        elif recipe is None or self.recipe.is_refused:
            reason = self.tr("Mend the marked settings first")
        elif not self.recipe.is_surveyed:
            reason = self.tr("The images are looked through with the new settings")
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

    def _ask_file(self) -> Path | None:
        start = str(self._context.settings.folder(LAST_FOLDER))
        title = self.tr("Choose an archive, a list of images, or a file of arrays")
        kinds = image_files_filter(self.tr("Files of images"), self.tr("All files"))
        chosen, _ = QFileDialog.getOpenFileName(self, title, start, kinds)
        return Path(chosen) if chosen else None

    def _on_close(self) -> None:
        self._survey.forget()
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
        self._survey.found.connect(self._on_found)
        self._survey.refused.connect(self._on_nothing)
        self._survey.advanced.connect(self.search.show_number)
        self.search.paths_dropped.connect(self.take_drop)
        self.search.browse_requested.connect(self.browse)
        self.search.file_requested.connect(self.browse_file)
        self.search.prefix_requested.connect(self._on_prefix)
        self.search.samples_requested.connect(self.samples_wanted)
        self.search.cancel_requested.connect(self._survey.cancel)
        self.other_button.clicked.connect(self._on_other)
        self.recipe.survey_wanted.connect(self._look_again)
        self.recipe.changed.connect(self._refresh)
        self.close_button.clicked.connect(self._on_close)
        self.import_button.clicked.connect(self._submit)


def _is_list(path: Path | None) -> bool:
    return path is not None and path.suffix.casefold() in LIST_SUFFIXES
