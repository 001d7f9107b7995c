"""Whole imports that encode: the same images, less space, and everything else as with raw ones."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from dataset_pictures import Listener, class_folders, encoded, import_until_killed, photo, recipe
from PIL import Image

from studio.engine.datasets.audit.measures import measure
from studio.engine.datasets.export import export_dataset
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.store import FILE_NAME, Store
from studio.engine.datasets.summary import SUMMARY_NAME, read_summary
from studio.engine.progress import Cancelled, SilentProgress
from studio.engine.training.dataset_statistics import mean_of

SILENT = SilentProgress()
SIZE = {"width": 24, "height": 20}


def photo_png(seed: int) -> bytes:
    return encoded(Image.fromarray(photo(seed)))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = class_folders(tmp_path_factory.mktemp("in"), {"a": 20, "b": 25}, photo_png)
    (folder / "a" / "bad.png").write_text("x")
    return folder


def made(source: Path, folder: Path, **values: object) -> Store:
    import_dataset(recipe(source, **SIZE, **values), folder, SILENT)
    return Store.open(folder)


def same_data(one: Path, other: Path) -> bool:
    with h5py.File(one / FILE_NAME) as first, h5py.File(other / FILE_NAME) as second:
        return all(np.array_equal(first[name][:], second[name][:]) for name in first)


@pytest.mark.parametrize("color", ["gray", "rgb"])
def test_png_is_the_same_dataset(root: Path, tmp_path: Path, color: str) -> None:
    raw = made(root, tmp_path / "raw", color=color)
    png = made(root, tmp_path / "png", color=color, encoding="png")
    assert np.array_equal(png.images, raw.images)
    for name in ("labels", "split", "hashes"):
        assert np.array_equal(getattr(png, name), getattr(raw, name))
    assert (png.paths, png.classes, png.shape) == (raw.paths, raw.classes, raw.shape)
    assert (tmp_path / "png" / SUMMARY_NAME).read_bytes() == (
        tmp_path / "raw" / SUMMARY_NAME
    ).read_bytes()


def test_who_reads_the_images_finds_the_same(root: Path, tmp_path: Path) -> None:
    raw, png = made(root, tmp_path / "raw"), made(root, tmp_path / "png", encoding="png")
    assert mean_of(png, "image") == mean_of(raw, "image")
    one, other = (measure(store, SILENT) for store in (png, raw))
    assert np.array_equal(one.pixel_hash, other.pixel_hash)
    assert np.array_equal(one.thumbs, other.thumbs)


def exported(store: Store, form: str, to: Path) -> Path:
    return export_dataset(store, form, ["train", "val"], to, "x", SILENT)


def test_exports_are_the_same(root: Path, tmp_path: Path) -> None:
    raw, png = made(root, tmp_path / "raw"), made(root, tmp_path / "png", encoding="png")
    ours, theirs = exported(png, "folders", tmp_path), exported(raw, "folders", tmp_path)
    files = sorted(path.relative_to(ours) for path in ours.rglob("*.png"))
    assert len(files) == png.counts()["train"] + png.counts()["val"]
    assert all((ours / x).read_bytes() == (theirs / x).read_bytes() for x in files)
    one, other = (np.load(exported(store, "npz", tmp_path)) for store in (png, raw))
    with one, other:
        assert np.array_equal(one["train_images"], other["train_images"])


def test_jpeg_is_near_and_far_smaller(root: Path, tmp_path: Path) -> None:
    size = {"width": 96, "height": 96}
    stores = {}
    for encoding in ("raw", "jpeg"):
        asked = recipe(root, **size, encoding=encoding)
        import_dataset(asked, tmp_path / encoding, SILENT)
        stores[encoding] = Store.open(tmp_path / encoding)
    raw, jpeg = (np.array(store.images[:45]).astype(int) for store in stores.values())
    assert 0 < np.abs(raw - jpeg).mean() < 2
    sizes = {name: store.path.stat().st_size for name, store in stores.items()}
    assert sizes["jpeg"] < sizes["raw"] / 5
    store = stores["jpeg"]
    mean = store.images[store.split >= 0].mean(axis=(0, 1, 2))
    assert np.allclose(read_summary(tmp_path / "jpeg").mean_color, mean, atol=1e-3)


@pytest.mark.parametrize("encoding", ["png", "jpeg"])
def test_cancel_and_continue(root: Path, tmp_path: Path, encoding: str) -> None:
    made(root, tmp_path / "whole", encoding=encoding)
    asked = recipe(root, **SIZE, encoding=encoding)
    with pytest.raises(Cancelled):
        import_dataset(asked, tmp_path / "out", Listener(cancel_after=30))
    listener = Listener()
    import_dataset(asked, tmp_path / "out", listener)
    assert listener.steps[0][0] >= 29
    assert same_data(tmp_path / "whole", tmp_path / "out")
    one, other = (tmp_path / name / SUMMARY_NAME for name in ("whole", "out"))
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_and_continued(root: Path, tmp_path: Path) -> None:
    asked = recipe(root, **SIZE, encoding="png")
    import_until_killed(asked, tmp_path / "out")
    listener = Listener()
    import_dataset(asked, tmp_path / "out", listener)
    assert listener.steps[0][0] == 21
    made(root, tmp_path / "whole", encoding="png")
    assert same_data(tmp_path / "whole", tmp_path / "out")


def test_another_encoding_starts_over(root: Path, tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        import_dataset(
            recipe(root, **SIZE, encoding="png"), tmp_path / "out", Listener(cancel_after=30)
        )
    raw = made(root, tmp_path / "out")
    assert not raw.is_encoded
    assert np.array_equal(raw.images, made(root, tmp_path / "raw").images)


def test_a_packed_archive_and_another_dataset(root: Path, tmp_path: Path) -> None:
    archive = Path(shutil.make_archive(str(tmp_path / "pictures"), "xztar", root))
    png = made(archive, tmp_path / "png", encoding="png")
    raw = made(tmp_path / "png", tmp_path / "raw")
    assert np.array_equal(png.images, made(archive, tmp_path / "plain").images)
    pixels = {path: raw.images[row] for row, path in enumerate(raw.paths)}
    for row in np.flatnonzero(png.split >= 0).tolist():
        assert np.array_equal(pixels[png.paths[row]], png.images[row])
    again = made(tmp_path / "raw", tmp_path / "again", encoding="png")
    assert np.array_equal(again.images, raw.images)
