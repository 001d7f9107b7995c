"""Readers of what people import: images, archives, lists, arrays and tables."""

from __future__ import annotations

import io
import pickle
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from source_cases import (
    Picture,
    as_cifar,
    as_dataset,
    as_hdf5,
    as_list,
    as_mnist,
    as_npz,
    as_parquet,
    as_tar,
    as_zip,
    pictures,
)

from fuzz.mutations import spoiled_text
from fuzz.readers import Reader
from studio.engine.datasets.decode import DecodingMemory, describe, load_image
from studio.engine.datasets.decode_ahead import decode_picture
from studio.engine.datasets.gather import ended
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import NO_OPTIONS, SourceOptions, completed
from studio.engine.datasets.sources.shared.labels import names_from
from studio.engine.datasets.sources.web_folder import links_below
from studio.engine.datasets.store import Store
from studio.engine.datasets.suggestion import suggest_recipe
from studio.engine.datasets.summary import read_skipped, read_summary
from studio.engine.datasets.versions import version_summary
from studio.engine.errors import BadDataError
from studio.engine.progress import SilentProgress

SILENT = SilentProgress()
RECIPE = DatasetRecipe(source="", width=16, height=16)
MANY = 60
"""Images of a spoiled source that are read."""


def some_images() -> list[bytes]:
    """The same small picture in every format that is read, and several of its packings."""
    rgb = Image.fromarray(np.random.default_rng(1).integers(0, 256, (13, 17, 3), np.uint8))
    frames = [rgb, rgb.rotate(90).resize(rgb.size)]
    exif = Image.Exif()
    exif[0x0112] = 6
    saved: list[tuple[Image.Image, str, dict[str, object]]] = [
        (rgb, "PNG", {}),
        (rgb.convert("P"), "PNG", {"transparency": 3}),
        (rgb.convert("I;16"), "PNG", {}),
        (rgb.convert("RGBA"), "PNG", {"save_all": True, "append_images": frames}),
        (rgb, "JPEG", {"exif": exif, "icc_profile": b"\0" * 200}),
        (rgb.convert("CMYK"), "JPEG", {"progressive": True}),
        (rgb, "BMP", {}),
        (rgb.convert("1"), "BMP", {}),
        (rgb, "GIF", {"save_all": True, "append_images": frames}),
        (rgb, "TIFF", {"compression": "tiff_lzw", "exif": exif}),
        (rgb, "TIFF", {"compression": "jpeg"}),
        (rgb.convert("1"), "TIFF", {"compression": "group4"}),
        (rgb.convert("F"), "TIFF", {"compression": "tiff_deflate"}),
        (rgb.convert("I;16"), "TIFF", {}),
        (rgb, "WEBP", {"lossless": True, "exif": exif}),
        (rgb.convert("RGBA"), "WEBP", {"save_all": True, "append_images": frames}),
        (rgb, "PPM", {}),
        (rgb.convert("1"), "PPM", {}),
        (rgb, "MPO", {"save_all": True, "append_images": frames}),
    ]
    found = []
    for image, kind, options in saved:
        file = io.BytesIO()
        image.save(file, kind, **options)
        found.append(file.getvalue())
    found += [b"P3\n2 2\n255\n1 2 3 4 5 6 7 8 9 10 11 12\n", b"P1\n2 2\n0 1 1 0\n"]
    return found


def _read_image(folder: Path) -> object:
    path = folder / "image"
    describe(path)
    exact = load_image(path, RECIPE)
    other = RECIPE.changed(color="gray", resize="fill", border="reflect")
    found = load_image(io.BytesIO(path.read_bytes()), other, exact=False)
    assert exact.shape == (16, 16, 3), exact.shape
    assert found.shape == (16, 16, 1), found.shape
    return exact


def _source(name: str, options: SourceOptions = NO_OPTIONS) -> Callable[[Path], object]:
    """Finds, reads and decodes images as an import does."""

    def read(folder: Path) -> object:
        path = folder / name
        source = source_for(path)
        scan = source.scan(path, SILENT, options)
        for problem in scan.problems:
            assert "\n" not in problem.reason, problem
            assert problem.reason, problem
        items = scan.items[:MANY]
        room = DecodingMemory(2**30)
        with ended(completed(source.read(path, items), range(len(items)))) as found:
            for index, fetch in found:
                (result,) = decode_picture(fetch, [items[index]], RECIPE, room)
                assert not isinstance(result, BadDataError) or "\n" not in result.message, result
        suggest_recipe(path, scan)
        try:
            with source.open(path, items[-1]) as file:
                file.read(100)
        except OSError as error:
            raise BadDataError(f"it cannot be read: {error.strerror or error}") from error
        return scan

    return read


