"""The start of the window: what the first frame imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FRAME = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
app = QApplication([])
from studio.ui.app import StudioApp
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme
folder = Path(sys.argv[1])
theme = Theme("light")
theme.apply(app)
studio = StudioApp(Settings(folder / "window.json"), theme)
studio.open(folder / "workspace")
print("\\n".join(sys.modules), flush=True)
studio.close()
"""
LATER = (
    "studio.engine.datasets.sources",
    "studio.engine.evaluation",
    "studio.engine.networks",
    "studio.engine.training",
    "studio.ui.charts",
    "studio.ui.shell.palette",
    "studio.ui.shell.tour",
    "h5py",
    "keras",
    "numpy",
    "qtawesome",
    "rich",
)


def test_the_first_frame_imports_neither_domains_nor_heavy_libraries(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FRAME, str(tmp_path)], check=True, capture_output=True, text=True
    )
    modules = done.stdout.splitlines()
    assert "studio.ui.pages.home.page" in modules
    early = [each for each in modules for name in LATER if f"{each}.".startswith(f"{name}.")]
    assert early == []
