"""The picture or pictures of a batch, the position in a video, and the batches before."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QLocale, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QIcon,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
)
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QToolTip,
    QWidget,
)

from studio.engine.files import remove_folder
from studio.engine.inference.requests import ImagePrediction
from studio.ui.bridge.ordered import OrderedCalls
from studio.ui.bridge.request import Request
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.figure import Figure, FigureChart, FigureLine
from studio.ui.context import AppContext
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.counts import CountsPanel
from studio.ui.pages.predict.folder import FolderBar, ResultsGrid, ResultsTable
from studio.ui.pages.predict.pictures import Batch, Content
from studio.ui.shared.display_panel import DisplayButton
from studio.ui.shared.large_picture import LargePictureView
from studio.ui.shared.media import (
    FilePicture,
    chosen_display,
    read_file_picture,
    read_picture,
)
from studio.ui.shared.overlay import OverlayLayer
from studio.ui.shared.part_views import strongest
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import RADIUS, SPACE, chart_color
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.figures import percent
from studio.ui.widgets.labels import elided
from studio.ui.widgets.layout import STRETCH, Debounce, fill, hbox, remove_widget, vbox
from studio.ui.widgets.overlay import Overlay, OverlayStyle
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.pictures import HeatView, scaled_into
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.datasets.display import DisplayFacts
    from studio.engine.display_mapping import DisplayMapping

_MOST_BATCHES: Final = 40
_THUMB_SIDE: Final = 48
_BUTTON_SIZE: Final = QSize(136, 84)
_SCROLL_BAR: Final = 14
"""Height kept free for the scroll bar of the history."""
_STRIP: Final = 24
_CHART_HEIGHT: Final = 180
_SWATCH: Final = 10
_COLORS: Final = 6
"""Maximum number of classes with their own color in a video; the others are gray."""
_STEPS: Final = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class PreviewPanel(QWidget):
    """An invitation to drop pictures, then the picture, or a grid or table of several.

    Signals:
        picked: Position of the picture whose prediction is to be shown.
        opened: Position of the picture to show alone; -1 for all of them again.
        picture_shown: Another picture was read and is shown.
    """

    picked = Signal(int)
    opened = Signal(int)
    picture_shown = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._path: Path | None = None
        self._batch: Batch | None = None
        self._make_display_button()
        title = self.tr("Drop an image")
        hint = self.tr("One, several, or a folder. Pasting works as well.")
        self.drop_area = DropArea(context.theme, title, hint, icon="image", parent=self)
        # The whole page takes drops, and more kinds of data than this area.
        self.drop_area.setAcceptDrops(False)
        self.view = HeatView(context.theme, self)
        self.layer = OverlayLayer(self.view, context.background)
        self.large = LargePictureView(context.theme, context.background, self)
        self.unreadable = EmptyState(context.theme, "warning", "", "", self)
        self.grid = ResultsGrid(context.theme, self)
        self.table = ResultsTable(context.theme, self)
        self.bar = FolderBar(context.theme, self)
        self.live_bar = LiveBar(context.theme, self)
        self.counts = CountsChart(context.theme, self)
        self.counts.failed.connect(context.navigator.show_failure)
        self.counts.hide()
        self.timeline = Timeline(context.theme, self)
        self.timeline.hide()
        self._card = Card("", self)
        self.counts_panel = CountsPanel(context, self)
        pages = (self.view, self.large, self.unreadable, self.grid, self.table)
        self._inside = PageStack(self, *pages, self.counts_panel)
        self._stack = PageStack(self, self.drop_area, self._card)
        self._lay_out()
        self.bar.back_button.clicked.connect(partial(self.opened.emit, -1))
        self.timeline.chosen.connect(self.picked)
        self.counts.chosen.connect(self.picked)
        self.bar.table_button.toggled.connect(self._on_table)
        self.bar.counts_button.toggled.connect(self._on_counts)
        self.grid.picked.connect(self.picked)
        self.grid.opened.connect(self.opened)
        self.table.row_chosen.connect(self.picked.emit)
        self.table.opened.connect(self.opened.emit)
        tip = self.tr("All images with their predictions. Press Enter to enlarge one.")
        explain(self.grid, tip)
        explain(self.table, self.tr("All predictions as a table that you can sort."))

    def _make_display_button(self) -> None:
        context = self._context
        self._shown_display: DisplayMapping | None = None
        self._plane = 0
        self._is_large = False
        self._reading = Request(context.background, self)
        self._displaying = OrderedCalls(context.background, self)
        self.display_button = DisplayButton(context.theme, context.background, self)
        self.display_button.changed.connect(self._on_display)
        self.display_button.plane_changed.connect(self._on_plane)

    def show_batch(self, content: Content, batch: Batch | None) -> None:
        """Show a batch as one picture or as several."""
        self._stack.setCurrentWidget(self.drop_area if batch is None else self._card)
        self._batch = batch
        if batch is None or content is Content.GRID:
            self.display_button.set_source(None)
        if batch is None:
            self._path = None
            return
        self.bar.show_batch(content, batch)
        self.timeline.setVisible(bool(batch.times))
        self.counts.setVisible(False)
        if batch.times:
            self.counts.show_batch(batch)
            self.timeline.show_batch(batch)
        if content is Content.GRID:
            self._path = None
            self._show_many(batch)
        else:
            self._show_picture(batch)
        self.show_counts()

    def show_counts(self) -> None:
        """Show the counts in place of the pictures, where they are requested and known."""
        batch, button = self._batch, self.bar.counts_button
        if batch is not None and button.isChecked() and not button.isHidden():
            self._inside.setCurrentWidget(self.counts_panel)
            self.counts_panel.show_batch(batch)

    def _on_counts(self, is_on: bool) -> None:
        if self._batch is None:
            return
        if is_on:
            self.show_counts()
        elif self._path is None:
            self._show_many(self._batch)
        else:
            self._inside.setCurrentWidget(self.large if self._is_large else self.view)

    def show_overlay(self, overlay: Overlay | None, style: OverlayStyle) -> None:
        """Show regions over the picture.

        Args:
            overlay: The regions; None for none.
            style: Their appearance.
        """
        self.layer.show(overlay, style)
        self.large.show_overlay(overlay, style)

    def _show_many(self, batch: Batch) -> None:
        view = self.table if self.bar.table_button.isChecked() else self.grid
        self._inside.setCurrentWidget(view)
        view.show_batch(batch)

    def _on_table(self, _checked: bool) -> None:
        self.bar.counts_button.setChecked(False)
        if self._batch is not None and self._path is None:
            self._show_many(self._batch)

    def _show_picture(self, batch: Batch) -> None:
        path = batch.picture
        if path is None:
            reason = batch.failure
            if reason is not None:
                self._path = None
                self.unreadable.set_texts(self.tr("No images"), reason.message)
                self._inside.setCurrentWidget(self.unreadable)
            return
        if path != self._path:
            self._path = path
            self._plane = 0
            self._read_shown()

    @property
    def _display_folder(self) -> Path | None:
        """Folder of the dataset of the model, whose colors and contrast are used."""
        model = None if self._batch is None else self._batch.model
        return None if model is None else model.dataset_folder

    def _read_shown(self) -> None:
        """Read the picture again, in its colors and contrast now."""
        if self._path is None:
            return
        # Scaled there, too: here it would compete with the model for the processor.
        look = _Look(self._path, self._display_folder, self._shown_display, self._plane)
        read = partial(_read, look, self.view.size(), self.view.devicePixelRatioF())
        self._reading.run(read, partial(self._on_read, look))

    def _on_display(self, display: DisplayMapping) -> None:
        """Use other colors or contrast, also for the dataset of the model."""
        from studio.engine.datasets.display import write_display  # noqa: PLC0415 - NumPy

        self._shown_display = display
        folder = self._display_folder
        if folder is not None:
            self._displaying.run(partial(write_display, folder, display), self._on_stored)
        self._read_shown()

    def _on_stored(self) -> None:
        self._shown_display = None

    def _on_plane(self, plane: int) -> None:
        self._plane = plane
        self._read_shown()

    def _on_read(self, look: _Look, found: tuple[FilePicture, QImage]) -> None:
        picture, scaled = found
        path, image = look.path, picture.image
        if path != self._path:
            return
        self._is_large = picture.pyramid is not None
        if picture.pyramid is not None:
            self.display_button.set_source(look.facts, is_standard=picture.is_standard)
            self.large.show_file(picture.pyramid, look.display)
            self._inside.setCurrentWidget(self.large)
            self.picture_shown.emit()
            return
        self.display_button.set_source(look.facts, is_standard=picture.is_standard)
        if image.isNull():
            self.unreadable.set_texts(
                self.tr("This image cannot be read"),
                self.tr("It may be damaged, or not an image."),
            )
            self._inside.setCurrentWidget(self.unreadable)
            return
        self.view.set_image(image, path.name, scaled)
        self._inside.setCurrentWidget(self.view)
        self.show_counts()
        self.picture_shown.emit()

    def _lay_out(self) -> None:
        head = hbox((self.bar, 1), self.display_button, spacing=SPACE.s)
        parts = (self.live_bar, head, (self._inside, 1), self.counts, self.timeline)
        fill(self._card.body, *parts)
        self._card.setAccessibleName(self.tr("Images"))
        vbox(self._stack, owner=self)


class CountsChart(FigureChart):
    """Numbers of objects of each class along a video.

    Signals:
        chosen: Number of the frame that was clicked.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._times: Sequence[float] = ()
        self._counts: list[dict[str, int]] | None = None
        self.setFixedHeight(_CHART_HEIGHT)
        self.position_chosen.connect(self._on_position)

    def show_batch(self, batch: Batch) -> None:
        """Show the numbers so far; hidden without counted objects."""
        times = batch.times
        found = [_counts(batch.given(each)) for each in batch.predictions]
        self.setVisible(any(found))
        if times is not self._times or found != self._counts:
            self._times, self._counts = times, found
            title, seconds = self.tr("Objects"), self.tr("Time [s]")
            self.show_figure(_counts_figure(title, seconds, times, found, batch.class_colors))
        self.set_mark(times[batch.shown] if batch.shown < len(times) else None)

    def _on_position(self, seconds: float) -> None:
        nearest = min(
            range(len(self._times)), key=lambda at: abs(self._times[at] - seconds), default=0
        )
        self.chosen.emit(nearest)


