"""TensorFlow does not optimize the graphs of tests, which takes half of a short training.

Processes that are started as the product starts them, such as those of the fixture `real_starts`
and of exported files, optimize as usual.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_LIBRARY = "tensorflow"


class _Finder(MetaPathFinder):
    """Changes the options of TensorFlow as soon as it is loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _LIBRARY:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(_LIBRARY)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_change(module: ModuleType) -> None:
                load(module)
                _leave_graphs_plain(module)

            vars(spec.loader)["exec_module"] = load_and_change
        return spec


def leave_graphs_plain() -> None:
    """Let TensorFlow run the graphs of this process as they are traced, loaded or not yet."""
    loaded = sys.modules.get(_LIBRARY)
    if loaded is not None:
        _leave_graphs_plain(loaded)
    elif not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _leave_graphs_plain(tensorflow: ModuleType) -> None:
    tensorflow.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
