"""The sheet that prepares an import on one page: images, settings, preview and outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QRadioButton, QScrollArea, QVBoxLayout, QWidget

from studio.engine.datasets.import_report import ImportReport
from studio.engine.datasets.importable import importable
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import FIXED, recipe_to_add, request_import
from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.job import Job
from studio.engine.tasks import TASKS
from studio.engine.web.address import address_of, written
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.forms.field_row import FieldRow
from studio.ui.forms.plan_form import PlanForm
from studio.ui.language import translated
from studio.ui.navigation import StartLabeling
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.import_summary import (
    WarningList,
    class_rows,
    report_facts,
)
from studio.ui.pages.datasets.importing.fields import (
    LARGEST,
    LAST_FOLDER,
    SMALLEST,
    LocationList,
    NameRow,
    OnlyRow,
    PathButtons,
    PreviewCard,
    TaskSection,
    image_files_filter,
)
from studio.ui.pages.datasets.importing.rules import (
    advice,
    idle_fields,
    is_list,
    is_surveyed,
    name_of,
    size_on_disk,
    unused_name,
)
from studio.ui.pages.datasets.importing.search_panel import SearchPanel
from studio.ui.pages.datasets.importing.status import SkippedSection
from studio.ui.pages.datasets.importing.survey import Found, PreviewedImage, Survey, results_of
from studio.ui.pages.datasets.importing.value_range import ValueRangeCard
from studio.ui.pages.datasets.sample_grid import SampleGrid
from studio.ui.shared.file_dialogs import ask_file, ask_folder
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import TextRows
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import FactList, HintLabel, apart
from studio.ui.widgets.layout import STRETCH, Debounce, fill, hbox, scrolled, text_label, vbox
from studio.ui.widgets.pages import PageHeader, PageStack
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import text_columns
from studio.ui.widgets.tips import allow, explain

_tr = partial(QCoreApplication.translate, "datasets")


@dataclass(frozen=True, slots=True)
class AddTarget:
    """A completed dataset.

    Attributes:
        name: Its name.
        folder: Its folder.
        recipe: The recipe of its import.
        version: Its newest version; 0 if it was never edited.
        counts: Its images by split in that version.
    """

    name: str
    folder: Path
    recipe: DatasetRecipe
    version: int
    counts: Mapping[str, int]

    def recipe_with(self, location: Path, prefix: str = "") -> DatasetRecipe:
        """Return the recipe of this dataset with the images of another place."""
        made = recipe_to_add(self.folder, self.recipe, self.counts, [location])
        return made.changed(path_prefix=prefix)


def outcome(target: AddTarget) -> str:
    """Describe the result of adding images."""
    recipe = target.recipe
    lines = [
        _tr(
            "Makes a new dataset with the {images} of “{name}” in their current splits. “{name}” "
            "itself does not change."
        )
    ]
    if target.version:
        lines.append(
            _tr(
                "Edits are included (version {version}): new labels and splits are kept, excluded "
                "images are left out."
            )
        )
    lines.append(_tr("New images are converted to {shape}, too."))
    if recipe.encoding == "png":
        lines.append(_tr("All images are stored as PNG."))
    elif recipe.encoding == "jpeg":
        lines.append(_tr("All images are stored as JPEG; those of “{name}” are recompressed."))
    return " ".join(lines).format(
        images=messages.images(sum(target.counts.values())),
        name=apart(target.name),
        version=target.version,
        shape=messages.shape(recipe.width, recipe.height, recipe.pixel_format),
    )


def fixed_fields(target: AddTarget) -> dict[str, str]:
    """Return the fields of the recipe that are fixed, each with the reason."""
    like = _tr("As in “{name}”").format(name=apart(target.name))
    stay = _tr("All images of “{name}” are kept").format(name=apart(target.name))
    none = _tr("“{name}” has no matching images").format(name=apart(target.name))
    fixed = dict.fromkeys(FIXED, like)
    for split in ("", "val_", "test_"):
        fixed |= dict.fromkeys((f"{split}min_per_class", f"{split}max_per_class"), stay)
    for split in ("val", "test"):
        if not target.counts.get(split):
            # A percentage would reassign the existing images, too.
            fixed[f"{split}_percent"] = none
    return fixed


class TargetBar(Card):
    """Two choices and the result of the second; hidden if there is only one.

    Signals:
        changed: The user made the other choice.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._target: AddTarget | None = None
        self.setAccessibleName(self.tr("Destination of the images"))
        self.new_choice = QRadioButton(self.tr("Make a new dataset"), self)
        self.add_choice = QRadioButton(self)
        self.words = HintLabel(parent=self)
        choices = hbox(self.new_choice, self.add_choice, STRETCH, spacing=SPACE.l)
        column = vbox(choices, self.words, spacing=SPACE.xs)
        self.body.addLayout(column)
        self.body.setContentsMargins(SPACE.l, SPACE.s, SPACE.l, SPACE.s)
        self.offer(None)
        self.add_choice.toggled.connect(self._on_toggled)
        tip = self.tr("Adds these images to that dataset.")
        explain(self.add_choice, tip)
        explain(self.new_choice, self.tr("Creates a dataset of only these images."))

    def offer(self, target: AddTarget | None, *, adding: bool = False) -> None:
        """Offer a dataset to add to, or none.

        Args:
            target: The dataset.
            adding: Preselect adding to it.
        """
        self._target = target
        name = "" if target is None else target.name
        self.add_choice.setText(self.tr("Add to “{name}”").format(name=apart(name)))
        self.blockSignals(True)
        (self.add_choice if adding and target is not None else self.new_choice).setChecked(True)
        self.blockSignals(False)
        self._refresh()
        self.setVisible(target is not None)

    @property
    def target(self) -> AddTarget | None:
        """The dataset to add to, if that is chosen."""
        return self._target if self.add_choice.isChecked() else None

    def title(self) -> str:
        """Return the title of the sheet."""
        if self.target is None:
            return self.tr("Import images")
        return self.tr("Add images to “{name}”").format(name=apart(self.target.name))

    def fixed(self) -> dict[str, str]:
        """Return the fields that are fixed, each with the reason."""
        return {} if self.target is None else fixed_fields(self.target)

    def _refresh(self) -> None:
        self.words.show_text("" if self.target is None else outcome(self.target))

    def _on_toggled(self) -> None:
        self._refresh()
        self.changed.emit()


