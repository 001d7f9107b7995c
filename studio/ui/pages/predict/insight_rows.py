"""Switches for the heat map and the nearest training images, and the images themselves."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSlider, QVBoxLayout, QWidget

from studio.ui.engine_text import engine_text
from studio.ui.pages.predict.insight import Insight
from studio.ui.pages.predict.insight_work import Heat, Nearest, Similar
from studio.ui.pages.predict.state import Failure
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.figures import count
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.picture_view import PictureView

_SIDE = 64
_HALF = 60
"""Percent that the heat map hides at first."""


class InsightRows(QWidget):
    """Two switches; below them how strong the heat map is, and the nearest images.

    Signals:
        opacity_changed: How much the heat map hides, 0 to 1.
    """

    opacity_changed = Signal(float)

    def __init__(self, theme: Theme, insight: Insight, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._insight = insight
        self.heat_button = _switch(self.tr("Heat map"), "heat-map", theme, self)
        self.heat_button.setToolTip(self.tr("Show what in the picture the answer depends on"))
        self.nearest_button = _switch(self.tr("Similar images"), "datasets", theme, self)
        self.nearest_button.setToolTip(
            self.tr("Show the training images that the model finds most like the picture")
        )
        self.opacity = QSlider(Qt.Orientation.Horizontal, self)
        self.opacity.setRange(10, 100)
        self.opacity.setValue(_HALF)
        self.opacity.setAccessibleName(self.tr("Strength of the heat map"))
        self.opacity.setToolTip(self.opacity.accessibleName())
        self.heat_line, self.nearest_line = _caption(self), _caption(self)
        self._cells: list[_Cell] = []
        self._flow = FlowLayout(spacing=SPACE.s)
        self._lay_out()
        for button in (self.heat_button, self.nearest_button):
            button.toggled.connect(self._on_switched)
        self.opacity.valueChanged.connect(self._on_opacity)
        insight.heat_changed.connect(self._show_heat)
        insight.nearest_changed.connect(self._show_nearest)
        self._show_heat()
        self._show_nearest()

    def similar(self) -> list[str]:
        """The classes of the images that are shown, the nearest first."""
        return [cell.label.text() for cell in self._cells if not cell.isHidden()]

    def _on_switched(self, _on: bool) -> None:
        self._insight.want(
            heat=self.heat_button.isChecked(), nearest=self.nearest_button.isChecked()
        )
        self._show_heat()
        self._show_nearest()

    def _on_opacity(self, percent: int) -> None:
        self.opacity_changed.emit(percent / 100)

    def _show_heat(self) -> None:
        heat, is_on = self._insight.heat, self.heat_button.isChecked()
        self.opacity.setVisible(is_on and isinstance(heat, Heat) and not heat.is_empty)
        if not is_on:
            self.heat_line.setText("")
        elif heat is None:
            self.heat_line.setText(self.tr("Drawing the heat map…"))
        elif isinstance(heat, Failure):
            self.heat_line.setText(engine_text(f"{heat.message} {heat.hint}".strip()))
        elif heat.is_empty:
            self.heat_line.setText(
                self.tr("Nothing in the picture speaks for {label}.").format(label=heat.label)
            )
        else:
            text = self.tr("What speaks for {label}, by Grad-CAM").format(label=heat.label)
            self.heat_line.setText(text)
        self.heat_line.setVisible(bool(self.heat_line.text()))

    def _show_nearest(self) -> None:
        found, is_on = self._insight.nearest, self.nearest_button.isChecked()
        images = found.images if is_on and isinstance(found, Nearest) else ()
        while len(self._cells) < len(images):
            self._cells.append(_Cell(self._theme, self))
            self._flow.addWidget(self._cells[-1])
        for place, cell in enumerate(self._cells):
            cell.setVisible(place < len(images))
        for cell, image in zip(self._cells, images, strict=False):
            cell.show_image(image)
        self.nearest_line.setText(self._nearest_text() if is_on else "")
        self.nearest_line.setVisible(bool(self.nearest_line.text()))

    def _nearest_text(self) -> str:
        found = self._insight.nearest
        if found is None:
            return self.tr("Looking through the training images…")
        if isinstance(found, Failure):
            return engine_text(f"{found.message} {found.hint}".strip())
        if found.done < found.total:
            return self.tr("Looked through {done} of {total} training images…").format(
                done=count(found.done), total=count(found.total)
            )
        return self.tr("The nearest of {total} training images").format(total=count(found.total))

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE.s)
        buttons.addWidget(self.heat_button)
        buttons.addWidget(self.nearest_button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addLayout(buttons)
        column.addWidget(self.heat_line)
        column.addWidget(self.opacity)
        column.addWidget(self.nearest_line)
        column.addLayout(self._flow)


class _Cell(QWidget):
    """A small picture with its class below."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._picture = PictureView(theme, self)
        self._picture.setFixedSize(QSize(_SIDE, _SIDE))
        self.label = ElidedLabel("", self)
        self.label.setProperty("role", "caption")
        self.label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.setFixedWidth(_SIDE)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        column.addWidget(self._picture)
        column.addWidget(self.label)

    def show_image(self, image: Similar) -> None:
        """Show another image."""
        self._picture.set_image(image.image, image.label)
        self.label.setText(image.label)


def _switch(text: str, icon: str, theme: Theme, parent: QWidget) -> QPushButton:
    made = push_button(text, theme, icon=icon, parent=parent)
    made.setCheckable(True)
    return made


def _caption(parent: QWidget) -> QLabel:
    made = QLabel(parent)
    made.setProperty("role", "caption")
    made.setWordWrap(True)
    return made
