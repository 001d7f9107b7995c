"""Names for what fixtures of windows give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from studio.ui.app import StudioApp

OpenWindow = Callable[[Path], StudioApp]
