"""Readers of the window: its settings, drafts of drawings, and what the clipboard holds."""

from __future__ import annotations

import base64
import json
import pickle
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QSplitter, QWidget

from fuzz.mutations import spoiled_bytes, spoiled_json, spoiled_text
from fuzz.pictures_read import payloads, some_images
from fuzz.readers import Reader
from studio.engine.errors import BadDataError
from studio.engine.networks import edits
from studio.engine.networks.checks import check
from studio.engine.networks.drafts import DraftFolder, NetworkDocument
from studio.engine.networks.zoo import ZOO
from studio.ui.pages.export.page import ExportsTable
from studio.ui.pages.predict.pictures import has_pictures, read_transfer
from studio.ui.pages.train.runs.table import LAYOUT, RunRow, run_columns
from studio.ui.settings import Settings
from studio.ui.shared.media import read_picture
from studio.ui.shared.training import own_defaults
from studio.ui.shell.commands import all_commands
from studio.ui.theme.theme import Theme
from studio.ui.widgets.table import Table

SETTINGS = "window.json"
DRAFT = "drafts/0123456789abcdef.json"


@cache
def _application() -> tuple[QGuiApplication, Theme]:
    """Made when the first reader needs it; the theme with it, which loads the icons."""
    return QApplication.instance() or QApplication(["fuzz"]), Theme("light")  # type: ignore[return-value]


def _settings_seed(folder: Path) -> list[bytes]:
    _, theme = _application()
    settings = Settings(folder / SETTINGS)
    settings.workspace = folder / "größe قط 🐈"
    settings.theme, settings.language = "dark", "pt_BR"
    settings.is_expert, settings.notifies = True, False
    settings.long_job_seconds, settings.thumbnail_megabytes = 90, 256
    settings.run_defaults = {"epochs": 3, "augmentation": {"flip": True}, "device": "cpu"}
    settings.remember_choice("page:home")
    settings.shortcuts.choose(all_commands()[0], QKeySequence("F7"))
    settings.set_folder("import", folder)
    settings.set_text("predict/run", "a-run")
    parts = _parts()
    settings.geometry = parts[0].saveGeometry()
    settings.set_bytes("splitter", parts[1].saveState())
    ExportsTable(settings).setColumnWidth(1, 321)
    _runs_table(theme, settings).save()
    settings.save()
    # A second one, with the parts of Qt's own form alone: their bytes are spoiled more often.
    return [settings.path.read_bytes()]


def _spoiled_settings(data: bytes, random: Random) -> bytes:
    """Every other time the bytes that Qt is given, which say of no part what it is."""
    if random.random() < 0.5:
        return spoiled_json(data, random)
    document = json.loads(data)
    for name in ("geometry", "splitter"):
        state = base64.b64decode(document[name]["base64"])
        document[name] = {"base64": base64.b64encode(spoiled_bytes(state, random)).decode()}
    return json.dumps(document).encode()


def _runs_table(theme: Theme, settings: Settings) -> Table[RunRow]:
    columns = run_columns(theme, (), (), lambda *_: None)
    table: Table[RunRow] = Table("Runs", columns)
    table.remember(settings, LAYOUT)
    return table


def _parts() -> tuple[QMainWindow, QSplitter]:
    window, splitter = QMainWindow(), QSplitter()
    for _ in range(2):
        splitter.addWidget(QWidget())
    return window, splitter


