"""Writes a dataset as files that other programs read: folders, a table, arrays, masks or boxes.

Pictures and arrays hold what the dataset holds (the size and color of the import, the edits of the
version); the table names the original files. Nothing is ever overwritten, and what is written
appears atomically.
"""

from __future__ import annotations

import importlib.util
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import Pixels
from studio.engine.csv_cells import CsvWriter
from studio.engine.datasets.encoding import deep_png
from studio.engine.datasets.images import Images, RawRows
from studio.engine.datasets.origins.columns import heading_of
from studio.engine.datasets.origins.sidecar import write_sidecar
from studio.engine.datasets.sources.base import plane_of, split_part_path
from studio.engine.datasets.sources.shared.arrays import ORIGIN_HEADING
from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError, StudioError, did_you_mean
from studio.engine.files import (
    flush_to_disk,
    placed,
    portable_name,
    require_space,
    slug,
    staging_folder,
    writing,
)
from studio.engine.installation import install_command
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotations import WritableFormat
from studio.engine.tasks.parts.objects import Ring
from studio.engine.tasks.task import Task

TABLE = "targets.csv"
_AT_ONCE = 256
_Writer = Callable[[Store, Sequence[str], Path, Progress], None]


def export_dataset(
    store: Store, form: str, splits: Sequence[str], to: Path, name: str, progress: Progress
) -> Path:
    """Write images of a dataset into the folder `to`.

    Args:
        store: The dataset, in the version that is wanted.
        form: One of `forms_of`.
        splits: The splits; a single one gets no folder.
        to: Made when missing.
        name: Name of the new folder or file; a number is added if it is taken.
        progress: Receives the progress and may cancel.

    Returns:
        The new folder or file.

    Raises:
        StudioError: There is no such format or split, or `to` cannot be written.
        DiskFullError: No space was left; nothing new is there.
        Cancelled: Through `progress`; nothing new is there.
    """
    forms = forms_of(store.task)
    if form not in forms:
        raise StudioError(
            'The format "{format}" is not available for {task:lower}.',
            did_you_mean(form, forms),
            where="format",
            format=form,
            task=as_message(store.task.label),
        )
    count = sum(len(store.rows(split)) for split in splits)
    if not count:
        raise StudioError(
            "The dataset has no {splits} images.",
            "Choose another split.",
            "split",
            splits=", ".join(splits),
        )
    suffix, write = forms[form]
    with writing(to, "to"), staging_folder(to) as staging:
        if suffix not in {".csv", ".geojson"}:
            require_space(to, count * int(np.prod(store.shape)) // 2, "The export")
        begun = staging / f"export{suffix}"
        write(store, splits, begun, progress)
        return placed(begun, to, slug(name, "dataset"), suffix)


def _write_folders(store: Store, splits: Sequence[str], folder: Path, progress: Progress) -> None:
    """Write a folder per split, with a folder per class, with a PNG per image.

    Where folders cannot tell the targets, images lie in the folder of their split, beside a table.
    """
    _require_pictures(store)
    names = store.task.targets.class_folders(store.classes)
    classes = _distinct([portable_name(name) for name in names])
    rows = np.concatenate([store.rows(split) for split in splits])
    split_of = np.repeat(splits, [len(store.rows(split)) for split in splits]).tolist()
    taken: set[str] = set()
    files = []
    for row, split in zip(rows.tolist(), split_of, strict=True):
        parent = folder / split if len(splits) > 1 or not classes else folder
        parent = parent / classes[int(store.labels[row])] if classes else parent
        files.append((row, _unused(parent, _stem(store.paths[row]), taken)))
    for parent in {path.parent for _, path in files}:
        parent.mkdir(parents=True)
    with ThreadPoolExecutor(os.cpu_count() or 1, "export") as pool:
        for start in range(0, len(files), _AT_ONCE):
            progress.check()
            part = files[start : start + _AT_ONCE]
            list(pool.map(lambda pair: _save(store.images[pair[0]], pair[1]), part))
            progress.advance(start + len(part), len(files), "Writing images")
    if classes:
        _write_origins(store, {path: row for row, path in files}, folder)
    else:
        paths = [path.relative_to(folder).as_posix() for _, path in files]
        _write_table(store, rows, paths, folder / TABLE)


def _write_annotated(
    store: Store, splits: Sequence[str], folder: Path, progress: Progress, form: WritableFormat
) -> None:
    """PNG files of the images, and their masks or boxes as the format has them."""
    _require_pictures(store)
    folder.mkdir()
    writer = form.writer(folder, store.classes, store.colors)
    taken: set[str] = set()
    files: list[tuple[int, str, Path]] = []
    for split in splits:
        for row in store.rows(split).tolist():
            place = PurePosixPath(writer.picture_path(_stem(store.paths[row]), split))
            files.append((row, split, _unused(folder / place.parent, place.name, taken)))
    for parent in {path.parent for _, _, path in files}:
        parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count() or 1, "export") as pool:
        for start in range(0, len(files), _AT_ONCE):
            progress.check()
            part = files[start : start + _AT_ONCE]
            saved = [pool.submit(_save, store.images[row], path) for row, _, path in part]
            regions = store.required_regions[[row for row, _, _ in part]]
            size = store.shape[1], store.shape[0]
            for (_, split, path), found in zip(part, regions, strict=True):
                writer.add(path.relative_to(folder).as_posix(), split, found, size)
            for each in saved:
                each.result()
            progress.advance(start + len(part), len(files), "Writing images")
    writer.finish()
    for warning in writer.warnings:
        progress.warn(warning)
    _write_origins(store, {path: row for row, _, path in files}, folder)


