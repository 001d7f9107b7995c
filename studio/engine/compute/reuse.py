"""Trains with what the run before compiled, where a run of the same process has the same shape.

To trace and compile the steps of a small network takes as long as several epochs. All that is
built into them stands in a key. What is not, the weights, the states of the optimizer and of
random generators and the learning rates, is in variables. These get the values of a new model,
which is made in any case, so that a run learns bit for bit what it would in a process of its own.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace

import keras

from studio.engine.compute.insights import CompiledParts
from studio.engine.compute.on_features import FeatureBatches, Lesson
from studio.engine.compute.optimizers import RateTable
from studio.engine.datasets.store import Store
from studio.engine.jobs.device_request import parse_device_request
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.plan import GRADIENT, TrainingPlan

_NOT_COMPILED = frozenset(
    {
        *("learning_rate", "schedule", "schedule_options", "warmup_percent", "seed", "shuffle"),
        *("validate_every", "checkpoint_every", "checkpoints_to_keep", "resume_every", "keep"),
        *("watch", "least_gain", "stop_patience", "plateau_patience", "plateau_factor"),
        *("runs_per_device", "measure_latency", "tensorboard", "mlflow"),
    }
)
"""Fields of a plan that no compiled step depends on; all others are a part of the key."""


@dataclass(slots=True)
class CompiledTraining:
    """A model ready to train.

    Attributes:
        network: The whole network.
        lesson: What learns, compiled, and from what.
        rates: The learning rates, which its optimizer follows.
    """

    network: keras.Model
    lesson: Lesson
    rates: RateTable


@dataclass(frozen=True, slots=True)
class _Compiled:
    """What outlives a run: nothing of its data, nor of its record."""

    key: str
    network: keras.Model
    model: keras.Model
    rates: RateTable
    parts: CompiledParts | None
    twin: keras.Model | None


class CompiledModels:
    """Keeps what the last run compiled, until another has begun."""

    def __init__(self) -> None:
        self._last: _Compiled | None = None

    def drop_unless(self, key: str) -> None:
        """Let go of a model that does not suit a run, before that run builds its own."""
        if self._last is not None and self._last.key != key:
            self.clear()

    def clear(self) -> None:
        """Let go of what is kept."""
        self._last = None

    def reused(self, key: str, new: CompiledTraining) -> CompiledTraining:
        """Put what was compiled before in the place of a new model, with the state of that.

        Args:
            key: Of the run that begins.
            new: Its own model: compiled, never called.

        Returns:
            The same where nothing suits. What is returned belongs to the run: nothing is kept
            while it trains.
        """
        last, self._last = self._last, None
        if last is None or last.key != key:
            return new
        ours, theirs = _state(new.lesson.model), _state(last.model)
        if [_form(each) for each in ours] != [_form(each) for each in theirs]:
            return new
        for variable, value in zip(theirs, ours, strict=True):
            variable.assign(value)
        last.rates.follow(new.rates)
        new.lesson.keeper.reuse(last.twin)
        if last.parts is not None:
            new.lesson.insights.reuse(last.parts)
        return CompiledTraining(last.network, replace(new.lesson, model=last.model), last.rates)

    def keep(self, key: str, used: CompiledTraining) -> None:
        """Keep what a run that ended well has compiled."""
        lesson = used.lesson
        # Features have a keeper that knows the network; their steps compile fast, too.
        if key and not isinstance(lesson.batches, FeatureBatches):
            self._last = _Compiled(
                key,
                used.network,
                lesson.model,
                used.rates,
                lesson.insights.compiled,
                lesson.keeper.twin,
            )
            _let_go_of_images()


def _state(model: keras.Model) -> list[keras.Variable]:
    """All that a run may begin with: weights, random generators, optimizer, learning rates."""
    return [*model.variables, *model.optimizer.variables]


def _let_go_of_images() -> None:
    """Drop the functions that read the images of validations, which are over.

    TensorFlow keeps them in the graph around all others, and each compiled step keeps that.
    """
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf  # noqa: PLC0415 - it is the backend

        graph = tf.compat.v1.get_default_graph()
        getattr(graph, "_py_funcs_used_in_graph", []).clear()


def _form(variable: keras.Variable) -> tuple[object, ...]:
    return tuple(variable.shape), str(variable.dtype), bool(variable.trainable)


COMPILED = CompiledModels()
"""Of this process."""


def reuse_key(plan: TrainingPlan, store: Store, spec: NetworkSpec) -> str:
    """Return what is equal for runs whose compiled steps are equal; empty where none may be."""
    # PyTorch compiles nothing. What several devices share is bound to where it was made.
    if plan.backend == "torch" or parse_device_request(plan.device).count > 1:
        return ""
    if plan.head_solver != GRADIENT:
        return ""
    asked = plan.model_dump(mode="json", exclude=set(_NOT_COMPILED))
    data = [str(store.path), store.created, store.version]
    text = json.dumps([asked, data, spec.to_json()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
