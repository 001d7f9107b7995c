"""The frozen part of a network: where it ends, what it gives, and that it is computed once."""

from __future__ import annotations

from pathlib import Path

import keras
import numpy as np
import pytest

from helpers.pictures import picture_folder, small_recipe
from studio.engine.baselines.cache import FeatureCache
from studio.engine.compute import features as module
from studio.engine.compute.build import build
from studio.engine.compute.features import (
    cut_before,
    cut_behind_frozen,
    enlarging,
    features_of,
    key_of,
)
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.store import Store
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.parts import with_freezing
from studio.engine.networks.spec import HEAD, HEAD_BLOCK, InputShape, NetworkSpec
from studio.engine.progress import Cancelled, SilentProgress


def _spec(side: int = 8, units: int = 2) -> NetworkSpec:
    net = GraphBuilder("Tiny", InputShape(height=side, width=side, channels=1), units)
    net.add("rescaling", scale=1 / 255).add("conv2d", "conv", filters=4)
    net.add("batch_normalization", "norm").add("dropout", "drop", rate=0.5)
    net.add("global_average_pool", "pool", block=HEAD_BLOCK)
    return net.add("dense", HEAD, block=HEAD_BLOCK, units=units, activation="softmax").spec()


def _frozen(freeze: str = "all", seed: int = 0) -> keras.Model:
    return build(with_freezing(_spec(), freeze), seed=seed)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    folder = tmp_path / "dataset"
    folder.mkdir()
    import_dataset(small_recipe(picture_folder(tmp_path / "p", 50)), folder, SilentProgress())
    return Store.open(folder)


def test_the_cut_lies_before_what_is_random() -> None:
    model = _frozen()
    cut = cut_behind_frozen(model)

    assert cut is not None
    assert (cut.node, cut.shape) == ("norm", (8, 8, 4))
    images = np.random.default_rng(0).integers(0, 255, (3, 8, 8, 1)).astype(np.float32)
    whole = model.predict_on_batch(images)
    assert cut.head.predict_on_batch(cut.features.predict_on_batch(images)) == pytest.approx(whole)
    assert [each is model.get_layer(HEAD) for each in cut.head.layers][-1]
    assert [weight.path for weight in cut.head.trainable_weights] == [
        weight.path for weight in model.trainable_weights
    ]


def test_frozen_up_to_a_layer() -> None:
    cut = cut_behind_frozen(_frozen("conv"))

    assert cut is not None
    assert cut.node == "conv"
    assert {layer.name for layer in cut.head.layers} >= {"norm", "drop", "pool", HEAD}


def test_nothing_to_cut() -> None:
    assert cut_behind_frozen(_frozen("none")) is None
    assert cut_behind_frozen(_frozen("rescaling_1")) is None


def test_two_ways_into_the_head_are_no_cut() -> None:
    net = GraphBuilder("Two", InputShape(height=8, width=8, channels=1), 2)
    net.add("conv2d", "one", filters=2).add("conv2d", "two", filters=2)
    net.add("flatten", "first", after="one", block=HEAD_BLOCK)
    net.add("dense", "side", units=3, block=HEAD_BLOCK)
    net.add("flatten", "second", after="two", block=HEAD_BLOCK)
    net.add("dense", "main", units=3, block=HEAD_BLOCK)
    net.add("add", "sum", after=("side", "main"), block=HEAD_BLOCK)
    spec = net.add("dense", HEAD, units=2, activation="softmax", block=HEAD_BLOCK).spec()

    assert cut_behind_frozen(build(with_freezing(spec, "all"), seed=0)) is None


def test_before_the_last_layer_dropout_does_nothing() -> None:
    model = _frozen("none")
    cut = cut_before(model, HEAD)

    assert (cut.node, cut.shape) == ("pool", (4,))
    images = np.full((2, 8, 8, 1), 99.0, np.float32)
    assert cut.head.predict_on_batch(cut.features.predict_on_batch(images)) == pytest.approx(
        model.predict_on_batch(images)
    )
    larger = np.full((2, 5, 11, 1), 99.0, np.float32)
    assert enlarging(cut, (5, 11, 1)).predict_on_batch(larger) == pytest.approx(
        cut.features.predict_on_batch(images), abs=1e-5
    )
    assert enlarging(cut, (8, 8, 1)) is cut.features


class _Spy(SilentProgress):
    """Counts, and cancels when told to."""

    def __init__(self, cancel_at: int = 10**9) -> None:
        self.done: list[int] = []
        self.cancel_at = cancel_at

    def advance(self, done: int, total: int, what: str) -> None:
        self.done.append(done)

    def check(self) -> None:
        if len(self.done) >= self.cancel_at:
            raise Cancelled


def test_a_second_use_computes_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[int] = []
    from studio.engine.compute.models import score as real

    def counted(model: keras.Model, pixels: np.ndarray) -> np.ndarray:
        passes.append(len(pixels))
        return real(model, pixels)

    monkeypatch.setattr(module, "score", counted)
    cache = FeatureCache(tmp_path / "features")
    cut = cut_before(_frozen(), HEAD)
    key = key_of("d", store, _spec(), cut)
    some, every = store.rows("train")[:40], np.arange(100)

    first = features_of(cache, key, cut.features, store, some, SilentProgress())
    assert sum(passes) == 40
    again = features_of(cache, key, cut.features, store, some[::-1], SilentProgress())
    assert sum(passes) == 40, "everything was kept"
    assert (again[some] == first[some]).all()
    more = features_of(cache, key, cut.features, store, every, SilentProgress())
    assert sum(passes) == 100, "only what was missing"
    expected = cut.features.predict_on_batch(np.asarray(store.images[every], np.float32))
    assert more[every] == pytest.approx(expected, abs=1e-4)


def test_the_key_knows_weights_network_and_pixels_but_not_the_head(
    store: Store, tmp_path: Path
) -> None:
    def key(spec: NetworkSpec, seed: int, *more: str) -> str:
        cut = cut_before(build(spec, seed=seed), HEAD)
        return key_of("d", store, spec, cut, *more).digest

    same = key(_spec(), 0)
    assert key(with_freezing(_spec(), "all"), 0) == same
    assert key(_spec(units=5), 0) == same
    other = _spec().model_copy(update={"name": "Other", "positions": {"conv": (1.0, 2.0)}})
    assert key(other, 0) == same
    assert key(_spec(), 1) != same
    assert key(_spec(9), 0) != same
    assert key(_spec(), 0, "more") != same
    padded = (
        _spec()
        .node("conv")
        .model_copy(
            update={"parameters": {**_spec().node("conv").parameters, "activation": "relu"}}
        )
    )
    nodes = tuple(padded if node.id == "conv" else node for node in _spec().nodes)
    assert key(_spec().model_copy(update={"nodes": nodes}), 0) != same
    store.path.touch()
    assert key(_spec(), 0) != same


def test_what_was_computed_before_a_cancel_is_kept(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 8)
    monkeypatch.setattr(module, "PART_IMAGES", 16)
    cache = FeatureCache(tmp_path / "features")
    cut = cut_before(_frozen(), HEAD)
    key = key_of("d", store, _spec(), cut)
    with pytest.raises(Cancelled):
        features_of(cache, key, cut.features, store, np.arange(100), _Spy(cancel_at=5))

    assert len(cache.open(key).rows) == 32
    spy = _Spy()
    features_of(cache, key, cut.features, store, np.arange(100), spy)
    assert len(cache.open(key).rows) == 100
    assert spy.done[-1] == 68
