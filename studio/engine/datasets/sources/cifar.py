"""CIFAR-10 and CIFAR-100 as published: Python or binary batches, in a folder or an archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.shared.labels import name_of, names_from
from studio.engine.datasets.sources.shared.members import is_archive, members
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import Progress

_TRAIN = frozenset({f"data_batch_{number}" for number in range(1, 6)} | {"train"})
_TEST = frozenset({"test_batch", "test"})
_META = frozenset({"batches.meta", "meta", "batches.meta.txt", "fine_label_names.txt"})
_FOLDERS = ("cifar-10-batches-py", "cifar-10-batches-bin", "cifar-100-python", "cifar-100-binary")
_ARCHIVES = tuple(
    f"cifar-{which}-{kind}.tar.gz" for which in (10, 100) for kind in ("python", "binary")
)
# Of these files, one of each pair tells a folder of batches from any other.
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
        """Whether `path` holds the batches under their published names."""
        return _where(path) is not None

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """Read the labels of all batches; see `Source.scan`."""
        from studio.engine.datasets.sources.shared.batches import class_names, labels_of  # noqa: PLC0415

        scan = base.Scan()
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

    def read(self, path: Path, items: Sequence[base.Item]) -> Iterator[tuple[int, base.Fetch]]:
        """Go through the batches once, one in memory at a time; see `Source.read`."""
        from studio.engine.datasets.sources.shared.batches import pixels_of  # noqa: PLC0415
        from studio.engine.datasets.sources.shared.pixels import picture  # noqa: PLC0415

        wanted = base.rows_by_file(items)
        for name, data in _files(_required(path)):
            places = wanted.pop(name, {})
            try:
                pixels = pixels_of(name, data) if places else None
            except BadDataError as error:
                yield from ((index, base.Failing(error.message)) for index in places.values())
                continue
            for place, index in places.items():
                if pixels is not None and place < len(pixels):
                    yield index, partial(picture, pixels[place])
            if not wanted:
                return


def _add(scan: base.Scan, name: str, numbers: list[int], names: list[str], modified: int) -> None:
    split = "test" if name.partition(".")[0] in _TEST else "train"
    for place, number in enumerate(numbers):
        key = f"{name}/{place}"
        try:
            class_name = name_of(number, names)
        except BadDataError as error:
            scan.problems.append(base.Skipped(key, error.message))
        else:
            scan.items.append(base.Item(key, class_name, split, -1, modified, place))


def _where(path: Path) -> Path | None:
    """The folder or archive that holds the batches, at `path` or right inside."""
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
        raise BadDataError("the batches are not there any more", where=str(path))
    return found


def _files(where: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file of CIFAR's, one at a time."""
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
