"""The augmentation of a plan: its form, its card and the preview of augmented images."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QRadioButton, QWidget

from studio.engine.arrays import Pixels
from studio.engine.datasets.augment.plan import (
    PRESETS,
    AugmentationPlan,
    Preset,
    check_augmentation,
)
from studio.engine.errors import Problem
from studio.engine.pixel_format import PixelFormat
from studio.engine.plans import FieldKind
from studio.engine.tasks.task import Task
from studio.ui.context import AppContext
from studio.ui.forms.field_row import FieldRow
from studio.ui.forms.more_line import MoreLine
from studio.ui.forms.plan_form import PlanForm
from studio.ui.language import sentence, translated
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import Debounce, FlowLayout, fill, text_label
from studio.ui.widgets.overlay import OverlayStyle, painted
from studio.ui.widgets.pictures import PictureView, to_image
from studio.ui.widgets.region_overlays import overlay_of_regions
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.store import Store
    from studio.engine.display_mapping import DisplayMapping
    from studio.engine.tasks.geometry import RegionBatch

OFF = "off"
CUSTOM = "custom"

COLOR_FIELDS = ("hue", "saturation")
"""Fields without effect on gray images."""

# These do not change how a picture looks.
_UNSEEN = ("fill", "subtract_mean", "whitening", "run_on", "least_visible", "added_strength")

_PREFIX = "augmentation."
"""Of these fields in the plan of a training."""

Shape = tuple[int, int, int]


def preset_of(plan: AugmentationPlan) -> str:
    """Return the name of the preset that equals a plan, or `CUSTOM`."""
    names = (preset.name for preset in PRESETS if plan in (preset.plan, _without_colors(preset)))
    return next(names, CUSTOM)


def _without_colors(preset: Preset) -> AugmentationPlan:
    """Return the plan of a preset for images with other channels than red, green and blue."""
    return preset.plan_for(PixelFormat.uniform("uint16", 2, 0, 1))


def refusals(
    shape: Shape | None, task: Task | None, pixels: PixelFormat | None = None
) -> dict[str, str]:
    """Return the fields without effect on such images, or for such a task, with the reasons.

    Args:
        shape: Height, width and channels of the images; None while they are unknown.
        task: The task; those of its refusals that are about certain values are left out.
        pixels: Number format of the images; None while it is unknown.
    """
    settings = {} if task is None else task.refusals
    found = {
        setting.removeprefix(_PREFIX): f"{sentence(reason)}."
        for setting, reason in settings.items()
        if setting.startswith(_PREFIX) and "=" not in setting
    }
    if shape is not None and shape[2] == 1:
        gray = QCoreApplication.translate("AugmentationCard", "gray images")
        found |= dict.fromkeys(COLOR_FIELDS, gray)
    elif pixels is not None and not pixels.is_rgb:
        other = QCoreApplication.translate(
            "AugmentationCard", "images with other channels than red, green and blue"
        )
        found |= dict.fromkeys(COLOR_FIELDS, other)
    return found


def changes_pictures(plan: AugmentationPlan) -> bool:
    """Return True if a plan changes how images look, so that a preview makes sense."""
    new = AugmentationPlan()
    return plan.model_copy(update={name: getattr(new, name) for name in _UNSEEN}) != new


def acts_in_network(plan: AugmentationPlan) -> bool:
    """Return True if the network applies a part of a plan, which previews cannot show."""
    return plan.subtract_mean != "none" or plan.whitening


def mixes_images(plan: AugmentationPlan) -> bool:
    """Return True if images of a batch are mixed with each other."""
    return plan.mix_up > 0 or plan.cut_mix > 0 or plan.mosaic > 0


# Narrow editors, because reasons are next to them.
_NUMBER_WIDTH, _CHOICE_WIDTH = 104, 160


class AugmentationCard(Card):
    """Edits an `AugmentationPlan`.

    Settings without effect on the images are disabled and left out of the plan.

    Attributes:
        buttons: The buttons of the presets and of `custom`, by name.

    Signals:
        changed: The user changed a field; not emitted by `set_plan` and `fit_to`.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Augmentation"))
        self._theme = theme
        self._shape: Shape | None = None
        self._pixels: PixelFormat | None = None
        self._task: Task | None = None
        self._batch_size: int | None = None
        self.buttons: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self._summary = HintLabel(parent=self)
        self.more = MoreLine(theme, with_switch=False, parent=self)
        self.form = PlanForm(AugmentationPlan, theme=theme, compact=True, parent=self)
        self.form.each_row(_set_width)
        self._lay_out()
        self.form.changed.connect(self._on_field)
        self.more.toggled.connect(self.form.setVisible)
        self.form.setVisible(self.more.is_open)
        self._show_preset(OFF)

    def plan(self) -> AugmentationPlan | None:
        """Return the plan for the images; None while a field has an error."""
        plan = self.form.plan()
        return plan if isinstance(plan, AugmentationPlan) else None

    def problems(self) -> list[Problem]:
        """Return the errors of the fields, also those with these images."""
        return [*self.form.problems(), *(each for each in self._advice() if each.serious)]

    def set_plan(self, plan: AugmentationPlan) -> None:
        """Show a plan and its preset."""
        self._show_preset(preset_of(plan))
        self.form.set_values(plan)
        self.form.show_problems(self._advice())

    def fit_to(
        self, shape: Shape | None, batch_size: int | None, pixels: PixelFormat | None = None
    ) -> None:
        """Adapt the fields to images and batches; None while they are unknown.

        Args:
            shape: Height, width and channels of the images.
            batch_size: Images of a batch.
            pixels: Number format of the images.
        """
        if (shape, batch_size, pixels) != (self._shape, self._batch_size, self._pixels):
            self._shape, self._batch_size, self._pixels = shape, batch_size, pixels
            self._refuse()

    def fit_task(self, task: Task) -> None:
        """Disable the fields that a task refuses, with the reasons."""
        if task != self._task:
            self._task = task
            self._refuse()

    @property
    def preset(self) -> str:
        """Name of the chosen preset; `custom` for none."""
        return next(name for name, button in self.buttons.items() if button.isChecked())

    def set_more_shown(self, *, shown: bool) -> None:
        """Show or hide the fields."""
        self.more.set_open(shown=shown)

    def _lay_out(self) -> None:
        row = FlowLayout(spacing=SPACE.l)
        for preset in PRESETS:
            row.addWidget(self._add_button(preset.name, translated(preset.label)))
        row.addWidget(self._add_button(CUSTOM, self.tr("Custom")))
        fill(self.body, row, self._summary, self.more, self.form)

    def _add_button(self, name: str, text: str) -> QRadioButton:
        button = QRadioButton(text, self)
        explain(button, self.tr("Strength of the random changes of images in each epoch."))
        button.clicked.connect(partial(self._on_preset, name))
        self._group.addButton(button)
        self.buttons[name] = button
        return button

    def _on_preset(self, name: str, _checked: bool = True) -> None:
        if name == CUSTOM:
            self.set_more_shown(shown=True)
        else:
            preset, pixels = PRESETS[name], self._pixels
            self.set_plan(preset.plan if pixels is None else preset.plan_for(pixels))
        self._show_preset(name)
        self.changed.emit()

    def _on_field(self) -> None:
        self.form.show_problems(self._advice())
        self._show_preset(CUSTOM)
        self.changed.emit()

    def _advice(self) -> list[Problem]:
        plan = self.plan()
        if plan is None or self._shape is None or self._batch_size is None:
            return []
        return check_augmentation(plan, self._shape, self._batch_size, self._pixels)

    def _refuse(self) -> None:
        """Disable the fields without effect."""
        self.form.document.refuse(refusals(self._shape, self._task, self._pixels))
        self.form.show_problems(self._advice())

    def _show_preset(self, name: str) -> None:
        self.buttons[name].setChecked(True)
        own = self.tr("Your own settings.")
        self._summary.show_text(own if name == CUSTOM else PRESETS[name].summary)


