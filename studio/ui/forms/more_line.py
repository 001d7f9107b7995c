"""The line that opens the settings of experts, and the switch that keeps them open."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.widgets.buttons import OpenerButton
from studio.ui.widgets.layout import STRETCH, hbox
from studio.ui.widgets.tips import explain


class MoreLine(QWidget):
    """Says "More", and beside it, once that is open, "Show all settings" for all forms at once.

    It is above the settings that it opens and keeps its height, so that nothing above it moves.

    Args:
        theme: Stores whether expert settings are shown everywhere.
        with_switch: Off if there is no room for it, or it is beside another one.

    Signals:
        toggled: True if the settings below should be shown.
    """

    toggled = Signal(bool)

    def __init__(
        self, theme: Theme, *, with_switch: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._with_switch = with_switch
        self._changed = 0
        self.button = OpenerButton(self)
        self.always = QCheckBox(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        hbox(self.button, STRETCH, self.always, owner=self)
        self.button.clicked.connect(self._show)
        self.always.clicked.connect(self._on_always)
        theme.expert_changed.connect(self._on_expert_changed)
        self._on_expert_changed(theme.is_expert)
        explain(
            self.button,
            self.tr("Rarely needed settings. The defaults are good for most cases."),
        )

    @property
    def is_open(self) -> bool:
        """True if the part below is shown."""
        return self.button.isChecked()

    def set_open(self, *, shown: bool) -> None:
        """Show or hide the settings."""
        self.button.setChecked(shown)
        self._show()

    def show_count(self, changed: int) -> None:
        """Show the number of changed settings behind it; 0 shows nothing."""
        if changed != self._changed:
            self._changed = changed
            self._name()

    def _show(self) -> None:
        shown = self.is_open
        self._name()
        set_icon(self.button, "chevron-up" if shown else "chevron-down", self._theme, "muted")
        self.always.setText(self.tr("Show all settings"))
        self.always.setToolTip(self.tr("Always shows all settings, in all forms."))
        self.always.setVisible(shown and self._with_switch)
        self.toggled.emit(shown)

    def _name(self) -> None:
        shown = self.is_open
        word = self.tr("Less") if shown else self.tr("More")
        name = self.tr("Show fewer settings") if shown else self.tr("Show more settings")
        changed = self.tr("%n changed", "", self._changed) if self._changed else ""
        self.button.setText(" · ".join(filter(None, (word, changed))))
        self.button.setAccessibleName(", ".join(filter(None, (name, changed))))

    def _on_always(self) -> None:
        self._theme.is_expert = self.always.isChecked()

    def _on_expert_changed(self, is_expert: bool) -> None:
        self.always.setChecked(is_expert)
        self.set_open(shown=is_expert)
