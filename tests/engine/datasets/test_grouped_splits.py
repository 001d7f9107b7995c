"""Images that belong together, such as near-duplicates, get the same split."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.edits import Exclude, Include
from studio.engine.datasets.groups import connected_groups, joined_groups, units_of
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.origins.record import Origins, read_origins, write_origins
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.splits import (
    SKIPPED,
    TEST,
    TRAIN,
    VAL,
    ImagesToSplit,
    assign_splits,
    resplit,
    splits_of_groups,
    stratified_splits,
)
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset, resplit_dataset
from studio.engine.errors import BadDataError
from studio.engine.progress import SilentProgress

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=40)
PERCENTS = st.sampled_from([(20.0, 10.0), (10.0, 0.0), (0.0, 25.0), (30.0, 30.0), (15.0, 15.0)])
SEEDS = st.integers(0, 2**31 - 1)
SPLITS = np.array([TRAIN, VAL, TEST])


def _images(
    sizes: list[int], classes: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return labels and groups in a random order; a few groups have images of two classes."""
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    labels = random.integers(0, classes, len(sizes))[groups]
    labels[random.random(len(labels)) < 0.02] = 0
    order = random.permutation(len(groups))
    return labels[order], groups[order]


def _is_whole(split: NDArray[np.int8], groups: NDArray[np.int64]) -> bool:
    return all(len(np.unique(split[groups == group])) == 1 for group in np.unique(groups))


@settings(max_examples=60)
@given(SIZES, st.integers(1, 4), PERCENTS, SEEDS)
@example(sizes=[1, 1, 2], classes=2, percents=(20.0, 10.0), seed=39)
def test_no_group_is_torn_apart_and_the_same_seed_gives_the_same(
    sizes: list[int], classes: int, percents: tuple[float, float], seed: int
) -> None:
    labels, groups = _images(sizes, classes, seed)

    split = assign_splits(labels, *percents, seed, groups=groups)

    assert not (split == SKIPPED).any()
    assert _is_whole(split, groups)
    assert np.array_equal(split, assign_splits(labels, *percents, seed, groups=groups))
    for label in np.unique(labels):
        mine = labels == label
        if len(np.unique(groups[mine])) >= 2:
            assert (split[mine] == TRAIN).any(), f"class {label} is not trained"


@settings(max_examples=60)
@given(st.lists(st.integers(1, 9), min_size=30, max_size=60), PERCENTS, SEEDS)
def test_fractions_are_met_within_one_group(
    sizes: list[int], percents: tuple[float, float], seed: int
) -> None:
    labels, groups = _images(sizes, 2, seed)
    single = assign_splits(labels, *percents, seed)
    wanted = (single[:, None] == SPLITS).sum(axis=0)

    split = assign_splits(labels, *percents, seed, groups=groups)

    assert (np.abs((split[:, None] == SPLITS).sum(axis=0) - wanted) <= max(sizes)).all()


def test_each_class_gets_its_fraction_where_single_images_even_it_out() -> None:
    labels = np.repeat([0, 1, 2], [200, 100, 20])
    groups = np.arange(320)
    groups[:40] //= 4
    groups[200:212] = 200

    split = assign_splits(labels, 20, 10, 0, groups=groups)

    counts = [(split[labels == label][:, None] == SPLITS).sum(axis=0) for label in range(3)]
    assert [each.tolist() for each in counts] == [[140, 40, 20], [70, 20, 10], [14, 4, 2]]


def test_single_images_are_dealt_as_without_groups() -> None:
    labels = np.arange(300) % 7

    grouped = assign_splits(labels, 20, 10, 3, groups=np.arange(300)[::-1].copy())

    assert np.array_equal(grouped, assign_splits(labels, 20, 10, 3))


@settings(max_examples=30)
@given(SIZES, PERCENTS, SEEDS)
def test_groups_of_labels_stay_together(
    sizes: list[int], percents: tuple[float, float], seed: int
) -> None:
    _, groups = _images(sizes, 1, seed)
    traits = np.random.default_rng(seed).random((len(groups), 3)) < 0.3
    unknown = np.full(len(groups), SKIPPED, np.int8)

    split = stratified_splits(traits, *percents, seed, unknown, groups)

    assert _is_whole(split, groups)


@pytest.mark.parametrize("method", ["stratified", "ratio", "kfold"])
@pytest.mark.parametrize("with_traits", [False, True])
def test_every_method_keeps_groups_together(method: str, with_traits: bool) -> None:
    random = np.random.default_rng(1)
    labels, groups = _images([3] * 20 + [1] * 40, 3, 2)
    count = len(labels)
    traits = random.random((count, 3)) < 0.4 if with_traits else None
    plan = SplitPlan.parse({"method": method})
    counted = random.random(count) < 0.8
    images = ImagesToSplit(labels, np.zeros(count, np.int8), counted, None, traits, groups)

    split = resplit(plan, images)

    assert _is_whole(split, groups), "images that are left out come back to their group"
    assert not _is_whole(resplit(plan.changed(by_origin=False), images), groups)


