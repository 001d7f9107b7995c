"""Runs a training job: opens dataset and network, sets the backend, and explains errors."""

from __future__ import annotations

import gc
from collections.abc import Mapping

from studio.engine.compute.backends.prepare import is_out_of_memory, prepare_backend
from studio.engine.compute.logbooks import Logbooks
from studio.engine.datasets.store import Store
from studio.engine.errors import DeviceLostError, OutOfMemoryError, StudioError
from studio.engine.files import write_atomically
from studio.engine.inference.unlike.reference import remove_reference
from studio.engine.jobs.devices import parse_device_request
from studio.engine.jobs.events import Amended
from studio.engine.jobs.job import JobContext
from studio.engine.jobs.states import State
from studio.engine.messages import Message, joined, message
from studio.engine.networks.backbones import IMAGENET, WeightsDownloadError
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.artifacts import LATENCY, MODEL_ARTIFACT, write_calibration
from studio.engine.training.dataset_statistics import mean_of, target_scale
from studio.engine.training.history import RunContext, RunJob
from studio.engine.training.offline_fallback import fallback_of
from studio.engine.training.packages import changed_packages, require_packages
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.trainers import trainer_of
from studio.engine.workspace import RecordKind

NETWORK_FILE = "network.json"
_DEVICE_LOST = (
    "cuda_error_illegal_address",
    "cuda_error_launch_failed",
    "cuda_error_unknown",
    "cuda error: unspecified launch failure",
    "cuda error: unknown error",
    "device lost",
    "gpu is lost",
    "nccl communicator was aborted",
)


def train(context: RunContext) -> State:
    """Do a training job.

    Returns:
        `COMPLETED`, or `STOPPED` or `PAUSED` on request; the weights are
        kept in every case.

    Raises:
        StudioError: Of the kind that says what went wrong: bad data, out of memory, loss not
            finite, disk full.
    """
    plan = context.job.current_plan(TrainingPlan)
    store, spec = prepared(context, plan)
    if plan.weights == IMAGENET and plan.offline_fallback and plan.nodes == 1:
        plan, spec = weights_or_fallback(context, plan, store, spec)
    write_atomically(context.folder / NETWORK_FILE, spec.to_json())
    remove_reference(context.folder)
    with store.stays_mapped(), Logbooks(context, plan) as logbooks:
        state, plan = _fit(context, plan, store, spec)
        logbooks.ended(state)
    _leave_group()
    _report(context, plan, store)
    if state != State.PAUSED:
        _measure_training_images(context, plan, store)
    return state


def _fit(
    context: RunContext, plan: TrainingPlan, store: Store, spec: NetworkSpec
) -> tuple[State, TrainingPlan]:
    """Train, with smaller batches where memory does not suffice.

    Returns:
        How it ended, and the plan as it was done.
    """
    # Keras may be imported only now that its backend is chosen.
    import keras  # noqa: PLC0415

    from studio.engine.compute.backends import chosen  # noqa: PLC0415
    from studio.engine.compute.fit import fit  # noqa: PLC0415

    while True:
        try:
            return fit(context, plan, store, spec), plan
        except Exception as error:
            if _is_device_lost(error):
                raise DeviceLostError(
                    "The device failed during the training: {reason}",
                    "Resume the run: it continues from its last checkpoint.",
                    reason=_first_line(error),
                ) from error
            if not is_out_of_memory(error):
                raise
            changes = _smaller(plan, error)
        # Outside of `except`: its traceback holds on to all that filled the memory.
        keras.backend.clear_session()
        chosen.backend().replicate_on(parse_device_request(plan.device))
        gc.collect()
        reason = smaller_text(plan.batch_size, changes)
        plan = plan.changed(**changes)
        context.emit(Amended(changes=changes, reason=reason), durable=True)
        context.warn(reason)


def _leave_group() -> None:
    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.backends import chosen  # noqa: PLC0415

    chosen.backend().leave_group()


def smaller_text(size: int, changes: Mapping[str, int]) -> Message:
    """Return what happens after batches did not fit into memory.

    Args:
        size: Images of a batch before.
        changes: Changes of the plan.
    """
    if "gradient_accumulation_steps" not in changes:
        return message(
            "Batches of {size} images did not fit into memory. The fit begins again with batches "
            "of {new_size}.",
            size=size,
            new_size=changes["batch_size"],
        )
    return message(
        "Batches of {size} images did not fit into memory. Training continues with batches of "
        "{new_size} and accumulates the gradients of {steps} of them.",
        size=size,
        new_size=changes["batch_size"],
        steps=changes["gradient_accumulation_steps"],
    )


def _smaller(plan: TrainingPlan, error: Exception) -> Mapping[str, int]:
    """Return the changes of a plan that needs less memory.

    Raises:
        OutOfMemoryError: It cannot get any smaller.
    """
    # Other nodes of the run would keep the batches that were planned.
    changes = trainer_of(plan).in_less_memory(plan) if plan.nodes == 1 else {}
    if not changes:
        raise OutOfMemoryError(
            "There is not enough memory for batches of {size} images.",
            "Use smaller images or a smaller network, or close other programs.",
            "batch_size",
            size=plan.batch_size,
        ) from error
    return changes


