"""Screenshots of a real window: pages for the README, tasks for the tutorials, the guided tour.

Run by hand on a screen of at least 1400 x 900 pixels. `pages` needs a workspace with a record of
each kind, `tasks` one in which `studio demo --task TASK` was run for each task, `tour` a new one:

    xvfb-run -a -s "-screen 0 1700x1100x24" python tests/screenshots/take.py pages WORKSPACE
    xvfb-run -a -s "-screen 0 1700x1100x24" python tests/screenshots/take.py tasks WORKSPACE
    xvfb-run -a -s "-screen 0 1700x1100x24" python tests/screenshots/take.py tour NEW

Chosen pages or tasks alone: add their names.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from PIL import Image
from PySide6.QtCore import QBuffer, QEventLoop, QIODevice, QTimer
from PySide6.QtGui import QCursor, QGuiApplication, QPixmap
from PySide6.QtWidgets import QApplication

from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.store import Store
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.task import Task
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.app import StudioApp
from studio.ui.navigation import DrawNetwork, ImportImages, page_intent
from studio.ui.pages.label.page import View as LabelPage
from studio.ui.pages.train.dashboard.insights import TargetsSection
from studio.ui.pages.train.page import View as TrainPage
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.theme.theme import Theme

FOLDER: Final = Path(__file__).resolve().parents[2] / "assets" / "screenshots"
SIZE: Final = (1280, 800)
TOUR_SIZE: Final = (800, 500)
FRAME_MS: Final = 500
LONGEST_MS: Final = 2500
"""Maximum duration of a frame of the tour."""
COLORS: Final = 256
LARGEST_BYTES: Final = 3_000_000
SETTLE_SECONDS: Final = 4.0
KINDS: Final = {
    "datasets": RecordKind.DATASET,
    "label": RecordKind.LABELING,
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
PICTURES: Final = 15
"""Number of pictures for the page Predict."""
DARK: Final = ("train",)
"""Pages that are also taken in the dark theme."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["pages", "tasks", "tour"])
    parser.add_argument("workspace", type=Path, help="its path is visible in the pictures")
    parser.add_argument("names", nargs="*", help="pages or tasks [all]")
    options = parser.parse_args()
    theme = Theme("light")
    with window(options.workspace, theme) as shown:
        if options.what == "tour":
            take_tour(shown)
        elif options.what == "tasks":
            workspace = Workspace.open(options.workspace)
            for name in options.names or TASKS:
                take_task(shown, workspace, TASKS[name])
        else:
            workspace = Workspace.open(options.workspace)
            names = options.names or PAGES
            take_pages(shown, workspace, names)
            theme.mode = "dark"
            wait(SETTLE_SECONDS)
            take_pages(shown, workspace, [name for name in DARK if name in names], "-dark")


@contextmanager
def window(root: Path, theme: Theme) -> Iterator[MainWindow]:
    """Open the window of a workspace with default settings."""
    app = QApplication(["studio"])
    with tempfile.TemporaryDirectory() as folder:
        theme.apply(app)
        settings = Settings(Path(folder) / "window.ini")
        settings.language = "en"
        studio = StudioApp(settings, theme)
        shown = studio.open(root)
        shown.resize(*SIZE)
        wait(SETTLE_SECONDS)
        yield shown
        studio.close()


