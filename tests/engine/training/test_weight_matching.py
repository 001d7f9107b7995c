"""Weights files find their network; files of another network are rejected before a run starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.weights import weights_file
from studio.engine.errors import BadDataError, StudioError
from studio.engine.networks.catalog import layer_tables
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import DRAWN_BACKBONES, zoo_name_of
from studio.engine.training.weight_matching import (
    network_of_weights,
    require_network_of,
    weights_problem,
)

SHARED = Path(__file__).resolve().parents[4] / "shared" / "models"


def weights_of(path: Path, network: str, head: int = 0) -> Path:
    """A file with all layers of a network, full of zeros."""
    rows = layer_tables()[network].layers.items()
    layers = [_shapes(key) for key, count in rows for _ in range(count)]
    return weights_file(path, [*layers, *([[(64, head), (head,)]] if head else [])])


def _shapes(key: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, shape.split("x"))) for shape in key.split()]


@pytest.mark.parametrize(
    "network", ["squeezenet", "mobilenet_v2", "mobilenet", "resnet50_imagenet", "resnet50_v2"]
)
@pytest.mark.parametrize("head", [0, 1000])
def test_a_file_finds_its_network_with_and_without_a_head(
    tmp_path: Path, network: str, head: int
) -> None:
    assert network_of_weights(weights_of(tmp_path / "any name.h5", network, head)) == network


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared files are not here")
@pytest.mark.parametrize(
    ("file", "network"),
    [
        ("squeezenet_v1.1_imagenet_notop.h5", "squeezenet"),
        ("mobilenet_v2_1.0_224_imagenet.weights.h5", "mobilenet_v2"),
    ],
)
def test_real_files_find_their_network(file: str, network: str) -> None:
    path = SHARED / file
    spec = ZOO[network].build((224, 224, 3), 5)

    assert network_of_weights(path) == network
    assert weights_problem(path, network, None, spec) is None


def test_weights_of_another_network_are_rejected_with_both_names(tmp_path: Path) -> None:
    path = weights_of(tmp_path / "w.h5", "squeezenet")
    lenet = ZOO["lenet"].build((28, 28, 3), 5)

    problem = weights_problem(path, "lenet", None, lenet)

    assert problem is not None
    assert problem.serious
    assert problem.where == "weights"
    assert problem.message == "the weights in w.h5 belong to SqueezeNet 1.1, not to LeNet-5."
    assert 'Choose the network "squeezenet"' in problem.hint


def test_a_drawn_network_takes_its_own_weights_and_rejects_others(tmp_path: Path) -> None:
    drawing = ZOO["squeezenet"].build((224, 224, 3), 5)
    own = weights_of(tmp_path / "own.h5", "squeezenet")
    other = weights_of(tmp_path / "other.h5", "lenet")

    assert weights_problem(own, "mine", drawing, drawing) is None
    problem = weights_problem(other, "mine", drawing, drawing)
    assert problem is not None
    assert "5x5" not in problem.message


def test_an_unknown_network_and_a_damaged_file_say_what_to_do(tmp_path: Path) -> None:
    unknown = weights_file(tmp_path / "unknown.h5", [[(7, 7, 3, 5)]])
    assert network_of_weights(unknown) == ""
    with pytest.raises(StudioError, match="unknown network"):
        require_network_of(unknown)
    damaged = tmp_path / "damaged.h5"
    damaged.write_bytes(b"no weights")
    with pytest.raises(BadDataError, match="cannot be used"):
        network_of_weights(damaged)


def test_the_table_holds_every_network_and_names_equal_ones() -> None:
    assert list(layer_tables()) == ZOO.names()
    duplicates = {name for name in ZOO.names() if f"{name}_imagenet" in ZOO}
    assert duplicates == DRAWN_BACKBONES
    assert zoo_name_of("resnet50") == "resnet50_imagenet"
    assert 8e6 < layer_tables()["mobilenet_v2"].download_bytes < 10e6
