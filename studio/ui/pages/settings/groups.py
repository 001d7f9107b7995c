"""Groups of settings: defaults of new runs, caches, shortcuts of commands."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QFocusEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QKeySequenceEdit, QLabel, QLineEdit, QPushButton, QWidget

from studio.engine.caches import CacheName, CacheUsage, cache_usage, empty_cache
from studio.engine.jobs.devices import AUTO
from studio.engine.jobs.executors.handed_over import on_machine
from studio.engine.jobs.executors.host import Machine, known_machines
from studio.engine.training.plan import TrainingPlan
from studio.ui.bridge import describe
from studio.ui.commands import Command, CommandScope
from studio.ui.context import AppContext
from studio.ui.forms.plan_form import PlanForm
from studio.ui.language import translated
from studio.ui.navigation import OpenPage
from studio.ui.pages.settings.rows import (
    SettingGroup,
    SettingRow,
    WorkspaceLimits,
    changed_fields,
    fits,
)
from studio.ui.settings import MAX_MINUTES, MEGABYTES
from studio.ui.shared.training import own_defaults
from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import size
from studio.ui.widgets.inputs import ComboBox, DoubleSpinBox, SpinBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import fill, hbox
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.thumbnails import use_thumbnail_memory
from studio.ui.widgets.tips import allow, explain

HEIGHT: Final = 380


class KeysGroup(SettingGroup):
    """The list of commands, and below it the keys of the selected one."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("shortcuts", parent)
        self.set_title(self.tr("Keyboard shortcuts"))
        self._shortcuts = context.settings.shortcuts
        self.table = Table(
            self.tr("Commands and their keys"),
            [
                Column(self.tr("Command"), _label, value=_label, width=FILL, is_text=True),
                Column(self.tr("Keys"), self._shortcuts.text, width=190, is_text=True),
                Column(self.tr("Where"), self._where, value=self._where, is_text=True),
            ],
            self,
            key=attrgetter("name"),
        )
        explain(self.table, self.tr("All commands with their shortcuts. Select one to change it."))
        self.chosen = QLabel(self)
        self.edit = KeyField(self)
        explain(self.edit, self.tr("Click here, then press the new keys."))
        button = partial(push_button, theme=context.theme)
        text, tip = self.tr("No keys"), self.tr("Removes the shortcut of the selected command.")
        self.none_button = button(text, icon="close", tip=tip, on_click=self._on_none)
        self.usual_button = button(self.tr("Usual keys"), icon="undo", on_click=self._on_usual)
        text, reset = self.tr("Usual keys for all"), self._shortcuts.reset_all
        self.all_button = button(text, icon="undo", on_click=reset)
        self.hint = HintLabel("", "help", self)
        self._lay_out()
        self.table.selection_changed.connect(self._show)
        self.table.opened.connect(self._on_opened)
        self.edit.editingFinished.connect(self._on_edited)
        self._shortcuts.changed.connect(self._on_changed)
        self.table.show_rows(self._shortcuts.commands)
        self._select_shown()

    def select(self, name: str) -> None:
        """Select a command by its name."""
        self.table.select(name)

    def finds_more(self, typed: str) -> bool:
        """Show matching commands only; return True if there are any."""
        self.table.content.set_filter(partial(self._fits, typed))
        self._select_shown()
        return bool(self.table.content.shown)

    def _fits(self, typed: str, command: Command) -> bool:
        texts = [column.text(command) for column in self.table.content.columns]
        return fits(typed, (self.title, *texts, command.more_words()))

    def _select_shown(self) -> None:
        """Select a listed command, so that the fields below the list edit one that is visible."""
        shown = self.table.content.shown
        if shown and not self.table.selected:
            self.table.select(shown[0].name)

    def _lay_out(self) -> None:
        self.table.setFixedHeight(HEIGHT)
        self.edit.setAccessibleName(self.tr("Keys of the selected command"))
        line = hbox(
            (self.chosen, 1), self.edit, self.none_button, self.usual_button, spacing=SPACE.s
        )
        last = hbox((self.hint, 1), self.all_button)
        fill(self.body, self.table, line, last)

    def _where(self, command: Command) -> str:
        name = f"page.{command.page}"
        page = next((each for each in self._shortcuts.commands if each.name == name), None)
        if command.reach is CommandScope.WINDOW or page is None:
            scope = self.tr("Everywhere")
        else:
            scope = page.label()
        return self.tr("{place}, fixed").format(place=scope) if _is_fixed(command) else scope

    def _command(self) -> Command | None:
        return next(iter(self.table.selected), None)

    def _show(self) -> None:
        """Show the keys of the selected command, and enable the buttons that apply."""
        command = self._command()
        with QSignalBlocker(self.edit):
            keys = self._shortcuts.keys(command) if command else []
            self.edit.setKeySequence(keys[0] if keys else QKeySequence())
        self.chosen.setText(command.label() if command else "")
        fixed = command is None or _is_fixed(command)
        reason = self.tr("These keys cannot be changed.") if fixed else ""
        self.edit.setEnabled(not fixed)
        allow(self.none_button, reason or ("" if keys else self.tr("It has no shortcut.")))
        usual = command is None or self._shortcuts.is_usual(command)
        default = self.tr("These are the default keys.") if usual else ""
        allow(self.usual_button, reason or default)
        all_usual = all(map(self._shortcuts.is_usual, self._shortcuts.commands))
        allow(self.all_button, self.tr("All shortcuts are the defaults.") if all_usual else "")
        how = self.tr("Click into the field, or press Enter in the list; then press the new keys.")
        self.hint.show_text(reason or how)

    def _on_opened(self, _name: str) -> None:
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_edited(self) -> None:
        command, keys = self._command(), self.edit.keySequence()
        if command is None or keys.isEmpty() or keys in self._shortcuts.keys(command):
            return
        other = self._shortcuts.clash(command, keys)
        if other is None:
            self._shortcuts.choose(command, keys)
            return
        self._show()
        used = self.tr("{keys} is used by “{command}”. Choose other keys, or change those first.")
        native = keys.toString(QKeySequence.SequenceFormat.NativeText)
        self.hint.show_problem(used.format(keys=native, command=other.label()))

    def _on_none(self) -> None:
        command = self._command()
        if command is not None:
            self._shortcuts.choose(command, QKeySequence())

    def _on_usual(self) -> None:
        command = self._command()
        if command is None:
            return
        taken = [self._shortcuts.clash(command, keys) for keys in command.usual_keys()]
        other = next((each for each in taken if each is not None), None)
        if other is None:
            self._shortcuts.reset(command)
            return
        used = self.tr("The default keys are now used by “{command}”.")
        self.hint.show_problem(used.format(command=other.label()))

    def _on_changed(self, name: str) -> None:
        self.table.touch(name)
        self._show()


