"""Keeps what a network answers at every validation, and how its weights look.

The answers are collected while Keras measures (see `answers`); where that cannot be, because
TensorFlow divides batches among devices, the network runs once more over a sample. Norms of
gradients cost a pass forward and back over one small batch. Nothing of it changes the training:
no random state is used up, and no statistics or metrics move.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.backends import chosen, keras_internals
from studio.engine.compute.backends.interface import GradientNorms
from studio.engine.compute.models import score
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.compute.tasks import Learning
from studio.engine.compute.tasks.learning import ValidatedImages
from studio.engine.datasets.store import Store
from studio.engine.training import insights
from studio.engine.training.history import InsightStored, RunContext
from studio.engine.training.insights import remove_unfinished, thin_out, write_insight
from studio.engine.training.plan import TrainingPlan

_EXACT = 2**24
"""Whole numbers up to this are exact in 32 bits of floating point."""


class AnswerCollector(keras.metrics.Metric):  # type: ignore[misc]  # Keras ships no types
    """Collects what is stored of the outputs for every image, in the order of evaluation.

    It is one of the model's metrics, and acts only inside `listening`: Keras traces the function
    of a training step outside of it, and that of a validation inside, so the graph of training
    does not contain it. It has no variables elsewhere either, so it appears neither in
    checkpoints nor in the metric sums that a validation restores.

    Args:
        count: Images of a validation.
        learning: Says what is stored of the outputs for an image, see `Learning.answer`.
    """

    def __init__(self, count: int, learning: Learning) -> None:
        super().__init__(name="answers")
        self._listens = False
        self._count = count
        self._learning = learning
        shape = (max(count, 1), math.prod(learning.answer_shape))
        self._best = self.add_variable(shape, "zeros", "float32", name="best")
        self._done = self.add_variable((), "zeros", "int32", name="done")

    @classmethod
    def fits(cls, count: int, classes: int) -> bool:
        """Return True if the outputs of this many images can be collected.

        Args:
            count: Number of images.
            classes: Number of outputs.
        """
        return 0 < count <= _EXACT and 0 < classes <= _EXACT

    @property
    def variables(self) -> list[keras.Variable]:
        """Variables that are in use during collection."""
        return super().variables if self._listens else []

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # noqa: ANN401, ARG002
        """Collect the predictions of a batch.

        Args:
            y_true: Targets.
            y_pred: Outputs of the network, shape (n, ...).
            sample_weight: Not used.
        """
        if not self._listens:
            return
        ops = keras.ops
        found = self._learning.answer(y_true, ops.cast(y_pred, "float32"))
        stored, done = self._best.value, self._done.value
        self._best.assign(ops.slice_update(stored, (done, 0), found))
        self._done.assign(done + ops.cast(ops.shape(found)[0], "int32"))

    def result(self) -> Any:  # noqa: ANN401
        """Return 0, because Keras requires a number."""
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
        """Outputs for each image; None if the last validation was incomplete."""
        return np.asarray(self._best) if int(np.asarray(self._done)) == self._count else None


_HALF = "float16"
_LIFT = 1024.0
"""Factor of a loss that is computed in float16, whose gradients would be cut off at 6e-8."""

Lengths = NDArray[np.float64]


class GradientProbe:
    """Measures the gradients of one batch, again and again.

    Args:
        model: Compiled, in training.
        images: Input, shape (n, …).
        labels: Targets of its loss.
    """

    def __init__(self, model: keras.Model, images: NDArray[Any], labels: NDArray[Any]) -> None:
        self._model = model
        self._batch = images, labels
        self._measure: GradientNorms | None = None

    def reuse(self, other: GradientProbe) -> None:
        """Measure the model of another probe, with what was compiled for it."""
        self._model, self._measure = other._model, other._measure

    def lengths(self) -> Lengths:
        """Euclidean norm of the gradient of each trainable variable, in their order.

        NaN for all where TensorFlow trains on several devices at once (its gradients exist only
        inside of what it runs on each), and for variables that the loss does not depend on.
        """
        count = len(self._model.trainable_variables)
        if not count or replicas_of(self._model) > 1:
            return np.full(count, np.nan)
        if self._measure is None:
            self._measure = chosen.backend().gradient_norms(self._model, _lift(self._model))
        found = self._measure(*self._batch)
        return np.array([np.nan if each is None else float(each) for each in found]) / _lift(
            self._model
        )


def replicas_of(model: keras.Model) -> int:
    """Devices among which TensorFlow divides every batch of a model."""
    strategy = getattr(model, "distribute_strategy", None)
    return int(getattr(strategy, "num_replicas_in_sync", 1))


def _lift(model: keras.Model) -> float:
    half = any(layer.compute_dtype == _HALF for layer in keras_internals.all_layers(model))
    return _LIFT if half else 1.0


SAMPLE = 2000
"""Validation images of which the network is asked once more, where it cannot be listened to."""
PROBED = 8
"""Training images whose gradient is measured: with 32 it costs as much as a step of training."""
_AT_ONCE = 32
"""Validation images that the network is asked of at once."""

Values = list[NDArray[np.float32]]
CompiledParts = tuple[AnswerCollector | None, GradientProbe]
"""Parts that are compiled with a model and do not depend on a run."""


class Insights:
    """Base class that collects nothing; `StoredInsights` does.

    Attributes:
        metrics: Metrics that the model must be compiled with.
        compiled: Functions that an equal model can reuse.
    """

    metrics: tuple[keras.metrics.Metric, ...] = ()
    compiled: CompiledParts | None = None

    def reuse(self, compiled: CompiledParts) -> None:
        """Use what was compiled with an equal model."""

    def listening(self) -> contextlib.AbstractContextManager[None]:
        """Around a validation whose answers are to be kept."""
        return contextlib.nullcontext()

    def inspect(self, model: keras.Model, step: int, *, is_best: bool) -> None:
        """Collect insights after a validation.

        Args:
            model: The network in training.
            step: Number of completed steps.
            is_best: True if the validation was the best so far.
        """


class StoredInsights(Insights):
    """Writes a file at every validation and reports it.

    Args:
        context: The running job.
        plan: Its plan.
        store: The dataset.
        model: The trained model: the network, or a part of it.
        batches: Training images, or features of them.
        validation: Validation images, or features of them.
        learning: Training of such networks on the task.
    """

    def __init__(
        self,
        context: RunContext,
        plan: TrainingPlan,
        store: Store,
        model: keras.Model,
        batches: SplitBatches,
        validation: SplitBatches,
        learning: Learning,
    ) -> None:
        self._context = context
        self._batches = batches
        self._validation = validation
        self._classes = len(store.classes)
        self._steps = len(batches)
        self._rows = store.rows("val")
        self._learning = learning
        self._pictures = insights.fixed_indices(
            store.strata[self._rows], plan.seed, self._learning.max_pictures
        )
        self._sample = _sample(len(self._rows), plan.seed)
        history = context.job.history
        self._best = None if history.best is None else history.best.step
        self._collector: AnswerCollector | None = None
        if AnswerCollector.fits(len(self._rows), self._classes) and replicas_of(model) == 1:
            self._collector = AnswerCollector(len(self._rows), self._learning)
            self.metrics = (self._collector,)
        self._probe = GradientProbe(model, *self._probed(plan, store))
        self.compiled = self._collector, self._probe
        # What the weights moved since a moment that this attempt has not seen is not known.
        self._before: Values = [] if history.saved else _values(model)
        remove_unfinished(context.folder)

    def reuse(self, compiled: CompiledParts) -> None:
        """Reuse the parts compiled with an equal model, which now has our weights."""
        self._collector, probe = compiled
        self._probe.reuse(probe)
        self.compiled = self._collector, self._probe

    def listening(self) -> contextlib.AbstractContextManager[None]:
        """Around a validation whose answers are to be kept."""
        return super().listening() if self._collector is None else self._collector.listening()

    def inspect(self, model: keras.Model, step: int, *, is_best: bool) -> None:
        """Collect and store insights after a validation.

        Args:
            model: The network in training.
            step: Number of completed steps.
            is_best: True if the validation was the best so far.

        Raises:
            DiskFullError: No space was left.
        """
        chosen.backend().sync_state(
            model
        )  # in the middle of an epoch JAX keeps the weights elsewhere
        if is_best:
            self._best = step
        found = self._learning.validated(self._validated(model))
        insight = insights.Insight(
            step / self._steps,
            step,
            self._classes,
            found.answers,
            found.pictures,
            self._norms(model),
            found.targets,
            found.masks,
            found.boxes,
        )
        store_insight(self._context, insight, self._best)

    def _validated(self, model: keras.Model) -> ValidatedImages:
        known = None if self._collector is None else self._collector.outputs()

        def answers(indices: NDArray[np.int64]) -> NDArray[np.float32]:
            return self._asked(model, indices) if known is None else known[indices]

        return ValidatedImages(
            self._rows,
            self._sample,
            self._pictures,
            known is not None,
            answers,
            partial(self._scores, model),
        )

    def _asked(self, model: keras.Model, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """Predict some validation images, and return what is stored of the outputs."""
        learning = self._learning
        parts = np.split(indices, range(_AT_ONCE, len(indices), _AT_ONCE))
        found = [
            np.asarray(
                learning.answer(learning.targets[self._rows[part]], self._scores(model, part)),
                np.float32,
            )
            for part in parts
            if len(part)
        ]
        empty = np.zeros((0, math.prod(learning.answer_shape)), np.float32)
        return np.concatenate([empty, *found])

    def _scores(self, model: keras.Model, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """Run the network over some validation images."""
        parts = np.split(indices, range(_AT_ONCE, len(indices), _AT_ONCE))
        rows = [self._rows[part] for part in parts if len(part)]
        read = self._validation._read  # noqa: SLF001 - pixels, or features of them
        scores = [score(model, read(part)) for part in rows]
        return np.concatenate(scores) if scores else np.zeros((0, self._classes), np.float32)

    def _probed(
        self, plan: TrainingPlan, store: Store
    ) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
        """Return some training images as the network sees them, with the targets of its loss."""
        rows = store.rows("train")
        generator = np.random.Generator(np.random.PCG64((plan.seed, len(rows))))
        size = min(PROBED, plan.batch_size, len(rows))
        chosen = np.sort(generator.choice(rows, size, replace=False))
        return self._batches.plain(chosen)

    def _norms(self, model: keras.Model) -> tuple[insights.LayerNorm, ...]:
        values, before = _values(model), self._before
        self._before = values
        names = [variable.path.rpartition("/")[0] for variable in model.trainable_variables]
        return layer_norms(names, values, before, self._probe.lengths())


def store_insight(context: RunContext, insight: insights.Insight, best: int | None) -> None:
    """Write an insight, journal it, and delete some if there are too many.

    Args:
        context: The running job.
        insight: The insights.
        best: The step of the best validation so far.

    Raises:
        DiskFullError: No space was left.
    """
    path = write_insight(context.folder, insight)
    thin_out(context.folder, insight.step, best)
    relative = path.relative_to(context.folder).as_posix()
    context.emit(InsightStored(epoch=insight.epoch, step=insight.step, path=relative))


def store_solved(
    context: RunContext,
    store: Store,
    seed: int,
    scores: NDArray[np.floating],
    layers: dict[str, Values],
) -> None:
    """Keep an insight of weights that were computed at once, without a gradient, in one step.

    Args:
        context: The running job.
        store: The dataset.
        seed: As for `fixed_indices`.
        scores: Scores of all validation images, shape (n, classes).
        layers: The weights that were computed, by layer.

    Raises:
        DiskFullError: No space was left.
    """
    rows = store.rows("val")
    labels = store.labels[rows]
    shown = insights.fixed_indices(labels, seed)
    classes, best = top_predictions(scores)
    values = [value for weights in layers.values() for value in weights]
    names = [name for name, weights in layers.items() for _ in weights]
    unknown = np.full(len(values), np.nan)
    insight = insights.Insight(
        1.0,
        1,
        len(store.classes),
        insights.ValidationPredictions(rows, labels, classes[:, 0], best[:, 0], len(rows)),
        insights.PicturePredictions(rows[shown], labels[shown], classes[shown], best[shown]),
        layer_norms(names, values, [], unknown),
    )
    store_insight(context, insight, best=1)


def top_predictions(
    scores: NDArray[np.floating],
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the top classes of images and their scores, n x up to 5, from n x K scores."""
    classes = np.argsort(-scores, axis=1, kind="stable")[:, : insights.TOP_CLASSES].astype(
        np.int32
    )
    return classes, np.take_along_axis(scores, classes, axis=1).astype(np.float32)


