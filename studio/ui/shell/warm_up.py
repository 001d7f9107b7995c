"""Prepares, after the window is shown, what its first use would wait for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject, QTimer

from studio.ui.bridge.background import Background
from studio.ui.widgets.tips import learn_words

WITHOUT_QT = (
    "h5py",
    "numpy",
    "PIL.Image",
    "pydoc",  # of pyqtgraph
    "studio.engine.datasets.survey",
    "studio.engine.embeddings.embedding",
    "studio.engine.evaluation.reports",
    "studio.engine.inference.predicting",
    "studio.engine.inference.table",
    "studio.engine.sweeps.rows",
    "studio.engine.training.bottleneck",
    "studio.engine.training.recommendation",
)
"""Modules that pages import and that define no Qt classes."""
WITH_QT = ("widgets", "forms", "shared", "charts", "tasks", "pages")
"""Packages of the window, each after those that it imports."""


class WarmUp(QObject):
    """Imports modules step by step: those without Qt classes in the background.

    Qt classes are defined in the window's thread, while it has no events: PySide crashes now and
    then if two threads define or look up classes at the same time. Most steps take a few
    milliseconds; pyqtgraph is one step and takes 100.

    Args:
        background: Imports modules without Qt classes.
        parent: Owner; the steps end with it.
    """

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        imports = [partial(importlib.import_module, name) for name in WITHOUT_QT]
        self._steps: Iterator[Callable[[], object]] = iter([*imports, learn_words])
        self._modules = _window_modules()

    def start(self) -> None:
        """Begin the first step."""
        self._run_in_background()

    def _run_in_background(self, _result: object = None) -> None:
        step = next(self._steps, None)
        if step is None:
            self._import_next()
        else:
            self._background.run(self, step, self._run_in_background)

    def _import_next(self) -> None:
        name = next(self._modules, None)
        if name is not None:
            importlib.import_module(name)
            QTimer.singleShot(0, self, self._import_next)


def _window_modules() -> Iterator[str]:
    for package in WITH_QT:
        module = importlib.import_module(f"studio.ui.{package}")
        for found in pkgutil.walk_packages(module.__path__, f"{module.__name__}."):
            yield found.name
