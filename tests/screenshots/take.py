"""The pictures of the README: every page, and the guided tour as a GIF, from a real window.

By hand, on a screen of at least 1400 x 900 pixels; the pages want a workspace with one record of
each kind, the tour one that is new:

    xvfb-run -a -s "-screen 0 1700x1100x24" python tests/screenshots/take.py pages WORKSPACE
    xvfb-run -a -s "-screen 0 1700x1100x24" python tests/screenshots/take.py tour NEW
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from PIL import Image
from PySide6.QtCore import QBuffer, QEventLoop, QIODevice, QTimer
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import QApplication

from studio.engine.workspace import RecordKind, Workspace
from studio.ui.app import StudioApp
from studio.ui.navigation import DrawNetwork, page_intent
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.theme.theme import Theme

FOLDER: Final = Path(__file__).resolve().parents[2] / "assets" / "screenshots"
SIZE: Final = (1280, 800)
TOUR_SIZE: Final = (800, 500)
FRAME_MS: Final = 500
LONGEST_MS: Final = 2500
"""What stands still longer than this is cut in the tour."""
COLORS: Final = 256
LARGEST_BYTES: Final = 3_000_000
SETTLE_SECONDS: Final = 4.0
KINDS: Final = {
    "datasets": RecordKind.DATASET,
    "train": RecordKind.RUN,
    "sweeps": RecordKind.SWEEP,
    "evaluation": RecordKind.EVALUATION,
    "predict": RecordKind.RUN,
    "explore": RecordKind.EMBEDDING,
    "export": RecordKind.EXPORT,
    "bench": RecordKind.BENCHMARK,
}
SHOWN: Final = {"networks": DrawNetwork("googlenet")}
PAGES: Final = ("home", *KINDS, "networks", "settings")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["pages", "tour"])
    parser.add_argument("workspace", type=Path, help="its path is seen in the pictures")
    options = parser.parse_args()
    if options.what == "tour":
        with window(options.workspace) as shown:
            take_tour(shown)
    else:
        with window(options.workspace) as shown:
            take_pages(shown, Workspace.open(options.workspace))


@contextmanager
def window(root: Path) -> Iterator[MainWindow]:
    """The real window of a workspace, with settings of its own."""
    app = QApplication(["studio"])
    with tempfile.TemporaryDirectory() as folder:
        theme = Theme("light")
        theme.apply(app)
        settings = Settings(Path(folder) / "window.ini")
        settings.language = "en"
        studio = StudioApp(settings, theme)
        shown = studio.open(root)
        shown.resize(*SIZE)
        wait(SETTLE_SECONDS)
        yield shown
        studio.close()


def take_pages(shown: MainWindow, workspace: Workspace) -> None:
    for page in PAGES:
        kind = KINDS.get(page)
        records = workspace.records(kind) if kind is not None else []
        shown.open(SHOWN.get(page) or page_intent(page, records[0].id if records else ""))
        if page == "predict":
            samples = sorted((workspace.root / "samples").rglob("*.png"))
            shown.page(page).take_drop(samples[:1])
        wait(SETTLE_SECONDS)
        path = FOLDER / f"{page}.png"
        picture_of(shown).quantize(256).save(path, optimize=True)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def take_tour(shown: MainWindow) -> None:
    frames: list[Image.Image] = []
    lengths: list[int] = []

    def film() -> None:
        frame = picture_of(shown).resize(TOUR_SIZE, Image.Resampling.LANCZOS)
        if frames and frames[-1].tobytes() == frame.tobytes():
            lengths[-1] = min(lengths[-1] + FRAME_MS, LONGEST_MS)
            return
        frames.append(frame)
        lengths.append(FRAME_MS)

    timer = QTimer(shown)
    timer.timeout.connect(film)
    timer.start(FRAME_MS)
    began = time.monotonic()
    shown.context.navigator.tour_requested.emit()
    wait_until(lambda: is_over(shown), 180)
    wait(SETTLE_SECONDS)
    timer.stop()
    print(f"the tour took {time.monotonic() - began:.0f} s, {len(frames)} pictures")
    save(frames, lengths, FOLDER / "tour.gif")


def is_over(shown: MainWindow) -> bool:
    """Whether the tour has come to its last scene."""
    progress = shown.tour.progress
    return progress is None or progress.has_ended


def save(frames: list[Image.Image], lengths: list[int], path: Path) -> None:
    """Write a GIF whose pictures share one table of colors."""
    table = _beside_each_other(frames[:: max(1, len(frames) // 8)]).quantize(
        COLORS, Image.Quantize.MAXCOVERAGE
    )
    few = [frame.quantize(palette=table, dither=Image.Dither.NONE) for frame in frames]
    lengths[-1] = LONGEST_MS
    few[0].save(path, save_all=True, append_images=few[1:], duration=lengths, loop=0)
    size = path.stat().st_size
    print(f"{path.name}: {size / 1e6:.2f} MB, {sum(lengths) / 1000:.0f} s")
    if size > LARGEST_BYTES:
        raise SystemExit(f"{path.name} is larger than {LARGEST_BYTES / 1e6:.0f} MB")


def _beside_each_other(frames: list[Image.Image]) -> Image.Image:
    """One picture with the colors of several."""
    whole = Image.new("RGB", (TOUR_SIZE[0], TOUR_SIZE[1] * len(frames)))
    for index, frame in enumerate(frames):
        whole.paste(frame, (0, index * TOUR_SIZE[1]))
    return whole


def picture_of(shown: MainWindow) -> Image.Image:
    """What the screen shows of a window."""
    pixmap: QPixmap = QGuiApplication.primaryScreen().grabWindow(shown.winId())
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    pixmap.save(buffer, "PNG")
    return Image.open(io.BytesIO(bytes(buffer.data().data()))).convert("RGB")


def wait(seconds: float) -> None:
    """Let the window live for a while."""
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    """Let the window live until something is true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"after {seconds:g} s it was still not over")
        wait(FRAME_MS / 1000)


if __name__ == "__main__":
    main()
