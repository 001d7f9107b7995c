from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from dataset_pictures import Listener, noise, recipe
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.schema import columns_of
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import Scan
from studio.engine.datasets.sources.shared.arrays import ArrayInfo, pairs_in, picture
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import SilentProgress

X = np.random.default_rng(1).integers(0, 256, (6, 8, 8, 3), np.uint8)
Y = np.array([0, 1, 0, 1, 2, 2])


def scanned(path: Path) -> Scan:
    return source_for(path).scan(path, Listener())


def saved(path: Path, **arrays: NDArray[Any]) -> Path:
    if path.suffix == ".npz":
        np.savez(path, **arrays)  # type: ignore[arg-type]  # its stubs take the flag for one
    else:
        with h5py.File(path, "w") as file:
            for name, array in arrays.items():
                file[name.replace("__", "/")] = array
    return path


def imported(path: Path, out: Path, **values: object) -> Store:
    values = {"val_percent": 0, "test_percent": 0} | values
    import_dataset(recipe(path, **values), out, SilentProgress())
    return Store.open(out)


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
@pytest.mark.parametrize(
    "names",
    [
        {"x_train": "y_train", "x_test": "y_test"},
        {"X_train": "Y_train", "X_valid": "Y_valid"},
        {"train_images": "train_labels", "test_images": "test_labels"},
        {"images": "labels"},
        {"x": "y"},
        {"data": "target"},
    ],
)
def test_names_that_people_give(tmp_path: Path, suffix: str, names: dict[str, str]) -> None:
    arrays: dict[str, NDArray[Any]] = {}
    for images, labels in names.items():
        arrays |= {images: X, labels: Y}
    path = saved(tmp_path / f"in{suffix}", extra=np.zeros(3), **arrays)
    found = scanned(path)
    assert len(found.items) == 6 * len(names)
    splits = {item.split for item in found.items}
    assert splits == (
        {None}
        if len(names) == 1
        else {"train", "test"}
        if "X_valid" not in names
        else {"train", "val"}
    )


def test_groups_of_hdf5_are_splits(tmp_path: Path) -> None:
    path = saved(
        tmp_path / "in.h5", train__images=X, train__labels=Y, val__images=X, val__labels=Y
    )
    assert [item.split for item in scanned(path).items].count("val") == 6


def test_labels_in_another_group_belong_to_the_only_images(tmp_path: Path) -> None:
    arrays = {"scan__raw__images": X, "scan__meta__labels": Y}

    found = scanned(saved(tmp_path / "in.h5", **arrays))
    ambiguous = saved(tmp_path / "two.h5", other__targets=Y, **arrays)

    assert len(found.items) == 6
    assert found.warnings == []
    with pytest.raises(StudioError, match="no images with labels"):
        scanned(ambiguous)


@pytest.mark.parametrize(
    ("names", "read"),
    [
        (("x", "x_aug", "y"), {"x"}),
        (("image", "depth_image", "label"), {"image"}),
        (("left__images", "right__images", "labels"), set()),
        (("left__images", "right__images", "right__labels"), {"right/images"}),
    ],
)
def test_labels_belong_to_one_array_of_images(
    tmp_path: Path, names: tuple[str, ...], read: set[str]
) -> None:
    *images, labels = names
    path = saved(tmp_path / "in.h5", **dict.fromkeys(images, X), **{labels: Y})
    if not read:
        with pytest.raises(StudioError, match="no images with labels"):
            scanned(path)
        return

    found = scanned(path)

    assert {item.key.rpartition("/")[0] for item in found.items} == read
    others = {name.replace("__", "/") for name in images} - read
    assert {(each.path, str(each.reason)) for each in found.problems} == {
        (name, "no array of 6 labels belongs to its images") for name in others
    }


