"""Maps of the images of a dataset: their pictures and controls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from studio.engine.embeddings.requests import MAP_METHODS, EmbeddingPlan, MapMethod, MapSplit
from studio.engine.inference.questions import Outline
from studio.engine.jobs.states import State
from studio.engine.plans import fields_of
from studio.engine.training.plan import RUN_PREFIX
from studio.ui.bridge import describe
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.charts.map_chart import MapColoring, MapPoints
from studio.ui.documents.record import RecordDocument
from studio.ui.language import translated
from studio.ui.shared.jobs import show_start, show_stop
from studio.ui.tasks import view_of
from studio.ui.tasks.targets import TargetTable
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import fill, hbox, vbox
from studio.ui.widgets.tips import allow, explain

if TYPE_CHECKING:
    from studio.engine.embeddings.embedding import Embedding

METHODS: tuple[MapMethod, ...] = get_args(MapMethod)
SPLITS: tuple[MapSplit, ...] = get_args(MapSplit)
COLORINGS: tuple[MapColoring, ...] = get_args(MapColoring)
_WIDEST_CLASSES = 280
_WIDEST_LAYER = 400


class MapForm(QWidget):
    """Method, images and layer of a map, the button that draws it, and its progress."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        fields = {field.name: field for field in fields_of(EmbeddingPlan)}
        self.method = QComboBox(self)
        self.method.addItems(list(MAP_METHODS.values()))
        self.split = QComboBox(self)
        self.split.addItems([self.tr("All images"), self.tr("Training images")])
        self.split.addItems([self.tr("Validation images"), self.tr("Test images")])
        self.layer = ComboBox(self)
        self.layer.setMaximumWidth(_WIDEST_LAYER)
        for box, name, text in (
            (self.method, "method", self.tr("Method of the map")),
            (self.split, "split", self.tr("Images on the map")),
            (self.layer, "layer", self.tr("Layer whose features are mapped")),
        ):
            box.setAccessibleName(text)
            box.setToolTip(f"{text}. {translated(fields[name].why or fields[name].help)}")
        button = partial(push_button, theme=theme, parent=self)
        self.draw_button = button(self.tr("Draw the map"), kind="primary", icon="chart")
        self.cancel_button = button(self.tr("Cancel"), kind="quiet", icon="stop")
        self.bar = ThinBar(theme, self)
        self.problem = HintLabel("", "problem", self)
        self.detail = HintLabel("", "help", self)
        self._lay_out()
        self.show_layers(None)
        self.show_work(None)
        explain(self.cancel_button, self.tr("Cancels the map. The previous map is kept."))
        explain(
            self.draw_button,
            self.tr("Plots each image as a point. Similar images are close together."),
        )

    def plan(self, model: str, dataset: str) -> EmbeddingPlan:
        """Return the chosen map of a model and a dataset, given as in plans."""
        return EmbeddingPlan(
            model=model,
            dataset=dataset,
            method=METHODS[self.method.currentIndex()],
            split=SPLITS[self.split.currentIndex()],
            layer=self.layer.currentData() or "",
        )

    def show_layers(self, outline: Outline | None) -> None:
        """Offer the layers of a model; None while they are not known."""
        layers = () if outline is None else outline.layers
        paths = ((layer.path, layer.path) for layer in layers)
        self.layer.set_entries([(self.tr("Before the head"), ""), *paths])

    def show_work(self, entry: RecordDocument | None) -> None:
        """Show the progress of a map, or why there is none."""
        is_busy = is_at_work(entry)
        show_start(self.draw_button, self.tr("Draw the map"), is_asked=False)
        allow(self.draw_button, self.tr("A map is being computed.") if is_busy else "")
        self.cancel_button.setVisible(is_busy)
        show_stop(self.cancel_button, entry, self.tr("Cancel"))
        self.bar.setVisible(is_busy)
        self.bar.set_fraction(None if entry is None else entry.history.fraction)
        text = ""
        if is_busy and entry is not None:
            text, progress = describe.detail(entry), entry.history.progress
            what = translated(progress.what) if progress is not None else ""
            if what and what not in text:
                text = f"{what}: {text}"
        self.detail.show_text(text)
        failed = entry is not None and entry.state in (State.FAILED, State.LOST)
        self.problem.show_text(entry.history.reason if entry and failed else "", "problem")

    def _lay_out(self) -> None:
        tools = (self.draw_button, self.cancel_button)
        row = hbox(self.method, self.split, (self.layer, 1), spacing=SPACE.s)
        row.addStretch(0)  # takes the rest once the layer has its full width
        fill(row, *tools)
        vbox(row, self.bar, self.detail, self.problem, owner=self, spacing=SPACE.xs)


