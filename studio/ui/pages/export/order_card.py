"""The card at the left: which model, in which formats, to which folder, and how exactly."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QDir, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from studio.engine.exporting.plan import ARCHIVES, ExportPlan, Tolerance
from studio.engine.files import user_path
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.pages.export import messages
from studio.ui.pages.export.format_rows import FormatRows
from studio.ui.pages.export.state import is_folder, obstacle
from studio.ui.shared.jobs import show_start
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.inputs import ComboBox, DoubleSpinBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.pages import ScrollColumn
from studio.ui.widgets.tips import explain

CHOICE_KEY: Final = "export/run"
FOLDER_KEY: Final = "export/folder"
_WIDTH: Final = 380


@dataclass(frozen=True, slots=True)
class OrderState:
    """What is chosen on the card.

    Attributes:
        run: Id of the run; empty for none.
        variants: Formats with their precisions, as in plans.
        points: Tolerance of the main metric, in percentage points or percent.
        folder: Text of the field.
        archive: Kind of archive; empty for folders.
    """

    run: str
    variants: tuple[str, ...]
    points: float
    folder: str
    archive: str


class OrderCard(Card):
    """Collects what is wanted.

    Signals:
        ordered: The `ExportPlan` to carry out.
        changed: Another run, format or folder is wanted.
    """

    ordered = Signal(object)
    changed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._context = context
        self._is_asking = self._measures = False
        self._default = str(context.workspace.root / "exported")
        self.chooser = RunChooser(context.jobs, context.settings, CHOICE_KEY, self)
        self.formats = FormatRows(self)
        self.all_button = push_button(self.tr("All"), context.theme, kind="quiet", parent=self)
        self.all_button.setToolTip(self.tr("Tick all formats, or none."))
        self.tolerance = DoubleSpinBox(self)
        self.tolerance.setRange(0, 100)
        self.tolerance.setDecimals(1)
        self.tolerance.setSingleStep(0.5)
        self.tolerance.setValue(Tolerance().points)
        for named in (self.tolerance, self.tolerance.lineEdit()):
            named.setAccessibleName(self.tr("Tolerance"))
        self.tolerated = _heading("", self)
        self.archive = self._archive_box()
        self.folder = QLineEdit(self)
        self.folder.setAccessibleName(self.tr("Folder"))
        self.choose_button = push_button(self.tr("Choose…"), context.theme, parent=self)
        self.choose_button.setAccessibleName(self.tr("Choose the folder"))
        self.problem = HintLabel(parent=self)
        self.measure_button = push_button(self.tr("Measure"), context.theme, parent=self)
        self.export_button = push_button(
            self.tr("Export"), context.theme, kind="primary", icon="export", parent=self
        )
        self._lay_out()
        remembered = context.settings.text(FOLDER_KEY)
        self.folder.setText(QDir.toNativeSeparators(remembered or self._default))
        self.chooser.changed.connect(self._on_change)
        self.formats.changed.connect(self._on_change)
        self.all_button.clicked.connect(self._on_all)
        self.measure_button.clicked.connect(self._on_measure)
        self.folder.textChanged.connect(self._on_change)
        self.folder.returnPressed.connect(self._on_export)
        self.choose_button.clicked.connect(self._on_choose)
        self.export_button.clicked.connect(self._on_export)
        self.setFixedWidth(_WIDTH)
        self.setAccessibleName(self.tr("What is exported"))
        self._refresh()
        self._explain()

    def _archive_box(self) -> ComboBox:
        box = ComboBox(self)
        box.addItem(self.tr("A folder for each format"), "")
        for kind in ARCHIVES:
            box.addItem(self.tr("One .{kind} file for each").format(kind=kind), kind)
        box.setAccessibleName(self.tr("Archive"))
        return box

    def _explain(self) -> None:
        explain(
            self.archive,
            self.tr("How the files are written. Studio opens .zip files without unpacking them."),
        )
        explain(self.choose_button, self.tr("Where the new folder with the files is made."))
        explain(self.folder, self.tr("Where the new folder with the files is made."))
        explain(
            self.tolerance,
            self.tr("A file whose main metric is worse by more than this gets no certificate."),
        )

    def state(self) -> OrderState:
        """Return what is chosen."""
        choice = self.chooser.choice()
        return OrderState(
            "" if choice is None else choice.id,
            tuple(self.formats.chosen()),
            self.tolerance.value(),
            self.folder.text(),
            self.archive.currentData(),
        )

    def restore(self, state: OrderState) -> None:
        """Choose what was chosen."""
        self.chooser.select(state.run)
        self.formats.choose(state.variants)
        self.tolerance.setValue(state.points)
        self.folder.setText(state.folder)
        self.archive.setCurrentIndex(self.archive.findData(state.archive))

    def set_asking(self, *, is_asking: bool) -> None:
        """Whether an order is on its way; another one waits for that."""
        self._is_asking = is_asking
        self._refresh()

    def show_problem(self, text: str) -> None:
        """Say what was wrong with the order; an empty text takes it back."""
        self.problem.show_text(text, "problem")

    def target(self) -> Path | None:
        """The folder where files go; None while it is not a whole path. It is remembered."""
        text = self.folder.text()
        if not is_folder(text):
            return None
        folder = str(user_path(text.strip()))
        if folder != self._default:
            # The usual folder is another one in each workspace, so it is not remembered.
            self._context.settings.set_text(FOLDER_KEY, folder)
        return Path(folder)

    def _refresh(self) -> None:
        choice, has_format = self.chooser.choice(), bool(self.formats.chosen())
        main = messages.main_spec(choice)
        self.tolerance.setSuffix(self.tr(" points") if main.is_fraction else self.tr(" %"))
        self.tolerated.setText(messages.tolerance_heading(main))
        folder, asking = self.folder.text(), self._is_asking
        reason = obstacle(choice, folder, has_format=has_format, is_asking=asking)
        self.export_button.setEnabled(reason is None)
        self.export_button.setToolTip(messages.why_not(reason))
        reason = obstacle(
            choice, folder, has_format=has_format, is_asking=asking, needs_folder=False
        )
        self.measure_button.setEnabled(reason is None)
        asked = self._is_asking
        show_start(self.export_button, self.tr("Export"), is_asked=asked and not self._measures)
        show_start(self.measure_button, self.tr("Measure"), is_asked=asked and self._measures)
        self.measure_button.setToolTip(messages.why_not_measure(reason))

    def _on_change(self, *_: object) -> None:
        self.show_problem("")
        self._refresh()
        self.changed.emit()

    def _on_all(self) -> None:
        usable = [row for row in self.formats.rows if not row.missing and row.format.is_model]
        are_all = all(len(row.chosen()) == len(row.boxes) for row in usable)
        self.formats.tick_all(is_ticked=not are_all)

    def _on_export(self) -> None:
        folder = self.target()
        if folder is not None and self.export_button.isEnabled():
            self._order(str(folder))

    def _on_measure(self) -> None:
        self._order("")

    def _order(self, to: str) -> None:
        choice = self.chooser.choice()
        if choice is None:
            return
        self.show_problem("")
        self._measures = not to
        plan = ExportPlan(
            run=choice.id,
            variants=self.formats.chosen(),
            to=to,
            tolerance=Tolerance(points=self.tolerance.value()),
            archive=self.archive.currentData(),
        )
        self.ordered.emit(plan)

    def _on_choose(self) -> None:
        folder = self._ask_folder()
        if folder is not None:
            self.folder.setText(QDir.toNativeSeparators(str(folder)))

    def _ask_folder(self) -> Path | None:
        start = self.folder.text().strip() or self._default
        chosen = QFileDialog.getExistingDirectory(self, self.tr("Where the files go"), start)
        return Path(chosen) if chosen else None

    def _lay_out(self) -> None:
        where = QHBoxLayout()
        where.setSpacing(SPACE.s)
        where.addWidget(self.folder, 1)
        where.addWidget(self.choose_button)
        formats = QHBoxLayout()
        formats.addWidget(_heading(self.tr("Formats"), self), 1)
        formats.addWidget(self.all_button)
        lost = QHBoxLayout()
        lost.addWidget(self.tolerated, 1)
        lost.addWidget(self.tolerance)
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE.s)
        buttons.addWidget(self.measure_button)
        buttons.addWidget(self.export_button, 1)
        # All of it scrolls in a low window, but for the buttons.
        rows = ScrollColumn(SPACE.s, self)
        rows.column.addWidget(_heading(self.tr("Model"), self))
        rows.column.addWidget(self.chooser)
        rows.column.addLayout(formats)
        rows.column.addWidget(self.formats)
        rows.column.addLayout(lost)
        rows.column.addWidget(_heading(self.tr("Folder"), self))
        rows.column.addLayout(where)
        rows.column.addWidget(
            HintLabel(self.tr("A new folder is made in it; nothing is replaced."), parent=self)
        )
        rows.column.addWidget(self.archive)
        rows.column.addStretch(1)
        self.body.setSpacing(SPACE.s)
        self.body.addWidget(rows, 1)
        self.body.addWidget(self.problem)
        self.body.addLayout(buttons)


def _heading(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    font = label.font()
    font.setWeight(font.Weight.DemiBold)
    label.setFont(font)
    return label
