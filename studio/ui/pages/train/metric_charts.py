"""The loss beside another metric over the epochs; which one can be chosen."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import Task
from studio.ui.charts.line_chart import FRAME_MS, LineChart
from studio.ui.context import AppContext
from studio.ui.engine_text import plan_text
from studio.ui.pages.train.state import chart_metrics
from studio.ui.theme.tokens import SPACE

CHOSEN = "train/metric/"
"""Before the names of tasks in the settings: which metric their runs show."""
LOSS = "loss"


class MetricCharts(QWidget):
    """Two charts side by side; whoever derives from it draws the curves.

    Attributes:
        loss: Shown of every run.
        metric_chart: Shows a metric of the task; hidden if it has none but the loss.
        spec: That metric.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = context.settings
        self._key = ""
        self._metrics: dict[str, MetricSpec] = {}
        self.spec: MetricSpec | None = None
        epoch, theme = self.tr("Epoch"), context.theme
        self.loss = LineChart(theme, self.tr("Loss"), epoch, self.tr("Loss"), parent=self)
        self.metric_chart = LineChart(theme, "", epoch, "", parent=self)
        self.metric_chart.delay_ms = FRAME_MS // 2
        self.loss.link(self.metric_chart)
        self.metric_chart.bar.chosen.connect(self._on_chosen)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        for chart in (self.loss, self.metric_chart):
            chart.failed.connect(context.navigator.show_failure)
            row.addWidget(chart, 1)

    def draw(self) -> None:
        """Draw everything from the beginning."""
        raise NotImplementedError

    def charts(self) -> list[tuple[LineChart, str]]:
        """The charts that are shown, each with the name of its metric on training images."""
        shown = [(self.loss, LOSS)]
        return shown if self.spec is None else [*shown, (self.metric_chart, self.spec.name)]

    def choose(self, name: str) -> None:
        """Show another metric of the tasks."""
        spec = self._metrics.get(name)
        if spec is None or spec == self.spec:
            return
        self.spec = spec
        self.metric_chart.set_values(
            plan_text(spec.label), percent=spec.is_fraction, rises=spec.higher_is_better
        )

    def set_tasks(self, tasks: Iterable[Task]) -> None:
        """Offer the metrics of these tasks; what was chosen for them before is shown again."""
        named = {task.name: task for task in tasks}
        key = CHOSEN + "+".join(named)
        if key == self._key or not named:
            return
        self._key = key
        self._metrics = {each.name: each for each in chart_metrics(named.values())}
        self.spec = None
        self.metric_chart.setVisible(bool(self._metrics))
        chosen = self._settings.text(key) or ""
        if chosen not in self._metrics:
            chosen = next(iter(self._metrics), "")
        self.choose(chosen)
        choices = {
            name: (plan_text(each.label), plan_text(each.summary))
            for name, each in self._metrics.items()
        }
        self.metric_chart.bar.set_choices(choices, chosen)

    def _on_chosen(self, name: str) -> None:
        self._settings.set_text(self._key, name)
        self.choose(name)
        self.draw()
