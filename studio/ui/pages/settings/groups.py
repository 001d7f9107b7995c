"""Groups of settings: defaults of new runs, caches."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from studio.engine.caches import CacheName, CacheUsage, cache_usage, empty_cache
from studio.engine.jobs.devices import AUTO
from studio.engine.plans import Plan
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Limits, read_limits, write_limits
from studio.ui.bridge import describe
from studio.ui.context import AppContext
from studio.ui.forms.plan_form import PlanForm
from studio.ui.language import translated
from studio.ui.navigation import OpenPage
from studio.ui.pages.settings.rows import SettingGroup, SettingRow, changed_fields
from studio.ui.settings import MEGABYTES, MOST_MINUTES
from studio.ui.shared.training import own_defaults
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import size
from studio.ui.widgets.inputs import ComboBox, DoubleSpinBox, SpinBox
from studio.ui.widgets.layout import Debounce
from studio.ui.widgets.thumbnails import use_thumbnail_memory

FIELDS: Final = ("epochs", "batch_size", "learning_rate", "optimizer", "precision", "seed")
"""Fields that usually keep their values from run to run."""
_DEVICE_LETTERS: Final = 24


class RunGroup(SettingGroup):
    """Default values of new runs."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("runs", "", parent)
        self.title = self.tr("New runs")
        self.set_title(self.title)
        self._context = context
        self.device = ComboBox(self)
        self.device.setMinimumContentsLength(_DEVICE_LETTERS)
        self.reset_button = push_button(
            self.tr("Reset to defaults"), context.theme, icon="undo", parent=self
        )
        self.form = PlanForm(TrainingPlan, FIELDS, theme=context.theme, parent=self)
        self.add_rows(
            [
                SettingRow(
                    self.tr("Device"),
                    self.tr("Device that new runs train on by default."),
                    self.device,
                    words="gpu cpu cuda",
                ),
                SettingRow(
                    self.tr("Default values"),
                    self.tr("The form of a new run starts with the values below."),
                    self.reset_button,
                    words=self.tr("epochs batch size learning rate optimizer precision seed"),
                ),
            ]
        )
        self.body.addWidget(self.form)
        self._refresh()
        self._fill_devices()
        self.device.activated.connect(self._on_device)
        self.reset_button.clicked.connect(self._on_reset)
        self.form.changed.connect(self._on_form)
        context.jobs.devices_known.connect(self._fill_devices)
        context.settings.run_defaults_changed.connect(self._refresh)

    def search(self, typed: str) -> bool:
        """Show matching settings; the form belongs to the row above it."""
        shown = super().search(typed)
        self.form.setVisible(not self.rows()[1].isHidden())
        return shown

    def _fill_devices(self) -> None:
        names = [AUTO, *(device.name for device in self._context.jobs.devices)]
        chosen = str(own_defaults(self._context.settings).device)
        self.device.clear()
        for name in dict.fromkeys([*names, chosen]):
            label = next(
                (
                    translated(each.label)
                    for each in self._context.jobs.devices
                    if each.name == name
                ),
                "",
            )
            text = (
                self.tr("A free GPU, else the CPU")
                if name == AUTO
                else describe.on_devices([name])
            )
            self.device.addItem(f"{text or name} · {label}" if label else text or name, name)
        self.device.setCurrentIndex(self.device.findData(chosen))

    def _refresh(self) -> None:
        plan = own_defaults(self._context.settings)
        if plan != self.form.plan():
            self.form.set_values(plan)
        self.device.setCurrentIndex(self.device.findData(plan.device))
        is_usual = not self._context.settings.run_defaults
        self.reset_button.setEnabled(not is_usual)
        self.reset_button.setToolTip(self.tr("All values are the defaults.") if is_usual else "")

    def _on_device(self) -> None:
        self._store({"device": self.device.currentData()})

    def _on_form(self) -> None:
        plan = self.form.plan()
        if isinstance(plan, TrainingPlan):
            self._store({name: getattr(plan, name) for name in FIELDS})

    def _store(self, values: dict[str, object]) -> None:
        settings = self._context.settings
        usual = usual_values(TrainingPlan(dataset=""))
        settings.run_defaults = changed_fields({**settings.run_defaults, **values}, usual)

    def _on_reset(self) -> None:
        self._context.settings.run_defaults = {}
        self.form.set_values(own_defaults(self._context.settings))


def usual_values(plan: Plan) -> dict[str, object]:
    """Return the values of a plan as they are stored in a file."""
    return plan.model_dump(mode="json")


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
        self.features.setToolTip(self.tr("Reading the limits of the workspace…"))
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
        """Measure the caches on disk whenever the group is shown."""
        super().showEvent(event)
        self._inspect()

    def _all_rows(self) -> list[SettingRow]:
        memory = SettingRow(
            self.tr("Pictures in memory"),
            self.tr("Memory for thumbnails in each view, for fast scrolling."),
            self.thumbnails,
            words=self.tr("thumbnails memory size"),
        )
        engine = SettingRow(
            self.tr("Close the prediction engine after"),
            self.tr(
                "Frees its memory when it is idle. The next prediction takes a few seconds longer."
            ),
            self.engine_minutes,
            words=self.tr("models memory idle unload minutes"),
        )
        names: dict[CacheName, tuple[str, str]] = {
            "features": (
                self.tr("Features of images"),
                self.tr("Stored in the workspace for baselines, maps and frozen networks."),
            ),
            "weights": (
                self.tr("Downloaded weights"),
                self.tr("Weights of pretrained networks, downloaded again when needed."),
            ),
            "downloads": (
                self.tr("Downloaded data"),
                self.tr("Archives and lists from which datasets were imported."),
            ),
        }
        words = self.tr("disk space clear empty cache size")
        for name, (title, help_text) in names.items():
            button = self.buttons[name]
            button.setAccessibleName(self.tr("Empty now: {what}").format(what=title))
            before = (self.features,) if name == "features" else ()
            if before:
                self.features.setAccessibleName(self.tr("Cache of image features"))
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

    def _inspect(self) -> None:
        work = partial(cache_usage, self._context.workspace)
        self._context.background.run(self, work, self._on_usage)

    def _on_usage(self, caches: list[CacheUsage]) -> None:
        for cache in caches:
            row, button = self._on_disk[cache.name], self.buttons[cache.name]
            button.setEnabled(cache.size > 0)
            button.setToolTip(str(cache.folder) if cache.size else self.tr("The cache is empty."))
            row.help.show_text(
                self.tr("{help} {size} now.").format(help=row.help_text, size=size(cache.size))
            )

    def _on_empty(self, name: CacheName) -> None:
        self.buttons[name].setEnabled(False)
        work = partial(empty_cache, name, self._context.workspace)
        self._context.background.run(self, work, self._on_emptied)

    def _on_emptied(self, _nothing: object) -> None:
        self._inspect()

    def _on_thumbnails(self, megabytes: int) -> None:
        self._context.settings.thumbnail_megabytes = megabytes
        use_thumbnail_memory(megabytes * _MEGABYTE)

    def _on_limits(self, limits: Limits) -> None:
        self.features.blockSignals(True)
        self.features.setValue(limits.feature_cache_size)
        self.features.blockSignals(False)
        self.features.setEnabled(True)
        self.features.setToolTip("")

    def _on_features(self) -> None:
        self._settle.start()

    def _write(self) -> None:
        work = partial(_set_features, self._context.workspace.root, self.features.value())
        self._context.background.run(self, work)


def _set_features(root: Path, gigabytes: float) -> None:
    """Write the limit; called in another thread."""
    write_limits(root, read_limits(root).changed(feature_cache_size=gigabytes))
