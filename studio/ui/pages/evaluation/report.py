"""Report of an evaluation: main metrics, tabs, and the images of a selection."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QTabBar, QWidget

from studio.engine.evaluation.report import Interval, Report
from studio.engine.evaluation.reports import ReportKind, save_report
from studio.engine.files import slug
from studio.engine.messages import joined
from studio.engine.tasks import TASKS
from studio.engine.tasks.metric import MetricSpec, with_unit
from studio.engine.workspace import RecordKind
from studio.ui.bridge.describe import fallback_note
from studio.ui.bridge.request import Request
from studio.ui.bridge.run_choices import is_fallback
from studio.ui.charts.confusion import ConfusionChart
from studio.ui.charts.heat_map import Cell
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.comparison import CompareTab, CompareTargets
from studio.ui.pages.evaluation.counts import CountsTab
from studio.ui.pages.evaluation.origins import ORIGINS_WORD, OriginsTable
from studio.ui.pages.evaluation.pictures import (
    MAX_OF_TARGETS,
    Drawer,
    OpenClasses,
    OpenOutputs,
    OpenReport,
)
from studio.ui.pages.evaluation.state import EvaluationSummary
from studio.ui.pages.evaluation.tabs import (
    CertaintyTab,
    ChartRow,
    ClassesTab,
    ConfusionTab,
    FiguresTab,
    OriginsTab,
    OutputCharts,
    ReportTab,
    RobustnessTab,
)
from studio.ui.shared.dataset_display import DatasetDisplayButton
from studio.ui.shared.dataset_pictures import Captioned, OverlayOf, PictureGrid
from studio.ui.shared.file_dialogs import ask_new_file
from studio.ui.shared.overlay import OverlayBar
from studio.ui.tasks.view import CellImages, ChartsHead, ImageChart, ReportView, Together
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import NO_VALUE, count, counted, percent, significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel, HintLabel, apart
from studio.ui.widgets.layout import (
    FlowLayout,
    Splitter,
    hbox,
    remove_widget,
    text_label,
    vbox,
    with_wrapped_lines,
)
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.pages import PageHeader, PageStack
from studio.ui.widgets.picture_grid import ImageGrid
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FigureCell, figure_columns
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.mcnemar import PairedComparison

SPLITTER: Final = "evaluation/drawer"
TABS: Final[tuple[type[ReportTab], ...]] = (
    ConfusionTab,
    ClassesTab,
    CertaintyTab,
    RobustnessTab,
    FiguresTab,
    OriginsTab,
    CompareTab,
)
_OUTPUTS, _TOGETHER, _APART, _COUNTS, _ORIGINS, _COMPARE = range(6)
"""Tabs of labels and numbers."""
_THUMB = 112
"""Size of an image in pixels."""
FOLDER_KEY: Final = "evaluation"
Tab = TypeVar("Tab", bound=ReportTab)
Shown = TypeVar("Shown", bound=OpenReport[Any])
TileTexts = tuple[str, str, str, str, str]
"""Of a metric: name, caption, value, interval and explanation."""


class MetricTiles(QWidget):
    """Main metrics, each with its interval.

    Attributes:
        texts: Shown values by the names of the metrics.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.texts: dict[str, str] = {}
        self._flow = FlowLayout(self, SPACE.l)

    def show_figures(self, figures: Sequence[TileTexts], report: Report) -> None:
        """Show other metrics.

        Args:
            figures: Texts of each.
            report: The report that they are from.
        """
        self._flow.clear()
        self.texts = {name: value for name, _, value, *_ in figures}
        around = messages.resampled_text(report)
        for _, caption, value, interval, summary in figures:
            tile = QWidget(self)
            texts = (caption, "caption"), (value, "page"), (interval, "caption")
            vbox(*(text_label(*each, tile) for each in texts), owner=tile, spacing=0)
            tile.setToolTip(f"{summary}\n{around}".strip())
            self._flow.addWidget(tile)
            tile.show()


