"""The form that adds a machine: it is checked first, and nothing is installed without a click."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.executors.capacity import Capacity, add_machine
from studio.engine.jobs.executors.host import checked_host, ssh_hosts
from studio.engine.jobs.executors.setup import MachineFacts, check_host, install_commands
from studio.engine.progress import Cancelled
from studio.ui.bridge.request import Request, RequestProgress
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import size
from studio.ui.widgets.labels import FactList, HintLabel
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.tips import allow, explain

_FIELD: Final = 220


class AddMachine(QWidget):
    """A host, what a check found there, and the commands that would install Studio.

    Signals:
        added: The name of a machine that is in the list now.
    """

    added = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._found: MachineFacts | None = None
        self._host = ""
        self._work = Request(context.background, self)
        self._work.advanced.connect(self._on_advanced)
        self.host = self._field(
            self.tr("Machine to add"),
            self.tr("user@host"),
            self.tr("A host of ~/.ssh/config, or user@host."),
        )
        self.python = self._field(
            self.tr("Python there"),
            self.tr("optional"),
            self.tr(
                "Path of a Python on the machine that has the packages already. Empty to install "
                "them into a folder of their own."
            ),
        )
        button = partial(push_button, theme=context.theme, parent=self)
        tip = self.tr("Connects over ssh and looks for Python, disk space and GPUs.")
        self.look_button = button(
            self.tr("Check the machine"), icon="search", tip=tip, on_click=self._on_look
        )
        tip = self.tr("Runs the commands above on the machine, then adds it.")
        self.install_button = button(
            self.tr("Install and add"), kind="primary", tip=tip, on_click=self._on_install
        )
        tip = self.tr("Ends what runs on the machine. It is not added.")
        self.cancel_button = button(
            self.tr("Cancel"), icon="stop", tip=tip, on_click=self._on_cancel
        )
        self.bar = ThinBar(context.theme, self)
        self.step = text_label("", "muted", self)
        self.facts = FactList(parent=self)
        self.commands = text_label("", "caption", self, wraps=True, selectable=True)
        self.problem = HintLabel("", "problem", self)
        self._lay_out()
        self.host.textChanged.connect(self._on_typed)
        self.host.returnPressed.connect(self._on_look)
        self.python.textChanged.connect(self._refresh)
        self._refresh()
        context.background.run(self, ssh_hosts, self._offer_hosts)

    def _field(self, name: str, prompt: str, tip: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setAccessibleName(name)
        field.setPlaceholderText(prompt)
        field.setMinimumWidth(_FIELD)
        explain(field, tip)
        return field

    def _lay_out(self) -> None:
        ask = hbox(self.host, self.look_button, STRETCH, spacing=SPACE.s)
        label = text_label(self.tr("Python there"), "muted", self)
        label.setBuddy(self.python)
        self._python_row = QWidget(self)
        hbox(label, self.python, STRETCH, owner=self._python_row, spacing=SPACE.s)
        going = hbox(self.step, (self.bar, 1), spacing=SPACE.s)
        buttons = hbox(self.install_button, self.cancel_button, STRETCH, spacing=SPACE.s)
        parts = (ask, self.problem, self.facts, self._python_row, self.commands, going, buttons)
        vbox(*parts, owner=self, spacing=SPACE.s)

    def _offer_hosts(self, hosts: list[str]) -> None:
        if hosts:
            self.host.setCompleter(QCompleter(hosts, self))

    # What is shown

    def _refresh(self) -> None:
        found, is_busy = self._found, self._work.is_running
        none = "" if self.host.text().strip() else self.tr("Type a machine first.")
        allow(self.look_button, self.tr("Wait until the work is done.") if is_busy else none)
        self.host.setEnabled(not is_busy)
        self.python.setEnabled(not is_busy)
        installs = not self.python.text().strip()
        for part in (self.facts, self._python_row, self.install_button):
            part.setVisible(found is not None)
        self.install_button.setEnabled(not is_busy)
        self.install_button.setText(self.tr("Install and add") if installs else self.tr("Add"))
        self.commands.setVisible(found is not None and installs)
        self.cancel_button.setVisible(is_busy or found is not None)
        self.bar.setVisible(is_busy)
        self.step.setVisible(is_busy)

    def _show_found(self, found: MachineFacts) -> None:
        none = self.tr("none")
        versions = ", ".join(dict.fromkeys(version for version, _ in found.pythons))
        self.facts.show_facts(
            {
                self.tr("System"): found.system,
                self.tr("Python"): versions or none,
                self.tr("Free disk"): size(found.free_bytes),
                self.tr("GPUs"): "; ".join(found.gpus) or none,
            }
        )
        commands = "\n".join(install_commands(found)) if found.python else ""
        title = self.tr("These commands run on {host}:").format(host=self._host)
        self.commands.setText(f"{title}\n{commands}")

    def _begin(self, step: str) -> None:
        self.problem.show_problem()
        self.bar.set_fraction(None)
        self.step.setText(step)

    def _on_advanced(self, done: int, total: int, what: str) -> None:
        # One step of many takes nearly all of the time, so that a fraction would stand still.
        del done, total
        self.step.setText(f"{translated(what)}…")

    # Work

    def _on_typed(self) -> None:
        self._found = None
        self.problem.show_problem()
        self._refresh()

    def _on_look(self) -> None:
        if not self.look_button.isEnabled():
            return
        try:
            self._host = checked_host(self.host.text().strip())
        except StudioError as error:
            self._on_failed(error)
            return
        self._found = None
        self._begin(self.tr("Connecting to {host}…").format(host=self._host))
        self._work.track(partial(_look, self._host), self._on_found, self._on_failed)
        self._refresh()

    def _on_found(self, found: MachineFacts) -> None:
        self._found = found
        self._show_found(found)
        self._refresh()
        self.install_button.setFocus()

    def _on_install(self) -> None:
        if self._found is None:
            return
        self._begin(self.tr("Connecting to {host}…").format(host=self._host))
        work = partial(_add, self._host, self._found, self.python.text().strip())
        self._work.track(work, self._on_added, self._on_failed)
        self._refresh()
        self.cancel_button.setFocus()

    def _on_added(self, _capacity: Capacity) -> None:
        host = self._host
        self.host.clear()
        self.python.clear()
        self.host.setFocus()
        self.added.emit(host)

    def _on_cancel(self) -> None:
        if self._work.is_running:
            self.step.setText(self.tr("Canceling…"))
            self._work.stop()
        else:
            self._on_typed()

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            hint = translated(error.hint)
            self.problem.show_problem(f"{translated(error.message)} {hint}".strip())
        elif not isinstance(error, Cancelled):
            self._context.background.failed.emit(error)
        self._refresh()


def _look(host: str, progress: RequestProgress) -> MachineFacts:
    return check_host(host, progress)


def _add(host: str, found: MachineFacts, python: str, progress: RequestProgress) -> Capacity:
    return add_machine(host, found, python, progress=progress)
