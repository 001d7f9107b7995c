"""Chooses window, command line, worker or engine host before importing any of them."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

# Pydantic would look for its plugins in all packages there are, which takes 20 ms.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

_INTERRUPTED = 130
"""Exit code of a process that Ctrl+C ended: 128 and the number of the signal."""

_WORKING = {
    "worker": "studio.engine.worker.main",
    "node": "studio.engine.worker.cluster.node_process",
    "slurm": "studio.engine.worker.slurm.node_process",
    "measure": "studio.engine.compute.benchmarks.child",
}
"""Processes that do something in a folder, given with a number."""
_ANSWERING = {
    "agent": "studio.engine.worker.machines.agent",
    "host": "studio.engine.compute.host",
    "survey": "studio.engine.datasets.survey_process",
    "frames": "studio.engine.inference.frame_process",
    "model-trial": "studio.engine.compute.model_trial",
    "segmenter": "studio.engine.labeling.segmenting.process",
}
"""Processes that answer questions from standard input."""


def main() -> int:
    """Run Studio as its arguments ask; the result is the exit code."""
    try:
        return _run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules were imported
        return _INTERRUPTED


def _run(words: list[str]) -> int:
    if len(words) == 3 and words[0] in _WORKING:
        return _entry(_WORKING[words[0]])(Path(words[1]), int(words[2]))
    if len(words) == 1 and words[0] in _ANSWERING:
        return _entry(_ANSWERING[words[0]])()
    words_of_window = _words_of_window(words)
    if words_of_window is not None:
        return _window(words_of_window)
    return _entry("studio.cli.main")(words)


def main_window() -> int:
    """Open the window; the entry of the desktop launcher, which has no console on Windows."""
    return _window(sys.argv[1:])


def _window(words: list[str]) -> int:
    has_console = sys.stderr is not None
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # on Windows without a console
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end
    # The window collects garbage itself once it is open; until then there is none worth the time.
    gc.disable()
    try:
        window = _entry("studio.ui.app")
    except ImportError as error:
        refuse = importlib.import_module("studio.cli.no_window").refuse
        return int(refuse(error, has_console=has_console))
    return window(words)


def _entry(module: str) -> Callable[..., int]:
    """Return the `main` of a module, imported by name: import-linter keeps the rooms apart."""
    entry: Callable[..., int] = importlib.import_module(module).main
    return entry


def _words_of_window(words: list[str]) -> list[str] | None:
    """Return the words without the verb `gui`; None if another verb is given."""
    start = 0
    if words[:1] == ["--workspace"]:
        start = 2
    elif words[:1] and words[0].startswith("--workspace="):
        start = 1
    workspace, rest = words[:start], words[start:]
    if rest[:1] == ["gui"]:
        return [*workspace, *rest[1:]]
    return None if rest else workspace


if __name__ == "__main__":
    sys.exit(main())
