"""The form for an export: model, formats, tolerance and folder."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QDir, QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QWidget

from studio.engine.exporting.certificate import Certificate
from studio.engine.exporting.formats import FORMATS, ExportFormat, Variant
from studio.engine.exporting.plan import ARCHIVES, ExportPlan, Tolerance
from studio.engine.files import user_path
from studio.engine.plans import fields_of
from studio.engine.workspace import RecordKind
from studio.ui.bridge.run_chooser import RunForm
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.pages.export import messages
from studio.ui.pages.export.state import is_folder
from studio.ui.shared.file_dialogs import choose_folder
from studio.ui.shared.jobs import show_start
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox, DoubleSpinBox
from studio.ui.widgets.labels import ElidedLabel, HintLabel
from studio.ui.widgets.layout import STRETCH, FlowLayout, fill, hbox, vbox
from studio.ui.widgets.pages import ScrollColumn
from studio.ui.widgets.tips import allow, explain


class FormatRow(QWidget):
    """One format: a check box for each precision, its use, and the figures of its newest file.

    Signals:
        changed: Another precision was chosen.

    Args:
        export_format: The format.
        parent: Owner.
        is_written_here: False if another computer writes it, whose packages are not known here.
    """

    changed = Signal()

    def __init__(
        self,
        export_format: ExportFormat,
        parent: QWidget | None = None,
        *,
        is_written_here: bool = True,
    ) -> None:
        super().__init__(parent)
        self.format = export_format
        self.missing = export_format.missing() if is_written_here else []
        self.boxes = {each: self._box(each) for each in export_format.precisions}
        self.figures = HintLabel(parent=self)
        self._problem = HintLabel(parent=self)
        if self.missing:
            self._problem.show_text(messages.format_problem(export_format, self.missing), "advice")
        self._lay_out()
        self.show_certificate(None)

    def chosen(self) -> list[str]:
        """Return the checked variants, as in plans."""
        name = self.format.name
        return [f"{name}:{each}" for each, box in self.boxes.items() if box.isChecked()]

    def choose(self, variants: Collection[str]) -> None:
        """Check those of these variants, as in plans, that can be written here, and no others."""
        for precision, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(f"{self.format.name}:{precision}" in variants and box.isEnabled())

    def show_certificate(self, certificate: Certificate | None) -> None:
        """Show the figures of the newest file of the chosen run in this format."""
        self.figures.show_text(messages.format_figures(certificate))

    def _box(self, precision: str) -> QCheckBox:
        variant = Variant.parse(f"{self.format.name}:{precision}")
        box = QCheckBox(messages.precision_word(precision), self)
        box.setAccessibleName(variant.label)
        box.setToolTip(messages.precision_help(precision))
        if self.missing:
            box.setEnabled(False)
            box.setToolTip(messages.format_problem(self.format, self.missing))
        box.toggled.connect(self.changed)
        return box

    def _lay_out(self) -> None:
        label = QLabel(translated(self.format.label), self)
        label.setEnabled(not self.missing)
        boxes = QWidget(self)
        flow = FlowLayout(boxes, SPACE.m)
        for box in self.boxes.values():
            flow.addWidget(box)
        vbox(
            label,
            HintLabel(translated(self.format.summary), parent=self),
            boxes,
            self.figures,
            self._problem,
            owner=self,
            spacing=SPACE.xs,
        )


class FormatRows(QWidget):
    """All formats; the first that can be written is checked.

    Args:
        parent: Owner.
        is_written_here: See `FormatRow`.

    Signals:
        changed: Other formats were chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None, *, is_written_here: bool = True) -> None:
        super().__init__(parent)
        row_of = partial(FormatRow, parent=self, is_written_here=is_written_here)
        self.rows = [row_of(each) for each in FORMATS]
        column = vbox(owner=self, spacing=SPACE.m)
        usable = next((row for row in self.rows if not row.missing), None)
        if usable is not None:
            next(iter(usable.boxes.values())).setChecked(True)
        for row in self.rows:
            column.addWidget(row)
            row.changed.connect(self.changed)
        self.setAccessibleName(self.tr("Format"))

    def chosen(self) -> list[str]:
        """Return the checked variants, as in plans."""
        return [name for row in self.rows for name in row.chosen()]

    def choose(self, variants: Collection[str]) -> None:
        """Check these variants, as in plans, and no others."""
        for row in self.rows:
            row.choose(variants)
        self.changed.emit()

    def choose_all(self) -> None:
        """Check all variants of model files that can be written here; none if all are checked."""
        usable = [row for row in self.rows if not row.missing and row.format.is_model]
        variants = [f"{row.format.name}:{each}" for row in usable for each in row.boxes]
        self.choose(() if set(variants) <= set(self.chosen()) else variants)

    def show_certificates(self, newest: Callable[[str], Certificate | None]) -> None:
        """Show the figures of each format; `newest` returns them by its name."""
        for row in self.rows:
            row.show_certificate(newest(row.format.name))


