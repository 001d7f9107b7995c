"""All methods and layers of anomaly detection on one dataset, with bootstrap intervals.

Each candidate is fitted to the good training images, as `studio train` does it, and measured on
real test images. Beside its AUROC is that on drawn defects, by which `studio train` chooses.
With `--trained`, two networks that are trained by their gradient are measured, too: a student of
the features, and an autoencoder of the pixels. Studio has neither.

    PYTHONPATH=tests python tests/benchmarks/anomaly_methods.py FOLDER [--backbone mobilenet_v2]
        [--weights FILE] [--size 224] [--seeds 1] [--trained EPOCHS] [--csv FILE]

FOLDER has the layout of MVTec AD, such as the magnetic tiles in `../shared/data`, unpacked.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np

from helpers.digits import do_here
from studio.engine.compute.build import build
from studio.engine.compute.tasks.anomaly_candidates import Candidate, best, combined, highest
from studio.engine.compute.tasks.anomaly_images import FitImages, divided
from studio.engine.compute.tasks.anomaly_methods import Comparison
from studio.engine.compute.tasks.good_images import Embedded, collected, compare
from studio.engine.compute.weights import load_weights
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.jobs.states import State
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.good_images import NETWORKS, branches_of, with_branches
from studio.engine.progress import SilentProgress
from studio.engine.proportions import percentile_interval
from studio.engine.tasks.anomaly.report import auroc
from studio.engine.tasks.anomaly.targets import is_good
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace

DRAWS = 1000


class _Context(SilentProgress):
    """A job in a temporary folder without commands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    seed: int
    network: str
    maps: str
    drawn: float
    real: float
    low: float
    high: float
    is_chosen: bool


def measured(
    store: Store, backbone: str, weights: str, seed: int, folder: Path, epochs: int
) -> list[Row]:
    """Fit all candidates with a seed and measure them on the test images."""
    names = [each.name for each in NETWORKS if each.name != "padim_or_patchcore"]
    specs = {
        name: ZOO[f"{name}:backbone={backbone}"].build(store.shape, len(store.classes))
        for name in names
    }
    branches = [branch for spec in specs.values() for branch in branches_of(spec)]
    network_of = {
        branch.name: name for name, spec in specs.items() for branch in branches_of(spec)
    }
    spec = with_branches(specs["padim"], branches)
    network = build(spec, seed=seed)
    context: Any = _Context(folder)
    workspace = Workspace.open(folder / "workspace")
    if weights:
        load_weights(network, spec, weights, workspace, context, with_head=False)
    plan = TrainingPlan(dataset="", network="padim", seed=seed)
    images = FitImages(context, plan, store)
    fitted, held = divided(store, seed)
    embedded = Embedded.of(network, branches, images, fitted)
    comparisons = collected(images, embedded, fitted, spec)
    candidates = compare(images, embedded, comparisons, held)
    rows = store.rows("test")
    scores = _scores(images, embedded, comparisons, candidates, rows)
    good = is_good(store.targets[rows])
    chosen = [
        best([each for each in candidates if network_of[_branch(each)] == name], branches)
        for name in names
    ]
    found = [
        _row(seed, network_of[_branch(each)], each, of, good, is_chosen=each in chosen)
        for each, of in zip(candidates, scores, strict=True)
    ]
    if epochs:
        sides = (fitted, held, rows)
        found += [
            _trained(seed, name, make(images, embedded, epochs, sides), good)
            for name, make in (("student", _student), ("autoencoder", _autoencoder))
        ]
    return found


