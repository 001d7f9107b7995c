"""The same images laid out for each source, so that all sources pass the same tests."""

from __future__ import annotations

import gzip
import io
import pickle
import struct
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from dataset_pictures import encoded, recipe
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.importer import import_dataset
from studio.engine.progress import SilentProgress

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Picture:
    """One image: where it lies among those of its class, and its bytes."""

    class_name: str
    name: str
    data: bytes

    @property
    def pixels(self) -> Pixels:
        return np.asarray(Image.open(io.BytesIO(self.data)))


def pictures(classes: Sequence[str], per_class: int, side: int = 32) -> list[Picture]:
    """`per_class` noise images of 32x32 per class, every one another."""
    found = []
    for position, class_name in enumerate(classes):
        for index in range(per_class):
            pixels = np.random.default_rng(1000 * position + index).integers(
                0, 256, (side, side, 3), np.uint8
            )
            data = encoded(Image.fromarray(pixels))
            found.append(Picture(class_name, f"image {index}.png", data))
    return found


def as_folder(root: Path, images: Sequence[Picture]) -> Path:
    for image in images:
        (root / "in" / image.class_name).mkdir(parents=True, exist_ok=True)
        (root / "in" / image.class_name / image.name).write_bytes(image.data)
    return root / "in"


def as_split_folders(root: Path, images: Sequence[Picture]) -> Path:
    for split in ("train", "test"):
        as_folder(root / split, images)
        (root / split / "in").rename(root / "moved")
        (root / split).rmdir()
        (root / "in").mkdir(exist_ok=True)
        (root / "moved").rename(root / "in" / split)
    return root / "in"


def as_zip(root: Path, images: Sequence[Picture]) -> Path:
    path = root / "in.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for image in images:
            archive.writestr(f"top/{image.class_name}/{image.name}", image.data)
    return path


def as_tar(root: Path, images: Sequence[Picture], packing: str = "xz") -> Path:
    path = root / f"in.tar.{packing}".rstrip(".")
    with tarfile.open(path, f"w:{packing}") as archive:  # type: ignore[call-overload]  # by text
        for image in reversed(images):
            entry = tarfile.TarInfo(f"top/{image.class_name}/{image.name}")
            entry.size = len(image.data)
            archive.addfile(entry, io.BytesIO(image.data))
    return path


def as_list(root: Path, images: Sequence[Picture]) -> Path:
    folder = as_folder(root, images)
    lines = [f"{folder.name}/{i.class_name}/{i.name}\t{i.class_name}" for i in images]
    (root / "list.tsv").write_text("\n".join(lines), "utf-8")
    return root / "list.tsv"


def names_of(images: Sequence[Picture]) -> list[str]:
    return list(dict.fromkeys(image.class_name for image in images))


def arrays_of(images: Sequence[Picture]) -> tuple[Pixels, NDArray[np.int64]]:
    names = names_of(images)
    labels = np.array([names.index(image.class_name) for image in images], np.int64)
    return np.array([image.pixels for image in images], np.uint8).reshape(-1, 32, 32, 3), labels


def as_npz(root: Path, images: Sequence[Picture]) -> Path:
    x, y = arrays_of(images)
    np.savez_compressed(root / "in.npz", x_train=x, y_train=y, class_names=names_of(images))
    return root / "in.npz"


def as_hdf5(root: Path, images: Sequence[Picture]) -> Path:
    x, y = arrays_of(images)
    with h5py.File(root / "in.h5", "w") as file:
        file.create_dataset("images", data=x, chunks=(3, 32, 32, 3) if len(x) > 2 else None)
        file["labels"] = y
        file["class_names"] = [name.encode() for name in names_of(images)]
    return root / "in.h5"


def idx(array: NDArray[np.uint8]) -> bytes:
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes()


def as_mnist(root: Path, images: Sequence[Picture]) -> Path:
    x, y = arrays_of(images)
    (root / "in").mkdir()
    gray = idx(np.ascontiguousarray(x[..., 0]))
    (root / "in" / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(gray))
    (root / "in" / "train-labels-idx1-ubyte").write_bytes(idx(y.astype(np.uint8)))
    (root / "in" / "class-names.txt").write_text("\n".join(names_of(images)), "utf-8")
    return root / "in"


def as_cifar(root: Path, images: Sequence[Picture]) -> Path:
    x, y = arrays_of(images)
    folder = root / "cifar-10-batches-py"
    folder.mkdir()
    flat = x.transpose(0, 3, 1, 2).reshape(len(x), 3072)
    batch = {b"data": flat, b"labels": y.tolist(), b"batch_label": b"training batch 1"}
    (folder / "data_batch_1").write_bytes(pickle.dumps(batch, protocol=2))
    meta = {"label_names": names_of(images), "num_vis": 3072}
    (folder / "batches.meta").write_bytes(pickle.dumps(meta, protocol=2))
    return folder


def as_parquet(root: Path, images: Sequence[Picture]) -> Path:
    import json

    import pyarrow as pa
    import pyarrow.parquet as pq

    names = names_of(images)
    rows = [{"bytes": image.data, "path": image.name} for image in images]
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    features = {"label": {"names": names, "_type": "ClassLabel"}, "image": {"_type": "Image"}}
    note = {"huggingface": json.dumps({"info": {"features": features}})}
    schema = pa.schema([("image", kind), ("label", pa.int64())], metadata=note)
    labels = [names.index(image.class_name) for image in images]
    table = pa.table({"image": pa.array(rows, kind), "label": labels}, schema=schema)
    (root / "in" / "data").mkdir(parents=True)
    file = root / "in" / "data" / "train-00000-of-00001.parquet"
    pq.write_table(table, file, row_group_size=4)
    return root / "in"


def as_dataset(root: Path, images: Sequence[Picture]) -> Path:
    asked = recipe(as_folder(root, images), width=32, height=32, val_percent=0, test_percent=0)
    import_dataset(asked, root / "dataset", SilentProgress())
    return root / "dataset"


@dataclass(frozen=True)
class Case:
    """How images are laid out for a source.

    Attributes:
        source: Name of the source that must read it.
        make: Lays them out in an empty folder, and gives the path to import.
        keeps_files: The images are files, which may be broken; otherwise arrays.
        copies: How often each image is there.
    """

    source: str
    make: Callable[[Path, Sequence[Picture]], Path]
    keeps_files: bool = True
    copies: int = 1

    def __str__(self) -> str:
        return self.make.__name__.removeprefix("as_")


CASES = [
    Case("folder", as_folder),
    Case("folder", as_split_folders, copies=2),
    Case("archive", as_zip),
    Case("archive", as_tar),
    Case("list_file", as_list),
    Case("npz", as_npz, keeps_files=False),
    Case("hdf5", as_hdf5, keeps_files=False),
    Case("mnist", as_mnist, keeps_files=False),
    Case("cifar", as_cifar, keeps_files=False),
    Case("parquet", as_parquet),
    Case("studio_dataset", as_dataset, keeps_files=False),
]