CHOICE_KEY: Final = "export/run"
FOLDER_KEY: Final = "export/folder"
_WIDTH: Final = 380
(_DECODES,) = (field for field in fields_of(ExportPlan) if field.name == "decodes")


class ExportForm(RunForm):
    """The card on the left: model, formats, tolerance, folder and archive."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context.jobs, context.settings, CHOICE_KEY, parent)
        self._context = context
        self._is_measuring = False
        self._default = str(context.workspace.root / "exported")
        here = context.workspace.computes_here
        self.formats = FormatRows(self, is_written_here=here)
        button = partial(push_button, theme=context.theme, parent=self)
        tip = self.tr("Checks all formats or none.")
        self.all_button = button(
            self.tr("All"), kind="quiet", tip=tip, on_click=self.formats.choose_all
        )
        self.tolerance = self._tolerance_box()
        self.tolerance_label = ElidedLabel("", self, is_bold=True)
        self.archive = self._archive_box()
        self.decodes = self._decodes_box()
        self.decodes_note = HintLabel(parent=self)
        self.folder = QLineEdit(self)
        self.folder.setAccessibleName(self.tr("Folder"))
        tip = self.tr("A new folder with the files is created in this folder.")
        explain(self.folder, tip)
        self.choose_button = button(self.tr("Choose…"), tip=tip, on_click=self._on_choose)
        self.choose_button.setAccessibleName(self.tr("Choose the folder"))
        self.measure_button = button(self.tr("Measure"), tip=messages.measure_tip())
        self.measure_button.clicked.connect(partial(self._submit, ""))
        text, tip = self.tr("Export"), messages.export_tip()
        self.export_button = button(
            text, kind="primary", icon="export", tip=tip, on_click=self._on_export
        )
        self._lay_out()
        remembered = context.settings.text(FOLDER_KEY)
        self.folder.setText(QDir.toNativeSeparators(remembered or self._default))
        self.chooser.changed.connect(self.on_change)
        self.formats.changed.connect(self.on_change)
        self.folder.textChanged.connect(self.on_change)
        self.folder.returnPressed.connect(self._on_export)
        self.setFixedWidth(_WIDTH)
        self.setAccessibleName(self.tr("Export settings"))
        self.refresh()

    def _tolerance_box(self) -> DoubleSpinBox:
        box = DoubleSpinBox(self)
        box.setRange(0, 100)
        box.setDecimals(1)
        box.setSingleStep(0.5)
        box.setValue(Tolerance().points)
        for named in (box, box.lineEdit()):
            named.setAccessibleName(self.tr("Tolerance"))
        worse = self.tr("A file whose main metric is worse by more than this gets no certificate.")
        explain(box, worse)
        return box

    def _archive_box(self) -> ComboBox:
        box = ComboBox(self, self.tr("Archive"))
        one = self.tr("One .{kind} file for each")
        archives = ((one.format(kind=kind), kind) for kind in ARCHIVES)
        box.set_entries([(self.tr("A folder for each format"), ""), *archives])
        tip = self.tr("File format of the export. Training can start directly from a .zip file.")
        explain(box, tip)
        return box

    def _decodes_box(self) -> QCheckBox:
        box = QCheckBox(translated(_DECODES.label), self)
        box.setChecked(bool(_DECODES.default))
        explain(box, translated(_DECODES.help))
        return box

    def plan(self) -> ExportPlan:
        """Return the values of the form; run and folder may be empty."""
        choice = self.chooser.choice()
        return ExportPlan(
            run="" if choice is None else choice.id,
            variants=self.formats.chosen(),
            to=self.folder.text(),
            tolerance=Tolerance(points=self.tolerance.value()),
            archive=self.archive.currentData(),
            decodes=self.decodes.isChecked(),
        )

    def restore(self, plan: ExportPlan) -> None:
        """Restore the values of the form."""
        self.chooser.select(plan.run)
        self.formats.choose(plan.variants)
        self.tolerance.setValue(plan.tolerance.points)
        self.folder.setText(plan.to)
        self.archive.choose(plan.archive)
        self.decodes.setChecked(plan.decodes)

    def target(self) -> Path | None:
        """Return the folder for the files, and remember it; None if its path is not absolute."""
        text = self.folder.text()
        if not is_folder(text):
            return None
        folder = str(user_path(text.strip()))
        if folder != self._default:
            # The default folder depends on the workspace, so it is not remembered.
            self._context.settings.set_text(FOLDER_KEY, folder)
        return Path(folder)

    def refresh(self) -> None:
        """Show the tolerance of the run's metric, and what is possible."""
        choice, has_format = self.chooser.choice(), bool(self.formats.chosen())
        main = messages.main_spec(choice)
        self.tolerance.setSuffix(self.tr(" points") if main.is_fraction else self.tr(" %"))
        self.tolerance_label.setText(messages.tolerance_heading(main))
        why = messages.no_decoding(self.formats.chosen())
        can_decode = messages.can_decode(choice)
        self.decodes.setVisible(can_decode)
        self.decodes.setEnabled(not why)
        self.decodes_note.show_text(why if can_decode else "")
        asking = self.is_asking
        why_not = partial(messages.why_not, choice, has_format=has_format, is_asking=asking)
        workspace = self._context.workspace
        refusal = translated(workspace.refusal(RecordKind.EXPORT))
        there = "" if workspace.computes_here else messages.on_server()
        for button, word, folder, is_its in (
            (self.export_button, self.tr("Export"), self.folder.text(), not self._is_measuring),
            (self.measure_button, self.tr("Measure"), None, self._is_measuring),
        ):
            elsewhere = there if button is self.export_button else ""
            allow(button, refusal or elsewhere or why_not(folder=folder))
            show_start(button, word, is_asked=asking and is_its)

    def _on_export(self) -> None:
        folder = self.target()
        if folder is not None and self.export_button.isEnabled():
            self._submit(str(folder))

    def _submit(self, to: str, _checked: bool = False) -> None:
        self.problem.show_problem()
        self._is_measuring = not to
        self.submitted.emit(self.plan().changed(to=to))

    def _on_choose(self) -> None:
        folder = self._ask_folder()
        if folder is not None:
            self.folder.setText(QDir.toNativeSeparators(str(folder)))

    def _ask_folder(self) -> Path | None:
        start = self.folder.text().strip() or self._default
        return choose_folder(self, self.tr("Folder for the files"), start)

    def _lay_out(self) -> None:
        heading = partial(ElidedLabel, parent=self, is_bold=True)
        where = hbox((self.folder, 1), self.choose_button, spacing=SPACE.s)
        formats = hbox((heading(self.tr("Formats")), 1), self.all_button)
        lost = hbox((self.tolerance_label, 1), self.tolerance)
        buttons = hbox(self.measure_button, (self.export_button, 1), spacing=SPACE.s)
        # In a low window everything but the buttons scrolls.
        rows = ScrollColumn(SPACE.s, self)
        fill(
            rows.column,
            heading(self.tr("Model")),
            self.chooser,
            formats,
            self.formats,
            self.decodes,
            self.decodes_note,
            lost,
            heading(self.tr("Folder")),
            where,
            HintLabel(
                self.tr("Creates a new folder in it; existing files are not changed."), parent=self
            ),
            self.archive,
            STRETCH,
        )
        self.body.setSpacing(SPACE.s)
        fill(self.body, (rows, 1), self.problem, buttons)
