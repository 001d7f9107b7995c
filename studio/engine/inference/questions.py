"""The questions about networks and models that the engine host answers, one function each.

The future raises `StudioError` for what the user can put right; see `EngineHost.ask`.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from studio.engine.inference.explaining import ExplainAnswer, ExplainRequest
from studio.engine.jobs.host import EngineHost
from studio.engine.networks.pretrained.cache import WeightQuestion, WeightSource
from studio.engine.networks.report import (
    Examination,
    ReadModelRequest,
    ReadNetwork,
    WriteModelRequest,
    WrittenModel,
)
from studio.engine.networks.spec import NetworkSpec


def examine(host: EngineHost, spec: NetworkSpec) -> Future[Examination]:
    """What can be said of a drawing, finished or not; it is never too bad to be examined."""
    return host.ask("examine", spec, Examination)


def expand(host: EngineHost, spec: NetworkSpec) -> Future[NetworkSpec]:
    """The same network with the layers of its backbones as nodes."""
    return host.ask("expand", spec, NetworkSpec)


def read_model(host: EngineHost, path: Path) -> Future[ReadNetwork]:
    """The description of the model of a `.keras` or `.h5` file from anywhere."""
    return host.ask("read_model", ReadModelRequest(path=str(path)), ReadNetwork)


def write_model(
    host: EngineHost, spec: NetworkSpec, path: Path, seed: int = 0
) -> Future[WrittenModel]:
    """Build a network with new random weights and save it as a `.keras` file."""
    request = WriteModelRequest(spec=spec, path=str(path), seed=seed)
    return host.ask("write_model", request, WrittenModel)


def weight_source(host: EngineHost, name: str) -> Future[WeightSource]:
    """Where the ImageNet weights of a backbone are; `WeightCache.fetch` takes the answer."""
    return host.ask("weight_source", WeightQuestion(name=name), WeightSource)


def explain(
    host: EngineHost,
    request: ExplainRequest,
    listen: Callable[[ExplainAnswer], None] | None = None,
) -> ExplainAnswer:
    """What an answer depends on, all of it; blocks until then, other questions come in between.

    Args:
        host: Who is asked.
        request: The question.
        listen: Told each time more is known; what it raises ends the asking.

    Raises:
        StudioError: The user can put it right.
    """
    while True:
        given = host.ask("explain", request, ExplainAnswer).result()
        if listen is not None:
            listen(given)
        if given.is_complete:
            return given
