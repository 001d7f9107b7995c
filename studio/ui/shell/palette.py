"""The command palette: a search field over the window that finds and runs commands.

Items that contain all typed words come first; if there are few, items with the letters in order
follow. A search takes a few milliseconds for ten thousand items: finding words is one pass in C
over every text, and only a limited number of texts with the right letters are matched letter by
letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsDropShadowEffect,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.engine.jobs.states import State
from studio.engine.jobs.supervisor import Key
from studio.engine.served.facts import title_and_place
from studio.engine.workspace import RecordKind
from studio.ui.commands import Command
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.language import native_names
from studio.ui.navigation import OpenPage, OpenRecord, OpenWorkspace, job_intent
from studio.ui.record_kinds import KINDS, kind_word
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, RADIUS, SPACE, STATE_ROLES, TYPE, Role
from studio.ui.widgets.inputs import PopUp
from studio.ui.widgets.keys import ListKeys
from studio.ui.widgets.labels import elided, state_word
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.tips import explain

MAX_SHOWN: Final = 60
MAX_INSPECTED: Final = 2000
"""Most texts that one search matches letter by letter."""


_BREAKS: Final = str.maketrans(dict.fromkeys("-_./:…", " "))


@dataclass(frozen=True, slots=True)
class PaletteItem:
    """An item to choose.

    Attributes:
        key: Identity, under which the settings remember the choice.
        title: Shown text.
        words: Further words by which it is found.
        kind: Word at its right.
        icon: Name of its icon.
        run: Called when it is chosen.
        job: Key of its record, whose state is shown; None for other items.
        command: Name of its command, whose keys are shown; empty for other items.
    """

    key: str
    title: str
    words: str
    kind: str
    icon: str
    run: Callable[[], object]
    job: Key | None = None
    command: str = ""


class Haystack:
    """The items to search, in order of preference.

    Attributes:
        inspected: Number of texts that the last search matched letter by letter.
    """

    def __init__(self, items: Sequence[PaletteItem]) -> None:
        self.inspected = 0
        self._items = list(items)
        self._titles = [f" {' '.join(_plain(item.title).split())}" for item in items]
        self._texts = [
            f"{title} {_plain(item.kind)} {_plain(item.words)}"
            for title, item in zip(self._titles, items, strict=True)
        ]
        self._letters = [_letters(title) for title in self._titles]
        self._indices = {item.key: index for index, item in enumerate(items)}

    def __len__(self) -> int:
        return len(self._items)

    def find(self, typed: str, recent: Sequence[str] = ()) -> list[PaletteItem]:
        """Return the best items, `MAX_SHOWN` at most; without words recent ones, then the first.

        Args:
            typed: Words, or parts of them, or letters.
            recent: Keys of the latest choices; they come first among equal matches.
        """
        self.inspected = 0
        words = _plain(typed).split()
        known = [self._indices[key] for key in recent if key in self._indices]
        if not words:
            indices = [*known, *range(min(MAX_SHOWN, len(self._items)))]
        else:
            indices = self._holding(words, known)
            if len(indices) < MAX_SHOWN:
                indices += self._scattered("".join(words))
        best = list(dict.fromkeys(indices))[:MAX_SHOWN]
        return [self._items[index] for index in best]

    def _holding(self, words: Sequence[str], known: Sequence[int]) -> list[int]:
        """Return matches, the closest first, whatever their kind.

        Args:
            words: Words that every match contains.
            known: Recent choices; they come first among those that begin with the first word.
        """
        word, start, phrase = words[0], f" {words[0]}", f" {' '.join(words)}"
        hits = [index for index, text in enumerate(self._texts) if word in text]
        for other in words[1:]:
            hits = [index for index in hits if other in self._texts[index]]
        titles, texts = self._titles, self._texts
        matches = set(hits)
        ranks: tuple[Iterable[int], ...] = (
            (index for index in hits if titles[index] == phrase),
            (index for index in known if index in matches and start in texts[index]),
            (index for index in hits if titles[index].startswith(phrase)),
            (index for index in hits if titles[index].startswith(start)),
            (index for index in hits if start in titles[index]),
            (index for index in hits if word in titles[index]),
            hits,
        )
        found: dict[int, None] = {}
        for rank in ranks:
            # What an earlier rank has comes again.
            found |= dict.fromkeys(islice(rank, MAX_SHOWN + len(found)))
            if len(found) >= MAX_SHOWN:
                break
        return list(found)

    def _scattered(self, letters: str) -> list[int]:
        """Return titles that contain the letters in this order."""
        needed = _letters(letters)
        close = [index for index, has in enumerate(self._letters) if has & needed == needed]
        close = close[:MAX_INSPECTED]
        # Each letter where it comes first: nothing is tried twice.
        pattern = re.compile(
            "".join(f"[^{re.escape(each)}]*{re.escape(each)}" for each in letters)
        )
        self.inspected = len(close)
        fitting = (index for index in close if pattern.match(self._titles[index]))
        return list(islice(fitting, MAX_SHOWN))


def _plain(text: str) -> str:
    """Return lower-case text without accents, words separated by spaces."""
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text)
        text = "".join(part for part in parts if not unicodedata.combining(part))
    return text.casefold().translate(_BREAKS)


def _letters(text: str) -> int:
    """Return a bit for each letter of a text; several letters may share one."""
    bits = 0
    for letter in set(text) - {" "}:
        bits |= 1 << (ord(letter) % 61)
    return bits


class PaletteItems(QObject):
    """Collects the items of the palette.

    Args:
        context: Context of the window.
        commands: The commands that are offered.
        run: Runs a command by its name.
        parent: The owner.

    Signals:
        gathered: A `Haystack` of all items.
    """

    gathered = Signal(object)

    def __init__(
        self,
        context: AppContext,
        commands: Sequence[Command],
        run: Callable[[str], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._commands = commands
        self._run = run

    def at_hand(self) -> list[PaletteItem]:
        """Return the items that need no disk access: commands, jobs, workspaces, languages."""
        return [*self._of_jobs(), *self._of_commands(), *self._others()]

    def gather(self) -> None:
        """Add records and networks in the background."""
        jobs = self._context.jobs
        words = {kind: kind_word(kind) for kind in KINDS}
        work = partial(
            _gathered,
            self.at_hand(),
            jobs.all_entries(),
            words,
            self._context,
            self.tr("Network"),
        )
        self._context.background.run(self, work, self.gathered.emit)

    def _of_commands(self) -> list[PaletteItem]:
        return [
            PaletteItem(
                f"command:{command.name}",
                command.label(),
                command.more_words(),
                self.tr("Page") if command.name.startswith("page.") else self.tr("Command"),
                command.icon,
                partial(self._run, command.name),
                command=command.name,
            )
            for command in sorted(self._commands, key=_rank)
        ]

    def _of_jobs(self) -> list[PaletteItem]:
        """Return items that stop and pause running jobs."""
        items, jobs = [], self._context.jobs
        for entry in jobs.active():
            kind, record_id = entry.key
            job, words = f"{kind.value}:{record_id}", kind_word(kind)
            text = self.tr("Stop {name}").format(name=entry.name)
            stop = partial(self._control, jobs.stop, entry.key)
            items.append(PaletteItem(f"stop:{job}", text, words, self.tr("Job"), "stop", stop))
            if kind == RecordKind.RUN and entry.state == State.RUNNING:
                text = self.tr("Pause {name}").format(name=entry.name)
                pause = partial(self._control, jobs.pause, entry.key)
                items.append(
                    PaletteItem(f"pause:{job}", text, words, self.tr("Job"), "pause", pause)
                )
        return items

    def _control(self, request: Callable[[RecordDocument], None], job: Key) -> None:
        entry = self._context.jobs.get(*job)
        if entry is not None:
            request(entry)

    def _others(self) -> list[PaletteItem]:
        root, navigator = self._context.workspace.root, self._context.navigator
        choose = navigator.language_requested.emit
        others = [path for path in self._context.settings.recent_workspaces if path != root]
        spaces = [(path, title_and_place(path)) for path in others]
        language, more = self.tr("Language"), self.tr("language translation")
        return [
            *(
                PaletteItem(
                    f"workspace:{path}",
                    self.tr("Open the workspace {name}").format(name=name),
                    place,
                    self.tr("Workspace"),
                    "workspace",
                    partial(navigator.open, OpenWorkspace(path)),
                )
                for path, (name, place) in spaces
            ),
            *(
                PaletteItem(
                    f"language:{code}", name, more, language, "language", partial(choose, code)
                )
                for code, name in native_names().items()
            ),
        ]


def _rank(command: Command) -> int:
    """Return the rank of a command: commands of pages first, then the pages themselves."""
    if not command.page:
        return 2
    return 1 if type(command.intent) is OpenPage else 0


def _gathered(
    first: list[PaletteItem],
    entries: list[RecordDocument],
    words: dict[RecordKind, str],
    context: AppContext,
    network: str,
) -> Haystack:
    """Return all items, records newest first; called in another thread."""
    shown = [entry for entry in entries if KINDS[entry.key[0]].icon]
    shown.sort(key=lambda entry: entry.info.created, reverse=True)
    records = [
        PaletteItem(
            f"{entry.key[0].value}:{entry.key[1]}",
            entry.info.name,
            " ".join((*entry.info.tags, entry.info.group)),
            words[entry.key[0]],
            KINDS[entry.key[0]].icon,
            partial(context.navigator.open, job_intent(*entry.key)),
            entry.key,
        )
        for entry in shown
    ]
    return Haystack([*first, *records, *_networks(context, network)])


def _networks(context: AppContext, word: str) -> list[PaletteItem]:
    # Imported late: the zoo of networks is large.
    from studio.engine.networks.catalog import zoo_entries  # noqa: PLC0415
    from studio.engine.networks.library import saved  # noqa: PLC0415

    found = [
        *((each.id, each.name, "") for each in reversed(saved(context.workspace))),
        *((entry.name, entry.label, entry.name) for entry in zoo_entries()),
    ]
    opens = context.navigator.open
    return [
        PaletteItem(
            f"network:{name}",
            label,
            words,
            word,
            "networks",
            partial(opens, OpenRecord("networks", name)),
        )
        for name, label, words in found
    ]


Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT: Final = 36
_ITEM: Final = int(Qt.ItemDataRole.UserRole)
Beside = tuple[str, str, Role]
"""Kind of an item; the state of its job, or the keys of its command; their color."""


class PaletteDelegate(QStyledItemDelegate):
    """Paints an icon and the title, with the texts beside it at the right.

    Args:
        theme: Colors.
        beside: Returns the texts beside an item.
        parent: Owner.
    """

    def __init__(
        self, theme: Theme, beside: Callable[[PaletteItem], Beside], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._beside = beside

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Return the height of a row."""
        return QSize(0, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        item = index.data(_ITEM)
        if not isinstance(item, PaletteItem):
            return
        rect: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        palette = self._theme.palette
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.selection))
            painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), RADIUS.control, RADIUS.control)
        picture = pixmap(item.icon or "forward", self._theme, "text" if chosen else "muted", 16)
        top = rect.top() + (rect.height() - ICON_SMALL) // 2
        painter.drawPixmap(QRect(rect.left() + SPACE.m, top, ICON_SMALL, ICON_SMALL), picture)
        inner = rect.adjusted(SPACE.m + ICON_SMALL + SPACE.m, 0, -SPACE.m, 0)
        inner.setRight(self._paint_beside(painter, item, inner) - SPACE.l)
        self._write(painter, item.title, inner, palette.text, TYPE.body)
        painter.restore()

    def _paint_beside(self, painter: QPainter, item: PaletteItem, inner: QRect) -> int:
        """Paint the texts at the right; return their left edge."""
        kind, more, role = self._beside(item)
        colors = self._theme.palette
        right = inner.right()
        for text, ink in ((more, colors.color(role)), (kind, colors.muted)):
            if text:
                room = QRect(inner.left(), inner.top(), right - inner.left(), inner.height())
                right -= self._write(painter, text, room, ink, TYPE.caption, right=True) + SPACE.m
        return right

    def _write(
        self,
        painter: QPainter,
        text: str,
        room: QRect,
        color: str,
        size: int,
        *,
        right: bool = False,
    ) -> int:
        font = QFont(painter.font())
        font.setPixelSize(size)
        painter.setFont(font)
        painter.setPen(QColor(color))
        measure = painter.fontMetrics()
        shown = elided(measure, text, room.width())
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(room, int(side | Qt.AlignmentFlag.AlignVCenter), shown)
        return measure.horizontalAdvance(shown)


