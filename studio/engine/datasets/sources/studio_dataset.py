"""A dataset that Studio made before: to cut it down, to merge several, or to add to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.datasets.sources import base
from studio.engine.errors import StudioError
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotations import (
    Annotations,
    Regions,
    Remark,
    require_size,
)

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store

_FILE = "images.h5"
_NAMES = ("train", "val", "test")


class StudioDatasetSource(base.ReadsInOrder):
    """The images in the current state of the dataset, with its classes, splits and edits."""

    name = "studio_dataset"
    label = "Dataset of Studio's"
    takes = frozenset({"columns"})

    def accepts(self, path: Path) -> bool:
        """Return True if `path` is a dataset's folder, or the file in it."""
        return (_folder(path) / _FILE).is_file() and (path.is_dir() or path.name == _FILE)

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """List the rows of the dataset; see `Source.scan`."""
        store = _store(path)
        progress.check()
        paths = store.paths
        modified = base.modified_at(_folder(path) / _FILE)
        origins = store.origins
        scan = base.Scan(
            split_origin="dataset",
            origin_kind=origins.kind if origins.names else "none",
            origin_column=origins.column,
        )
        kind = store.task.targets
        if not options.suit(store.task):
            raise StudioError(
                "The dataset is for {task:lower}.",
                message("Choose the task {task}, or another source.", task=store.task.name),
                "source",
                task=as_message(store.task.label),
            )
        listed = store.split >= 0
        if options.annotations is not None:
            scan.annotations.append(_stored(store))
            if not options.annotations.keep_empty:
                listed &= ~store.is_empty
        rows: list[int] = listed.nonzero()[0].tolist()
        names = kind.class_names(store.classes, store.targets[rows])
        cells: list[list[str]] = [[]] * len(rows)
        if store.task.source.columns:
            columns, cells = kind.table(store.classes, store.units, store.targets[rows])
            scan.columns = tuple(columns)
        for row, name, values in zip(rows, names, cells, strict=True):
            item = base.SourceImage(paths[row], name, _NAMES[store.split[row]], -1, modified, row)
            annotation = "" if options.annotations is None else str(row)
            scan.items.append(replace(item, values=tuple(values), annotation=annotation))
        positions, size = store.positions, (store.shape[1], store.shape[0])
        scan.items = [
            replace(
                item,
                origin=origins.name(item.position),
                known_position=(positions[item.position], size)
                if item.position in positions
                else None,
            )
            for item in scan.items
        ]
        base.complete_scan(path, scan, options, "All images of the dataset were excluded.")
        return scan

    def read(
        self, path: Path, items: Sequence[base.SourceImage]
    ) -> Iterator[tuple[int, base.Fetch]]:
        """See `Source.read`."""
        store = _store(path)
        for index, item in enumerate(items):
            if item.position < len(store.images):
                yield index, partial(_picture, store, item.position)


def _stored(store: Store) -> Annotations:
    regions = store.required_regions
    return _StoredRegions(
        names=tuple(store.classes), colors=store.colors, store=store, max_boxes=regions.shape[1]
    )


@dataclass(slots=True, kw_only=True)
class _StoredRegions(Annotations):
    """The masks or boxes of a dataset; an annotation is the number of a row."""

    store: Store

    def regions(self, annotation: str, size: tuple[int, int]) -> tuple[Regions, list[Remark]]:
        """Read the regions of a row; see `Annotations.regions`."""
        require_size((self.store.shape[1], self.store.shape[0]), size)
        stored, rows = self.store.required_regions[int(annotation)], self.store.task.geometry.rows
        return stored if rows is None else rows.regions(stored), []


def _folder(path: Path) -> Path:
    return path.parent if path.name == _FILE else path


def _store(path: Path) -> Store:
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

    return Store.open(_folder(path))


def _picture(store: Store, row: int) -> bytes:
    from studio.engine.datasets.picture_values import array_file  # noqa: PLC0415
    from studio.engine.datasets.sources.shared.arrays import picture  # noqa: PLC0415

    pixels = store.images[row]
    is_plain = pixels.dtype == "uint8" and pixels.shape[2] in {1, 3}
    return picture(pixels) if is_plain else array_file(pixels)