class MapBar(QWidget):
    """Colors, classes and mouse mode of the map on the screen.

    Signals:
        coloring_chosen: A `MapColoring`.
        output_chosen: Number of the label or quantity that groups the points.
        class_chosen: Number of the class that is not faded; -1 for all.
    """

    coloring_chosen = Signal(str)
    output_chosen = Signal(int)
    class_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.coloring = QComboBox(self)
        self.coloring.addItems(
            [self.tr("Color by class"), self.tr("Color by split"), self.tr("Color by error")]
        )
        self.coloring.setAccessibleName(self.tr("Coloring"))
        self.outputs = ComboBox(self, self.tr("Label or quantity"))
        self.outputs.setMinimumContentsLength(6)
        self.outputs.hide()
        self.classes = ComboBox(self, self.tr("Highlighted class"))
        self.classes.setMinimumContentsLength(10)
        self.classes.setMaximumWidth(_WIDEST_CLASSES)
        self.lasso = QCheckBox(self.tr("Drag selects"), self)
        self.lasso.setChecked(True)
        self.lasso.setToolTip(
            self.tr(
                "On: drag around points to select them. Off: drag to zoom. The wheel zooms, "
                "Shift+drag moves, a double click shows everything."
            )
        )
        choices = (self.coloring, self.outputs, (self.classes, 1))
        row = hbox(*choices, owner=self, spacing=SPACE.s)
        row.addStretch(0)  # takes the rest once the classes have their full width
        row.addWidget(self.lasso)
        self.coloring.currentIndexChanged.connect(self._on_coloring)
        self.classes.currentIndexChanged.connect(self._on_class)
        self.outputs.activated.connect(self.output_chosen)
        explain(self.outputs, self.tr("The label or quantity that the points are colored by."))
        explain(self.classes, self.tr("Fades all other classes."))
        explain(self.coloring, self.tr("Coloring by error shows clusters of mistakes."))

    def show_outputs(self, targets: TargetTable | None) -> None:
        """Offer the labels or quantities of a dataset; none where images have one class."""
        self.outputs.clear()
        if targets is not None:
            self.outputs.addItems(list(targets.names))
        self.outputs.setVisible(targets is not None)
        by_class = self.tr("Color by class")
        self.coloring.setItemText(0, by_class if targets is None else self.tr("Color by value"))

    def show_points(self, points: MapPoints) -> None:
        """Offer the classes of a map, and colors by error where they are known."""
        with QSignalBlocker(self.classes):
            self.classes.clear()
            self.classes.addItems([self.tr("All images"), *points.classes])
        self.class_chosen.emit(-1)
        item, known = COLORINGS.index("error"), points.right is not None
        tip = None if known else self.tr("Not known for these images.")
        self.coloring.setItemData(item, tip, Qt.ItemDataRole.ToolTipRole)
        model = self.coloring.model()
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        model.setData(
            model.index(item, 0), int(flags.value) if known else 0, Qt.ItemDataRole.UserRole - 1
        )
        if not known and self.coloring.currentIndex() == item:
            self.coloring.setCurrentIndex(0)

    def _on_coloring(self, index: int) -> None:
        self.coloring_chosen.emit(COLORINGS[index])

    def _on_class(self, index: int) -> None:
        self.class_chosen.emit(index - 1)


@dataclass(frozen=True, slots=True)
class Maps:
    """The maps of a run.

    Attributes:
        active: One that waits or is drawn, or the last that failed after `shown` was drawn.
        shown: The newest that is completed.
    """

    active: RecordDocument | None = None
    shown: RecordDocument | None = None


def maps_of(entries: Iterable[RecordDocument], run_id: str) -> Maps:
    """Return the maps of a run, from all maps, newest first."""
    active = None
    for entry in entries:
        plan = entry.plan
        if not isinstance(plan, EmbeddingPlan) or plan.model != f"{RUN_PREFIX}{run_id}":
            continue
        if entry.state == State.COMPLETED:
            return Maps(active, entry)
        active = active or entry
    return Maps(active)


def is_at_work(entry: RecordDocument | None) -> bool:
    """Return True if a map is drawn now, or queued."""
    return entry is not None and not entry.state.is_at_rest


def dataset_id(choice: RunChoice) -> str:
    """Return the id of the dataset of a run; empty where it was deleted."""
    return "" if choice.dataset_folder is None else choice.dataset_folder.name


@dataclass(frozen=True)
class DrawnMap:
    """A map with the targets of its images.

    Attributes:
        embedding: The map.
        targets: Targets of the dataset; None where each image has one class.
    """

    embedding: Embedding
    targets: TargetTable | None = None

    def caption(self, index: int) -> str:
        """Return the targets of an image, or its class and the predicted one if that differs."""
        found = self.embedding
        if self.targets is not None:
            row = int(found.rows[index])
            return str(view_of(self.targets.task).caption(self.targets, row))
        label, prediction = self.label(index), found.outputs[found.predictions[index]]
        return label if prediction == label else f"{label} → {prediction}"

    def label(self, index: int) -> str:
        """Return the class or the targets of an image."""
        if self.targets is not None:
            return self.caption(index)
        return self.embedding.classes[int(self.embedding.labels[index])]

    def points(self, output: int) -> MapPoints:
        """Return the points in groups: by their class, or by a label or quantity."""
        from studio.ui.charts.map_chart import MapPoints  # noqa: PLC0415 - NumPy

        found = self.embedding
        labels, names = found.labels, found.classes
        if self.targets is not None:
            labels, names = view_of(self.targets.task).groups(self.targets, found.rows, output)
        return MapPoints(found.points, labels, found.splits, found.right(), names)
