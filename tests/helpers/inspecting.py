"""A network that must build, as Keras finds it. Imports Keras: choose its backend before."""

from __future__ import annotations

import keras
import numpy as np

from studio.engine.compute.build import build
from studio.engine.compute.inspection import examine
from studio.engine.errors import StudioError, raise_if_serious
from studio.engine.networks.checks import check
from studio.engine.networks.code import keras_code
from studio.engine.networks.spec import NetworkReport, NetworkSpec


def inspect(spec: NetworkSpec) -> NetworkReport:
    """Shapes, weights and cost of every layer that the output depends on, as Keras finds them.

    Raises:
        StudioError: As for `build`.
    """
    raise_if_serious(check(spec))
    found = examine(spec)
    for problem in found.problems:
        if problem.serious:
            raise StudioError(problem.message, problem.hint, problem.node)
    layers = tuple(layer for layer in found.network.layers if layer.used)
    return found.network.model_copy(update={"layers": layers})


def built_both_ways(spec: NetworkSpec) -> tuple[keras.Model, keras.Model]:
    """Return a network as Studio builds it and as its code does; both answer the same."""
    model = build(spec, seed=0)
    names: dict[str, object] = {}

    exec(compile(keras_code(spec), "network.py", "exec"), names)

    other = names["model"]
    assert isinstance(other, keras.Model)
    other.set_weights(model.get_weights())
    size = spec.input
    images = np.random.default_rng(0).integers(
        0, 256, (1, size.height, size.width, size.channels), np.uint8
    )
    assert np.allclose(model(images, training=False), other(images, training=False), atol=1e-5)
    return model, other
