"""What was found in a folder, what is made of it, and how that will look."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import Problem
from studio.ui.bridge.background import Background
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.import_work import Found, results_of
from studio.ui.pages.datasets.name_row import NameRow
from studio.ui.pages.datasets.preview_card import LARGEST, SMALLEST, PreviewCard
from studio.ui.pages.datasets.skipped_section import SkippedSection
from studio.ui.pages.datasets.state import advice
from studio.ui.pages.datasets.text_table import TextTable
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.card import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.hint_label import HintLabel

# Long enough to type a number, short enough to seem live.
DEBOUNCE_MS = 150
_MOST_CLASSES = 5
_FORM_WIDTH = 400


class RecipePanel(QScrollArea):
    """Name, recipe and preview of an import.

    Signals:
        changed: The user changed the name or the recipe.
        previewed: The pictures at the right are those of the present recipe.
    """

    changed = Signal()
    previewed = Signal()

    def __init__(
        self, theme: Theme, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._found: Found | None = None
        self._round = 0
        self._is_busy = False
        self.found_card = Card("", self)
        headings = [self.tr("Class"), self.tr("Images")]
        self.classes = TextTable(
            self.tr("Classes found"), headings, most_rows=_MOST_CLASSES, numbers_last=True
        )
        self.warnings = HintLabel(parent=self)
        self.skipped = SkippedSection(theme, messages.to_be_left_out, self)
        self.name = NameRow(self)
        self.form = PlanForm(DatasetRecipe, theme=theme, parent=self)
        self.preview = PreviewCard(theme, self)
        self._debounce = QTimer(self)
        self._debounce.setSingleShot(True)
        self._debounce.setInterval(DEBOUNCE_MS)
        self._lay_out()
        self.name.changed.connect(self.changed)
        self.form.changed.connect(self._on_form)
        self._debounce.timeout.connect(self._refresh_preview)

    def show_found(self, found: Found, name: str, taken: Sequence[str]) -> None:
        """Show what a folder holds, under a name that is free."""
        self._found = found
        self.found_card.set_title(messages.found_line(found.count, len(found.classes)))
        self.classes.set_rows([(label, count(number)) for label, number in found.classes])
        self.warnings.show_text("\n".join(found.warnings), "advice")
        self.skipped.set_entries(found.problems)
        self.name.set_name(name, taken)
        self.form.set_values(found.recipe)
        self.preview.show_before(found.previews)
        self.verticalScrollBar().setValue(0)
        self._round += 1
        self._advise()
        self._refresh_preview()

    def clear(self) -> None:
        """Drop what is still being prepared."""
        self._found = None
        self._round += 1
        self._debounce.stop()

    @property
    def found(self) -> Found | None:
        """What is shown."""
        return self._found

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
        self.found_card.body.addWidget(self.classes)
        self.found_card.body.addWidget(self.warnings)
        self.found_card.body.addWidget(self.skipped)
        settings = Card(self.tr("Dataset"), self)
        settings.body.addWidget(self.name)
        settings.body.addWidget(self.form)
        left = QVBoxLayout()
        left.setSpacing(SPACE.m)
        left.addWidget(self.found_card)
        left.addWidget(settings)
        left.addStretch(1)
        right = QVBoxLayout()
        right.addWidget(self.preview)
        right.addStretch(1)
        inside = QWidget(self)
        inside.setProperty("plain", True)
        row = QHBoxLayout(inside)
        row.setContentsMargins(0, 0, SPACE.s, SPACE.m)
        row.setSpacing(SPACE.l)
        row.addLayout(left, 1)
        row.addLayout(right)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(inside)

    def _on_form(self) -> None:
        self._advise()
        self._debounce.start()
        self.changed.emit()

    def _advise(self) -> None:
        recipe = self.recipe()
        if recipe is not None:
            self.form.show_problems(advice(recipe))

    def _refresh_preview(self) -> None:
        """Ask for the pictures of the present recipe; one question at a time is under way."""
        recipe = self.recipe()
        if self._found is None or recipe is None:
            return
        if self._is_busy:
            self._debounce.start()
            return
        self._is_busy = True
        self._background.run(
            self,
            partial(results_of, self._found, recipe),
            partial(self._on_pictures, self._round, recipe),
            self._on_failed,
        )

    def _on_pictures(self, asked: int, recipe: DatasetRecipe, images: list[QImage]) -> None:
        self._is_busy = False
        if asked != self._round or recipe != self.recipe():
            return  # of another folder, or the form has moved on and will ask again
        shape = messages.shape(recipe.width, recipe.height, recipe.channels)
        self.preview.show_after(shape, images)
        self.previewed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._is_busy = False
        self._background.failed.emit(error)
