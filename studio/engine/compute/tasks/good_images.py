"""Fits the branches of a network to good images, see `networks.zoo.good_images`.

Imported only after the backend of Keras is chosen (`backend.prepare_backend`).

1. A few images give the scale of the features, by which the embedding of each branch is divided.
2. All good training images go through the network once; the method of each branch collects what it
   needs (`anomaly_methods`). Memory does not depend on the number of images. What was collected is
   stored regularly, and a run that was interrupted continues from it, bit for bit.
3. Candidates, with one way of comparing and one map or several, score good validation images and
   copies with drawn defects. The best one becomes the network; other branches are left out. It is
   scaled so that its threshold is 1.

Everything drawn depends on the seed of the plan alone.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Rows
from studio.engine.compute.build import build
from studio.engine.compute.checkpoint import Checkpoint
from studio.engine.compute.model_checkpointer import ModelCheckpointer
from studio.engine.compute.models import outputs_of
from studio.engine.compute.on_features import training_began
from studio.engine.compute.tasks.anomaly_candidates import (
    Candidate,
    Comparisons,
    Sides,
    best,
    candidate_of,
    combinations,
    compared_methods,
    highest,
    no_difference,
    threshold_of_good,
    way_of,
)
from studio.engine.compute.tasks.anomaly_images import COMPARED, FitImages, divided
from studio.engine.compute.tasks.anomaly_methods import (
    METHODS,
    Arrays,
    FeatureMaps,
    Method,
)
from studio.engine.compute.train import NETWORK_FILE
from studio.engine.datasets.store import Store
from studio.engine.files import open_arrays, remove, replacing, write_atomically
from studio.engine.jobs.events import Note
from studio.engine.jobs.states import State
from studio.engine.messages import as_message, message
from studio.engine.networks.spec import HEAD, NetworkSpec
from studio.engine.networks.zoo.good_images import (
    COMPARE,
    DISTANCE,
    EMBED,
    NEAR,
    NORM,
    Branch,
    branches_of,
    with_branches,
)
from studio.engine.progress import Cancelled
from studio.engine.tasks.anomaly.report import auroc
from studio.engine.training.history import EpochDone, RunContext, StepsDone
from studio.engine.training.plan import TrainingPlan

_SCALED_BY: Final = 64
"""Images for the scale of the features."""
STATE_FILE: Final = "fit.npz"
"""File of the features collected so far, in the folder of a run that has not ended."""
_DONE, _KEY = "done", "key"
_WEIGHTED: Final = (EMBED, COMPARE, DISTANCE, NORM, NEAR)
"""Beginnings of the ids of layers of a branch that have weights."""


def fit_good_images(
    context: RunContext,
    plan: TrainingPlan,
    store: Store,
    spec: NetworkSpec,
    network: keras.Model,
    checkpoint: Checkpoint | None = None,  # noqa: ARG001 - `STATE_FILE` is its own
) -> State:
    """Fit the network to the good images; journal one epoch. See `fit.Fitting`.

    Raises:
        BadDataError: An image is damaged, or there are too few good ones.
        Cancelled: The job was asked to end; the run can be resumed.
    """
    context.emit(training_began(plan, store, network), durable=True)
    began = time.perf_counter()
    fitted, held = divided(store, plan.seed)
    images = FitImages(context, plan, store)
    embedded = Embedded.of(network, branches_of(spec), images, fitted)
    compared = compare(images, embedded, collected(images, embedded, fitted, spec), held)
    chosen = best(compared, embedded.branches)
    spec, network = _network_of(spec, network, chosen, embedded)
    write_atomically(context.folder / NETWORK_FILE, spec.to_json())
    metrics = _metrics(images, network, fitted, held, chosen)
    seconds = time.perf_counter() - began
    checkpointer = ModelCheckpointer(context, spec, plan.keep)
    checkpointer.consider(network, is_best=True)
    _journal(context, metrics, len(fitted), seconds)
    context.emit(compared_methods(compared, chosen, held))
    context.emit(Note(message=_summary(chosen, compared, len(held))))
    checkpointer.save()
    remove(context.folder / STATE_FILE)
    return State.COMPLETED


@dataclass(frozen=True, slots=True)
class Embedded:
    """The part of a network that gives the features of each branch.

    Attributes:
        model: Gives the embedded features of each branch.
        branches: The branches, without features that their maps do not have.
    """

    model: keras.Model
    branches: list[Branch]

    @classmethod
    def of(
        cls, network: keras.Model, branches: Sequence[Branch], images: FitImages, rows: Rows
    ) -> Embedded:
        """Set the embeddings of a network: features divided by their deviations, and fewer.

        Args:
            network: The network.
            branches: Its branches.
            images: The dataset.
            rows: Good training images.

        Raises:
            BadDataError: The network gives no features.
        """
        some = rows[np.linspace(0, len(rows) - 1, min(len(rows), _SCALED_BY)).astype(np.int64)]
        layers = [network.get_layer(EMBED + each.name) for each in branches]
        before = keras.Model(network.inputs, [layer.input for layer in layers])
        parts = [
            [
                each.std(axis=(1, 2)) ** 2 + each.mean(axis=(1, 2)) ** 2
                for each in outputs_of(before, batch)
            ]
            for batch in images.batches(some, "Measuring features")
        ]
        random = np.random.default_rng(images.plan.seed)
        capped = []
        for index, (layer, branch) in enumerate(zip(layers, branches, strict=True)):
            scale = np.sqrt(np.concatenate([part[index] for part in parts]).mean(axis=0))
            if not scale.any():
                raise no_difference()
            capped.append(replace(branch, features=min(branch.features, len(scale))))
            _set_embedding(layer, scale, random)
        outputs = [layer.output for layer in layers]
        return cls(keras.Model(network.inputs, outputs), capped)

    def features(self, batch: NDArray[Any]) -> list[FeatureMaps]:
        """Return the features of each branch, and a last one that is 1."""
        found = outputs_of(self.model, batch)
        return [
            np.concatenate([each[..., : branch.features], each[..., -1:]], axis=-1)
            for each, branch in zip(found, self.branches, strict=True)
        ]


def _set_embedding(
    layer: keras.Layer, scale: NDArray[np.floating], random: np.random.Generator
) -> None:
    """Set the semi-orthogonal matrix of a branch; features beyond the channels stay 0.

    Args:
        layer: The convolution.
        scale: Root of the mean square of each channel.
        random: Draws the matrix.
    """
    kernel, bias = (np.zeros(each.shape, np.float32) for each in layer.weights)
    channels, features = kernel.shape[2], kernel.shape[3] - 1
    matrix = np.linalg.qr(random.normal(size=(channels, channels)))[0]
    used = min(channels, features)
    kernel[0, 0, :, :used] = matrix[:, :used] / np.maximum(scale, 1e-6 * scale.max())[:, None]
    bias[-1] = 1.0
    layer.set_weights([kernel, bias])


def collected(images: FitImages, embedded: Embedded, rows: Rows, spec: NetworkSpec) -> Comparisons:
    """Fit every branch to good images; continue where an earlier attempt stopped.

    Args:
        images: The dataset.
        embedded: Gives features.
        rows: Good training images.
        spec: The network.
    """
    plan, folder = images.plan, images.context.folder
    methods = [METHODS[each.kind](each, plan.seed) for each in embedded.branches]
    key = hashlib.blake2b(f"{plan.model_dump_json()} {spec.to_json()}".encode()).hexdigest()
    done = _restore(folder, key, embedded.branches, methods)
    saved = time.monotonic()
    try:
        batches = images.batches(rows, "Fitting good images", augmented=True, skipped=done)
        for batch in batches:
            for method, values in zip(methods, embedded.features(batch), strict=True):
                method.add(values)
            done += 1
            if time.monotonic() - saved >= plan.checkpoint_interval_seconds:
                _save(folder, key, done, embedded.branches, methods)
                saved = time.monotonic()
    except Cancelled:
        _save(folder, key, done, embedded.branches, methods)
        raise
    return {
        (branch.name, variant): comparison
        for branch, method in zip(embedded.branches, methods, strict=True)
        for variant, comparison in method.comparisons().items()
    }


def _save(
    folder: Path, key: str, done: int, branches: Sequence[Branch], methods: Sequence[Method]
) -> None:
    """Write what was collected.

    Args:
        folder: Folder of the run.
        key: Of the plan and the network.
        done: Number of batches.
        branches: The branches.
        methods: What they have collected.
    """
    arrays: Arrays = {
        f"{branch.name}/{name}": value
        for branch, method in zip(branches, methods, strict=True)
        for name, value in method.state().items()
    }
    header = {_DONE: np.array(done), _KEY: np.array(key)}
    with replacing(folder / STATE_FILE) as partial, partial.open("wb") as file:
        np.savez(file, allow_pickle=False, **header, **arrays)


def _restore(folder: Path, key: str, branches: Sequence[Branch], methods: Sequence[Method]) -> int:
    """Return the number of batches that methods have collected; 0 to begin.

    Args:
        folder: Folder of the run.
        key: Of the plan and the network; what others collected does not fit.
        branches: The branches.
        methods: Continue from it.
    """
    path = folder / STATE_FILE
    if not path.exists():
        return 0
    with open_arrays(path) as file:
        arrays = {name: file[name] for name in file}
    if str(arrays[_KEY]) != key:
        return 0
    for branch, method in zip(branches, methods, strict=True):
        begin = f"{branch.name}/"
        mine = {
            name.removeprefix(begin): value
            for name, value in arrays.items()
            if name.startswith(begin)
        }
        method.restore(mine)
    return int(arrays[_DONE])


def compare(
    images: FitImages, embedded: Embedded, fitted: Comparisons, rows: Rows
) -> list[Candidate]:
    """Return the candidates with their AUROC on held-out images.

    Args:
        images: The dataset.
        embedded: Gives features.
        fitted: All fitted comparisons.
        rows: Good images that nothing was fitted on.
    """
    distances: Sides = {key: [[], []] for key in fitted}
    sides = (
        images.batches(rows, "Scoring good images"),
        images.with_defects(rows, "Scoring drawn defects", images.plan.seed),
    )
    for side, batches in enumerate(sides):
        for batch in batches:
            values = dict(
                zip(
                    (each.name for each in embedded.branches),
                    embedded.features(batch),
                    strict=True,
                )
            )
            for key, comparison in fitted.items():
                distances[key][side].append(comparison.distances(values[key[0]]))
    return [
        candidate_of(used, variant, fitted, distances)
        for used, variant in combinations(embedded.branches, fitted)
    ]


def _network_of(
    spec: NetworkSpec, network: keras.Model, chosen: Candidate, embedded: Embedded
) -> tuple[NetworkSpec, keras.Model]:
    """Return the network of a candidate, without the other branches.

    Args:
        spec: The network with all branches.
        network: The same with weights.
        chosen: The candidate.
        embedded: Has all branches.
    """
    used = [
        replace(each, memory=chosen.comparisons[each.map].memory)
        for each in embedded.branches
        if each.kind == chosen.kind and each.map in chosen.scales
    ]
    smaller = with_branches(spec, used)
    made = build(smaller, seed=0)
    own = {HEAD, *_ids_of(used)}
    for layer in made.layers:
        if layer.name not in own and layer.weights:
            layer.set_weights(network.get_layer(layer.name).get_weights())
    for branch in used:
        _write_branch(made, network, branch, chosen)
    head = made.get_layer(HEAD)
    kernel, bias = (np.zeros(each.shape, np.float32) for each in head.weights)
    kernel[..., 1:] = 1.0
    head.set_weights([kernel, bias])
    return smaller, made


def _ids_of(branches: Sequence[Branch]) -> set[str]:
    return {f"{begin}{each.name}" for each in branches for begin in _WEIGHTED}


def _write_branch(
    made: keras.Model, network: keras.Model, branch: Branch, chosen: Candidate
) -> None:
    """Set the weights of a branch.

    Args:
        made: The network that gets them.
        network: The network with the embeddings of all branches.
        branch: The branch.
        chosen: The candidate.
    """
    kernel, bias = network.get_layer(EMBED + branch.name).get_weights()
    used = [*range(branch.features), -1]
    made.get_layer(EMBED + branch.name).set_weights([kernel[..., used], bias[used]])
    chosen.comparisons[branch.map].write(made, branch.name)
    layer = made.get_layer(DISTANCE + branch.name)
    kernel, bias = (np.zeros(each.shape, np.float32) for each in layer.weights)
    kernel[:] = 1 / (kernel.shape[2] * chosen.scales[branch.map])
    layer.set_weights([kernel, bias])


def _metrics(
    images: FitImages,
    network: keras.Model,
    fitted: Rows,
    held: Rows,
    chosen: Candidate,
) -> dict[str, float]:
    """Rescale the network to a threshold of 1, and return its metrics.

    Args:
        images: The dataset.
        network: The network with the weights of the candidate.
        fitted: Good training images.
        held: Good images that nothing was fitted on.
        chosen: The candidate.
    """
    seed = images.plan.seed
    some = fitted[np.linspace(0, len(fitted) - 1, min(len(fitted), COMPARED)).astype(np.int64)]

    def scores(batches: Iterator[NDArray[Any]]) -> NDArray[np.float64]:
        found = [outputs_of(network, batch)[0][..., -1] for batch in batches]
        return np.concatenate([highest(each.astype(np.float64)) for each in found])

    good = scores(images.batches(held, "Measuring the threshold"))
    limit = threshold_of_good(good)
    head = network.get_layer(HEAD)
    kernel, bias = head.get_weights()
    head.set_weights([kernel / limit, bias])
    learned = scores(images.batches(some, "Scoring training images"))
    drawn = scores(images.with_defects(some, "Scoring drawn defects", seed + 1))
    return {
        "loss": float(learned.mean()),
        "auroc": auroc(learned, drawn),
        "val_loss": float(good.mean() / limit),
        "val_auroc": chosen.auroc,
    }


def _journal(context: RunContext, metrics: dict[str, float], images: int, seconds: float) -> None:
    """Journal the fit as the only step of an epoch.

    Args:
        context: The run.
        metrics: On training and validation images.
        images: Good training images.
        seconds: Time it took.
    """
    speed = images / max(seconds, 1e-9)
    rate = float("nan")
    context.emit(
        StepsDone(
            first=1,
            last=1,
            metrics={"loss": [metrics["loss"]]},
            learning_rate=rate,
            images_per_second=speed,
        )
    )
    context.emit(
        EpochDone(
            epoch=1,
            step=1,
            metrics=metrics,
            learning_rate=rate,
            seconds=seconds,
            images_per_second=speed,
            is_best=True,
        )
    )


def _summary(chosen: Candidate, compared: Sequence[Candidate], images: int) -> str:
    """Return what was chosen, and how sure that is."""
    return message(
        "Of {count} methods, {way} on {maps} tells drawn defects best: AUROC {auroc:.3f} on "
        "{images} good images that were held out, and on copies of them with drawn defects. Real "
        "defects may be easier or harder.",
        count=len(compared),
        way=way_of(chosen),
        maps=as_message(chosen.maps),
        auroc=chosen.auroc,
        images=images,
    )