def _set_width(row: FieldRow) -> None:
    kind, control = row.flat.field.kind, row.editor.control
    if kind in (FieldKind.NUMBER, FieldKind.INTEGER):
        control.setFixedWidth(_NUMBER_WIDTH)
    elif kind == FieldKind.CHOICE:
        control.setMinimumWidth(_CHOICE_WIDTH)


PICTURES = 4


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """A request for a preview; equal requests have equal pictures.

    Attributes:
        folder: Folder of the dataset.
        version: Version of the dataset; None for the newest.
        plan: The augmentation.
        seed: Seed of the training plan.
        epoch: Epoch, from 0.
    """

    folder: Path
    version: int | None
    plan: AugmentationPlan
    seed: int
    epoch: int


@dataclass(frozen=True, slots=True)
class AugmentedPictures:
    """Original and augmented training images, with the class of each."""

    before: list[QImage]
    after: list[QImage]
    classes: list[str]


@dataclass(frozen=True, slots=True)
class _Sample:
    version: int
    rows: NDArray[np.int64]
    images: Pixels
    classes: list[str]
    regions: RegionBatch
    names: list[str]
    colors: list[str]
    display: DisplayMapping
    pixels: PixelFormat
    is_cut: bool
    """True if crops also cut the regions, and not only what the network sees."""

    def painted(self, images: Pixels, regions: RegionBatch) -> list[QImage]:
        """Return images with their masks or boxes over them, if there are any."""
        pictures = [to_image(pixels, self.display) for pixels in images]
        size = (images.shape[2], images.shape[1])
        part = regions.geometry.part_type
        overlays = [
            overlay_of_regions(part, row, size, self.names, self.colors) for row in regions.rows
        ]
        pairs = zip(pictures, overlays, strict=True)
        return [painted(picture, overlay, OverlayStyle()) for picture, overlay in pairs]


