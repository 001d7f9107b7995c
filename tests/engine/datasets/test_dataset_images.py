"""Encoded images read like an array of raw pixels, whatever the index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from dataset_pictures import photo
from dataset_stores import make_store
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.open_files import is_open
from studio.engine.arrays import Pixels
from studio.engine.datasets import images
from studio.engine.datasets.images import EncodedImages
from studio.engine.datasets.store import FILE_NAME, Store
from studio.engine.errors import BadDataError

COUNT = 21


def pictures(channels: int = 3, count: int = COUNT) -> NDArray[np.uint8]:
    return np.stack([photo(seed, 12, 10, channels) for seed in range(count)])


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Store]:
    """The same images raw and as PNG; row 4 is a hole."""
    labels = np.arange(COUNT) % 3
    split = np.arange(COUNT) % 3
    split[4] = -1
    root = tmp_path_factory.mktemp("pair")
    raw = make_store(root / "raw", pictures(), labels, split)
    return raw, make_store(root / "png", pictures(), labels, split, encoding="png")


rows_of_store = st.integers(-COUNT, COUNT - 1)
anything = st.integers(-COUNT - 3, COUNT + 3)
indices = st.one_of(
    anything,
    rows_of_store.map(np.int64),
    st.builds(slice, *[st.none() | anything] * 2, st.none() | anything.filter(bool)),
    st.lists(rows_of_store, max_size=40),
    st.lists(anything, max_size=5).map(lambda rows: np.array(rows, np.int32)),
    st.lists(rows_of_store, max_size=40).map(lambda rows: np.array(rows, np.int64)),
    st.lists(st.tuples(rows_of_store, rows_of_store), min_size=1, max_size=4).map(np.array),
    st.lists(st.booleans(), min_size=COUNT, max_size=COUNT).map(np.array),
)


def answer(store: Store, index: Any) -> Pixels | None:
    try:
        return store.images[index]
    except IndexError:
        return None


@given(index=indices)
def test_any_index_gives_what_raw_pixels_give(pair: tuple[Store, Store], index: Any) -> None:
    raw, png = (answer(store, index) for store in pair)
    if raw is None or png is None:
        assert raw is png
        return
    assert (png.shape, png.dtype) == (raw.shape, raw.dtype)
    assert np.array_equal(png, raw)


def test_it_behaves_like_an_array(pair: tuple[Store, Store]) -> None:
    raw, png = (store.images for store in pair)
    assert isinstance(png, EncodedImages)
    for name in ("shape", "ndim", "dtype"):
        assert getattr(png, name) == getattr(raw, name)
    assert len(png) == len(raw)
    assert np.array_equal(np.asarray(png), raw)
    assert np.asarray(png, np.float32).dtype == np.float32
    assert [store.is_encoded for store in pair] == [False, True]
    assert pair[0].shape == pair[1].shape
    for wrong in (np.array([0.5]), np.array([True, False])):
        with pytest.raises(IndexError):
            png[wrong]


@pytest.mark.parametrize("number", [0, 1], ids=["raw", "png"])
def test_no_file_stays_open_between_reads(pair: tuple[Store, Store], number: int) -> None:
    store = Store.open(pair[number].path.parent)
    assert store.images[[1, 3]].shape == (2, 10, 12, 3)
    assert len(store.paths) == len(store.hashes) == COUNT
    assert not is_open(store.path)


@pytest.mark.parametrize("number", [0, 1], ids=["raw", "png"])
def test_a_file_that_stays_mapped_is_let_go_of(pair: tuple[Store, Store], number: int) -> None:
    store = Store.open(pair[number].path.parent)
    with store.images.stays_mapped():
        assert is_open(store.path)
        read = [store.images[2], store.images[3:5], store.images[[4, 1]], store.images[:]]
    assert not is_open(store.path)
    whole = np.asarray(pair[number].images)
    for found, part in zip(read, (whole[2], whole[3:5], whole[[4, 1]], whole), strict=True):
        assert np.array_equal(found, part)


@pytest.mark.parametrize("encoding", ["raw", "png"])
def test_images_of_a_deleted_dataset_are_refused(tmp_path: Path, encoding: str) -> None:
    store = make_store(tmp_path, pictures(), np.zeros(COUNT), encoding=encoding)
    store.path.unlink()
    with pytest.raises(BadDataError, match=r"The dataset was deleted\. Restore it"):
        store.images[3]


def test_threads_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "_LEAST_VALUES", 0)
    monkeypatch.setattr(images, "_SHARE", 2)
    found = make_store(tmp_path, pictures(1), np.zeros(COUNT), encoding="png").images
    assert isinstance(found, EncodedImages)
    found._threads = 3
    rows = np.random.default_rng(0).permutation(COUNT)
    assert np.array_equal(found[rows], pictures(1)[rows])
    assert found._pool._threads


@pytest.mark.parametrize("encoding", ["png", "jpeg"])
@pytest.mark.parametrize("threads", [1, 2])
def test_damaged_bytes_name_the_image(
    tmp_path: Path, encoding: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "_LEAST_VALUES", 0)
    make_store(tmp_path, pictures(), np.zeros(COUNT), encoding=encoding)
    with h5py.File(tmp_path / FILE_NAME, "r+") as file:
        start, length = file["place"][7].tolist()
        file["bytes"][start + length // 2 : start + length] = 0
        file["bytes"][start : start + 2] = 0
    found = Store.open(tmp_path).images
    assert isinstance(found, EncodedImages)
    found._threads = threads
    for index in (7, slice(None), np.arange(COUNT)):
        with pytest.raises(BadDataError, match=r"a/7\.png in row 7 .* damaged") as caught:
            found[index]
        assert caught.value.where == "a/7.png"
    assert found[np.arange(7)].shape == (7, 10, 12, 3)


@pytest.mark.parametrize("location", [(-1, 5), (0, -1), (2**62, 2**62), (0, 10**9), (0, 0)])
def test_locations_outside_of_the_file_are_noticed(
    tmp_path: Path, location: tuple[int, int]
) -> None:
    make_store(tmp_path, pictures(), np.zeros(COUNT), encoding="png")
    with h5py.File(tmp_path / FILE_NAME, "r+") as file:
        file["place"][3] = location
    with pytest.raises(BadDataError, match="lies outside"):
        Store.open(tmp_path)
