"""The line below the name of a run: its network and its dataset."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.shared.records import Trash
from studio.ui.shared.training import planned_network
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import STRETCH, hbox


class DatasetLine(QWidget):
    """Network and dataset of a run; a dataset in the trash can be restored here.

    Attributes:
        dataset: Name of the dataset, with a remark if it is deleted.

    Signals:
        dataset_found: The dataset may have another name or remark than when the run was shown.
    """

    dataset_found = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._plan: TrainingPlan | None = None
        self._trashed: tuple[Record, str] | None = None
        self._finding = Request(context.background, self)
        self._trash = Trash(context, self)
        self.text = ElidedLabel(parent=self, role="muted")
        tip = self.tr("Restores the dataset of this run from the trash.")
        self.restore_button = push_button(
            self.tr("Restore the dataset"), context.theme, parent=self, tip=tip,
            icon="undo", on_click=self._on_restore,
        )  # fmt: skip
        hbox((self.text, 0), self.restore_button, STRETCH, owner=self, spacing=SPACE.s)
        self.restore_button.hide()
        context.jobs.listed.connect(self._on_listed)

    @property
    def dataset(self) -> str:
        """Name of the dataset, with a remark if it is deleted."""
        if self._plan is None:
            return ""
        known = self._context.jobs.get(RecordKind.DATASET, self._plan.dataset)
        if known is not None:
            return known.name
        if self._trashed is not None:
            return self.tr("{dataset} (in the trash)").format(dataset=self._trashed[1])
        return self.tr("a deleted dataset")

    def show_run(self, entry: RunDocument) -> None:
        """Show network and dataset of a run."""
        if not isinstance(entry.plan, TrainingPlan):
            return
        is_other = self._plan is None or self._plan.dataset != entry.plan.dataset
        self._plan = entry.plan
        if is_other:
            self._find()
        self._show()

    def _show(self) -> None:
        if self._plan is None:
            return
        pattern, network = self.tr("{network} on {dataset}"), planned_network(self._plan)
        self.text.setText(pattern.format(network=network, dataset=self.dataset))
        self.restore_button.setVisible(self._trashed is not None)

    def _find(self) -> None:
        """Look for the dataset in the trash if the workspace does not list it."""
        self._trashed = None
        self._finding.drop()
        dataset, jobs = "" if self._plan is None else self._plan.dataset, self._context.jobs
        if jobs.is_loaded and jobs.get(RecordKind.DATASET, dataset) is None:
            self._finding.run(partial(_in_trash, jobs.workspace, dataset), self._on_found)

    def _on_found(self, trashed: tuple[Record, str] | None) -> None:
        self._trashed = trashed
        self._show()
        self.dataset_found.emit()

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.DATASET in kinds:
            self._find()
            self._show()
            self.dataset_found.emit()

    def _on_restore(self) -> None:
        if self._trashed is not None:
            self._trash.restore(self._trashed[0])


def _in_trash(workspace: Workspace, dataset: str) -> tuple[Record, str] | None:
    """Return a dataset in the trash and its name. Called in another thread."""
    record = workspace.trashed_record(RecordKind.DATASET, dataset)
    return None if record is None else (record, record.name)
