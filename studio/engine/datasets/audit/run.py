"""Does an audit: measure, read the sizes of the original files, compare, check, report."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from studio.engine.arrays import BytePixels, Floats
from studio.engine.datasets.audit.checks import Subject
from studio.engine.datasets.audit.duplicates import find_duplicates
from studio.engine.datasets.audit.findings import (
    AuditPlan,
    AuditReport,
    Finding,
    NotChecked,
    Range,
    Statistics,
)
from studio.engine.datasets.audit.measures import Measures, measure
from studio.engine.datasets.audit.predictions import FeatureSource, no_features
from studio.engine.datasets.audit.task_audit import BoxSource, Predictions, audit_of
from studio.engine.datasets.decode import describe
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_skipped
from studio.engine.display_mapping import DisplayMapping
from studio.engine.errors import BadDataError
from studio.engine.files import write_atomically
from studio.engine.pixel_format import NETWORK_RANGE, PixelFormat
from studio.engine.progress import Progress

_NOT_REQUESTED: Predictions = "it was not requested"


def no_predicted_boxes(store: Store) -> str:  # noqa: ARG001 - a `BoxSource`
    """Return the reason why a new dataset has no predicted boxes."""
    return "no model was evaluated on images of the dataset that it was not trained on"


def audit_dataset(
    folder: Path,
    plan: AuditPlan,
    progress: Progress,
    predicted_boxes: BoxSource = no_predicted_boxes,
    network: FeatureSource = no_features,
) -> AuditReport:
    """Audit every image of the dataset in `folder`, and write `audit.json` beside it.

    Memory does not depend on how large images are. Nothing of the dataset is changed.

    Args:
        folder: The dataset's folder.
        plan: Checks, thresholds, and version of the dataset.
        progress: Receives the progress and may cancel.
        predicted_boxes: Predictions that boxes are compared with.
        network: Features of a pretrained network, by which labels are checked.

    Raises:
        BadDataError: The dataset cannot be read.
        StudioError: It has no such version.
        DiskFullError: No space was left for the report; an older one stays.
        Cancelled: Through `progress`; an older report stays.
    """
    store = Store.open(folder, plan.dataset_version)
    measures = measure(store, progress)
    sides = sides_of_files(store, measures.rows, progress) if plan.look_at_files else None
    duplicates = find_duplicates(store, measures, plan, progress)
    audit, predictions = audit_of(store.task), _NOT_REQUESTED
    if plan.doubt_labels:
        predictions = audit.predictions(store, measures, predicted_boxes, network, progress)
    subject = Subject(
        store, plan, measures, duplicates, read_skipped(folder), sides, predictions, progress
    )
    checks = audit.checks(predictions)
    findings: list[Finding] = []
    not_checked: list[NotChecked] = []
    for check in checks:
        progress.check()
        found = check.find(subject)
        if isinstance(found, NotChecked):
            not_checked.append(found)
        elif found is not None:
            findings.append(found)
    unknown = {entry.kind for entry in not_checked}
    counts = {check.name: 0 for check in checks if check.name not in unknown}
    report = AuditReport(
        dataset_version=store.version,
        images=len(measures.rows),
        findings=findings,
        counts=counts | {finding.kind: finding.count for finding in findings},
        not_checked=not_checked,
        statistics=_statistics(store, measures, sides),
    )
    report.write(folder)
    return report


def _statistics(store: Store, measures: Measures, sides: NDArray[np.int32] | None) -> Statistics:
    folder = store.path.parent
    known = None if sides is None else sides[sides.min(axis=1) > 0]
    return Statistics(
        color_mean=np.round(measures.color_mean, 4).tolist(),
        color_deviation=np.round(measures.color_deviation, 4).tolist(),
        brightness=_range(measures.brightness),
        contrast=_range(measures.contrast),
        width=None if known is None or not len(known) else _range(known[:, 0]),
        height=None if known is None or not len(known) else _range(known[:, 1]),
        mean_images={
            split: _write_mean(folder / f"mean-{split}.png", image, store.pixel_format)
            for split, image in measures.mean_images.items()
        },
    )


def _range(values: ArrayLike) -> Range:
    numbers = np.asarray(values, np.float64)
    if not len(numbers):
        return Range(low=0.0, median=0.0, high=0.0)
    low, median, high = np.percentile(numbers, (0, 50, 100)).round(3).tolist()
    return Range(low=low, median=median, high=high)


def _write_mean(path: Path, image: Floats, pixel_format: PixelFormat) -> str:
    pixels: BytePixels = np.rint(image).astype(np.uint8)
    if not (pixel_format.is_gray or pixel_format.is_rgb):
        names = pixel_format.channel_names
        levels = PixelFormat.uniform("float32", len(names), *NETWORK_RANGE, names)
        pixels = DisplayMapping.of(levels).to_rgb(image.astype(np.float32))
    data = BytesIO()
    Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels).save(data, "PNG")
    write_atomically(path, data.getvalue())
    return path.name


_AT_ONCE = 512
# Where none of the first files is there (an archive, a disk that is not connected), none is.
_FIRST = 32


def sides_of_files(
    store: Store, rows: NDArray[np.int64], progress: Progress
) -> NDArray[np.int32] | None:
    """Read width and height of the original image files.

    Args:
        store: The dataset.
        rows: Rows to read, shape (M,).
        progress: Receives the progress and may cancel.

    Returns:
        Pixels, shape (M, 2), 0 for unreadable files; None if there are no files.

    Raises:
        Cancelled: The job was asked to end.
    """
    files = [store.local_origin(row) for row in rows.tolist()]
    if not any(file is not None and file.is_file() for file in files[:_FIRST]):
        return None
    sides = np.zeros((len(rows), 2), np.int32)
    with ThreadPoolExecutor(os.cpu_count() or 1, "headers") as pool:
        for start in range(0, len(files), _AT_ONCE):
            progress.check()
            part = files[start : start + _AT_ONCE]
            sides[start : start + len(part)] = list(pool.map(_sides, part))
            progress.advance(start + len(part), len(files), "Checking the original files")
    return sides


def _sides(file: Path | None) -> tuple[int, int]:
    if file is None:
        return 0, 0
    try:
        width, height, _ = describe(file)
    except (BadDataError, OSError):
        return 0, 0
    return width, height
