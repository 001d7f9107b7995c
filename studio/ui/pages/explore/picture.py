"""A picture seen through a model: its layers, and heat maps of its predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from operator import attrgetter
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QStringListModel, Qt, Signal
from PySide6.QtGui import QColor, QImage, QResizeEvent
from PySide6.QtWidgets import QComboBox, QScrollArea, QSlider, QSplitter, QWidget

from studio.engine.errors import StudioError
from studio.engine.inference.models import ModelSource
from studio.engine.inference.questions import (
    ExplainAnswer,
    ExplainRequest,
    Figures,
    LayerOutline,
    LayersAnswer,
    LayersRequest,
    Method,
    Outline,
    OutlineRequest,
    Tiles,
    heat_table,
    png_bytes,
)
from studio.ui.bridge.background import Asker
from studio.ui.context import AppContext
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.figures import count, percent, significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel, apart
from studio.ui.widgets.layout import STRETCH, hbox, scrolled, text_label, vbox
from studio.ui.widgets.pictures import HeatView, PictureView
from studio.ui.widgets.small_charts import Histogram
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
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
        self.output_box = ComboBox(self, self.tr("Explained output"))
        self.output_box.setModel(self._names)
        self.output_box.setMinimumContentsLength(_LETTERS)
        explain(self.output_box, self.tr("The output that the heat map explains."))
        self.method = QComboBox(self)
        self.method.addItems([self.tr("Grad-CAM"), self.tr("Covering parts")])
        self.method.setAccessibleName(self.tr("Method of the heat map"))
        ways = self.tr(
            "Grad-CAM uses gradients and is fast. Occlusion takes longer and works with every "
            "network."
        )
        self.method.setToolTip(ways)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, 100)
        self.slider.setValue(round(self.view.opacity * 100))
        self.slider.setAccessibleName(self.tr("Opacity of the heat map"))
        self.slider.setToolTip(self.slider.accessibleName())
        self.bar = ThinBar(context.theme, self)
        self.caption = text_label("", "caption", self, wraps=True)
        self.problem = HintLabel("", "problem", self)
        self._asker = Asker(context.background, context.engine, "explain", ExplainAnswer, self)
        self._lay_out()
        self.slider.valueChanged.connect(self._on_opacity)
        self.method.currentIndexChanged.connect(self._ask)
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
        self.problem.show_problem(error.text)
        if error.where == "method":  # this network has no convolution
            with QSignalBlocker(self.method):
                self.method.setCurrentIndex(METHODS.index("occlusion"))
            self._ask()

    def _lay_out(self) -> None:
        controls = hbox(self.output_box, self.method, (self.slider, 1), spacing=SPACE.s)
        below = (self.bar, self.caption, self.problem, controls)
        vbox((self.view, 1), *below, owner=self, spacing=SPACE.s)


def _request(
    model: FindModel, image: str, method: Method, label: str, layer: str
) -> ExplainRequest:
    return ExplainRequest(model=model(), image=image, method=method, label=label, layer=layer)


TALLEST = 360


class FiguresView(QWidget):
    """Shows `Figures` under a heading."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = text_label("", "section", self, wraps=True)
        self.words = text_label("", "caption", self, wraps=True)
        self.picture = PictureView(theme, self)
        self.picture.setMaximumHeight(TALLEST)
        self.histogram = Histogram(theme, self)
        vbox(self.title, self.words, self.picture, self.histogram, owner=self, spacing=SPACE.xs)

    def show_figures(self, title: str, figures: Figures) -> None:
        """Show the statistics and tiles of a layer.

        Args:
            title: Title of the view.
            figures: The statistics.
        """
        self.title.setText(title)
        self.words.setText(self._text(figures))
        tiles = figures.tiles
        self.picture.setVisible(tiles is not None)
        if tiles is not None:
            image = tile_image(tiles)
            self.picture.set_image(image, self.tr("Picture of {title}").format(title=title))
            self.picture.setFixedHeight(min(TALLEST, max(96, 2 * image.height())))
        self.histogram.show_counts(figures.histogram, figures.low, figures.high)

    def _text(self, figures: Figures) -> str:
        sizes = " × ".join(count(side) for side in figures.shape) or self.tr("one number")
        parts = [
            sizes,
            self.tr("mean {value}").format(value=significant(figures.mean)),
            self.tr("deviation {value}").format(value=significant(figures.deviation)),
        ]
        if figures.not_finite:
            parts.append(
                self.tr("{count} are infinite or not a number").format(
                    count=count(figures.not_finite)
                )
            )
        if figures.tiles is not None and figures.tiles.shown < figures.tiles.there:
            parts.append(
                self.tr("{shown} of {there} are drawn").format(
                    shown=count(figures.tiles.shown), there=count(figures.tiles.there)
                )
            )
        return " · ".join(parts)


def tile_image(tiles: Tiles) -> QImage:
    """Return the tiles in color, dark for low values and bright for high ones."""
    gray = QImage.fromData(png_bytes(tiles.data)).convertToFormat(QImage.Format.Format_Grayscale8)
    gray.reinterpretAsFormat(QImage.Format.Format_Indexed8)
    gray.setColorTable(_colors())
    return gray.convertToFormat(QImage.Format.Format_RGB32)


@cache
def _colors() -> list[int]:
    return [QColor(*color).rgb() for color in heat_table().tolist()]


WIDE = 720
"""Pixels from which on list and figures stand side by side."""


