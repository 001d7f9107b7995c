"""The training loop: threads prepare batches ahead of Keras' training step.

`keras.Model.fit` was used before. It prefetches without reporting the waiting time, takes
the order of an epoch from a callback, and wraps the error of a damaged image in another.
Measured side by side on two cores with Keras 3.15 (LeNet, 28x28, batches of 64): the weights are
the same bit for bit, and an epoch takes 1.3 s instead of 1.8 to 2.4 s with TensorFlow, whose `fit`
brings every batch through a generator of `tf.data`; with JAX both take 4.3 s.
"""

from __future__ import annotations

import contextlib
import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import keras
import numpy as np

from studio.engine.compute.meters import Stopwatch
from studio.engine.compute.pipeline import Batch, SplitBatches
from studio.engine.compute.tasks.learning import TRAINING_STEPS

AHEAD = 4
"""Batches for each thread, and calls, that are made before they are needed."""


class Follower:
    """Hears how training goes.

    Attributes:
        stops_now: Ends training after the call.
        is_over: Ends training after the epoch.
    """

    stops_now = False
    is_over = False

    def epoch_began(self, epoch: int) -> None:
        """Handle the start of an epoch, counted from 0; its metrics are reset."""

    def call_ended(self, done: int, logs: dict[str, float]) -> None:
        """Handle the end of a call.

        Args:
            done: Batches of the epoch that are done.
            logs: Running means of the epoch, by the names that Keras gives them.
        """

    def epoch_ended(self, epoch: int, logs: dict[str, float]) -> None:
        """Receive the end of an epoch.

        Args:
            epoch: Number of the epoch, from 1.
            logs: Means reported by the last call.
        """


class Loop:
    """Trains a compiled model.

    Args:
        model: Compiled; `steps_per_execution` steps are done in a call.
        batches: Training batches.
        stopwatch: Measures waiting and computing.

    Attributes:
        ahead: Batches that may be ready before the first call ends.
    """

    def __init__(
        self, model: keras.Model, batches: SplitBatches, stopwatch: Stopwatch | None = None
    ) -> None:
        self._model = model
        self._batches = batches
        self._stopwatch = stopwatch or Stopwatch()
        self._steps = model.steps_per_execution
        self._calls = _CALLS[keras.backend.backend()](model)
        self.ahead = AHEAD * max(batches.workers, self._steps)

    def train(self, follower: Follower, first: int, after: int, skipped: int = 0) -> None:
        """Train epoch by epoch.

        Args:
            follower: Receives all results and decides when to stop.
            first: The first epoch, counted from 0.
            after: The first epoch that is no longer trained.
            skipped: Batches of the first epoch that are done already.

        Raises:
            BadDataError: An image of the dataset is damaged.
        """
        for epoch in range(first, after):
            self._batches.set_epoch(epoch)
            self._model.reset_metrics()
            follower.epoch_began(epoch)
            logs = self._epoch(follower, skipped)
            if follower.stops_now:
                return
            follower.epoch_ended(epoch, logs)
            if follower.is_over:
                return
            skipped = 0

    def _epoch(self, follower: Follower, done: int) -> dict[str, float]:
        logs: dict[str, float] = {}
        self._calls.begin()
        try:
            made = _made_ahead(self._batches, done, self.ahead, self._calls.prepared)
            with contextlib.closing(made):
                groups = _groups(made, self._steps)
                while True:
                    with self._stopwatch.doing("waiting"):
                        group = next(groups, None)
                    if group is None:
                        return logs
                    with self._stopwatch.doing("computing"), TRAINING_STEPS.running():
                        found = self._calls(group)
                        # Reading the numbers waits for the device.
                        logs = {name: float(value) for name, value in found.items()}
                    done += len(group)
                    follower.call_ended(done, logs)
                    if follower.stops_now:
                        return logs
        finally:
            self._calls.end()


def _made_ahead(
    batches: SplitBatches, first: int, ahead: int, prepared: Callable[[Batch], Batch]
) -> Generator[Batch]:
    """Make the batches of an epoch in threads; they come in order, and the next is prepared."""
    numbers = iter(range(first, len(batches)))
    with ThreadPoolExecutor(batches.workers, "batches") as pool:
        waiting: deque[Future[Batch]] = deque()

        def ask(count: int) -> None:
            for number in itertools.islice(numbers, count):
                waiting.append(pool.submit(batches.__getitem__, number))

        ask(ahead)
        following: Batch | None = None
        try:
            while waiting or following is not None:
                batch = following or prepared(waiting.popleft().result())
                ready = bool(waiting) and waiting[0].done()
                following = prepared(waiting.popleft().result()) if ready else None
                ask(ahead - len(waiting))
                yield batch
        finally:
            for each in waiting:
                each.cancel()


