"""Editing, undo and comparison of versions of a dataset; see `edits`."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ValidationError

from studio.engine.datasets.edits import (
    Edit,
    EditLine,
    Resplit,
    Restore,
    append_line,
    current_version,
    editing,
    in_effect,
    read_edits,
    undone,
)
from studio.engine.datasets.groups import joined_groups
from studio.engine.datasets.origins.kinds import UNNAMED_KINDS
from studio.engine.datasets.origins.record import origins_by_pattern, read_origins
from studio.engine.datasets.overlay import EditOverlay, pack
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.splits import (
    SKIPPED,
    SPLIT_NAMES,
    TEST,
    TRAIN,
    ImagesToSplit,
    any_of_group,
    resplit,
)
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import DatasetSummary, read_summary
from studio.engine.errors import StudioError
from studio.engine.files import write_atomically
from studio.engine.messages import message

CURRENT_NAME = "current.json"


def edit_dataset(folder: Path, edits: Sequence[Edit], note: str = "") -> int:
    """Do edits as one step, which one undo takes back.

    Args:
        folder: The dataset's folder.
        edits: The edits in order; all are applied, or none.
        note: Why, for people.

    Returns:
        The new version.

    Raises:
        StudioError: An edit names an image or a class that is missing.
        DiskFullError: No space was left; nothing changed.
    """
    if not edits:
        raise StudioError("There is nothing to change.", "Choose images first.")

    def step(store: Store, _lines: list[EditLine]) -> EditLine:
        overlay = _overlay_of(store)
        for edit in edits:
            overlay.apply(edit)
        return EditLine(edits=tuple(edits), note=note)

    return _append(folder, step)


def resplit_dataset(folder: Path, plan: SplitPlan, note: str = "") -> int:
    """Reassign all images to training, validation and test, as one edit.

    Args:
        folder: Folder of the dataset.
        plan: Percentages, seed and grouping.
        note: Note of the edit.

    Returns:
        The new version.

    Raises:
        StudioError: The pattern of the plan matches no path.
        DiskFullError: No space was left; nothing changed.
    """

    def step(store: Store, _lines: list[EditLine]) -> EditLine:
        dealt = _resplit(folder, store, plan)
        return EditLine(edits=(Resplit(plan=plan, dealt=pack(dealt)),), note=note)

    return _append(folder, step)


@dataclass(frozen=True, slots=True, eq=False)
class SplitPreview:
    """The effect of a new split, before it is made. Images that were left out don't count.

    Attributes:
        before: Images of `train`, `val` and `test` now.
        after: The same with the new split.
        moved: Images that change their split.
        test_to_train: Test images that would become training images.
        preserved: The splits, `val` or `test`, that stay as the source defined them.
        split: The new split of each row, shape N; negative for images that are left out.
    """

    before: dict[str, int]
    after: dict[str, int]
    moved: int
    test_to_train: int
    preserved: tuple[str, ...]
    split: NDArray[np.int8]


def preview_split(folder: Path, plan: SplitPlan) -> SplitPreview:
    """Compute what `resplit_dataset` would change; nothing is written.

    Args:
        folder: Folder of the dataset.
        plan: Percentages, seed and grouping.

    Raises:
        StudioError: The pattern of the plan matches no path.
        BadDataError: The dataset cannot be read.
    """
    store = Store.open(folder)
    before = store.split
    after = np.where(before == SKIPPED, np.int8(SKIPPED), _resplit(folder, store, plan))
    return SplitPreview(
        _counts(before),
        _counts(after),
        int((before != after).sum()),
        int(((before == TEST) & (after == TRAIN)).sum()),
        tuple(read_summary(folder).source_splits) if plan.keep_source_splits else (),
        after,
    )


def _counts(split: NDArray[np.int8]) -> dict[str, int]:
    return {name: int((split == index).sum()) for index, name in enumerate(SPLIT_NAMES)}


def _resplit(folder: Path, store: Store, plan: SplitPlan) -> NDArray[np.int8]:
    overlay = _overlay_of(store)
    imported = Store.open(folder, 0).split
    defined = [SPLIT_NAMES.index(name) for name in read_summary(folder).source_splits]
    given = np.where(np.isin(imported, defined), imported, np.int8(SKIPPED))
    kind = store.task.targets
    images = ImagesToSplit(
        kind.labels(overlay.targets),
        overlay.dealt,
        ~overlay.excluded,
        given,
        kind.split_traits(overlay.targets),
        _groups(folder, store, overlay, plan),
    )
    if not store.recipe.tile_size:
        return resplit(plan, images)
    _, first, pictures = np.unique(store.pictures, return_index=True, return_inverse=True)
    dealt = resplit(plan, _pictures_to_split(images, first, pictures))
    return np.where(overlay.dealt == SKIPPED, np.int8(SKIPPED), dealt[pictures])


def _groups(
    folder: Path, store: Store, overlay: EditOverlay, plan: SplitPlan
) -> NDArray[np.int64] | None:
    """Return the group of each row that a plan keeps together; None for single images.

    Raises:
        StudioError: The pattern of the plan matches no path, or images of known origins are
            requested and no origins are known.
    """
    if not plan.by_origin:
        return None
    origins = read_origins(folder, len(overlay.dealt))
    if plan.pattern:
        used = (overlay.dealt != SKIPPED).tolist()
        paths = [path if use else "" for path, use in zip(store.paths, used, strict=True)]
        origins = origins_by_pattern(paths, plan.pattern, origins.related)
    groups = origins.groups[overlay.dealt != SKIPPED]
    if plan.known_percent and (origins.kind in UNNAMED_KINDS or len(np.unique(groups)) < 2):
        raise StudioError(
            "The origins of the images, such as films or patients, are not known, so that a test "
            "on known and on new ones is not possible.",
            "Name them by “Origin”, or import the images with a table that has such a column.",
            "known_percent",
        )
    return origins.groups if len(np.unique(groups)) > 1 else None


def _pictures_to_split(
    tiles: ImagesToSplit, first: NDArray[np.int64], pictures: NDArray[np.int64]
) -> ImagesToSplit:
    """Return the pictures of tiles, which stay together: the first tile stands for all.

    Args:
        tiles: The tiles.
        first: Index of the first tile of each picture, shape (P,).
        pictures: Number of the picture of each tile, shape (N,).
    """
    given, traits, groups = tiles.given, tiles.traits, tiles.groups
    return ImagesToSplit(
        tiles.labels[first],
        tiles.split[first],
        any_of_group(tiles.counted[:, None], pictures, len(first))[:, 0],
        None if given is None else given[first],
        None if traits is None else any_of_group(traits, pictures, len(first)),
        None if groups is None else joined_groups(groups, pictures)[first],
    )


def restore(folder: Path, version: int, note: str = "") -> int:
    """Restore an older version as a new one, so that it can be undone.

    Args:
        folder: Folder of the dataset.
        version: Version to restore.
        note: Note of the edit.

    Returns:
        The new version.

    Raises:
        StudioError: There is no such version, or the current version is identical.
        DiskFullError: No space was left; nothing changed.
    """

    def step(store: Store, _lines: list[EditLine]) -> EditLine:
        if compare_versions(Store.open(folder, version), store).is_empty:
            raise StudioError(
                "The dataset is already as it was in version {version}.",
                "Choose another version.",
                "version",
                version=version,
            )
        return EditLine(edits=(Restore(version=version),), note=note)

    return _append(folder, step)


def undo(folder: Path) -> int:
    """Take the last step that counts back; returns the new version.

    Raises:
        StudioError: Nothing is left to take back.
    """

    def step(_store: Store, lines: list[EditLine]) -> EditLine:
        if not in_effect(lines):
            raise StudioError("There is nothing to undo.")
        return EditLine(action="undo")

    return _append(folder, step)


def redo(folder: Path) -> int:
    """Do the step again that was taken back last; returns the new version.

    Raises:
        StudioError: None was taken back since the last edit.
    """

    def step(_store: Store, lines: list[EditLine]) -> EditLine:
        if not undone(lines):
            raise StudioError("There is nothing to redo.")
        return EditLine(action="redo")

    return _append(folder, step)


def _overlay_of(store: Store) -> EditOverlay:
    """Return the current state of a store, to try edits on."""
    if store.overlay is None:
        return EditOverlay(store.task.targets, store.targets, store.split, store.classes)
    return store.overlay.copy()


def _append(folder: Path, step: Callable[[Store, list[EditLine]], EditLine]) -> int:
    with editing(folder):
        line = step(Store.open(folder), read_edits(folder))
        version = append_line(folder, line)
        # Only a convenience: the step is on the disk, whatever becomes of this.
        with contextlib.suppress(StudioError):
            _remember_summary(folder, version)
    return version


class _Current(BaseModel, frozen=True):
    """The summary of the newest version, kept so that lists need not open the dataset."""

    version: int
    summary: DatasetSummary


def version_summary(folder: Path, version: int | None = None) -> DatasetSummary:
    """Summarize a version of a dataset: counts and class names are those of the version.

    Mean color, size and skipped files are those of the import.

    Args:
        folder: The dataset's folder.
        version: Which; None is the newest.

    Raises:
        BadDataError: The summary, the dataset or its edits cannot be read.
        StudioError: There is no such version.
    """
    newest = current_version(folder)
    requested = newest if version is None else version
    if requested == 0:
        return read_summary(folder)
    if requested == newest:
        try:
            current = _Current.model_validate_json((folder / CURRENT_NAME).read_bytes())
        except (OSError, ValidationError):
            return _summarized(folder, requested)
        if current.version == requested:
            return current.summary
    return _summarized(folder, requested)


def _summarized(folder: Path, version: int) -> DatasetSummary:
    store = Store.open(folder, version)
    changes = {
        "classes": store.classes,
        "count": store.counts(),
        "class_counts": store.class_counts(),
    }
    return read_summary(folder).model_copy(update=changes)


def _remember_summary(folder: Path, version: int) -> None:
    current = _Current(version=version, summary=_summarized(folder, version))
    write_atomically(folder / CURRENT_NAME, current.model_dump_json(indent=1) + "\n")


CHANGES = ("excluded", "included", "relabeled", "moved", "confirmed")
"""Attributes of `VersionChange` that hold rows."""


@dataclass(frozen=True, slots=True)
class VersionChange:
    """Differences between two versions of a dataset; every array holds rows, ascending.

    Attributes:
        excluded: Images that are no longer included.
        included: Images that are newly included.
        relabeled: Images in both versions whose class differs.
        moved: Images in both versions whose split differs.
        confirmed: Images whose label was checked since and is right.
        added_classes: Names of new classes.
        removed_classes: Names of removed classes (only by undo).
        renamed_classes: Old and new names.
    """

    excluded: NDArray[np.int64]
    included: NDArray[np.int64]
    relabeled: NDArray[np.int64]
    moved: NDArray[np.int64]
    confirmed: NDArray[np.int64]
    added_classes: tuple[str, ...]
    removed_classes: tuple[str, ...]
    renamed_classes: tuple[tuple[str, str], ...]

    @property
    def is_empty(self) -> bool:
        """True if both versions are the same."""
        rows = any(len(getattr(self, kind)) for kind in CHANGES)
        return not (rows or self.added_classes or self.removed_classes or self.renamed_classes)


def compare_versions(before: Store, after: Store) -> VersionChange:
    """Compare two versions of a dataset.

    Args:
        before: The older version.
        after: The newer version.
    """
    seen, sees = before.split != SKIPPED, after.split != SKIPPED
    both = seen & sees
    shared = min(len(before.classes), len(after.classes))
    pairs = zip(before.classes, after.classes, strict=False)
    return VersionChange(
        excluded=_where(seen & ~sees),
        included=_where(~seen & sees),
        relabeled=_where(both & _relabeled(before, after)),
        moved=_where(both & (before.split != after.split)),
        confirmed=_where(after.confirmed & ~before.confirmed),
        added_classes=tuple(after.classes[shared:]),
        removed_classes=tuple(before.classes[shared:]),
        renamed_classes=tuple((old, new) for old, new in pairs if old != new),
    )


def _relabeled(before: Store, after: Store) -> NDArray[np.bool_]:
    """Return a mask of the images with another class or target; added labels do not count."""
    shared = min(before.targets.shape[1], after.targets.shape[1])
    changed: NDArray[np.bool_] = (before.targets[:, :shared] != after.targets[:, :shared]).any(1)
    # What a label says that the older version does not have.
    changed |= after.targets[:, shared:].any(axis=1)
    return changed


def excluded_rows(store: Store) -> NDArray[np.int64]:
    """Return the rows that edits left out of a version, ascending."""
    return _where([] if store.overlay is None else store.overlay.excluded)


def rows_of_paths(store: Store, paths: Sequence[str]) -> NDArray[np.int64]:
    """Return the rows of images by path, or by file name if it is unique.

    Args:
        store: The dataset.
        paths: Paths as listed by the dataset, or file names.

    Raises:
        StudioError: An image does not exist; the first one is named.
    """
    there = np.flatnonzero(store.split != SKIPPED)
    if store.overlay is not None:
        there = np.flatnonzero(store.overlay.dealt != SKIPPED)
    known = {store.paths[row]: row for row in there.tolist()}
    if any(path not in known for path in paths):
        names = Counter(PurePosixPath(path).name for path in known)
        short = {PurePosixPath(path).name: row for path, row in known.items()}
        known = {name: row for name, row in short.items() if names[name] == 1} | known
    missing = [path for path in paths if path not in known]
    if missing:
        text = message(
            'The dataset does not have {count} of the images; the first is "{image}".',
            one='The dataset has no image "{image}".',
            count=len(missing),
            image=missing[0],
        )
        raise StudioError(text, "Use the names that `studio datasets browse` lists.", "images")
    return np.array([known[path] for path in paths], np.int64)


def _where(mask: ArrayLike) -> NDArray[np.int64]:
    return np.flatnonzero(mask).astype(np.int64)
