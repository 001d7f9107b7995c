"""The view: model chooser on top; a map of the images, and single pictures, in tabs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSignalBlocker, QStringListModel, Qt, Signal
from PySide6.QtGui import QColor, QImage, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QScrollArea, QSplitter, QStackedWidget, QTabWidget, QWidget

from studio.engine.datasets.sources.base import IMAGE_SUFFIXES
from studio.engine.errors import StudioError
from studio.engine.inference.models import ModelSource, model_of_run
from studio.engine.inference.requests import (
    ExplainReply,
    ExplainRequest,
    LayerOutline,
    LayersReply,
    LayersRequest,
    Method,
    NumberFigures,
    Outline,
    OutlineRequest,
    Tiles,
    png_bytes,
)
from studio.engine.tasks.heat_colors import heat_table
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.bridge.request import Request
from studio.ui.bridge.run_choices import RunChoice, task_of
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.pages.explore.maps import MapPanel
from studio.ui.pages.page import Page
from studio.ui.shared.dataset_display import DatasetDisplayButton
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.shared.file_dialogs import ask_file
from studio.ui.shared.similar_images import SimilarImages
from studio.ui.shared.training import train_first
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count, percent, significant
from studio.ui.widgets.inputs import ComboBox, horizontal_slider
from studio.ui.widgets.labels import ElidedLabel, HintLabel, apart
from studio.ui.widgets.layout import STRETCH, Splitter, fill, hbox, scrolled, text_label, vbox
from studio.ui.widgets.pages import ContentStack, EmptyState, PageHeader, PageStack
from studio.ui.widgets.pictures import HeatView, PictureView
from studio.ui.widgets.small_charts import Histogram
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

FindModel = Callable[[], ModelSource]
"""Gives the model that is asked; called in another thread, may read files."""
CHOICE_KEY: Final = "inside/run"
FOLDER_KEY: Final = "inside"


class View(Page):
    """Map of the images of a network, and why it predicts a picture as it does."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.header = PageHeader(self.tr("Explore"), "", self)
        self.chooser = RunChooser(context.jobs, context.settings, CHOICE_KEY, self)
        self.display_button = DatasetDisplayButton(context, self)
        self.header.add_action(self.display_button)
        self.header.add_action(self.chooser)
        self.tabs = QTabWidget(self)
        then = self.tr(
            "Then see which images are similar to the network, and what its predictions depend on."
        )
        self.empty = train_first(context, "explore", then, self)
        self._stack = ContentStack(self.empty, self.tabs, self)
        shown = self.tabs.findChild(QStackedWidget)  # where the tabs put them
        self.map = MapPanel(context, shown)
        self.picture = PicturePanel(context, shown)
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(self.tr("Views of the network"))
        self.tabs.tabBar().setAccessibleName(self.tabs.accessibleName())
        self.tabs.addTab(self.map, self.tr("Map of images"))
        self.tabs.addTab(self.picture, self.tr("One image"))
        self._outlined = ""
        self._is_outline_missing = False
        self._dataset: Path | None = None
        self._outlining = Request(context.background, self)
        vbox(self.header, (self._stack, 1), owner=self, spacing=SPACE.m, margins=SPACE.xl)
        self.chooser.changed.connect(self._refresh)
        self.display_button.displayed.connect(self._on_displayed)
        context.jobs.loaded.connect(self._refresh)
        self.map.opened.connect(self._on_opened)
        for button in (self.picture.empty_button, self.picture.open_button):
            button.clicked.connect(self._on_open)
        self._refresh()
        explain(self.tabs.tabBar(), self.tr("All images as points, or one image layer by layer."))

    @property
    def needs_engine(self) -> bool:
        """True if there is a model to inspect."""
        return self.chooser.choice() is not None

    def show_record(self, record_id: str) -> None:
        """Use the model of that run, or show that map."""
        entry = self.context.jobs.get(RecordKind.EMBEDDING, record_id)
        model = getattr(entry.plan, "model", "") if entry is not None else record_id
        self.chooser.select(model.partition(":")[2].partition("@")[0] or record_id)
        self.tabs.setCurrentWidget(self.map)

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Return that one picture would be inspected."""
        choice = self.chooser.choice()
        if choice is None or len(paths) != 1 or paths[0].is_dir():
            return ""
        if paths[0].suffix.lower() not in IMAGE_SUFFIXES:
            return ""
        return self.tr("Inspect {name} with {model}").format(model=choice.name, name=paths[0].name)

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Inspect the first picture."""
        if paths:
            self._on_opened(paths[0], "")

    def _refresh(self) -> None:
        choice = self.chooser.choice()
        is_known = self.context.jobs.is_loaded
        self._stack.show_content(is_known=is_known, is_empty=choice is None)
        self.chooser.setVisible(choice is not None)
        self.map.show_run(choice)
        self.picture.show_run(choice)
        self._offer_display(None if choice is None else choice.dataset_folder)
        self._ask_outline()

    def _offer_display(self, dataset: Path | None) -> None:
        """Offer channels and contrast for images whose pixels screens cannot show as they are."""
        if dataset == self._dataset:
            return
        self._dataset = dataset
        self.display_button.show_pictures(None if dataset is None else DatasetPictures(dataset))

    def _on_displayed(self) -> None:
        self.map.gallery.reload()
        self.picture.show_display()

    def _ask_outline(self) -> None:
        """Ask for the layers of the model unless they are known or were asked for."""
        choice = self.chooser.choice()
        run = choice.id if choice is not None and choice.is_usable else ""
        if run == self._outlined:
            return
        self._outlined, self._is_outline_missing = run, False
        self._outlining.drop()
        if choice is not None and run:
            make = partial(_outline_request, self.context.workspace, choice)
            done, failed = self._on_outline, self._on_no_outline
            self._outlining.ask(self.context.engine, "outline", make, Outline, done, failed)

    def _on_outline(self, outline: Outline) -> None:
        self.map.form.show_layers(outline)
        self.picture.layers.show_outline(outline)

    def _on_no_outline(self, error: BaseException) -> None:
        self._is_outline_missing = True
        self.context.navigator.show_failure(error)
        if isinstance(error, StudioError):  # it stays beside the layers, unlike the notice
            self.picture.layers.problem.show_problem(error.text)

    def _on_opened(self, path: Path, label: str) -> None:
        if self._is_outline_missing:
            self._outlined = ""
        self._ask_outline()
        self.picture.show_picture(path, label)
        self.tabs.setCurrentWidget(self.picture)

    def _on_open(self) -> None:
        endings = " ".join(f"*{suffix}" for suffix in sorted(IMAGE_SUFFIXES))
        kinds = self.tr("Images ({endings});;All files (*)").format(endings=endings)
        title = self.tr("Choose an image")
        path = ask_file(self, title, self.context.settings, FOLDER_KEY, kinds)
        if path is not None:
            self._on_opened(path, "")