def take_pages(
    shown: MainWindow, workspace: Workspace, pages: Sequence[str], suffix: str = ""
) -> None:
    QCursor.setPos(0, 0)  # in the middle it would highlight a card
    for page in pages:
        kind = KINDS.get(page)
        shown.open(SHOWN.get(page) or page_intent(page, _best(workspace, kind) if kind else ""))
        opened = shown.page(page)
        if isinstance(opened, LabelPage):
            wait(SETTLE_SECONDS)
            if opened.view is not None and opened.view.grid is not None:
                opened.view.tabs.setCurrentWidget(opened.view.grid)
                opened.view.grid.show_certain()
        if page == "predict":
            samples = sorted((workspace.root / "samples").rglob("*.png"))
            shown.page(page).take_drop(samples[:: len(samples) // PICTURES][:PICTURES])
        take(shown, f"{page}{suffix}")


def _best(workspace: Workspace, kind: RecordKind) -> str:
    """Return the id of the newest record; among runs, of one that was evaluated, unlike trials."""
    records = sorted(workspace.records(kind), key=lambda each: each.info().created, reverse=True)
    if kind is RecordKind.RUN:
        plans = [
            (each.folder / "plan.json").read_text("utf-8")
            for each in workspace.records(RecordKind.EVALUATION)
        ]
        records.sort(key=lambda run: not any(f'"{run.id}"' in plan for plan in plans))
    return records[0].id if records else ""


def take_task(shown: MainWindow, workspace: Workspace, task: Task) -> None:
    """Take the import, the run, the report and a prediction of a task."""
    dataset = next(
        each
        for each in workspace.records(RecordKind.DATASET)
        if dataset_summary(each.folder).task == task.name
    )
    run = _first(workspace, RecordKind.RUN, dataset)
    shown.open(ImportImages(path=_source(workspace, task)))
    take(shown, f"{task.name}-import")
    shown.open(page_intent("train", run.id))
    page = shown.page("train")
    has_insights = task is not DEFAULT_TASK and bool(TargetsSection.title_for(task))
    if has_insights and isinstance(page, TrainPage):
        page.dashboard.details.open(TargetsSection)
    take(shown, f"{task.name}-run")
    evaluation = _first(workspace, RecordKind.EVALUATION, run)
    shown.open(page_intent("evaluation", evaluation.id))
    take(shown, f"{task.name}-report")
    store = Store.open(dataset.folder)
    shown.open(page_intent("predict", run.id))
    # Defects come last.
    row = store.rows("test")[-1 if task.name == "anomaly" else 0]
    shown.page("predict").take_drop([Path(store.origin(int(row)))])
    take(shown, f"{task.name}-predict")


def _first(workspace: Workspace, kind: RecordKind, of: Record) -> Record:
    """Return the first record whose plan names another record."""
    return next(
        each
        for each in workspace.records(kind)
        if f'"{of.id}"' in (each.folder / "plan.json").read_text("utf-8")
    )


def _source(workspace: Workspace, task: Task) -> Path:
    """Return the folder or table from which the sample of a task is imported."""
    folder = workspace.root / "samples" / SAMPLES[task.sample].name
    table = next(folder.glob("targets.csv"), folder)
    if task.name != "multi_label":
        return table
    # A single digit is a number, too: only a column for each label is recognized as labels.
    lines = [line.split(",") for line in table.read_text("utf-8").splitlines()[1:]]
    rows = [
        ",".join([path, *(str(int(digit in digits.split(";"))) for digit in "0123456789")])
        for path, digits, _ in lines
    ]
    flags = folder / "tags.csv"
    flags.write_text("\n".join(["path," + ",".join("0123456789"), *rows]) + "\n", "utf-8")
    return flags


def take(shown: MainWindow, name: str) -> None:
    """Save a picture of the window."""
    wait(SETTLE_SECONDS)
    path = FOLDER / f"{name}.png"
    # Other methods merge the colors of classes where a picture has many more.
    few = picture_of(shown).quantize(COLORS, Image.Quantize.MAXCOVERAGE, kmeans=1)
    few.save(path, optimize=True)
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
    while not is_over(shown):
        wait_until(lambda: is_over(shown) or waits_for_user(shown), 180)
        wait(SETTLE_SECONDS)
        if waits_for_user(shown):
            shown.tour.bar.next_button.click()
    progress = shown.tour.progress
    if progress is not None and progress.failure:
        raise SystemExit(progress.failure)
    wait(SETTLE_SECONDS)
    timer.stop()
    print(f"the tour took {time.monotonic() - began:.0f} s, {len(frames)} pictures")
    save(frames, lengths, FOLDER / "tour.gif")


def is_over(shown: MainWindow) -> bool:
    """Return True if the tour has reached its last scene."""
    progress = shown.tour.progress
    return progress is None or progress.has_ended


def waits_for_user(shown: MainWindow) -> bool:
    """Return True if the tour waits until the user clicks Next."""
    progress = shown.tour.progress
    return progress is not None and progress.may_advance and not progress.advances_by_itself


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
    """Return one picture with the colors of several."""
    whole = Image.new("RGB", (TOUR_SIZE[0], TOUR_SIZE[1] * len(frames)))
    for index, frame in enumerate(frames):
        whole.paste(frame, (0, index * TOUR_SIZE[1]))
    return whole


def picture_of(shown: MainWindow) -> Image.Image:
    """Grab a window from the screen."""
    pixmap: QPixmap = QGuiApplication.primaryScreen().grabWindow(shown.winId())
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    pixmap.save(buffer, "PNG")
    return Image.open(io.BytesIO(bytes(buffer.data().data()))).convert("RGB")


def wait(seconds: float) -> None:
    """Run the event loop for some time."""
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    """Run the event loop until a condition is true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"not finished after {seconds:g} s")
        wait(FRAME_MS / 1000)


if __name__ == "__main__":
    main()
