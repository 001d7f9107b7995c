"""Varied images of the dataset, as a plan would show them to the network."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.errors import StudioError
from studio.ui.context import AppContext
from studio.ui.pages.train.plan.augmentation import (
    acts_in_network,
    changes_pictures,
    mixes_images,
)
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import Debounce, FlowLayout
from studio.ui.widgets.pictures import PictureView, to_image
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.store import Store


PICTURES = 4


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be shown; two equal wishes have equal pictures.

    Attributes:
        folder: Of the dataset.
        version: Of the dataset; None for the newest.
        plan: What is done to the images.
        seed: Of the training plan.
        epoch: From 0.
    """

    folder: Path
    version: int | None
    plan: AugmentationPlan
    seed: int
    epoch: int


@dataclass(frozen=True, slots=True)
class Pictures:
    """Training images as they are and as training sees them, with the class of each."""

    before: list[QImage]
    after: list[QImage]
    classes: list[str]


@dataclass(frozen=True, slots=True)
class _Sample:
    version: int
    rows: NDArray[np.int64]
    images: NDArray[np.uint8]
    classes: list[str]


class PreviewSource:
    """The same few training images of one dataset, read once; any thread may ask."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._guard = threading.Lock()
        self._sample: _Sample | None = None

    def pictures(self, wish: Wish) -> Pictures:
        """Make the pictures of a wish with the function that training uses.

        Returns:
            None of them where the dataset has no training images.

        Raises:
            StudioError: The dataset is damaged, or the plan does not fit its images.
        """
        from studio.engine.datasets.augment.augmenter import preview  # noqa: PLC0415 - NumPy

        sample = self._read(wish.version)
        if not len(sample.rows):
            return Pictures([], [], [])
        changed = preview(sample.images, wish.plan, wish.seed, wish.epoch, sample.rows)
        return Pictures(
            [to_image(pixels) for pixels in sample.images],
            [to_image(pixels) for pixels in changed],
            sample.classes,
        )

    def _read(self, version: int | None) -> _Sample:
        from studio.engine.datasets.edits import current_version  # noqa: PLC0415 - NumPy
        from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

        with self._guard:
            wanted = current_version(self.folder) if version is None else version
            if self._sample is None or self._sample.version != wanted:
                store = Store.open(self.folder, wanted)
                rows = sample_rows(store, PICTURES)
                classes = [store.classes[store.labels[row]] for row in rows]
                self._sample = _Sample(wanted, rows, store.images[rows], classes)
            return self._sample


def sample_rows(store: Store, limit: int) -> NDArray[np.int64]:
    """Rows of training images, of as many classes as there are; the same each time.

    Returns:
        At most `limit` different rows.
    """
    import numpy as np  # noqa: PLC0415

    rows = store.rows("train")
    labels = store.labels[rows]
    by_class = [rows[labels == index] for index in np.unique(labels)]
    first = [group[0] for group in by_class]
    if len(first) >= limit:
        return np.array(first, np.int64)[np.arange(limit) * len(first) // limit]
    # Fewer classes than places: go round, so that all of them are seen.
    longest = max((len(group) for group in by_class), default=0)
    turns = (
        group[turn]
        for turn in range(min(limit, longest))
        for group in by_class
        if turn < len(group)
    )
    return np.fromiter(turns, np.int64)[:limit]


SETTLE_MS = 120
_SMALLEST, _LARGEST = 36, 144


class AugmentationPreview(Card):
    """Follows a plan. Hidden while nothing would be seen; computes nothing then."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("What training will see"))
        self._context = context
        self._source: PreviewSource | None = None
        self._wish: Wish | None = None
        self._shown: Wish | None = None
        self._epoch = 0
        self._is_busy = False
        theme = context.theme
        self.draw_label = QLabel(self)
        self.draw_label.setProperty("role", "muted")
        self.next_button = push_button(
            self.tr("Another epoch"), theme, icon="refresh", parent=self
        )
        self.before = [PictureView(theme, self) for _ in range(PICTURES)]
        self.after = [PictureView(theme, self) for _ in range(PICTURES)]
        self._hint = HintLabel("", "help", self)
        self._settle = Debounce(SETTLE_MS, self._ask, self)
        self._lay_out()
        self.set_room(0)
        self.next_button.clicked.connect(self._on_next)
        self.hide()
        explain(self.next_button, self.tr("Shows how the same images look in another epoch."))

    def show_wish(self, wish: Wish | None) -> None:
        """Show what a plan does; None, or a plan that changes no picture, hides everything.

        The epoch of the wish is taken as the first; `Another epoch` counts on from there.
        """
        if wish is None or not changes_pictures(wish.plan):
            self._wish = None
            self._settle.stop()
            self.hide()
            return
        wish = Wish(wish.folder, wish.version, wish.plan, wish.seed, wish.epoch + self._epoch)
        if self._source is None or self._source.folder != wish.folder:
            self._source, self._shown = PreviewSource(wish.folder), None
            self._clear()
        self.draw_label.setText(
            self.tr("Seed {seed}, epoch {epoch}").format(
                seed=wish.seed, epoch=count(wish.epoch + 1)
            )
        )
        self.show()
        if wish != self._wish:
            self._wish = wish
            self._settle.start()

    @property
    def shown(self) -> Wish | None:
        """What the pictures are of; None while they are still being made."""
        return self._shown if self._shown == self._wish else None

    def hint(self) -> str:
        """What is said below the pictures."""
        return self._hint.text()

    def set_room(self, width: int) -> None:
        """Make the pictures as large as a card of that width lets them be."""
        margins = self.body.contentsMargins()
        gaps = PICTURES * SPACE.s + margins.left() + margins.right() + 2
        side = max(_SMALLEST, min(_LARGEST, (width - gaps) // PICTURES))
        for view in (*self.before, *self.after):
            view.setFixedSize(side, side)

    def _lay_out(self) -> None:
        # Side by side where there is room for it.
        foot = FlowLayout(spacing=SPACE.s)
        self.draw_label.setMinimumHeight(CONTROL_HEIGHT)
        foot.addWidget(self.draw_label)
        foot.addWidget(self.next_button)
        table = QGridLayout()
        table.setHorizontalSpacing(SPACE.s)
        table.setVerticalSpacing(SPACE.xs)
        rows = (
            (self.tr("As they are"), self.before),
            (self.tr("As training sees them"), self.after),
        )
        for place, (text, views) in enumerate(rows):
            caption = QLabel(text, self)
            caption.setProperty("role", "caption")
            caption.setContentsMargins(0, SPACE.s * place, 0, 0)
            table.addWidget(caption, 2 * place, 0, 1, PICTURES + 1)
            for column, view in enumerate(views):
                table.addWidget(view, 2 * place + 1, column)
        table.setColumnStretch(PICTURES, 1)
        self.body.addLayout(table)
        self.body.addLayout(foot)
        self.body.addWidget(self._hint)

    def _on_next(self) -> None:
        if self._wish is not None:
            first = self._wish.epoch - self._epoch
            self._epoch += 1
            wish = self._wish
            self.show_wish(Wish(wish.folder, wish.version, wish.plan, wish.seed, first))

    def _ask(self) -> None:
        wish, source = self._wish, self._source
        # One at a time: while somebody types, the pictures of every second letter are enough.
        if wish is None or source is None or self._is_busy:
            return
        self._is_busy = True
        self._context.background.run(
            self,
            partial(source.pictures, wish),
            partial(self._on_pictures, wish),
            partial(self._on_failed, wish),
        )

    def _on_pictures(self, wish: Wish, pictures: Pictures) -> None:
        if self._is_current(wish):
            self._shown = wish
            self._show(pictures)
            self._hint.show_text(self._note(wish, pictures))

    def _on_failed(self, wish: Wish, error: BaseException) -> None:
        if not self._is_current(wish):
            return
        self._shown = wish
        self._show(Pictures([], [], []), keep_before=True)
        if isinstance(error, StudioError):
            self._hint.show_text(str(error), "problem")
        else:
            self._context.navigator.show_failure(error)

    def _is_current(self, wish: Wish) -> bool:
        """Whether the answer is still wanted; if another one is, ask for that."""
        self._is_busy = False
        if wish != self._wish and not self._settle.isActive():
            self._ask()
        return wish == self._wish

    def _show(self, pictures: Pictures, *, keep_before: bool = False) -> None:
        words = (self.tr("{name} as it is"), self.tr("{name} as training sees it"))
        both = ((self.before, pictures.before), (self.after, pictures.after))
        for pattern, (views, images) in zip(words, both, strict=True):
            if keep_before and views is self.before:
                continue
            for place, view in enumerate(views):
                known = place < len(images)
                text = pattern.format(name=pictures.classes[place]) if known else ""
                view.set_image(images[place] if known else None, text)
                view.setToolTip(text)

    def _clear(self) -> None:
        self._show(Pictures([], [], []))
        self._hint.show_text("")

    def _note(self, wish: Wish, pictures: Pictures) -> str:
        if not pictures.before:
            return self.tr("The dataset has no training images.")
        words = []
        if mixes_images(wish.plan):
            words.append(
                self.tr("These images are mixed with each other as if they were a batch.")
            )
        if acts_in_network(wish.plan):
            words.append(
                self.tr("What the network does to every image itself is not in the pictures.")
            )
        return " ".join(words)
