"""The private names of Keras 3.15 that Studio uses, each with the reason why no public one does.

The tests of `compute` call each of them, so that a new version of Keras that changes one of them
is noticed.
"""
# ruff: noqa: SLF001 - this module exists to use them

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import h5py
import keras
from keras.src.applications.convnext import LayerScale
from keras.src.applications.inception_resnet_v2 import CustomScaleLayer
from keras.src.backend.common import global_state
from keras.src.legacy.saving import legacy_h5_format, saving_options, saving_utils
from keras.src.utils import file_utils, module_utils

UNLISTED_LAYERS = {"LayerScale": LayerScale, "CustomScaleLayer": CustomScaleLayer}
"""Layers of ConvNeXt and Inception-ResNet, which come with Keras and are in no list of layers."""

_WAITING = "uninitialized_variables"


def hide_tensorflow() -> None:
    """Let Keras not load TensorFlow where another backend computes.

    It does, where TensorFlow is installed, as soon as it describes a layer, to see whether
    something is a tensor of it: 3 s and 600 MB. Seeding would load it, too.
    """
    module_utils.tensorflow._available = False


@contextmanager
def without_values() -> Iterator[None]:
    """Create the weights of layers in the block with shapes but without values.

    Keras keeps a list of the weights that it would fill later, and here it forgets them.
    """
    before = list(global_state.get_global_attribute(_WAITING) or [])
    try:
        with keras.StatelessScope(initialize_variables=False):
            yield
    finally:
        global_state.set_global_attribute(_WAITING, before)


@contextmanager
def replaced_downloads(get_file: Callable[..., Any]) -> Iterator[None]:
    """Let Keras call another function in the block where it would download a file.

    Args:
        get_file: Takes the arguments of `keras.utils.get_file`.
    """
    usual = file_utils.get_file
    file_utils.get_file = get_file
    try:
        yield
    finally:
        file_utils.get_file = usual


def legacy_model(config: dict[str, Any]) -> Any:  # noqa: ANN401 - of any class
    """Make the model of the configuration in a `.h5` file; Keras reads such files only whole."""
    with saving_options.keras_option_scope(use_legacy_config=True):
        return saving_utils.model_from_config(config)


def load_legacy_weights(group: h5py.Group, model: keras.Model) -> None:
    """Fill a model with the weights in a group of a `.h5` file.

    Args:
        group: The group "model_weights".
        model: The model.
    """
    legacy_h5_format.load_weights_from_hdf5_group(group, model)


def source_of(tensor: keras.KerasTensor) -> tuple[Any, Any] | None:
    """Return the operation that computes a symbolic tensor, and its node; None for no source."""
    history = getattr(tensor, "_keras_history", None)
    if history is None:
        return None
    return history.operation, history.operation._inbound_nodes[history.node_index]


def nodes_of(operation: Any) -> list[Any]:  # noqa: ANN401 - a layer or an operation
    """Return the nodes at which an operation is called, in order."""
    return list(operation._inbound_nodes)


def takes_training(operation: Any) -> bool:  # noqa: ANN401 - a layer or an operation
    """Return True for a layer that behaves differently in training."""
    return "training" in getattr(operation, "_call_context_args", {})


def run_graph(model: keras.Model, tensors: Any, operation_fn: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    """Compute a functional model, with another function in place of each operation.

    Args:
        model: The model.
        tensors: Its inputs.
        operation_fn: Returns what is called in place of an operation.
    """
    return model._run_through_graph(tensors, operation_fn=operation_fn)


def all_layers(model: keras.Model) -> list[keras.Layer]:
    """Return all layers of a model, also those inside of others."""
    return list(model._flatten_layers())


def build_symbolically(model: keras.Model, batch: Any) -> None:  # noqa: ANN401 - a tree of arrays
    """Create the variables of the metrics from the shapes of a batch, as `fit` does.

    Args:
        model: A compiled model.
        batch: Images and targets.
    """
    model._symbolic_build(data_batch=batch)


def track(optimizer: keras.Optimizer, variable: keras.Variable) -> None:
    """Store a variable with the state of an optimizer.

    Args:
        optimizer: The optimizer.
        variable: The variable, of its learning rate.
    """
    optimizer._track_variable(variable)


def leave_gradients_as_they_are(optimizer: keras.Optimizer) -> None:
    """Let an optimizer of TensorFlow not sum gradients over devices."""
    optimizer._all_reduce_sum_gradients = list


def averages_of(optimizer: keras.Optimizer) -> tuple[list[keras.Variable], list[keras.Variable]]:
    """Return the variables that an optimizer averages, and their averages."""
    return list(optimizer._trainable_variables), list(optimizer._model_variables_moving_average)


class JaxState:
    """The state of a model in training on JAX, which is a value and not in the variables.

    Args:
        model: A compiled model.
    """

    _PARTS = (
        "trainable_variables",
        "non_trainable_variables",
        "optimizer_variables",
        "metrics_variables",
    )

    def __init__(self, model: keras.Model) -> None:
        self._model = model
        self._state: Any = None

    def is_in_variables(self) -> None:
        """Note that the variables hold the state, as at the beginning of `fit`."""
        self._model._jax_state_synced = True

    def current(self) -> Any:  # noqa: ANN401 - tuples of arrays
        """Return the state; it is read from the variables where something has used the model."""
        if self._model._jax_state_synced:
            parts = dict.fromkeys(self._PARTS, True)
            self._state = self._model._get_jax_state(**parts, purge_model_variables=True)
            self._model._jax_state_synced = False
        return self._state

    def replace(self, state: Any) -> None:  # noqa: ANN401 - tuples of arrays
        """Store the state after a call."""
        self._state = state
        self._model._jax_state = dict(zip(self._PARTS, state, strict=True))