class PicturePanel(QWidget):
    """One picture: the heat map at the left, the outputs of all layers at the right.

    Attributes:
        path: File of the picture.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._choice: RunChoice | None = None
        self.path: Path | None = None
        self._inspected: tuple[str, Path] | None = None
        how = self.tr(
            "Drop one here, or open one. On the map, click a point or double click a selected "
            "image."
        )
        self.empty = EmptyState(context.theme, "image", self.tr("Choose an image"), how, self)
        self.empty_button = self.empty.add_action(self.tr("Open an image…"), kind="primary")
        self.title = ElidedLabel("", self)
        self.open_button = push_button(
            self.tr("Open…"), context.theme, kind="quiet", icon="folder-open", parent=self
        )
        self.heat = HeatOverlay(context, self)
        self.similar = SimilarImages(context, self)
        self.layers = LayersView(context, self)
        self._lay_out()
        self.layers.chosen.connect(self._on_layer)
        shows = self.tr(
            "Shows the activations of each layer for an image, and the areas that the prediction "
            "depends on."
        )
        explain(self.empty_button, shows)
        explain(self.open_button, self.tr("Inspects another image."))

    def show_run(self, choice: RunChoice | None) -> None:
        """Inspect with another model."""
        if choice is None or self._choice is None or choice.id != self._choice.id:
            self._inspected = None
            self.heat.set_model(are_numbers=task_of(choice).gives_numbers)
            self.similar.show_picture(None, None)
            self.layers.clear()
        self._choice = choice
        self._inspect()

    def show_picture(self, path: Path, label: str = "") -> None:
        """Inspect another picture; `label` is its class or targets where they are known."""
        self.path = path
        text = self.tr("{name} ({label})").format(name=path.name, label=label)
        self.title.setText(text if label else path.name)
        self._stack.setCurrentIndex(1)
        self._inspect()

    def show_display(self) -> None:
        """Show the same picture in other colors or contrast."""
        self._inspected = None
        self._inspect()

    def showEvent(self, event: QShowEvent) -> None:
        """Compute the heat map and the layers once they are visible."""
        super().showEvent(event)
        self._inspect()

    def _inspect(self) -> None:
        choice, path = self._choice, self.path
        if choice is None or path is None or not self.isVisible():
            return
        if self._inspected == (choice.id, path):
            return
        self._inspected = choice.id, path
        model = partial(_source, self._context.workspace, choice)
        self.heat.dataset = choice.dataset_folder
        self.heat.explain(model, path)
        self.similar.show_picture(choice, path)
        self.layers.inspect(model, path)

    def _on_layer(self, layer: LayerOutline) -> None:
        """Draw the heat map of the chosen layer, where it has one."""
        choice, path = self._choice, self.path
        answer = self.heat.answer
        is_shown = answer is None or answer.layer in ("", layer.path)
        if choice is not None and path is not None and layer.has_map and not is_shown:
            self.heat.explain(
                partial(_source, self._context.workspace, choice), path, layer=layer.path
            )

    def _lay_out(self) -> None:
        left, right = Card("", self), Card("", self)
        left.setAccessibleName(self.tr("Heat map"))
        right.setAccessibleName(self.tr("Layers"))
        bar = hbox((self.title, 1), self.similar.button, self.open_button, spacing=SPACE.s)
        fill(left.body, bar, (self.heat, 1), self.similar)
        right.body.addWidget(self.layers, 1)
        across = Qt.Orientation.Horizontal
        self.splitter = Splitter(self._context.settings, "explore/splitter", across, self)
        self.splitter.split((left, 2, 400), (right, 3, 600))
        self._stack = PageStack(self, self.empty, self.splitter)
        vbox(self._stack, owner=self, margins=(0, SPACE.m, 0, 0))


def _source(workspace: Workspace, choice: RunChoice) -> ModelSource:
    return model_of_run(workspace, Record(RecordKind.RUN, choice.folder))


def _outline_request(workspace: Workspace, choice: RunChoice) -> OutlineRequest:
    return OutlineRequest(model=_source(workspace, choice))


METHODS: tuple[Method, ...] = ("grad_cam", "occlusion")
_LETTERS = 10


class HeatOverlay(QWidget):
    """Asks the engine host for the heat map of a picture, and shows it over the picture.

    The picture is shown as the model sees it, in its size and colors.

    Attributes:
        dataset: Folder of the dataset whose colors and contrast show the picture.
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
        self.dataset: Path | None = None
        self.answer: ExplainReply | None = None
        self.view = HeatView(context.theme, self)
        self._names = QStringListModel(self)
        self.output_box = ComboBox(self, self.tr("Explained output"))
        self.output_box.setModel(self._names)
        self.output_box.setMinimumContentsLength(_LETTERS)
        explain(self.output_box, self.tr("The output that the heat map explains."))
        methods = zip((self.tr("Grad-CAM"), self.tr("Covering parts")), METHODS, strict=True)
        self.method = ComboBox(self, self.tr("Method of the heat map"), methods)
        ways = self.tr(
            "Grad-CAM uses gradients and is fast. Occlusion takes longer and works with every "
            "network."
        )
        self.method.setToolTip(ways)
        opacity = round(self.view.opacity * 100)
        self.slider = horizontal_slider(self, self.tr("Opacity of the heat map"), 0, 100, opacity)
        self.slider.setToolTip(self.slider.accessibleName())
        self.bar = ThinBar(context.theme, self)
        self.caption = text_label("", "caption", self, wraps=True)
        self.problem = HintLabel("", "problem", self)
        self._engine = context.engine
        self._explaining = Request(context.background, self)
        self._lay_out()
        self.slider.valueChanged.connect(self._on_opacity)
        self.method.currentIndexChanged.connect(self._ask)
        self.output_box.activated.connect(self._on_output)
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
        self._explaining.drop()
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
        method = self.method.currentData()
        layer = self._layer if method == "grad_cam" else ""
        dataset = "" if self.dataset is None else str(self.dataset)
        make = partial(_request, self._model, self._image, method, self._label, layer, dataset)
        done, failed = self._on_answer, self._on_failed
        self._explaining.ask(self._engine, "explain", make, ExplainReply, done, failed)

    def _on_output(self, index: int) -> None:
        is_named = index > 0 or self._are_numbers
        self._label = self.output_box.currentText() if is_named else ""
        self._ask()

    def _on_opacity(self, value: int) -> None:
        self.view.set_opacity(value / 100)

    def _on_answer(self, answer: ExplainReply) -> None:
        self.answer = answer
        image = QImage.fromData(png_bytes(answer.picture))
        self.view.set_image(image, self.tr("The image under its heat map"))
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

    def _words(self, answer: ExplainReply) -> str:
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
                self.method.choose("occlusion")
            self._ask()

    def _lay_out(self) -> None:
        controls = hbox(self.output_box, self.method, (self.slider, 1), spacing=SPACE.s)
        below = (self.bar, self.caption, self.problem, controls)
        vbox((self.view, 1), *below, owner=self, spacing=SPACE.s)


