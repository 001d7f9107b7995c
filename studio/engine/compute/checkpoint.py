"""Full state of a run in one file, from which it resumes exactly.

The content was determined by measurement (weights of a run killed within an epoch and of an
uninterrupted run, compared bit for bit): weights, state of the optimizer, states of the random
generators of dropout, sums of the metrics, position in the epoch, state of early stopping, cuts of
the learning rate. Order and augmentation of the images depend on (seed, epoch, image) alone and
are not stored. Keras' own `BackupAndRestore` stores the first two and restarts the epoch.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import keras
import numpy as np
from numpy.typing import NDArray
from pydantic import AliasChoices, BaseModel, Field, ValidationError

from studio.engine.compute.backends import keras_internals
from studio.engine.compute.backends.interface import Batch
from studio.engine.compute.model_checkpointer import Weights
from studio.engine.compute.optimizers import RATE_TABLE_VARIABLE
from studio.engine.compute.validation import MonitorState
from studio.engine.datasets.augment.augmenter import AUGMENT_VERSION
from studio.engine.errors import BadDataError
from studio.engine.files import open_arrays, remove_partials, replacing
from studio.engine.training.parts import RESUME_FILE
from studio.engine.training.plan import TrainingPlan

_HEADER = "header"
_NETWORK, _OPTIMIZER, _METRICS, _SNAPSHOT = "network", "optimizer", "metrics", "kept"
_ITERATION = "iteration"

Arrays = dict[str, NDArray[Any]]


class TrainingProgress(BaseModel, frozen=True, extra="forbid"):
    """Progress of a run in numbers: everything except arrays.

    Attributes:
        step: Completed steps of the whole run.
        epoch: Completed epochs.
        batch: Completed batches of the current epoch.
        epochs: Requested epochs.
        batch_size: Images per batch.
        gradient_accumulation_steps: Batches per weight update.
        learning_rate: Base rate of the plan.
        collected_at: Step of the last validation for which insights were collected.
        rate_factor: Factor of all rates, after cuts on plateaus and changes by hand.
        is_over: True if early stopping only waits for the end of the epoch.
        sums: The metrics of the steps of the epoch so far, each as (sum, images).
        seconds: Seconds of the epoch so far.
        monitor: State of the monitored metric.
        augmentation: `AUGMENT_VERSION` of the images so far.
    """

    version: Literal[1] = 1
    step: int = 0
    epoch: int = 0
    batch: int = 0
    epochs: int
    batch_size: int
    gradient_accumulation_steps: int = Field(
        validation_alias=AliasChoices("gradient_accumulation_steps", "accumulate")
    )
    learning_rate: float
    collected_at: int = Field(0, validation_alias=AliasChoices("collected_at", "looked_at"))
    rate_factor: float = 1.0
    is_over: bool = False
    sums: tuple[tuple[float, int], ...] = ()
    seconds: float = 0.0
    monitor: MonitorState = Field(
        MonitorState(), validation_alias=AliasChoices("monitor", "watch")
    )
    augmentation: int = 1


def initial_progress(plan: TrainingPlan) -> TrainingProgress:
    """Return the progress of a run that has not started."""
    return TrainingProgress(
        epochs=plan.epochs,
        batch_size=plan.batch_size,
        gradient_accumulation_steps=plan.gradient_accumulation_steps,
        learning_rate=plan.learning_rate,
        augmentation=AUGMENT_VERSION,
    )


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Full state of a run from which it can resume.

    Attributes:
        progress: Position in the run.
        arrays: Weights and states, by kind and number or name.
    """

    progress: TrainingProgress
    arrays: Arrays = field(default_factory=dict)

    def restore_network(self, network: keras.Model) -> None:
        """Restore the weights of a network and the states of its random generators.

        Raises:
            BadDataError: It is another network.
        """
        self._assign(_NETWORK, network.variables)

    def restore_training(self, model: keras.Model, batch: Batch) -> None:
        """Restore the state of a compiled model's optimizer.

        Args:
            model: The model, whose optimizer is built.
            batch: Any batch: from its shapes Keras makes the variables of the metrics, for which
                it would wait until the first step.

        Raises:
            BadDataError: It is another network or optimizer.
        """
        keras_internals.build_symbolically(model, batch)
        for name, variable in _by_name(model.optimizer.variables).items():
            # Only sums of gradients may be missing: where out of memory brought them in.
            value = self.arrays.get(f"{_OPTIMIZER}/{name}")
            if value is not None:
                variable.assign(_fitting(value, variable))

    def restore_metrics(self, model: keras.Model) -> None:
        """Give a model the sums of its metrics, in the middle of an epoch."""
        if self.progress.batch:
            self._assign(_METRICS, model.metrics_variables)

    @property
    def snapshot(self) -> Weights | None:
        """The weights that were worth keeping, by layer; None where there were none."""
        found: Weights = {}
        for key, value in self.arrays.items():
            kind, _, rest = key.partition("/")
            if kind == _SNAPSHOT:
                layer, _, _ = rest.rpartition("/")
                found.setdefault(layer, []).append(value)
        return found or None

    def fitted_to(self, plan: TrainingPlan, steps_per_epoch: int) -> Checkpoint:
        """Return the same state for an amended plan: other batches, another rate, more epochs.

        Args:
            plan: The current plan.
            steps_per_epoch: Steps of an epoch of it.
        """
        progress, changes, arrays = self.progress, dict[str, object](), self.arrays
        if plan.batch_size != progress.batch_size:
            batch = progress.batch * progress.batch_size // plan.batch_size
            step = progress.epoch * steps_per_epoch + batch
            changes |= {"batch": batch, "step": step, "collected_at": step}
            arrays = _counted_to(step, arrays)
        if plan.learning_rate != progress.learning_rate:
            changes["rate_factor"] = 1.0  # who names a rate means that rate
        if plan.epochs > progress.epochs:
            waiting = {"waited": 0, "waited_for_cut": 0}
            changes |= {"is_over": False, "monitor": progress.monitor.model_copy(update=waiting)}
        now = initial_progress(plan).model_dump(
            include={
                "epochs",
                "batch_size",
                "gradient_accumulation_steps",
                "learning_rate",
                "augmentation",
            }
        )
        return Checkpoint(progress.model_copy(update={**now, **changes}), arrays)

    def _assign(self, kind: str, variables: Sequence[keras.Variable]) -> None:
        values = [value for key, value in self.arrays.items() if key.startswith(f"{kind}/")]
        if len(values) != len(variables):
            raise _misfit()
        for variable, value in zip(variables, values, strict=True):
            variable.assign(_fitting(value, variable))


