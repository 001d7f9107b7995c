"""TensorFlow under Keras."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import keras
import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from tensorflow.python.framework import convert_to_constants

from studio.engine.arrays import Pixels
from studio.engine.compute.backends import keras_internals
from studio.engine.compute.backends.interface import (
    Batch,
    GradientNorms,
    KerasBackend,
    Scalar,
    Tensor,
    TrainingCalls,
)
from studio.engine.compute.memory import MachineMeter, MemoryMeter, driver_memory
from studio.engine.jobs.devices import DeviceRequest


class TensorFlowBackend(KerasBackend):
    """TensorFlow; steps are graphs, of which one call may do several."""

    label = "TensorFlow"
    has_multi_step_calls = True
    needs_metrics_first = False
    grows_its_heap = True

    def prepare(
        self, deterministic: bool, seed: int, threads: int | None, device: DeviceRequest
    ) -> None:
        """Choose devices and threads; Keras has set the seed; see `KerasBackend.prepare`."""
        del seed
        gpus = tf.config.list_physical_devices("GPU")
        self.require_gpus(device, len(gpus))
        used = [] if device.kind == "cpu" else gpus[: device.count]
        tf.config.set_visible_devices(used, "GPU")
        for gpu in used:
            # By default TensorFlow takes all memory of the GPU, also from other programs.
            tf.config.experimental.set_memory_growth(gpu, True)
        if device.kind == "cpu" and device.count > 1:
            parts = [tf.config.LogicalDeviceConfiguration() for _ in range(device.count)]
            cpu = tf.config.list_physical_devices("CPU")[0]
            tf.config.set_logical_device_configuration(cpu, parts)
        if threads is not None:
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            tf.config.threading.set_inter_op_parallelism_threads(min(threads, 2))
        if deterministic:
            tf.config.experimental.enable_op_determinism()

    def training_calls(self, model: keras.Model) -> TrainingCalls:
        """Return calls of a graph that does several steps."""
        return _Calls(model)

    def gradient(self, function: Scalar, position: Tensor) -> Tensor | None:
        """Return the gradient of a function at a tensor; see `KerasBackend.gradient`."""
        # Another tensor, by which `forward` sees what depends on it.
        watched = tf.identity(position)
        with tf.GradientTape() as tape:
            tape.watch(watched)
            value = function(watched)
        return tape.gradient(value, watched)

    def gradient_norms(self, model: keras.Model, scale: float) -> GradientNorms:
        """Return a function that measures the gradients of the loss.

        See `KerasBackend.gradient_norms`.
        """

        def norms(images: Tensor, targets: Tensor) -> Tensor:
            with tf.GradientTape() as tape:
                outputs = model(images, training=False)
                loss = model.compute_loss(images, targets, outputs, training=False) * scale
            gradients = tape.gradient(loss, model.trainable_variables)
            nothing = tf.constant(float("nan"))
            return tf.stack(
                [
                    nothing if each is None else tf.norm(tf.convert_to_tensor(each))
                    for each in gradients
                ]
            )

        # One trace for the whole run; without it every look takes about twice as long.
        compiled = tf.function(norms, autograph=False)

        def measure(images: NDArray[Any], targets: Any) -> list[Any]:  # noqa: ANN401 - a tree
            return list(compiled(images, targets).numpy())

        return measure

    def memory_meter(self) -> MemoryMeter | None:
        """Return the meter of the first GPU, or of the machine."""
        return TensorFlowMemory() if tf.config.list_logical_devices("GPU") else MachineMeter()

    def gpu_names(self) -> list[str]:
        """Return the names of the GPUs."""
        details = tf.config.experimental.get_device_details
        gpus = tf.config.get_visible_devices("GPU")
        return [str(details(gpu).get("device_name", gpu.name)) for gpu in gpus]

    def wait_for(self, tensors: Any) -> None:  # noqa: ANN401 - a tree of tensors
        """Return once all devices have finished their work."""
        del tensors
        tf.test.experimental.sync_devices()

    def compute_exactly(self) -> None:
        """Turn TensorFloat-32 off."""
        tf.config.experimental.enable_tensor_float_32_execution(False)

    def device_names(self, device: DeviceRequest) -> list[str]:
        """Return names of logical devices."""
        devices = tf.config.list_logical_devices(device.kind.upper())
        return [each.name for each in devices[: device.count]]

    def share(self, network: keras.Model, devices: Sequence[str]) -> None:
        """Turn XLA off, which compiles for one device, and slow the running statistics.

        See `KerasBackend.share`. Statistics move once for each part, so each time by that much
        less: `count` moves with momentum m^(1/count) forget as much as one with m.
        """
        network.supports_jit = False
        for layer in network.layers:
            if isinstance(layer, keras.layers.BatchNormalization):
                layer.momentum = layer.momentum ** (1 / len(devices))

    def call_in_parts(
        self,
        call: Callable[..., Any],
        images: Tensor,
        devices: Sequence[str],
        training: bool | None,
    ) -> Any:  # noqa: ANN401 - a tree of tensors
        """Compute a part on each device; parts are equal, so those of small batches overlap.

        See `KerasBackend.call_in_parts`.
        """
        count = tf.shape(images)[0]
        size = -(-count // len(devices))
        parts = []
        for index, device in enumerate(devices):
            first = index * size
            start = tf.minimum(first, count - size)
            with tf.device(device):
                outputs = call(images[start : start + size], training=training)
                parts.append(_without_rows(outputs, first - start))
        return keras.tree.map_structure(lambda *each: tf.concat(each, axis=0), *parts)

    def constant_function(
        self, model: keras.Model, dtype: np.dtype[Any]
    ) -> Callable[[Pixels], list[NDArray[np.float32]]] | None:
        """Return a graph of one picture that reads no variables.

        See `KerasBackend.constant_function`.
        """
        traced = tf.function(partial(model, training=False)).get_concrete_function(
            tf.TensorSpec((1, *model.input_shape[1:]), tf.as_dtype(dtype))
        )
        constant = convert_to_constants.convert_variables_to_constants_v2(traced)

        def scored(pixels: Pixels) -> list[NDArray[np.float32]]:
            outputs = constant(tf.constant(pixels))
            every = outputs if isinstance(outputs, list | tuple) else (outputs,)
            return [np.asarray(each, dtype=np.float32) for each in every]

        return scored

    def adapt_optimizer(self, optimizer: keras.Optimizer) -> None:
        """Leave the sum of gradients over devices out.

        Batches are shared inside the network (see `distribution`), so there is one gradient. To
        sum it, TensorFlow would register a custom gradient, which keeps its graph for ever: 4 MB
        for each run of a process.
        """
        keras_internals.leave_gradients_as_they_are(optimizer)

    def forget_functions(self) -> None:
        """Clear the functions that the outermost graph keeps, and with it each compiled step."""
        graph = tf.compat.v1.get_default_graph()
        getattr(graph, "_py_funcs_used_in_graph", []).clear()


class _Calls(TrainingCalls):
    """Several steps are done in one call of a graph, since each call costs about a millisecond."""

    def __call__(self, group: list[Batch]) -> dict[str, Any]:
        if self._model.train_function is None:  # as it is after `compile`
            self._model.train_function = self._functions(group[0])
        one, many = self._model.train_function
        if len(group) == 1:
            return dict(one(keras.tree.map_structure(keras.ops.convert_to_tensor, group[0])))
        return dict(many(keras.tree.map_structure(lambda *each: np.stack(each), *group)))

    def _functions(self, batch: Batch) -> tuple[Callable[..., Any], Callable[..., Any]]:
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


class TensorFlowMemory:
    """TensorFlow's account of its first GPU."""

    device: Literal["machine", "gpu"] = "gpu"

    def begin(self) -> int:
        """Forget earlier peaks; bytes in use now."""
        tf.config.experimental.reset_memory_stats("GPU:0")
        return self._figure("current")

    def peak(self) -> int:
        """Return the peak memory since `begin` in bytes."""
        return self._figure("peak")

    def free(self) -> int | None:
        """Return the bytes available to this process, from the driver, not from TensorFlow."""
        memory = driver_memory()
        return None if memory is None else memory[0] + self._figure("current")

    def total(self) -> int | None:
        """Return bytes of the GPU."""
        memory = driver_memory()
        return None if memory is None else memory[1]

    def _figure(self, name: str) -> int:
        return int(tf.config.experimental.get_memory_info("GPU:0")[name])


def _without_rows(outputs: Any, count: Tensor) -> Any:  # noqa: ANN401 - a tree of tensors
    """Drop the first rows: where parts overlap, the one before has computed them already."""
    return keras.tree.map_structure(lambda tensor: tensor[count:], outputs)


BACKEND = TensorFlowBackend()