class PreviewSource:
    """A few training images of a dataset, read once; for any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._guard = threading.Lock()
        self._sample: _Sample | None = None

    def pictures(self, request: PreviewRequest) -> AugmentedPictures:
        """Augment the images with the function that training uses.

        Returns:
            The pictures; empty if the dataset has no training images.

        Raises:
            StudioError: The dataset is damaged, or the plan does not fit its images.
        """
        from studio.engine.datasets.augment.augmenter import preview  # noqa: PLC0415 - NumPy

        sample = self._read(request.version)
        if not len(sample.rows):
            return AugmentedPictures([], [], [])
        regions = sample.regions.copy()
        changed = preview(
            sample.images,
            request.plan,
            request.seed,
            request.epoch,
            sample.rows,
            regions,
            sample.pixels,
        )
        if sample.is_cut:
            regions = regions.cut(request.plan.window(*sample.images.shape[1:3]))
        return AugmentedPictures(
            sample.painted(sample.images, sample.regions),
            sample.painted(changed, regions),
            sample.classes,
        )

    def _read(self, version: int | None) -> _Sample:
        from studio.engine.datasets.augment.boxes import MOSAIC_PARTS  # noqa: PLC0415 - NumPy
        from studio.engine.datasets.display import display_of  # noqa: PLC0415 - NumPy
        from studio.engine.datasets.edits import current_version  # noqa: PLC0415 - NumPy
        from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s
        from studio.engine.tasks.geometry import RegionBatch  # noqa: PLC0415 - NumPy

        with self._guard:
            requested = current_version(self.folder) if version is None else version
            if self._sample is None or self._sample.version != requested:
                store = Store.open(self.folder, requested)
                rows = sample_rows(store, PICTURES)
                classes = [store.annotation(row) for row in rows.tolist()]
                stored = RegionBatch(store.task.geometry, store.examples(rows))
                regions = stored.copy(MOSAIC_PARTS)
                colors = list(store.colors)
                sample = (store.images[rows], classes, regions, store.classes, colors)
                display, pixels = display_of(store), store.pixel_format
                is_cut = store.task.output.any_size
                self._sample = _Sample(requested, rows, *sample, display, pixels, is_cut)
            return self._sample


def sample_rows(store: Store, limit: int) -> NDArray[np.int64]:
    """Return the rows of training images of different classes, the same ones each time.

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
    # With fewer classes than pictures, the classes take turns.
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
    """The preview of the plan of the form; hidden if no image would change."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Augmented images"))
        self._context = context
        self._source: PreviewSource | None = None
        self._request: PreviewRequest | None = None
        self._shown: PreviewRequest | None = None
        self._epoch = 0
        self._is_busy = False
        theme = context.theme
        self.draw_label = text_label("", "muted", self)
        same = self.tr("Shows the same images in another epoch.")
        self.next_button = push_button(
            self.tr("Another epoch"), theme, icon="refresh", tip=same, on_click=self._on_next
        )
        self.before = [PictureView(theme, self) for _ in range(PICTURES)]
        self.after = [PictureView(theme, self) for _ in range(PICTURES)]
        self._hint = HintLabel("", "help", self)
        self._settle = Debounce(SETTLE_MS, self._ask, self)
        self._lay_out()
        self.set_room(0)
        self.hide()

    def show_request(self, request: PreviewRequest | None) -> None:
        """Show a preview; None, or a plan that changes no image, hides it.

        The button counts epochs from that of the request.
        """
        if request is None or not changes_pictures(request.plan):
            self._request = None
            self._settle.stop()
            self.hide()
            return
        request = replace(request, epoch=request.epoch + self._epoch)
        if self._source is None or self._source.folder != request.folder:
            self._source, self._shown = PreviewSource(request.folder), None
            self._clear()
        self.draw_label.setText(
            self.tr("Seed {seed}, epoch {epoch}").format(
                seed=request.seed, epoch=count(request.epoch + 1)
            )
        )
        self.show()
        if request != self._request:
            self._request = request
            self._settle.start()

    @property
    def shown(self) -> PreviewRequest | None:
        """Request of the visible pictures; None while they are computed."""
        return self._shown if self._shown == self._request else None

    def hint(self) -> str:
        """Return the text below the pictures."""
        return self._hint.text()

    def set_room(self, width: int) -> None:
        """Fit the size of the pictures to the width of the card in pixels."""
        margins = self.body.contentsMargins()
        gaps = PICTURES * SPACE.s + margins.left() + margins.right() + 2
        side = max(_SMALLEST, min(_LARGEST, (width - gaps) // PICTURES))
        for view in (*self.before, *self.after):
            view.setFixedSize(side, side)

    def _lay_out(self) -> None:
        foot = FlowLayout(spacing=SPACE.s)
        self.draw_label.setMinimumHeight(CONTROL_HEIGHT)
        foot.addWidget(self.draw_label)
        foot.addWidget(self.next_button)
        table = QGridLayout()
        table.setHorizontalSpacing(SPACE.s)
        table.setVerticalSpacing(SPACE.xs)
        rows = ((self.tr("Original"), self.before), (self.tr("Augmented"), self.after))
        for index, (text, views) in enumerate(rows):
            caption = text_label(text, "caption", self)
            caption.setContentsMargins(0, SPACE.s * index, 0, 0)
            table.addWidget(caption, 2 * index, 0, 1, PICTURES + 1)
            for column, view in enumerate(views):
                table.addWidget(view, 2 * index + 1, column)
        table.setColumnStretch(PICTURES, 1)
        fill(self.body, table, foot, self._hint)

    def _on_next(self) -> None:
        if self._request is not None:
            first = replace(self._request, epoch=self._request.epoch - self._epoch)
            self._epoch += 1
            self.show_request(first)

    def _ask(self) -> None:
        request, source = self._request, self._source
        # One at a time: while the user types, not every state needs a preview.
        if request is None or source is None or self._is_busy:
            return
        self._is_busy = True
        work, done = partial(source.pictures, request), partial(self._on_pictures, request)
        self._context.background.run(self, work, done, partial(self._on_failed, request))

    def _on_pictures(self, request: PreviewRequest, pictures: AugmentedPictures) -> None:
        if self._is_current(request):
            self._shown = request
            self._show(pictures)
            self._hint.show_text(self._note(request, pictures))

    def _on_failed(self, request: PreviewRequest, error: BaseException) -> None:
        if not self._is_current(request):
            return
        self._shown = request
        self._show(AugmentedPictures([], [], []), keep_before=True)
        self._context.navigator.show_failure(error, self._hint.show_problem)

    def _is_current(self, request: PreviewRequest) -> bool:
        """Return True if a result is still requested; otherwise start the current request."""
        self._is_busy = False
        if request != self._request and not self._settle.isActive():
            self._ask()
        return request == self._request

    def _show(self, pictures: AugmentedPictures, *, keep_before: bool = False) -> None:
        words = (self.tr("{name}, original"), self.tr("{name}, augmented"))
        both = ((self.before, pictures.before), (self.after, pictures.after))
        for pattern, (views, images) in zip(words, both, strict=True):
            if keep_before and views is self.before:
                continue
            for index, view in enumerate(views):
                known = index < len(images)
                text = pattern.format(name=pictures.classes[index]) if known else ""
                view.set_image(images[index] if known else None, text)
                view.setToolTip(text)

    def _clear(self) -> None:
        self._show(AugmentedPictures([], [], []))
        self._hint.show_text("")

    def _note(self, request: PreviewRequest, pictures: AugmentedPictures) -> str:
        if not pictures.before:
            return self.tr("The dataset has no training images.")
        words = []
        if mixes_images(request.plan):
            words.append(self.tr("These images are mixed with each other like a batch."))
        if acts_in_network(request.plan):
            words.append(self.tr("Changes made by layers of the network are not shown."))
        return " ".join(words)
