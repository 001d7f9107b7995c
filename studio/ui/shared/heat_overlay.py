"""Saliency maps: the picture, the map over it, and the method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QStringListModel, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.inference.models import ModelSource
from studio.engine.inference.questions import ExplainAnswer, ExplainRequest, Method, png_bytes
from studio.ui.bridge.background import Asker
from studio.ui.context import AppContext
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.figures import percent, significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel, apart
from studio.ui.widgets.pictures import HeatView
from studio.ui.widgets.tips import explain

FindModel = Callable[[], ModelSource]
"""Gives the model that is asked; called in another thread, may read files."""
METHODS: tuple[Method, ...] = ("grad_cam", "occlusion")
_LETTERS = 10


class HeatOverlay(QWidget):
    """Asks the engine host for the heat map of a picture, and shows it over the picture.

    The picture is shown as the model sees it, in its size and colors.

    Attributes:
        output_box: The class, label or quantity to explain.
        answer: The heat map, or None.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._model: FindModel | None = None
        self._image = ""
        self._label = ""
        self._layer = ""
        self._are_numbers = False
        self.answer: ExplainAnswer | None = None
        self.view = HeatView(context.theme, self)
        self._names = QStringListModel(self)
        self.output_box = ComboBox(self)
        self.output_box.setModel(self._names)
        self.output_box.setMinimumContentsLength(_LETTERS)
        self.output_box.setAccessibleName(self.tr("Explained output"))
        explain(self.output_box, self.tr("The output that the heat map explains."))
        self.method = QComboBox(self)
        self.method.addItems([self.tr("Grad-CAM"), self.tr("Covering parts")])
        self.method.setAccessibleName(self.tr("Method of the heat map"))
        self.method.setToolTip(
            self.tr(
                "Grad-CAM uses gradients and is fast. Occlusion takes longer and works with every "
                "network."
            )
        )
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, 100)
        self.slider.setValue(round(self.view.opacity * 100))
        self.slider.setAccessibleName(self.tr("Opacity of the heat map"))
        self.slider.setToolTip(self.slider.accessibleName())
        self.bar = ThinBar(context.theme, self)
        self.caption = QLabel(self)
        self.caption.setProperty("role", "caption")
        self.caption.setWordWrap(True)
        self.problem = HintLabel("", "problem", self)
        self._asker = Asker(context.background, context.engine, "explain", ExplainAnswer, self)
        self._lay_out()
        self.slider.valueChanged.connect(self._on_opacity)
        self.method.currentIndexChanged.connect(self._on_method)
        self.output_box.activated.connect(self._on_output)
        self._asker.answered.connect(self._on_answer)
        self._asker.failed.connect(self._on_failed)
        self.set_model(are_numbers=False)

    def set_model(self, *, are_numbers: bool) -> None:
        """Prepare for another model.

        Args:
            are_numbers: True if its outputs are numbers, not probabilities.
        """
        self.clear()
        self._are_numbers, self._label = are_numbers, ""
        self._names.setStringList([])
        self.output_box.hide()

    def explain(self, model: FindModel, image: Path, layer: str = "") -> None:
        """Explain the chosen output.

        Args:
            model: The model.
            image: The picture.
            layer: The layer for Grad-CAM; empty for the last convolution.
        """
        if str(image) != self._image:
            self.clear()
        self._model, self._image, self._layer = model, str(image), layer
        self._ask()

    def clear(self) -> None:
        """Show nothing and cancel requests."""
        self._asker.drop()
        self._model, self._image, self.answer = None, "", None
        self.view.set_image(None)
        self.view.set_heat(None)
        self.caption.setText("")
        self.problem.show_text("")
        self.bar.setVisible(False)

    def _ask(self) -> None:
        if self._model is None:
            return
        self.problem.show_text("")
        self.bar.set_fraction(None)
        self.bar.setVisible(True)
        method = METHODS[self.method.currentIndex()]
        layer = self._layer if method == "grad_cam" else ""
        parts = self._image, method, self._label, layer
        self._asker.ask(partial(_request, self._model, *parts))

    def _on_method(self, _index: int) -> None:
        self._ask()

    def _on_output(self, index: int) -> None:
        is_named = index > 0 or self._are_numbers
        self._label = self.output_box.currentText() if is_named else ""
        self._ask()

    def _on_opacity(self, value: int) -> None:
        self.view.set_opacity(value / 100)

    def _on_answer(self, answer: ExplainAnswer) -> None:
        self.answer = answer
        image = QImage.fromData(png_bytes(answer.picture))
        self.view.set_image(image, self.tr("The picture under its heat map"))
        self.view.set_heat(answer.heat.values())
        self._show_outputs(answer.outputs)
        self.bar.setVisible(not answer.is_complete)
        self.bar.set_fraction(answer.done / max(1, answer.total))
        self.caption.setText(self._words(answer))

    def _show_outputs(self, names: Sequence[str]) -> None:
        shown = list(names) if self._are_numbers else [self.tr("Highest score"), *names]
        if shown != self._names.stringList():
            with QSignalBlocker(self.output_box):
                self._names.setStringList(shown)
                self.output_box.setCurrentIndex(0)
            self.output_box.setVisible(len(names) > 1)

    def _words(self, answer: ExplainAnswer) -> str:
        text = significant if self._are_numbers else percent
        pattern = (
            self.tr("Areas that increase {label} ({score})")
            if self._are_numbers
            else self.tr("Areas that support {label} ({score})")
        )
        words = pattern.format(label=apart(answer.label), score=text(answer.score))
        if not answer.heat.peak and answer.is_complete:
            return self.tr("{what}: none found.").format(what=words)
        if answer.layer:
            return self.tr("{what}, layer {layer}").format(what=words, layer=answer.layer)
        return self.tr("{what}; covering the brightest area lowers the score by {fall}").format(
            what=words, fall=text(answer.heat.peak)
        )

    def _on_failed(self, error: BaseException) -> None:
        self.bar.setVisible(False)
        self.view.set_heat(None)
        if not isinstance(error, StudioError):
            self._context.navigator.show_failure(error)
            return
        self.problem.show_text(error.text, "problem")
        if error.where == "method":  # this network has no convolution
            with QSignalBlocker(self.method):
                self.method.setCurrentIndex(METHODS.index("occlusion"))
            self._ask()

    def _lay_out(self) -> None:
        controls = QHBoxLayout()
        controls.setSpacing(SPACE.s)
        controls.addWidget(self.output_box)
        controls.addWidget(self.method)
        controls.addWidget(self.slider, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addWidget(self.view, 1)
        column.addWidget(self.bar)
        column.addWidget(self.caption)
        column.addWidget(self.problem)
        column.addLayout(controls)


def _request(
    model: FindModel, image: str, method: Method, label: str, layer: str
) -> ExplainRequest:
    return ExplainRequest(model=model(), image=image, method=method, label=label, layer=layer)
