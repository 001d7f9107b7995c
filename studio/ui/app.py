"""The composition root: creates, connects, warms up and closes the parts of the window."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMessageBox

from studio.engine.assets import asset
from studio.engine.errors import StudioError
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.launch import launch_window
from studio.engine.messages import message
from studio.engine.plans import complete_plans
from studio.engine.workspace import Workspace, default_workspace, is_mirror
from studio.ui.bridge.background import Background
from studio.ui.bridge.jobs import Jobs
from studio.ui.bridge.served import ServedLink
from studio.ui.context import AppContext, Navigator
from studio.ui.language import Translation, translated
from studio.ui.navigation import page_intent
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.shell.screen import apply_scale
from studio.ui.shell.window_process import BugHook, CrashLog, WindowGarbage
from studio.ui.theme.theme import Theme
from studio.ui.widgets.inputs import FocusBehavior
from studio.ui.widgets.later import Later
from studio.ui.widgets.thumbnails import use_thumbnail_memory
from studio.ui.widgets.tips import learn_words

WITHOUT_QT = (
    "h5py",
    "numpy",
    "PIL.Image",
    "pydoc",  # of pyqtgraph
    "studio.engine.benchmarks.prediction",
    "studio.engine.datasets.audit.remaining",
    "studio.engine.datasets.samples",
    "studio.engine.datasets.survey",
    "studio.engine.display_mapping",
    "studio.engine.embeddings.embedding",
    "studio.engine.evaluation.evaluated_classes",
    "studio.engine.evaluation.reports",
    "studio.engine.exporting.requests",
    "studio.engine.inference.predicting",
    "studio.engine.inference.table",
    "studio.engine.served.opening",
    "studio.engine.labeling.assist",
    "studio.engine.sweeps.rows",
    "studio.engine.tasks.instance_labels",
    "studio.engine.training.bottleneck",
    "studio.engine.training.recommendation",
)
"""Modules that pages import and that define no Qt classes."""
WITH_QT = ("widgets", "forms", "shared", "charts", "tasks", "pages")
"""Packages of the window, each after those that it imports."""


SWITCH_SECONDS: Final = 0.0005
"""Seconds for which a thread that computes may keep the window's thread from Python. It waits that
long for each of the many calls of Qt that end in Python; Python's own value is 0.005. Two pages
open in 0.27 s beside a computing thread, and in 0.37 s with that value."""


class WarmUp(QObject):
    """Imports modules step by step: those without Qt classes in the background.

    Qt classes are defined in the window's thread, while it has no events: PySide crashes now and
    then if two threads define or look up classes at the same time. Most steps take a few
    milliseconds; pyqtgraph is one step and takes 100.

    Args:
        background: Imports modules without Qt classes.
        parent: Owner; the steps end with it.

    Signals:
        finished: All modules are imported.
    """

    finished = Signal()

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        imports = [partial(importlib.import_module, name) for name in WITHOUT_QT]
        self._steps: Iterator[Callable[[], object]] = iter([*imports, learn_words, complete_plans])
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
        if name is None:
            self.finished.emit()
        else:
            importlib.import_module(name)
            QTimer.singleShot(0, self, self._import_next)


def _window_modules() -> Iterator[str]:
    for package in WITH_QT:
        module = importlib.import_module(f"studio.ui.{package}")
        for found in pkgutil.walk_packages(module.__path__, f"{module.__name__}."):
            yield found.name


# Loading Keras occupies both cores for three seconds; the window paints first.
WARM_UP_MS = 400
UNSEEN_MS = 1000
"""Time after which a window that was not painted, such as a minimized one, follows its jobs."""


class StudioApp(QObject):
    """The open window and its resources.

    Args:
        settings: Settings of the window.
        theme: Theme, already applied to the application.
        environment: Environment of a window that replaces this process; by default the present
            one.

    Attributes:
        unfinished: Names of functions that still ran when the last window had been closed.
    """

    def __init__(
        self, settings: Settings, theme: Theme, environment: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self._environment = dict(os.environ if environment is None else environment)
        self.settings = settings
        self.theme = theme
        self.window: MainWindow | None = None
        self.unfinished: list[str] = []
        self._replaced: list[Background] = []
        self.translation = Translation(self)
        self.translation.use(settings.language)
        app = QApplication.instance()
        self._behavior = FocusBehavior(app) if isinstance(app, QApplication) else None
        self._switch_seconds = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_SECONDS)
        self._garbage = WindowGarbage(self)
        self._garbage.start()
        self._hook = BugHook(self)
        self._hook.caught.connect(self._on_bug)
        use_thumbnail_memory(settings.thumbnail_megabytes * 2**20)
        theme.is_expert = settings.is_expert
        # Forms know the theme alone, which starts with what the settings remember.
        settings.expert_changed.connect(partial(setattr, theme, "is_expert"))
        theme.expert_changed.connect(partial(setattr, settings, "is_expert"))
        theme.mode_changed.connect(self._on_mode_changed)
        settings.failed.connect(self._on_settings_failed)

    def open(self, root: Path) -> MainWindow:
        """Open the window of a workspace and close the previous one.

        Raises:
            StudioError: The workspace cannot be opened; the previous window stays.
        """
        background = Background()
        context = self._context(root, background)
        workspace = context.workspace
        if self.window is not None:  # the new one takes its place
            self.settings.geometry = self.window.saveGeometry()
        window = MainWindow(context)
        window.workspace_chosen.connect(self._on_workspace_chosen)
        context.navigator.language_requested.connect(self._on_language_requested)
        context.navigator.restart_requested.connect(self._on_restart_requested)
        window.closed.connect(partial(self._on_closed, window))
        before, self.window = self.window, window
        self.settings.workspace = workspace.root
        window.show()
        if self.settings.problem is not None:
            window.notices.show_error(self.settings.problem)
            self.settings.problem = None
        # The workspace is read once the window is seen, or cannot be seen.
        window.painted.connect(context.jobs.start)
        if context.link is not None:
            context.link.start()
        QTimer.singleShot(UNSEEN_MS, window, context.jobs.start)
        QTimer.singleShot(WARM_UP_MS, window, self._warm_up)
        if before is not None:
            before.close()
        return window

    def _context(self, root: Path, background: Background) -> AppContext:
        """Return the context of a workspace on this computer, or of one on a server.

        Raises:
            StudioError: It cannot be opened.
        """
        seconds = self.settings.engine_seconds
        if is_mirror(root):
            from studio.engine.served.opening import open_served  # noqa: PLC0415 - few need it

            workspace, queue, engine, follower = open_served(root, seconds)
            jobs = Jobs(workspace, background, queue=queue)
            return self._assembled(workspace, background, jobs, engine, ServedLink(follower))
        here = Workspace.open(root)
        jobs, host = Jobs(here, background), EngineHost(idle_seconds=seconds)
        return self._assembled(here, background, jobs, host)

    def _assembled(
        self,
        workspace: Workspace,
        background: Background,
        jobs: Jobs,
        engine: EngineHost,
        link: ServedLink | None = None,
    ) -> AppContext:
        return AppContext(
            workspace=workspace,
            settings=self.settings,
            theme=self.theme,
            background=background,
            jobs=jobs,
            engine=engine,
            navigator=Navigator(),
            link=link,
        )

    def catch_bugs(self) -> None:
        """Show unhandled exceptions in the window."""
        self._hook.install()

    def close(self) -> None:
        """Close the window and release its resources."""
        if self.window is not None:
            self.window.close()
        self.settings.save()
        self._hook.uninstall()
        self._garbage.stop()
        sys.setswitchinterval(self._switch_seconds)
        if self._behavior is not None:
            self._behavior.uninstall()
            self._behavior = None
        self.translation.remove()

    def _warm_up(self) -> None:
        if self.window is not None:
            context = self.window.context
            context.background.run(self, _missing_backend, self._on_backend_checked)
            context.background.run(self, context.engine.warm_up)
            warm_up = WarmUp(context.background, self.window)
            warm_up.finished.connect(self._garbage.skip_modules)
            warm_up.start()

    def _on_backend_checked(self, missing: StudioError | None) -> None:
        if missing is not None and self.window is not None:
            self.window.notices.show_error(missing)

    def _on_mode_changed(self) -> None:
        self.settings.theme = self.theme.mode

    def _on_workspace_chosen(self, root: Path) -> None:
        try:
            self.open(root)
        except StudioError as error:
            if self.window is not None:
                self.window.notices.show_error(error)

    def _on_language_requested(self, language: str) -> None:
        """Rebuild the window in another language, at the same page and record."""
        before = self.window
        if before is None or language == self.settings.language:
            return
        page, record_id = before.current_page, before.current_record
        tour = before.tour.state if before.has_tour else None
        states = before.page_states()
        self.settings.language = language
        self.translation.use(language)
        try:
            window = self.open(before.context.workspace.root)
        except StudioError as error:
            before.notices.show_error(error)
            return
        window.restore_pages(states)
        if tour is not None and window.tour.progress is None:  # it has ended: its last words
            window.tour.resume(tour)
        window.open(page_intent(page, record_id))

    def _on_restart_requested(self) -> None:
        """Start the window again in a new process, and close this one."""
        if self.window is None:
            return
        self.settings.save()
        try:
            launch_window(self.window.context.workspace.root, self._environment)
        except OSError as error:
            reason = message("Studio could not start again: {reason}.", reason=error)
            hint = "Close the window and open it again."
            self.window.notices.show_error(StudioError(reason, hint))
        else:
            self.window.close()

    def _on_closed(self, window: MainWindow) -> None:
        context = window.context
        context.jobs.close()
        if context.link is not None:
            context.link.close()
        if window is self.window:
            running = {*context.background.close()}
            running.update(*(background.running() for background in self._replaced))
            self.unfinished = sorted(running)
            context.engine.close()
            self.window = None
            window.deleteLater()
            return
        # The new window would stand still until calls and the engine have ended, and while
        # thousands of widgets go: these are deleted page by page.
        context.background.close(0)
        self._replaced.append(context.background)
        threading.Thread(target=context.engine.close, name="engine-closing").start()
        Later(window, *window.deletions(), window.deleteLater)

    def _on_settings_failed(self, error: StudioError) -> None:
        if self.window is not None:
            self.window.notices.show_error(error)
        else:  # the window is closed already
            sys.stderr.write(f"studio: {error}\n")

    def _on_bug(self, error: BaseException) -> None:
        if self.window is not None:
            self.window.show_bug(error)


def _missing_backend() -> StudioError | None:
    from studio.engine.training.backends import (  # noqa: PLC0415 - after the first frame
        missing_backend,
    )

    return missing_backend()


def main(words: Sequence[str]) -> int:
    """Open the window and run until it is closed.

    Args:
        words: The command line without the program's name and the verb.

    Returns:
        The exit code; 2 when the display or the workspace cannot be used.
    """
    options = _parse(words)
    if sys.platform == "linux" and not _has_display():
        sys.stderr.write(
            "studio: there is no display to open a window on. Set DISPLAY or WAYLAND_DISPLAY, "
            "or use the command line: studio --help\n"
        )
        return 2
    settings = Settings()
    environment = dict(os.environ)
    apply_scale(settings.interface_percent)
    app = QApplication(["studio"])
    app.setApplicationName("Studio")
    app.setDesktopFileName("studio")
    app.setWindowIcon(QIcon(str(asset("icons/studio.png"))))
    theme = Theme(settings.theme)
    theme.apply(app)
    crash_log = CrashLog(settings.path.parent)
    earlier = crash_log.collect()
    crash_log.start()
    studio = StudioApp(settings, theme, environment)
    try:
        window = _open_first(studio, options.workspace)
        if options.files:
            QTimer.singleShot(0, window, partial(window.take_files, options.files))
        studio.catch_bugs()
        if earlier:
            window.show_crash(earlier)
        code = app.exec()
    except StudioError as error:
        sys.stderr.write(f"studio: {error}\n")
        QMessageBox.critical(None, "Studio", translated(str(error)))
        code = 2
    finally:
        studio.close()
        crash_log.stop()
    if studio.unfinished:
        end_now(code, studio.unfinished)
    return code


def end_now(code: int, unfinished: Sequence[str]) -> NoReturn:
    """End the process at once: the interpreter would wait for its threads without limit.

    Files are written atomically, so that nothing is left half-written.

    Args:
        code: The exit code.
        unfinished: Names of the functions that still run.
    """
    names = ", ".join(unfinished)
    sys.stderr.write(f"studio: closed although this had not finished: {names}\n")
    sys.stderr.flush()
    os._exit(code)


def _open_first(studio: StudioApp, named: str | None) -> MainWindow:
    """Open the given workspace, the last one, or the default one."""
    if named is not None:
        return studio.open(Path(named))
    remembered = studio.settings.workspace
    if remembered is None or "STUDIO_WORKSPACE" in os.environ or not remembered.is_dir():
        return studio.open(default_workspace())
    try:
        return studio.open(remembered)
    except StudioError as error:
        if not is_mirror(remembered):
            raise
        window = studio.open(default_workspace())  # the token of the server is gone
        window.notices.show_error(error)
        return window


def _parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="studio", description="Open Studio's window.")
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="files and folders to open"
    )
    parser.add_argument("--workspace", metavar="DIR", help="where records are kept")
    # Files may follow an option.
    options = parser.parse_intermixed_args(words)
    options.files = [path.absolute() for path in options.files]
    return options


def _has_display() -> bool:
    offscreen = os.environ.get("QT_QPA_PLATFORM", "")
    return bool(offscreen or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