def _label(command: Command) -> str:
    return command.label()


def _is_fixed(command: Command) -> bool:
    return command.reach is CommandScope.FIXED


class KeyField(QKeySequenceEdit):
    """A field that takes one key combination.

    Its inner line edit, the visible part, never has the focus itself, so it is styled here.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMaximumSequenceLength(1)
        # It takes every key, so the focus must not come by itself, nor could Tab leave it.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the field takes keys."""
        super().focusInEvent(event)
        self._show_focus(is_here=True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that it does not."""
        super().focusOutEvent(event)
        self._show_focus(is_here=False)

    def _show_focus(self, *, is_here: bool) -> None:
        for field in self.findChildren(QLineEdit):
            restyle(field, "takesKeys", is_here)


FIELDS: Final = ("epochs", "batch_size", "learning_rate", "optimizer", "precision", "seed")
"""Fields that usually keep their values from run to run."""
_DEVICE_LETTERS: Final = 24


class RunGroup(SettingGroup):
    """Default values of new runs."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("runs", parent)
        self.set_title(self.tr("New runs"))
        self._context = context
        self._machines: list[str] = []
        self.device = ComboBox(self)
        self.device.setMinimumContentsLength(_DEVICE_LETTERS)
        text, reset = self.tr("Reset to defaults"), self._on_reset
        self.reset_button = push_button(text, context.theme, icon="undo", on_click=reset)
        self.form = PlanForm(TrainingPlan, FIELDS, theme=context.theme, parent=self)
        trains = self.tr("Device that new runs train on by default.")
        self.add(self.tr("Device"), trains, self.device, words="gpu cpu cuda")
        starts = self.tr(
            "Values that you change here win over the recommendation for a dataset. All others "
            "are recommended for each dataset."
        )
        words = self.tr("epochs batch size learning rate optimizer precision seed")
        self.add(self.tr("Default values"), starts, self.reset_button, words=words)
        self.body.addWidget(self.form)
        self._refresh()
        self._fill_devices()
        context.background.run(self, known_machines, self._on_machines)
        self.device.activated.connect(self._on_device)
        self.form.changed.connect(self._on_form)
        context.jobs.devices_known.connect(self._fill_devices)
        context.settings.run_defaults_changed.connect(self._refresh)

    def search(self, typed: str) -> bool:
        """Show matching settings; the form belongs to the row above it."""
        shown = super().search(typed)
        self.form.setVisible(not self.rows()[1].isHidden())
        return shown

    def _on_machines(self, machines: list[Machine]) -> None:
        self._machines = [on_machine(each.host, AUTO) for each in machines]
        self._fill_devices()

    def _chosen(self) -> str:
        """Return the device of new runs, with its machine if it is another."""
        plan = own_defaults(self._context.settings)
        return on_machine(plan.machine, plan.device) if plan.machine else str(plan.device)

    def _fill_devices(self) -> None:
        labels = {device.name: device.label for device in self._context.jobs.devices}
        chosen = self._chosen()
        self.device.clear()
        for name in dict.fromkeys([AUTO, *labels, *self._machines, chosen]):
            free = self.tr("A free GPU, else the CPU")
            text = free if name == AUTO else describe.on_devices([name]) or name
            parts = (text, translated(labels.get(name, "")))
            self.device.addItem(" · ".join(filter(None, parts)), name)
        self.device.choose(chosen)

    def _refresh(self) -> None:
        plan = own_defaults(self._context.settings)
        if plan != self.form.plan():
            self.form.set_values(plan)
        self.device.choose(self._chosen())
        is_usual = not self._context.settings.run_defaults
        allow(self.reset_button, self.tr("All values are the defaults.") if is_usual else "")

    def _on_device(self) -> None:
        self._store({"device": self.device.currentData()})

    def _on_form(self) -> None:
        plan = self.form.plan()
        if isinstance(plan, TrainingPlan):
            self._store({name: getattr(plan, name) for name in FIELDS})

    def _store(self, values: dict[str, object]) -> None:
        settings = self._context.settings
        usual = TrainingPlan(dataset="").model_dump(mode="json")
        settings.run_defaults = changed_fields({**settings.run_defaults, **values}, usual)

    def _on_reset(self) -> None:
        self._context.settings.run_defaults = {}
        self.form.set_values(own_defaults(self._context.settings))


_MEGABYTE: Final = 2**20


class CacheGroup(SettingGroup):
    """Sizes, and a button for each cache on disk that empties it."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("caches", parent)
        self.set_title(self.tr("Caches"))
        self._context = context
        self.thumbnails = SpinBox(self)
        self.thumbnails.setRange(*MEGABYTES)
        self.thumbnails.setSingleStep(16)
        self.thumbnails.setSuffix(self.tr(" MB"))
        self.thumbnails.setValue(context.settings.thumbnail_megabytes)
        self.engine_minutes = SpinBox(self)
        self.engine_minutes.setRange(0, MAX_MINUTES)
        self.engine_minutes.setSuffix(self.tr(" min"))
        self.engine_minutes.setSpecialValueText(self.tr("Never"))
        self.engine_minutes.setValue(context.settings.engine_minutes)
        self.features = DoubleSpinBox(self)
        self.features.setRange(0.1, 1000)
        self.features.setDecimals(1)
        self.features.setSuffix(self.tr(" GB"))
        self.features.setAccessibleName(self.tr("Cache of image features"))
        self.buttons: dict[CacheName, QPushButton] = {}
        for name in ("weights", "downloads", "features"):
            button = push_button(self.tr("Empty now"), context.theme, icon="trash", parent=self)
            button.clicked.connect(partial(self._on_empty, name))
            self.buttons[name] = button
        self.trash_button = push_button(
            self.tr("Open"), context.theme, icon="trash", parent=self, on_click=self._on_trash
        )
        self.trash_button.setAccessibleName(self.tr("Open the trash"))
        self._on_disk: dict[CacheName, SettingRow] = {}
        self._add_rows()
        WorkspaceLimits(context, {"feature_cache_size": self.features}, self)
        self.thumbnails.valueChanged.connect(self._on_thumbnails)
        self.engine_minutes.valueChanged.connect(self._on_engine_minutes)

    def showEvent(self, event: QShowEvent) -> None:
        """Measure the caches on disk whenever the group is shown."""
        super().showEvent(event)
        self._inspect()

    def _add_rows(self) -> None:
        scrolling = self.tr("Memory for thumbnails in each view, for fast scrolling.")
        words = self.tr("thumbnails memory size")
        self.add(self.tr("Images in memory"), scrolling, self.thumbnails, words=words)
        idle = self.tr(
            "Frees its memory when it is idle. The next prediction takes a few seconds longer."
        )
        engine = self.tr("Close the prediction engine after")
        words = self.tr("models memory idle unload minutes")
        self.add(engine, idle, self.engine_minutes, words=words)
        texts: dict[CacheName, tuple[str, str]] = {
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
        for name, (title, help_text) in texts.items():
            button = self.buttons[name]
            button.setAccessibleName(self.tr("Empty now: {what}").format(what=title))
            before = (self.features,) if name == "features" else ()
            self._on_disk[name] = self.add(title, help_text, *before, button, words=words)
        deleted = self.tr("Deleted datasets, runs and other records of this workspace.")
        self.add(self.tr("Trash"), deleted, self.trash_button, words=words)

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
            allow(button, "" if cache.size else self.tr("The cache is empty."), str(cache.folder))
            row.help.show_text(
                self.tr("{help} {size} now.").format(help=row.help_text, size=size(cache.size))
            )

    def _on_empty(self, name: CacheName) -> None:
        self.buttons[name].setEnabled(False)
        work = partial(empty_cache, name, self._context.workspace)
        self._context.background.run(self, work, ended=self._inspect)

    def _on_thumbnails(self, megabytes: int) -> None:
        self._context.settings.thumbnail_megabytes = megabytes
        use_thumbnail_memory(megabytes * _MEGABYTE)
