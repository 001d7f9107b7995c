"""Finds the network that a weights file belongs to, and rejects weights of another network.

Works without Keras: the shapes in the file are compared with those of `networks.layer_table`.
"""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from studio.engine.errors import Problem, StudioError
from studio.engine.messages import as_message, message
from studio.engine.networks.backbones import BACKBONES
from studio.engine.networks.catalog import backbone_of, layer_tables, shapes_key, size_of
from studio.engine.networks.fitting import head_of
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import zoo_name_of

COMPLETE = 0.95
"""Fraction of a network's weights below the head that its own file holds at least."""

MIN_FRACTION = 0.5
"""With a smaller fraction of the weights below the head, the file is of another network."""

HEAD_LAYERS = 3
"""Layers of the largest head, that of VGG, which holds most of its weights."""


@dataclass(frozen=True, slots=True)
class FileContents:
    """Contents of a weights file.

    Attributes:
        layers: Number of layers by the shapes of their weights, see `shapes_key`.
        network: Name of the network of the zoo that the weights belong to; empty if unknown.
    """

    layers: Counter[str]
    network: str


def weights_contents(path: Path) -> FileContents:
    """Read the layers in a weights file, and recognize its network.

    Raises:
        BadDataError: The file is missing, damaged, or has an unsupported layout.
    """
    try:
        status = path.stat()
    except OSError:
        return _contents(path, 0, 0)  # raises what is wrong with it
    return _contents(path, status.st_size, status.st_mtime_ns)


def network_of_weights(path: Path) -> str:
    """Return the name of the zoo's network that a weights file belongs to; empty if unknown.

    Raises:
        BadDataError: The file is missing, damaged, or of no layout that Studio reads.
    """
    return weights_contents(path).network


def require_network_of(path: Path) -> str:
    """Return the name of the zoo's network that a weights file belongs to.

    Raises:
        BadDataError: The file is missing, damaged, or of no layout that Studio reads.
        StudioError: The weights are of a network that Studio does not know.
    """
    network = network_of_weights(path)
    if not network:
        raise StudioError(
            "{file} contains the weights of an unknown network.",
            "Name the network too, for example squeezenet.",
            "network",
            file=path.name,
        )
    return network


def weights_problem(
    path: Path, network: str, design: NetworkSpec | None, spec: NetworkSpec
) -> Problem | None:
    """Compare a weights file with the network that it would fill.

    Args:
        path: The file, or the model file of a run.
        network: Name of the network in the plan.
        design: The drawn network; None for one of the zoo.
        spec: The network as it would be trained.

    Returns:
        None if the weights fit.
    """
    try:
        contents = weights_contents(path)
    except StudioError as error:
        return Problem("weights", error.message, error.hint)
    own = contents.network
    backbone = backbone_of(spec)
    if own in BACKBONES and backbone and not contents.layers:
        is_alike = BACKBONES[own].transformer == BACKBONES[backbone].transformer
        fraction = None if is_alike else 0.0
    else:
        fraction = _fraction(contents.layers, network, design, spec)
    if fraction is None or fraction >= MIN_FRACTION:
        return None
    if own:
        return Problem(
            "weights",
            message(
                "the weights in {file} belong to {other}, not to {network}.",
                file=path.name,
                other=as_message(ZOO[own].label),
                network=spec.name,
            ),
            message('Choose the network "{network}", or other weights.', network=own),
        )
    return Problem(
        "weights",
        message(
            "the weights in {file} fill {fraction:.0%} of {network}; at least "
            "{least:.0%} are needed.",
            file=path.name,
            fraction=fraction,
            network=spec.name,
            least=MIN_FRACTION,
        ),
        "Choose the network that these weights belong to, or other weights.",
    )


def _fraction(
    stored: Counter[str], network: str, design: NetworkSpec | None, spec: NetworkSpec
) -> float | None:
    """Fraction of the weights below the head that a file could fill; None if unknown."""
    backbone = backbone_of(spec)
    name = zoo_name_of(backbone) if backbone else network.partition(":")[0]
    table = layer_tables().get(name)
    has_options = ":" in network
    if (design is None or backbone) and not has_options and table is not None:
        return table.fraction_in(stored) if table.parameters else None
    return _fraction_of_drawing(stored, spec)


def _fraction_of_drawing(stored: Counter[str], spec: NetworkSpec) -> float | None:
    """Return the same for a drawing, by the kernels whose window and outputs it states."""
    head = head_of(spec)
    requested = Counter(
        (node.parameters.get("kernel"), node.parameters["filters"])
        for node in spec.nodes
        if node.layer == "conv2d" and node.id not in head
    )
    if not requested:
        return None
    there: Counter[tuple[object, object]] = Counter()
    for key, count in stored.items():
        sides = key.split()[0].split("x")
        if len(sides) == 4 and sides[0] == sides[1]:
            there[int(sides[0]), int(sides[3])] += count
    found = sum(min(count, there[kernel]) for kernel, count in requested.items())
    # Kernels do not count by their size here, so only what fits nowhere is rejected.
    return None if found else 0.0


@functools.lru_cache(maxsize=64)
def _contents(path: Path, size: int, modified: int) -> FileContents:
    """Read a file once as long as it stays the same; `size` and `modified` are the key."""
    del size, modified
    from studio.engine.training.transformer_files import (  # noqa: PLC0415 - needs h5py
        transformer_file,
    )
    from studio.engine.training.weight_files import open_weights  # noqa: PLC0415 - needs h5py

    transformer = transformer_file(path)
    if transformer is not None:
        backbone = transformer.backbone
        return FileContents(Counter(), "" if backbone is None else backbone.name)

    with open_weights(path) as file:
        layers = Counter(shapes_key(layer.shapes) for layer in file.layers)
        return FileContents(layers, _recognized(layers, is_own=file.is_own))


def _recognized(stored: Counter[str], *, is_own: bool) -> str:
    """Return the network whose weights are all there and that leaves the fewest unused."""
    total = sum(size_of(key) * count for key, count in stored.items())
    found: list[tuple[int, bool, str]] = []
    for name, table in layer_tables().items():
        if not ZOO[name].output.has_own_backbone:
            continue  # its backbone is that of another network
        if table.parameters and table.fraction_in(stored) >= COMPLETE:
            unused = abs(total - table.parameters)
            # Published files are of Keras' own networks, which differ from a drawing in details.
            is_drawn_backbone = zoo_name_of(name) != name
            found.append((unused, is_drawn_backbone != is_own, name))
    if not found:
        return ""
    unused, _, name = min(found)
    more = stored.total() - sum(layer_tables()[name].layers.values())
    # What is left over is a head; otherwise it is a larger network that holds these layers, too.
    return name if unused <= total // 2 or more <= HEAD_LAYERS else ""
