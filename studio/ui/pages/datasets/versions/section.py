"""The versions of a dataset: what each one changed, what is between two, and the way back."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QImage, QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.ui.context import AppContext
from studio.ui.navigation import OpenRecord
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.browsing.query import Picked
from studio.ui.pages.datasets.run_links import RunLinks, runs_of
from studio.ui.pages.datasets.versions import history
from studio.ui.pages.datasets.versions.editor import DatasetEditor
from studio.ui.pages.datasets.versions.history import (
    Comparison,
    Difference,
    VersionLine,
    compare,
    read_versions,
)
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import NO_VALUE, count
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import (
    STRETCH,
    FlowLayout,
    hbox,
    replace_widget,
    scrolled,
    text_label,
    vbox,
)
from studio.ui.widgets.tables import ROW_HEIGHT, TableModel, dress_table, text_columns
from studio.ui.widgets.tips import explain

_SIDE = 56


class ComparisonCard(QFrame):
    """Counts of the splits, classes, and the images that changed.

    Signals:
        images_wanted: The images to be shown, `Picked`.
    """

    images_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        # What is shown.
        self.comparison: Comparison | None = None
        self.counts = text_label("", "muted", self, wraps=True)
        self.classes = HintLabel(parent=self)
        self.same = QLabel(self.tr("Both versions hold the same."), self)
        self._parts = QWidget(self)
        self._column = vbox(
            self.counts, self.same, self.classes, self._parts, STRETCH, owner=self, spacing=SPACE.s
        )
        self.show_comparison(None)

    def thumbs(self) -> list[QToolButton]:
        """The pictures that can be pressed, in order."""
        return self._parts.findChildren(QToolButton)

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Show another one; None while it is being worked out."""
        self.comparison = comparison
        old, self._parts = self._parts, QWidget(self)
        replace_widget(self._column, old, self._parts)
        self.counts.setVisible(comparison is not None)
        self.same.hide()
        self.classes.show_text("" if comparison is None else comparison.classes)
        if comparison is None:
            return
        self.same.setVisible(not comparison.differences and not comparison.classes)
        lines = (
            history.count_change(split, before, after)
            for split, (before, after) in comparison.counts.items()
        )
        pair = history.difference_between(comparison.before, comparison.after)
        self.counts.setText(f"{pair}: {messages.DOT.join(lines)}")
        column = vbox(owner=self._parts, spacing=SPACE.s)
        for difference in comparison.differences:
            self._add(column, comparison, difference)

    def _add(self, column: QVBoxLayout, shown: Comparison, difference: Difference) -> None:
        words = history.difference(difference.kind, len(difference.rows), shown.words)
        title = text_label(words, "section", self._parts)
        show = push_button(self.tr("Show images"), self._theme, icon="image", parent=self._parts)
        show.setAccessibleName(self.tr("Show images: {what}").format(what=words))
        show.clicked.connect(partial(self._on_wanted, difference, None))
        head = hbox((title, 1), show, spacing=SPACE.s)
        column.addLayout(head)
        pictures = FlowLayout(spacing=SPACE.xs)
        for row, image in difference.samples:
            pictures.addWidget(self._thumb(difference, row, image, words))
        column.addLayout(pictures)

    def _thumb(self, difference: Difference, row: int, image: QImage, words: str) -> QToolButton:
        button = QToolButton(self._parts)
        button.setProperty("kind", "quiet")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        mode = Qt.AspectRatioMode.KeepAspectRatio
        smooth = Qt.TransformationMode.SmoothTransformation
        ratio = self.devicePixelRatioF()
        side = round(_SIDE * ratio)
        picture = QPixmap.fromImage(image.scaled(side, side, mode, smooth))
        picture.setDevicePixelRatio(ratio)
        button.setIcon(QIcon(picture))
        button.setIconSize(QSize(_SIDE, _SIDE))
        button.setToolTip(self.tr("Show this image among those"))
        name = self.tr("Image {n}: {what}").format(n=row, what=words)
        button.setAccessibleName(name)
        button.clicked.connect(partial(self._on_wanted, difference, row))
        return button

    def _on_wanted(self, difference: Difference, row: int | None, _checked: object = None) -> None:
        comparison = self.comparison
        if comparison is None:
            return
        number = len(difference.rows)
        title = history.difference(difference.kind, number, comparison.words)
        line = history.difference_between(comparison.before, comparison.after)
        self.images_wanted.emit(Picked(title, line, difference.rows, row))


