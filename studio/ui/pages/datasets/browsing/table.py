"""Paths, splits and targets of all images as columns: filtering a million takes milliseconds.

NumPy only, no text per image. The file is open only while a block of paths is read, so that the
dataset can be deleted.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.schema import columns_of
from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.ui.pages.datasets.browsing.query import LEFT_OUT, Answers, ImageQuery
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import DataView
from studio.ui.tasks.targets import TargetTable

_AT_ONCE = 65_536
_BLOCK = 4_096
"""Paths that are read at a time when single ones are asked for."""
DIGITS = 8
"""Numbers get as many digits, to be sorted as text."""

MOST_ZEROS = 24


class ImageNames:
    """Where each row of a dataset came from. Edits do not change it.

    Args:
        path: The `images.h5`. Only what is looked at is read.
    """

    def __init__(self, path: Path) -> None:
        with h5py.File(path, "r", locking=False) as file:
            self._column = columns_of(file)["path"]
        self._path = path
        self._blocks: dict[int, NDArray[np.bytes_]] = {}

    def text(self, row: int) -> str:
        """The path of a row as the dataset has it, fit to find the file; empty once it is gone."""
        return self._bytes(row).decode("utf-8", "surrogateescape")

    def shown(self, row: int) -> str:
        r"""The path of a row, fit for a screen: what is no UTF-8 is written as `\xff`."""
        return self._bytes(row).decode("utf-8", "backslashreplace")

    def holding(self, text: str) -> NDArray[np.bool_]:
        """Which paths hold a text, N; case is ignored in a to z."""
        wanted = _lower(np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8))
        if not len(wanted):
            return np.ones(self._column.shape[0], np.bool_)
        places = np.strings.find(self._lowered, wanted.tobytes())
        found: NDArray[np.bool_] = places >= 0
        return found

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """All rows by their file names, then by what stands before those.

        Ignores case, and takes digits for numbers: 9.png comes before 10.png.
        """
        width = self._lowered.dtype.itemsize
        names = np.zeros(len(self._lowered), f"S{width + MOST_ZEROS}")
        for start in range(0, len(names), _AT_ONCE):
            part = self._lowered[start : start + _AT_ONCE]
            first = np.strings.rfind(part, b"/") + 1
            letters = np.zeros((len(part), 2 * width), np.uint8)
            letters[:, :width] = part.view(np.uint8).reshape(len(part), width)
            # Every path moved left until its file name stands first.
            moved = np.take_along_axis(letters, first[:, None] + np.arange(width), axis=1)
            names[start : start + len(part)] = with_zeros(moved)
        return np.argsort(names, kind="stable").astype(np.int64)

    @cached_property
    def _lowered(self) -> NDArray[np.bytes_]:
        paths = self._read(0, self._column.shape[0])
        lowered: NDArray[np.bytes_] = _lower(paths.view(np.uint8)).view(paths.dtype)
        return lowered

    def _bytes(self, row: int) -> bytes:
        """The path of a row; nothing where the dataset was deleted meanwhile."""
        number, place = divmod(row, _BLOCK)
        block = self._blocks.get(number)
        if block is None:
            start = number * _BLOCK
            try:
                block = self._read(start, min(start + _BLOCK, self._column.shape[0]))
            except OSError:
                return b""
            self._blocks[number] = block
        return bytes(block[place])

    def _read(self, start: int, stop: int) -> NDArray[np.bytes_]:
        """The paths of rows `start` to, and without, `stop`.

        Raises:
            OSError: The file is gone.
        """
        with self._path.open("rb") as file:
            file.seek(self._column.offset + start * self._column.row_bytes)
            data = file.read((stop - start) * self._column.row_bytes)
        return np.frombuffer(data, f"S{self._column.dtype.itemsize}")


def with_zeros(letters: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    """Texts in which numbers have leading zeros, so that they sort as numbers, N.

    Args:
        letters: A text per row, 0 behind its end, N x W. At most `MOST_ZEROS` are added to each.
    """
    rows, width = letters.shape
    is_digit = (letters >= ord("0")) & (letters <= ord("9"))
    edges = np.diff(is_digit, axis=1, prepend=False, append=False)
    row, at = np.nonzero(edges)  # beginnings and ends of numbers, in turns
    lengths = at[1::2] - at[::2]
    missing = np.zeros((rows, width), np.int64)
    missing[row[::2], at[::2]] = np.maximum(0, DIGITS - lengths)
    missing[missing.cumsum(axis=1) > MOST_ZEROS] = 0  # no room: those stay as they are
    moves = missing.cumsum(axis=1)
    padded = np.full((rows, width + MOST_ZEROS), ord("0"), np.uint8)
    np.put_along_axis(padded, moves + np.arange(width), letters, axis=1)
    ends = (letters != 0).sum(axis=1) + moves[:, -1]
    padded[np.arange(width + MOST_ZEROS) >= ends[:, None]] = 0
    result: NDArray[np.bytes_] = padded.view(f"S{width + MOST_ZEROS}")[:, 0]
    return result


def _lower(letters: NDArray[np.uint8]) -> NDArray[np.uint8]:
    capital = (letters >= ord("A")) & (letters <= ord("Z"))
    return letters | (capital.astype(np.uint8) << np.uint8(5))


class ImageTable:
    """What is known of every image. Nothing here is made per image.

    Args:
        store: The version.
        names: The paths; the same for all versions.
    """

    def __init__(self, store: Store, names: ImageNames) -> None:
        self.names = names
        self.classes = store.classes
        self.version = store.version
        self.recipe = store.recipe
        self.labels = store.labels
        self.targets = TargetTable.of_store(store)
        self.view: DataView = view_of(store.task)
        self._split = store.split
        self._dealt = store.split if store.overlay is None else store.overlay.dealt
        self._excluded = None if store.overlay is None else store.overlay.excluded

    def select(self, query: ImageQuery) -> NDArray[np.int64]:
        """The rows that a query asks for, in its order."""
        chosen = self._of_split(query.split)
        if query.picked is not None:
            chosen = self._picked(query.picked.rows, chosen, query.split)
        if query.target is not None:
            chosen = chosen & query.target(self.targets)
        if query.text:
            chosen = chosen & self.names.holding(query.text)
        lists: dict[str, NDArray[np.int64]] = {}
        if query.finding is not None:
            lists["finding"] = finding_order(query.finding)
        if query.answers is not None:
            lists["score"] = self._answered(query.answers)
        for rows in lists.values():
            named = np.zeros(len(chosen), np.bool_)
            named[rows] = True
            chosen = chosen & named
        if query.order in lists:
            order: NDArray[np.int64] | None = lists[query.order]
        else:
            order = self._order(query.order)
        if order is None:
            return np.flatnonzero(chosen).astype(np.int64)
        return order[chosen[order]]

    def split_name(self, row: int) -> str:
        """The split of a row, or `LEFT_OUT`."""
        split = int(self._split[row])
        return LEFT_OUT if split == SKIPPED else SPLIT_NAMES[split]

    def source_files(self, rows: NDArray[np.int64]) -> list[Path]:
        """The files that images came from, of those that are still there."""
        found = (self.source_file(row) for row in rows.tolist())
        return [path for path in found if path is not None]

    def source_file(self, row: int) -> Path | None:
        """The file that an image came from; None where it is gone, or was no file of its own."""
        text = self.names.text(row)
        for root in self._roots:
            path = root / text
            if path.is_file():
                return path
        return None

    @cached_property
    def _roots(self) -> list[Path]:
        # What further sources gave has its whole path, which stays as it is behind any root.
        texts = (self.recipe.path_prefix, self.recipe.source)
        roots = [Path(text) for text in texts if text]
        # The paths in a list start from the folder of the list.
        return [root.parent if root.is_file() else root for root in roots]

    def are_left_out(self, rows: NDArray[np.int64]) -> bool:
        """Whether edits left out all of these images."""
        return self._excluded is not None and bool(len(rows)) and bool(self._excluded[rows].all())

    def _of_split(self, split: str | None) -> NDArray[np.bool_]:
        chosen: NDArray[np.bool_]
        if split == LEFT_OUT:
            none = np.zeros(len(self.labels), np.bool_)
            return none if self._excluded is None else self._excluded
        if split is None:
            chosen = self._split != SKIPPED
        else:
            chosen = self._split == SPLIT_NAMES.index(split)
        return chosen

    def _picked(
        self, rows: NDArray[np.int64], chosen: NDArray[np.bool_], split: str | None
    ) -> NDArray[np.bool_]:
        """Those of the picked rows that are of a split; without one, also what was left out."""
        named = np.zeros(len(chosen), np.bool_)
        named[rows] = True
        here: NDArray[np.bool_] = named & ((self._dealt != SKIPPED) if split is None else chosen)
        return here

    def _answered(self, answers: Answers) -> NDArray[np.int64]:
        """The rows that a model took for what is wanted, the surest first."""
        predictions = answers.predictions
        rows, classes = predictions.rows, predictions.classes
        if answers.wanted == "all":
            which = np.ones(len(rows), np.bool_)
        elif answers.wanted == "wrong":
            which = classes != self.labels[rows]
        else:
            which = classes == answers.wanted
        which &= rows < len(self.labels)
        return predictions.surest_first(which)

    def _order(self, order: str) -> NDArray[np.int64] | None:
        if order == "name":
            return self.names.order
        if order == "split":
            return np.argsort(self._dealt, kind="stable").astype(np.int64)
        return self.view.order(self.targets, order)


def finding_order(finding: Finding) -> NDArray[np.int64]:
    """The rows of a finding, each once, in its order; pairs that share an image stay together."""
    if not finding.pairs:
        rows = np.array(finding.rows, np.int64)
        _, first = np.unique(rows, return_index=True)
        return rows[np.sort(first)]
    rows, places = np.unique(np.array(finding.pairs, np.int64), return_inverse=True)
    pairs = places.reshape(-1, 2)
    # Each image takes the lowest name around it until all that hang together have the same.
    group = np.arange(len(rows))
    while True:
        lowest = group[pairs].min(axis=1)
        before = group.copy()
        np.minimum.at(group, pairs[:, 0], lowest)
        np.minimum.at(group, pairs[:, 1], lowest)
        if (group == before).all():
            order = np.argsort(group, kind="stable")
            return rows[order].astype(np.int64)
