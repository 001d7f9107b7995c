"""Whether the estimate ranks networks as training does, and the default solver is a good choice.

Subsets of CIFAR-10 with few images per class are imported at 64 x 64 pixels. The estimate of
SqueezeNet, MobileNetV2 and raw pixels stands beside the test accuracy of trainings: of a linear
head on the frozen networks, and of a small CNN from scratch. Kendall's tau compares both orders.
Then the recommended solver is compared with each single one, for several draws of images.

    PYTHONPATH=tests python tests/benchmarks/estimate_ranking.py [--images 20 50 200] [--seeds 5]

Data and weights: `../shared/data/cifar10.tar.xz` and `../shared/models`.
"""

from __future__ import annotations

import argparse
import statistics
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

import studio
from studio.engine.training.plan import BEST_LINEAR, HeadSolver

SHARED = Path(__file__).resolve().parents[3] / "shared"
WEIGHTS = {
    "squeezenet": SHARED / "models" / "squeezenet_v1.1_imagenet_notop.h5",
    "mobilenet_v2": SHARED / "models" / "mobilenet_v2_1.0_224_imagenet.weights.h5",
}
SOLVERS: tuple[HeadSolver, ...] = ("logistic_regression", "linear_svm")
TEST_IMAGES = 100
"""Test images of each class."""


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, nargs="+", default=[20, 50, 200])
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as scratch,
        tarfile.open(SHARED / "data" / "cifar10.tar.xz") as packed,
    ):
        packed.extractall(Path(scratch, "cifar"), filter="data")
        with studio.open(Path(scratch, "workspace"), progress=False) as workspace:
            source = Path(scratch, "cifar")
            for images in options.images:
                dataset = _imported(workspace, source, images, 0)
                _rank(workspace, dataset, images)
            _compare_solvers(workspace, source, min(options.images), options.seeds)


def _imported(workspace: studio.Workspace, source: Path, images: int, seed: int) -> studio.Dataset:
    """Import a draw of training images, a fifth of them for validation, and the test images."""
    name = f"cifar-{images}-{seed}"
    folder = source.parent / name
    random = np.random.default_rng(seed)
    for split, count in (("train", images), ("test", TEST_IMAGES)):
        for kind in sorted((source / split).iterdir()):
            files = sorted(kind.iterdir())
            (folder / split / kind.name).mkdir(parents=True)
            for at in random.choice(len(files), count, replace=False):
                (folder / split / kind.name / files[at].name).hardlink_to(files[at])
    return workspace.datasets.import_folder(folder, name=name, width=64, height=64)


def _accuracy(run: studio.Run) -> float:
    found = run.evaluate(split="test").metrics["accuracy"]
    assert found is not None
    return found


def _rank(workspace: studio.Workspace, dataset: studio.Dataset, images: int) -> None:
    estimated: dict[str, float] = {}
    trained: dict[str, float] = {}
    for network, weights in WEIGHTS.items():
        report = workspace.baseline(dataset, network, str(weights))
        estimated[network] = report.score
        estimated["raw pixels"] = report.pixels_score
        # Named by its weights alone, a network gets small images enlarged, as in the estimate.
        head = workspace.train(dataset, recipe="linear_head", weights=str(weights))
        trained[network] = _accuracy(head)
    scratch = workspace.train(dataset, "small_cnn", recipe="from_scratch", epochs=40)
    trained["raw pixels"] = _accuracy(scratch)
    tau = kendalltau([estimated[each] for each in trained], list(trained.values())).statistic
    print(f"{images} images per class: Kendall's tau {tau:+.2f}", flush=True)
    _print_row("estimated", estimated)
    _print_row("trained", trained)


def _compare_solvers(workspace: studio.Workspace, source: Path, images: int, seeds: int) -> None:
    weights = WEIGHTS["squeezenet"]
    differences = []
    for seed in range(1, seeds + 1):
        dataset = _imported(workspace, source, images, seed)
        found: dict[str, float] = {
            solver: _accuracy(
                workspace.train(
                    dataset,
                    recipe="linear_head",
                    weights=str(weights),
                    head_solver=solver,
                    seed=seed,
                )
            )
            for solver in (BEST_LINEAR, *SOLVERS)
        }
        _print_row(f"draw {seed}", found)
        differences.append(found[BEST_LINEAR] - max(found[each] for each in SOLVERS))
    print(
        f"{BEST_LINEAR} minus the best solver, {images} images per class: "
        f"mean {statistics.fmean(differences):+.3f}, lowest {min(differences):+.3f}"
    )


def _print_row(title: str, values: Mapping[str, float]) -> None:
    print(
        f"  {title:<12}" + "".join(f"{name} {value:.3f}  " for name, value in values.items()),
        flush=True,
    )


if __name__ == "__main__":
    main()