def _groups(batches: Iterable[Batch], size: int) -> Generator[list[Batch]]:
    """Yield batches in groups of up to `size`; a batch of another size forms its own group."""
    group: list[Batch] = []
    for batch in batches:
        if group and len(batch[1]) != len(group[0][1]):
            yield group
            group = []
        group.append(batch)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


class _Calls:
    """Calls the training step of a backend, one step per batch."""

    def __init__(self, model: keras.Model) -> None:
        self._model = model
        model.make_train_function()

    def prepared(self, batch: Batch) -> Batch:
        """Start copying a batch to the device, asynchronously where the backend can."""
        return batch

    def begin(self) -> None:
        """Before an epoch."""

    def __call__(self, group: list[Batch]) -> dict[str, Any]:
        raise NotImplementedError

    def end(self) -> None:
        """After an epoch, or when it was interrupted."""


class _TensorFlowCalls(_Calls):
    """Several steps are done in one call of a graph, since each call costs about a millisecond."""

    def __init__(self, model: keras.Model) -> None:
        self._model = model

    def __call__(self, group: list[Batch]) -> dict[str, Any]:
        if self._model.train_function is None:  # as it is after `compile`
            self._model.train_function = self._functions(group[0])
        one, many = self._model.train_function
        if len(group) == 1:
            return dict(one(keras.tree.map_structure(keras.ops.convert_to_tensor, group[0])))
        return dict(many(keras.tree.map_structure(lambda *each: np.stack(each), *group)))

    def _functions(self, batch: Batch) -> tuple[Callable[..., Any], Callable[..., Any]]:
        import tensorflow as tf  # noqa: PLC0415 - it is the backend

        # Sizes of batches stay open, or the last and smaller one would be traced again.
        def signature(*open_axes: None) -> Any:  # noqa: ANN401
            return keras.tree.map_structure(
                lambda array: tf.TensorSpec((*open_axes, *array.shape[1:]), array.dtype), batch
            )

        step = tf.function(
            self._model.train_step,
            input_signature=[signature(None)],
            jit_compile=self._model.jit_compile,
            autograph=False,
        )

        def steps(data: Any) -> Any:  # noqa: ANN401
            def at(position: Any) -> Any:  # noqa: ANN401
                return keras.tree.map_structure(lambda array: array[position], data)

            count = tf.shape(keras.tree.flatten(data)[0])[0]
            return tf.while_loop(
                lambda position, _: position < count,
                lambda position, _: (position + 1, step(at(position))),
                [1, step(at(0))],
            )[1]

        several = tf.function(steps, input_signature=[signature(None, None)], autograph=False)
        return step, several


class _JaxCalls(_Calls):
    """The state of training is handed from call to call, as in `fit` of Keras 3.15."""

    def __init__(self, model: keras.Model) -> None:
        import jax  # noqa: PLC0415 - it is the backend

        super().__init__(model)
        self._state: Any = None
        is_shared = keras.distribution.distribution() is not None
        self._put = None if is_shared or jax.default_backend() == "cpu" else jax.device_put

    def prepared(self, batch: Batch) -> Batch:
        """Begin to copy a batch to an accelerator."""
        return batch if self._put is None else self._put(batch)

    def begin(self) -> None:
        """Do nothing: variables hold the state."""
        self._model._jax_state_synced = True  # noqa: SLF001 - as `fit` does

    def __call__(self, group: list[Batch]) -> dict[str, Any]:
        model = self._model
        if model._jax_state_synced:  # noqa: SLF001
            # Whatever used the model in between has copied the state into its variables.
            asked = dict.fromkeys(_STATE, True)
            self._state = model._get_jax_state(**asked, purge_model_variables=True)  # noqa: SLF001
            model._jax_state_synced = False  # noqa: SLF001
        logs, self._state = model.train_function(self._state, iter(group))
        model._jax_state = dict(zip(_STATE, self._state, strict=True))  # noqa: SLF001
        return dict(logs)

    def end(self) -> None:
        """Give the variables of the model the state."""
        self._model.jax_state_sync()


class _TorchCalls(_Calls):
    """One step a call."""

    def begin(self) -> None:
        """Put layers of PyTorch inside the model into training mode."""
        self._model.train()

    def __call__(self, group: list[Batch]) -> dict[str, Any]:
        return dict(self._model.train_function(group))

    def end(self) -> None:
        """Put layers of PyTorch inside the model into evaluation mode."""
        self._model.eval()


_STATE = (
    "trainable_variables",
    "non_trainable_variables",
    "optimizer_variables",
    "metrics_variables",
)
_CALLS: dict[str, type[_Calls]] = {
    "tensorflow": _TensorFlowCalls,
    "jax": _JaxCalls,
    "torch": _TorchCalls,
}