Scored = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Scores of held-out good images, of copies with drawn defects, and of test images."""


def _student(
    images: FitImages, embedded: Embedded, epochs: int, split: Sequence[np.ndarray]
) -> Scored:
    """Train a small network to predict features of good images; score by its largest error.

    See Wang et al., Student-Teacher Feature Pyramid Matching, 2021.
    """
    fitted = split[0]
    shapes = [each.shape[1] for each in embedded.features(images.store.images[fitted[:1]])]
    scales = sorted({side for side in shapes if side > 1}, reverse=True)
    used = [shapes.index(side) for side in scales]

    def teach(batch: np.ndarray) -> list[np.ndarray]:
        found = embedded.features(batch)
        return [found[at][..., :-1] for at in used]

    taught = [teach(batch) for batch in images.batches(fitted, "Features")]
    targets = [np.concatenate([each[at] for each in taught]) for at in range(len(used))]
    inputs = keras.Input(images.store.shape)
    value = keras.layers.Rescaling(1 / 127.5, -1)(inputs)
    outputs: list[Any] = []
    for filters in (32, 64, 128, 256, 256):
        value = keras.layers.Conv2D(filters, 3, 2, "same", activation="relu")(value)
        if value.shape[1] in scales:
            depth = targets[len(outputs)].shape[-1]
            outputs.append(keras.layers.Conv2D(depth, 1)(value))
    model = keras.Model(inputs, outputs)
    model.compile(keras.optimizers.Adam(1e-3), ["mse"] * len(outputs), jit_compile=False)
    model.fit(images.store.images[fitted], targets, 8, epochs, verbose=0)

    def score(batch: np.ndarray) -> np.ndarray:
        found = model(batch, training=False)
        found = [np.asarray(each) for each in (found if isinstance(found, list) else [found])]
        pairs = zip(found, teach(batch), strict=True)
        errors = [((one - other) ** 2).mean(axis=-1) for one, other in pairs]
        large = errors[0].shape[1]
        scaled = [np.kron(each, np.ones((1, *[large // each.shape[1]] * 2))) for each in errors]
        return np.asarray(np.sum(scaled, axis=0).max(axis=(1, 2)))

    return _scored(images, split, score)


def _autoencoder(
    images: FitImages, _: Embedded, epochs: int, sides: Sequence[np.ndarray]
) -> Scored:
    """Train a network to restore good images; score by the largest mean error of a region."""
    fitted, _held, _rows = sides
    inputs = keras.Input(images.store.shape)
    value = keras.layers.Rescaling(1 / 255)(inputs)
    for filters in (32, 64, 64, 32):
        value = keras.layers.Conv2D(filters, 3, 2, "same", activation="relu")(value)
    value = keras.layers.Conv2D(8, 1)(value)
    for filters in (32, 64, 64, 32):
        value = keras.layers.Conv2DTranspose(filters, 3, 2, "same", activation="relu")(value)
    model = keras.Model(inputs, keras.layers.Conv2D(images.store.shape[-1], 3, 1, "same")(value))
    model.compile(keras.optimizers.Adam(1e-3), "mse", jit_compile=False)
    pixels = images.store.images[fitted]
    model.fit(pixels, pixels.astype(np.float32) / 255, 8, epochs, verbose=0)
    pool = keras.layers.AveragePooling2D(9, 1, "valid")

    def score(batch: np.ndarray) -> np.ndarray:
        restored = np.asarray(model(batch, training=False))
        error = ((restored - batch.astype(np.float32) / 255) ** 2).mean(axis=-1, keepdims=True)
        return np.asarray(keras.ops.max(pool(error), axis=(1, 2, 3)))

    return _scored(images, sides, score)


def _scored(
    images: FitImages, sides: Sequence[np.ndarray], score: Callable[[np.ndarray], np.ndarray]
) -> Scored:
    _, held, rows = sides
    good, real = (
        np.concatenate([score(batch) for batch in images.batches(each, "Testing")])
        for each in (held, rows)
    )
    copies = images.with_defects(held, "Drawn defects", images.plan.seed)
    return good, np.concatenate([score(batch) for batch in copies]), real


def _trained(seed: int, name: str, scored: Scored, good: np.ndarray) -> Row:
    held, drawn, real = scored
    low, high = _interval(real, good)
    of_real = auroc(real[good], real[~good])
    return Row(seed, name, "", auroc(held, drawn), of_real, low, high, is_chosen=False)


def _branch(candidate: Candidate) -> str:
    return f"{candidate.kind}_{next(iter(candidate.scales))}"


def _scores(
    images: FitImages,
    embedded: Embedded,
    comparisons: dict[tuple[str, str], Comparison],
    candidates: Sequence[Candidate],
    rows: np.ndarray,
) -> list[np.ndarray]:
    parts: list[list[np.ndarray]] = [[] for _ in candidates]
    for batch in images.batches(rows, "Testing"):
        values = dict(
            zip((each.name for each in embedded.branches), embedded.features(batch), strict=True)
        )
        distances = {key: each.distances(values[key[0]]) for key, each in comparisons.items()}
        for kept, each in zip(parts, candidates, strict=True):
            own = {name: distances[f"{each.kind}_{name}", each.variant] for name in each.scales}
            kept.append(highest(combined(own, each.scales)))
    return [np.concatenate(each) for each in parts]


def _row(
    seed: int,
    network: str,
    candidate: Candidate,
    scores: np.ndarray,
    good: np.ndarray,
    *,
    is_chosen: bool,
) -> Row:
    low, high = _interval(scores, good)
    name = f"{network} {candidate.variant}".strip()
    maps = " + ".join(candidate.scales)
    real = auroc(scores[good], scores[~good])
    return Row(seed, name, maps, candidate.auroc, real, low, high, is_chosen)


def _interval(scores: np.ndarray, good: np.ndarray) -> tuple[float, float]:
    random = np.random.default_rng(0)
    drawn = []
    for _ in range(DRAWS):
        indices = random.integers(0, len(scores), len(scores))
        some, of = scores[indices], good[indices]
        drawn.append(auroc(some[of], some[~of]))
    return percentile_interval(drawn) or (float("nan"), float("nan"))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--backbone", default="mobilenet_v2")
    parser.add_argument("--weights", default="imagenet")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--trained", type=int, default=0, metavar="EPOCHS")
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        workspace = Workspace.open(folder / "imported")
        recipe = {"source": str(options.folder), "task": "anomaly"}
        size = {"width": options.size, "height": options.size}
        dataset = do_here(workspace, DatasetRecipe.parse(recipe | size), "dataset")
        if dataset.history.state != State.COMPLETED:
            raise SystemExit(str(dataset.history.detail))
        store = Store.open(dataset.record.folder)
        rows = [
            row
            for seed in range(options.seeds)
            for row in measured(
                store,
                options.backbone,
                options.weights,
                seed,
                folder / f"seed{seed}",
                options.trained,
            )
        ]
    print(f"{'method':24}{'maps':22}{'seed':>5}{'drawn':>8}{'real':>8}   95 % interval")
    for row in rows:
        mark = " chosen" if row.is_chosen else ""
        print(
            f"{row.network:24}{row.maps:22}{row.seed:5}{row.drawn:8.3f}{row.real:8.3f}"
            f"   {row.low:.3f} – {row.high:.3f}{mark}"
        )
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0].__dict__))
            writer.writeheader()
            writer.writerows(row.__dict__ for row in rows)


if __name__ == "__main__":
    main()
