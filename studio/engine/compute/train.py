"""Does a training job: its dataset, its network, its backend, and what went wrong in words."""

from __future__ import annotations

from studio.engine.compute.backend import prepare_backend
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError, OutOfMemoryError
from studio.engine.files import write_atomically
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.states import State
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.mean import mean_of
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.workspace import RecordKind

NETWORK_FILE = "network.json"


def train(context: JobContext) -> State:
    """Do a training job.

    Returns:
        `COMPLETED`, or `STOPPED` when somebody asked for that; the model is kept in both cases.

    Raises:
        StudioError: Of the kind that says what went wrong: bad data, out of memory, loss not
            finite, disk full.
    """
    plan = context.job.plan(TrainingPlan)
    store, spec = prepared(context, plan)
    write_atomically(context.folder / NETWORK_FILE, spec.to_json())
    try:
        # Keras may be imported only now that its backend is chosen.
        from studio.engine.compute.fit import fit  # noqa: PLC0415

        state = fit(context, plan, store, spec)
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise OutOfMemoryError(
            f"There is not enough memory for batches of {plan.batch_size} images.",
            f"Try a batch size of {max(1, plan.batch_size // 2)}, or smaller images.",
            "batch_size",
        ) from error
    _report(context, plan)
    return state


def prepared(context: JobContext, plan: TrainingPlan) -> tuple[Store, NetworkSpec]:
    """The dataset and the network of a plan, with its backend ready: Keras may be imported now.

    Raises:
        StudioError: The network does not fit the images, or the backend is not installed.
        BadDataError: The dataset was deleted, or cannot be read.
    """
    store = _open_dataset(context, plan)
    shape = (store.shape[0], store.shape[1], store.shape[2])
    mean = mean_of(store, plan.augmentation.subtract_mean)
    spec = network_for(plan, shape, len(store.classes), mean)
    prepare_backend(plan.backend, plan.deterministic, plan.seed, plan.threads or None)
    return store, spec


def _open_dataset(context: JobContext, plan: TrainingPlan) -> Store:
    record = context.workspace.record(RecordKind.DATASET, plan.dataset)
    if record is None:
        raise BadDataError(
            f'The dataset "{plan.dataset}" was deleted.', "Restore it from the trash.", "dataset"
        )
    return Store.open(record.folder, plan.dataset_version or 0)


def _report(context: JobContext, plan: TrainingPlan) -> None:
    context.job.refresh()
    history = context.job.history
    last = history.epochs[-1] if history.epochs else None
    kept = history.best if plan.keep == "best" else last
    if kept is not None:
        context.result(kept.model_dump(mode="json", exclude={"event", "t"}))


def is_out_of_memory(error: Exception) -> bool:
    """Whether a backend says, in its own way, that memory ran out."""
    name, text = type(error).__name__, str(error).lower()
    return (
        name in {"ResourceExhaustedError", "OutOfMemoryError"}
        or "resource_exhausted" in text
        or "out of memory" in text
    )
