"""What tests of the findings do with the page."""

from __future__ import annotations

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from studio.engine.datasets.audit.findings import Action
from studio.engine.datasets.edits import current_version
from studio.ui.pages.datasets.auditing.findings import FindingRow
from studio.ui.pages.datasets.page import View


def open_findings(view: View) -> None:
    view.panel.findings_bar.show_button.click()
    assert view.panel.stack.currentWidget() is view.panel.findings


def names(view: View) -> list[str]:
    """The file names in the grid, in order."""
    model = view.panel.browser.grid.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def show_images(qtbot: QtBot, view: View, kind: str) -> list[str]:
    with qtbot.waitSignal(view.panel.browser.listed, timeout=10_000):
        view.panel.findings.rows[kind].show_button.click()
    return names(view)


def after(qtbot: QtBot, view: View, act: Callable[[], object]) -> None:
    """Do something that makes another version, and wait until all of the page is of it."""
    (folder,) = view.context.workspace.root.glob("datasets/*")
    version = current_version(folder) + 1
    act()

    def settled() -> bool:
        facts, known = view.panel.audits.facts, view._known.of(view.current_record)
        versions = {facts and facts.version, getattr(known, "version", None)}
        return not view.panel.editor.is_busy and versions == {version}

    qtbot.waitUntil(settled, timeout=10_000)


def apply_shown(qtbot: QtBot, view: View) -> None:
    """Apply the fix whose effect is shown."""
    fixing = view.panel.fixing
    assert view.panel.stack.currentWidget() is fixing
    qtbot.waitUntil(fixing.apply_button.isEnabled)
    after(qtbot, view, fixing.apply_button.click)


def fix(qtbot: QtBot, view: View, kind: str, action: Action) -> FindingRow:
    view.panel.findings.rows[kind].fix_buttons[action].click()
    apply_shown(qtbot, view)
    return view.panel.findings.rows[kind]
