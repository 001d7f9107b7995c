"""A new benchmark: one form for each kind."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from studio.ui.context import AppContext
from studio.ui.pages.bench.orders import OperationsOrder, PredictionsOrder, TrainingsOrder
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.page_header import PageHeader


class NewStudy(QWidget):
    """What is to be measured.

    Signals:
        started: The id of the benchmark that was asked for.
    """

    started = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.trainings = TrainingsOrder(context, self)
        self.predictions = PredictionsOrder(context, self)
        self.operations = OperationsOrder(context, self)
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(self.tr("Kinds of benchmarks"))
        self.tabs.addTab(self.trainings, self.tr("Train"))
        self.tabs.addTab(self.predictions, self.tr("Predict"))
        self.tabs.addTab(self.operations, self.tr("Operations"))
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.xl, SPACE.xl)
        column.setSpacing(SPACE.l)
        column.addWidget(PageHeader(self.tr("New benchmark"), "", self))
        column.addWidget(self.tabs, 1)
        for order in (self.trainings, self.predictions, self.operations):
            order.started.connect(self.started)

    def measure_training(self, network: str, dataset: str) -> None:
        """Fill in a benchmark of trainings of one network, on a dataset by its id."""
        self.tabs.setCurrentWidget(self.trainings)
        self.trainings.choose(network, dataset)

    def suggest_names(self) -> None:
        """Put names there that no benchmark has."""
        for order in (self.trainings, self.predictions, self.operations):
            order.suggest_name()
