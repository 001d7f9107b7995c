"""Maps of the images of a dataset, and their pictures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.engine.embeddings.requests import EmbeddingPlan
from studio.engine.jobs.states import State
from studio.engine.training.plan import RUN_PREFIX
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.documents.record import RecordDocument
from studio.ui.tasks import view_of
from studio.ui.tasks.targets import TargetTable

if TYPE_CHECKING:
    from studio.engine.embeddings.embedding import Embedding
    from studio.ui.charts.map_chart import MapPoints


@dataclass(frozen=True, slots=True)
class Maps:
    """The maps of a run.

    Attributes:
        active: One that waits or is drawn, or the last that failed after `shown` was drawn.
        shown: The newest that is completed.
    """

    active: RecordDocument | None = None
    shown: RecordDocument | None = None


def maps_of(entries: Iterable[RecordDocument], run_id: str) -> Maps:
    """Return the maps of a run, from all maps, newest first."""
    active = None
    for entry in entries:
        plan = entry.plan
        if not isinstance(plan, EmbeddingPlan) or plan.model != f"{RUN_PREFIX}{run_id}":
            continue
        if entry.state == State.COMPLETED:
            return Maps(active, entry)
        active = active or entry
    return Maps(active)


def is_at_work(entry: RecordDocument | None) -> bool:
    """Return True if a map is drawn now, or queued."""
    return entry is not None and (entry.state == State.QUEUED or entry.state.has_worker)


def dataset_id(choice: RunChoice) -> str:
    """Return the id of the dataset of a run; empty where it was deleted."""
    return "" if choice.dataset_folder is None else choice.dataset_folder.name


@dataclass(frozen=True)
class DrawnMap:
    """A map with the targets of its images.

    Attributes:
        embedding: The map.
        targets: Targets of the dataset; None where each image has one class.
    """

    embedding: Embedding
    targets: TargetTable | None = None

    def caption(self, index: int) -> str:
        """Return the caption of an image: its class, or its targets."""
        if self.targets is None:
            return caption_of(self.embedding, index)
        row = int(self.embedding.rows[index])
        return str(view_of(self.targets.task).caption(self.targets, row))

    def label(self, index: int) -> str:
        """Return the class or the targets of an image."""
        if self.targets is not None:
            return self.caption(index)
        return self.embedding.classes[int(self.embedding.labels[index])]

    def points(self, output: int) -> MapPoints:
        """Return the points in groups: by their class, or by a label or quantity."""
        from studio.ui.charts.map_chart import MapPoints  # noqa: PLC0415 - NumPy

        found = self.embedding
        labels, names = found.labels, found.classes
        if self.targets is not None:
            labels, names = view_of(self.targets.task).groups(self.targets, found.rows, output)
        return MapPoints(found.points, labels, found.splits, found.right(), names)


def caption_of(embedding: Embedding, index: int) -> str:
    """Return the class of an image, and the predicted one where that is another."""
    label = embedding.classes[embedding.labels[index]]
    prediction = embedding.outputs[embedding.predictions[index]]
    return label if prediction == label else f"{label} → {prediction}"