def _request(
    model: FindModel, image: str, method: Method, label: str, layer: str, dataset: str
) -> ExplainRequest:
    return ExplainRequest(
        model=model(), image=image, method=method, label=label, layer=layer, dataset=dataset
    )


TALLEST = 360


class FiguresView(QWidget):
    """Shows `NumberFigures` under a heading."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = text_label("", "section", self, wraps=True)
        self.words = text_label("", "caption", self, wraps=True)
        self.picture = PictureView(theme, self)
        self.picture.setMaximumHeight(TALLEST)
        self.histogram = Histogram(theme, self)
        vbox(self.title, self.words, self.picture, self.histogram, owner=self, spacing=SPACE.xs)

    def show_figures(self, title: str, figures: NumberFigures) -> None:
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
            self.picture.set_image(image, self.tr("Image of {title}").format(title=title))
            self.picture.setFixedHeight(min(TALLEST, max(96, 2 * image.height())))
        self.histogram.show_counts(figures.histogram, figures.low, figures.high)

    def _text(self, figures: NumberFigures) -> str:
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
        self._reading = Request(context.background, self)
        self._lay_out()
        self.table.row_chosen.connect(self._on_chosen)
        explain(self.table, self.tr("Select a layer to see its activations for the image."))

    def inspect(self, model: FindModel, image: Path) -> None:
        """Look at a picture through a model.

        Args:
            model: Gives the model; called in another thread.
            image: The picture.
        """
        self._model, self._image = model, str(image)
        self._inspect()

    def clear(self) -> None:
        """Show nothing and cancel requests."""
        self._reading.drop()
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

    def show_outline(self, outline: Outline) -> None:
        """List the layers of the model and choose the one that explains its predictions."""
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
        self.chosen.emit(self.table.current)
        self._inspect()

    def _inspect(self) -> None:
        layer = self.table.current
        if layer is not None and self._model is not None:
            make = partial(_layers_request, self._model, self._image, layer.path)
            done, failed = self._on_layers, self._on_failed
            self._reading.ask(self._context.engine, "layers", make, LayersReply, done, failed)

    def _on_layers(self, answer: LayersReply) -> None:
        self.problem.show_text("")
        (view,) = answer.layers
        layer = self.table.current
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


def _layers_request(model: FindModel, image: str, path: str) -> LayersRequest:
    return LayersRequest(model=model(), image=image, layers=(path,))
