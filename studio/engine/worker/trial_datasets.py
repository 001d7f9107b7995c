"""The datasets of trials that vary the recipe, imported when their turn comes."""

from __future__ import annotations

from collections.abc import Mapping

from studio.engine.errors import BadDataError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.sweeps.space import Key, key_of
from studio.engine.sweeps.variants import (
    Variant,
    carry_edits,
    find_variant,
    is_original,
    request_variant,
    variant_of,
)
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind


class TrialDatasets:
    """Finds or imports them; each once, however many trials learn from it.

    Args:
        queue: Where imports are asked for.
        base: The training plan of the sweep, which names the original.
    """

    def __init__(self, queue: JobQueue, base: TrainingPlan) -> None:
        self._queue = queue
        self._base = base
        self._jobs: dict[Key, Job] = {}
        self._requested: set[Key] = set()
        self._at_work: set[Key] = set()
        self._begun_again: set[Key] = set()
        self._ready: dict[Key, tuple[str, int]] = {}

    def ready(self, changes: Mapping[str, object]) -> tuple[str, int] | None:
        """Id and version of the dataset with another recipe; None while it is imported.

        Args:
            changes: What is special, by the recipe's own names.

        Raises:
            StudioError: It cannot be had.
        """
        key, workspace, base = key_of(changes), self._queue.workspace, self._base
        known = self._ready.get(key)
        if known is not None and workspace.record(RecordKind.DATASET, known[0]) is None:
            del self._ready[key]  # deleted since then
        if key not in self._ready:
            variant = variant_of(workspace, base.dataset, base.dataset_version, changes)
            if is_original(variant):
                self._ready[key] = (base.dataset, variant.version)
            elif self._is_imported(key, variant):
                self._ready[key] = (self._jobs[key].record.id, variant.version)
        return self._ready.get(key)

    def stop(self) -> None:
        """End the imports that go on."""
        for job in self._jobs.values():
            job.refresh()
            if not job.history.state.is_at_rest:
                self._queue.stop(job)

    def _is_imported(self, key: Key, variant: Variant) -> bool:
        job = self._jobs.get(key)
        if job is None or not job.record.folder.exists():
            job = find_variant(self._queue.workspace, variant)
            if job is None:
                job = request_variant(self._queue, variant)
                self._requested.add(key)
            self._jobs[key] = job
        job.refresh()
        state = job.history.state
        if state == State.COMPLETED:
            carry_edits(variant, job.record.folder)
            return True
        if not state.is_at_rest:
            self._at_work.add(key)
            if key in self._requested and job.history.result:
                # It is imported. To audit the same images again would only keep trials waiting.
                self._requested.discard(key)
                self._queue.stop(job)
            return False
        # What ended before our time gets another try, and so does one whose worker died.
        ended_now = key in self._at_work and state != State.LOST
        if ended_now or key in self._begun_again:
            raise BadDataError(
                f'Its dataset "{job.record.name}" is {state.value}: {job.history.reason}',
                job.history.hint,
            )
        self._begun_again.add(key)
        self._queue.restart(job)
        return False