# Long enough to type a number, short enough to seem live.
DEBOUNCE_MS = 150
# A search takes longer than a picture.
SURVEY_MS = 400
_MOST_CLASSES = 5
_FORM_WIDTH = 400
_LEAST_ROOM = 660
"""Room for the form beside the smallest preview, in pixels."""
_SAMPLE_SIDE = 112
# Problems of these fields are shown near the task and the places, not in the form.
_OF_TASK = frozenset({"task", "target_columns", "annotations", "class_names", "class_colors"})
_OF_LOCATIONS = frozenset({"source", "more_sources", "only_classes", "only_splits"})


class RecipePanel(QScrollArea):
    """Name, recipe and preview of an import.

    Signals:
        changed: The user changed the name or the recipe, or the images were examined.
        survey_requested: The current recipe may find other images than those shown.
        previewed: The pictures at the right are those of the current recipe.
    """

    changed = Signal()
    survey_requested = Signal()
    previewed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = context.theme
        self._background = context.background
        self.found: Found | None = None
        self.examined: Found | None = None
        self._fixed: dict[str, str] = {}
        self._location_names: Mapping[Path, str] = {}
        self._round = 0
        self._is_busy = self._is_narrow = False
        self._survey_problems: list[Problem] = []
        self._idle: dict[str, str] = {}
        self._inside = QWidget(self.viewport())
        self._settings = Card(self.tr("Dataset"), self._inside)
        self.task = TaskSection(theme, self._inside)
        self.found_card = Card("", self._inside)
        self._add_summary(theme)
        self.skipped = SkippedSection(theme, messages.to_be_left_out, self.found_card)
        self.only = OnlyRow(theme, self.found_card)
        self.locations = LocationList(theme, self.found_card)
        self.locations_problem = HintLabel(tone="problem", parent=self.found_card)
        self.name = NameRow(self._settings)
        self.form = PlanForm(DatasetRecipe, theme=theme, parent=self._settings)
        self.form.each_row(FieldRow.put_note_below)
        self.paths = PathButtons(self.form, theme, context.settings, self)
        self.preview = PreviewCard(theme, self._inside)
        self._right = QVBoxLayout()
        self._debounce = Debounce(DEBOUNCE_MS, self._refresh_preview, self)
        self._survey_debounce = Debounce(SURVEY_MS, self.survey_requested.emit, self)
        self._lay_out()
        self.name.changed.connect(self.changed)
        self.form.changed.connect(self._on_form)
        self.only.changed.connect(self._on_only)
        self.locations.removed.connect(self._on_location_removed)
        self.verticalScrollBar().valueChanged.connect(self._restore_preview)
        self.task.changed.connect(self._on_task)

    def _add_summary(self, theme: Theme) -> None:
        """Create the parts that show the summary of the import."""
        self.kind = text_label("", "muted", self, wraps=True)
        headings = [self.tr("Class"), self.tr("Images")]
        name = self.tr("Classes found")
        columns = text_columns(headings, numbers_last=True)
        self.classes = Table(name, columns, self.found_card, max_rows=_MOST_CLASSES)
        explain(self.classes, self.tr("Classes or targets found, with the number of images."))
        self.warnings = WarningList(theme, self)
        self.facts = FactList(parent=self)
        self.examination = HintLabel(parent=self)
        self.samples = SampleGrid(theme, _SAMPLE_SIDE, self)
        self.samples_card = Card(self.tr("Random images with their annotations"), self._inside)
        self.value_range = ValueRangeCard(theme, self._inside)
        self.value_range.chosen.connect(self._on_value_range)

    def show_found(self, found: Found, name: str, taken: Sequence[str]) -> None:
        """Show the images found, and a proposed name.

        Args:
            found: The images.
            name: A name that is not taken.
            taken: The names of other datasets.
        """
        self.name.set_name(name, taken)
        self.form.set_values(found.recipe)
        self.value_range.clear()
        self.verticalScrollBar().setValue(0)
        self.take_survey(found)

    def fix(self, fields: dict[str, str], names: Mapping[Path, str]) -> None:
        """Disable fields before images are shown.

        Args:
            fields: Reasons by the names of the fields.
            names: Names of some places, shown instead of their paths.
        """
        self._fixed = fields
        self._location_names = names
        self.only.setVisible(not fields)
        self.task.setVisible(not fields)

    def take_location(self, found: Found) -> None:
        """Show the images of all places, including a new one."""
        self.form.set_values({"more_sources": found.recipe.more_sources})
        self.take_survey(found)

    def take_survey(self, found: Found) -> None:
        """Show the images that the recipe finds now; the settings stay."""
        self.found = found
        self._survey_problems = []
        requested, task = self.recipe() or found.recipe, TASKS[found.recipe.task]
        view = view_of(task)
        self.task.show_found(requested, found)
        title = messages.found_line(found.recipe.task, found.count, len(found.classes))
        self.found_card.set_title(title)
        kinds = [translated(index.label) for index in found.locations]
        self.kind.setText(messages.kind_line(kinds, found.splits))
        fewest = 2 if self._fixed else 1
        self.locations.show_locations(found.locations, self._location_names, fewest)
        self.only.setVisible(view.leaves_out_classes and not self._fixed)
        if view.leaves_out_classes:
            self.only.show_found(found, requested)
        headings, rows = view.found(found.classes, task)
        self.classes.setVisible(bool(headings))
        if headings:
            self.classes.show_rows(rows, text_columns(headings, numbers_last=True))
        self.warnings.show_warnings(found.warnings)
        self.skipped.set_entries(found.problems)
        self.examined = None
        self.facts.hide()
        self.kind.show()
        self.samples_card.hide()
        self.preview.show_before(found.previews)
        self._round += 1
        self._advise()
        self._refresh_preview()

    def show_progress(self, done: int, total: int, _what: str) -> None:
        """Show how many images are examined."""
        text = self.tr("Examining the images: {n} of {total}")
        self.examination.show_text(text.format(n=count(done), total=count(total)))

    def show_examined(self, found: Found) -> None:
        """Show the summary of the import, and a sample of images with their annotations."""
        report = found.report
        if report is None or self.found is None:
            return
        self.examined = found
        self.examination.show_text("")
        self.facts.show_facts(report_facts(report))
        self.facts.show()
        self.kind.hide()
        title = messages.found_line(report.task, report.count, len(report.classes))
        self.found_card.set_title(title)
        headings, rows = self._examined_classes(found, report)
        self.classes.show_rows(rows, text_columns(headings, numbers_last=True))
        self.classes.show()
        self.warnings.show_warnings(report.warnings)
        self.skipped.set_entries(report.skipped)
        self.samples.show_samples(found.samples)
        self.samples_card.setVisible(bool(found.samples))
        self.value_range.show_report(report, found.recipe.value_range)
        if self._fixed:
            self.value_range.hide()
        self._show_shape()
        if any(each.with_frames for each in report.pixels):
            self.form.set_expert_shown(shown=True)  # the choice of planes is there
        self.changed.emit()

    def _examined_classes(self, found: Found, report: ImportReport) -> TextRows:
        if report.class_regions:
            return class_rows(report)
        counts = dict(zip(report.classes, report.class_images, strict=True))
        classes = [
            replace(each, count=counts[each.name]) for each in found.classes if each.name in counts
        ]
        task = TASKS[report.task]
        return view_of(task).found(classes, task)

    def refuse_examination(self, error: StudioError) -> None:
        """Show why nothing could be imported, although images were found."""
        text = f"{translated(error.message)} {translated(error.hint)}".strip()
        self.examination.show_problem(text)

    def refuse_survey(self, error: StudioError) -> None:
        """Show why the recipe finds nothing, until it is changed."""
        self._survey_problems = [Problem(error.where, error.message, error.hint)]
        self._advise()

    @property
    def count(self) -> int:
        """Number of images to import, as far as it is known."""
        if self.examined is not None and self.examined.report is not None:
            return self.examined.report.count
        return 0 if self.found is None else self.found.count

    @property
    def is_surveyed(self) -> bool:
        """True if the images shown are those of the current recipe."""
        recipe, found = self.recipe(), self.found
        return found is not None and recipe is not None and is_surveyed(recipe, found.recipe)

    @property
    def is_refused(self) -> bool:
        """True if the current recipe finds nothing."""
        return bool(self._survey_problems)

    def clear(self) -> None:
        """Drop pending work."""
        self.found = None
        self.only.forget()
        self._round += 1
        self._survey_problems = []
        self._debounce.stop()
        self._survey_debounce.stop()

    def recipe(self) -> DatasetRecipe | None:
        """Return the current recipe, or None while it has errors."""
        plan = self.form.plan()
        return plan if isinstance(plan, DatasetRecipe) else None

    def stored(self) -> DatasetRecipe | None:
        """Return the recipe with the pixels that it stores, once the images were examined."""
        recipe, examined = self.recipe(), self.examined
        report = None if examined is None else examined.report
        if recipe is None or report is None or report.stored is None:
            return recipe
        return recipe.model_copy(update={"pixels": report.stored})

    def show_problem(self, problem: Problem) -> None:
        """Show a problem next to its field."""
        if problem.where == "name":
            self.name.show_problem(problem)
        else:
            self.form.show_problems([problem])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Enlarge the pictures if there is room; in a narrow sheet they are below the form."""
        super().resizeEvent(event)
        room = self.viewport().width()
        self._is_narrow = room < _LEAST_ROOM
        self._columns.setDirection(
            QBoxLayout.Direction.TopToBottom
            if self._is_narrow
            else QBoxLayout.Direction.LeftToRight
        )
        spare = room - _FORM_WIDTH - SPACE.l - 3 * SPACE.xl
        self.preview.set_side(min(LARGEST, max(SMALLEST, spare // 2 - SPACE.l)))
        self._restore_preview(self.verticalScrollBar().value())

    def _lay_out(self) -> None:
        found = (self.kind, self.facts, self.locations, self.classes, self.only)
        rest = (self.locations_problem, self.skipped, self.examination)
        fill(self.found_card.body, *found, *rest)
        fill(self.samples_card.body, self.samples)
        fill(self._settings.body, self.name, self.form)
        found_cards = (self.warnings, self.task, self.found_card, self.samples_card)
        cards = (*found_cards, self.value_range, self._settings)
        left = vbox(*cards, STRETCH, spacing=SPACE.m)
        fill(self._right, self.preview, STRETCH)
        margins = (0, 0, SPACE.s, SPACE.m)
        self._columns = hbox(
            (left, 1), self._right, owner=self._inside, spacing=SPACE.l, margins=margins
        )
        scrolled(self, self._inside)

    def _restore_preview(self, scrolled: int) -> None:
        """Keep the pictures visible while the settings scroll by."""
        room = self._settings.geometry().bottom() + 1 - self.preview.height()
        if self._is_narrow:
            room = 0
        self._right.setContentsMargins(0, max(0, min(scrolled, room)), 0, 0)

    def _on_form(self) -> None:
        self._survey_problems = []
        self._advise()
        self._debounce.start()
        if self.recipe() is not None:
            self._survey_debounce.start()
        self.changed.emit()

    def _on_only(self) -> None:
        if self.only.is_enough:
            self.form.set_values(self.only.values())
            self._on_form()
        else:
            text = self.tr("Select at least two classes.")
            self._refuse(StudioError(text, self.tr("Select at least two."), "only_classes"))

    def _on_task(self) -> None:
        self.form.set_values(self.task.values())
        if self.task.is_enough:
            self._on_form()
        else:
            text = self.tr("Select at least one column.")
            self._refuse(StudioError(text, self.tr("Select at least one."), "target_columns"))

    def _on_value_range(self, text: str) -> None:
        self.form.set_values({"value_range": text})
        self._on_form()

    def _refuse(self, error: StudioError) -> None:
        self._survey_debounce.stop()
        self.refuse_survey(error)
        self.changed.emit()

    def _on_location_removed(self, number: int) -> None:
        recipe = self.recipe()
        if recipe is not None:
            more = [path for at, path in enumerate(recipe.more_sources, 1) if at != number]
            self.form.set_values({"more_sources": more})
            self._on_form()

    def _advise(self) -> None:
        """Show disabled fields and problems."""
        recipe = self.recipe()
        if recipe is None or self.found is None:
            return
        idle = idle_fields(self.found.locations, recipe) | self._fixed
        for name in {*idle, *self._idle}:
            reason = idle.get(name, "")
            self.form.set_field_enabled(name, enabled=not reason, reason=reason)
            self.paths.explain(name, reason)
        self._idle = idle
        for name in ("val_percent", "test_percent"):
            self.form.row(name).hide_editor(is_hidden=name in idle)
        locations, targets, rest = [], [], []
        for problem in self._survey_problems:
            text = f"{problem.message} {problem.hint}".strip()
            if problem.where in _OF_LOCATIONS:
                locations.append(text)
            elif problem.where in _OF_TASK:
                targets.append(text)
            else:
                rest.append(problem)
        self.locations_problem.show_text(" ".join(locations))
        self.task.problem.show_text(" ".join(targets))
        self.form.show_problems([*advice(recipe, idle), *rest])

    def _refresh_preview(self) -> None:
        """Request the pictures of the current recipe; one request at a time."""
        recipe = self.recipe()
        if self.found is None or recipe is None:
            return
        if self._is_busy:
            self._debounce.start()
            return
        self._is_busy = True
        work = partial(results_of, self.found, recipe)
        done = partial(self._on_pictures, self._round, recipe)
        self._background.run(self, work, done, self._on_failed)

    def _on_pictures(
        self, asked: int, recipe: DatasetRecipe, results: list[PreviewedImage]
    ) -> None:
        self._is_busy = False
        if asked == self._round and recipe == self.recipe():
            self.preview.show_after(results)
            self._show_shape()
            self.previewed.emit()

    def _show_shape(self) -> None:
        recipe = self.stored()
        if recipe is not None:
            shape = messages.shape(recipe.width, recipe.height, recipe.pixel_format)
            self.preview.set_heading(shape)

    def _on_failed(self, error: BaseException) -> None:
        self._is_busy = False
        self._background.failed.emit(error)


class ImportSheet(QWidget):
    """Prepares an import of a folder, a file or an address.

    Signals:
        submitted: Id of the dataset whose import was requested.
        closed: The user canceled.
    """

    submitted = Signal(str)
    closed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = context.theme
        self._context = context
        self._path: Path | None = None
        self._prefix = ""
        self._proposed_task = ""
        # True while images are chosen that join those that were found.
        self._is_more = False
        self._is_asking = False
        self.header = PageHeader(self.tr("Import images"), "", self)
        tip = self.tr("Goes back to choose other images.")
        text = self.tr("Other images…")
        self.other_button = push_button(text, theme, icon="folder-open", tip=tip)
        self.header.add_action(self.other_button)
        self.target = TargetBar(self)
        self._parts = PageStack(self)
        self.search = SearchPanel(theme, self._parts)
        self.recipe = RecipePanel(context, self._parts)
        self.outcome = text_label("", "muted", self)
        tip = self.tr("Closes without importing.")
        self.close_button = push_button("", theme, kind="quiet", tip=tip)
        tip = self.tr("Copies the images into the workspace. Your files never change.")
        self.import_button = push_button("", theme, kind="primary", icon="download", tip=tip)
        self._parts.add_pages(self.search, self.recipe)
        buttons = (STRETCH, self.close_button, self.import_button)
        bottom = hbox(self.outcome, *buttons, spacing=SPACE.s)
        parts = (self.header, self.target, (self._parts, 1), bottom)
        margins = (SPACE.xl, SPACE.xl, SPACE.l, SPACE.l)
        vbox(*parts, owner=self, spacing=SPACE.m, margins=margins)
        self._survey = Survey(context.background, self)
        self._examination = Survey(context.background, self)
        self._connect()
        self.start(None)

    def _connect(self) -> None:
        self._survey.found.connect(self._on_found)
        self._survey.refused.connect(self._on_nothing)
        self._survey.advanced.connect(self.search.show_progress)
        self._examination.found.connect(self.recipe.show_examined)
        self._examination.refused.connect(self._on_examination_refused)
        self._examination.advanced.connect(self.recipe.show_progress)
        self.search.area.paths_dropped.connect(self.take_drop)
        self.search.area.browse_requested.connect(self.browse)
        self.search.file_button.clicked.connect(self.browse_file)
        self.search.address_given.connect(self._take)
        self.search.prefix_button.clicked.connect(self._on_prefix)
        self.search.folder_action.triggered.connect(self._on_annotation_folder)
        self.search.file_action.triggered.connect(self._on_annotation_file)
        self.search.task_given.connect(self.search_for_task)
        self.search.labeling_asked.connect(self._label)
        self.search.cancel_button.clicked.connect(self._survey.cancel)
        self.other_button.clicked.connect(self._on_other)
        self.target.changed.connect(self._on_target)
        self.recipe.locations.add_button.clicked.connect(self._ask_more)
        self.recipe.survey_requested.connect(self._reinspect)
        self.recipe.changed.connect(self._refresh)
        self.close_button.clicked.connect(self._on_close)
        self.import_button.clicked.connect(self._submit)

    def start(
        self,
        path: Path | None,
        *,
        target: AddTarget | None = None,
        adding: bool = False,
        annotated: bool = False,
        task: str = "",
    ) -> None:
        """Start a new import.

        Args:
            path: A folder, an archive, a list, an address, or another source; None to ask.
            target: A dataset that the images can be added to.
            adding: Preselect adding to it.
            annotated: The images have boxes or masks; ask for them if they are not found.
            task: Name of the task to propose, if the images can be used for it.
        """
        self._needs_annotations = annotated
        self._proposed_task = task
        self.target.offer(target, adding=adding)
        self._begin(path)

    def restart(self, recipe: DatasetRecipe) -> None:
        """Start with the images and the settings of a recipe."""
        self._needs_annotations = False
        self._proposed_task = ""
        self.target.offer(None)
        self._take_path(Path(recipe.source), recipe.path_prefix)
        self._search(recipe)

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Import what was dropped, or show why it can't be imported."""
        path = importable(paths)
        if path is not None:
            self._take(path)
            return
        if not self._is_more:
            self._begin(None)
        self._ask(_drop_error(paths))

    def browse(self) -> None:
        """Let the user choose a folder."""
        self._take(self._ask_folder())

    def browse_file(self) -> None:
        """Let the user choose an archive, a list, or a file of arrays."""
        title = self.tr("Choose an archive, a list of images, or an array file")
        kinds = image_files_filter(self.tr("Files of images"), self.tr("All files"))
        self._take(ask_file(self, title, self._context.settings, LAST_FOLDER, kinds))

    def refresh_names(self) -> None:
        """Check the name again, because datasets came, went, or were renamed."""
        self.recipe.name.set_taken(self._taken())
        self._refresh()

    def _begin(self, path: Path | None, prefix: str = "") -> None:
        """Ask for images, or search a path; the paths of a list start at the prefix."""
        self._take_path(path, prefix)
        target = self.target.target
        if self._path is None:
            self._ask()
        elif target is None:
            fields = {"source": written(self._path), "path_prefix": prefix}
            if self._proposed_task:
                fields["task"] = self._proposed_task
            self._search(DatasetRecipe.parse(fields), new=True)
        else:
            try:
                self._search(target.recipe_with(self._path, prefix))
            except StudioError as error:
                self._ask(error)

    def _take_path(self, path: Path | None, prefix: str) -> None:
        self._survey.forget()
        self._examination.forget()
        self.recipe.clear()
        self._is_more = False
        self._path = None if path is None else Path(written(path))
        self._prefix = prefix
        self.recipe.fix(self.target.fixed(), self._datasets())
        self.header.set_title(self.target.title())
        if self._path is not None and not address_of(self._path):
            self._context.settings.set_folder(LAST_FOLDER, self._path.parent)

    def _search(self, recipe: DatasetRecipe, *, new: bool = False) -> None:
        """Search a new place."""
        path = self._path if self._path is not None else Path(recipe.source)
        self.header.set_subtitle(written(path))
        self.search.show_search(path)
        self._show_part(self.search)
        self._inspect(recipe, new=new)

    def _inspect(
        self, recipe: DatasetRecipe, known: Found | None = None, *, new: bool = False
    ) -> None:
        """Search the images of a recipe; of a dataset to add to, no picture is shown."""
        first = 0 if self.target.target is None else 1
        self._survey.inspect(recipe, known, suggest=new, first=first)

    def _reinspect(self) -> None:
        """Search again, because the settings may find other images."""
        recipe, found = self.recipe.recipe(), self.recipe.found
        if recipe is None or found is None or self._is_more:
            return
        if self.recipe.is_surveyed:
            self._examine()
            return
        self._examination.forget()
        self._inspect(recipe, found)
        self._refresh()

    def _examine(self) -> None:
        """Examine the images of the current recipe, unless that is done."""
        recipe, examined = self.recipe.recipe(), self.recipe.examined
        if recipe is not None and (examined is None or recipe != examined.recipe):
            first = 0 if self.target.target is None else 1
            self._examination.inspect(recipe, first=first, examine=True)

    def _on_examination_refused(self, error: StudioError | None) -> None:
        if error is not None:
            self.recipe.refuse_examination(error)

    def _take(self, location: Path | str | None) -> None:
        """Search a location: the first one, or an additional one."""
        if location is None:
            return
        path = Path(location)
        if self._is_more:
            self._inspect_more(path)
            return
        if self._path is not None and path != self._path:
            self._proposed_task = ""
        self._begin(path)

    def _ask_more(self) -> None:
        """Let the user choose a place whose images join those that are shown."""
        self._is_more = True
        self._survey.forget()
        self._ask()

    def _inspect_more(self, path: Path) -> None:
        recipe, location = self.recipe.recipe(), written(path)
        if recipe is None:
            return
        if location in (recipe.source, *recipe.more_sources):
            text = self.tr("{location} is already one of the sources.").format(location=location)
            self._ask(StudioError(text, self.tr("Choose another one.")))
            return
        self.search.show_search(Path(location))
        self._show_part(self.search)
        more = [*recipe.more_sources, location]
        self._inspect(recipe.changed(more_sources=more), self.recipe.found)

    def _end_more(self) -> None:
        self._is_more = False
        self._show_part(self.recipe)
        self._reinspect()

    def _on_target(self) -> None:
        self._begin(self._path, self._prefix)

    def _on_prefix(self) -> None:
        """Let the user choose the folder where the paths of a list start."""
        prefix = self._ask_folder()
        if prefix is not None and self._path is not None:
            self._begin(self._path, str(prefix))

    def _on_annotation_folder(self) -> None:
        """Let the user choose the folder with the masks or boxes of the images."""
        title, settings = self.tr("Choose the annotation folder"), self._context.settings
        self.search_with_annotations(ask_folder(self, title, settings, LAST_FOLDER))

    def _on_annotation_file(self) -> None:
        """Let the user choose the file with the masks or boxes of the images."""
        title, settings = self.tr("Choose the annotation file"), self._context.settings
        self.search_with_annotations(ask_file(self, title, settings, LAST_FOLDER))

    def search_with_annotations(self, annotations: Path | None) -> None:
        """Search the images once more, with their masks or boxes in another place."""
        if self._path is not None and annotations is not None:
            fields = {"source": written(self._path), "annotations": str(annotations)}
            self._search(DatasetRecipe.parse(fields), new=True)

    def search_for_task(self, task: str) -> None:
        """Search the images once more, for a task that needs no annotations."""
        if self._path is not None:
            fields = {"source": written(self._path), "task": task}
            self._search(DatasetRecipe.parse(fields), new=True)

    def _label(self) -> None:
        """Label the images that have no classes instead of importing them."""
        if self._path is not None:
            self._context.navigator.open(StartLabeling((self._path,)))

    def _on_other(self) -> None:
        self._proposed_task = ""
        self._begin(None)

    def _ask(self, error: StudioError | None = None) -> None:
        if error is None and not self._is_more:
            self.header.set_subtitle("")
        self.search.set_datasets(self._datasets())
        is_refused = error is not None and not self._is_more and self._path is not None
        self.search.ask(
            error,
            is_list=is_refused and is_list(str(self._path)),
            is_folder=is_refused and self._path is not None and self._path.is_dir(),
            is_more=self._is_more,
        )
        self._show_part(self.search)

    def _on_found(self, found: Found) -> None:
        if self._is_more:
            self.recipe.take_location(found)
            self._end_more()
        elif self.recipe.found is not None:
            self.recipe.take_survey(found)
            self._refresh()
        elif self._needs_annotations and not _reads_annotations(found):
            self._needs_annotations = False
            text = self.tr("{images} were found, but no boxes or masks beside them.")
            hint = self.tr("Choose their annotations, or another folder.")
            self._ask(StudioError(text.format(images=messages.images(found.count)), hint))
            return
        else:
            taken, location = self._taken(), Path(found.locations[0].path)
            name = self._datasets().get(location, "") or name_of(location)
            self.recipe.show_found(found, unused_name(name, taken), taken)
            self._proposed_task = ""
            self._show_part(self.recipe)
            # In a field further down it would scroll the first question out of sight.
            self.recipe.setFocus()
        self._examine()

    def _on_nothing(self, error: StudioError | None) -> None:
        if error is not None and self._proposed_task and self.recipe.found is None:
            self._proposed_task = ""
            self._begin(self._path, self._prefix)
            return
        if self.recipe.found is None or self._is_more:
            self._ask(error)
            return
        if error is not None:
            self.recipe.refuse_survey(error)
        self._refresh()

    def _submit(self) -> None:
        recipe = self.recipe.recipe()
        if recipe is not None:
            self._is_asking = True
            self._refresh()
            name = self.recipe.name.name()
            work = partial(request_import, self._context.jobs.queue, recipe, name)
            self._context.background.run(self, work, self._on_submitted, self._on_refused)

    def _on_submitted(self, job: Job) -> None:
        self._is_asking = False
        self._examination.forget()
        self.submitted.emit(job.record.id)

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
        title = self.tr("Choose the folder of the images")
        return ask_folder(self, title, self._context.settings, LAST_FOLDER)

    def _datasets(self) -> dict[Path, str]:
        """Return the names of the completed datasets by their folders."""
        entries = self._context.jobs.completed(RecordKind.DATASET)
        return {entry.record.folder: entry.name for entry in entries}

    def _on_close(self) -> None:
        self._survey.forget()
        self._examination.forget()
        if self._is_more:
            self._end_more()
        else:
            self.recipe.clear()
            self.closed.emit()

    def _show_part(self, part: QWidget) -> None:
        """Show the search or the recipe."""
        self._parts.setCurrentWidget(part)
        for widget in (self.other_button, self.import_button, self.outcome):
            widget.setVisible(part is self.recipe)
        self.target.setEnabled(not self._is_more)
        self.close_button.setText(self.tr("Back") if self._is_more else self.tr("Not now"))
        self._refresh()

    def _refresh(self) -> None:
        """Show the effect of the button, or the reason why it is disabled."""
        found, recipe = self.recipe.found, self.recipe.recipe()
        if found is None:
            return
        text, number = self.tr("Import {images}"), self.recipe.count
        if self.target.target is not None:
            text = self.tr("Add {images}")
            number = sum(index.count for index in found.locations[1:])
        self.import_button.setText(text.format(images=messages.images(number)))
        stored = self.recipe.stored()
        if stored is not None:
            size = size_on_disk(stored, found.count)
            self.outcome.setText(messages.outcome_line(stored, size))
        self.recipe.locations.allow(allowed=recipe is not None)
        reason = ""
        if self._is_asking:
            reason = self.tr("The import is starting")
        elif self.recipe.name.problem is not None:
            reason = self.tr("This name cannot be used")
        elif recipe is None or self.recipe.is_refused:
            reason = self.tr("Fix the marked fields first.")
        elif not self.recipe.is_surveyed:
            reason = self.tr("Searching for images with the new settings")
        allow(self.import_button, reason)


def _reads_annotations(found: Found) -> bool:
    return TASKS[found.recipe.task].source.reads("annotations")


def _drop_error(paths: Sequence[Path]) -> StudioError:
    text = _tr("Drop one folder or one file of images; {n} were dropped.")
    if len(paths) == 1:
        text = _tr("“{name}” cannot be imported: unsupported file type.")
    hint = _tr(
        "Drop the folder that contains the class folders, an archive of it, a list of images, or "
        "an array file."
    )
    return StudioError(text.format(n=len(paths), name=paths[0].name if paths else ""), hint)
