"""The form that adds a machine; a script in the place of ssh runs what is asked of it here."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from studio.engine.jobs.executors import host
from studio.ui.context import AppContext
from studio.ui.pages.settings.add_machine import AddMachine
from studio.ui.pages.settings.machines import MachinesGroup

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the script needs a shell")


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the other machine: its home, and `log` with what ran there."""
    folder = tmp_path / "there"
    (folder / "bin").mkdir(parents=True)
    ssh = folder / "bin" / "ssh"
    ssh.write_text(
        "#!/bin/sh\n"
        'case " $* " in *" -G "*) echo "controlmaster auto"; exit;; esac\n'
        f'[ -e "{folder}/refuses" ] && {{ echo "Permission denied" >&2; exit 255; }}\n'
        f'[ -e "{folder}/hangs" ] && {{ echo $$ > "{folder}/pid"; exec sleep 600; }}\n'
        'for script in "$@"; do :; done\n'
        f'echo "$script" >> "{folder}/log"\n'
        f'HOME="{folder}" exec /bin/sh -c "$script"\n'
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:/usr/bin:/bin")
    monkeypatch.setenv(host.VARIABLE, str(tmp_path / "machines.json"))
    return folder


@pytest.fixture
def group(context: AppContext, qtbot: QtBot, there: Path) -> MachinesGroup:
    made = MachinesGroup(context)
    qtbot.addWidget(made)
    made.show()
    return made


def _look(form: AddMachine, qtbot: QtBot) -> None:
    form.host.setText("me@box")
    form.look_button.click()
    qtbot.waitUntil(form.look_button.isEnabled, timeout=20_000)


def test_a_machine_is_checked_then_added(group: MachinesGroup, qtbot: QtBot, there: Path) -> None:
    form = group.adding
    assert not form.look_button.isEnabled()
    assert not form.install_button.isVisible()
    _look(form, qtbot)
    assert form.facts.facts["Python"]
    assert "-m venv" in form.commands.text()
    assert form.install_button.hasFocus() or not group.isActiveWindow()
    assert "venv" not in (there / "log").read_text(), "nothing is installed without a click"
    assert host.known_machines() == []

    form.python.setText(sys.executable)
    assert not form.commands.isVisible(), "nothing is installed"
    form.install_button.click()
    assert form.cancel_button.isVisible()
    qtbot.waitUntil(lambda: not form.bar.isVisible(), timeout=60_000)
    assert form.problem.text() == ""
    (machine,) = host.known_machines()
    assert (machine.host, machine.python) == ("me@box", sys.executable)
    qtbot.waitUntil(lambda: "CPU" in "".join(map(str, group.table.texts())), timeout=60_000)
    assert form.host.text() == ""
    assert not form.install_button.isVisible()


def test_a_check_can_be_canceled(group: MachinesGroup, qtbot: QtBot, there: Path) -> None:
    form = group.adding
    (there / "hangs").touch()
    form.host.setText("me@box")
    form.look_button.click()
    assert not form.look_button.isEnabled()
    qtbot.waitUntil((there / "pid").exists)
    qtbot.waitUntil(lambda: (there / "pid").read_text().strip() != "")
    form.cancel_button.click()
    qtbot.waitUntil(form.look_button.isEnabled)
    assert not form.cancel_button.isVisible()
    assert not form.problem.text()
    assert not psutil.pid_exists(int((there / "pid").read_text()))


def test_a_machine_that_refuses_and_a_wrong_name_say_why(
    group: MachinesGroup, qtbot: QtBot, there: Path
) -> None:
    form = group.adding
    (there / "refuses").touch()
    _look(form, qtbot)
    assert "ssh-copy-id me@box" in form.problem.text()
    assert not form.install_button.isVisible()
    form.host.setText("-oProxyCommand=x")
    assert not form.problem.text()
    form.look_button.click()
    assert "is not a machine that ssh can reach" in form.problem.text()
