"""Backends beside TensorFlow, and what a helper measures on one of them."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.processes import clean_environment

_TESTS = Path(__file__).resolve().parents[1]


def _if_installed(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not importlib.util.find_spec(name), reason="an extra")


OTHER_BACKENDS = (
    pytest.param("jax", marks=_if_installed("jax")),
    pytest.param("torch", marks=[pytest.mark.thorough, _if_installed("torch")]),
)


def measured_on(backend: str, module: str) -> dict[str, Any]:
    """Return the JSON object that a module of the helpers prints in a process of a backend.

    Args:
        backend: Name of the backend.
        module: Name of the module.
    """
    done = subprocess.run(
        [sys.executable, "-m", module, backend],
        check=True,
        capture_output=True,
        text=True,
        env=clean_environment(PYTHONPATH=os.pathsep.join([str(_TESTS), str(_TESTS.parent)])),
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found
