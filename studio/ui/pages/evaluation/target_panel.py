"""One evaluation on labels or numbers: its metrics, charts of an output, the images behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QMenu,
    QSplitter,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from studio.engine.evaluation.report import TargetReport
from studio.engine.evaluation.reports import ReportKind, write_report
from studio.engine.files import slug
from studio.engine.tasks import TASKS
from studio.engine.tasks.metric import MetricSpec
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.charts.confusion import ConfusionChart
from studio.ui.charts.heat_map import Cell
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text, plan_text
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.comparison import CompareTargets
from studio.ui.pages.evaluation.drawer import Drawer
from studio.ui.pages.evaluation.state import Evaluation
from studio.ui.pages.evaluation.tabs.output_charts import ChartRow, OutputCharts
from studio.ui.shared.dataset_pictures import Captioned, DatasetPictures
from studio.ui.tasks import view_of
from studio.ui.tasks.report_view import Chart, OutputData, ReportView, Together
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import NO_VALUE, count, percent, significant
from studio.ui.widgets.labels import HintLabel, apart
from studio.ui.widgets.layout import FlowLayout, text_label, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.pages import PageHeader, PageStack
from studio.ui.widgets.tables import FigureCell, FigureTable
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.evaluation.target_files import TargetEvaluation

_OUTPUTS, _TOGETHER, _APART, _COMPARE = range(4)
"""The tabs."""
_THUMB, _DRAWER = 112, 300
"""Pixels; captions hold two numbers."""
MOST: Final = 200
"""Images that are shown at a time, those with the largest errors first."""


@dataclass(frozen=True)
class OpenedTargets:
    """An evaluation on targets with what its views need.

    Attributes:
        evaluation: The evaluation.
        pictures: Of its dataset.
        together: How often outputs come together; None where that means nothing.
    """

    evaluation: TargetEvaluation
    pictures: DatasetPictures
    together: Together | None

    @cached_property
    def view(self) -> ReportView:
        """How it is shown."""
        return view_of(TASKS[self.evaluation.report.task]).report

    def data(self, output: int) -> OutputData | None:
        """Return what was answered for an output; None where the dataset was deleted."""
        found, about = self.evaluation, self.evaluation.report.outputs[output]
        if found.targets is None:
            return None
        truth = found.targets[:, output].astype("float32")
        return OutputData(
            about.name,
            about.unit,
            found.outputs[:, output],
            truth,
            about.threshold,
            about.margin,
        )

    def captioned(self, output: int, places: Sequence[int]) -> list[Captioned]:
        """Return images by their places, each with what was answered for an output."""
        data = self.data(output)
        if data is None:
            return []
        images = []
        for place in places[:MOST]:
            caption, wrong = self.view.caption(data, place)
            row = int(self.evaluation.rows[place])
            images.append(Captioned(row, caption, f"{data.title}: {caption}", wrong=wrong))
        return images


def open_targets(workspace: Workspace, folder: Path) -> OpenedTargets:
    """Open an evaluation; for background threads.

    Raises:
        BadDataError: It is damaged.
    """
    from studio.engine.evaluation.target_files import open_target_evaluation  # noqa: PLC0415 - NumPy

    evaluation = open_target_evaluation(workspace, folder)
    subject = evaluation.report.subject
    record = workspace.record(RecordKind.DATASET, subject.dataset)
    pictures = DatasetPictures(record.folder if record else None, subject.dataset_version)
    together = None
    if evaluation.targets is not None:
        thresholds, targets = evaluation.calibration.thresholds, evaluation.targets
        view = view_of(TASKS[evaluation.report.task]).report
        together = view.together(evaluation.outputs, targets.astype("float32"), thresholds)
    return OpenedTargets(evaluation, pictures, together)


def _save(opened: OpenedTargets, kind: ReportKind, path: Path) -> Path:
    from studio.engine.evaluation.target_files import report_text  # noqa: PLC0415 - NumPy

    return write_report(path, report_text(opened.evaluation, kind), kind)


class _Matrix(ConfusionChart):
    """Outputs that come together are no mistakes: cells are told in the words of the task."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.plot.has_mistakes = False
        self.together: Together | None = None
        self.names: list[str] = []

    def describe(self, cell: Cell) -> str:
        """Put a cell into a sentence."""
        if self.together is None or not self.names:
            return ""
        number, whole = int(self.together.counts[cell]), int(self.together.totals[cell[0]])
        return self.together.cell.format(
            number=count(number),
            whole=count(whole),
            row=self.names[cell[0]],
            column=self.names[cell[1]],
            share=percent(number / whole) if whole else NO_VALUE,
        )

    def overview(self) -> str:
        """Return the hint of the task."""
        return "" if self.together is None else self.together.hint