def _write_origins(store: Store, files: Mapping[Path, int], folder: Path) -> None:
    """Write the origins of the images beside them.

    Args:
        store: The dataset.
        files: Row of each image by its file.
        folder: Folder of the export.
    """
    names = {path.relative_to(folder).as_posix(): row for path, row in files.items()}
    origins = store.origins
    heading = heading_of(origins.kind, origins.column)
    write_sidecar(folder, heading, {path: origins.name(row) for path, row in names.items()})


def _stem(path: str) -> str:
    """Return the name of the file of an image without suffix; with the place of a tile."""
    picture, tile = split_part_path(path)
    plane = plane_of(path)
    stem = PurePosixPath(picture).stem + ("" if plane is None else f"_{plane + 1}")
    return portable_name(stem if tile is None else f"{stem}_{tile[0]}_{tile[1]}")


def _write_csv(store: Store, splits: Sequence[str], path: Path, progress: Progress) -> None:
    """Write a line per image: original file, class, split, class index, row; or targets."""
    rows = np.concatenate([store.rows(split) for split in splits])
    progress.check()
    _write_table(store, rows, [store.origin(row) for row in rows.tolist()], path)


def _write_table(store: Store, rows: NDArray[np.int64], names: Sequence[str], path: Path) -> None:
    splits = [SPLIT_NAMES[split] for split in store.split[rows].tolist()]
    columns, cells = store.task.targets.exported_table(
        store.classes, store.units, store.targets[rows], splits, rows.tolist()
    )
    header = ["path", *columns]
    origins = store.origins
    heading = heading_of(origins.kind, origins.column)
    if origins.names and heading not in header:
        header = [*header, heading]
        named = zip(rows.tolist(), cells, strict=True)
        cells = [[*line, origins.name(row)] for row, line in named]
    with path.open("w", newline="", encoding="utf-8", errors="surrogateescape") as file:
        table = CsvWriter(file)
        table.writerow(header)
        table.writerows([name, *line] for name, line in zip(names, cells, strict=True))
    flush_to_disk(path)


