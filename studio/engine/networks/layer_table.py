"""Weight shapes and cost of the networks of the zoo, measured once with Keras, read without it.

`python -m studio.engine.compute.layer_table` writes the file; a test compares it with Keras.
"""

from __future__ import annotations

import functools
from collections import Counter

from pydantic import BaseModel, TypeAdapter

from studio.engine.assets import asset

TABLE_ASSET = "networks/layers.json"
_BYTES = 4


class LayerTable(BaseModel, frozen=True):
    """What a network has below its head.

    Attributes:
        height: Of the images at which the cost was counted, in pixels.
        width: Of these images.
        multiply_adds: For one such image, head included.
        layers: How many layers have weights of which shapes, see `shapes_key`; layers whose shapes
            depend on the size of the images are left out.
    """

    height: int
    width: int
    multiply_adds: int
    layers: dict[str, int]

    @property
    def parameters(self) -> int:
        """Number of weights below the head."""
        return sum(size_of(key) * count for key, count in self.layers.items())

    @property
    def download_bytes(self) -> int:
        """Size of a file with these weights, without the head."""
        return _BYTES * self.parameters

    def cost_at(self, height: int, width: int) -> float:
        """Multiply-adds for one image of another size; proportional to the pixels."""
        return self.multiply_adds * (height * width) / (self.height * self.width)

    def fraction_in(self, stored: Counter[str]) -> float:
        """Fraction of the weights below the head that layers of a file could fill, 0 to 1."""
        found = sum(size_of(key) * min(count, stored[key]) for key, count in self.layers.items())
        return found / self.parameters if self.parameters else 0.0


_TABLES = TypeAdapter(dict[str, LayerTable])


@functools.cache
def layer_tables() -> dict[str, LayerTable]:
    """All networks of the zoo by name, those without options as they are by default."""
    return _TABLES.validate_json(asset(TABLE_ASSET).read_bytes())


def shapes_key(shapes: tuple[tuple[int, ...], ...]) -> str:
    """The shapes of the weights of a layer as a text: `3x3x3x32 32`."""
    return " ".join("x".join(map(str, shape)) or "1" for shape in shapes)


@functools.cache
def size_of(key: str) -> int:
    """Number of weights of a layer with such shapes."""
    total = 0
    for shape in key.split():
        count = 1
        for side in shape.split("x"):
            count *= int(side)
        total += count
    return total