class LayersView(QWidget):
    """Lists the layers of a model; shows the activations of the chosen one.

    Signals:
        chosen: The selected `LayerOutline`.
    """

    chosen = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._model: FindModel | None = None
        self._image = ""
        self.outline: Outline | None = None
        path: Callable[[LayerOutline], str] = attrgetter("path")
        self.table = Table(
            self.tr("Layers"),
            [
                Column(self.tr("Layer"), path, width=FILL, cell_tip=_tip, is_text=True),
                Column(self.tr("Output"), _shape, cell_tip=_tip, is_text=True),
                Column(
                    self.tr("Parameters"),
                    lambda layer: count(layer.parameters),
                    value=attrgetter("parameters"),
                    cell_tip=_tip,
                    is_descending=True,
                ),
            ],
            self,
            key=path,
        )
        self.problem = HintLabel("", "problem", self)
        self.total = text_label("", "caption", self)
        self._inside = QWidget(self)
        margins = (SPACE.s, 0, SPACE.s, 0)
        self._column = vbox(STRETCH, owner=self._inside, spacing=SPACE.l, margins=margins)
        self.views: list[FiguresView] = []
        background, engine = context.background, context.engine
        self._outliner = Asker(background, engine, "outline", Outline, self)
        self._asker = Asker(background, engine, "layers", LayersAnswer, self)
        self._lay_out()
        self._outliner.answered.connect(self._on_outline)
        self._asker.answered.connect(self._on_layers)
        for asker in (self._outliner, self._asker):
            asker.failed.connect(self._on_failed)
        self.table.row_chosen.connect(self._on_chosen)
        explain(self.table, self.tr("Select a layer to see its activations for the picture."))

    def inspect(self, model: FindModel, image: Path, *, is_other_model: bool) -> None:
        """Look at a picture through a model.

        Args:
            model: Gives the model; called in another thread.
            image: The picture.
            is_other_model: True if its layers have to be listed again.
        """
        self._model, self._image = model, str(image)
        if is_other_model or self.outline is None:
            self.outline = None
            self.table.show_rows(())
            self._outliner.ask(partial(_outline_request, model))
        else:
            self._inspect()

    def clear(self) -> None:
        """Show nothing and cancel requests."""
        self._outliner.drop()
        self._asker.drop()
        self._model, self.outline = None, None
        self.table.show_rows(())
        self.total.setText("")
        self.problem.show_text("")
        self._show_views(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the parts side by side if there is room, else one above the other."""
        super().resizeEvent(event)
        is_wide = self.width() >= WIDE
        way = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        if self.splitter.orientation() != way:
            self.splitter.setOrientation(way)
            self.splitter.setSizes([1000, 1000])
        self.table.scrollTo(self.table.currentIndex())

    def layer(self) -> LayerOutline | None:
        """Return the layer that is chosen."""
        return self.table.current

    def _on_outline(self, outline: Outline) -> None:
        self.outline = outline
        self.problem.show_text("")
        self.total.setText(
            self.tr("{layers} layers, {weights} parameters").format(
                layers=count(len(outline.layers)), weights=count(outline.parameters)
            )
        )
        self.table.show_rows(outline.layers)
        paths = [layer.path for layer in outline.layers]
        requested = outline.explained or outline.features
        self.table.select(requested if requested in paths else next(iter(paths), ""))

    def _on_chosen(self, _path: str) -> None:
        self.chosen.emit(self.layer())
        self._inspect()

    def _inspect(self) -> None:
        layer = self.layer()
        if layer is not None and self._model is not None:
            self._asker.ask(partial(_layers_request, self._model, self._image, layer.path))

    def _on_layers(self, answer: LayersAnswer) -> None:
        self.problem.show_text("")
        (view,) = answer.layers
        layer = self.layer()
        kind = "" if layer is None else layer.kind
        shown = [
            (self.tr("Output of {layer} ({kind})").format(layer=view.path, kind=kind), view.output)
        ]
        shown += [(each.name, each) for each in view.weights]
        self._show_views(len(shown))
        for index, (title, figures) in enumerate(shown):
            self.views[index].show_figures(title, figures)

    def _show_views(self, number: int) -> None:
        while len(self.views) < number:
            self.views.append(FiguresView(self._context.theme, self._inside))
            self._column.insertWidget(len(self.views) - 1, self.views[-1])
        for index, view in enumerate(self.views):
            view.setVisible(index < number)

    def _on_failed(self, error: BaseException) -> None:
        self._show_views(0)
        self._context.navigator.show_failure(error, self.problem.show_problem)

    def _lay_out(self) -> None:
        scroll = QScrollArea(self)
        scrolled(scroll, self._inside)
        left = QWidget(self)
        vbox(self.table, self.total, self.problem, owner=left, spacing=SPACE.xs)
        scroll.setMinimumSize(180, 120)
        left.setMinimumSize(180, 120)
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        for at, part in enumerate((left, scroll)):
            self.splitter.addWidget(part)
            self.splitter.setStretchFactor(at, 1)
        self.splitter.setChildrenCollapsible(False)
        vbox(self.splitter, owner=self)


def _shape(layer: LayerOutline) -> str:
    return " × ".join("?" if side is None else str(side) for side in layer.shape)


def _tip(layer: LayerOutline) -> str:
    return f"{layer.path} · {layer.kind} · {_shape(layer)}"


def _outline_request(model: FindModel) -> OutlineRequest:
    return OutlineRequest(model=model())


def _layers_request(model: FindModel, image: str, path: str) -> LayersRequest:
    return LayersRequest(model=model(), image=image, layers=(path,))
