"""The sheet on which an import is prepared: one page, with everything that will happen on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.importable import importable
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.shared.address import address_of, written
from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.importing.adding import AddTarget, TargetBar
from studio.ui.pages.datasets.importing.fields import ask_file, ask_folder, image_files_filter
from studio.ui.pages.datasets.importing.recipe_panel import RecipePanel
from studio.ui.pages.datasets.importing.rules import is_list, name_of, size_on_disk, unused_name
from studio.ui.pages.datasets.importing.search_panel import SearchPanel
from studio.ui.pages.datasets.importing.survey import Found, Survey, submit_import
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.pages import PageHeader, PageStack
from studio.ui.widgets.tips import explain

_tr = partial(QCoreApplication.translate, "datasets")

LAST_FOLDER = "images"


class ImportSheet(QWidget):
    """From a folder, or any file that holds images, to a job.

    Signals:
        submitted: Id of the dataset whose import was asked for.
        closed: The user does not want to import.
    """

    submitted = Signal(str)
    closed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = context.theme
        self.header = PageHeader(self.tr("Import images"), "", self)
        self.other_button = push_button(
            self.tr("Other images…"), theme, icon="folder-open", parent=self
        )
        self.target = TargetBar(self)
        self.search = SearchPanel(theme, self)
        self.recipe = RecipePanel(theme, context.background, self)
        self.outcome = text_label("", "muted", self)
        self.close_button = push_button("", theme, kind="quiet", parent=self)
        self.import_button = push_button("", theme, kind="primary", icon="download", parent=self)
        self._parts = PageStack(self)
        self._lay_out()
        self._context = context
        self._path: Path | None = None
        self._prefix = ""
        # Whether more images are asked for, which join those that were found.
        self._is_more = False
        self._survey = Survey(context.background, self)
        self._is_asking = False
        self._connect()
        self.start(None)
        self._explain()

    def _explain(self) -> None:
        explain(self.close_button, self.tr("Leaves all as it was; nothing is imported."))
        explain(
            self.import_button,
            self.tr(
                "Reads the images once and keeps them in the workspace; your files stay as they "
                "are."
            ),
        )
        explain(self.other_button, self.tr("Goes back, to choose other images."))

    def start(
        self, path: Path | None, *, target: AddTarget | None = None, adding: bool = False
    ) -> None:
        """Begin anew, by asking for images, or with some.

        Args:
            path: A folder, an archive, a list, an address, or whatever else a source reads.
            target: A dataset that the images can be added to.
            adding: They are to be.
        """
        self.target.offer(target, adding=adding)
        self._begin(path)

    def start_again(self, recipe: DatasetRecipe) -> None:
        """Begin with the images and the settings of a recipe, wherever they are."""
        self.target.offer(None)
        self._take_path(Path(recipe.source), recipe.path_prefix)
        self._search(recipe)

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Go on with what was dropped, if it is one thing that can be imported."""
        path = importable(paths)
        if path is not None:
            self._take(path)
            return
        if not self._is_more:
            self._begin(None)
        self._ask(drop_error(paths))

    def _begin(self, path: Path | None, prefix: str = "") -> None:
        """Ask for images, or look through some; the paths of a list start at the prefix."""
        self._take_path(path, prefix)
        target = self.target.target
        if self._path is None:
            self._ask()
        elif target is None:
            self._search(DatasetRecipe(source=written(self._path), path_prefix=prefix), new=True)
        else:
            try:
                self._search(target.recipe_with(self._path, prefix))
            except StudioError as error:
                self._ask(error)

    def _take_path(self, path: Path | None, prefix: str) -> None:
        self._survey.forget()
        self.recipe.clear()
        self._is_more = False
        self._path = None if path is None else Path(written(path))
        self._prefix = prefix
        self.recipe.fix(self.target.fixed(), self._datasets())
        self.header.set_title(self.target.title())
        if self._path is not None and not address_of(self._path):
            self._context.settings.set_folder(LAST_FOLDER, self._path.parent)

    def _search(self, recipe: DatasetRecipe, *, new: bool = False) -> None:
        """Look through a place that is not known yet; what is there is shown when it is found."""
        path = self._path if self._path is not None else Path(recipe.source)
        self.header.set_subtitle(written(path))
        self.search.show_search(path)
        self._show_part(self.search)
        self._look(recipe, new=new)

    def _look(
        self, recipe: DatasetRecipe, known: Found | None = None, *, new: bool = False
    ) -> None:
        """Ask what a recipe finds; of a dataset that is added to, nothing is shown."""
        first = 0 if self.target.target is None else 1
        self._survey.look(recipe, known, suggest=new, first=first)

    def _take(self, path: Path) -> None:
        """Go on with images: the first ones, or more of them."""
        if self._is_more:
            self._look_at_more(path)
        else:
            self._begin(path)

    def _ask_more(self) -> None:
        """Let the user choose a place whose images join those that are shown."""
        self._is_more = True
        self._survey.forget()
        self._ask()

    def _look_at_more(self, path: Path) -> None:
        recipe, place = self.recipe.recipe(), written(path)
        if recipe is None:
            return
        if place in (recipe.source, *recipe.more_sources):
            text = self.tr("{place} is among the places already.").format(place=place)
            self._ask(StudioError(text, self.tr("Choose another one.")))
            return
        self.search.show_search(Path(place))
        self._show_part(self.search)
        self._look(recipe.changed(more_sources=[*recipe.more_sources, place]), self.recipe.found)

    def _end_more(self) -> None:
        self._is_more = False
        self._show_part(self.recipe)
        self._look_again()

    def _on_target(self) -> None:
        """The user wants a new dataset rather than a larger one, or the other way round."""
        self._begin(self._path, self._prefix)

    def browse(self) -> None:
        """Let the user choose a folder."""
        self._start_with(self._ask_folder())

    def browse_file(self) -> None:
        """Let the user choose an archive, a list, or a file of arrays."""
        self._start_with(self._ask_file())

    def _on_address(self, address: str) -> None:
        self._take(Path(address))

    def _start_with(self, path: Path | None) -> None:
        if path is not None:
            self._take(path)

    def _on_prefix(self) -> None:
        """The paths of a list start elsewhere."""
        prefix = self._ask_folder()
        if prefix is not None and self._path is not None:
            self._begin(self._path, str(prefix))

    def _on_other(self) -> None:
        self._begin(None)

    def refresh_names(self) -> None:
        """Take note that datasets came, went, or were renamed."""
        self.recipe.name.set_taken(self._taken())
        self._refresh()

    def _ask(self, error: StudioError | None = None) -> None:
        if error is None and not self._is_more:
            self.header.set_subtitle("")
        self.search.set_datasets(self._datasets())
        can_start_elsewhere = error is not None and not self._is_more and is_list(str(self._path))
        self.search.ask(error, is_list=can_start_elsewhere, is_more=self._is_more)
        self._show_part(self.search)

    def _show_part(self, part: QWidget) -> None:
        self.show_part(part, is_more=self._is_more)
        self._refresh()

    def _on_found(self, found: Found) -> None:
        if self._is_more:
            self.recipe.take_place(found)
            self._end_more()
            return
        if self.recipe.found is not None:
            self.recipe.take_survey(found)
            self._refresh()
            return
        taken, place = self._taken(), found.places[0].path
        wish = self._datasets().get(place, "") or name_of(place)
        self.recipe.show_found(found, unused_name(wish, taken), taken)
        self._show_part(self.recipe)
        self.recipe.name.edit.setFocus()

    def _on_nothing(self, error: StudioError | None) -> None:
        if self.recipe.found is None or self._is_more:
            self._ask(error)
            return
        if error is not None:
            self.recipe.refuse_survey(error)
        self._refresh()

    def _look_again(self) -> None:
        """Other images may be found with the settings of now."""
        recipe, found = self.recipe.recipe(), self.recipe.found
        if recipe is None or found is None or self._is_more or self.recipe.is_surveyed:
            return
        self._look(recipe, found)
        self._refresh()

    def _refresh(self) -> None:
        self.show_outcome(is_asking=self._is_asking)

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
        title = self.tr("Choose the folder that holds one folder per class")
        return ask_folder(self, title, self._context.settings.folder(LAST_FOLDER))

    def _ask_file(self) -> Path | None:
        title = self.tr("Choose an archive, a list of images, or a file of arrays")
        kinds = image_files_filter(self.tr("Files of images"), self.tr("All files"))
        return ask_file(self, title, self._context.settings.folder(LAST_FOLDER), kinds)

    def _datasets(self) -> dict[Path, str]:
        """The datasets that can be read, by their folders."""
        entries = self._context.jobs.entries(RecordKind.DATASET)
        return {e.record.folder: e.name for e in entries if e.state == State.COMPLETED}

    def _on_close(self) -> None:
        self._survey.forget()
        if self._is_more:
            self._end_more()
            return
        self.recipe.clear()
        self.closed.emit()

    def _connect(self) -> None:
        self._survey.found.connect(self._on_found)
        self._survey.refused.connect(self._on_nothing)
        self._survey.advanced.connect(self.search.show_progress)
        self.search.area.paths_dropped.connect(self.take_drop)
        self.search.area.browse_requested.connect(self.browse)
        self.search.file_button.clicked.connect(self.browse_file)
        self.search.address_given.connect(self._on_address)
        self.search.prefix_button.clicked.connect(self._on_prefix)
        self.search.cancel_button.clicked.connect(self._survey.cancel)
        self.other_button.clicked.connect(self._on_other)
        self.target.changed.connect(self._on_target)
        self.recipe.places.add_button.clicked.connect(self._ask_more)
        self.recipe.survey_wanted.connect(self._look_again)
        self.recipe.changed.connect(self._refresh)
        self.close_button.clicked.connect(self._on_close)
        self.import_button.clicked.connect(self._submit)

    def show_part(self, part: QWidget, *, is_more: bool) -> None:
        """Show the search, or the recipe; `is_more`: for images that join those of the recipe."""
        self._parts.setCurrentWidget(part)
        ready = part is self.recipe
        self.other_button.setVisible(ready)
        self.import_button.setVisible(ready)
        self.outcome.setVisible(ready)
        self.target.setEnabled(not is_more)
        self.close_button.setText(self.tr("Back") if is_more else self.tr("Not now"))

    def show_outcome(self, *, is_asking: bool) -> None:
        """Say what the button would do, or why it cannot.

        Args:
            is_asking: It was pressed, and the answer is still to come.
        """
        found, recipe = self.recipe.found, self.recipe.recipe()
        if found is None:
            return
        text, number = self.tr("Import {images}"), found.count
        if self.target.target is not None:
            text, number = self.tr("Add {images}"), sum(p.count for p in found.places[1:])
        self.import_button.setText(text.format(images=messages.images(number)))
        if recipe is not None:
            size = size_on_disk(recipe, found.count)
            self.outcome.setText(messages.outcome_line(recipe, size))
        self.recipe.places.allow(allowed=recipe is not None)
        reason = self._reason(is_asking=is_asking)
        self.import_button.setEnabled(not reason)
        self.import_button.setToolTip(reason)

    def _reason(self, *, is_asking: bool) -> str:
        """Why nothing can be imported; empty: it can."""
        if is_asking:
            return self.tr("It is being asked for")
        if self.recipe.name.problem is not None:
            return self.tr("The name cannot be used")
        if self.recipe.recipe() is None or self.recipe.is_refused:
            return self.tr("Mend the marked settings first")
        if not self.recipe.is_surveyed:
            return self.tr("The images are looked through with the new settings")
        return ""

    def _lay_out(self) -> None:
        self.header.add_action(self.other_button)
        self._parts.addWidget(self.search)
        self._parts.addWidget(self.recipe)
        bottom = hbox(
            self.outcome, STRETCH, self.close_button, self.import_button, spacing=SPACE.s
        )
        vbox(
            self.header,
            self.target,
            (self._parts, 1),
            bottom,
            owner=self,
            spacing=SPACE.m,
            margins=(SPACE.xl, SPACE.xl, SPACE.l, SPACE.l),
        )


def drop_error(paths: Sequence[Path]) -> StudioError:
    """Return the reason why dropped files cannot be imported."""
    text = _tr("Drop one folder or one file of images; {n} were dropped.")
    if len(paths) == 1:
        text = _tr("“{name}” is not of a kind that can be imported.")
    hint = _tr(
        "Drop the folder that holds the class folders, an archive of it, a list of images, or a "
        "file of arrays."
    )
    return StudioError(text.format(n=len(paths), name=paths[0].name if paths else ""), hint)
