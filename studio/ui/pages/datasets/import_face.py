"""The import sheet as it looks: its parts, and what is written on its buttons."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.ui.context import AppContext
from studio.ui.pages.datasets import import_messages, messages
from studio.ui.pages.datasets.recipe_panel import RecipePanel
from studio.ui.pages.datasets.search_panel import SearchPanel
from studio.ui.pages.datasets.state import size_on_disk
from studio.ui.pages.datasets.target_bar import TargetBar
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.page_header import PageHeader
from studio.ui.widgets.page_stack import PageStack


class ImportFace(QWidget):
    """A head, the choice of what becomes of the images, a search or a recipe, and buttons."""

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
        self.outcome = QLabel(self)
        self.outcome.setProperty("role", "muted")
        self.close_button = push_button("", theme, kind="quiet", parent=self)
        self.import_button = push_button("", theme, kind="primary", icon="download", parent=self)
        self._parts = PageStack(self)
        self._lay_out()

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
        words, number = messages.import_words, found.count
        if self.target.target is not None:
            words, number = import_messages.add_words, sum(p.count for p in found.places[1:])
        self.import_button.setText(words(number))
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
        column.addWidget(self.target)
        column.addWidget(self._parts, 1)
        column.addLayout(bottom)
