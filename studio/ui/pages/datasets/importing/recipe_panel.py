"""The images that were found, the dataset that is made of them, and a preview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import Problem, StudioError
from studio.engine.tasks import TASKS
from studio.ui.bridge.background import Background
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.importing.fields import NameRow, PathButtons, PlacesList
from studio.ui.pages.datasets.importing.rules import advice, idle_fields, is_surveyed
from studio.ui.pages.datasets.importing.selection import OnlyRow, TaskSection
from studio.ui.pages.datasets.importing.status import SkippedSection
from studio.ui.pages.datasets.importing.survey import PREVIEWS, Found, Preview, Result, results_of
from studio.ui.pages.datasets.messages import kind_line
from studio.ui.tasks import view_of
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import ElidedLabel, HintLabel
from studio.ui.widgets.layout import STRETCH, Debounce, fill, hbox, scrolled, text_label, vbox
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.tables import TextTable
from studio.ui.widgets.tips import explain

SMALLEST, LARGEST = 86, 144


@dataclass(frozen=True, slots=True)
class _Line:
    before: PictureView
    arrow: QLabel
    after: PictureView
    caption: ElidedLabel
    size: QLabel

    def widgets(self) -> tuple[QWidget, ...]:
        return self.before, self.arrow, self.after, self.caption, self.size


class PreviewCard(Card):
    """Pairs of pictures under "As it is" and "As the network sees it"."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._theme = theme
        self.setAccessibleName(self.tr("Preview"))
        self._names: list[str] = []
        self._before_heading = _heading(self.tr("As it is"), self)
        self._after_heading = _heading("", self)
        self._table = QGridLayout()
        self._table.setHorizontalSpacing(SPACE.s)
        self._table.setVerticalSpacing(SPACE.xs)
        self._table.addWidget(self._before_heading, 0, 0)
        self._table.addWidget(self._after_heading, 0, 2)
        self._table.setColumnStretch(3, 1)
        self._lines = [self._add_line(1 + 2 * place) for place in range(PREVIEWS)]
        fill(self.body, self._table, STRETCH)
        self.set_side(SMALLEST)
        theme.changed.connect(self._draw_arrows)
        self._draw_arrows()

    def set_side(self, side: int) -> None:
        """Show the pictures that large."""
        side = max(SMALLEST, min(LARGEST, side))
        for line in self._lines:
            line.before.setFixedSize(QSize(side, side))
            line.after.setFixedSize(QSize(side, side))
        margins = self.body.contentsMargins()
        self.setFixedWidth(2 * side + ICON + 2 * SPACE.s + margins.left() + margins.right() + 2)

    def show_before(self, previews: Sequence[Preview]) -> None:
        """Show the pictures as they are."""
        self._names = [preview.caption for preview in previews]
        for place, line in enumerate(self._lines):
            for widget in line.widgets():
                widget.setVisible(place < len(previews))
            if place < len(previews):
                preview = previews[place]
                name = self._names[place]
                line.before.set_image(
                    preview.before, self.tr("An image of {name} as it is").format(name=name)
                )
                line.after.set_image(None)
                problem = preview.problem
                line.caption.setText(f"{name}: {problem}" if problem else name)

    def show_after(self, heading: str, results: Sequence[Result]) -> None:
        """Show what the recipe makes of them, and how large that is where it is packed."""
        self._after_heading.setText(heading)
        for line, name, result in zip(self._lines, self._names, results, strict=False):
            text = self.tr("The same image of {name} after the import").format(name=name)
            line.after.set_image(result.image, text)
            number = count(result.packed) if result.packed else ""
            line.size.setText(self.tr("{n} bytes").format(n=number) if number else "")

    def after_images(self) -> list[QImage]:
        """What is shown at the right."""
        return [line.after.image() for line in self._lines[: len(self._names)]]

    def sizes(self) -> list[str]:
        """What is said about their bytes."""
        return [line.size.text() for line in self._lines[: len(self._names)]]

    def _add_line(self, row: int) -> _Line:
        line = _Line(
            PictureView(self._theme, self),
            QLabel(self),
            PictureView(self._theme, self),
            ElidedLabel("", self),
            QLabel(self),
        )
        words = hbox((line.caption, 1), line.size, spacing=SPACE.s)
        for label in (line.caption, line.size):
            label.setProperty("role", "caption")
        self._table.addWidget(line.before, row, 0)
        self._table.addWidget(line.arrow, row, 1, Qt.AlignmentFlag.AlignCenter)
        self._table.addWidget(line.after, row, 2)
        self._table.addLayout(words, row + 1, 0, 1, 3)
        return line

    def _draw_arrows(self) -> None:
        for line in self._lines:
            line.arrow.setPixmap(pixmap("forward", self._theme, "muted", ICON))


def _heading(text: str, parent: QWidget) -> QLabel:
    label = text_label(text, "caption", parent, wraps=True)
    # Over small pictures there is no room for it in one line.
    label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
    return label


