"""`studio networks inspect`: every layer of a network, with its cost; and how one is named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from studio.cli.verb import Session, Verb, argument
from studio.engine.errors import Problem, StudioError, raise_if_serious
from studio.engine.files import user_path
from studio.engine.inference.requests import examine, read_model
from studio.engine.jobs.host import EngineHost
from studio.engine.networks.fitting import fitted
from studio.engine.networks.library import is_export, read_export, read_network, resolve
from studio.engine.networks.spec import Examination, LayerReport, NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.training.model_format import is_model

_USUAL_CLASSES = 10
_SIZE = re.compile(r"(\d+)[x×](\d+)(?:[x×](\d+))?")


network_options = (
    argument(
        "name",
        metavar="NAME|FILE",
        help="built-in or saved network, or a .json, .keras or .h5 file",
    ),
    argument(
        "--size",
        metavar="HxWxC",
        help="height, width and channels of the images [the network's default]",
    ),
    argument("--classes", type=int, metavar="K", help="number of classes"),
)


@contextmanager
def engine(session: Session, title: str) -> Iterator[EngineHost]:
    """Start an engine host, so that this process need not import Keras.

    Args:
        session: The command in progress.
        title: Title of the progress bar.
    """
    host = EngineHost()
    try:
        with session.output.bar(title):
            yield host
    finally:
        host.close()


def named_network(session: Session, host: EngineHost) -> NetworkSpec:
    """Return the network named by the options, for their images and classes.

    Args:
        session: The command in progress.
        host: The engine host.

    Raises:
        StudioError: It does not exist, its file cannot be read, or it does not support such
            images.
    """
    text, classes = session.options.name, session.options.classes
    shape = _size(session.options.size) if session.options.size else None
    if text in ZOO:
        network = ZOO[text]
        published = network.published
        usual = network.default_input if published is None else published.at
        counted = _USUAL_CLASSES if published is None else published.classes
        return network.build(shape or usual, counted if classes is None else classes)
    spec = own_network(session, text, host)
    size = spec.input
    own = (size.height, size.width, size.channels)
    if shape in (None, own) and classes in (None, spec.classes):
        return spec
    return fitted(spec, shape or own, spec.classes if classes is None else classes)


def own_network(session: Session, text: str, host: EngineHost) -> NetworkSpec:
    """Return a saved network or one from a file; notes report changes made on import.

    Args:
        session: The command in progress.
        text: Name or path.
        host: The engine host.

    Raises:
        StudioError: It does not exist, or its file cannot be read.
    """
    path = user_path(text)
    if is_export(path):
        return read_export(path).spec
    if is_model(path):
        read = read_model(host, path.absolute()).result()
        for note in read.notes:
            session.output.note(f"Note: {note}")
        return read.spec
    if path.suffix.lower() == ".json":
        return read_network(path)
    choice = resolve(session.workspace, text)
    if choice.design is None:
        raise StudioError(f'"{text}" is a network of the zoo in one place and not in another.')
    return choice.design


def _size(text: str) -> tuple[int, int, int]:
    found = _SIZE.fullmatch(text.strip().lower())
    if found is None:
        raise StudioError(
            f'--size takes height x width x channels; received "{text}".',
            "For example 224x224x3.",
            "size",
        )
    height, width, channels = found.groups(default="3")
    return int(height), int(width), int(channels)


def _inspect(session: Session) -> object:
    with engine(session, "Inspecting the network") as host:
        spec = named_network(session, host)
        found = examine(host, spec).result()
    raise_if_serious(
        Problem(problem.node, problem.message, problem.hint, problem.serious)
        for problem in found.problems
    )
    _print(session, found)
    return found.network.to_data()


def _print(session: Session, found: Examination) -> None:
    network, output = found.network, session.output
    output.table(
        ["layer", "kind", "output", "weights", "multiply-adds", "sees"],
        [_row(layer) for layer in network.layers if layer.used],
    )
    size = "x".join("?" if side is None else str(side) for side in network.input_shape)
    output.say("")
    output.say(
        f"{network.name} for {size} and {network.classes:,} classes: "
        f"{network.parameters:,} weights, of which {network.trainable:,} are trained; "
        f"{network.multiply_adds:,} multiply-adds and {network.memory / 1000:,.0f} kB of "
        "values per image"
    )
    for problem in found.problems:
        output.note(f"Note: {problem.node}: {problem.message} {problem.hint}".rstrip())


def _row(layer: LayerReport) -> list[str]:
    height, width = layer.receptive_field
    return [
        layer.name,
        layer.type,
        "x".join("?" if side is None else str(side) for side in layer.output_shape),
        f"{layer.parameters:,}",
        f"{layer.multiply_adds:,}",
        f"{height}x{width}",
    ]


INSPECT = Verb(
    "inspect",
    "show shapes, weights, multiply-adds and receptive fields of every layer",
    network_options,
    _inspect,
)
