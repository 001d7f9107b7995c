"""The library of pretrained models: licenses, downloads, and files carried over on a stick."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from studio.engine.errors import StudioError
from studio.engine.inference.detectors import detector_network
from studio.engine.inference.library_speed import measured_speed
from studio.engine.pretrained.licenses import USE_LABELS, Passport
from studio.engine.pretrained.sources import KIND_PURPOSES, SOURCES, PretrainedSource
from studio.engine.pretrained.speeds import MeasuredSpeed, read_speeds
from studio.engine.pretrained.store import MissingFile, PretrainedStore, SourceState
from studio.engine.training.own_models import OwnModel, own_models
from studio.engine.workspace import Workspace
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.shared.file_dialogs import ask_folder
from studio.ui.shared.passports import passport_text
from studio.ui.shared.pretrained_files import PretrainedFiles
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import NO_VALUE, large, percent, significant
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.pages import PAGE_MARGINS, PageHeader
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import allow, explain

_tr = partial(QCoreApplication.translate, "LibraryPane")

_PERCENT: Final = re.compile(r"(\d+\.\d+) %")


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """A source as it is on this machine, or an own run.

    Attributes:
        name: Its stable name.
        label: Its shown name.
        purpose: Its use, in the language of the window.
        passport: Its licenses.
        figure: Published or measured figure; may be empty.
        figure_source: Where it was published, or the dataset it was measured on.
        parameters: Number of weights; 0 if it is not stated.
        state: Whether it is here.
        source: The published source; None for an own run.
        missing: Its files that are not here.
        record: Id of the own run; empty for a published source.
        milliseconds: Time for one image on this machine; 0 if it was not measured.
        is_measurable: True if it has a network that can be measured.
    """

    name: str
    label: str
    purpose: str
    passport: Passport
    figure: str
    figure_source: str
    parameters: int = 0
    state: SourceState = "here"
    source: PretrainedSource | None = None
    missing: tuple[MissingFile, ...] = ()
    record: str = ""
    milliseconds: float = 0.0
    is_measurable: bool = False


class LibraryPane(QWidget):
    """All sources of pretrained weights in a table, and the licenses of one.

    Signals:
        left: The user goes back to the networks.
        network_asked: A backbone whose network is to be shown.
        network_made: File of the network of a detector, to open.
        run_asked: Id of an own run that is to be shown.
    """

    left = Signal()
    network_asked = Signal(str)
    network_made = Signal(object)
    run_asked = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rows: list[LibraryRow] = []
        self.files = PretrainedFiles(context, self)
        self.table = Table(self.tr("Pretrained models"), _columns(), self, key=attrgetter("name"))
        self.commercial = QCheckBox(self.tr("Only commercial use"), self)
        self.details = text_label("", "body", self, wraps=True)
        self.status = QLabel(self, wordWrap=True)
        button = partial(push_button, theme=context.theme)
        tip = self.tr("Returns to all networks.")
        self.back_button = button(self.tr("Back to networks"), icon="back", tip=tip)
        tip = self.tr("Imports files that were downloaded elsewhere, for example from a stick.")
        self.add_button = button(self.tr("Import a folder…"), icon="folder-open", tip=tip)
        tip = self.tr("Downloads the missing files of the selected model.")
        self.get_button = button(self.tr("Download"), icon="download", tip=tip)
        tip = self.tr("Frees disk space. You can download the files again.")
        self.remove_button = button(self.tr("Remove"), kind="quiet", icon="trash", tip=tip)
        tip = self.tr("Measures the time for one image on this computer; takes some seconds.")
        self.speed_button = button(self.tr("Measure speed"), kind="quiet", icon="clock", tip=tip)
        self._measuring = Request(context.background, self)
        self.use_button = button("", kind="primary")
        self._lay_out()
        self._connect()
        self._show_current()

    def showEvent(self, event: QShowEvent) -> None:
        """Look for the files again whenever the library is opened."""
        super().showEvent(event)
        self.reload()

    def reload(self) -> None:
        """Read what is on this machine in another thread and show it."""
        work = partial(_read, self._context.workspace)
        self._context.background.run(self, work, self._on_read)

    def _lay_out(self) -> None:
        text = self.tr("What each may be used for, and whether it is on this computer.")
        header = PageHeader(self.tr("Library"), text, self)
        header.add_action(self.add_button)
        header.add_action(self.back_button)
        tip = self.tr(
            "Hides models whose code or weights are limited to research, or oblige you to publish "
            "your source. Terms of training images are shown, not filtered."
        )
        explain(self.commercial, tip)
        explain(self.table, self.tr("Select a model to see its licenses."))
        cancel = self.files.cancel_button
        actions = hbox(
            *(self.use_button, self.get_button, cancel, self.remove_button, self.speed_button),
            STRETCH,
            spacing=SPACE.s,
        )
        parts = (header, self.commercial, (self.table, 1), self.details, self.status)
        vbox(
            *(*parts, self.files.bar, self.files.problem, actions),
            owner=self,
            spacing=SPACE.m,
            margins=PAGE_MARGINS,
        )

    def _connect(self) -> None:
        self.back_button.clicked.connect(self.left)
        self.add_button.clicked.connect(self._on_add)
        self.get_button.clicked.connect(self._on_get)
        self.files.started.connect(self._show_current)
        self.files.ended.connect(self.reload)
        self.remove_button.clicked.connect(self._on_remove)
        self.use_button.clicked.connect(self._on_use)
        self.speed_button.clicked.connect(self._on_speed)
        self.commercial.toggled.connect(self._show_rows)
        self.table.selection_changed.connect(self._show_current)

    def _on_read(self, rows: list[LibraryRow]) -> None:
        self._rows = rows
        self._show_rows()

    def _show_rows(self, _is_on: bool = False) -> None:
        only = self.commercial.isChecked()
        shown = [row for row in self._rows if row.passport.is_commercial or not only]
        self.table.show_rows(shown)
        self._show_current()

    def _show_current(self) -> None:
        row = self.table.current
        self.details.setText("" if row is None else passport_text(row.passport))
        self.status.setText("" if row is None else _status(row))
        nothing = self.tr("Select a model first.") if row is None else ""
        is_here = row is not None and row.state == "here"
        own = self.tr("It is a run of yours.") if row is not None and row.record else ""
        here = self.tr("It is on this computer.") if is_here else ""
        bring = ""
        if row is not None and row.state == "needs_file":
            bring = self.tr("Its files must be imported from a folder.")
        changing = self.files.why_no_change
        allow(self.get_button, nothing or own or here or bring or self.files.why_not(""))
        away = "" if is_here or row is None else self.tr("It is not on this computer.")
        allow(self.remove_button, nothing or own or away or changing)
        allow(self.add_button, changing)
        no_network = ""
        if row is not None and not row.is_measurable:
            no_network = self.tr("It has no network on this computer that could be measured.")
        busy = self.tr("The speed is being measured.") if self._measuring.is_running else ""
        allow(self.speed_button, nothing or no_network or busy)
        self._show_use(row, nothing)

    def _show_use(self, row: LibraryRow | None, nothing: str) -> None:
        """Offer an own run, the network of a backbone, or that which is made of a detector."""
        if row is not None and row.source is None:
            self.use_button.setText(self.tr("Show run"))
            allow(
                self.use_button, "", self.tr("Shows the run. Others can start from its weights.")
            )
            return
        if row is None or row.source is None or row.source.backbone:
            self.use_button.setText(self.tr("Show network"))
            allow(self.use_button, nothing, self.tr("Shows the network that starts from it."))
            return
        if row.source.kind == "texts":
            self.use_button.setText(self.tr("Propose labels"))
            allow(self.use_button, self.tr("Choose it in a labeling, under “Proposals by”."))
            return
        self.use_button.setText(self.tr("Open its network"))
        tip = self.tr(
            "Opens a network with the features of this detector and a new head for your classes. "
            "What is missing is downloaded first."
        )
        needs_file = row.state == "needs_file"
        bring = self.tr("Its files must be imported from a folder.") if needs_file else ""
        allow(self.use_button, bring or self.files.why_not(""), tip)

    def _on_get(self) -> None:
        row = self.table.current
        if row is not None and row.source is not None:
            self.files.fetch(row.source)

    def _on_speed(self) -> None:
        row = self.table.current
        if row is not None and row.source is not None:
            work = partial(measured_speed, self._context.engine, row.source)
            self._measuring.run(work, self._on_measured, self._on_not_measured)
            self._show_current()

    def _on_measured(self, _speed: MeasuredSpeed) -> None:
        self.reload()

    def _on_not_measured(self, error: BaseException) -> None:
        self._show_current()
        if isinstance(error, StudioError):
            self.files.problem.show_text(translated(error.text))
        else:
            self._context.navigator.show_failure(error)

    def _on_remove(self) -> None:
        row = self.table.current
        if row is not None and row.source is not None:
            self.files.remove(row.source)

    def _on_add(self) -> None:
        folder = ask_folder(
            self, self.tr("Folder with files of models"), self._context.settings, "library"
        )
        if folder is not None:
            self.add_folder(folder)

    def add_folder(self, folder: Path) -> None:
        """Import the files of a folder."""
        self.files.change(partial(PretrainedStore().add, folder))

    def _on_use(self) -> None:
        row = self.table.current
        if row is None:
            return
        if row.source is None:
            self.run_asked.emit(row.record)
        elif row.source.backbone:
            self.network_asked.emit(row.source.backbone)
        else:
            work = partial(detector_network, self._context.engine, row.source)
            self.files.bring(row.source, work, self.network_made.emit)


def _read(workspace: Workspace) -> list[LibraryRow]:
    """Return published sources, then own runs."""
    store, speeds = PretrainedStore(), read_speeds()
    return [
        *(_of_source(source, store, speeds.get(source.name)) for source in SOURCES),
        *map(_of_run, own_models(workspace)),
    ]


def _of_run(model: OwnModel) -> LibraryRow:
    task = translated(model.run.measured_task.label)
    return LibraryRow(
        name=model.source,
        label=model.run.info.name,
        purpose=_tr("Own run: {task}").format(task=task),
        passport=model.passport,
        figure=model.figure,
        figure_source=model.dataset,
        record=model.run.info.id,
    )


def _of_source(
    source: PretrainedSource, store: PretrainedStore, speed: MeasuredSpeed | None
) -> LibraryRow:
    return LibraryRow(
        name=source.name,
        label=source.label,
        purpose=translated(KIND_PURPOSES[source.kind]),
        passport=source.passport,
        figure=source.figure,
        figure_source=source.figure_source,
        parameters=source.parameters,
        state=store.state(source),
        source=source,
        missing=tuple(store.missing(source)),
        milliseconds=0.0 if speed is None else speed.milliseconds,
        is_measurable=bool(source.backbone or source.weights)
        or store.network_path(source).is_file(),
    )


def _status(row: LibraryRow) -> str:
    """Return where the files of a source come from and where they belong."""
    if row.state == "here":
        return _tr("On this computer.")
    lines = [
        _tr("{address} belongs to {path}").format(
            address=each.address or each.path.name, path=each.path
        )
        for each in row.missing
    ]
    return "\n".join(lines)


def _state_text(row: LibraryRow) -> str:
    return {
        "here": _tr("On this computer"),
        "downloadable": _tr("Can be downloaded"),
        "needs_file": _tr("Needs a file"),
    }[row.state]


def _speed_text(row: LibraryRow) -> str:
    if not row.milliseconds:
        return NO_VALUE
    return _tr("{milliseconds} ms").format(milliseconds=significant(row.milliseconds, 2))


def _figure_text(figure: str) -> str:
    """Return a figure of the catalog with its percentage as the language writes it."""
    return _PERCENT.sub(lambda found: percent(float(found[1]) / 100), figure)


def _columns() -> list[Column[LibraryRow]]:
    def use(row: LibraryRow) -> str:
        return translated(USE_LABELS[row.passport.weights.use])

    def weights(row: LibraryRow) -> str:
        return large(row.parameters) if row.parameters else NO_VALUE

    label, purpose = attrgetter("label"), attrgetter("purpose")
    return [
        Column(_tr("Model"), label, value=label, width=FILL, is_text=True),
        Column(_tr("For"), purpose, value=purpose, is_text=True),
        Column(_tr("License"), use, value=use, is_text=True),
        Column(
            _tr("Parameters"),
            weights,
            value=attrgetter("parameters"),
            is_descending=True,
        ),
        Column(
            _tr("Figure"),
            lambda row: _figure_text(row.figure) or NO_VALUE,
            value=attrgetter("figure"),
            is_text=True,
            cell_tip=lambda row: f"{row.figure} {row.figure_source}".strip(),
        ),
        Column(
            _tr("Here"),
            _speed_text,
            value=attrgetter("milliseconds"),
            cell_tip=lambda _row: _tr("Time for one image on this computer"),
        ),
        Column(_tr("State"), _state_text, value=_state_text, is_text=True),
    ]
