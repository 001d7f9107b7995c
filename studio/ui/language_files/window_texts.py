"""The texts of the window's own code, read from its source.

Understood are `self.tr("…")`, `QCoreApplication.translate("context", "…")`, the same under a
short name (`tr = QCoreApplication.translate`, or a `partial` with the context), a function that
does nothing but translate its argument, and `QT_TRANSLATE_NOOP("context", "…")`. The program
`pyside6-lupdate` takes contexts for texts where the name is a short one, and knows no functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import studio.ui
from studio.ui.language_files.source import OpenTextError, Source

FOLDER = Path(studio.ui.__file__).parent
_TRANSLATE = "QCoreApplication.translate"
_MARK = "QT_TRANSLATE_NOOP"
# Functions of tables whose texts come from the engine: see `table_texts`.
_OF_TABLES = {"plans", "layers"}


def window_texts() -> set[Source]:
    """All texts of `studio.ui`.

    Raises:
        OpenTextError: A text that is translated is not written anywhere in words.
    """
    found: set[Source] = set()
    noted: set[str] = set()
    loose: dict[str, str] = {}
    for path in sorted(FOLDER.rglob("*.py")):
        if "language_files" not in path.parts and path.name != "engine_text.py":
            reader = _read(path.read_text(encoding="utf-8"), path.relative_to(FOLDER).as_posix())
            found |= reader.found
            noted |= reader.noted
            loose |= reader.loose
    for context, place in loose.items():
        if context not in noted:
            raise OpenTextError(f"{place}: write the words there, or mark them where they are")
    return found


def texts_of(code: str) -> set[Source]:
    """The texts of one file.

    Raises:
        OpenTextError: A text that is translated is not written there in words.
    """
    reader = _read(code, "")
    if reader.loose.keys() - reader.noted:
        raise OpenTextError(f"line {reader.loose}: write the words there")
    return reader.found


def _read(code: str, name: str) -> _Reader:
    reader = _Reader(name)
    tree = ast.parse(code)
    reader.learn(tree)
    reader.visit(tree)
    return reader


class _Reader(ast.NodeVisitor):
    """Goes through a file and knows in which class it is.

    Attributes:
        found: The texts.
        noted: Contexts of texts that are only marked, to be translated where they are shown.
        loose: Contexts in which something else than words is translated, with the place.
    """

    def __init__(self, name: str) -> None:
        self.found: set[Source] = set()
        self.noted: set[str] = set()
        self.loose: dict[str, str] = {}
        self._name = name
        self._class = ""
        self._passing: set[int] = set()
        # Short names with their context; empty: the context is the first argument.
        self._short: dict[str, str] = {_TRANSLATE: "", _MARK: ""}

    def learn(self, tree: ast.AST) -> None:
        """Note the short names of the file."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._learn_name(node.targets[0].id, node.value)
            elif isinstance(node, ast.FunctionDef):
                self._learn_function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Texts of `self.tr` are looked up by the name of the class."""
        before, self._class = self._class, node.name
        self.generic_visit(node)
        self._class = before

    def visit_Call(self, node: ast.Call) -> None:
        """Take the text of a call that translates."""
        self.generic_visit(node)
        if id(node) in self._passing:
            return
        called = ast.unparse(node.func)
        if called == "self.tr":
            self._add([self._class], node, node.args[:1])
        elif called.endswith(".tr"):
            raise OpenTextError(f"{self._name}:{node.lineno}: name the context of {called}")
        elif called in self._short:
            context = self._short[called]
            contexts = [context] if context else list(_words(node.args[0]))
            self._add(contexts, node, node.args[:1] if context else node.args[1:2])
            if called == _MARK:
                self.noted.update(contexts)

    def _learn_name(self, name: str, value: ast.expr) -> None:
        if ast.unparse(value) == _TRANSLATE:
            self._short[name] = ""
        elif isinstance(value, ast.Call) and ast.unparse(value.func) == "partial":
            whole, *rest = value.args
            if ast.unparse(whole) == _TRANSLATE:
                self._short[name] = next(_words(rest[0]))

    def _learn_function(self, node: ast.FunctionDef) -> None:
        """A function that only passes its argument on."""
        for call in ast.walk(node):
            if not isinstance(call, ast.Call) or ast.unparse(call.func) != _TRANSLATE:
                continue
            words = call.args[1]
            if isinstance(words, ast.Name) and words.id in {arg.arg for arg in node.args.args}:
                self._passing.add(id(call))
                context = next(_words(call.args[0]))
                if context not in _OF_TABLES:
                    self._short[node.name] = context

    def _add(self, contexts: list[str], node: ast.Call, texts: list[ast.expr]) -> None:
        words = [word for text in texts for word in _words(text)]
        if not words:
            place = f"{self._name}:{node.lineno}"
            self.loose.update(dict.fromkeys(contexts, place))
        self.found.update(Source(context, word) for context in contexts for word in words)


def _words(node: ast.expr) -> Iterator[str]:
    """The words of a literal, or of both branches of a choice between literals."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _words(node.body)
        yield from _words(node.orelse)
