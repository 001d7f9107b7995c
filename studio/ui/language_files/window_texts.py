"""Texts of the window: its own code, read from its source, and tables of the engine.

Understood are `self.tr("…")`, `QCoreApplication.translate("context", "…")`, the same under a
short name (`tr = QCoreApplication.translate`, or a `partial` with the context), a function that
does nothing but translate its argument, and `QT_TRANSLATE_NOOP("context", "…")`. The program
`pyside6-lupdate` takes contexts for texts where the name is a short one, and knows no functions.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

import studio.engine
import studio.ui
from studio.engine.networks.blocks import BLOCKS, Block
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.layer import FAMILY_LABELS, Layer
from studio.engine.plans import Plan, fields_of
from studio.engine.registry import Registry
from studio.engine.tasks import TASKS
from studio.ui.language_files.files import OpenTextError, Source
from studio.ui.pages.networks.designer.palette import BLOCK_GROUP

FOLDER = Path(studio.ui.__file__).parent
_TRANSLATE = "QCoreApplication.translate"
_MARK = "QT_TRANSLATE_NOOP"


# Functions of tables whose texts come from the engine: see `table_texts`.
_OF_TABLES = {"engine", "plans", "layers"}


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


# Rooms with Keras, whose processes are not the window's.
_ELSEWHERE = ("compute", "worker")
_SHOWN = ("label", "title", "summary", "description")


# What these are called are names; their summaries are sentences of the engine.
_NETWORKS = ("ZooNetwork", "Backbone", "LibraryEntry")


def table_texts() -> set[Source]:
    """The texts of all tables, by the context in which each is looked up."""
    modules = list(_modules())
    plans = {*_plan_words(), *_words_of_tables(modules), *_words_of_tasks(), "on", "off"}
    layers = {BLOCK_GROUP, *FAMILY_LABELS.values(), *_words_of(LAYERS), *_words_of(BLOCKS)}
    return {Source("plans", text) for text in plans} | {Source("layers", text) for text in layers}


def _modules() -> Iterator[ModuleType]:
    folder = Path(studio.engine.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        rooms = path.relative_to(folder).with_suffix("").parts
        if rooms[0] not in _ELSEWHERE:
            name = ".".join(("studio.engine", *rooms))
            yield importlib.import_module(name.removesuffix(".__init__"))


def _plan_words() -> Iterator[str]:
    """What a form shows of every plan that there is."""
    for plan in _below(Plan):
        if plan.__module__.startswith("studio.engine."):
            for field in fields_of(plan):
                words = (field.label, field.help, field.why, field.group, *field.choice_labels)
                yield from filter(None, words)
                if field.applicable_when is not None:
                    yield field.applicable_when.reason
                if field.unit.isalpha():
                    yield field.unit


def _words_of_tasks() -> Iterator[str]:
    """What a report of each task shows."""
    for task in TASKS.values():
        yield from task.output_names
        if task.reporter is not None:
            yield from _words_of((*task.reporter.whole, *task.reporter.outputs))


def _below(plan: type[Plan]) -> Iterator[type[Plan]]:
    for each in plan.__subclasses__():
        yield each
        yield from _below(each)


def _words_of_tables(modules: Iterable[ModuleType]) -> Iterator[str]:
    for module in modules:
        for value in vars(module).values():
            entries = value.values() if isinstance(value, Mapping) else value
            if isinstance(entries, Iterable) and isinstance(
                value, Registry | tuple | list | Mapping
            ):
                yield from _words_of(
                    each for each in entries if not isinstance(each, Layer | Block)
                )


def _words_of(entries: Iterable[object]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, type) or not type(entry).__module__.startswith("studio.engine."):
            continue
        if dataclasses.is_dataclass(entry) and not _is_network(entry):
            texts = (getattr(entry, name, "") for name in _SHOWN)
            yield from (text for text in texts if isinstance(text, str) and text)


def _is_network(entry: object) -> bool:
    return any(kind.__name__ in _NETWORKS for kind in type(entry).__mro__)
