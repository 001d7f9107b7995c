from __future__ import annotations

import gzip
import pickle
import shutil
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dataset_pictures import Listener, recipe
from hypothesis import given
from hypothesis import strategies as st
from source_cases import as_cifar, as_mnist, idx, pictures

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import Scan
from studio.engine.datasets.sources.cifar import class_names, labels_of, pixels_of
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import SilentProgress

FLAT = np.random.default_rng(0).integers(0, 256, (4, 3072), np.uint8)


def scanned(path: Path) -> Scan:
    return source_for(path).scan(path, Listener())


class Evil:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.target,)


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_that_runs_code_is_refused(tmp_path: Path, protocol: int) -> None:
    flag = tmp_path / "ran"
    data = pickle.dumps({"data": FLAT, "labels": [0, 1, 0, Evil(flag)]}, protocol)
    for read in (labels_of, pixels_of, class_names):
        with pytest.raises(BadDataError, match="contains code"):
            read("data_batch_1", data)
    assert not flag.exists()
    folder = as_cifar(tmp_path, pictures(["a", "b"], 2))
    (folder / "data_batch_2").write_bytes(data)
    found = scanned(folder)
    assert len(found.items) == 4
    assert "contains code" in found.problems[0].reason
    assert not flag.exists()


@pytest.mark.parametrize("protocol", range(5))
def test_pickles_of_every_python_are_read(protocol: int) -> None:
    data = pickle.dumps({b"data": FLAT, b"labels": [3, 1, 2, 0]}, protocol)
    assert labels_of("data_batch_1", data) == [3, 1, 2, 0]
    assert np.array_equal(
        pixels_of("data_batch_1", data), FLAT.reshape(4, 3, 32, 32).transpose(0, 2, 3, 1)
    )
    old = data.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    if protocol < 4:  # later ones write lengths
        assert labels_of("data_batch_1", old) == [3, 1, 2, 0]


@pytest.mark.parametrize(
    "table",
    [
        {},
        [],
        {"data": FLAT},
        {"labels": [1, 2, 3, 4]},
        {"data": FLAT, "labels": [1, 2]},
        {"data": FLAT, "labels": ["a"] * 4},
        {"data": FLAT.astype(np.float32), "labels": [1, 2, 3, 4]},
        {"data": FLAT[:, :100].copy(), "labels": [1, 2, 3, 4]},
        {"data": np.asfortranarray(FLAT), "labels": [1, 2, 3, 4]},
        {"data": 3, "labels": [1, 2, 3, 4]},
    ],
)
def test_invalid_batches(table: object) -> None:
    with pytest.raises(BadDataError):
        labels_of("data_batch_1", pickle.dumps(table, 2))


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=6),
    st.integers(0, 300),
    st.sampled_from([0, 2, 4]),
)
def test_damaged_pickles_are_a_reason(
    changes: list[tuple[int, int]], cut: int, protocol: int
) -> None:
    data = bytearray(pickle.dumps({"data": FLAT[:, :], "labels": [1, 2, 3, 4]}, protocol))
    data = data[: len(data) - cut]
    for index, value in changes:
        data[index % 200 if index % 2 else -(index % 200) - 1] = value
    try:
        labels = labels_of("data_batch_1", bytes(data))
        pixels = pixels_of("data_batch_1", bytes(data))
    except BadDataError:
        return
    assert len(labels) == len(pixels)


def test_the_archive_as_published(tmp_path: Path) -> None:
    folder = as_cifar(tmp_path, pictures(["a", "b", "c"], 4))
    shutil.copy(folder / "data_batch_1", folder / "test_batch")
    with tarfile.open(tmp_path / "cifar-10-python.tar.gz", "w:gz") as archive:
        archive.add(folder, folder.name)
    (tmp_path / "alone").mkdir()
    shutil.copy(tmp_path / "cifar-10-python.tar.gz", tmp_path / "alone")
    sources = (tmp_path / "cifar-10-python.tar.gz", tmp_path / "alone", tmp_path, folder)
    for number, path in enumerate(sources):
        assert source_for(path).name == "cifar"
        asked = recipe(path, width=32, height=32, val_percent=25)
        summary = import_dataset(asked, tmp_path / f"out{number}", SilentProgress())
        assert summary.counts == {"train": 9, "val": 3, "test": 12}
        assert summary.classes == ["a", "b", "c"]
        assert summary.skipped == []