def test_folds_measure_each_image_once() -> None:
    labels, groups = _images([4] * 15 + [1] * 40, 2, 5)
    counted = np.ones(len(labels), np.bool_)
    images = ImagesToSplit(labels, np.zeros(len(labels), np.int8), counted, groups=groups)
    plans = [SplitPlan(method="kfold", folds=4, fold=fold) for fold in range(4)]

    measured = np.stack([resplit(plan, images) == VAL for plan in plans])

    assert (measured.sum(axis=0) == 1).all()
    assert np.abs(measured.sum(axis=1) - len(labels) / 4).max() <= 4


def test_groups_are_connected_and_joined() -> None:
    pairs = np.array([[3, 2], [2, 1], [7, 6], [5, 4], [4, 3]])
    assert connected_groups(pairs, 9).tolist() == [0, 1, 1, 1, 1, 1, 6, 6, 8]
    chain = np.stack([np.arange(4999), np.arange(1, 5000)], axis=1)
    assert (connected_groups(chain[::-1], 5000) == 0).all()
    joined = joined_groups(np.array([5, 5, 7, 8, 9]), np.array([1, 2, 2, 3, 3]))
    assert units_of(joined).sizes.tolist() == [3, 2]
    split = np.array([SKIPPED, TEST, VAL, SKIPPED, SKIPPED], np.int8)
    assert splits_of_groups(split, joined).tolist() == [VAL, VAL, VAL, SKIPPED, SKIPPED]


def test_damaged_origins_are_refused(tmp_path: Path) -> None:
    films = Origins.named("video", ["a", "a", ""], np.arange(3))
    write_origins(tmp_path, Origins.none(3))
    assert read_origins(tmp_path, 3).kind == "none"
    write_origins(tmp_path, films)
    assert [read_origins(tmp_path, 3).name(row) for row in range(3)] == ["a", "a", ""]
    with pytest.raises(BadDataError, match="it has int64 of shape"):
        read_origins(tmp_path, 2)
    for content in (b"", (tmp_path / "origins.npy").read_bytes()[:-9]):
        (tmp_path / "origins.npy").write_bytes(content)
        with pytest.raises(BadDataError, match="origins of images"):
            read_origins(tmp_path, 3)
    write_origins(tmp_path, films)
    for text in ("{", "[]", '{"kind": "video", "column": "", "names": []}'):
        (tmp_path / "origins.json").write_text(text)
        with pytest.raises(BadDataError, match="origins of images"):
            read_origins(tmp_path, 3)


def _photo(random: np.random.Generator) -> NDArray[np.float64]:
    photo: NDArray[np.float64] = np.kron(
        random.integers(30, 220, (6, 6, 3)), np.ones((6, 6, 1))
    ).astype(np.float64)
    return photo


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Two classes of 30 pictures; 8 have three more versions, one of them an exact copy."""
    random = np.random.default_rng(0)
    for name in ("iris", "rose"):
        (tmp_path / "photos" / name).mkdir(parents=True)
        for number in range(30):
            photo = _photo(random)
            versions = [photo, photo, photo * 0.97 + 4, photo + random.normal(0, 2, photo.shape)]
            for version, pixels in enumerate(versions[: 4 if number < 4 else 1]):
                path = tmp_path / "photos" / name / f"{number:02}_{version}.png"
                Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(path)
    return tmp_path / "photos"


def test_an_import_keeps_near_duplicates_together_and_says_so(
    pictures: Path, tmp_path: Path
) -> None:
    recipe = DatasetRecipe(source=str(pictures), width=36, height=36)
    folder = tmp_path / "dataset"

    report = import_dataset(recipe, folder, SilentProgress())

    store = Store.open(folder)
    names = np.array([path.rsplit("_", 1)[0] for path in store.paths])
    _, groups = np.unique(names, return_inverse=True)
    assert _is_whole(store.split, groups)
    origins = report.splits.origins
    assert (origins.kind, origins.groups, origins.images) == ("near_duplicates", 8, 32)
    assert str(report.splits.text) == (
        "random 70/20/10 (seed 0); 8 groups of near-duplicates kept together (32 images)"
    )
    assert report.counts == {"train": 59, "val": 17, "test": 8}
    assert preview_import(recipe, SilentProgress()).counts == report.counts
    plan = AuditPlan(dataset="d", doubt_labels=False)
    assert audit_dataset(folder, plan, SilentProgress()).finding("leakage") is None
    edit_dataset(folder, [Exclude(rows="0-20")])
    resplit_dataset(folder, SplitPlan(seed=4))
    edit_dataset(folder, [Include(rows="0-20")])
    assert not np.array_equal(Store.open(folder).split, store.split)
    assert _is_whole(Store.open(folder).split, groups)


def test_new_pictures_join_the_split_of_their_duplicates(pictures: Path, tmp_path: Path) -> None:
    names = {"train": "00", "val": "01", "test": "02"}
    for split, number in names.items():
        for path in [*pictures.glob(f"*/{number}_0.png")]:
            copy = tmp_path / "old" / split / path.parent.name / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    recipe = DatasetRecipe(
        source=str(tmp_path / "old"), more_sources=[str(pictures)], width=36, height=36
    )
    folder = tmp_path / "dataset"

    import_dataset(recipe, folder, SilentProgress())

    store = Store.open(folder)
    for index, number in enumerate(names.values()):
        rows = [row for row, path in enumerate(store.paths) if f"{number}_" in path]
        assert (store.split[rows] == index).all(), number