def save_checkpoint(
    folder: Path,
    progress: TrainingProgress,
    network: keras.Model,
    model: keras.Model,
    snapshot: Weights | None,
) -> bool:
    """Write a checkpoint that replaces the previous one.

    Args:
        folder: The record of the run.
        progress: Position in the run.
        network: The whole network.
        model: The trained model: the network, or a part of it, compiled.
        snapshot: Weights of the best epoch so far; None if there is none.

    Returns:
        True if it was written; weights that are not finite are not saved, and the previous
        checkpoint stays.

    Raises:
        DiskFullError: No space was left; the previous checkpoint is untouched.
    """
    if hasattr(model, "jax_state_sync"):
        model.jax_state_sync()
    weights = _numbered(_NETWORK, network.variables)
    if not all(np.isfinite(value).all() for value in weights.values()):
        return False
    found = _by_name(model.optimizer.variables)
    optimizer = {f"{_OPTIMIZER}/{name}": _value(each) for name, each in found.items()}
    layers = (snapshot or {}).items()
    arrays = {
        _HEADER: np.frombuffer(progress.model_dump_json().encode(), np.uint8),
        **weights,
        **optimizer,
        **_numbered(_METRICS, model.metrics_variables),
        **{
            f"{_SNAPSHOT}/{name}/{at:04}": value
            for name, values in layers
            for at, value in enumerate(values)
        },
    }
    path = folder / RESUME_FILE
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    return True


def load_checkpoint(folder: Path) -> Checkpoint | None:
    """Return the checkpoint from which a run can resume; None if there is none.

    Raises:
        BadDataError: The file is damaged, or of another version.
    """
    path = folder / RESUME_FILE
    remove_partials(path)
    try:
        with open_arrays(path) as file:
            arrays = {name: file[name] for name in file}
        progress = TrainingProgress.model_validate(json.loads(arrays.pop(_HEADER).tobytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, ValidationError) as error:
        raise BadDataError(
            "The checkpoint {path} cannot be read: {kind}.",
            "Remove the file to train from the beginning, or start a new run with this plan.",
            str(path),
            path=path,
            kind=type(error).__name__,
        ) from error
    return Checkpoint(progress, arrays)


def _numbered(kind: str, variables: Iterable[keras.Variable]) -> Arrays:
    return {f"{kind}/{at:06}": _value(each) for at, each in enumerate(variables)}


def _value(variable: keras.Variable) -> NDArray[Any]:
    return np.array(keras.ops.convert_to_numpy(variable))


def _by_name(variables: Iterable[keras.Variable]) -> dict[str, keras.Variable]:
    """Variables of an optimizer by their names, whichever number Keras gave the optimizer.

    One that scales the loss for another has a count and a rate, and so has the other: what comes
    later under a name that is taken is marked. The learning rates are left out: the plan has them.
    """
    found: dict[str, keras.Variable] = {}
    for variable in variables:
        name = str(variable.path).rpartition("/")[2]
        if name == RATE_TABLE_VARIABLE:
            continue
        while name in found:
            name += "+"
        found[name] = variable
    return found


def _fitting(value: NDArray[Any], variable: keras.Variable) -> NDArray[Any]:
    if tuple(value.shape) != tuple(variable.shape):
        raise _misfit()
    return value


def _misfit() -> BadDataError:
    return BadDataError(
        "The checkpoint belongs to another network or optimizer.",
        "Start a new run with this plan.",
    )


def _counted_to(step: int, arrays: Arrays) -> Arrays:
    """With other batches there is another count of those that are done."""
    return {
        key: np.asarray(step, value.dtype)
        if key.startswith(f"{_OPTIMIZER}/{_ITERATION}")
        else value
        for key, value in arrays.items()
    }
