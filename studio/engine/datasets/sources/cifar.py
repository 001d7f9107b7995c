"""CIFAR-10 and CIFAR-100 as published: Python or binary batches, in a folder or an archive."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.shared.labels import name_of, names_from
from studio.engine.datasets.sources.shared.members import is_archive, members
from studio.engine.documents import DAMAGED_CONTENT
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TRAIN = frozenset({f"data_batch_{number}" for number in range(1, 6)} | {"train"})
_TEST = frozenset({"test_batch", "test"})
_META = frozenset({"batches.meta", "meta", "batches.meta.txt", "fine_label_names.txt"})
_FOLDERS = ("cifar-10-batches-py", "cifar-10-batches-bin", "cifar-100-python", "cifar-100-binary")
_ARCHIVES = tuple(
    f"cifar-{which}-{kind}.tar.gz" for which in (10, 100) for kind in ("python", "binary")
)
# One file of each pair identifies a folder of batches.
_SIGNS = (
    ("data_batch_1", "batches.meta"),
    ("data_batch_1.bin", "batches.meta.txt"),
    ("train", "meta"),
    ("train.bin", "fine_label_names.txt"),
)


class CifarSource(base.ReadsInOrder):
    """The published batches; of CIFAR-100 the hundred fine classes."""

    name = "cifar"
    label = "CIFAR-10 and CIFAR-100 (Python or binary batches)"
    takes = frozenset({"labels_file"})

    def accepts(self, path: Path) -> bool:
        """Return True if `path` holds the batches under their published names."""
        return _where(path) is not None

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """Read the labels of all batches; see `Source.scan`."""
        scan = base.Scan(split_origin="file names")
        modified = base.modified_at(_required(path))
        labels: dict[str, list[int]] = {}
        names: list[str] = []
        try:
            for name, data in _files(_required(path)):
                progress.advance(sum(map(len, labels.values())), 0, "Reading labels")
                progress.check()
                try:
                    if name in _META:
                        names = class_names(name, data)
                    else:
                        labels[name] = labels_of(name, data)
                except BadDataError as error:
                    scan.problems.append(base.Skipped(name, error.message))
        except (BadDataError, OSError) as error:
            scan.problems.append(base.Skipped(base.safe_text(path.name), str(error)))
        for name, numbers in labels.items():
            _add(scan, name, numbers, names_from(options) or names, modified)
        base.complete_scan(
            path, scan, options, "Download it again, and keep the names of its files."
        )
        return scan

    def read(
        self, path: Path, items: Sequence[base.SourceImage]
    ) -> Iterator[tuple[int, base.Fetch]]:
        """Go through the batches once, one in memory at a time; see `Source.read`."""
        from studio.engine.datasets.sources.shared.arrays import picture  # noqa: PLC0415

        requested = base.rows_by_file(items)
        for name, data in _files(_required(path)):
            indices = requested.pop(name, {})
            try:
                pixels = pixels_of(name, data) if indices else None
            except BadDataError as error:
                yield from ((index, base.Failing(error.message)) for index in indices.values())
                continue
            for position, index in indices.items():
                if pixels is not None and position < len(pixels):
                    yield index, partial(picture, pixels[position])
            if not requested:
                return


def _add(scan: base.Scan, name: str, numbers: list[int], names: list[str], modified: int) -> None:
    split = "test" if name.partition(".")[0] in _TEST else "train"
    for index, number in enumerate(numbers):
        key = f"{name}/{index}"
        try:
            class_name = name_of(number, names)
        except BadDataError as error:
            scan.problems.append(base.Skipped(key, error.message))
        else:
            scan.items.append(base.SourceImage(key, class_name, split, -1, modified, index))


def _where(path: Path) -> Path | None:
    """Return the folder or archive that holds the batches, at `path` or right inside."""
    if path.is_dir():
        for folder in (path, *(path / name for name in _FOLDERS)):
            if any(all((folder / name).is_file() for name in pair) for pair in _SIGNS):
                return folder
        return next((path / name for name in _ARCHIVES if (path / name).is_file()), None)
    if "cifar" not in path.name.casefold() or not is_archive(path):
        return None
    try:
        first = next(members(path, _ignore), None)
    except (OSError, BadDataError, StudioError):
        return None
    is_ours = first is not None and first.name.removeprefix("./").startswith(_FOLDERS)
    return path if is_ours else None


def _required(path: Path) -> Path:
    found = _where(path)
    if found is None:
        raise BadDataError("the batch files no longer exist", where=str(path))
    return found


def _files(where: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each CIFAR file."""
    if where.is_dir():
        for file in sorted(where.iterdir()):
            if _is_known(file.name) and file.is_file():
                with file.open("rb") as stream:
                    yield file.name, base.read_whole(stream)
        return
    for member in members(where, _ignore):
        name = member.name.rpartition("/")[2]
        if _is_known(name):
            yield name, member.fetch()


def _is_known(name: str) -> bool:
    return name in _META or name.removesuffix(".bin") in _TRAIN | _TEST


def _ignore(_name: str, _reason: str) -> None:
    """Take no note: an archive of CIFAR's holds nothing else."""


# Labels and pixels from the bytes of a batch, without trusting a pickle.

_PIXELS = 3 * 32 * 32
_DAMAGED = (*DAMAGED_CONTENT, pickle.UnpicklingError, ImportError)


def class_names(name: str, data: bytes) -> list[str]:
    """Return the names of the classes from a meta file; the fine ones of CIFAR-100.

    Args:
        name: Name of the file.
        data: Its content.

    Raises:
        BadDataError: The file is damaged or contains code.
    """
    if name.endswith(".txt"):
        return data.decode("utf-8", "replace").split()
    table = _unpickled(data)
    words = table.get("fine_label_names") or table.get("label_names")
    if not isinstance(words, list):
        raise BadDataError("it names no classes")
    return [_text(word) for word in words]


