"""Learning rates of their own for the layers of a network.

Measured against the alternatives of Keras (`OptimizerMap`, `MultiOptimizer`): those find their
variables by path, and paths change when a model is loaded again; layers stay who they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import keras

from studio.engine.compute.layers import node_of
from studio.engine.networks.spec import NetworkSpec


class LayerRates:
    """Put in front of an optimizer of Keras: every variable has a factor of its own.

    It acts on the step and on weight decay, which is a part of the step. A factor of 1 gives
    the same bits as the optimizer alone; 0 leaves a variable where it is.

    Attributes:
        multipliers: Factor of each trainable variable of the model, in its order; None for 1.
    """

    multipliers: Sequence[float] | None = None

    # What the optimizer behind it has, said for the type checker alone.
    learning_rate: Any
    weight_decay: float | None
    _get_variable_index: Callable[[Any], int]
    _use_weight_decay: Callable[[Any], bool]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:  # noqa: ANN401
        """Move a variable; tensors are of whatever backend."""
        rate = learning_rate * self._multiplier(variable)
        super().update_step(gradient, variable, rate)  # type: ignore[misc]  # a mixin

    def _apply_weight_decay(self, variables: Sequence[Any]) -> None:
        # Keras has no hook for the rate of one variable, so this says its formula once more.
        if self.weight_decay is None:
            return
        for variable in variables:
            if self._use_weight_decay(variable):
                rate = keras.ops.cast(self.learning_rate, variable.dtype)
                decay = keras.ops.cast(self.weight_decay, variable.dtype)
                factor = self._multiplier(variable)
                variable.assign(variable - variable * decay * rate * factor)

    # Not `_m`: Adamax has something of that name.
    def _multiplier(self, variable: Any) -> float:  # noqa: ANN401
        if self.multipliers is None:
            return 1.0
        return self.multipliers[self._get_variable_index(variable)]


def multipliers_of(model: keras.Model, spec: NetworkSpec) -> list[float] | None:
    """The factor of every trainable variable of a network that was built from a description.

    Returns:
        Factors in the order of `model.trainable_variables`; None when all are 1, so that the
        optimizer can be the plain one, which PyTorch runs faster.
    """
    rates = {node.id: node.rate for node in spec.nodes}
    by_variable = {
        id(variable): rates[node_of(layer)]
        for layer in model.layers
        for variable in layer.trainable_variables
    }
    factors = [by_variable[id(variable)] for variable in model.trainable_variables]
    return None if all(factor == 1 for factor in factors) else factors


def with_multipliers(optimizer: type[Any], factors: Sequence[float]) -> type[Any]:
    """A kind of optimizer of Keras with a factor for every variable."""
    members = {"multipliers": tuple(factors)}
    return type(f"{optimizer.__name__}WithLayerRates", (LayerRates, optimizer), members)
