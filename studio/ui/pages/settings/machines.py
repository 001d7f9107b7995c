"""The group of settings with other machines that train."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.executors.capacity import Capacity, DeviceCapacity, capacity_of
from studio.engine.jobs.executors.host import Machine, forget_machine, known_machines
from studio.ui.bridge import describe
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.pages.settings.add_machine import AddMachine
from studio.ui.pages.settings.rows import SettingGroup, fits
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import size
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, fill, hbox
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import allow, explain

_HEIGHT = 150


@dataclass(frozen=True, slots=True)
class MachineRow:
    """A machine, what it said last, and why it said nothing."""

    machine: Machine
    capacity: Capacity | None = None
    error: StudioError | None = None


def read_rows(*, check: bool) -> list[MachineRow]:
    """Return the machines; not in the window's thread.

    Args:
        check: True to connect to each.
    """
    return [_checked(each) if check else MachineRow(each) for each in known_machines()]


def _checked(machine: Machine) -> MachineRow:
    try:
        return MachineRow(machine, capacity_of(machine))
    except StudioError as error:
        return MachineRow(machine, error=error)


class MachinesGroup(SettingGroup):
    """Machines that ssh reaches, with their devices, and the form that adds one."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("machines", parent)
        self.set_title(self.tr("Other machines"))
        self._context = context
        self._count = 0
        self.table = Table(
            self.tr("Machines that train runs over ssh"),
            [
                Column(self.tr("Machine"), _host, value=_host, width=160, is_text=True),
                Column(self.tr("Devices"), self._devices, width=FILL, is_text=True),
                Column(self.tr("Free disk"), self._disk, width=100),
            ],
            self,
            key=_host,
        )
        self.table.setMinimumHeight(_HEIGHT)
        explain(self.table, self.tr("Choose a machine in the field Machine of a new run."))
        button = partial(push_button, theme=context.theme)
        text, tip = self.tr("Check"), self.tr("Connects to each machine and shows its devices.")
        self.check_button = button(text, icon="refresh", tip=tip, on_click=self._on_check)
        text, tip = self.tr("Remove"), self.tr("Removes the machine from this list.")
        self.remove_button = button(text, icon="close", tip=tip, on_click=self._on_remove)
        self.hint = HintLabel(
            self.tr(
                "Add a machine that ssh reaches without a password. Runs can train there. A "
                "SLURM cluster is added in a terminal: studio machines add HOST --launcher slurm"
            ),
            "help",
            self,
        )
        buttons = hbox(self.check_button, self.remove_button, STRETCH, spacing=SPACE.s)
        self.adding = AddMachine(context, self)
        self.adding.added.connect(self._on_added)
        fill(self.body, self.hint, self.adding, self.table, buttons)
        self.table.selection_changed.connect(self._refresh)
        self._show([])
        self._read(check=False)

    def finds_more(self, typed: str) -> bool:
        """Return True if the group has what was searched for."""
        words = self.tr("machine server ssh remote gpu computer")
        return fits(typed, (self.title, self.hint.text(), words))

    def _read(self, *, check: bool) -> None:
        self.check_button.setEnabled(False)
        work = partial(read_rows, check=check)
        self._context.background.run(self, work, self._show)

    def _show(self, rows: list[MachineRow]) -> None:
        self._count = len(rows)
        self.table.show_rows(rows)
        self._refresh()

    def _refresh(self) -> None:
        for part in (self.table, self.check_button, self.remove_button):
            part.setVisible(self._count > 0)
        none = "" if self._count else self.tr("There are no machines yet.")
        allow(self.check_button, none)
        chosen = none or ("" if self.table.selected else self.tr("Select a machine."))
        allow(self.remove_button, chosen)

    def _on_added(self, _host: str) -> None:
        self._read(check=True)

    def _on_check(self) -> None:
        self._read(check=True)

    def _on_remove(self) -> None:
        hosts = [row.machine.host for row in self.table.selected]
        work = partial(_forget, hosts)
        self._context.background.run(self, work, ended=partial(self._read, check=False))

    def _devices(self, row: MachineRow) -> str:
        if row.error is not None:
            return translated(row.error.message)
        if row.capacity is None:
            return self.tr("Not checked")
        return " · ".join(self._device(each) for each in row.capacity.devices)

    def _device(self, device: DeviceCapacity) -> str:
        words = [describe.on_devices([device.name]), device.label]
        if device.free_memory is not None:
            words.append(self.tr("{size} free").format(size=size(device.free_memory)))
        if device.jobs or device.waiting:
            text = self.tr("jobs: {jobs}, waiting: {waiting}")
            words.append(text.format(jobs=device.jobs, waiting=device.waiting))
        return ", ".join(filter(None, words))

    def _disk(self, row: MachineRow) -> str:
        free = row.capacity.free_disk if row.capacity else None
        return "" if free is None else size(free)


_host = attrgetter("machine.host")


def _forget(hosts: list[str]) -> None:
    for host in hosts:
        forget_machine(host)