_WIDTHS = (72, 136, 260)
_LOWEST = 120


class VersionsSection(QWidget):
    """A table of all versions, the newest first, over what the chosen one changed.

    Signals:
        images_wanted: The images to be shown, `Picked`.
    """

    images_wanted = Signal(object)

    def __init__(
        self, context: AppContext, editor: DatasetEditor, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._editor = editor
        self._record_id = ""
        self._folder: Path | None = None
        self._lines: list[VersionLine] = []
        self._asked = 0
        headings = (self.tr("Version"), self.tr("When"), self.tr("What was done"), self.tr("Runs"))
        self.model = TableModel(text_columns(headings), self)
        self.table = QTableView(self)
        self.title = text_label("", "section", self)
        self.other = ComboBox(self)
        self._compared_with = QLabel(self.tr("compared with"), self)
        self.back_button = push_button("", context.theme, icon="undo", parent=self)
        self.card = ComparisonCard(context.theme, self)
        self.runs = RunLinks(context.theme, self)
        self._lay_out()
        self.table.selectionModel().selectionChanged.connect(self._on_chosen)
        self.other.activated.connect(self._compare)
        self.back_button.clicked.connect(self._on_back)
        self.card.images_wanted.connect(self.images_wanted)
        self.runs.wanted.connect(self._open_run)
        editor.changed.connect(self._allow)
        explain(
            self.table,
            self.tr("Each change of the dataset; choose one to compare it or to go back to it."),
        )
        explain(
            self.back_button,
            self.tr("Makes the chosen version the one that is used; the others stay."),
        )

    def open(self, record_id: str, folder: Path | None) -> None:
        """Show the versions of another dataset, or of none."""
        self._record_id = record_id
        self._folder = folder
        self._lines = []
        self.model.show_rows([])
        self.card.show_comparison(None)
        self.refresh()

    def refresh(self) -> None:
        """Read the versions again, if anybody looks at them."""
        self._asked += 1
        if self._folder is not None and self.isVisible():
            work = partial(read_versions, self._folder)
            self._context.background.run(self, work, partial(self._on_read, self._asked))

    def refresh_runs(self) -> None:
        """There are other runs, or one is in another state."""
        if self._lines and self.isVisible():
            self._fill(self.chosen)
            self._show_runs()

    @property
    def chosen(self) -> int | None:
        """The version that is chosen."""
        rows = self.table.selectionModel().selectedRows()
        return self._lines[rows[0].row()].number if rows and self._lines else None

    def choose(self, version: int) -> None:
        """Choose another version."""
        for row, line in enumerate(self._lines):
            if line.number == version:
                self.table.selectRow(row)

    def showEvent(self, event: QShowEvent) -> None:
        """Read only what somebody looks at."""
        super().showEvent(event)
        self.refresh()

    def _lay_out(self) -> None:
        table = self.table
        table.setModel(self.model)
        dress_table(table)
        table.setAccessibleName(self.tr("Versions"))
        table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        table.setMinimumHeight(_LOWEST)
        header = table.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        for place, width in enumerate(_WIDTHS):
            header.resizeSection(place, width)
        self.other.setAccessibleName(self.tr("Compared with"))
        self.other.setToolTip(self.tr("Which version it is compared with"))
        line = hbox(
            self.title, self._compared_with, self.other, STRETCH, self.back_button, spacing=SPACE.s
        )
        inside = QWidget(self)
        vbox(
            self.card,
            self.runs,
            STRETCH,
            owner=inside,
            spacing=SPACE.m,
            margins=(0, 0, SPACE.s, 0),
        )
        scroll = QScrollArea(self)
        scroll.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        scrolled(scroll, inside)
        vbox((self.table, 2), line, (scroll, 3), owner=self, spacing=SPACE.m)

    def _open_run(self, run_id: str) -> None:
        self._context.navigator.open(OpenRecord("train", run_id))

    def _on_read(self, asked: int, lines: list[VersionLine]) -> None:
        if asked != self._asked:
            return
        chosen = self.chosen
        followed = not self._lines or chosen == self._lines[0].number
        self._lines = lines[::-1]
        self._fill(lines[-1].number if followed or chosen is None else chosen)
        around = self.table.horizontalHeader().height() + 2 * self.table.frameWidth()
        self.table.setMaximumHeight(max(_LOWEST, len(lines) * ROW_HEIGHT + around))
        self._on_chosen()

    def _fill(self, chosen: int | None) -> None:
        selection = self.table.selectionModel()
        selection.blockSignals(True)
        self.model.show_rows([self._row(line) for line in self._lines])
        if chosen is not None:
            self.choose(chosen)
        selection.blockSignals(False)

    def _row(self, line: VersionLine) -> tuple[str, ...]:
        when = NO_VALUE
        if line.when is not None:
            moment = QDateTime.fromSecsSinceEpoch(round(line.when))
            when = QLocale().toString(moment, QLocale.FormatType.ShortFormat)
        what = line.what if line.number else self.tr("As imported")
        runs = runs_of(self._context.jobs, self._record_id, line.number)
        # Many names are cut; all are named below, where the version is chosen.
        names = runs[0].name if len(runs) == 1 else count(len(runs)) if runs else ""
        return QLocale().toString(line.number), when, what, names

    def _on_chosen(self) -> None:
        version = self.chosen
        if version is None:
            return
        self.title.setText(messages.version(version))
        self.other.clear()
        for line in self._lines:
            if line.number != version:
                text = messages.version(line.number)
                self.other.addItem(text, line.number)
        for widget in (self._compared_with, self.other):
            widget.setVisible(self.other.count() > 0)  # a single version has nothing beside it
        before = self.other.findData(version - 1)
        self.other.setCurrentIndex(max(0, before))
        self._show_runs()
        self._allow()
        self._compare()

    def _compare(self) -> None:
        version, other = self.chosen, self.other.currentData()
        self.card.show_comparison(None)
        if self._folder is None or version is None or other is None:
            return
        before, after = sorted((version, other))
        self._context.background.run(
            self, partial(compare, self._folder, before, after), self._on_compared
        )

    def _on_compared(self, comparison: Comparison) -> None:
        if {comparison.before, comparison.after} == {self.chosen, self.other.currentData()}:
            self.card.show_comparison(comparison)

    def _show_runs(self) -> None:
        version = self.chosen
        runs = runs_of(self._context.jobs, self._record_id, version)
        self.runs.show_runs(runs, self.tr("No run learned from this version."))

    def _allow(self) -> None:
        version, newest = self.chosen, self._lines[0].number if self._lines else None
        text = self.tr("Go back to it")
        if version is not None:
            text = self.tr("Go back to version {n}").format(n=QLocale().toString(version))
        reason = ""
        if version is None:
            reason = self.tr("Choose a version first")
        elif version == newest:
            reason = self.tr("This is the version of now")
        elif self._editor.is_busy or self._editor.state is None:
            reason = self.tr("Wait until the change before is done")
        self.back_button.setText(text)
        self.back_button.setEnabled(not reason)
        self.back_button.setToolTip(
            reason or self.tr("Makes a new version that is as that one was; undo takes it back")
        )

    def _on_back(self) -> None:
        version = self.chosen
        if version is not None:
            self._editor.go_back(version)
