"""The images of one version of a dataset as columns: filtering a million takes milliseconds."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.ui.pages.datasets.image_names import ImageNames
from studio.ui.pages.datasets.image_query import LEFT_OUT, Answers, ImageQuery
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import DataView
from studio.ui.tasks.targets import TargetTable


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
