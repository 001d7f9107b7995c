"""Syntax trees of modules, parsed once for all tests of a file."""

from __future__ import annotations

import ast
import functools


@functools.cache
def parsed(code: str) -> ast.Module:
    """Return the syntax tree of a module; the same for the same code, so no test changes it."""
    return ast.parse(code)
