"""The list of runs with a model, for every page that uses one (Predict, Export).

It lives in the bridge because pages never import each other, and the kit must not know jobs.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPaintEvent, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import JobEntry, Jobs
from studio.ui.bridge.run_choices import RunChoice, pick, run_choices
from studio.ui.settings import Settings
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import percent

_ELIDED: Final = Qt.TextElideMode.ElideRight
_WIDTH: Final = 28
"""Characters shown at least."""


class RunChooser(QComboBox):
    """Follows the workspace live, newest run first, and remembers what was chosen.

    A choice stays as it is when newer runs come; it changes only when its run is deleted.

    Signals:
        changed: The `RunChoice` in use, or None; when another run is in use, or the same one was
            renamed or learned more.
    """

    changed = Signal(object)

    def __init__(
        self, jobs: Jobs, settings: Settings, key: str, parent: QWidget | None = None
    ) -> None:
        """Build it; `key` names the setting that remembers the choice."""
        super().__init__(parent)
        self._jobs = jobs
        self._settings = settings
        self._key = key
        self._choices: list[RunChoice] = []
        self._choice: RunChoice | None = None
        self._wish = settings.text(key) or ""
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_WIDTH)
        self.activated.connect(self._on_activated)
        jobs.loaded.connect(self._refresh)
        for signal in (jobs.added, jobs.moved, jobs.info_changed, jobs.removed):
            signal.connect(self._on_entry)
        self._retranslate()
        self._refresh()

    def choice(self) -> RunChoice | None:
        """The run in use, or None when there is none (yet)."""
        return self._choice

    def choices(self) -> list[RunChoice]:
        """All runs with a model, newest first."""
        return list(self._choices)

    def select(self, run_id: str) -> None:
        """Use that run; one that has no model yet is used as soon as it has."""
        self._remember(run_id)
        self._refresh(wished=True)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """With an ellipsis where the name is longer than the field; Qt would cut a letter."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        style, parts = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(style, option, parts, self).width() - 2 * SPACE.xs
        elided = option.fontMetrics.elidedText(option.currentText, _ELIDED, room)
        option.currentText = elided
        painter.drawComplexControl(style, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def changeEvent(self, event: QEvent) -> None:
        """Another language, other words."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _on_entry(self, entry: JobEntry, _events: object = None) -> None:
        if entry.key[0] in (RecordKind.RUN, RecordKind.DATASET):
            self._refresh(wished=entry.record.id == self._wish)

    def _on_activated(self, row: int) -> None:
        self._remember(self._choices[row].id)
        self._use(self._choices[row])

    def _remember(self, run_id: str) -> None:
        self._wish = run_id
        self._settings.set_text(self._key, run_id)

    def _refresh(self, *, wished: bool = False) -> None:
        if not self._jobs.is_loaded:
            return
        found = run_choices(
            self._jobs.entries(RecordKind.RUN), self._jobs.entries(RecordKind.DATASET)
        )
        if found != self._choices:
            self._choices = found
            self._fill()
        now = "" if self._choice is None else self._choice.id
        self._use(pick(found, *((self._wish, now) if wished or not now else (now, self._wish))))

    def _use(self, choice: RunChoice | None) -> None:
        with QSignalBlocker(self):
            self.setCurrentIndex(self._choices.index(choice) if choice is not None else -1)
        if choice != self._choice:
            self._choice = choice
            self.setToolTip(self._explained(choice))
            self.changed.emit(choice)

    def _fill(self) -> None:
        with QSignalBlocker(self):
            # An open list keeps its place: rows are rewritten, not cleared.
            while self.count() > len(self._choices):
                self.removeItem(self.count() - 1)
            for row, choice in enumerate(self._choices):
                if row == self.count():
                    self.addItem("")
                self._write(row, choice)
        self.setEnabled(bool(self._choices))

    def _write(self, row: int, choice: RunChoice) -> None:
        self.setItemText(row, _text(choice, self.tr("still training")))
        self.setItemData(row, self._explained(choice), Qt.ItemDataRole.ToolTipRole)
        model = self.model()
        if isinstance(model, QStandardItemModel):
            model.item(row).setEnabled(choice.is_usable)

    def _explained(self, choice: RunChoice | None) -> str:
        if choice is None:
            return self.tr("No run has a model yet.")
        if not choice.is_usable:
            return self.tr("Its dataset was deleted. Restore it from the trash to use this run.")
        if choice.accuracy is None:
            return self.tr("{name}, learned from {dataset}").format(
                name=choice.name, dataset=choice.dataset
            )
        return self.tr("{name}, learned from {dataset}, best validation accuracy {value}").format(
            name=choice.name, dataset=choice.dataset, value=percent(choice.accuracy)
        )

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Model"))
        self.setPlaceholderText(self.tr("No model yet"))
        self.setToolTip(self._explained(self._choice))
        self._fill()


def _text(choice: RunChoice, training: str) -> str:
    words = [choice.name]
    if choice.accuracy is not None:
        words.append(percent(choice.accuracy))
    if choice.dataset:
        words.append(choice.dataset)
    if choice.is_training:
        words.append(training)
    return " · ".join(words)
