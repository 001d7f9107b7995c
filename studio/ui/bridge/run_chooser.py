"""The box that chooses the run whose model is used, and the dialog that searches all runs.

It is in the bridge because pages never import each other, and widgets must not know jobs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from studio.engine.errors import StudioError
from studio.engine.messages import in_sentence
from studio.engine.training.history import EpochDone
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.bridge.jobs import Jobs
from studio.ui.bridge.run_choices import MAX_LISTED, RunChoice, RunChoices
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.language import translated
from studio.ui.settings import Settings
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count, metric_text
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.keys import ListKeys
from studio.ui.widgets.labels import ElidingDelegate, HintLabel
from studio.ui.widgets.layout import text_label, vbox
from studio.ui.widgets.tips import explain

_WIDTH: Final = 28
"""Characters shown at least."""


class RunChooser(ComboBox):
    """Lists the runs of the workspace, the best completed one first, and remembers the choice.

    It begins with the newest completed run, or with the remembered choice if no run was completed
    since. Later runs do not change the choice; only deleting its run does. If there are very many
    runs, the older ones are found by name.

    Signals:
        changed: The current `RunChoice`, or None; emitted when another run is chosen, or the run
            is renamed or trained further.
    """

    changed = Signal(object)
    WIDEST = 480

    def __init__(
        self, jobs: Jobs, settings: Settings, key: str, parent: QWidget | None = None
    ) -> None:
        """Build it; `key` names the setting that remembers the choice."""
        super().__init__(parent)
        self._jobs = jobs
        self._settings = settings
        self._key = key
        self._listed: list[RunChoice] = []
        self._has_more = False
        self._choice: RunChoice | None = None
        self._preferred = settings.text(key) or ""
        self._is_chosen = self._is_settled = False
        self.setMinimumContentsLength(_WIDTH)
        self.activated.connect(self._on_activated)
        jobs.listed.connect(self._on_listed)
        jobs.changed.connect(self._on_changed)
        self.setAccessibleName(self.tr("Model"))
        self.setPlaceholderText(self.tr("No model yet"))
        self.setToolTip(self._explained(None))
        self._fill()
        self._refresh()

    def choice(self) -> RunChoice | None:
        """Return the run in use, or None if there is none (yet)."""
        return self._choice

    def listed(self) -> list[RunChoice]:
        """Return the runs in the list, the best completed one first, and the one in use."""
        return list(self._listed)

    def select(self, run_id: str) -> None:
        """Use that run; one that has no model yet is used as soon as it has."""
        self._is_chosen = True
        self._remember(run_id)
        self._refresh()

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if kinds & {RecordKind.RUN, RecordKind.DATASET}:
            self._refresh()

    def _on_changed(self, entry: RecordDocument, change: RecordChange) -> None:
        """Update listed runs: an epoch may have improved one."""
        is_listed = any(entry.record.id == choice.id for choice in self._listed)
        if is_listed and any(isinstance(event, EpochDone) for event in change.events):
            self._refresh()

    def _on_activated(self, row: int) -> None:
        if row < len(self._listed):
            self.select(self._listed[row].id)
            return
        self._show(self._choice)  # the last row is no run
        find_run(self._jobs, self, self._on_found)

    def _on_found(self, choice: RunChoice) -> None:
        self.select(choice.id)

    def _remember(self, run_id: str) -> None:
        self._preferred = run_id
        self._settings.set_text(self._key, run_id)

    def _settle(self, newest: str) -> None:
        """Prefer the newest run at the start, unless it was there when the choice was made."""
        seen = f"{self._key}/newest"
        if self._is_chosen:
            self._settings.set_text(seen, newest)
        elif not self._is_settled and newest and newest != self._settings.text(seen):
            self._preferred = newest
        self._is_chosen, self._is_settled = False, True

    def _refresh(self) -> None:
        if not self._jobs.is_loaded:
            return
        choices = RunChoices.of(self._jobs)
        self._settle(choices.newest_completed())
        choice = choices.pick(self._preferred, "" if self._choice is None else self._choice.id)
        listed, has_more = choices.listed("" if choice is None else choice.id)
        if (listed, has_more) != (self._listed, self._has_more):
            self._listed, self._has_more = listed, has_more
            self._fill()
        self._show(choice)
        if choice != self._choice:
            self._choice = choice
            self.setToolTip(self._explained(choice))
            self.changed.emit(choice)

    def _show(self, choice: RunChoice | None) -> None:
        with QSignalBlocker(self):
            self.setCurrentIndex(-1 if choice is None else self._listed.index(choice))

    def _fill(self) -> None:
        rows = len(self._listed) + self._has_more
        with QSignalBlocker(self):
            # An open list keeps its place: rows are rewritten, not cleared.
            while self.count() > rows:
                self.removeItem(self.count() - 1)
            while self.count() < rows:
                self.addItem("")
            for row, choice in enumerate(self._listed):
                self._write(row, describe.model(choice), choice)
            if self._has_more:
                self._write(rows - 1, self.tr("Another run…"), None)
        self.setEnabled(bool(self._listed))

    def _write(self, row: int, words: str, choice: RunChoice | None) -> None:
        tip = self.tr("Search runs by name.") if choice is None else self._explained(choice)
        self.setItemText(row, words)
        self.setItemData(row, tip, Qt.ItemDataRole.ToolTipRole)
        model = self.model()
        if isinstance(model, QStandardItemModel):
            model.item(row).setEnabled(choice is None or choice.is_usable)

    def _explained(self, choice: RunChoice | None) -> str:
        if choice is None:
            return self.tr("No run has a model yet.")
        if not choice.is_usable:
            return self.tr("Its dataset was deleted. Restore it from the trash to use this run.")
        if choice.best is None:
            return self.tr("{name}, trained on {dataset}").format(
                name=choice.name, dataset=choice.dataset
            )
        return self.tr("{name}, trained on {dataset}, best {metric} {value}").format(
            name=choice.name,
            dataset=choice.dataset,
            metric=in_sentence(translated(choice.metric.label)),
            value=metric_text(choice.metric, choice.best),
        )


_SIZE: Final = (520, 460)


class RunSearch(QDialog):
    """Lists the runs with a model whose names contain the typed text, the newest first.

    Signals:
        chosen: The `RunChoice`, after the dialog was closed.
    """

    chosen = Signal(object)

    def __init__(self, jobs: Jobs, parent: QWidget) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._found: list[RunChoice] = []
        self.setWindowTitle(self.tr("Another run"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        self.field = QLineEdit(self, placeholderText=self.tr("Name of the run, or of its images"))
        self.field.setAccessibleName(self.tr("Search the runs"))
        self.field.setClearButtonEnabled(True)
        self.view = QListWidget(self)
        ListKeys(self.field, self.view)
        self.view.setAccessibleName(self.tr("Runs with a model"))
        self.view.setItemDelegate(ElidingDelegate(self.view))
        self.more = text_label("", "muted", self)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.use_button = QPushButton(self.tr("Use this run"), self)
        self.use_button.setProperty("kind", "primary")
        self.use_button.setDefault(True)
        buttons.addButton(self.use_button, QDialogButtonBox.ButtonRole.AcceptRole)
        vbox(
            self.field, self.view, self.more, buttons, owner=self, spacing=SPACE.m, margins=SPACE.l
        )
        self.field.textChanged.connect(self._fill)
        self.view.itemActivated.connect(self.accept)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        jobs.listed.connect(self._fill)
        explain(self.field, self.tr("Type parts of the name in any order."))
        explain(self.view, self.tr("Newest matches."))
        explain(self.use_button, self.tr("Uses the selected run."))
        self._fill()

    def choices(self) -> list[RunChoice]:
        """Return the listed runs."""
        return list(self._found)

    def accept(self) -> None:
        """Close the dialog and emit the selection."""
        choice = self._marked()
        if choice is not None:
            super().accept()
            self.chosen.emit(choice)

    def _fill(self, _news: object = None) -> None:
        marked = self._marked()
        self._found, more = RunChoices.of(self._jobs).find(self.field.text(), MAX_LISTED)
        self.view.clear()
        for choice in self._found:
            words = describe.model(choice)
            QListWidgetItem(words, self.view).setToolTip(words)
        ids = [choice.id for choice in self._found]
        stays = marked is not None and marked.id in ids
        self.view.setCurrentRow(ids.index(marked.id) if marked is not None and stays else 0)
        if not self._found:
            self.more.setText(self.tr("No run has this name."))
        elif more:
            self.more.setText(self.tr("{n} more: type part of the name.").format(n=count(more)))
        else:
            self.more.clear()
        self.use_button.setEnabled(bool(self._found))

    def _marked(self) -> RunChoice | None:
        row = self.view.currentRow()
        return self._found[row] if row >= 0 else None


def find_run(jobs: Jobs, parent: QWidget, chosen: Callable[[RunChoice], None]) -> None:
    """Open the dialog that searches for a run.

    Args:
        jobs: All records.
        parent: Parent widget.
        chosen: Called with the selected run, unless canceled.
    """
    search = RunSearch(jobs, parent)
    search.chosen.connect(chosen)
    search.open()


class RunForm(Card):
    """Base of cards in which a job for a run is set up.

    Args:
        jobs: The jobs of the workspace.
        settings: Stores the chosen run.
        key: Name of the setting.
        parent: Owner.

    Attributes:
        chooser: The run.
        problem: Why the job was refused.
        is_asking: True while the job is being requested.

    Signals:
        submitted: The plan of the job.
        changed: The user changed the form.
    """

    submitted = Signal(object)
    changed = Signal()

    def __init__(
        self, jobs: Jobs, settings: Settings, key: str, parent: QWidget | None = None
    ) -> None:
        super().__init__("", parent)
        self.chooser = RunChooser(jobs, settings, key, self)
        self.problem = HintLabel(parent=self)
        self.is_asking = False

    def refresh(self) -> None:
        """Show what the form allows."""
        raise NotImplementedError

    def set_asking(self, *, is_asking: bool) -> None:
        """Disable the form while the job is being requested."""
        self.is_asking = is_asking
        self.refresh()

    def show_refused(self, error: StudioError) -> None:
        """Show why the job was refused."""
        self.problem.show_problem(error.text)

    def on_change(self) -> None:
        """Show the effect of a change."""
        self.problem.show_problem()
        self.refresh()
        self.changed.emit()