def test_images_that_are_not_read_are_named(tmp_path: Path) -> None:
    arrays = {"images": X, "labels": Y, "masks": X[..., 0], "mean": np.zeros((8, 3))}

    found = scanned(saved(tmp_path / "in.npz", **arrays))

    assert [str(each) for each in found.warnings] == [
        "One array of the file is not read, as no labels belong to it: masks (6, 8, 8)"
    ]


def test_pairs_need_the_same_length() -> None:
    def info(*shape: int) -> ArrayInfo:
        return ArrayInfo(shape, np.dtype(np.uint8))

    assert pairs_in({"x": info(5, 8, 8), "y": info(4)}) == []
    assert pairs_in({"x": info(5, 8), "y": info(5)}) == []
    assert len(pairs_in({"x": info(5, 8, 8), "y": info(5), "x_test": info(5, 8, 8)})) == 1


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (X, X),
        (X[..., 0], np.repeat(X[..., :1], 3, 3)),
        (X[..., :1], np.repeat(X[..., :1], 3, 3)),
        (X.transpose(0, 3, 1, 2), X),
        ((X / 255).astype(np.float32), (X / 255).astype(np.float32)),
        (X.astype(np.float64), X),
        (X.astype(np.int64), X),
        (X / 127.5 - 1, (X / 127.5 - 1).astype(np.float32)),
        (X.astype(np.uint16) * 257, X.astype(np.uint16) * 257),
        (X[..., 0] > 127, np.repeat(X[..., :1] > 127, 3, 3) * 255),
        (np.asfortranarray(X), X),
        (X.astype(">u2") * 257, X.astype(np.uint16) * 257),
    ],
)
@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_every_kind_of_number(
    tmp_path: Path, array: NDArray[Any], expected: NDArray[Any], suffix: str
) -> None:
    store = imported(saved(tmp_path / f"in{suffix}", x=array, y=Y), tmp_path / "out")
    order = np.argsort(Y, kind="stable")
    assert expected.dtype in {store.images.dtype, np.dtype(np.int64)}
    assert np.array_equal(store.images, expected[order])


def test_other_ranges(tmp_path: Path) -> None:
    wide = np.linspace(-500, 1500, 4 * 64).reshape(4, 8, 8)
    wide[0, 0, 0] = np.nan
    store = imported(saved(tmp_path / "b.npz", x=wide, y=np.arange(4) % 2), tmp_path / "out2")
    assert store.images[:].max() == 1500
    assert store.images[0, 0, 0, 0] == store.pixel_format.low[0] == -490


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (np.eye(3)[Y], ["0", "1", "2"]),
        (Y.reshape(-1, 1), ["0", "1", "2"]),
        (Y.astype(float), ["0", "1", "2"]),
        (np.array(["b", "a", "ü"])[Y], ["a", "b", "ü"]),
        (np.array([b"b", b"a", b"c"])[Y], ["a", "b", "c"]),
    ],
)
def test_every_kind_of_label(tmp_path: Path, labels: NDArray[Any], classes: list[str]) -> None:
    assert scanned(saved(tmp_path / "in.npz", x=X, y=labels)).classes() == classes


def test_bad_labels_are_lines(tmp_path: Path) -> None:
    found = scanned(saved(tmp_path / "in.npz", x=X, y=np.array([0, 1, -1, 0, 1, -7])))
    assert [entry.path for entry in found.problems] == ["x/2", "x/5"]
    with pytest.raises(StudioError, match="neither names nor whole"):
        scanned(saved(tmp_path / "in2.npz", x=X, y=Y + 0.5))


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "in.npz"
    np.savez(path, x=np.array([Trap()] * 6, object), y=Y)
    with pytest.raises(StudioError, match="no images with labels"):
        scanned(path)
    np.savez(path, x=X, y=np.array([Trap()] * 6, object))
    with pytest.raises(StudioError, match="no images with labels"):
        scanned(path)


class Trap:
    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("it was unpickled",)


