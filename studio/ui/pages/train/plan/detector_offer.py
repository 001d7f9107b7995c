"""The offer to get a detector pretrained on COCO, as a start for boxes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.engine.inference.detectors import detector_network, offered_detector
from studio.engine.pretrained.sources import PretrainedSource
from studio.engine.tasks.task import Task
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.shared.pretrained_files import PretrainedFiles
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.layout import STRETCH, hbox, vbox
from studio.ui.widgets.tips import allow


class DetectorOffer(QWidget):
    """A button that downloads a detector and makes its network; hidden where there is one.

    Signals:
        made: The network is here and can be recommended.
    """

    made = Signal()

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._source: PretrainedSource | None = None
        self.files = PretrainedFiles(context, self)
        self.button = push_button(
            "", context.theme, icon="download", parent=self, on_click=self._on_clicked
        )
        row = hbox(self.button, self.files.cancel_button, STRETCH, spacing=SPACE.s)
        vbox(row, self.files.bar, self.files.problem, owner=self, spacing=SPACE.s)
        self.files.started.connect(self._show)
        self.files.ended.connect(self._show)
        self.hide()

    def show_task(self, task: Task | None) -> None:
        """Offer a detector for a task; None for no dataset."""
        if self.files.coming:
            return
        self._source = None if task is None else offered_detector(task)
        self._show()

    def _show(self) -> None:
        source = self._source
        self.setVisible(source is not None)
        if source is None:
            return
        label = translated(source.label)
        self.button.setText(self.tr("Start from {model}, pretrained on COCO").format(model=label))
        tip = self.tr(
            "Downloads the detector and recommends its features for your boxes. Without a "
            "connection, the files can be imported in the library of networks."
        )
        busy = self.tr("The download is under way.") if self.files.coming else ""
        allow(self.button, busy, tip)

    def _on_clicked(self) -> None:
        if self._source is not None:
            work = partial(detector_network, self._context.engine, self._source)
            self.files.bring(self._source, work, self._on_made)

    def _on_made(self, _path: Path) -> None:
        self._source = None
        self._show()
        self.made.emit()
