"""Which images a baseline looks at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers.pictures import picture_folder, small_recipe
from studio.engine.baselines.sampling import (
    FOLDS,
    draw_sample,
    fold_rounds,
    mixed,
    round_number,
    rounds_of,
)
from studio.engine.compute.extractors import colors_and_edges, tiny_pictures
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError
from studio.engine.progress import SilentProgress


def _store(tmp_path: Path, per_class: int = 100, **values: object) -> Store:
    source = picture_folder(tmp_path / "pictures", per_class)
    folder = tmp_path / "dataset"
    folder.mkdir()
    import_dataset(small_recipe(source, **values), folder, SilentProgress())
    return Store.open(folder)


def test_the_test_images_measure_when_there_are_enough(tmp_path: Path) -> None:
    store = _store(tmp_path, val_percent=20, test_percent=20)

    sample = draw_sample(store, None, 0)

    assert sample.measured_on == "test"
    assert sorted(sample.learn.tolist()) == store.rows("train").tolist()
    assert sorted(sample.measure.tolist()) == store.rows("test").tolist()
    assert len(sample.rows) == 160
    orders = rounds_of(sample, store.strata, 0)
    assert len(orders) == 3
    assert orders[1].learn.tolist() != orders[2].learn.tolist()


def test_validation_images_measure_when_there_are_few_for_testing(tmp_path: Path) -> None:
    sample = draw_sample(_store(tmp_path, val_percent=20, test_percent=5), None, 0)

    assert (sample.measured_on, len(sample.measure)) == ("val", 40)


def test_folds_where_there_is_no_split(tmp_path: Path) -> None:
    store = _store(tmp_path, val_percent=0, test_percent=0)

    sample = draw_sample(store, None, 0)
    rounds = rounds_of(sample, store.labels, 0)

    assert sample.measured_on == "folds"
    assert len(rounds) == FOLDS
    assert sorted(np.concatenate([each.measure for each in rounds]).tolist()) == list(range(200))
    for each in rounds:
        assert not set(each.learn.tolist()) & set(each.measure.tolist())
        assert np.bincount(store.labels[each.measure]).tolist() == [20, 20]


def test_folds_keep_origins_together() -> None:
    rows, strata = np.arange(120), np.arange(120) % 2
    groups = np.arange(120) // 10
    rounds = fold_rounds(mixed(rows, strata, 0), strata, 0, groups)
    assert len(rounds) == FOLDS
    assert sorted(np.concatenate([each.measure for each in rounds]).tolist()) == rows.tolist()
    for each in rounds:
        assert not set(groups[each.learn].tolist()) & set(groups[each.measure].tolist())
    assert len(fold_rounds(rows, strata, 0, groups // 4)) == 3
    assert len(fold_rounds(rows, strata, 0, np.zeros(120, np.int64))) == FOLDS


def test_a_sample_is_stratified_repeatable_and_part_of_a_larger_one(tmp_path: Path) -> None:
    store = _store(tmp_path, val_percent=0, test_percent=40)

    few, more = draw_sample(store, 60, 3), draw_sample(store, 90, 3)

    assert (len(few.learn), len(few.measure)) == (40, 20)
    assert np.bincount(store.labels[few.learn]).tolist() == [20, 20]
    assert set(few.learn.tolist()) < set(more.learn.tolist())
    assert few.there == 120
    assert few.learn.tolist() == draw_sample(store, 60, 3).learn.tolist()
    assert few.learn.tolist() != draw_sample(store, 60, 4).learn.tolist()


def test_every_prefix_of_the_mixed_order_holds_the_classes_in_their_proportions() -> None:
    labels = np.repeat([0, 1, 2], [600, 300, 100])

    order = mixed(np.arange(1000), labels, 0)

    assert sorted(order.tolist()) == list(range(1000))
    for size in (50, 200, 700):
        counts = np.bincount(labels[order[:size]], minlength=3)
        assert np.abs(counts - size * np.array([0.6, 0.3, 0.1])).max() <= 1.5


def test_one_class_is_refused(tmp_path: Path) -> None:
    store = _store(tmp_path, 20)
    store.targets = np.zeros_like(store.targets)
    with pytest.raises(BadDataError, match="at least two classes"):
        draw_sample(store, None, 0)


def test_round_numbers() -> None:
    found = [round_number(images) for images in (0, 1, 9, 10, 149, 150, 299, 999, 1000, 71_234)]
    assert found == [1, 1, 7, 10, 100, 150, 200, 700, 1000, 70_000]


def test_edges_distinguish_directions_and_colors_distinguish_colors() -> None:
    striped = np.zeros((2, 32, 32, 3), np.uint8)
    striped[0, :, ::4] = striped[0, :, 1::4] = 255
    striped[1, ::4] = striped[1, 1::4] = 255
    features = colors_and_edges(striped)
    edges = features[:, 8 * 8 * 3 :]
    assert edges.shape[1] == 8 * 16
    across, down = edges.reshape(2, 8, 16).sum(axis=2)
    assert (int(across.argmax()), int(down.argmax())) == (0, 4)

    red = np.zeros((1, 20, 13, 3), np.uint8)
    red[..., 0] = 255
    assert tiny_pictures(red).reshape(8, 8, 3)[..., 0] == pytest.approx(1.0)
    assert np.isfinite(colors_and_edges(red)).all()
    assert tiny_pictures(np.full((2, 5, 6, 1), 51, np.uint8)).shape == (2, 30)
