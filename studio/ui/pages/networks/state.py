"""Decisions of the networks page, free of Qt."""

from __future__ import annotations

DRAW = "draw:"
"""What `Desk.go("networks", …)` carries before the name of a network to open in the designer.

Alone it begins a new drawing."""
OPEN_FILE = "file:"
"""What it carries to open a file."""