def _read_settings(folder: Path) -> object:
    """What the window does at its start, and at its end."""
    _, theme = _application()
    settings = Settings(folder / SETTINGS)
    reported = [
        getattr(settings, name)
        for name, kind in vars(Settings).items()
        if isinstance(kind, property)
    ]
    own_defaults(settings)
    assert settings.folder("import").is_dir()
    for path in settings.recent_workspaces:
        path.is_dir()
    settings.shortcuts.know(all_commands())
    reported += [settings.shortcuts.text(command) for command in all_commands()]
    window, splitter = _parts()
    window.restoreGeometry(settings.geometry or QByteArray())
    splitter.restoreState(settings.bytes("splitter") or QByteArray())
    stored = [ExportsTable(settings), _runs_table(theme, settings)]
    settings.failed.connect(_raise)
    settings.theme = "light" if settings.theme == "dark" else "dark"
    settings.save()
    assert Settings(settings.path).theme == settings.theme
    del stored
    if settings.problem is not None:
        raise settings.problem
    return reported


def _raise(error: BaseException) -> None:
    raise error


def _hostile_settings(canary: Path) -> list[bytes]:
    """Files of Qt's own form: PySide unpickles what they hold."""
    found = []
    for payload in payloads(canary):
        data = pickle.dumps(payload)
        head = b"\0\0\0\x7f\0\0\0\x18PySide::PyObjectWrapper\0" + len(data).to_bytes(4, "big")
        words = "".join(f"\\x{byte:x}" for byte in head + data)
        found.append(f"[General]\ngeometry=@Variant({words})\n".encode())
    deep = json.dumps({"run_defaults": "[" * 100_000, "train/runs-table": '{"a":' * 50_000})
    return [*found, deep.encode()]


def _draft_seed(folder: Path) -> list[bytes]:
    drafts = DraftFolder(folder / "drafts")
    spec = ZOO["lenet"].build((28, 28, 1), 10)
    document = NetworkDocument(spec, None, key=Path(DRAFT).stem, weights_file="a.keras")
    drafts.put(document, 1)
    return [(folder / DRAFT).read_bytes()]


def _read_draft(folder: Path) -> object:
    drafts, unread = DraftFolder(folder / "drafts").read()
    for draft in drafts:
        check(draft.spec)
        edits.copied(draft.spec, [node.id for node in draft.spec.nodes])
    if unread:
        raise unread[0]
    return drafts


def _clips(folder: Path) -> list[bytes]:
    """The kind of what is on the clipboard on the first line, then the data."""
    (folder / "cão.png").write_bytes(some_images()[0])
    words = [
        b"text/uri-list\n" + (folder / "cão.png").as_uri().encode() + b"\r\n",
        b"text/uri-list\nhttps://host.example/a%20b.png?x=1#y\r\nfile:///tmp/a.png\r\n",
        b"text/plain\n https://host.example/p\xc3\xa3o.jpg \n",
        "text/plain\nhttp://مثال.إختبار/🐈.png".encode(),
        b"text/html\n<img src='https://host.example/a.png'>",
    ]
    return [*words, *(b"application/x-qt-image\n" + data for data in some_images())]


def _read_clip(folder: Path) -> object:
    _application()
    kind, _, data = (folder / "clip").read_bytes().partition(b"\n")
    held = QMimeData()
    held.setData(kind.decode("latin1"), data)
    offered = has_pictures(held)
    found = read_transfer(held)
    if found is None:
        if offered:
            raise BadDataError("the clipboard's picture cannot be read")
        return None
    assert offered
    for path in found.paths[:3]:
        read_picture(path)
    return found


def _read_screen(folder: Path) -> object:
    """A picture as it is shown, which Qt reads, and Pillow where Qt does not."""
    _application()
    image = read_picture(folder / "picture", 64)
    assert max(image.width(), image.height()) <= 64
    return image


def _seen(_folder: Path) -> Sequence[bytes]:
    return some_images()


READERS = [
    Reader(
        "settings",
        SETTINGS,
        _settings_seed,
        _read_settings,
        120,
        _spoiled_settings,
        _hostile_settings,
    ),
    Reader("draft", DRAFT, _draft_seed, _read_draft, 100, spoiled_json),
    Reader("clipboard", "clip", _clips, _read_clip, 120, spoiled_text),
    Reader("picture on the screen", "picture", _seen, _read_screen, 250),
]