def _write_npz(store: Store, splits: Sequence[str], path: Path, progress: Progress) -> None:
    """`train_images`, `train_labels`, `train_paths` … and `class_names`, not compressed.

    Origins with names are in `train_origins` …, and what they are in `origin_heading`.
    Targets are in `train_targets` …, their names in `target_names`, units in `target_units`; masks
    in `train_masks` …, boxes in `train_boxes` …, see `tasks.boxes`.

    Written piece by piece: the images never are in memory all at once.
    """
    total = sum(len(store.rows(split)) for split in splits)
    done, kind, regions = 0, store.task.targets, store.task.geometry.rows
    with zipfile.ZipFile(path, "x", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for split in splits:
            rows = store.rows(split)
            for piece in _pieces(archive, f"{split}_images", store.images, rows):
                done += piece
                progress.check()
                progress.advance(done, total, "Writing images")
            if regions is not None:
                for _ in _pieces(archive, f"{split}_{regions.name}", store.required_regions, rows):
                    progress.check()
            for name, values in kind.arrays(store.targets[rows]).items():
                _write_array(archive, f"{split}_{name}", values)
            paths = np.array([store.paths[row] for row in rows.tolist()])
            _write_array(archive, f"{split}_paths", paths)
            if store.origins.names:
                origins = np.array([store.origins.name(row) for row in rows.tolist()])
                _write_array(archive, f"{split}_origins", origins)
        if store.origins.names:
            heading = heading_of(store.origins.kind, store.origins.column)
            _write_array(archive, ORIGIN_HEADING, np.array([heading]))
        for name, texts in kind.name_arrays(store.classes, store.units).items():
            _write_array(archive, name, texts)
    flush_to_disk(path)


def _pieces(
    archive: zipfile.ZipFile, name: str, column: Images | RawRows[Any], rows: NDArray[np.int64]
) -> Iterator[int]:
    shape = (len(rows), *column.shape[1:])
    header = {"descr": column.dtype.str, "fortran_order": False, "shape": shape}
    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
        np.lib.format.write_array_header_1_0(member, header)
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            member.write(column[part].tobytes())
            yield len(part)


def _write_array(archive: zipfile.ZipFile, name: str, values: NDArray[np.generic]) -> None:
    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
        np.lib.format.write_array(member, values, allow_pickle=False)


def _write_geojson(store: Store, splits: Sequence[str], path: Path, progress: Progress) -> None:
    """Write the annotations of images with a position on the earth, in degrees of WGS 84.

    Each object, and each connected area of a mask, is a feature, but not the background; of
    annotations of images as wholes, each image is one.

    Raises:
        StudioError: No image has a position in a known system, or the package for it is missing.
    """
    rows = np.concatenate([store.rows(split) for split in splits]).tolist()
    placed_rows = [row for row in rows if row in store.positions and store.positions[row].crs]
    _require_positions(store, len(placed_rows))
    features: list[dict[str, object]] = []
    unknown: list[int] = []
    for number, row in enumerate(placed_rows):
        progress.check()
        try:
            features += _features(store, row)
        except BadDataError:
            unknown.append(row)
        progress.advance(number + 1, len(placed_rows), "Writing positions")
    if len(unknown) == len(placed_rows):
        raise _unknown_systems()
    if unknown:
        progress.warn(
            message(
                "The coordinate reference systems of {count:,} images are not known, so that they "
                "are not in the file; the first is {path}.",
                one="The coordinate reference system of {path} is not known, so that the image is "
                "not in the file.",
                count=len(unknown),
                path=store.paths[unknown[0]],
            )
        )
    if len(placed_rows) < len(rows):
        progress.warn(
            message(
                "{count:,} images without a position on the earth are not in the file.",
                one="One image without a position on the earth is not in the file.",
                count=len(rows) - len(placed_rows),
            )
        )
    document = {"type": "FeatureCollection", "features": features}
    path.write_text(json.dumps(document), encoding="utf-8")
    flush_to_disk(path)


def _features(store: Store, row: int) -> list[dict[str, object]]:
    """Return the features of an image for GeoJSON.

    Raises:
        BadDataError: Its coordinate reference system is not known.
    """
    from studio.engine.tasks.parts.georeferenced import feature  # noqa: PLC0415 - an extra

    position = store.positions[row]
    facts = {"image": store.paths[row], "split": SPLIT_NAMES[store.split[row]]}
    if store.regions is None:
        height, width, _ = store.shape
        around: Ring = ((0, 0), (width, 0), (width, height), (0, height))
        return [feature(facts | {"annotation": store.annotation(row)}, (around,), position)]
    geometry = store.task.geometry
    background = geometry.background_classes(store.classes)
    return [
        feature({"class": store.classes[label]} | facts, rings, position)
        for label, rings in geometry.outlines(store.regions[row])
        if label not in background
    ]


def _unknown_systems() -> StudioError:
    return StudioError(
        "The coordinate reference systems of the images are not known.",
        message(
            "Install what reads them, and import the dataset again: {command}",
            command=install_command("geo"),
        )
        if importlib.util.find_spec("rasterio") is None
        else "Import the dataset again, from GeoTIFF files with a known system.",
        "format",
    )


def _require_positions(store: Store, count: int) -> None:
    if not count and store.positions:
        raise _unknown_systems()
    if not count:
        raise StudioError(
            "None of the images has a position on the earth, which GeoJSON needs.",
            "Import GeoTIFF files with a coordinate reference system.",
            "format",
        )
    if importlib.util.find_spec("rasterio") is None:
        raise StudioError(
            "GeoJSON needs a package that is not installed.",
            message("Install it: {command}", command=install_command("geo")),
            "format",
        )


FORMATS: dict[str, tuple[str, _Writer]] = {
    "folders": ("", _write_folders),
    "csv": (".csv", _write_csv),
    "npz": (".npz", _write_npz),
}
"""Suffixes and writers of the formats for every task that are imported again."""
_POSITIONS: dict[str, tuple[str, _Writer]] = {"geojson": (".geojson", _write_geojson)}
"""The same of the format for positions on the earth."""


def forms_of(task: Task) -> dict[str, tuple[str, _Writer]]:
    """Return the suffixes and writers of the formats for datasets of a task."""
    annotated = {
        form.export: ("", partial(_write_annotated, form=form))
        for form in task.source.export_formats
    }
    return FORMATS | annotated | _POSITIONS


def all_splits(store: Store) -> list[str]:
    """Return the splits that have images."""
    return [name for name in SPLIT_NAMES if len(store.rows(name))]


def _require_pictures(store: Store) -> None:
    """Refuse to write images as PNG files that would lose something.

    Raises:
        StudioError: They have fractions, or other channels than gray or color.
    """
    pixels = store.pixel_format
    if pixels.dtype == "float32" or pixels.channels not in {1, 3}:
        raise StudioError(
            message(
                "PNG files cannot hold images of {channels} channels of the type {dtype}.",
                one="PNG files cannot hold images of one channel of the type {dtype}.",
                count=pixels.channels,
                channels=pixels.channels,
                dtype=pixels.dtype,
            ),
            "Export them as npz, which holds any pixels.",
            "format",
        )


def _save(pixels: Pixels, path: Path) -> None:
    if pixels.dtype == np.uint16:
        path.write_bytes(deep_png(pixels).tobytes())
        return
    gray = pixels.shape[2] == 1
    Image.fromarray(pixels[:, :, 0] if gray else pixels).save(path, "PNG")


def _distinct(names: list[str]) -> list[str]:
    taken: set[str] = set()
    return [_unused(Path(), name, taken, "").name for name in names]


def _unused(parent: Path, stem: str, taken: set[str], suffix: str = ".png") -> Path:
    """Return a path that is not taken, also where capitals count for nothing."""
    path, number = parent / f"{stem}{suffix}", 1
    while str(path).casefold() in taken:
        number += 1
        path = parent / f"{stem} {number}{suffix}"
    taken.add(str(path).casefold())
    return path