def test_other_files_are_not_reached_through_links(tmp_path: Path) -> None:
    saved(tmp_path / "other.h5", x=X, y=Y)
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["x"] = h5py.ExternalLink("other.h5", "x")
        file["y"] = h5py.ExternalLink("other.h5", "y")
    with pytest.raises(StudioError, match="no arrays"):
        scanned(tmp_path / "in.h5")


@pytest.mark.parametrize("kind", ["soft", "soft group", "virtual", "external storage"])
def test_nor_through_links_that_lead_to_links(tmp_path: Path, kind: str) -> None:
    saved(tmp_path / "other.h5", x=X, y=Y)
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["y"] = Y
        if kind == "soft":
            file.create_group("away")["x"] = h5py.ExternalLink("other.h5", "x")
            file["x"] = h5py.SoftLink("/away/x")
        elif kind == "soft group":
            file["away"] = h5py.ExternalLink("other.h5", "/")
            file["data"] = h5py.SoftLink("/away")
        elif kind == "virtual":
            layout = h5py.VirtualLayout(X.shape, X.dtype)
            layout[:] = h5py.VirtualSource(tmp_path / "other.h5", "x", X.shape)
            file.create_virtual_dataset("x", layout)
        else:
            (tmp_path / "raw").write_bytes(X.tobytes())
            file.create_dataset("x", X.shape, X.dtype, external=str(tmp_path / "raw"))
    with pytest.raises(StudioError, match="no images with labels"):
        scanned(tmp_path / "in.h5")


def test_a_dataset_of_studio_is_not_read_through_links(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "other.h5", "w") as other:
        for name in ("images", "labels", "split", "hash", "status", "path", "classes"):
            other[name] = X
    with h5py.File(tmp_path / "images.h5", "w") as file:
        for name in ("images", "labels", "split", "hash", "status", "path", "classes"):
            file[f"away/{name}"] = h5py.ExternalLink("other.h5", name)
            file[name] = h5py.SoftLink(f"/away/{name}")
        with pytest.raises(ValueError, match="no contiguous"):
            columns_of(file)


def test_not_what_it_is_called(tmp_path: Path) -> None:
    saved(tmp_path / "good.h5", x=X, y=Y)
    saved(tmp_path / "good.npz", x=X, y=Y)
    for suffix in ("h5", "npz"):
        whole = (tmp_path / f"good.{suffix}").read_bytes()
        for number, data in enumerate((b"", b"text", whole[:500], whole[: len(whole) // 2])):
            path = tmp_path / f"{number}.{suffix}"
            path.write_bytes(data)
            with pytest.raises(StudioError) as caught:
                scanned(path)
            assert str(path) in caught.value.message


def test_a_lying_header_does_not_take_the_memory(tmp_path: Path) -> None:
    saved(tmp_path / "in.npz", x=X, y=Y)
    data = (tmp_path / "in.npz").read_bytes()
    (tmp_path / "in.npz").write_bytes(data.replace(b"(6, 8, 8, 3)", b"(6,88888,83)"))
    with pytest.raises(StudioError):
        scanned(tmp_path / "in.npz")


@pytest.mark.parametrize("channels", [1, 3])
def test_pictures_of_pixels(channels: int) -> None:
    pixels = noise(3, 7, 5, 4)[..., :channels]
    found = np.asarray(Image.open(BytesIO(picture(pixels))))
    assert np.array_equal(found.reshape(pixels.shape), pixels)


def test_pictures_are_gray_or_color() -> None:
    with pytest.raises(BadDataError, match="shape"):
        picture(np.zeros((4, 4, 4), np.uint8))


def test_origins_in_bytes_may_have_any_letters(tmp_path: Path) -> None:
    origins = np.array(["Jürgen".encode(), b"Ana", b"Jos\xe9"] * 2)
    found = scanned(saved(tmp_path / "in.npz", x=X, y=Y, origins=origins))
    expected = ["Jürgen", "Ana", "Jos\N{REPLACEMENT CHARACTER}"] * 2
    assert [item.origin for item in found.items] == [
        expected[item.position] for item in found.items
    ]