# Long enough to type a number, short enough to seem live.
DEBOUNCE_MS = 150
# A search is dearer than a picture.
SURVEY_MS = 400
_MOST_CLASSES = 5
_FORM_WIDTH = 400
# What is told beside the places, not beside a setting.
_OF_TASK = frozenset({"task", "target_columns"})
_OF_PLACES = frozenset({"source", "more_sources", "only_classes", "only_splits"})


class RecipePanel(QScrollArea):
    """Name, recipe and preview of an import.

    Signals:
        changed: The user changed the name or the recipe.
        survey_wanted: The recipe, as it is now, finds other images than those shown.
        previewed: The pictures at the right are those of the present recipe.
    """

    changed = Signal()
    survey_wanted = Signal()
    previewed = Signal()

    def __init__(
        self, theme: Theme, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._background = background
        # What is shown.
        self.found: Found | None = None
        self._fixed: dict[str, str] = {}
        self._place_names: Mapping[Path, str] = {}
        self._round = 0
        self._is_busy = False
        self._survey_problems: list[Problem] = []
        self._idle: dict[str, str] = {}
        self.task = TaskSection(self)
        self.found_card = Card("", self)
        self.kind = text_label("", "muted", self, wraps=True)
        headings = [self.tr("Class"), self.tr("Images")]
        self.classes = TextTable(
            self.tr("Classes found"), headings, most_rows=_MOST_CLASSES, numbers_last=True
        )
        self.warnings = HintLabel(parent=self)
        self.skipped = SkippedSection(theme, messages.to_be_left_out, self)
        self.only = OnlyRow(theme, self)
        self.places = PlacesList(theme, self)
        self.places_problem = HintLabel(parent=self)
        self.name = NameRow(self)
        self.form = PlanForm(DatasetRecipe, theme=theme, parent=self)
        for field in self.form.names():
            self.form.row(field).put_note_below()
        self.paths = PathButtons(self.form, theme, self)
        self.preview = PreviewCard(theme, self)
        self._settings = Card(self.tr("Dataset"), self)
        self._right = QVBoxLayout()
        self._debounce = Debounce(DEBOUNCE_MS, self._refresh_preview, self)
        self._survey_debounce = Debounce(SURVEY_MS, self.survey_wanted.emit, self)
        self._lay_out()
        self.name.changed.connect(self.changed)
        self.form.changed.connect(self._on_form)
        self.only.changed.connect(self._on_only)
        self.places.removed.connect(self._on_place_removed)
        self.verticalScrollBar().valueChanged.connect(self._keep_preview)
        self.task.changed.connect(self._on_task)
        explain(self.classes, self.tr("What was found, and how many images have it."))

    def show_found(self, found: Found, name: str, taken: Sequence[str]) -> None:
        """Show what a folder or file holds, under a name that is free."""
        self.name.set_name(name, taken)
        self.form.set_values(found.recipe)
        self.verticalScrollBar().setValue(0)
        self.take_survey(found)

    def fix(self, fields: dict[str, str], names: Mapping[Path, str]) -> None:
        """Before images are shown: what cannot be chosen, and why; and names of some places."""
        self._fixed = fields
        self._place_names = names
        self.only.setVisible(not fields)
        self.task.setVisible(not fields)

    def take_place(self, found: Found) -> None:
        """Show what there is together with one more place."""
        self.form.set_values({"more_sources": found.recipe.more_sources})
        self.take_survey(found)

    def take_survey(self, found: Found) -> None:
        """Show what the recipe finds now; the settings stay as they are."""
        self.found = found
        self._survey_problems = []
        task = TASKS[found.recipe.task]
        view = view_of(task)
        self.task.show_found(
            self.recipe() or found.recipe, found.columns, is_proposed=found.is_proposed
        )
        self.found_card.set_title(
            messages.found_line(found.recipe.task, found.count, len(found.classes))
        )
        self.kind.setText(kind_line([place.kind for place in found.places], found.splits))
        fewest = 2 if self._fixed else 1
        self.places.show_places(found.places, self._place_names, fewest)
        self.only.setVisible(view.has_classes and not self._fixed)
        if view.has_classes:
            self.only.show_found(found, self.recipe() or found.recipe)
        headings, rows = view.found(found.classes, task)
        self.classes.set_rows(rows, headings)
        self.warnings.show_text("\n".join(found.warnings), "advice")
        self.skipped.set_entries(found.problems)
        self.preview.show_before(found.previews)
        self._round += 1
        self._advise()
        self._refresh_preview()

    def refuse_survey(self, error: StudioError) -> None:
        """Show why the recipe finds nothing, until it is changed."""
        self._survey_problems = [Problem(error.where, error.message, error.hint)]
        self._advise()

    @property
    def is_surveyed(self) -> bool:
        """Whether what is shown is what the recipe, as it is now, finds."""
        recipe = self.recipe()
        if self.found is None or recipe is None:
            return False
        return is_surveyed(recipe, self.found.recipe)

    @property
    def is_refused(self) -> bool:
        """Whether the recipe, as it is now, finds nothing."""
        return bool(self._survey_problems)

    def clear(self) -> None:
        """Drop what is still being prepared."""
        self.found = None
        self.only.forget()
        self._round += 1
        self._survey_problems = []
        self._debounce.stop()
        self._survey_debounce.stop()

    def recipe(self) -> DatasetRecipe | None:
        """What is asked for, or None while something is wrong."""
        plan = self.form.plan()
        return plan if isinstance(plan, DatasetRecipe) else None

    def show_problem(self, problem: Problem) -> None:
        """Show what the engine refused, beside its cause."""
        if problem.where == "name":
            self.name.show_problem(problem)
        else:
            self.form.show_problems([problem])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is room, the pictures grow."""
        super().resizeEvent(event)
        spare = self.viewport().width() - _FORM_WIDTH - SPACE.l - 3 * SPACE.xl
        self.preview.set_side(min(LARGEST, max(SMALLEST, spare // 2 - SPACE.l)))

    def _lay_out(self) -> None:
        fill(
            self.found_card.body,
            self.kind,
            self.places,
            self.classes,
            self.only,
            self.places_problem,
            self.warnings,
            self.skipped,
        )
        settings = self._settings
        fill(settings.body, self.name, self.form)
        left = vbox(self.task, self.found_card, settings, STRETCH, spacing=SPACE.m)
        right = self._right
        fill(right, self.preview, STRETCH)
        inside = QWidget(self)
        hbox((left, 1), right, owner=inside, spacing=SPACE.l, margins=(0, 0, SPACE.s, SPACE.m))
        scrolled(self, inside)

    def _keep_preview(self, scrolled: int) -> None:
        """The pictures stay in sight while the settings scroll by."""
        room = self._settings.geometry().bottom() + 1 - self.preview.height()
        self._right.setContentsMargins(0, max(0, min(scrolled, room)), 0, 0)

    def _on_form(self) -> None:
        self._survey_problems = []
        self._advise()
        self._debounce.start()
        if self.recipe() is not None:
            self._survey_debounce.start()
        self.changed.emit()

    def _on_only(self) -> None:
        """Other classes or splits are wanted."""
        if self.only.is_enough:
            self.form.set_values(self.only.values())
            self._on_form()
            return
        self._survey_debounce.stop()
        text, hint = self.tr("Fewer than two classes are chosen."), self.tr("Choose two at least.")
        self.refuse_survey(StudioError(text, hint, "only_classes"))
        self.changed.emit()

    def _on_task(self) -> None:
        """Another task or other columns are wanted."""
        self.form.set_values(self.task.values())
        if self.task.is_enough:
            self._on_form()
            return
        self._survey_debounce.stop()
        text, hint = self.tr("No column is chosen."), self.tr("Tick at least one.")
        self.refuse_survey(StudioError(text, hint, "target_columns"))
        self.changed.emit()

    def _on_place_removed(self, number: int) -> None:
        recipe = self.recipe()
        if recipe is not None:
            more = [path for at, path in enumerate(recipe.more_sources, 1) if at != number]
            self.form.set_values({"more_sources": more})
            self._on_form()

    def _advise(self) -> None:
        recipe = self.recipe()
        if recipe is None or self.found is None:
            return
        idle = idle_fields(self.found.places, recipe) | self._fixed
        for name in {*idle, *self._idle}:
            reason = idle.get(name, "")
            self.form.set_field_enabled(name, enabled=not reason, reason=reason)
            self.paths.explain(name, reason)
        self._idle = idle
        places = [problem for problem in self._survey_problems if problem.where in _OF_PLACES]
        rest = [problem for problem in self._survey_problems if problem not in places]
        targets = [problem for problem in rest if problem.where in _OF_TASK]
        rest = [problem for problem in rest if problem not in targets]
        text = " ".join(f"{problem.message} {problem.hint}" for problem in places)
        self.places_problem.show_text(text.strip(), "problem")
        text = " ".join(f"{problem.message} {problem.hint}" for problem in targets)
        self.task.show_problem(text.strip())
        self.form.show_problems([*advice(recipe, idle), *rest])

    def _refresh_preview(self) -> None:
        """Ask for the pictures of the present recipe; one question at a time is under way."""
        recipe = self.recipe()
        if self.found is None or recipe is None:
            return
        if self._is_busy:
            self._debounce.start()
            return
        self._is_busy = True
        self._background.run(
            self,
            partial(results_of, self.found, recipe),
            partial(self._on_pictures, self._round, recipe),
            self._on_failed,
        )

    def _on_pictures(self, asked: int, recipe: DatasetRecipe, results: list[Result]) -> None:
        self._is_busy = False
        if asked != self._round or recipe != self.recipe():
            return  # of another folder, or the form has moved on and will ask again
        shape = messages.shape(recipe.width, recipe.height, recipe.channels)
        self.preview.show_after(shape, results)
        self.previewed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._is_busy = False
        self._background.failed.emit(error)