def test_binary_batches(tmp_path: Path) -> None:
    folder = tmp_path / "cifar-10-batches-bin"
    folder.mkdir()
    rows = np.concatenate([np.array([[0], [1], [1], [0]], np.uint8), FLAT], axis=1)
    (folder / "data_batch_1.bin").write_bytes(rows.tobytes())
    (folder / "test_batch.bin").write_bytes(rows[:3].tobytes() + b"x")
    (folder / "batches.meta.txt").write_text("cat\ndog\n\n")
    found = scanned(folder)
    assert found.classes() == ["cat", "dog"]
    assert [(e.path, e.reason) for e in found.problems] == [
        ("test_batch.bin", "the batch is truncated")
    ]
    images = {i: fetch() for i, fetch in source_for(folder).read(folder, found.items)}
    assert len(images) == 4


def test_cifar_100_gives_the_fine_classes(tmp_path: Path) -> None:
    names = {"fine_label_names": ["apple", "bear"], "coarse_label_names": ["fruit"]}
    batch = {"data": FLAT, "fine_labels": [0, 1, 1, 0], "coarse_labels": [0, 0, 0, 0]}
    (tmp_path / "meta").write_bytes(pickle.dumps(names, 2))
    for name in ("train", "test"):
        (tmp_path / name).write_bytes(pickle.dumps(batch, 2))
    found = scanned(tmp_path)
    assert found.classes() == ["apple", "bear"]
    assert {item.split for item in found.items} == {"train", "test"}
    (tmp_path / "bin").mkdir()
    rows = np.concatenate([np.array([[9, 0], [9, 1], [9, 1], [9, 0]], np.uint8), FLAT], axis=1)
    (tmp_path / "bin" / "train.bin").write_bytes(rows.tobytes())
    (tmp_path / "bin" / "fine_label_names.txt").write_text("apple\nbear\n")
    found = scanned(tmp_path / "bin")
    assert [item.class_name for item in found.items] == ["apple", "apple", "bear", "bear"]


def mnist_folder(root: Path) -> Path:
    folder = as_mnist(root, pictures(["a", "b"], 5))
    images = gzip.decompress((folder / "train-images-idx3-ubyte.gz").read_bytes())
    (folder / "t10k-images-idx3-ubyte").write_bytes(images)
    shutil.copy(folder / "train-labels-idx1-ubyte", folder / "t10k-labels-idx1-ubyte")
    return folder


def test_mnist_pairs_become_splits(tmp_path: Path) -> None:
    folder = mnist_folder(tmp_path)
    asked = recipe(folder, width=32, height=32, val_percent=20, color="gray")
    summary = import_dataset(asked, tmp_path / "out", SilentProgress())
    assert summary.counts == {"train": 8, "val": 2, "test": 10}
    assert Store.open(tmp_path / "out").paths[0].startswith("t10k-images-idx3-ubyte/")
    alone = scanned(folder / "t10k-images-idx3-ubyte")
    assert {item.split for item in alone.items} == {"test"}


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "not an IDX"),
        (b"hello, I am a text", "not an IDX"),
        (idx(np.zeros((3, 4, 4), np.uint8)), "3 images but 10 labels"),
        (bytes([0, 0, 8, 3]) + b"\xff" * 12, "impossible"),
        (bytes([0, 0, 13, 3]) + bytes(100), "not an IDX"),
    ],
)
def test_idx_files_that_lie(tmp_path: Path, data: bytes, part: str) -> None:
    folder = mnist_folder(tmp_path)
    (folder / "t10k-images-idx3-ubyte").write_bytes(data)
    found = scanned(folder)
    assert len(found.items) == 10
    assert part in found.problems[0].reason


def test_cut_off_idx_keeps_what_came(tmp_path: Path) -> None:
    folder = mnist_folder(tmp_path)
    for name in ("t10k-images-idx3-ubyte", "train-images-idx3-ubyte.gz"):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: len(data) * 9 // 10])
    summary = import_dataset(recipe(folder), tmp_path / "out", SilentProgress())
    assert 14 <= summary.count <= 18
    assert summary.count + len(summary.skipped) == 20
    assert all("truncated" in entry.reason for entry in summary.skipped)


def test_labels_that_are_missing(tmp_path: Path) -> None:
    folder = mnist_folder(tmp_path)
    for path in folder.glob("*labels*"):
        path.unlink()
    with pytest.raises(StudioError, match=r"labels file .* is missing"):
        scanned(folder)