def _made(
    make: Callable[[Path, Sequence[Picture]], Path], *files: str
) -> Callable[[Path], list[bytes]]:
    """Whole files made as the tests of the sources make them."""

    def seeds(folder: Path) -> list[bytes]:
        made = make(folder, pictures(["größe ± 日本", "b"], 3, side=8))
        return [(made / file if file else made).read_bytes() for file in files or ("",)]

    return seeds


def _made_large(
    make: Callable[[Path, Sequence[Picture]], Path], *files: str
) -> Callable[[Path], list[bytes]]:
    """The same with pictures of 32 x 32, of which arrays are made."""

    def seeds(folder: Path) -> list[bytes]:
        made = make(folder, pictures(["größe ± 日本", "b"], 2))
        return [(made / file if file else made).read_bytes() for file in files or ("",)]

    return seeds


class _Payload:
    """Touches a file when it is unpickled."""

    def __init__(self, canary: Path, how: Callable[..., object]) -> None:
        self._canary, self._how = canary, how

    def __reduce__(self) -> tuple[object, ...]:
        import os

        if self._how is os.system:
            return os.system, (f"touch {self._canary}",)
        return self._how, (f"open({str(self._canary)!r}, 'w')",)


def payloads(canary: Path) -> list[_Payload]:
    import os

    return [_Payload(canary, os.system), _Payload(canary, eval), _Payload(canary, exec)]


def _pickles(canary: Path) -> list[bytes]:
    found = []
    for payload in payloads(canary):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            found.append(pickle.dumps(payload, protocol))
            table = {b"data": payload, b"labels": [payload, 0]}
            found.append(pickle.dumps(table, protocol))
    return found


def _npz_with_code(canary: Path) -> list[bytes]:
    found = []
    for payload in payloads(canary):
        for columns in (
            {"x_train": np.array([payload] * 4, object), "y_train": np.array([0, 0, 1, 1])},
            {"x_train": np.zeros((4, 8, 8, 3), np.uint8), "y_train": np.array([payload], object)},
            {
                "x_train": np.zeros((4, 8, 8, 3), np.uint8),
                "y_train": np.array([0, 0, 1, 1]),
                "class_names": np.array([payload], object),
            },
        ):
            file = io.BytesIO()
            np.savez(file, **columns)  # type: ignore[arg-type]  # it takes them by name
            found.append(file.getvalue())
    return found


def _hostile_zips(canary: Path) -> list[bytes]:
    names = (
        str(canary),
        f"../{canary.name}",
        "..\\outside.png",
        "a/\0.png",
        "a/" * 3000 + "x.png",
    )
    found = [
        _zip({f"a/{name}" if number % 2 else name: b"x" for name in names}) for number in (0, 1)
    ]
    found.append(_zip({"a/bomb.png": bytes(30_000_000)}))
    doubled = io.BytesIO()
    with zipfile.ZipFile(doubled, "w") as archive:
        for text in (b"1", b"2"):
            # zipfile warns of the same name twice.
            info = zipfile.ZipInfo("a/x.png")
            archive.writestr(info, text)
            archive.NameToInfo.clear()
    return [*found, doubled.getvalue()]


