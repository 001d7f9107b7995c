"""Hides packages from a process and its children: those that STUDIO_TEST_WITHOUT names.

Python imports this module at the start if its folder is in PYTHONPATH.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

HIDDEN = frozenset(os.environ.get("STUDIO_TEST_WITHOUT", "").split(","))


class FindsAllButHidden(PathFinder):
    """Finds modules as Python does, but not those of the hidden packages."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return None for a hidden module, as for one that is not installed."""
        if fullname.partition(".")[0] in HIDDEN:
            return None
        return PathFinder.find_spec(fullname, path, target)


sys.meta_path[sys.meta_path.index(PathFinder)] = FindsAllButHidden