def labels_of(name: str, data: bytes) -> list[int]:
    """Return the label of each image of a batch; the fine one of CIFAR-100.

    Args:
        name: Name of the file.
        data: Its content.

    Raises:
        BadDataError: The file is damaged or contains code.
    """
    if name.endswith(".bin"):
        records = _records(name, data)
        fine: list[int] = records[:, records.shape[1] - _PIXELS - 1].tolist()
        return fine
    table = _unpickled(data)
    labels = table.get("fine_labels") or table.get("labels")
    if not isinstance(labels, list) or not all(type(label) is int for label in labels):
        raise BadDataError("it contains no labels")
    if len(labels) != len(_pixels_in(table)):
        raise BadDataError("the numbers of labels and images differ")
    return labels


def pixels_of(name: str, data: bytes) -> NDArray[np.uint8]:
    """Return the images of a batch, uint8, shape (N, 32, 32, 3).

    Args:
        name: Name of the file.
        data: Its content.

    Raises:
        BadDataError: It is damaged, or wants to run code.
    """
    flat = (
        _records(name, data)[:, -_PIXELS:]
        if name.endswith(".bin")
        else _pixels_in(_unpickled(data))
    )
    return flat.reshape(len(flat), 3, 32, 32).transpose(0, 2, 3, 1)


def _records(name: str, data: bytes) -> NDArray[np.uint8]:
    """Return a row per image: 1 label (CIFAR-10) or 2 (CIFAR-100: coarse, fine), then pixels."""
    size = _PIXELS + (1 if "batch" in name else 2)
    if len(data) % size or not data:
        raise BadDataError("the batch is truncated")
    import numpy as np  # noqa: PLC0415 - the window lists the sources at start

    return np.frombuffer(data, np.uint8).reshape(-1, size)


def _pixels_in(table: dict[str, object]) -> NDArray[np.uint8]:
    array = table.get("data")
    if not isinstance(array, _Array):
        raise BadDataError("it contains no images")
    return array.pixels()


def _unpickled(data: bytes) -> dict[str, object]:
    try:
        table = _Unpickler(BytesIO(data), encoding="bytes").load()
    except _DAMAGED as error:
        raise BadDataError("the batch is damaged or truncated") from error
    if not isinstance(table, dict):
        raise BadDataError("it is not a CIFAR batch")
    return {_text(key): value for key, value in table.items()}


def _text(word: object) -> str:
    if isinstance(word, bytes):
        return word.decode("utf-8", "replace")
    if not isinstance(word, str):
        raise BadDataError("a name in it is not text")
    return word


class _Array:
    """Parts of a pickled array. Nothing of NumPy's is called before it is checked."""

    def __init__(self, *_arguments: object) -> None:
        self._state: object = None

    def __setstate__(self, state: object) -> None:
        self._state = state

    def pixels(self) -> NDArray[np.uint8]:
        import numpy as np  # noqa: PLC0415 - as above

        match self._state:
            case (_, (int(rows), int(columns)), _Kind(name="u1"), False, bytes(data)):
                if columns == _PIXELS and len(data) == rows * columns:
                    return np.frombuffer(data, np.uint8).reshape(rows, columns)
        raise BadDataError("its images are not bytes of 32x32 pixels")


class _Kind:
    """Name of a pickled dtype."""

    def __init__(self, name: object = "", *_arguments: object) -> None:
        self.name = _text(name)

    def __setstate__(self, state: object) -> None:
        """Byte order and the like, which bytes have none of."""


def _encoded(text: object, _encoding: str = "latin1") -> bytes:
    """Encode text as Python 3 writes bytes into an old pickle."""
    if not isinstance(text, str):
        raise BadDataError("the batch is damaged")
    return text.encode("latin1")


# What CIFAR's pickles have no use for: code by other ways, and sizes that take all memory.
_REFUSED = (
    *(pickle.BYTEARRAY8, pickle.NEXT_BUFFER, pickle.READONLY_BUFFER, pickle.EXT1, pickle.EXT2),
    *(pickle.EXT4, pickle.PERSID, pickle.BINPERSID, pickle.INST, pickle.OBJ, pickle.NEWOBJ),
    pickle.NEWOBJ_EX,
)


class _Unpickler(pickle._Unpickler):  # noqa: SLF001 - the one in Python, see below
    """Builds lists, numbers and texts, and stand-ins for arrays. A pickle may name any function.

    The few names that CIFAR's pickles hold lead to harmless classes of this file; every other
    name ends the reading, so nothing that a file names is ever imported or called. It is the
    unpickler that is written in Python because that in C handles its memory wrongly on some
    damaged files (found by trying); a batch of 10,000 images takes 0.1 s.
    """

    dispatch = {  # noqa: RUF012 - as in its base class; never changed
        code: load
        for code, load in pickle._Unpickler.dispatch.items()  # noqa: SLF001 - as above
        if bytes([code]) not in _REFUSED
    }

    def find_class(self, module: str, name: str) -> object:
        """Return the stand-in for a name.

        Raises:
            BadDataError: The file names something else.
        """
        known = {
            ("numpy", "ndarray"): _Array,
            ("numpy", "dtype"): _Kind,
            ("numpy.core.multiarray", "_reconstruct"): _Array,
            ("numpy._core.multiarray", "_reconstruct"): _Array,
            ("_codecs", "encode"): _encoded,
        }
        if (module, name) not in known:
            raise BadDataError(
                "it contains code ({module}.{name}), which is not allowed",
                module=module,
                name=name,
            )
        return known[module, name]
