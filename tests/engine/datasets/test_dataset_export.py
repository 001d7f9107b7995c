from __future__ import annotations

import csv
import errno
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from dataset_pictures import Listener, recipe
from dataset_stores import make_store
from PIL import Image

from studio.engine.datasets.edits import AddClass, Exclude, Relabel, RenameClass
from studio.engine.datasets.export import FORMATS, all_splits, export_dataset
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.splits import SKIPPED, TEST, TRAIN, VAL
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset
from studio.engine.errors import DiskFullError, StudioError
from studio.engine.progress import Cancelled, SilentProgress

SILENT = SilentProgress()
COUNT = 20
LABELS = np.arange(COUNT) % 3
SPLIT = np.array(([TRAIN] * 2 + [VAL, TEST]) * 5)


@pytest.fixture(params=[1, 3])
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Store:
    images = np.random.default_rng(0).integers(0, 256, (COUNT, 6, 5, request.param), np.uint8)
    paths = [f"{'abc'[label]}/x/same name ü.png" for label in LABELS]
    split = SPLIT.copy()
    split[3] = SKIPPED
    folder = tmp_path / "dataset"
    make_store(folder, images, LABELS, split, paths)
    edit_dataset(
        folder,
        [
            Exclude(rows="0"),
            AddClass(name="a/b: *"),
            Relabel(rows="1", label=3),
            RenameClass(label=1, name="C"),
        ],
    )
    return Store.open(folder)


def test_class_folders_hold_what_the_version_shows(store: Store, tmp_path: Path) -> None:
    path = export_dataset(store, "folders", all_splits(store), tmp_path / "out", "My set", SILENT)

    assert path == tmp_path / "out" / "my-set"
    assert [entry.name for entry in (tmp_path / "out").iterdir()] == ["my-set"]
    assert {entry.name for entry in path.iterdir()} == {"train", "val", "test"}
    # "c" and "C" would be one folder on some systems.
    assert {e.name for e in (path / "train").iterdir()} <= {"a", "C", "c 2", "a_b_ _"}
    found = {}
    for file in path.rglob("*.png"):
        with Image.open(file) as image:
            found[np.asarray(image).tobytes()] = file.relative_to(path).parts[:2]
    names = ["a", "C", "c 2", "a_b_ _"]
    expected = {
        store.images[row].tobytes(): (split, names[store.labels[row]])
        for split in ("train", "val", "test")
        for row in store.rows(split)
    }
    assert found == expected
    assert len(found) == COUNT - 2


def test_one_split_alone_makes_class_folders_at_once(store: Store, tmp_path: Path) -> None:
    path = export_dataset(store, "folders", ["val"], tmp_path / "out", "x", SILENT)
    assert {entry.name for entry in path.iterdir()} <= {"a", "C", "c 2"}
    assert len(list(path.rglob("*.png"))) == len(store.rows("val"))


def test_the_table_names_the_original_files(store: Store, tmp_path: Path) -> None:
    path = export_dataset(store, "csv", ["train", "test"], tmp_path / "out", "x", SILENT)
    assert path.name == "x.csv"
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [int(line["row"]) for line in lines] == [*store.rows("train"), *store.rows("test")]
    for line in lines:
        row = int(line["row"])
        assert line["path"] == f"{store.recipe.source}/{store.paths[row]}"
        assert line["label"] == store.classes[store.labels[row]]
        assert line["split"] == ("train", "val", "test")[store.split[row]]


def test_arrays_hold_everything(store: Store, tmp_path: Path) -> None:
    path = export_dataset(store, "npz", ["train", "test"], tmp_path / "out", "x", SILENT)
    with np.load(path) as arrays:
        assert arrays["class_names"].tolist() == store.classes
        for split in ("train", "test"):
            rows = store.rows(split)
            assert np.array_equal(arrays[f"{split}_images"], store.images[rows])
            assert np.array_equal(arrays[f"{split}_labels"], store.labels[rows])
            assert arrays[f"{split}_paths"].tolist() == [store.paths[row] for row in rows]
        assert "val_images" not in arrays


def test_what_is_exported_can_be_imported_again(tmp_path: Path) -> None:
    images = np.random.default_rng(0).integers(0, 256, (60, 8, 8, 3), np.uint8)
    split = np.array(([TRAIN] * 2 + [VAL, TEST]) * 15)
    store = make_store(tmp_path / "in", images, np.arange(60) % 3, split)
    truth = {
        store.images[row].tobytes(): (int(store.labels[row]), int(store.split[row]))
        for row in range(60)
    }
    for form in ("folders", "npz"):
        to = tmp_path / form
        path = export_dataset(store, form, all_splits(store), to, "x", SILENT)
        again = to / "again"
        import_dataset(recipe(path), again, SILENT)
        other = Store.open(again)
        assert other.classes == store.classes, form
        assert {
            other.images[row].tobytes(): (int(other.labels[row]), int(other.split[row]))
            for row in range(60)
        } == truth, form


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_is_overwritten(store: Store, tmp_path: Path, form: str) -> None:
    paths = [
        export_dataset(store, form, ["train"], tmp_path / "out", "x", SILENT) for _ in range(3)
    ]
    assert [path.stem for path in paths] == ["x", "x-2", "x-3"]
    assert sorted((tmp_path / "out").iterdir()) == sorted(paths)


@pytest.mark.parametrize("form", FORMATS)
def test_cancelled_or_failed_leaves_nothing(
    store: Store, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Cancelled):
        export_dataset(store, form, ["train"], tmp_path / "out", "x", Listener(cancel_after=0))
    assert list((tmp_path / "out").iterdir()) == []

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setitem(FORMATS, form, (FORMATS[form][0], full))
    with pytest.raises(DiskFullError):
        export_dataset(store, form, ["train"], tmp_path / "out", "x", SILENT)
    assert list((tmp_path / "out").iterdir()) == []


def test_what_cannot_be_exported(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StudioError, match='The format "nzp" is not available') as caught:
        export_dataset(store, "nzp", ["train"], tmp_path, "x", SILENT)
    assert '"npz"' in caught.value.hint
    edit_dataset(store.path.parent, [Exclude(rows="2")])
    empty = Store.open(store.path.parent)
    edit_dataset(store.path.parent, [Exclude(rows=",".join(map(str, empty.rows("val"))))])
    with pytest.raises(StudioError, match="no val images"):
        export_dataset(Store.open(store.path.parent), "csv", ["val"], tmp_path, "x", SILENT)
    (tmp_path / "file").write_text("")
    with pytest.raises(StudioError, match="cannot be written"):
        export_dataset(store, "csv", ["train"], tmp_path / "file" / "in", "x", SILENT)


def test_a_folder_that_cannot_be_written(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(StudioError, match="Permission denied"):
        export_dataset(store, "csv", ["train"], tmp_path, "x", SILENT)