def _zip(names: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in names.items():
            archive.writestr(name, data)
    return file.getvalue()


def _hostile_tars(canary: Path) -> list[bytes]:
    found = []
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
        for target in (str(canary.parent), "../..", "/etc/passwd"):
            file = io.BytesIO()
            with tarfile.open(fileobj=file, mode="w") as archive:
                for name in ("a", "b"):
                    link = tarfile.TarInfo(name)
                    link.type, link.linkname = kind, target
                    archive.addfile(link)
                    entry = tarfile.TarInfo(f"{name}/{canary.name}")
                    entry.size = 3
                    archive.addfile(entry, io.BytesIO(b"abc"))
            found.append(file.getvalue())
    return found


def _damaged_heaps(_canary: Path) -> list[bytes]:
    """Names of classes whose lengths are wrong: of some, HDF5's library would read for ever."""
    with tempfile.TemporaryDirectory() as name:
        whole = as_hdf5(Path(name), pictures(["a", "b"], 2)).read_bytes()
    heap = whole.index(b"GCOL")
    return [
        whole[:at] + number.to_bytes(8, "little") + whole[at + 8 :]
        for at in range(heap, heap + 80, 8)
        for number in (0, 1, 4096, 2**63, 2**64 - 1)
    ]


def _label_names(folder: Path) -> list[bytes]:
    names = "größe ± 日本\nb\ncão\nقط\n🐈\n".encode()
    (folder / "names.txt").write_bytes(names)
    return [names, b"a\r\nb\r\n", "a\nb\n".encode("utf-16")]


def _read_names(folder: Path) -> object:
    return names_from(SourceOptions(labels_file=str(folder / "names.txt")))


def _lists(folder: Path) -> list[bytes]:
    tab = as_list(folder, pictures(["größe ± 日本", "b"], 3, side=8)).read_bytes()
    lines = [line.split("\t") for line in tab.decode().splitlines()]
    rows = ["path,label,split", *(f'"{path}",{name},train' for path, name in lines)]
    spaced = "\n".join(f"{path} {number % 2}" for number, (path, _) in enumerate(lines))
    return [tab, "\n".join(rows).encode(), spaced.encode(), "\n".join(rows).encode("utf-16")]


def _index_page(folder: Path) -> list[bytes]:
    links = "".join(f'<a href="{name}">x</a>' for name in ("cat/", "a%20b.png", "../", "?C=N"))
    return [f"<html><body>{links}</body></html>".encode()]


def _read_page(folder: Path) -> object:
    page = (folder / "index.html").read_bytes()
    found = links_below(page, "http://localhost:1/data/", "cat/")
    assert all(link.key.startswith("cat/") or link.reason for link in found), found
    return found


def _store_files(folder: Path) -> list[bytes]:
    made = as_dataset(folder, pictures(["größe ± 日本", "b"], 3))
    return [(made / "images.h5").read_bytes()]


def _read_store(folder: Path) -> object:
    store = Store.open(folder / "dataset")
    for row in range(min(10, len(store.split))):
        store.images[row].sum()
    version_summary(folder / "dataset")
    read_skipped(folder / "dataset")
    return read_summary(folder / "dataset"), store.class_counts(), store.classes


READERS = [
    Reader("images", "image", lambda _folder: some_images(), _read_image, 1200),
    Reader("zip", "in.zip", _made(as_zip), _source("in.zip"), 220, extra=_hostile_zips),
    Reader(
        "tar",
        "in.tar",
        _made(lambda root, images: as_tar(root, images, "")),
        _source("in.tar"),
        200,
        extra=_hostile_tars,
    ),
    Reader(
        "packed tar",
        "in.tar.gz",
        _made(lambda root, images: as_tar(root, images, "gz")),
        _source("in.tar.gz"),
        80,
    ),
    Reader("list", "list.tsv", _lists, _source("list.tsv"), 200, spoiled_text),
    Reader("class names", "names.txt", _label_names, _read_names, 120, spoiled_text),
    Reader("npz", "in.npz", _made_large(as_npz), _source("in.npz"), 160, extra=_npz_with_code),
    Reader(
        "hdf5",
        "in.h5",
        _made_large(as_hdf5),
        _source("in.h5"),
        260,
        extra=_damaged_heaps,
    ),
    Reader(
        "mnist",
        "in/train-images-idx3-ubyte.gz",
        _made_large(as_mnist, "train-images-idx3-ubyte.gz"),
        _source("in"),
        80,
    ),
    Reader(
        "mnist labels",
        "in/train-labels-idx1-ubyte",
        _made_large(as_mnist, "train-labels-idx1-ubyte"),
        _source("in"),
        60,
    ),
    Reader(
        "cifar",
        "cifar-10-batches-py/data_batch_1",
        _made_large(as_cifar, "data_batch_1"),
        _source("cifar-10-batches-py"),
        120,
        extra=_pickles,
    ),
    Reader(
        "cifar names",
        "cifar-10-batches-py/batches.meta",
        _made_large(as_cifar, "batches.meta"),
        _source("cifar-10-batches-py"),
        80,
        extra=_pickles,
    ),
    Reader(
        "parquet",
        "in/data/train-00000-of-00001.parquet",
        _made(as_parquet, "data/train-00000-of-00001.parquet"),
        _source("in"),
        160,
    ),
    Reader("dataset", "dataset/images.h5", _store_files, _read_store, 200),
    Reader("web page", "index.html", _index_page, _read_page, 120, spoiled_text),
]
