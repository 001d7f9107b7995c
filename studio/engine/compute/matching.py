"""Which stored weights are those of which layer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import keras

from studio.engine.training.weight_files import StoredLayer

_MADE_UP = re.compile(
    r"(separable_|depthwise_)?conv(_)?[123]d(_transpose)?(_\d+)?|(batch|layer|group|unit)?_?"
    r"normalization(_\d+)?|dense(_\d+)?|lstm(_\d+)?|gru(_\d+)?|embedding(_\d+)?|layer(_\d+)?"
)
"""Names that Keras makes up: they tell when a layer was made, not where it is."""

OTHER_SHAPE = "the weights of that name have another shape"
NOT_FOUND = "there are no weights of that name or place"
NOT_NEEDED = "nothing takes it"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A layer that looks for its weights.

    Attributes:
        name: Its name in the model.
        short: Its name inside a backbone; the same elsewhere.
        key: Its kind and number among those of its kind, as Keras 3 addresses it in files.
        shapes: Shape of each of its weights.
        layer: The layer itself.
    """

    name: str
    short: str
    key: str
    shapes: tuple[tuple[int, ...], ...]
    layer: keras.Layer

    @property
    def size(self) -> int:
        """How many weights it has."""
        return sum(math.prod(shape) for shape in self.shapes)


@dataclass(slots=True)
class Match:
    """Who found what; reasons by name for the others."""

    pairs: list[tuple[Wanted, StoredLayer]] = field(default_factory=list)
    random: dict[str, str] = field(default_factory=dict)
    unused: dict[str, str] = field(default_factory=dict)


def match(
    wanted: Sequence[Wanted],
    stored: Sequence[StoredLayer],
    *,
    is_ordered: bool,
    is_own: bool = False,
    in_order: bool = False,
) -> Match:
    """Find the weights of every layer.

    First by name, then by order and shape within what is left. Names that look as if Keras had
    made them up count only in files of our own, or if all layers find weights by name.

    Args:
        wanted: The layers, in the order of the network.
        stored: What there is.
        is_ordered: Whether that is in the order of its network; otherwise Keras' numbers tell.
        is_own: Studio wrote them, and so all names mean something.
        in_order: The weights are known to be of this very network: names say nothing.
    """
    useful = [layer for layer in stored if not _is_preprocessing(layer)]
    if in_order and [layer.shapes for layer in useful] == [layer.shapes for layer in wanted]:
        result = Match(list(zip(wanted, useful, strict=True)))
    else:
        result = _by_name(wanted, useful, made_up=True)
        if not is_own and len(result.pairs) < len(wanted):
            result = _by_name(wanted, useful, made_up=False)
        (_by_order if is_ordered else _by_key)(result, wanted, useful)
    taken = {id(layer) for _, layer in result.pairs}
    done = {layer.name for layer, _ in result.pairs}
    for layer in wanted:
        if layer.name not in done:
            result.random.setdefault(layer.name, NOT_FOUND)
    for each in stored:
        if id(each) not in taken:
            result.unused.setdefault(each.name or each.key, NOT_NEEDED)
    return result


def keys_of(model: keras.Model) -> dict[str, str]:
    """How Keras 3 addresses each layer of a model in a file of weights, by the layer's name."""
    counts: dict[str, int] = {}
    keys = {}
    for layer in model.layers:
        kind = _snake_case(type(layer).__name__)
        number = counts.get(kind, 0)
        counts[kind] = number + 1
        keys[layer.name] = f"{kind}_{number}" if number else kind
    return keys


def _by_name(wanted: Sequence[Wanted], stored: Sequence[StoredLayer], *, made_up: bool) -> Match:
    names: dict[str, list[StoredLayer]] = {}
    for each in stored:
        if each.name and (made_up or not _MADE_UP.fullmatch(each.name)):
            names.setdefault(_plain(each.name), []).append(each)
    result = Match()
    for layer in wanted:
        found = names.get(_plain(layer.name)) or names.get(_plain(layer.short)) or []
        if len(found) != 1:
            continue
        if found[0].shapes == layer.shapes:
            result.pairs.append((layer, found[0]))
        else:
            result.random[layer.name] = OTHER_SHAPE
            result.unused[found[0].name] = OTHER_SHAPE
    return result


def _by_order(result: Match, wanted: Sequence[Wanted], stored: Sequence[StoredLayer]) -> None:
    """From the images on, as long as the shapes agree; whatever follows is another network."""
    for layer, each in zip(*_left(result, wanted, stored), strict=False):
        if layer.shapes != each.shapes:
            break
        result.pairs.append((layer, each))


def _by_key(result: Match, wanted: Sequence[Wanted], stored: Sequence[StoredLayer]) -> None:
    layers, rest = _left(result, wanted, stored)
    keys: dict[str, list[StoredLayer]] = {}
    for each in rest:
        keys.setdefault(each.key, []).append(each)
    for layer in layers:
        found = keys.get(layer.key, [])
        if len(found) == 1 and found[0].shapes == layer.shapes:
            result.pairs.append((layer, found[0]))


def _left(
    result: Match, wanted: Iterable[Wanted], stored: Iterable[StoredLayer]
) -> tuple[list[Wanted], list[StoredLayer]]:
    taken = {id(each) for _, each in result.pairs}
    done = {layer.name for layer, _ in result.pairs} | result.random.keys()
    return (
        [layer for layer in wanted if layer.name not in done],
        [each for each in stored if id(each) not in taken and each.name not in result.unused],
    )


def _is_preprocessing(layer: StoredLayer) -> bool:
    return (layer.name or layer.key).rstrip("_0123456789") == "normalization"


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def _snake_case(name: str) -> str:
    parted = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", parted).lower()
