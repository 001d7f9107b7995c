"""What the page shows, decided without Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.engine.embeddings.plan import EmbeddingPlan
from studio.engine.jobs.states import State
from studio.engine.training.plan import RUN_PREFIX
from studio.ui.bridge.jobs import JobEntry
from studio.ui.bridge.run_choices import RunChoice

if TYPE_CHECKING:
    from studio.engine.embeddings.embedding import Embedding


@dataclass(frozen=True, slots=True)
class Maps:
    """The maps of a run.

    Attributes:
        going: One that waits or is drawn, or the last that failed after `shown` was drawn.
        shown: The newest that is completed.
    """

    going: JobEntry | None = None
    shown: JobEntry | None = None


def maps_of(entries: Iterable[JobEntry], run_id: str) -> Maps:
    """Which maps of a run matter, of all, newest first."""
    going = None
    for entry in entries:
        plan = entry.plan
        if not isinstance(plan, EmbeddingPlan) or plan.model != f"{RUN_PREFIX}{run_id}":
            continue
        if entry.state == State.COMPLETED:
            return Maps(going, entry)
        going = going or entry
    return Maps(going)


def is_at_work(entry: JobEntry | None) -> bool:
    """Whether a map is being drawn, or waits for it."""
    return entry is not None and (entry.state == State.QUEUED or entry.state.has_worker)


def dataset_id(choice: RunChoice) -> str:
    """The dataset that a run learned from; empty where it was deleted."""
    return "" if choice.dataset_folder is None else choice.dataset_folder.name


def caption_of(embedding: Embedding, index: int) -> str:
    """An image in a word: its class, and what it was taken for where that is another."""
    label = embedding.classes[embedding.labels[index]]
    guess = embedding.outputs[embedding.guesses[index]]
    return label if guess == label else f"{label} → {guess}"
