"""The heat map of a picture: which of its parts a prediction depends on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QSignalBlocker, QStringListModel, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ExplainReply, ExplainRequest
from studio.ui.bridge.request import Request
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.pictures import Failure, failure_of
from studio.ui.shared.similar_images import SimilarImages
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import BarLine
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox, horizontal_slider
from studio.ui.widgets.labels import apart
from studio.ui.widgets.layout import FlowLayout, text_label, vbox
from studio.ui.widgets.tips import explain

_OPACITY: Final = 60
"""Percent of the picture that the heat map hides at first."""


class HeatMapRequester(QObject):
    """Requests the heat map of the picture that is shown and predicted, while it is switched on.

    Attributes:
        found: The heat map, or why there is none; None while it is computed.

    Signals:
        changed: There is another heat map, or none.
    """

    changed = Signal()

    def __init__(
        self,
        context: AppContext,
        source: Callable[[RunChoice], ModelSource],
        parent: QObject | None = None,
    ) -> None:
        """Make it; `source` returns the model of a run and is called in other threads."""
        super().__init__(parent)
        self._navigator = context.navigator
        self._source = source
        self._is_on = False
        self._model: RunChoice | None = None
        self._picture: Path | None = None
        self._output = ""
        self._requested: tuple[Path, str, str] | None = None
        self.found: ExplainReply | Failure | None = None
        self._engine = context.engine
        self._explaining = Request(context.background, self)

    def switch(self, is_on: bool) -> None:
        """Switch it on or off."""
        self._is_on = is_on
        self._request()

    def show_picture(self, model: RunChoice | None, picture: Path | None, output: str) -> None:
        """Explain another picture, or none; only one that has a prediction.

        Args:
            model: Model whose prediction is explained.
            picture: File of the picture.
            output: Name of the class, label or quantity that is explained.
        """
        self._model, self._picture, self._output = model, picture, output
        self._request()

    def show_output(self, output: str) -> None:
        """Explain another class, label or quantity."""
        self._output = output
        self._request()

    def _request(self) -> None:
        model, picture, output = self._model, self._picture, self._output
        key = request = None
        if self._is_on and model is not None and picture is not None:
            key = (picture, model.id, output)
            request = partial(_request, self._source, model, picture, output)
        if key == self._requested:
            return
        self._requested, self.found = key, None
        self._explaining.drop()
        if request is not None:
            done, failed = self._on_found, self._on_failed
            self._explaining.ask(self._engine, "explain", request, ExplainReply, done, failed)
        self.changed.emit()

    def _on_found(self, reply: ExplainReply) -> None:
        if reply.is_complete:
            self.found = reply
            self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self.found = failure_of(error, self._navigator)
        self.changed.emit()


class Explanation(QWidget):
    """Switches for the heat map and the nearest training images, and the images themselves.

    Attributes:
        output_box: The class, label or quantity that the heat map explains.

    Signals:
        opacity_changed: Opacity of the heat map, 0 to 1.
    """

    opacity_changed = Signal(float)

    def __init__(
        self, context: AppContext, explainer: HeatMapRequester, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.explainer = explainer
        text, theme = self.tr("Heat map"), context.theme
        self.heat_button = push_button(text, theme, icon="heat-map", parent=self)
        self.heat_button.setCheckable(True)
        tip = self.tr("Show the areas of the image that the prediction depends on")
        self.heat_button.setToolTip(tip)
        self.similar = SimilarImages(context, self)
        self._are_values = False
        self._chosen = ""
        self._names = QStringListModel(self)
        self.output_box = ComboBox(self, self.tr("Explained output"))
        self.output_box.setModel(self._names)
        explain(self.output_box, self.tr("The output that the heat map explains."))
        name = self.tr("Strength of the heat map")
        self.opacity = horizontal_slider(self, name, 10, 100, _OPACITY)
        self.opacity.setToolTip(self.opacity.accessibleName())
        self.heat_line = text_label("", "caption", self, wraps=True)
        buttons = FlowLayout()  # in other languages they need two lines
        buttons.addWidget(self.heat_button)
        buttons.addWidget(self.similar.button)
        below = (self.output_box, self.heat_line, self.opacity, self.similar)
        vbox(buttons, *below, owner=self, spacing=SPACE.s)
        self.heat_button.toggled.connect(self._on_switched)
        self.opacity.valueChanged.connect(self._on_opacity)
        self.output_box.activated.connect(self._on_output)
        explainer.changed.connect(self._show_heat)
        self._show_heat()

    @property
    def output(self) -> str:
        """Name of the output that is explained; empty while there is no prediction."""
        return self.output_box.currentText()

    def show_outputs(self, lines: Sequence[BarLine], names: Sequence[str]) -> None:
        """Offer the outputs of a prediction; the chosen one stays while the model has it.

        Args:
            lines: The prediction, the most likely output first.
            names: Names of all outputs of the model.
        """
        first = [line.name for line in lines]
        shown = [*first, *(name for name in names if name not in first)]
        self._are_values = any(line.share is None for line in lines)
        if shown == self._names.stringList():
            return
        with QSignalBlocker(self.output_box):
            self._names.setStringList(shown)
            at = shown.index(self._chosen) if self._chosen in shown else 0
            self.output_box.setCurrentIndex(at)
        self._show_heat()

    def _on_output(self, index: int) -> None:
        self._chosen = self.output if index else ""  # the first one is the prediction itself
        self.explainer.show_output(self.output)

    def _on_switched(self, is_on: bool) -> None:
        self.explainer.switch(is_on)
        self._show_heat()

    def _on_opacity(self, percent: int) -> None:
        self.opacity_changed.emit(percent / 100)

    def _show_heat(self) -> None:
        found, is_on = self.explainer.found, self.heat_button.isChecked()
        has_heat = isinstance(found, ExplainReply) and found.heat.peak > 0
        self.opacity.setVisible(is_on and has_heat)
        self.output_box.setVisible(is_on and self.output_box.count() > 1)
        text = ""
        if is_on and found is None:
            text = self.tr("Computing the heat map…")
        elif is_on and isinstance(found, Failure):
            text = messages.failure_line(found)
        elif is_on and isinstance(found, ExplainReply):
            text = self._pattern(has_heat=has_heat).format(label=apart(found.label))
        self.heat_line.setText(text)
        self.heat_line.setVisible(bool(text))

    def _pattern(self, *, has_heat: bool) -> str:
        """Return the description of the map for `{label}`."""
        if self._are_values and not has_heat:
            return self.tr("No area of the image increases {label}.")
        if self._are_values:
            return self.tr("Areas that increase {label} (Grad-CAM)")
        if not has_heat:
            return self.tr("No area of the image supports {label}.")
        return self.tr("Areas that support {label} (Grad-CAM)")


def _request(
    source: Callable[[RunChoice], ModelSource], model: RunChoice, picture: Path, output: str
) -> ExplainRequest:
    folder = "" if model.dataset_folder is None else str(model.dataset_folder)
    return ExplainRequest(model=source(model), image=str(picture), label=output, dataset=folder)
