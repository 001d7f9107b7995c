"""The messages of the engine and the command line, read from the source.

Taken are the templates of all calls of `message`, and the constant sentences in the arguments of
the calls that take messages: errors, problems, findings, notes and steps of progress.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import studio
from studio.ui.language_files.files import Source

CONTEXT = "engine"
FOLDER = Path(studio.__file__).parent
BUILDER = "message"
_VALUE = re.compile(r"\{[^{}]*\}")


def message_texts() -> set[Source]:
    """Return the texts of all messages."""
    return {
        source
        for path in sorted(FOLDER.rglob("*.py"))
        for source in messages_in(path.read_text(encoding="utf-8"))
    }


def messages_in(code: str) -> set[Source]:
    """Return the texts of the messages in one file."""
    return {
        source
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call)
        for source in _texts_of(node)
        if any(map(str.isalpha, _VALUE.sub("", source.text)))
    }


def _texts_of(call: ast.Call) -> Iterator[Source]:
    if _name_of(call) == BUILDER:
        has_plural = any(keyword.arg == "one" for keyword in call.keywords)
        for text in _constants(call.args[0]):
            yield Source(CONTEXT, text, has_plural=has_plural)


def _name_of(call: ast.Call) -> str:
    """Return the name of the function that is called, without the object that it belongs to."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)


def _constants(node: ast.expr) -> Iterator[str]:
    """Yield the text of a literal, or those of both branches of a choice between literals."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _constants(node.body)
        yield from _constants(node.orelse)
