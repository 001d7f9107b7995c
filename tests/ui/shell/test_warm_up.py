"""What the window prepares after its start, and in which thread."""

from __future__ import annotations

import json
import subprocess
import sys

SCRIPT = """
import gc, json, sys, threading
from PySide6.QtCore import QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication

app = QApplication([])
threads = {}

class Recorder:
    def find_spec(self, name, path=None, target=None):
        threads[name] = threading.current_thread() is threading.main_thread()

sys.meta_path.insert(0, Recorder())
from studio.ui.bridge.background import Background
from studio.ui.app import WITH_QT, WarmUp
from studio.ui.shell.window_process import WindowGarbage

background = Background()
owner = QObject()
warm_up = WarmUp(background, owner)
garbage = WindowGarbage(owner)
garbage.start()
frozen = [gc.get_freeze_count()]
warm_up.finished.connect(garbage.skip_modules)
warm_up.finished.connect(lambda: frozen.append(gc.get_freeze_count()))
warm_up.start()
timer = QTimer()
timer.start(20)
while len(frozen) == 1 or not background.is_idle:
    app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
background.close()
elsewhere = [name for name, is_main in threads.items() if not is_main]
later = [[] for _ in range(1000)]
garbage.skip_modules()
frozen.append(gc.get_freeze_count())
from studio.engine.sweeps.plan import SweepPlan
print(json.dumps([sorted(sys.modules), elsewhere, frozen, SweepPlan.__pydantic_complete__]))
"""


def test_qt_classes_are_defined_in_the_main_thread_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=60
    )
    loaded, elsewhere, frozen, is_complete = json.loads(done.stdout)

    assert {"studio.ui.pages.train.page", "studio.ui.pages.trash.page"} <= set(loaded)
    assert is_complete, "the first form of a sweep would build its checks"
    before, after, again = frozen
    assert after > before + 20_000, "a collection would look at all modules again and again"
    assert again <= after, "what exists later may become garbage"
    slow = {"scipy", "cv2", "h5py", "studio.engine.embeddings.embedding"}
    assert slow <= set(elsewhere), "libraries and engine modules block no events"
    of_qt = ("PySide6", "shiboken6", "pyqtgraph", "studio.ui")
    assert [name for name in elsewhere if name.startswith(of_qt)] == []
