"""The networks that can be trained, one row each; those that do not take the images say why."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QLabel, QRadioButton, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.networks.zoo import ZOO
from studio.ui.theme.tokens import SPACE


class NetworkPicker(QWidget):
    """Radio buttons with a line of explanation each.

    Signals:
        chosen: The name of the network.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Network"))
        self._buttons: dict[str, QRadioButton] = {}
        self._captions: dict[str, QLabel] = {}
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        for network in ZOO:
            button = QRadioButton(f"{network.label} ({network.year})", self)
            button.setToolTip(network.paper)
            button.setAccessibleDescription(network.summary)
            caption = QLabel(network.summary, self)
            caption.setProperty("role", "caption")
            caption.setWordWrap(True)
            caption.setContentsMargins(SPACE.xl, 0, 0, SPACE.s)
            button.clicked.connect(partial(self.chosen.emit, network.name))
            self._group.addButton(button)
            self._buttons[network.name] = button
            self._captions[network.name] = caption
            column.addWidget(button)
            column.addWidget(caption)
        self.select(ZOO.names()[0])

    @property
    def network(self) -> str:
        """The name of the network that is chosen."""
        return next(name for name, button in self._buttons.items() if button.isChecked())

    def select(self, name: str) -> None:
        """Choose a network; emits nothing."""
        self._buttons[name].setChecked(True)

    def fit_to(self, shape: tuple[int, int, int], classes: int) -> None:
        """Disable what does not take such images, with the reason in place of the explanation.

        Args:
            shape: Height, width and channels.
            classes: How many classes there are.
        """
        for network in ZOO:
            reason = ""
            try:
                network.build(shape, classes)
            except StudioError as error:
                reason = error.message
            self._buttons[network.name].setEnabled(not reason)
            self._captions[network.name].setText(reason or network.summary)
        if not self._buttons[self.network].isEnabled():
            able = next((n for n, b in self._buttons.items() if b.isEnabled()), None)
            if able is not None:
                self.select(able)
                self.chosen.emit(able)
