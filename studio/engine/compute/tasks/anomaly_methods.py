"""Ways to compare features with those of good images: what a branch of a network learns.

To add a way: 1. its layers in `networks.zoo.good_images`; 2. a `Method` here, and its line in
`METHODS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Final

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.networks.zoo.good_images import (
    COMPARE,
    GAUSSIAN,
    MEAN,
    NEAR,
    NEAREST,
    NORM,
    PATCHES,
    Branch,
)

FeatureMaps = NDArray[np.float32]
"""Shape (n, height, width, features + 1); the last one is 1."""
DistanceMaps = NDArray[np.float64]
"""Shape (n, height, width)."""
Arrays = dict[str, NDArray[Any]]

_REGULARIZATION: Final = 0.05
"""Added to each variance, in parts of the mean variance: fewer images than features are fitted."""
_ROUNDING: Final = 1e-6
"""Least mean variance, in parts of the mean square: identical images have no other."""
_POOLED: Final = 50
"""Vectors that those of a memory are chosen from, in parts of its size: the others of a large
dataset are left out at random, so that memory does not depend on the number of images."""


class Comparison(ABC):
    """A fitted comparison of the features of a branch.

    Attributes:
        memory: Vectors in the memory; 0 without one.
    """

    memory: int = 0

    @abstractmethod
    def distances(self, values: FeatureMaps) -> DistanceMaps:
        """Return the mean squared distance of each position, as the layers compute it."""

    @abstractmethod
    def write(self, network: keras.Model, name: str) -> None:
        """Set the weights of the layers of a branch.

        Args:
            network: The network.
            name: Name of the branch.
        """


class Method(ABC):
    """Collects the features of good images for a branch.

    Args:
        branch: The branch.
        seed: Seed of what is drawn.
    """

    def __init__(self, branch: Branch, seed: int) -> None:
        self._branch = branch
        self._seed = seed

    @abstractmethod
    def add(self, values: FeatureMaps) -> None:
        """Add the features of some images."""

    @abstractmethod
    def comparisons(self) -> Mapping[str, Comparison]:
        """Return the variants that can be chosen from, by their names in `describe`."""

    @abstractmethod
    def state(self) -> Arrays:
        """Return everything that was collected, to continue from it."""

    @abstractmethod
    def restore(self, state: Arrays) -> None:
        """Continue from a state."""


LOCAL, SHARED = "local", "shared"
"""Variants of Gaussians: one at each position, one of all positions."""


class Gaussians(Method):
    """Sums of the features at each position, and of their products."""

    def __init__(self, branch: Branch, seed: int) -> None:
        super().__init__(branch, seed)
        self._count = 0
        self._first: NDArray[np.float64] | None = None
        self._products: NDArray[np.float64] | None = None

    def add(self, values: FeatureMaps) -> None:
        """Add features; see `Method.add`."""
        exact = values[..., :-1].astype(np.float64)
        height, width, features = exact.shape[1:]
        flat = exact.reshape(len(exact), height * width, features).transpose(1, 0, 2)
        first, products = flat.sum(axis=1), flat.transpose(0, 2, 1) @ flat
        if self._first is None or self._products is None:
            self._first, self._products = first, products
        else:
            self._first += first
            self._products += products
        self._count += len(values)

    def comparisons(self) -> Mapping[str, Comparison]:
        """Return one Gaussian for each position, and one for all; see `Method.comparisons`."""
        shapes = (LOCAL,) if self._branch.grid == (1, 1) else (LOCAL, SHARED)
        return {each: Whitening(self.whitening(is_local=each == LOCAL)) for each in shapes}

    def state(self) -> Arrays:
        """Return the sums; see `Method.state`."""
        if self._first is None or self._products is None:
            return {}
        return {
            "count": np.array(self._count),
            "first": self._first,
            "products": self._products,
        }

    def restore(self, state: Arrays) -> None:
        """Continue from sums; see `Method.restore`."""
        if state:
            self._count = int(state["count"])
            self._first, self._products = state["first"].copy(), state["products"].copy()

    def whitening(self, *, is_local: bool) -> NDArray[np.float32]:
        """Return the matrices that whiten features, shape (h, w, features + 1, features).

        Args:
            is_local: True for a Gaussian at each position, False for one of all positions.
        """
        if self._first is None or self._products is None:
            raise TypeError("There are no features.")
        first, products = self._first / self._count, self._products / self._count
        if not is_local:
            first, products = (each.mean(axis=0, keepdims=True) for each in (first, products))
        covariance = products - first[:, :, None] * first[:, None, :]
        features = first.shape[1]
        mean = np.trace(covariance, axis1=1, axis2=2) / features
        power = float(np.trace(products, axis1=1, axis2=2).mean()) / features
        floor = max(float(mean.mean()), _ROUNDING * power, 1e-12)
        added = _REGULARIZATION * np.maximum(mean, 1e-3 * floor)
        covariance += added[:, None, None] * np.eye(features)
        inverse = np.linalg.inv(np.linalg.cholesky(covariance)).transpose(0, 2, 1)
        moved = -(first[:, None, :] @ inverse)
        height, width = self._branch.grid
        matrices = np.concatenate([inverse, moved], axis=1)
        whole = np.broadcast_to(matrices, (height * width, features + 1, features))
        return whole.reshape(height, width, features + 1, features).astype(np.float32)


class Whitening(Comparison):
    """Distance of Mahalanobis: the mean squared whitened feature.

    Args:
        matrices: Shape (height, width, features + 1, features).
    """

    def __init__(self, matrices: NDArray[np.float32]) -> None:
        self._matrices = matrices

    def distances(self, values: FeatureMaps) -> DistanceMaps:
        """Return distances of Mahalanobis; see `Comparison.distances`."""
        whitened = np.einsum("nhwc,hwcf->nhwf", values, self._matrices, optimize=True)
        squared: DistanceMaps = (whitened.astype(np.float64) ** 2).mean(axis=-1)
        return squared

    def write(self, network: keras.Model, name: str) -> None:
        """Set the matrices; see `Comparison.write`."""
        network.get_layer(COMPARE + name).set_weights([self._matrices])


class MemoryBank(Method):
    """Vectors of good images, spread as widely as possible.

    They are chosen greedily: each next one is the farthest from those before (Sener and Savarese,
    "Active learning for convolutional neural networks: a core-set approach", ICLR 2018).
    """

    def __init__(self, branch: Branch, seed: int) -> None:
        super().__init__(branch, seed)
        self._limit = _POOLED * branch.memory
        self._vectors = np.zeros((0, branch.features), np.float32)
        self._order = np.zeros(0, np.float64)
        self._added = 0

    def add(self, values: FeatureMaps) -> None:
        """Add features; of too many, those with the lowest random numbers stay."""
        vectors = values[..., :-1].reshape(-1, values.shape[-1] - 1)
        random = np.random.default_rng((self._seed, self._added))
        order = np.concatenate([self._order, random.random(len(vectors))])
        every = np.concatenate([self._vectors, vectors])
        self._added += len(vectors)
        if len(every) > self._limit:
            stays = np.sort(np.argpartition(order, self._limit)[: self._limit])
            every, order = every[stays], order[stays]
        self._vectors, self._order = every, order

    def comparisons(self) -> Mapping[str, Comparison]:
        """Return the memory; see `Method.comparisons`."""
        return {"": NearestVector(_spread(self._vectors, self._branch.memory, self._seed))}

    def state(self) -> Arrays:
        """Return the vectors so far; see `Method.state`."""
        return {
            "vectors": self._vectors,
            "order": self._order,
            "added": np.array(self._added),
        }

    def restore(self, state: Arrays) -> None:
        """Continue from vectors; see `Method.restore`."""
        self._vectors, self._order = state["vectors"], state["order"]
        self._added = int(state["added"])


def _spread(vectors: NDArray[np.float32], count: int, seed: int) -> NDArray[np.float32]:
    """Choose vectors greedily, each the farthest from those before; the first is random.

    Args:
        vectors: Shape (n, features).
        count: How many, at most.
        seed: Seed of the first one.

    Returns:
        Shape (m, features), m at most `count`; equal vectors are chosen once.
    """
    chosen = [int(np.random.default_rng(seed).integers(len(vectors)))]
    squares = (vectors**2).sum(axis=1)
    nearest = np.full(len(vectors), np.inf, np.float32)
    for _ in range(min(count, len(vectors)) - 1):
        last = vectors[chosen[-1]]
        np.minimum(nearest, squares - 2 * (vectors @ last) + last @ last, out=nearest)
        nearest[chosen[-1]] = 0
        farthest = int(nearest.argmax())
        if nearest[farthest] <= 0:
            break
        chosen.append(farthest)
    return vectors[chosen]


class NearestVector(Comparison):
    """Squared distance to the nearest vector of a memory, in parts of the number of features.

    Args:
        vectors: Shape (m, features).
    """

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self.memory = len(vectors)
        constant = -(vectors.astype(np.float64) ** 2).sum(axis=1, keepdims=True)
        self._kernel = np.concatenate([2 * vectors, constant], axis=1).T.astype(np.float32)

    def distances(self, values: FeatureMaps) -> DistanceMaps:
        """Return squared distances, at least 0; see `Comparison.distances`."""
        closest = (values @ self._kernel).max(axis=-1)
        features = values[..., :-1]
        squared = (features**2).sum(axis=-1) - closest
        mean: DistanceMaps = np.maximum(squared, 0).astype(np.float64) / features.shape[-1]
        return mean

    def write(self, network: keras.Model, name: str) -> None:
        """Set the vectors, and the parts of the distance; see `Comparison.write`."""
        layer = network.get_layer(COMPARE + name)
        layer.set_weights([self._kernel[None, None], np.zeros(self.memory, np.float32)])
        features = len(self._kernel) - 1
        parts = np.full((1, 1, features + 1, 1), 1 / features, np.float32)
        parts[..., -1, :] = 0
        near = np.full((1, 1, 1, 1), -1 / features, np.float32)
        for begin, kernel in ((NORM, parts), (NEAR, near)):
            network.get_layer(begin + name).set_weights([kernel, np.zeros(1, np.float32)])


METHODS: Final[Mapping[str, type[Method]]] = {
    GAUSSIAN: Gaussians,
    PATCHES: MemoryBank,
    MEAN: Gaussians,
    NEAREST: MemoryBank,
}
