"""What is kept to save time, in memory and on disk, and how to be rid of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from studio.engine.caches import CacheName, KeptOnDisk, empty_cache, kept_on_disk
from studio.engine.workspace import Limits, read_limits, write_limits
from studio.ui.context import AppContext
from studio.ui.navigation import OpenPage
from studio.ui.pages.settings.rows import SettingGroup, SettingRow
from studio.ui.settings import MEGABYTES, MOST_MINUTES
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import size
from studio.ui.widgets.inputs import DoubleSpinBox, SpinBox
from studio.ui.widgets.layout import Debounce
from studio.ui.widgets.thumbnails import use_thumbnail_memory

SETTLE_MS: Final = 300
_MEGABYTE: Final = 2**20


class CacheGroup(SettingGroup):
    """Sizes, and a button for each cache on disk that empties it."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("caches", "", parent)
        self.title = self.tr("Caches")
        self.set_title(self.title)
        self._context = context
        self.thumbnails = SpinBox(self)
        self.thumbnails.setRange(*MEGABYTES)
        self.thumbnails.setSingleStep(16)
        self.thumbnails.setSuffix(self.tr(" MB"))
        self.thumbnails.setValue(context.settings.thumbnail_megabytes)
        self.engine_minutes = SpinBox(self)
        self.engine_minutes.setRange(0, MOST_MINUTES)
        self.engine_minutes.setSuffix(self.tr(" min"))
        self.engine_minutes.setSpecialValueText(self.tr("Never"))
        self.engine_minutes.setValue(context.settings.engine_minutes)
        self.features = DoubleSpinBox(self)
        self.features.setRange(0.1, 1000)
        self.features.setDecimals(1)
        self.features.setSuffix(self.tr(" GB"))
        self.features.setEnabled(False)
        self.features.setToolTip(self.tr("The limits of the workspace are being read."))
        self.buttons: dict[CacheName, QPushButton] = {}
        for name in ("weights", "downloads", "features"):
            button = push_button(self.tr("Empty now"), context.theme, icon="trash", parent=self)
            button.clicked.connect(partial(self._on_empty, name))
            self.buttons[name] = button
        self.trash_button = push_button(self.tr("Open"), context.theme, icon="trash", parent=self)
        self.trash_button.setAccessibleName(self.tr("Open the trash"))
        self.trash_button.clicked.connect(self._on_trash)
        self._on_disk: dict[CacheName, SettingRow] = {}
        self._settle = Debounce(SETTLE_MS, self._write, self)
        self.add_rows(self._all_rows())
        self.thumbnails.valueChanged.connect(self._on_thumbnails)
        self.engine_minutes.valueChanged.connect(self._on_engine_minutes)
        self.features.valueChanged.connect(self._on_features)
        root = context.workspace.root
        context.background.run(self, partial(read_limits, root), self._on_limits)

    def showEvent(self, event: QShowEvent) -> None:
        """Look at the disk whenever the group is opened."""
        super().showEvent(event)
        self._look()

    def _all_rows(self) -> list[SettingRow]:
        memory = SettingRow(
            self.tr("Pictures in memory"),
            self.tr("Small pictures that each view keeps, so that scrolling back is at once."),
            self.thumbnails,
            words=self.tr("thumbnails memory size"),
        )
        engine = SettingRow(
            self.tr("Close the prediction engine after"),
            self.tr(
                "Frees its memory when it is not used. The next prediction takes some seconds "
                "longer."
            ),
            self.engine_minutes,
            words=self.tr("models memory idle unload minutes"),
        )
        names: dict[CacheName, tuple[str, str]] = {
            "features": (
                self.tr("Features of images"),
                self.tr("Kept in the workspace, for baselines, maps and frozen networks."),
            ),
            "weights": (
                self.tr("Downloaded weights"),
                self.tr("Of pretrained networks; they are downloaded again when needed."),
            ),
            "downloads": (
                self.tr("Downloaded data"),
                self.tr("Archives and lists that datasets were imported from."),
            ),
        }
        words = self.tr("disk space clear empty cache size")
        for name, (title, help_text) in names.items():
            button = self.buttons[name]
            button.setAccessibleName(self.tr("Empty now: {what}").format(what=title))
            before = (self.features,) if name == "features" else ()
            if before:
                self.features.setAccessibleName(self.tr("Space for features of images"))
            self._on_disk[name] = SettingRow(title, help_text, *before, button, words=words)
        trash = SettingRow(
            self.tr("Trash"),
            self.tr("Deleted datasets, runs and other records of this workspace."),
            self.trash_button,
            words=words,
        )
        return [memory, engine, *self._on_disk.values(), trash]

    def _on_engine_minutes(self, minutes: int) -> None:
        self._context.settings.engine_minutes = minutes
        self._context.engine.set_idle_seconds(self._context.settings.engine_seconds)

    def _on_trash(self) -> None:
        self._context.navigator.open(OpenPage("trash"))

    def _look(self) -> None:
        work = partial(kept_on_disk, self._context.workspace)
        self._context.background.run(self, work, self._on_looked)

    def _on_looked(self, caches: list[KeptOnDisk]) -> None:
        for cache in caches:
            row, button = self._on_disk[cache.name], self.buttons[cache.name]
            button.setEnabled(cache.size > 0)
            button.setToolTip(str(cache.folder) if cache.size else self.tr("There is nothing."))
            row.help.show_text(
                self.tr("{help} {size} now.").format(help=row.help_text, size=size(cache.size))
            )

    def _on_empty(self, name: CacheName) -> None:
        self.buttons[name].setEnabled(False)
        work = partial(empty_cache, name, self._context.workspace)
        self._context.background.run(self, work, self._on_emptied)

    def _on_emptied(self, _nothing: object) -> None:
        self._look()

    def _on_thumbnails(self, megabytes: int) -> None:
        self._context.settings.thumbnail_megabytes = megabytes
        use_thumbnail_memory(megabytes * _MEGABYTE)

    def _on_limits(self, limits: Limits) -> None:
        self.features.blockSignals(True)
        self.features.setValue(limits.features_kept)
        self.features.blockSignals(False)
        self.features.setEnabled(True)
        self.features.setToolTip("")

    def _on_features(self) -> None:
        self._settle.start()

    def _write(self) -> None:
        work = partial(_set_features, self._context.workspace.root, self.features.value())
        self._context.background.run(self, work)


def _set_features(root: Path, gigabytes: float) -> None:
    """Called in another thread."""
    write_limits(root, read_limits(root).changed(features_kept=gigabytes))
