"""The choice between a new dataset and adding to the one that was shown."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from studio.ui.pages.datasets.add_target import AddTarget, fixed_fields, outcome
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.names import apart


class TargetBar(Card):
    """Two choices, and what the second one will bring; hidden where there is no second one.

    Signals:
        changed: The user has chosen the other.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._target: AddTarget | None = None
        self.setAccessibleName(self.tr("What becomes of the images"))
        self.new_choice = QRadioButton(self.tr("Make a new dataset"), self)
        self.add_choice = QRadioButton(self)
        self.words = HintLabel(parent=self)
        choices = QHBoxLayout()
        choices.setSpacing(SPACE.l)
        choices.addWidget(self.new_choice)
        choices.addWidget(self.add_choice)
        choices.addStretch(1)
        column = QVBoxLayout()
        column.setSpacing(SPACE.xs)
        column.addLayout(choices)
        column.addWidget(self.words)
        self.body.addLayout(column)
        self.body.setContentsMargins(SPACE.l, SPACE.s, SPACE.l, SPACE.s)
        self.offer(None)
        self.add_choice.toggled.connect(self._on_toggled)
        explain(
            self.add_choice,
            self.tr("The images become a new version of that dataset; the one of now stays."),
        )
        explain(self.new_choice, self.tr("The images become a dataset of their own."))

    def offer(self, target: AddTarget | None, *, adding: bool = False) -> None:
        """Offer a dataset to add to, or none; choose to do so, or not."""
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
        """The dataset that images are to be added to, if that is chosen."""
        return self._target if self.add_choice.isChecked() else None

    def title(self) -> str:
        """What is being done."""
        if self.target is None:
            return self.tr("Import images")
        return self.tr("Add images to “{name}”").format(name=apart(self.target.name))

    def fixed(self) -> dict[str, str]:
        """The fields that cannot be chosen, each with the reason."""
        return {} if self.target is None else fixed_fields(self.target)

    def _refresh(self) -> None:
        self.words.show_text("" if self.target is None else outcome(self.target))

    def _on_toggled(self) -> None:
        self._refresh()
        self.changed.emit()
