"""The button that has further models asked about the same picture."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from studio.ui.bridge.run_choices import MOST_LISTED, RunChoice, RunChoices
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.bridge.run_search import find_run
from studio.ui.context import AppContext
from studio.ui.pages.predict.side_by_side import MOST, SideBySide
from studio.ui.theme.icons import set_icon


class CompareButton(QPushButton):
    """Opens a menu of the other runs; those that are checked are asked as well."""

    def __init__(
        self,
        context: AppContext,
        chooser: RunChooser,
        beside: SideBySide,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._jobs = context.jobs
        self._chooser = chooser
        self._beside = beside
        self.setText(self.tr("Compare"))
        self.setToolTip(self.tr("Ask other models about the same picture"))
        self.setProperty("kind", "normal")
        self.setAutoDefault(False)
        set_icon(self, "sweeps", context.theme)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self.fill)
        self.setMenu(self._menu)
        chooser.changed.connect(self._on_model)

    def choices(self) -> list[RunChoice]:
        """The runs that are offered: those that are asked, and the newest."""
        return self._offered(RunChoices.of(self._jobs))

    def _offered(self, runs: RunChoices) -> list[RunChoice]:
        compared = self._beside.models
        wanted = {model.id for model in compared}
        newest = runs.first(MOST_LISTED)
        offered = [*compared, *(each for each in newest if each.id not in wanted)]
        return [choice for choice in offered if self._can_be_asked(choice)]

    def fill(self) -> list[str]:
        """Put the runs of now into the menu; returns their names."""
        self._menu.clear()
        wanted = {model.id for model in self._beside.models}
        runs = RunChoices.of(self._jobs)
        for choice in self._offered(runs):
            # An & would underline the letter behind it.
            action = self._menu.addAction(choice.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(choice.id in wanted)
            if len(wanted) >= MOST - 1 and choice.id not in wanted:
                action.setEnabled(False)
                action.setToolTip(self.tr("At most {count} models at a time.").format(count=MOST))
            action.toggled.connect(partial(self.set_compared, choice))
        if not self._menu.actions():
            self._menu.addAction(self.tr("There is no other run with a model")).setEnabled(False)
        if len(runs) > MOST_LISTED:
            self._menu.addSeparator()
            another = self._menu.addAction(self.tr("Another run…"))
            another.setEnabled(len(wanted) < MOST - 1)
            another.triggered.connect(self._on_another)
        return [action.text() for action in self._menu.actions() if not action.isSeparator()]

    def set_compared(self, choice: RunChoice, wanted: bool) -> None:
        """Ask a model as well, or not any more."""
        kept = [model for model in self._beside.models if model.id != choice.id]
        self._beside.set_models([*kept, choice] if wanted else kept)

    def _can_be_asked(self, choice: RunChoice) -> bool:
        current = self._chooser.choice()
        return choice.is_usable and (current is None or choice.id != current.id)

    def _on_another(self, _checked: bool = False) -> None:
        find_run(self._jobs, self, self._on_found)

    def _on_found(self, choice: RunChoice) -> None:
        if self._can_be_asked(choice):
            self.set_compared(choice, True)

    def _on_model(self, _choice: RunChoice | None) -> None:
        """Who answers for the page is not asked beside it; others may be gone or renamed."""
        runs = RunChoices.of(self._jobs)
        now = [runs.get(model.id) for model in self._beside.models]
        kept = [choice for choice in now if choice is not None and self._can_be_asked(choice)]
        if kept != self._beside.models:
            self._beside.set_models(kept)
