"""From which weights training starts: random ones, published ones, an earlier run's, a file's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QWidget

from studio.engine.exporting.requests import KeptExport
from studio.engine.networks.pretrained import IMAGENET
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import Jobs
from studio.ui.bridge.run_choices import MOST_LISTED, RunChoice, RunChoices
from studio.ui.bridge.run_search import find_run
from studio.ui.shared.weights_file import ask_weights_file
from studio.ui.widgets.figures import number
from studio.ui.widgets.spin_box import ComboBox

RANDOM = ""
_ASK = "?"
_FIND = "??"


class WeightsBox(ComboBox):
    """A list of sources; the last entry asks for a file.

    Signals:
        changed: The user has chosen another source.
    """

    changed = Signal()

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._runs: list[RunChoice] = []
        self._has_more = False
        self._exports: list[KeptExport] = []
        self._source = RANDOM
        self._why_no_imagenet = ""
        self.setAccessibleName(self.tr("Starting weights"))
        self.activated.connect(self._on_activated)
        jobs.listed.connect(self._on_listed)
        self._read_runs()
        self._fill()

    @property
    def source(self) -> str:
        """As a plan says it."""
        return self._source

    def set_source(self, source: str) -> None:
        """Choose a source; emits nothing."""
        self._source = source
        self._read_runs()
        self._fill()

    def set_exports(self, exports: Sequence[KeptExport]) -> None:
        """Offer what was exported and kept."""
        if list(exports) != self._exports:
            self._exports = list(exports)
            self._fill()

    def set_imagenet(self, why_not: str) -> None:
        """Offer published weights, or say why there are none."""
        self._why_no_imagenet = why_not
        self._fill()

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.RUN in kinds and self._read_runs():
            self._fill()

    def _read_runs(self) -> bool:
        """Look at the runs again; gives back whether others are to be listed."""
        before = self._runs, self._has_more
        choices = RunChoices.of(self._jobs)
        self._runs = choices.first(MOST_LISTED)
        self._has_more = len(choices) > len(self._runs)
        run_id = self._source.removeprefix(RUN_PREFIX).partition("@")[0]
        chosen = choices.get(run_id) if self._source.startswith(RUN_PREFIX) else None
        if chosen is not None and all(chosen.id != run.id for run in self._runs):
            self._runs.append(chosen)
        return before != (self._runs, self._has_more)

    def _fill(self) -> None:
        self.clear()
        self.addItem(self.tr("Random weights"), RANDOM)
        self.addItem(self.tr("ImageNet (1.3 million photographs)"), IMAGENET)
        for run in self._runs:
            self.addItem(
                self.tr("The run “{name}”").format(name=run.name), f"{RUN_PREFIX}{run.id}"
            )
            for epoch in run.checkpoints:
                words = self.tr("The run “{name}”, epoch {epoch}").format(
                    name=run.name, epoch=number(epoch)
                )
                self.addItem(words, f"{RUN_PREFIX}{run.id}@{epoch:g}")
        if self._has_more:
            self.addItem(self.tr("Another run…"), _FIND)
        for export in self._exports:
            self.addItem(self.tr("The export “{name}”").format(name=export.name), export.weights)
        if self.findData(self._source) < 0:
            words = self.tr("{name}").format(name=Path(self._source).name)
            self.addItem(words, self._source)
        self.addItem(self.tr("A file…"), _ASK)
        model = self.model()
        if isinstance(model, QStandardItemModel):
            item = model.item(self.findData(IMAGENET))
            item.setEnabled(not self._why_no_imagenet or self._source == IMAGENET)
            item.setToolTip(self._why_no_imagenet)
        self.setCurrentIndex(self.findData(self._source))

    def _on_activated(self, _index: int) -> None:
        chosen = str(self.currentData())
        if chosen == _ASK:
            path = ask_weights_file(self)
            chosen = self._source if path is None else str(path)
        if chosen == _FIND:
            find_run(self._jobs, self, self._on_found)
            chosen = self._source
        self._choose(chosen)

    def _on_found(self, run: RunChoice) -> None:
        self._choose(f"{RUN_PREFIX}{run.id}")

    def _choose(self, source: str) -> None:
        is_other = source != self._source
        self.set_source(source)
        if is_other:
            self.changed.emit()