class EvaluationPanel(QWidget, Generic[Shown]):
    """Header, tabs and images of an opened evaluation; a subclass adds the tabs.

    The view of a task names the subclass, see `ReportView.panel`.

    Signals:
        saved: A report was written; carries its path.
        robustness_requested: The user wants an evaluation on corrupted images.
        trash_requested: The user wants to move the evaluation to the trash.
    """

    saved = Signal(object)
    robustness_requested = Signal()
    trash_requested = Signal()
    opened: ClassVar[type[OpenReport[Any]]]
    """The opened evaluations that it shows."""
    drawer_size: ClassVar = (64, 212)
    """Size of an image and width of the drawer, in pixels."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._open_report: Shown | None = None
        theme = context.theme
        self.header = PageHeader("", parent=self)
        saves = self.tr("Saves the report as a web page, a table or data.")
        self.save_button = push_button(
            self.tr("Save report"), theme, icon="export", parent=self, tip=saves
        )
        self.save_button.setMenu(self._save_menu())
        self.trash_button = icon_button("trash", self.tr("Move to the trash"), theme, parent=self)
        self.trash_button.clicked.connect(self.trash_requested)
        self.display_button = DatasetDisplayButton(context, self)
        self.display_button.displayed.connect(self._on_displayed)
        for button in (self.display_button, self.save_button, self.trash_button):
            self.header.add_action(button)
        self.warnings = HintLabel("", "problem", self)
        self.tiles = MetricTiles(self)
        # Above the drawer, too: in a small window the texts do not fit beside it.
        self.tabs = QTabBar(self)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(self.tr("Parts of the report"))
        self._pages = PageStack(self)
        self._images_tab: int | None = None
        thumb, width = self.drawer_size
        self.drawer = drawer = Drawer(context.theme, self, thumb=thumb, width=width)
        splitter = Splitter(context.settings, SPLITTER, Qt.Orientation.Horizontal, self)
        splitter.split((self._pages, 3, 600), (drawer, 1, 240))
        parts = self.header, self.warnings, self.tiles, self.tabs, (splitter, 1)
        vbox(*parts, owner=self, spacing=SPACE.s)
        self.tabs.currentChanged.connect(self._on_tab)
        drawer.closed.connect(self._hide_images)
        explain(self.tabs, self.tr("Shows another part of the report."))

    def minimumSizeHint(self) -> QSize:
        """Return the least size, with the lines into which its parts wrap at this width."""
        return with_wrapped_lines(self, super().minimumSizeHint())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for the height at the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    @property
    def open_report(self) -> Shown:
        """The shown evaluation; the panel cannot be used before one is shown."""
        if self._open_report is None:
            raise TypeError("no evaluation is open")
        return self._open_report

    @property
    def comparison(self) -> PairedComparison | None:
        """The comparison that a saved page shows; None for none."""
        return None

    def show_report(self, open_report: Shown) -> None:
        """Show another evaluation."""
        self._open_report = open_report
        self._show_head(open_report)
        self.display_button.show_pictures(open_report.pictures)
        self.show_parts(open_report)

    def show_parts(self, open_report: Shown) -> None:
        """Show the tabs of another evaluation; provided by a subclass."""
        raise NotImplementedError

    def show_rivals(self, rivals: Sequence[EvaluationSummary]) -> None:
        """Offer other evaluations for comparisons; provided by a subclass."""
        raise NotImplementedError

    def save_report(self, kind: ReportKind) -> None:
        """Ask for a file and write the report to it."""
        title, settings = self.tr("Save the report"), self._context.settings
        subject, kinds = self.open_report.report.subject, f"{kind.upper()} (*.{kind})"
        name = f"{slug(subject.title, 'evaluation')}-{subject.split}.{kind}"
        path = ask_new_file(self, title, settings, FOLDER_KEY, name, kinds)
        if path is not None:
            work = partial(save_report, self.open_report.evaluation, kind, path, self.comparison)
            self._context.background.run(self, work, self._on_saved)

    def add_tab(self, word: str, page: QWidget) -> None:
        """Add a tab."""
        self._pages.addWidget(page)
        self.tabs.addTab(word)

    def _show_head(self, open_report: OpenReport[Any]) -> None:
        report = open_report.report
        self.header.set_title(report.subject.title)
        run = self._context.jobs.get(RecordKind.RUN, report.subject.run)
        lacks_weights = run is not None and is_fallback(run)
        lines = (translated(joined(report.warnings, "\n")), fallback_note() * lacks_weights)
        self.warnings.show_text("\n".join(filter(None, lines)))
        notes = translated(joined(report.notes))
        self.header.set_subtitle(f"{messages.subtitle(report)} {notes}".strip())
        figures: list[TileTexts] = []
        for spec in open_report.evaluation.reporter.main_metrics:
            value = report.metrics.get(spec.name)
            # Undefined ones are left out, such as those of large objects without such objects,
            # and those that are always 1, such as the top-5 accuracy of five classes.
            is_shown = value is not None and len(report.outputs) >= spec.min_classes
            if is_shown or not figures:
                figures.append(_tile(spec, value, report.intervals.get(spec.name)))
        self.tiles.show_figures(figures, report)
        self._hide_images()

    def _show_images(
        self,
        title: str,
        images: Sequence[Captioned],
        overlay_of: OverlayOf | None = None,
    ) -> None:
        pictures = self.open_report.pictures
        pictures.style = self._context.settings.overlay
        self.drawer.show_images(title, images, pictures, overlay_of)
        self._images_tab = self.tabs.currentIndex()
        self.drawer.show()

    def _hide_images(self) -> None:
        self._images_tab = None
        self.drawer.hide()

    def _on_tab(self, index: int) -> None:
        self._pages.setCurrentIndex(index)
        # Images belong to the tab where they were selected; other tabs use the full width.
        self.drawer.setVisible(self._images_tab == index)

    def _on_displayed(self) -> None:
        for grid in self.findChildren(ImageGrid):
            grid.reload()

    def _on_saved(self, path: Path) -> None:
        text = self.tr("Saved as {path}.").format(path=path)
        self._context.navigator.notify(Notice("success", text))
        self.saved.emit(path)

    def _save_menu(self) -> QMenu:
        menu = QMenu(self)
        kinds: tuple[tuple[ReportKind, str], ...] = (
            ("html", self.tr("Web page with charts (HTML)…")),
            ("csv", self.tr("Table (CSV)…")),
            ("json", self.tr("Data (JSON)…")),
        )
        for kind, text in kinds:
            menu.addAction(text, partial(self.save_report, kind))
        return menu


class ClassesPanel(EvaluationPanel[OpenClasses]):
    """Report on classes."""

    opened = OpenClasses

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.class_tabs = [kind(context, self._pages) for kind in TABS]
        self.compare = self.tab(CompareTab)
        self.tab(RobustnessTab).measure_requested.connect(self.robustness_requested)
        for tab in self.class_tabs:
            tab.images_requested.connect(self._on_images)
            self.add_tab(QCoreApplication.translate("evaluation", tab.word), tab)
        origins = partial(self.tabs.setTabVisible, TABS.index(OriginsTab))
        self.tab(OriginsTab).measured.connect(origins)

    def tab(self, kind: type[Tab]) -> Tab:
        """Return a tab."""
        return next(tab for tab in self.class_tabs if isinstance(tab, kind))

    @property
    def comparison(self) -> PairedComparison | None:
        """The shown comparison."""
        return self.compare.comparison

    def show_parts(self, open_report: OpenClasses) -> None:
        """Show the tabs of another evaluation."""
        for tab in self.class_tabs:
            tab.show_report(open_report)

    def show_rivals(self, rivals: Sequence[EvaluationSummary]) -> None:
        """Offer other evaluations for comparisons."""
        self.compare.show_rivals(rivals)

    def _on_images(self, title: str, indices: NDArray[np.int64]) -> None:
        self._show_images(title, self.open_report.captioned(indices))


def _tile(spec: MetricSpec, value: float | None, interval: Interval | None) -> TileTexts:
    label, summary = translated(spec.label), translated(spec.summary)
    around = messages.interval_text(spec, interval)
    return spec.name, label, messages.metric_value(spec, value), around, summary


class CoOccurrenceChart(ConfusionChart):
    """Co-occurrence of outputs, described in the terms of the task."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.plot.has_mistakes = False
        self.together: Together | None = None
        self.names: list[str] = []

    def describe(self, cell: Cell) -> str:
        """Describe a cell in a sentence."""
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


