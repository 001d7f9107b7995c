"""The card at the left: which model, in which format, to which folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, QDir, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QLineEdit, QWidget

from studio.engine.exporting.plan import ExportPlan
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.pages.export import messages
from studio.ui.pages.export.format_rows import FormatRows
from studio.ui.pages.export.state import obstacle
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.hint_label import HintLabel

CHOICE_KEY: Final = "export/run"
FOLDER_KEY: Final = "export/folder"
_WIDTH: Final = 328


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
        self._is_asking = False
        self._default = str(context.workspace.root / "exported")
        self.chooser = RunChooser(context.jobs, context.settings, CHOICE_KEY, self)
        self.formats = FormatRows(context.theme, self)
        self.folder = QLineEdit(self)
        self.folder.setAccessibleName(self.tr("Folder"))
        self.choose_button = push_button(self.tr("Choose…"), context.theme, parent=self)
        self.choose_button.setAccessibleName(self.tr("Choose the folder"))
        self.problem = HintLabel(parent=self)
        self.export_button = push_button(
            self.tr("Export"), context.theme, kind="primary", icon="export", parent=self
        )
        self._lay_out()
        remembered = context.settings.bytes(FOLDER_KEY)
        text = self._default if remembered is None else bytes(remembered.data()).decode()
        self.folder.setText(QDir.toNativeSeparators(text))
        self.chooser.changed.connect(self._on_change)
        self.formats.changed.connect(self._on_change)
        self.folder.textChanged.connect(self._on_change)
        self.folder.returnPressed.connect(self._on_export)
        self.choose_button.clicked.connect(self._on_choose)
        self.export_button.clicked.connect(self._on_export)
        self.setFixedWidth(_WIDTH)
        self.setAccessibleName(self.tr("What is exported"))
        self._refresh()

    def set_asking(self, *, is_asking: bool) -> None:
        """Whether an order is on its way; another one waits for that."""
        self._is_asking = is_asking
        self._refresh()

    def show_problem(self, text: str) -> None:
        """Say what was wrong with the order; an empty text takes it back."""
        self.problem.show_text(text, "problem")

    def _refresh(self) -> None:
        reason = obstacle(
            self.chooser.choice(),
            self.folder.text(),
            has_format=bool(self.formats.chosen()),
            is_asking=self._is_asking,
        )
        self.export_button.setEnabled(reason is None)
        self.export_button.setToolTip(messages.why_not(reason))

    def _on_change(self, *_: object) -> None:
        self.show_problem("")
        self._refresh()
        self.changed.emit()

    def _on_export(self) -> None:
        choice = self.chooser.choice()
        if choice is None or not self.export_button.isEnabled():
            return
        folder = str(Path(self.folder.text().strip()).expanduser())
        if folder != self._default:
            # The usual folder is another one in each workspace, so it is not remembered.
            self._context.settings.set_bytes(FOLDER_KEY, QByteArray(folder.encode()))
        self.show_problem("")
        plan = ExportPlan(run=choice.id, format=self.formats.chosen(), to=folder)
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
        self.body.setSpacing(SPACE.s)
        self.body.addWidget(_heading(self.tr("Model"), self))
        self.body.addWidget(self.chooser)
        self.body.addSpacing(SPACE.s)
        self.body.addWidget(_heading(self.tr("Format"), self))
        self.body.addWidget(self.formats)
        self.body.addSpacing(SPACE.s)
        self.body.addWidget(_heading(self.tr("Folder"), self))
        self.body.addLayout(where)
        self.body.addWidget(
            HintLabel(self.tr("A new folder is made in it; nothing is replaced."), parent=self)
        )
        self.body.addSpacing(SPACE.s)
        self.body.addWidget(self.problem)
        self.body.addWidget(self.export_button)
        self.body.addStretch(1)


def _heading(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    font = label.font()
    font.setWeight(font.Weight.DemiBold)
    label.setFont(font)
    return label
