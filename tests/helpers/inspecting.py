"""A network that must build, as Keras finds it. Imports Keras: choose its backend before."""

from __future__ import annotations

from studio.engine.compute.inspection import examine
from studio.engine.errors import StudioError, raise_if_serious
from studio.engine.networks.checks import check
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