class TargetPanel(QWidget):
    """Shows an opened evaluation on targets."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.opened: OpenedTargets | None = None
        self._output = -1
        theme = context.theme
        self.header = PageHeader("", parent=self)
        self.save_button = push_button(self.tr("Save report"), theme, icon="export", parent=self)
        self.save_button.setMenu(self._save_menu())
        self.trash_button = icon_button("trash", self.tr("Move to the trash"), theme, parent=self)
        self.header.add_action(self.save_button)
        self.header.add_action(self.trash_button)
        self._tiles = QWidget(self)
        self._flow = FlowLayout(self._tiles, SPACE.l)
        self.table = FigureTable(self)
        self.charts = ChartRow(theme, self)
        self.output_charts = OutputCharts(theme, self)
        self.compare = CompareTargets(context, self)
        self.tabs = QTabBar(self)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(self.tr("Parts of the report"))
        explain(self.tabs, self.tr("Shows another part of the report."))
        self._pages = PageStack(self)
        self.matrix = _Matrix(theme, self)
        self.matrix_words = QLabel(self)
        self.matrix_words.setWordWrap(True)
        self.matrix_hint = HintLabel(parent=self)
        self.drawer = Drawer(theme, self)
        self.drawer.grid.set_thumb_size(_THUMB)
        self.drawer.setMinimumWidth(_DRAWER)
        self._lay_out()
        self._connect()
        explain(
            self.table,
            self.tr("The metrics of each label or quantity. Choose one to see its images."),
        )
        explain(
            self.save_button,
            self.tr("Writes the report as a page for any browser, with its figures as tables."),
        )

    def show_opened(self, opened: OpenedTargets) -> None:
        """Show another evaluation."""
        self.opened, self._output = opened, -1
        report = opened.evaluation.report
        self.header.set_title(report.subject.title)
        notes = engine_text(" ".join(report.notes))
        self.header.set_subtitle(f"{messages.subtitle(report)} {notes}".strip())
        self._show_tiles()
        self._show_table()
        self._show_matrix()
        if not self.tabs.isTabVisible(self.tabs.currentIndex()):
            self.tabs.setCurrentIndex(_OUTPUTS)
        self.compare.show_evaluation(opened.evaluation)
        self.drawer.hide()

    def show_output(self, output: int) -> None:
        """Show the charts of an output."""
        opened = self.opened
        if opened is None or output == self._output:
            return
        self._output = output
        data = opened.data(output)
        if data is None:
            self._show_charts(opened, output, [])
            return
        done = partial(self._show_charts, opened, output)
        self._context.background.run(self, partial(opened.view.charts, data), done)

    def _show_charts(self, opened: OpenedTargets, output: int, charts: list[Chart]) -> None:
        if opened is not self.opened or output != self._output:
            return  # another one was chosen since
        self.charts.show_charts([each for each in charts if not each.is_apart])
        self.output_charts.show_output(output, [each for each in charts if each.is_apart])

    def show_rivals(self, rivals: Sequence[Evaluation]) -> None:
        """Offer evaluations to compare with."""
        self.compare.show_rivals(rivals)

    def save_report(self, kind: ReportKind) -> None:
        """Ask for a file, and write the report into it."""
        opened = self.opened
        if opened is None:
            return
        subject = opened.evaluation.report.subject
        name = f"{slug(subject.title, 'evaluation')}-{subject.split}.{kind}"
        chosen, _ = QFileDialog.getSaveFileName(
            self, self.tr("Save the report"), name, f"{kind.upper()} (*.{kind})"
        )
        if not chosen:
            return
        path = Path(chosen)
        path = path if path.suffix else path.with_suffix(f".{kind}")
        self._context.background.run(self, partial(_save, opened, kind, path), self._on_saved)

    def _on_saved(self, path: Path) -> None:
        text = self.tr("Saved as {path}.").format(path=path)
        self._context.navigator.notify(Notice("success", text))

    def _on_save(self, kind: ReportKind, _checked: bool = False) -> None:
        self.save_report(kind)

    def _show_tiles(self) -> None:
        if self.opened is None:
            return
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        report = self.opened.evaluation.report
        around = self.tr("95 % of {count} resamples of the images lie between these.")
        for spec in self.opened.evaluation.reporter.whole:
            tile = QWidget(self._tiles)
            column = QVBoxLayout(tile)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(0)
            texts = (
                (plan_text(spec.label), "caption"),
                (messages.metric_value(spec, report.metrics.get(spec.name)), "page"),
                (messages.metric_interval(spec, report.intervals.get(spec.name)), "caption"),
            )
            for text, role in texts:
                label = text_label(text, role, tile)
                column.addWidget(label)
            tile.setToolTip(
                f"{plan_text(spec.summary)}\n{around.format(count=count(report.resamples))}"
            )
            self._flow.addWidget(tile)
            tile.show()

    def _show_table(self) -> None:
        if self.opened is None:
            return
        report, specs = self.opened.evaluation.report, self.opened.evaluation.reporter.outputs
        one, several = (plan_text(each) for each in TASKS[report.task].output_names)
        headings = [one.capitalize(), *(plan_text(spec.label) for spec in specs)]
        if any(each.threshold is not None for each in report.outputs):
            headings.append(self.tr("Threshold"))
        if any(each.margin is not None for each in report.outputs):
            headings.append(self.tr("Prediction interval"))
        headings.append(self.tr("Images"))
        tips = ["", *(plan_text(spec.summary) for spec in specs)]
        rows = _rows(report, specs)
        self.table.show_rows(headings, rows, tips)
        self.table.setAccessibleName(headings[0])
        self.tabs.setTabText(_OUTPUTS, several.capitalize())
        title, hint = self.opened.view.charts_title()
        self.tabs.setTabVisible(_APART, bool(title))
        self.tabs.setTabText(_APART, title)
        self.output_charts.set_outputs(headings[0], [row[0].text for row in rows], hint)

    def _show_matrix(self) -> None:
        if self.opened is None:
            return
        found, together = self.opened.evaluation, self.opened.together
        self.tabs.setTabVisible(_TOGETHER, together is not None)
        if together is None:
            return
        names = [each.name for each in found.report.outputs]
        self.tabs.setTabText(_TOGETHER, together.title)
        self.matrix_hint.show_text(together.hint)
        self.matrix_words.setText("")
        self.matrix.together, self.matrix.names = together, names
        self.matrix.set_title(together.title)
        self.matrix.set_matrix(together.counts.astype("int32"), names, together.totals)
        self.matrix.plot.set_cells(names, names, together.axes)

    def _on_clicked(self, output: int) -> None:
        opened = self.opened
        if opened is None:
            return
        worst = opened.evaluation.worst(output, MOST).tolist()
        name = opened.evaluation.report.outputs[output].name
        text = opened.view.images_title().format(name=apart(name))
        self._show_images(text, output, worst)

    def _on_hovered(self, cell: Cell | None) -> None:
        shown = cell or self.matrix.current()
        self.matrix_words.setText("" if shown is None else self.matrix.describe(shown))

    def _on_cell(self, cell: Cell) -> None:
        opened = self.opened
        if opened is not None and opened.together is not None:
            places = opened.together.images(*cell).tolist()
            self._show_images(self.matrix.describe(cell), cell[1], places)

    def _on_point(self, place: int) -> None:
        self._show_images(self.tr("The image of this point"), self._output, [place])

    def _show_images(self, title: str, output: int, places: list[int]) -> None:
        opened = self.opened
        if opened is not None:
            self.drawer.show_images(title, opened.captioned(output, places), opened.pictures)
            self.drawer.show()

    def _save_menu(self) -> QMenu:
        menu = QMenu(self)
        kinds: tuple[tuple[ReportKind, str], ...] = (
            ("html", self.tr("As a page with pictures (HTML)…")),
            ("csv", self.tr("As a table (CSV)…")),
            ("json", self.tr("As data (JSON)…")),
        )
        for kind, text in kinds:
            action = QAction(text, menu)
            action.triggered.connect(partial(self._on_save, kind))
            menu.addAction(action)
        return menu

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self._pages.setCurrentIndex)
        self.table.row_chosen.connect(self.show_output)
        self.table.row_clicked.connect(self._on_clicked)
        self.drawer.closed.connect(self.drawer.hide)
        self.matrix.hovered.connect(self._on_hovered)
        self.matrix.chosen.connect(self._on_cell)
        self.matrix.failed.connect(self._context.navigator.show_failure)
        self.output_charts.output_chosen.connect(self.table.choose)
        for charts in (self.charts, self.output_charts.charts):
            charts.images_wanted.connect(self._on_point)
            charts.failed.connect(self._context.navigator.show_failure)

    def _lay_out(self) -> None:
        outputs = QSplitter(Qt.Orientation.Vertical, self)
        outputs.setChildrenCollapsible(False)
        outputs.addWidget(self.table)
        outputs.addWidget(self.charts)
        outputs.setStretchFactor(0, 2)
        outputs.setStretchFactor(1, 3)
        outputs.setSizes([200, 300])
        together = QWidget(self)
        vbox(
            self.matrix_hint,
            (self.matrix, 1),
            self.matrix_words,
            owner=together,
            margins=(0, SPACE.s, 0, 0),
        )
        for page in (outputs, together, self.output_charts, self.compare):
            self._pages.addWidget(page)
            self.tabs.addTab("")
        self.tabs.setTabText(_COMPARE, self.tr("Compare"))
        across = QSplitter(Qt.Orientation.Horizontal, self)
        across.setChildrenCollapsible(False)
        across.addWidget(self._pages)
        across.addWidget(self.drawer)
        across.setStretchFactor(0, 3)
        across.setStretchFactor(1, 1)
        self.drawer.hide()
        vbox(self.header, self._tiles, self.tabs, (across, 1), owner=self, spacing=SPACE.s)


def _rows(report: TargetReport, specs: Sequence[MetricSpec]) -> list[list[FigureCell]]:
    """Return the table of the labels or quantities; no column that all of them leave empty."""
    has_threshold = any(each.threshold is not None for each in report.outputs)
    has_margin = any(each.margin is not None for each in report.outputs)
    rows = []
    for each in report.outputs:
        name = f"{each.name} [{each.unit}]" if each.unit else each.name
        cells = [FigureCell(name, name.casefold())]
        for spec in specs:
            found = each.metrics.get(spec.name), each.intervals.get(spec.name)
            cells.append(messages.metric_cell(spec, *found))
        if has_threshold:
            text = "" if each.threshold is None else percent(each.threshold, 0)
            cells.append(FigureCell(text, each.threshold))
        if has_margin:
            text = "" if each.margin is None else f"± {significant(each.margin, 3)}"
            cells.append(FigureCell(text, each.margin))
        cells.append(FigureCell(count(each.images), each.images))
        rows.append(cells)
    return rows