def _counts(prediction: ImagePrediction) -> dict[str, int]:
    """Return the number of objects of each class; empty without counted classes."""
    return {} if prediction.objects is None else prediction.objects.counts()


def _counts_figure(
    title: str,
    seconds: str,
    times: Sequence[float],
    counts: Sequence[dict[str, int]],
    colors: Mapping[str, str],
) -> Figure:
    totals: Counter[str] = Counter()
    for each in counts:
        totals.update(each)
    labels = [label for label, number in totals.most_common(_COLORS) if number]
    counted = list(zip(times, counts, strict=False))
    lines = [
        FigureLine(
            label,
            [(time, float(each.get(label, 0))) for time, each in counted],
            index,
            color=colors.get(label, ""),
        )
        for index, label in enumerate(labels)
    ]
    most = max((y for line in lines for _, y in line.points), default=1.0)
    last = times[-1] if times else 1.0
    up = AxisScale("", 0.0, max(1.0, most), whole=True)
    return Figure(title, AxisScale(seconds, 0.0, last or 1.0), up, lines)


class Timeline(QWidget):
    """Predictions along a video: a strip in the colors of the classes. Chooses a frame.

    Signals:
        chosen: Number of the frame.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._times: tuple[float, ...] = ()
        self._strongest: list[tuple[str, float]] = []
        self._class_colors: Mapping[str, str] = {}
        self._current = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Predictions over the video"))
        theme.changed.connect(self.update)

    def show_batch(self, batch: Batch) -> None:
        """Show the predictions so far."""
        self._times, self._class_colors = batch.times, batch.class_colors
        self._strongest = [strongest(each) for each in batch.predictions]
        self._current = batch.shown
        self.setAccessibleDescription(self.words(batch.shown))
        self.update()

    def classes(self) -> list[str]:
        """Return the classes in the strip, the most frequent first."""
        counts = Counter(label for label, _ in self._strongest if label)
        return [label for label, _ in counts.most_common()]

    def words(self, frame: int) -> str:
        """Return the second of a frame and its prediction."""
        if frame >= len(self._times):
            return ""
        time = self.tr("{seconds} s").format(
            seconds=QLocale().toString(self._times[frame], "f", 1)
        )
        if frame >= len(self._strongest) or not self._strongest[frame][0]:
            return time
        label, score = self._strongest[frame]
        return f"{time}: {label} · {percent(score)}"

    def sizeHint(self) -> QSize:
        """Return the size of the strip and of a line with the names of the classes."""
        return QSize(240, _STRIP + SPACE.s + self.fontMetrics().height() + SPACE.xs)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint strip, mark and names."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        strip = QRectF(0, 0, self.width(), _STRIP)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.palette.pressed))
        painter.drawRoundedRect(strip, RADIUS.control / 2, RADIUS.control / 2)
        colors = self._colors()
        for frame, (label, score) in enumerate(self._strongest):
            if label:
                color = QColor(colors[label])
                color.setAlphaF(0.25 + 0.75 * min(1.0, score))
                painter.fillRect(self._span(frame), color)
        mark = self._span(self._current)
        painter.setPen(QColor(self._theme.palette.text))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(mark.adjusted(0.5, 0.5, -0.5, -0.5))
        self._paint_names(painter, colors)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the frame under the mouse."""
        self._choose(self._frame_at(event.position().toPoint()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Choose while the button is held; otherwise describe the frame under the mouse."""
        frame = self._frame_at(event.position().toPoint())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._choose(frame)
        else:
            QToolTip.showText(event.globalPosition().toPoint(), self.words(frame), self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right step through the frames."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._choose(self._current + step)

    def _choose(self, frame: int) -> None:
        frame = max(0, min(len(self._times) - 1, frame))
        if self._times and frame != self._current:
            self.chosen.emit(frame)

    def _frame_at(self, point: QPoint) -> int:
        return int(point.x() / max(1, self.width()) * len(self._times))

    def _span(self, frame: int) -> QRectF:
        width = self.width() / max(1, len(self._times))
        return QRectF(frame * width, 0, max(1.0, width), _STRIP)

    def _colors(self) -> dict[str, str]:
        known, muted = self._class_colors, self._theme.palette.muted
        return {
            label: known.get(label)
            or (chart_color(rank, dark=self._theme.is_dark) if rank < _COLORS else muted)
            for rank, label in enumerate(self.classes())
        }

    def _paint_names(self, painter: QPainter, colors: dict[str, str]) -> None:
        metrics, left = self.fontMetrics(), 0
        top = _STRIP + SPACE.s
        for label in list(colors)[:_COLORS]:
            width = _SWATCH + SPACE.xs + metrics.horizontalAdvance(label)
            if left + width > self.width():
                break
            swatch = QRect(left, top + (metrics.height() - _SWATCH) // 2, _SWATCH, _SWATCH)
            painter.fillRect(swatch, QColor(colors[label]))
            painter.setPen(QColor(self._theme.palette.muted))
            painter.drawText(left + _SWATCH + SPACE.xs, top + metrics.ascent(), label)
            left += width + SPACE.m


class HistoryStrip(QScrollArea):
    """Earlier batches as small pictures, the newest first; hidden while there are none.

    Signals:
        chosen: The `Batch` to show again.
    """

    chosen = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._buttons: dict[Batch, QToolButton | None] = {}
        self._requested: set[Batch] = set()
        self._changed: set[Batch] = set()
        self._timer = Debounce(0, self._refresh_changed, self)
        self._inside = QWidget(self)
        self._inside.setProperty("plain", "true")
        self._row = hbox(STRETCH, owner=self._inside, spacing=SPACE.xs)
        self._row.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setWidget(self._inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(_BUTTON_SIZE.height() + _SCROLL_BAR)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Earlier images"))
        self.hide()

    def batches(self) -> list[Batch]:
        """Return the batches, newest first."""
        return list(self._buttons)[::-1]

    def button(self, batch: Batch) -> QToolButton:
        """Return the button of a batch."""
        return self._buttons[batch] or self._make_button(batch)

    def add(self, batch: Batch) -> None:
        """Put a batch at the front, shown by `refresh`; the oldest of too many is removed."""
        self._buttons[batch] = None
        while len(self._buttons) > _MOST_BATCHES:
            self._remove(next(iter(self._buttons)))

    def clear_choice(self) -> None:
        """Mark no batch as the one that is shown."""
        for button in filter(None, self._buttons.values()):
            button.setAutoExclusive(False)
            button.setChecked(False)
            button.setAutoExclusive(True)

    def refresh(self, batch: Batch) -> None:
        """Show the changes of a batch, after its prediction was painted."""
        self._changed.add(batch)
        self._timer.start()

    def _refresh_changed(self) -> None:
        changed, self._changed = self._changed, set()
        for batch in changed:
            if batch in self._buttons:
                self._show(batch, self.button(batch))

    def _make_button(self, batch: Batch) -> QToolButton:
        button = QToolButton(self._inside)
        button.setCheckable(True)
        button.setAutoExclusive(True)
        button.setProperty("kind", "quiet")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setIconSize(QSize(_THUMB_SIDE, _THUMB_SIDE))
        button.setFixedSize(_BUTTON_SIZE)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(partial(self._on_clicked, batch))
        self._buttons[batch] = button
        self._row.insertWidget(0, button)
        button.setChecked(True)
        self.show()
        return button

    def _show(self, batch: Batch, button: QToolButton) -> None:
        caption, name = messages.batch_caption(batch), messages.batch_name(batch)
        width = _BUTTON_SIZE.width() - 2 * SPACE.s
        button.setText(elided(button.fontMetrics(), caption, width))
        text = name if caption == name else f"{name}\n{caption}"
        button.setToolTip(text)
        button.setAccessibleName(text.replace("\n", ", "))
        # Not before the prediction: decoding competes with the model for the processor.
        is_pending = batch.is_working and not batch.predictions
        if batch not in self._requested and batch.pictures and not is_pending:
            self._requested.add(batch)
            read = partial(read_picture, batch.first, 4 * _THUMB_SIDE)
            read_failed = partial(self._on_unreadable, batch)
            self._context.background.run(self, read, partial(self._on_read, batch), read_failed)
        elif batch.failure is not None and not batch.pictures:
            set_icon(button, "warning", self._context.theme, "warn")

    def _on_clicked(self, batch: Batch) -> None:
        self.chosen.emit(batch)

    def _on_read(self, batch: Batch, image: QImage) -> None:
        button = self._buttons.get(batch)
        if button is None:
            return
        if image.isNull():
            self._on_unreadable(batch)
            return
        button.setIcon(_square(image, round(_THUMB_SIDE * self.devicePixelRatioF())))

    def _on_unreadable(self, batch: Batch, _error: BaseException | None = None) -> None:
        """Mark a picture without a thumbnail; its prediction says why it cannot be read."""
        button = self._buttons.get(batch)
        if button is not None:
            set_icon(button, "warning", self._context.theme, "warn")

    def _remove(self, batch: Batch) -> None:
        button = self._buttons.pop(batch)
        self._requested.discard(batch)
        if batch.maps is not None:
            clean = partial(remove_folder, batch.maps, ignore_errors=True)
            self._context.background.run(self, clean)
        if button is not None:
            remove_widget(self._row, button)


@dataclass(frozen=True, slots=True)
class _Look:
    """A picture and the way in which it is shown.

    Attributes:
        path: The file.
        folder: Folder of the dataset whose colors and contrast are used; None for none.
        chosen: Colors and contrast that are not stored there yet; None for the stored ones.
        plane: Number of the plane, from 0.
    """

    path: Path
    folder: Path | None
    chosen: DisplayMapping | None
    plane: int

    @property
    def display(self) -> DisplayMapping | None:
        """Colors and contrast; None for those that suit the file."""
        return chosen_display(self.folder) if self.chosen is None else self.chosen

    def facts(self) -> DisplayFacts:
        """Return the facts by which a person chooses colors and contrast."""
        from studio.engine.datasets.picture_display import facts_of_file  # noqa: PLC0415 - NumPy

        return facts_of_file(self.path, self.display, self.plane)


def _read(look: _Look, size: QSize, ratio: float) -> tuple[FilePicture, QImage]:
    """Read a picture, and scale it to the size of its view."""
    from studio.engine.errors import StudioError  # noqa: PLC0415
    from studio.engine.pictures.pyramids import read_pyramid  # noqa: PLC0415 - NumPy
    from studio.engine.tasks.tiling import LARGE_RESULT  # noqa: PLC0415 - NumPy

    with contextlib.suppress(OSError, StudioError):  # reading it below says what is wrong
        pyramid = read_pyramid(look.path, look.plane, LARGE_RESULT)
        if pyramid is not None:
            return FilePicture(QImage(), pyramid.is_standard, pyramid), QImage()
    found = read_file_picture(look.path, display=look.display, plane=look.plane)
    return found, scaled_into(found.image, size, ratio)


def _square(image: QImage, side: int) -> QIcon:
    """Return the picture in the middle of a transparent square, so that captions line up."""
    modes = Qt.TransformationMode
    # An icon is never enlarged by itself, and tiny pictures are shown as their pixels.
    tiny = max(image.width(), image.height()) < side
    mode = modes.FastTransformation if tiny else modes.SmoothTransformation
    scaled = image.scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio, mode)
    square = QPixmap(side, side)
    square.fill(Qt.GlobalColor.transparent)
    painter = QPainter(square)
    painter.drawImage((side - scaled.width()) // 2, (side - scaled.height()) // 2, scaled)
    painter.end()
    return QIcon(square)


class LiveBar(QWidget):
    """Buttons to keep the current frame of the webcam and to switch it off."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        text, tip = self.tr("Keep this image"), self.tr("Freezes the current frame.")
        self.keep_button = push_button(text, theme, icon="image", tip=tip)
        text, tip = self.tr("Switch off"), self.tr("Stops the webcam.")
        self.stop_button = push_button(text, theme, icon="stop", tip=tip)
        line = QLabel(self.tr("The webcam is on."))
        hbox((line, 1), self.keep_button, self.stop_button, owner=self, spacing=SPACE.s)
        self.hide()
