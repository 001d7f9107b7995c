"""Controls of a map: what colors mean, which class, lasso or zoom."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QWidget

from studio.ui.charts.map_chart import MapColoring, MapPoints
from studio.ui.tasks.targets import TargetTable
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.tips import explain

COLORINGS: tuple[MapColoring, ...] = get_args(MapColoring)
_WIDEST = 280


class MapBar(QWidget):
    """Choices about what is drawn already.

    Signals:
        coloring_chosen: A `MapColoring`.
        output_chosen: Number of the label or quantity that the points are grouped by.
        class_chosen: Number of the class that is not faded; -1 for all.
        lasso_toggled: Whether a drag goes around points; else it zooms.
    """

    coloring_chosen = Signal(str)
    output_chosen = Signal(int)
    class_chosen = Signal(int)
    lasso_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.coloring = QComboBox(self)
        self.coloring.addItems(
            [self.tr("Color by class"), self.tr("Color by split"), self.tr("Color by error")]
        )
        self.coloring.setAccessibleName(self.tr("What the colors mean"))
        self.outputs = ComboBox(self)
        self.outputs.setAccessibleName(self.tr("Label or quantity"))
        self.outputs.setMinimumContentsLength(6)
        self.outputs.hide()
        self.classes = ComboBox(self)
        self.classes.setAccessibleName(self.tr("Class that is shown"))
        self.classes.setMinimumContentsLength(10)
        self.classes.setMaximumWidth(_WIDEST)
        self.lasso = QCheckBox(self.tr("Drag selects"), self)
        self.lasso.setChecked(True)
        self.lasso.setToolTip(
            self.tr(
                "Drag a line around points to see their images. Switched off, a drag zooms. The "
                "wheel zooms, Shift and drag move, two clicks show everything."
            )
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        row.addWidget(self.coloring)
        row.addWidget(self.outputs)
        row.addWidget(self.classes, 1)
        row.addStretch(0)
        row.addWidget(self.lasso)
        self.coloring.currentIndexChanged.connect(self._on_coloring)
        self.classes.currentIndexChanged.connect(self._on_class)
        self.lasso.toggled.connect(self.lasso_toggled)
        self.outputs.activated.connect(self.output_chosen)
        explain(self.outputs, self.tr("The label or quantity that the points are colored by."))
        explain(self.classes, self.tr("Fades all other classes."))
        explain(self.coloring, self.tr("Colors by error show where mistakes lie together."))

    def show_outputs(self, targets: TargetTable | None) -> None:
        """Offer the labels or quantities of a dataset; none where images have one class."""
        self.outputs.clear()
        if targets is not None:
            self.outputs.addItems(list(targets.names))
        self.outputs.setVisible(targets is not None)
        by_class = self.tr("Color by class")
        self.coloring.setItemText(0, by_class if targets is None else self.tr("Color by value"))

    def show_points(self, points: MapPoints) -> None:
        """Offer what there is to choose for a map."""
        with QSignalBlocker(self.classes):
            self.classes.clear()
            self.classes.addItems([self.tr("All images"), *points.classes])
        self.class_chosen.emit(-1)
        item = COLORINGS.index("error")
        known = points.right is not None
        self.coloring.setItemData(
            item,
            None if known else self.tr("Not known for these images."),
            Qt.ItemDataRole.ToolTipRole,
        )
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