WIDTH: Final = 640
_ROWS: Final = 11
_TOP: Final = 56


class CommandPalette(PopUp):
    """A search field over the window, with the items that match.

    Args:
        context: Context of the window.
        commands: The commands that are offered, by name.
        run: Runs a command by its name.
        window: The window.
    """

    def __init__(
        self,
        context: AppContext,
        commands: dict[str, Command],
        run: Callable[[str], None],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._context = context
        self._commands = commands
        self._before: QWidget | None = None
        self._haystack = Haystack([])
        self.items = PaletteItems(context, list(commands.values()), run, self)
        self.field = QLineEdit(self)
        self.field.setWhatsThis(self.tr("Type to find a command or page."))
        self.view = QListWidget(self)
        self.nothing = QLabel(self.tr("No matches."), self)
        self._set_up()
        self.items.gathered.connect(self._on_gathered)
        self.field.textChanged.connect(self._search)
        self.field.returnPressed.connect(self._choose)
        self.view.clicked.connect(self._choose)
        context.jobs.changed.connect(self._on_job)
        explain(self.view, self.tr("Matches. Press Enter to run."))

    def open(self) -> None:
        """Open it with an empty field at the top of the window."""
        if self.isVisible():
            self._leave()
            return
        self._before = QApplication.focusWidget()
        self._haystack = Haystack(self.items.at_hand())
        self.field.clear()
        self._search("")
        self._reposition()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.items.gather()

    def found(self) -> list[PaletteItem]:
        """Return the items that are listed."""
        return [self.view.item(row).data(_ITEM) for row in range(self.view.count())]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape also restores the focus."""
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the window; Escape in the field is no shortcut of the window."""
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self._reposition()
        is_override = watched is self.field and event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _leave(self) -> None:
        self.hide()
        if self._before is not None and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)

    def _choose(self) -> None:
        if self.view.currentRow() < 0:
            return
        item: PaletteItem = self.view.currentItem().data(_ITEM)
        self._context.settings.remember_choice(item.key)
        self._leave()
        # After this key event: another language or workspace deletes the window.
        QTimer.singleShot(0, self, item.run)

    def _search(self, text: str) -> None:
        found = self._haystack.find(text, self._context.settings.recent_choices)
        self.view.clear()
        for item in found:
            QListWidgetItem(item.title, self.view).setData(_ITEM, item)
        self._describe()
        self.view.setCurrentRow(0)
        self.nothing.setVisible(not found)
        self.view.setVisible(bool(found))
        self._reposition()

    def _on_gathered(self, haystack: Haystack) -> None:
        if not self.isVisible():
            return
        row = self.view.currentRow()
        self._haystack = haystack
        self._search(self.field.text())
        if not self.field.text():
            self.view.setCurrentRow(max(row, 0))

    def _on_job(self) -> None:
        if self.isVisible():
            self._describe()

    def _describe(self) -> None:
        """Set what screen readers say of each item."""
        for row in range(self.view.count()):
            listed = self.view.item(row)
            kind, more, _ = self._beside(listed.data(_ITEM))
            words = ", ".join(filter(None, (listed.text(), kind, more)))
            listed.setData(Qt.ItemDataRole.AccessibleTextRole, words)

    def _beside(self, item: PaletteItem) -> Beside:
        entry = self._context.jobs.get(*item.job) if item.job is not None else None
        if entry is not None:
            return item.kind, state_word(entry.shown_state), STATE_ROLES[entry.shown_state]
        shortcuts = self._context.settings.shortcuts
        keys = shortcuts.short_text(self._commands[item.command]) if item.command else ""
        return item.kind, keys, "text"

    def _reposition(self) -> None:
        window = self._window
        width = min(WIDTH, window.width() - 2 * SPACE.xl)
        rows = max(1, min(_ROWS, self.view.count()))
        self.view.setFixedHeight(rows * ROW_HEIGHT)
        self.resize(QSize(width, self.sizeHint().height()))
        self.move(QPoint((window.width() - width) // 2, _TOP))

    def _set_up(self) -> None:
        self.setObjectName("palette")
        self.setAccessibleName(self.tr("Commands and records"))
        hint = self.tr("A command, a page, a dataset, a run, a network…")
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(self.tr("Search or run a command"))
        self.field.setAccessibleDescription(hint)
        self.field.installEventFilter(self)
        self._window.installEventFilter(self)
        ListKeys(self.field, self.view)
        self.view.setItemDelegate(PaletteDelegate(self._context.theme, self._beside, self))
        self.view.setAccessibleName(self.tr("Matches"))
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setUniformItemSizes(True)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.nothing.setProperty("role", "muted")
        self.nothing.setContentsMargins(SPACE.m, SPACE.s, SPACE.m, SPACE.s)
        vbox(self.field, self.view, self.nothing, owner=self, spacing=SPACE.s, margins=SPACE.s)
        shadow = QGraphicsDropShadowEffect(self, blurRadius=SPACE.xxl)
        shadow.setOffset(0, SPACE.s)
        shadow.setColor(QColor(0, 0, 0, 90))
        self.setGraphicsEffect(shadow)
