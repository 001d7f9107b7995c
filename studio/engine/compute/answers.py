"""Collects what a network answers while Keras validates it: no image is run twice for it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.training.insights import GUESSES

_EXACT = 2**24
"""Whole numbers up to this are exact in 32 bits of floating point."""


class AnswerCollector(keras.metrics.Metric):  # type: ignore[misc]  # Keras ships no types
    """Writes the likeliest classes of every image down, in the order in which they come.

    It stands among the metrics of a model, and acts only inside `listening`: Keras traces the
    function of a training step outside of it, and that of a validation inside, so that training
    has no part of this in its graph. Elsewhere it has no variables either: neither the sums of
    the metrics that a checkpoint keeps nor those that a validation puts back know of it.

    Args:
        count: Images of a validation.
        classes: How many classes there are.
        whole: Write down all outputs of every image, not only its likeliest classes.
    """

    def __init__(self, count: int, classes: int, *, whole: bool = False) -> None:
        super().__init__(name="answers")
        self._listens = False
        self._count = count
        self._guesses = min(GUESSES, classes)
        # Classes as floats, too: on some devices, variables of whole numbers are not at home.
        self._whole = whole
        shape = (max(count, 1), classes if whole else 2 * self._guesses)
        self._best = self.add_variable(shape, "zeros", "float32", name="best")
        self._done = self.add_variable((), "zeros", "int32", name="done")

    @classmethod
    def fits(cls, count: int, classes: int) -> bool:
        """Whether it can collect so many answers."""
        return 0 < count <= _EXACT and 0 < classes <= _EXACT

    @property
    def variables(self) -> list[keras.Variable]:
        """What it holds, while it listens."""
        return super().variables if self._listens else []

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # noqa: ANN401, ARG002
        """Note the answers of a batch."""
        if not self._listens:
            return
        ops = keras.ops
        found = ops.cast(y_pred, "float32")
        if not self._whole:
            scores, classes = ops.top_k(found, self._guesses)
            found = ops.concatenate([ops.cast(classes, "float32"), scores], axis=-1)
        kept, done = self._best.value, self._done.value
        self._best.assign(ops.slice_update(kept, (done, 0), found))
        self._done.assign(done + ops.cast(ops.shape(found)[0], "int32"))

    def result(self) -> Any:  # noqa: ANN401
        """Nothing; Keras wants a number."""
        return keras.ops.zeros(())

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Within it, a validation is written down from its beginning."""
        self._listens = True
        try:
            yield
        finally:
            self._listens = False

    def outputs(self) -> NDArray[np.float32] | None:
        """What was written down of each image; None where the last validation was not whole."""
        return np.asarray(self._best) if int(np.asarray(self._done)) == self._count else None

    def guesses(self) -> tuple[NDArray[np.int32], NDArray[np.float32]] | None:
        """The likeliest classes of each image and their scores, both count x up to 5.

        Returns:
            None where the last validation was not written down as a whole.
        """
        best = self.outputs()
        if best is None:
            return None
        return best[:, : self._guesses].astype(np.int32), best[:, self._guesses :]
