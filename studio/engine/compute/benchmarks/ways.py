"""The four operations: what comes in, how each way does them, and how far results may differ.

Images are of one picture, (height, width, channel); numbers are from -1 to 1, in 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.engine.benchmarks.operations import OPERATIONS, OperationName, OperationsPlan
from studio.engine.compute.benchmarks import loops, matrices
from studio.engine.compute.benchmarks.matrices import Array

ROUNDING = 2.0**-24
"""Unit roundoff of 32-bit numbers: half the distance from 1 to the next."""


@dataclass(frozen=True, slots=True)
class Task:
    """One operation of one size.

    Attributes:
        name: The operation.
        size: Height and width of its image or matrices.
        given: What comes in.
        work: Floating-point operations, or comparisons.
        window: Of the max pooling.
        terms: How many products are added for one number of the result.
    """

    name: OperationName
    size: int
    given: tuple[Array, ...]
    work: int
    window: int
    terms: int

    def with_loops(self) -> Callable[[], list[Any]]:
        """A call that does it with plain loops; what comes in is turned into lists before."""
        lists: list[Any] = [each.tolist() for each in self.given]
        if self.name == "max_pooling":
            return lambda: loops.max_pooling(lists[0], self.window)
        work: Callable[..., list[Any]] = getattr(loops, self.name)
        return lambda: work(*lists)

    def with_numpy(self) -> Array:
        """The result of NumPy."""
        return self._numpy(self.given)

    def on_backend(self, tensors: Sequence[Any]) -> Any:  # noqa: ANN401 - of any backend
        """The result of the framework, where the tensors are; it may not be there yet."""
        from keras import ops  # noqa: PLC0415 - only now is its backend chosen

        if self.name == "matrix_product":
            return ops.matmul(*tensors)
        if self.name == "addition":
            return ops.add(*tensors)
        image = tensors[0]
        if self.name == "convolution":
            return ops.conv(image, tensors[1], 1, "valid", "channels_last")
        return ops.max_pool(image, self.window, self.window, "valid", "channels_last")

    def for_backend(self) -> list[Array]:
        """What comes in as the framework takes it: an image is a batch of one."""
        first, *others = self.given
        is_image = self.name in ("convolution", "max_pooling")
        return [first[None] if is_image else first, *others]

    def tolerance(self) -> float:
        """The largest difference that rounding can make between two orders of the same sums.

        A sum of n products is at most gamma = n u / (1 - n u) times the sum of their magnitudes
        away from the exact one, whatever its order (Higham, Accuracy and Stability of Numerical
        Algorithms, 2002, section 3.1), so two of them are twice that apart. The largest of numbers
        is one of them: nothing is rounded.
        """
        if self.name == "max_pooling":
            return 0.0
        gamma = self.terms * ROUNDING / (1 - self.terms * ROUNDING)
        magnitudes = self._numpy(tuple(np.abs(each) for each in self.given))
        return 2 * gamma * float(magnitudes.max())

    def _numpy(self, given: tuple[Array, ...]) -> Array:
        if self.name == "max_pooling":
            return matrices.max_pooling(given[0], self.window)
        work: Callable[..., Array] = getattr(matrices, self.name)
        return work(*given)


def task_of(name: OperationName, size: int, plan: OperationsPlan) -> Task:
    """An operation of one size, with its numbers; the same seed draws the same."""
    random = np.random.default_rng([plan.seed, size, OPERATIONS.index(name)])

    def drawn(*shape: int) -> Array:
        return random.uniform(-1, 1, shape).astype(np.float32)

    if name == "convolution":
        places, terms = size - plan.kernel + 1, plan.kernel**2 * plan.channels
        given = (
            drawn(size, size, plan.channels),
            drawn(plan.kernel, plan.kernel, plan.channels, plan.filters),
        )
        return Task(name, size, given, 2 * places**2 * terms * plan.filters, 0, terms)
    if name == "max_pooling":
        places = size // plan.pool
        work = places**2 * plan.channels * (plan.pool**2 - 1)
        return Task(name, size, (drawn(size, size, plan.channels),), work, plan.pool, 1)
    pair = drawn(size, size), drawn(size, size)
    if name == "matrix_product":
        return Task(name, size, pair, 2 * size**3, 0, size)
    return Task(name, size, pair, size**2, 0, 1)
