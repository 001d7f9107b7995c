"""The dialog that opens a served workspace, and the state of the connection in the top bar."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QDateTime, QLocale, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QDialog, QLineEdit, QSizePolicy, QWidget

from studio.engine.errors import StudioError
from studio.engine.served.connection import is_local
from studio.engine.served.follower import LinkState, LinkStatus
from studio.engine.served.opening import prepare_served
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.navigation import OpenServed
from studio.ui.theme.icons import set_icon
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.tips import allow, explain

_URL_KEY: Final = "served/url"
_WIDTH: Final = 460
_PLAIN: Final = "http://"
_AROUND_TEXT: Final = 52
"""Pixels of icon and margins of the button in the top bar."""
_ICONS: Final[dict[LinkState, str]] = {
    "connecting": "clock",
    "waiting": "success",
    "copying": "download",
    "connected": "success",
    "away": "lost",
    "failed": "warning",
}


class ServedDialog(QDialog):
    """Asks for address and token of a server; does not block other windows while it connects.

    Args:
        context: Context of the window.
        url: Address that is filled in; empty for the last one.
        parent: The window.

    Signals:
        prepared: The folder for the copy of the workspace.
    """

    prepared = Signal(object)

    def __init__(self, context: AppContext, url: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Open a served workspace"))
        self._context = context
        self._connecting = Request(context.background, self)
        intro = self.tr(
            "A workspace that another computer offers with “studio serve”. Its runs train there; "
            "this window shows and commands them."
        )
        self.url = self._field(
            self.tr("Address"),
            "https://gpu-box.example",
            self.tr("Address of the server; that of an ssh tunnel begins with http://127.0.0.1."),
        )
        self.token = self._field(
            self.tr("Token"),
            self.tr("Of your administrator"),
            self.tr("The token decides what you may do: read, run jobs, or administer."),
        )
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.insecure = QCheckBox(self.tr("Connect without encryption"), self)
        explain(
            self.insecure,
            self.tr("Others on the network can then read the token and what is sent."),
        )
        self.bar = ThinBar(context.theme, self)
        self.problem = HintLabel("", "problem", self)
        button = partial(push_button, theme=context.theme, parent=self)
        self.open_button = button(self.tr("Open"), kind="primary", on_click=self._on_open)
        self.open_button.setDefault(True)
        self.cancel_button = button(self.tr("Cancel"), on_click=self.reject)
        self._lay_out(intro)
        known = context.link.status.facts.url if context.link is not None else ""
        self.url.setText(url or context.settings.text(_URL_KEY) or known)
        self.url.textChanged.connect(self._on_typed)
        self.token.textChanged.connect(self._on_typed)
        self.insecure.toggled.connect(self._refresh)
        self._refresh()
        (self.token if self.url.text() else self.url).setFocus()

    def _field(self, name: str, prompt: str, tip: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setAccessibleName(name)
        field.setPlaceholderText(prompt)
        explain(field, tip)
        return field

    def _lay_out(self, intro: str) -> None:
        parts: list[QWidget] = [text_label(intro, "muted", self, wraps=True)]
        for field in (self.url, self.token):
            label = text_label(field.accessibleName(), "caption", self)
            label.setBuddy(field)
            parts += [label, field]
        buttons = hbox(STRETCH, self.cancel_button, self.open_button, spacing=SPACE.s)
        vbox(
            *parts,
            self.insecure,
            self.bar,
            self.problem,
            SPACE.s,
            buttons,
            owner=self,
            spacing=SPACE.s,
            margins=SPACE.l,
        )
        self.setFixedWidth(_WIDTH)

    def _refresh(self) -> None:
        is_busy = self._connecting.is_running
        url = self.url.text().strip()
        self.insecure.setVisible(url.startswith(_PLAIN) and not is_local(url))
        self.bar.setVisible(is_busy)
        for field in (self.url, self.token, self.insecure):
            field.setEnabled(not is_busy)
        reason = ""
        if is_busy:
            reason = self.tr("Connecting…")
        elif not url:
            reason = self.tr("Type the address first.")
        elif not self.token.text().strip():
            reason = self.tr("Type the token first.")
        allow(self.open_button, reason)
        self.open_button.setText(self.tr("Connecting…") if is_busy else self.tr("Open"))
        self.adjustSize()

    def _on_typed(self) -> None:
        self.problem.show_problem()
        self._refresh()

    def _on_open(self) -> None:
        self.problem.show_problem()
        self.bar.set_fraction(None)
        url, token = self.url.text(), self.token.text()
        insecure = self.insecure.isChecked() and url.strip().startswith(_PLAIN)
        work = partial(prepare_served, url, token, insecure=insecure)
        self._connecting.run(work, self._on_prepared, self._on_failed)
        self._refresh()

    def _on_prepared(self, root: Path) -> None:
        self._context.settings.set_text(_URL_KEY, self.url.text().strip())
        self.accept()
        self.prepared.emit(root)

    def _on_failed(self, error: BaseException) -> None:
        self._refresh()
        if not isinstance(error, StudioError):
            self._context.navigator.show_failure(error)
            return
        hint = translated(error.hint)
        self.problem.show_problem(f"{translated(error.message)} {hint}".strip())
        self.adjustSize()
        field = self.token if error.where == "token" else self.url
        field.setFocus()
        field.selectAll()


class LinkLabel(QWidget):
    """Shows how the connection to the server of the workspace is; a click asks for another token.

    Args:
        context: Context of the window, with a link.
        parent: Owner.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._failure = ""
        self._words = ""
        self.button = push_button("", context.theme, kind="quiet", parent=self)
        self.button.clicked.connect(self._on_click)
        self.button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        hbox((self.button, 1), owner=self, spacing=0)
        if context.link is not None:
            context.link.changed.connect(self.show_status)
            self.show_status(context.link.status)

    def sizeHint(self) -> QSize:
        """Return the room of the whole text."""
        width = self.button.fontMetrics().horizontalAdvance(self._words)
        return QSize(width + _AROUND_TEXT + SPACE.s, self.button.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the room of the icon."""
        return QSize(_AROUND_TEXT, self.button.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the text in a small window."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        needed = self.button.fontMetrics().horizontalAdvance(self._words)
        self.button.setText(self._words if needed <= self.width() - _AROUND_TEXT else "")

    def show_status(self, status: LinkStatus) -> None:
        """Show the state of the connection."""
        self._words = self._text(status)
        self.button.setAccessibleName(self._words)
        self._fit()
        set_icon(self.button, _ICONS[status.state], self._context.theme, "muted")
        self.updateGeometry()
        facts = status.facts
        tip = (
            self._words
            + "\n\n"
            + self.tr("{url}\nRole of your token: {role}\nStudio {version}").format(
                url=facts.url, role=facts.role, version=facts.server_version
            )
        )
        if status.error is not None:
            tip = f"{translated(status.error.text)}\n\n{tip}"
        self.button.setToolTip(tip)
        self.button.setAccessibleDescription(tip)
        self._notify(status)

    def _text(self, status: LinkStatus) -> str:
        if status.state == "connecting":
            return self.tr("Connecting…")
        if status.state == "copying":
            text = self.tr("Loading {done} of {total} records…")
            return text.format(done=count(status.done + 1), total=count(status.total))
        if status.state == "away":
            since = QDateTime.fromSecsSinceEpoch(int(status.since)).time()
            shown = QLocale().toString(since, QLocale.FormatType.ShortFormat)
            return self.tr("Server away since {time}").format(time=shown)
        if status.state == "waiting":
            return self.tr("Updated by another window")
        if status.state == "failed":
            return self.tr("Not connected")
        return (
            self.tr("Connected, read only")
            if status.facts.role == "read"
            else (self.tr("Connected"))
        )

    def _notify(self, status: LinkStatus) -> None:
        """Show once why the server is not followed, and that it is again."""
        navigator, key = self._context.navigator, "served-link"
        error = status.error if status.state in ("failed", "away") else None
        kind = "" if error is None else status.state
        if error is not None and kind != self._failure:
            if kind == "failed":
                action = self.tr("Enter a token…")
                notice = Notice("error", error.message, error.hint, key, action, self._on_click)
            else:
                hint = self.tr("The window shows what it has, and catches up by itself.")
                notice = Notice("warning", error.message, hint, key)
            navigator.notify(notice)
        elif status.state == "connected" and self._failure:
            navigator.notify(Notice("success", self.tr("The server answers again."), "", key))
        if kind or status.state == "connected":
            self._failure = kind

    def _on_click(self) -> None:
        link = self._context.link
        if link is not None:
            self._context.navigator.open(OpenServed(link.status.facts.url))