def weights_or_fallback(
    context: RunContext, plan: TrainingPlan, store: Store, spec: NetworkSpec
) -> tuple[TrainingPlan, NetworkSpec]:
    """Download the weights of a plan; where that fails, plan the training without them.

    Args:
        context: The running job.
        plan: Plan with ImageNet weights.
        store: Its dataset.
        spec: Its network.

    Returns:
        The plan and its network; the changes are in the journal.

    Raises:
        Cancelled: The job was asked to end.
    """
    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.weights import fetch_imagenet  # noqa: PLC0415

    try:
        fetch_imagenet(spec, context)
    except WeightsDownloadError as error:
        dataset = context.workspace.require(RecordKind.DATASET, plan.dataset)
        changes = fallback_of(plan, dataset)
        plan = plan.changed(**changes)
        reason = joined(
            (
                error.message,
                message("The run trains {network} from scratch instead.", network=plan.network),
            )
        )
        context.emit(Amended(changes=changes, reason=reason), durable=True)
        context.warn(reason)
        spec = _network_for(plan, store)
    return plan, spec


def _network_for(plan: TrainingPlan, store: Store) -> NetworkSpec:
    shape = (store.shape[0], store.shape[1], store.shape[2])
    mean = mean_of(store, plan.augmentation.subtract_mean)
    scale, pixels = target_scale(store), store.pixel_format
    return network_for(plan, shape, len(store.classes), mean, store.task, scale, pixels)


def prepared(context: JobContext, plan: TrainingPlan) -> tuple[Store, NetworkSpec]:
    """Open the dataset, build the network's description and configure the backend of a plan.

    Keras may be imported afterwards.

    Args:
        context: The running job.
        plan: Plan of the run.

    Raises:
        StudioError: The network does not fit the images, or the backend or a package of the plan
            is not installed.
        BadDataError: The dataset was deleted or cannot be read.
    """
    require_packages(plan)
    changed = changed_packages(plan)
    if changed is not None:
        context.warn(changed)
    store = _open_dataset(context, plan)
    spec = _network_for(plan, store)
    threads = plan.threads or None
    device = parse_device_request(plan.device)
    prepare_backend(plan.backend, plan.deterministic, plan.seed, threads, device)
    return store, spec


def _open_dataset(context: JobContext, plan: TrainingPlan) -> Store:
    record = context.workspace.require(RecordKind.DATASET, plan.dataset)
    try:
        return Store.open(record.folder, plan.dataset_version or 0)
    except StudioError:
        RunJob(record).require_completed("training")  # its import was stopped, or has failed
        raise


def _report(context: RunContext, plan: TrainingPlan, store: Store) -> None:
    context.job.refresh()
    history = context.job.history
    last = history.epochs[-1] if history.epochs else None
    best = history.best if plan.keep == "best" else last
    if best is None:
        return
    figures = best.model_dump(mode="json", exclude={"event", "t"})
    calibrates = store.task.predictor.calibrates
    if plan.measure_latency or calibrates:
        # Keras may be imported only now that its backend is chosen.
        from studio.engine.compute.model_files import load_model  # noqa: PLC0415
        from studio.engine.compute.scoring import calibrate, latency_ms  # noqa: PLC0415

        model = load_model(context.job.record.file(history.artifacts[MODEL_ARTIFACT]))
        if plan.measure_latency:
            figures[LATENCY] = latency_ms(model, store.images[store.rows("train")[:1]], context)
        if calibrates:
            write_calibration(context.folder, calibrate(model, store, context))
    context.result(figures)


def _measure_training_images(context: RunContext, plan: TrainingPlan, store: Store) -> None:
    """Store what images are compared with when the model predicts; see `familiarity`."""
    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.familiarity import measure_training_images  # noqa: PLC0415
    from studio.engine.compute.model_files import load_model  # noqa: PLC0415

    context.job.refresh()
    name = context.job.history.artifacts.get(MODEL_ARTIFACT)
    if name is not None:
        file = context.job.record.file(name)
        try:
            measure_training_images(
                context.folder, store, lambda: load_model(file), plan.batch_size, context
            )
        except Exception as error:
            # The model is stored, and the run is complete without the comparison.
            if not isinstance(error, StudioError) and not is_out_of_memory(error):
                raise
            context.warn(
                message(
                    "Predictions of this run cannot say how an image differs from the training "
                    "images: {reason}",
                    reason=_first_line(error),
                )
            )


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:200]


def _is_device_lost(error: Exception) -> bool:
    """Return True if a backend's error means that a GPU or its driver failed."""
    text = str(error).lower()
    return any(word in text for word in _DEVICE_LOST)
