"""A workspace with ten thousand runs on the disk, opened in a real window.

Seconds until all of them are known, the longest time that the window did not answer, and how much
memory it takes; then the same for each page.

    PYTHONPATH=tests QT_QPA_PLATFORM=offscreen python tests/benchmarks/ten_thousand.py [--runs N]
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path

import psutil
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from helpers.runs import fake_run
from studio.engine.jobs.host import EngineHost
from studio.engine.workspace import Record, RecordInfo, RecordKind, Workspace
from studio.engine.workspace.records import RECORD_FILE
from studio.ui.app import StudioApp
from studio.ui.pages import PAGES
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme

EPOCHS = 20


class Gaps:
    """The longest time between two ticks of a timer of 10 ms, in ms, since the last call."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self._longest = 0.0
        self._timer = QTimer()
        self._timer.timeout.connect(self._tick)
        self._timer.start(10)

    def longest(self) -> float:
        self._tick()
        longest, self._longest = self._longest, 0.0
        return round(longest)

    def _tick(self) -> None:
        now = time.perf_counter()
        self._longest = max(self._longest, 1000 * (now - self._last))
        self._last = now


def write_runs(workspace: Workspace, count: int) -> None:
    """One run as a worker leaves it, and copies of it under other names."""
    first = fake_run(workspace, "run 0", [0.5 + number / 100 for number in range(EPOCHS)])
    for number in range(1, count):
        folder = first.folder.with_name(f"run-{number:06x}")
        shutil.copytree(first.folder, folder)
        info = RecordInfo(id=folder.name, kind=RecordKind.RUN, name=f"run {number} قط")
        (Record(RecordKind.RUN, folder).folder / RECORD_FILE).write_text(info.model_dump_json())


def main() -> None:
    """Measure, and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000)
    count = parser.parse_args().runs
    setattr(EngineHost, "warm_up", lambda _host: None)  # noqa: B010 - not what is measured
    app = QApplication([])
    theme = Theme("light")
    theme.apply(app)
    memory = psutil.Process().memory_info
    with tempfile.TemporaryDirectory() as name:
        workspace = Workspace.open(Path(name) / "workspace")
        write_runs(workspace, count)
        before, gaps, began = memory().rss, Gaps(), time.perf_counter()
        studio = StudioApp(Settings(Path(name) / "window.ini"), theme)
        window = studio.open(workspace.root)
        shown = gaps.longest()
        jobs = window.context.jobs
        while not jobs.is_loaded:
            app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        assert len(jobs.entries(RecordKind.RUN)) == count
        found: dict[str, object] = {
            "runs": count,
            "seconds_until_known": round(time.perf_counter() - began, 1),
            "window_shown_ms": shown,
            "longest_gap_ms": gaps.longest(),
            "memory_mb": round((memory().rss - before) / 2**20),
        }
        for page in PAGES:
            window.show_page(page.name)
            end = time.perf_counter() + 2
            while time.perf_counter() < end:
                app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            found[f"{page.name}_longest_gap_ms"] = gaps.longest()
        studio.close()
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