class WorstImages(QWidget):
    """Images with the largest errors, of all outputs together or of one."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = context.settings
        self._latest = Request(context.background, self)
        self._open_report: OpenOutputs | None = None
        self._output: int | None = None
        self._key: QWidget | None = None
        self.title = ElidedLabel("", self, role="section")
        worst = self.tr("Shows the worst images of all classes together.")
        self.all_button = push_button(
            self.tr("All classes"), context.theme, kind="quiet", tip=worst, on_click=self._on_all
        )
        self.box = ComboBox(self, self.tr("Kind of images"))
        explain(
            self.box, self.tr("Shows images by kind of error, those with the most errors first.")
        )
        self.overlay = OverlayBar(context.settings, self)
        self.grid = PictureGrid(context.theme, self)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.tr("Images with the largest errors"))
        explain(self.grid, self.tr("The largest errors come first. Double-click one to open it."))
        self._head = hbox(
            self.box, (self.title, 1), self.all_button, self.overlay, spacing=SPACE.m
        )
        self._head.insertStretch(2)  # wide only where the title is below
        self._second = hbox(spacing=SPACE.m)
        self.box.activated.connect(self._show_images)
        parts = self._head, self._second, (self.grid, 1)
        vbox(*parts, owner=self, spacing=SPACE.s, margins=(0, SPACE.s, 0, 0))
        context.settings.overlay_changed.connect(self._on_overlay)

    def show_report(self, open_report: OpenOutputs) -> None:
        """Show the images of another evaluation."""
        self._open_report = open_report
        kinds = [(words, key) for key, words in open_report.view.image_kinds()]
        self.box.clear()
        self.box.set_entries(kinds)
        self.box.setVisible(bool(kinds))
        self.overlay.show_part(open_report.evaluation.task.geometry.part_type)
        if self._key is not None:
            remove_widget(self._second, self._key)
        self._key = open_report.view.images_key(self)
        if self._key is None and not kinds:
            self._head.insertWidget(1, self.title, 1)
        else:
            # A row of its own: in the smallest window it does not fit beside the rest.
            self._second.addWidget(self.title, 1)
        if self._key is not None:
            self._second.addWidget(self._key)
        self.show_output(None)

    def show_output(self, output: int | None) -> None:
        """Show the images of an output, or of all together (None)."""
        self._output = output
        self._show_images()

    def _show_images(self, _index: int = 0) -> None:
        open_report, output = self._open_report, self._output
        if open_report is None:
            return
        self._latest.drop()
        self.all_button.setVisible(output is not None)
        kind = self.box.currentData()
        if kind:
            work = partial(open_report.images_of_kind, output, kind)
            self._latest.run(work, partial(self._on_images, open_report))
            return
        worst = open_report.evaluation.worst(output, MAX_OF_TARGETS).tolist()
        name = (
            self.tr("All classes") if output is None else open_report.report.outputs[output].name
        )
        title = open_report.view.images_title().format(name=apart(name))
        overlay_of = open_report.view.overlay_of(open_report.evaluation, output)
        self._show(open_report, title, CellImages(worst, overlay_of=overlay_of))

    def _on_images(self, open_report: OpenOutputs, images: CellImages) -> None:
        text = counted(len(images.indices), self.tr("1 image"), self.tr("{n} images"))
        self._show(open_report, text, images)

    def _show(self, open_report: OpenOutputs, title: str, images: CellImages) -> None:
        self.title.setText(title)
        open_report.pictures.style = self._settings.overlay
        captioned = open_report.captioned(self._output, images.indices, images.captions)
        self.grid.show_images(captioned, open_report.pictures, images.overlay_of)
        self.grid.scrollToTop()

    def _on_all(self) -> None:
        self.show_output(None)

    def _on_overlay(self) -> None:
        if self._open_report is not None:
            self._open_report.pictures.style = self._settings.overlay
            self.grid.reload()


class OutputsPanel(EvaluationPanel[OpenOutputs]):
    """Report on labels, numbers, masks or boxes."""

    opened = OpenOutputs
    drawer_size = (_THUMB, 300)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._drawing = Request(context.background, self)
        self._finding = Request(context.background, self)
        self._output = -1
        self._view: ReportView | None = None
        self._charts_head: ChartsHead | None = None
        self.table: Table[Sequence[FigureCell]] = Table("", (), self)
        self.charts = ChartRow(context, self)
        self.worst = WorstImages(context, self)
        self.output_charts = OutputCharts(context, self)
        self.counts = CountsTab(context, self._pages)
        self.origins = OriginsTable(self._pages)
        self.compare = CompareTargets(context, self._pages)
        self.matrix = CoOccurrenceChart(context.theme, self)
        self.matrix_text = QLabel(self, wordWrap=True)
        self.matrix_hint = HintLabel(parent=self)
        self._add_tabs()
        self.table.row_chosen.connect(self.show_output)
        self.table.row_clicked.connect(self._on_clicked)
        self.matrix.described.connect(self.matrix_text.setText)
        self.matrix.chosen.connect(self._on_cell)
        self.matrix.failed.connect(context.navigator.show_failure)
        self.counts.measured.connect(partial(self.tabs.setTabVisible, _COUNTS))
        self.counts.images_requested.connect(self._on_counted)
        self.output_charts.output_chosen.connect(self.table.select)
        for charts in (self.charts, self.output_charts.charts):
            charts.images_requested.connect(self._on_point)
        explain(
            self.table, self.tr("Metrics of each label or quantity. Choose one to see its images.")
        )

    def show_parts(self, open_report: OpenOutputs) -> None:
        """Show the tabs of another evaluation."""
        self._output = -1
        self._drawing.drop()
        self._finding.drop()
        report = open_report.report
        self._show_table(open_report)
        self._show_matrix(open_report)
        self._show_head_of_charts(open_report)
        specs = open_report.evaluation.reporter.report_metrics
        self.tabs.setTabVisible(_ORIGINS, self.origins.show_gap(report.gap, specs))
        self.worst.setVisible(open_report.view.shows_images)
        self.charts.setVisible(not open_report.view.shows_images)
        if open_report.view.shows_images:
            self.worst.show_report(open_report)
        if not self.tabs.isTabVisible(self.tabs.currentIndex()):
            self.tabs.setCurrentIndex(_OUTPUTS)
        self.counts.show_evaluation(open_report.evaluation)
        self.compare.show_evaluation(open_report.evaluation)

    def show_rivals(self, rivals: Sequence[EvaluationSummary]) -> None:
        """Offer other evaluations of the same images for comparisons."""
        self.compare.show_rivals(rivals)

    def show_output(self, output: int) -> None:
        """Show the charts of an output."""
        if output != self._output:
            self._output = output
            open_report = self.open_report
            work = partial(open_report.view.charts_of, open_report.evaluation, output)
            self._drawing.run(work, partial(self._show_charts, output))

    def _show_charts(self, output: int, charts: list[ImageChart]) -> None:
        self.charts.show_charts([each for each in charts if not each.is_apart])
        self.output_charts.show_output(output, [each for each in charts if each.is_apart])

    def _show_table(self, open_report: OpenOutputs) -> None:
        report, specs = open_report.report, open_report.evaluation.reporter.report_columns
        one, several = (translated(each) for each in TASKS[report.task].output_names)
        headings = [one.capitalize(), *(translated(spec.label) for spec in specs)]
        if any(each.threshold is not None for each in report.outputs):
            headings.append(self.tr("Threshold"))
        if any(each.margin is not None for each in report.outputs):
            headings.append(self.tr("Prediction interval"))
        headings.append(self.tr("Images"))
        tips = ["", *(translated(spec.summary) for spec in specs)]
        rows = _rows(report, specs)
        self.table.show_rows(rows, figure_columns(headings, tips))
        self.table.selectRow(0)
        self.table.setAccessibleName(headings[0])
        self.tabs.setTabText(_OUTPUTS, several.capitalize())
        title, hint = open_report.view.charts_title()
        self.tabs.setTabVisible(_APART, bool(title))
        self.tabs.setTabText(_APART, title)
        names = open_report.view.chart_names([row[0].text for row in rows])
        self.output_charts.set_outputs(headings[0], names, hint)

    def _show_head_of_charts(self, open_report: OpenOutputs) -> None:
        if open_report.view is not self._view:
            self._view = open_report.view
            self._charts_head = self._view.charts_head(self._context, self.output_charts)
            self.output_charts.set_head(self._charts_head)
        if self._charts_head is not None:
            self._charts_head.show_evaluation(open_report.evaluation)

    def _show_matrix(self, open_report: OpenOutputs) -> None:
        report, together = open_report.report, open_report.together
        self.tabs.setTabVisible(_TOGETHER, together is not None)
        if together is None:
            return
        names = list(together.names) or [each.name for each in report.outputs]
        self.tabs.setTabText(_TOGETHER, together.title)
        self.matrix_hint.show_text(together.hint)
        self.matrix.together, self.matrix.names = together, names
        self.matrix.plot.has_mistakes = together.has_mistakes
        self.matrix.set_title(together.title)
        self.matrix.set_matrix(together.counts, names, together.totals)
        self.matrix.plot.set_cells(names, names, together.axes)

    def _on_clicked(self, output: int) -> None:
        open_report = self.open_report
        if open_report.view.shows_images:
            self.worst.show_output(output)
            return
        worst = open_report.evaluation.worst(output, MAX_OF_TARGETS).tolist()
        name = open_report.report.outputs[output].name
        text = open_report.view.images_title().format(name=apart(name))
        self._show_output_images(text, output, CellImages(worst))

    def _on_cell(self, cell: Cell) -> None:
        together = self.open_report.together
        if together is not None:
            output = cell[1] if cell[1] < len(self.open_report.report.outputs) else None
            done = partial(self._show_output_images, self.matrix.describe(cell), output)
            # All masks may have to be read for it.
            self._finding.run(partial(together.images, *cell), done)

    def _on_point(self, index: int) -> None:
        title = self.tr("Image of this point")
        self._show_output_images(title, self._output, CellImages([index]))

    def _on_counted(self, title: str, indices: list[int]) -> None:
        output = self.counts.box.currentIndex()
        self._show_output_images(title, output, CellImages(indices))

    def _show_output_images(self, title: str, output: int | None, images: CellImages) -> None:
        captioned = self.open_report.captioned(output, images.indices, images.captions)
        self._show_images(title, captioned, images.overlay_of)

    def _add_tabs(self) -> None:
        down = Qt.Orientation.Vertical
        outputs = Splitter(self._context.settings, "evaluation/outputs", down, self._pages)
        outputs.split((self.table, 2, 200), (self.charts, 3, 300), (self.worst, 3, 300))
        together = QWidget(self)
        parts = self.matrix_hint, (self.matrix, 1), self.matrix_text
        vbox(*parts, owner=together, margins=(0, SPACE.s, 0, 0))
        pages = outputs, together, self.output_charts, self.counts, self.origins, self.compare
        for page in pages:
            self.add_tab("", page)
        self.tabs.setTabText(_COUNTS, self.tr("Counts"))
        self.tabs.setTabText(_ORIGINS, QCoreApplication.translate("evaluation", ORIGINS_WORD))
        self.tabs.setTabText(_COMPARE, self.tr("Compare"))


def _threshold(value: float, task: str) -> str:
    """Return the threshold of a score: in percent where scores end at 1."""
    has_limit = TASKS[task].predictor.highest_threshold == 1
    return percent(value, 0) if has_limit else significant(value, 3)


def _rows(report: Report, specs: Sequence[MetricSpec]) -> list[list[FigureCell]]:
    """Return the table of the labels or quantities, without columns that would be empty."""
    has_threshold = any(each.threshold is not None for each in report.outputs)
    has_margin = any(each.margin is not None for each in report.outputs)
    rows = []
    for each in report.outputs:
        name = with_unit(each.name, each.unit)
        cells = [FigureCell(name, name.casefold())]
        for spec in specs:
            found = each.metrics.get(spec.name), each.intervals.get(spec.name)
            cells.append(messages.metric_cell(spec, *found))
        if has_threshold:
            text = "" if each.threshold is None else _threshold(each.threshold, report.task)
            cells.append(FigureCell(text, each.threshold))
        if has_margin:
            text = "" if each.margin is None else f"± {significant(each.margin, 3)}"
            cells.append(FigureCell(text, each.margin))
        cells.append(FigureCell(count(each.images), each.images))
        rows.append(cells)
    return rows


def panel_class(view: ReportView) -> type[EvaluationPanel[Any]]:
    """Return the panel that shows the evaluations of a task."""
    module, _, name = view.panel.partition(":")
    found: type[EvaluationPanel[Any]] = getattr(importlib.import_module(module), name)
    return found