def layer_norms(
    names: list[str], values: Values, before: Values, gradients: NDArray[np.float64]
) -> tuple[insights.LayerNorm, ...]:
    """Compute norms of layers from those of their variables.

    Args:
        names: The layer of each variable.
        values: The variables.
        before: Their values at the previous insight; empty if unknown.
        gradients: Norm of the gradient of each.
    """
    weights = np.array([np.linalg.norm(value) for value in values])
    moved, old = np.full((2, len(values)), np.nan)
    if before:
        old = np.array([np.linalg.norm(value) for value in before])
        pairs = zip(values, before, strict=True)
        moved = np.array([np.linalg.norm(value - was) for value, was in pairs])
    layers = list(dict.fromkeys(names))
    owner = np.array(names)

    def whole(lengths: NDArray[np.float64], layer: str) -> float:
        return float(np.sqrt((lengths[owner == layer] ** 2).sum()))

    return tuple(
        insights.LayerNorm(
            layer,
            whole(weights, layer),
            whole(gradients, layer),
            whole(moved, layer) / (whole(old, layer) or np.nan),
        )
        for layer in layers
    )


def _values(model: keras.Model) -> Values:
    return [np.asarray(variable).copy() for variable in model.trainable_variables]


def _sample(count: int, seed: int) -> NDArray[np.int64]:
    """Return indices of at most `SAMPLE` of this many images, ascending."""
    if count <= SAMPLE:
        return np.arange(count)
    generator = np.random.Generator(np.random.PCG64((seed, count)))
    return np.sort(generator.choice(count, SAMPLE, replace=False))
