"""All texts that the window can show, read from the source: its own and those of the engine.

For the window, it recognizes `self.tr("…")`, `QCoreApplication.translate("context", "…")`, the
same under a short name (`tr = QCoreApplication.translate`, or a `partial` with the context),
`QT_TRANSLATE_NOOP("context", "…")`, the entries of tables, such as `Command`, and functions that
pass an argument on to one of these. The
program `pyside6-lupdate` takes contexts for texts where the name is a short one, and knows no
functions.

For the engine, it takes the templates of all calls of `message`, all constant sentences (texts
with at least two words that are not for programmers, files or other programs), and the words of
its tables and plans. The window's own errors and problems are messages, too.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import studio.engine
import studio.ui
from studio.engine.evaluation.report_table import CORRUPTIONS
from studio.engine.jobs.states import State
from studio.engine.networks.blocks import BLOCKS, Block
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.layer import FAMILY_LABELS, Layer
from studio.engine.plans import Plan, fields_of
from studio.engine.registry import Registry
from studio.engine.tasks import TASKS
from studio.engine.workspace import RecordKind
from studio.ui.language import CONTEXT
from studio.ui.pages.networks.designer.palette import BLOCK_GROUP

ENGINE = Path(studio.engine.__file__).parent
WINDOW = Path(studio.ui.__file__).parent


@dataclass(frozen=True, slots=True, order=True)
class TranslatableText:
    """A text of the program.

    Attributes:
        context: Name under which it is looked up.
        text: The English text.
        has_plural: True if it has plural forms without containing %n.
    """

    context: str
    text: str
    has_plural: bool = field(default=False, compare=False)

    @property
    def plural(self) -> bool:
        """True if it has plural forms."""
        return self.has_plural or "%n" in self.text


class OpenTextError(Exception):
    """A translated text is not a literal, so it cannot be extracted."""


def all_sources() -> set[TranslatableText]:
    """Return all texts that the window can show."""
    return message_texts() | window_texts() | table_texts()


_TRANSLATE = "QCoreApplication.translate"
_MARK = "QT_TRANSLATE_NOOP"
_TABLES = {"Command": "commands", "PageSpec": "commands"}
"""Contexts of the entries of tables; their second argument and `words` are texts."""


def window_texts() -> set[TranslatableText]:
    """Return all texts of `studio.ui`.

    Raises:
        OpenTextError: A translated text is not written as a literal anywhere.
    """
    found: set[TranslatableText] = set()
    noted: set[str] = set()
    loose: dict[str, str] = {}
    for path in sorted(WINDOW.rglob("*.py")):
        if "language_files" not in path.parts:
            reader = _read(path.read_text(encoding="utf-8"), path.relative_to(WINDOW).as_posix())
            found |= reader.found
            noted |= reader.noted
            loose |= reader.loose
    for context, line in loose.items():
        if context not in noted:
            raise OpenTextError(f"{line}: write the words there, or mark them where they are")
    return found


def texts_of(code: str) -> set[TranslatableText]:
    """Return the texts of one file.

    Raises:
        OpenTextError: A translated text is not written there as a literal.
    """
    reader = _read(code, "")
    if reader.loose.keys() - reader.noted:
        raise OpenTextError(f"line {reader.loose}: write the words there")
    return reader.found


def _read(code: str, name: str) -> _WindowReader:
    reader = _WindowReader(name)
    tree = ast.parse(code)
    reader.learn(tree)
    reader.visit(tree)
    return reader


class _WindowReader(ast.NodeVisitor):
    """Visits a file and keeps track of the current class.

    Attributes:
        found: The texts.
        noted: Contexts of texts that are only marked, to be translated where they are shown.
        loose: Contexts in which something other than a literal is translated, with the location.
    """

    def __init__(self, name: str) -> None:
        self.found: set[TranslatableText] = set()
        self.noted: set[str] = set()
        self.loose: dict[str, str] = {}
        self._name = name
        self._class = ""
        self._passing: set[int] = set()
        # Short names with their context; empty: the context is the first argument.
        self._short: dict[str, str] = {_TRANSLATE: "", _MARK: ""}
        self._tables = dict(_TABLES)
        # Of functions that take their text not as the first argument.
        self._positions: dict[str, int] = {}

    def learn(self, tree: ast.AST) -> None:
        """Note the short names of the file."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._learn_name(node.targets[0].id, node.value)
            elif isinstance(node, ast.FunctionDef):
                self._learn_function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Enter a class: texts of `self.tr` are looked up by the name of the class."""
        before, self._class = self._class, node.name
        self.generic_visit(node)
        self._class = before

    def visit_Call(self, node: ast.Call) -> None:
        """Take the text of a call that translates."""
        self.generic_visit(node)
        if id(node) in self._passing:
            return
        called = ast.unparse(node.func)
        if called in self._tables:
            context = self._tables[called]
            self.noted.add(context)
            shown = [
                *node.args[1:2],
                *(each.value for each in node.keywords if each.arg == "words"),
            ]
            found = (word for each in shown for word in _words(each))
            self.found.update(TranslatableText(context, word) for word in found)
        elif called == "self.tr":
            self._add([self._class], node, node.args[:1])
        elif called.endswith(".tr"):
            raise OpenTextError(f"{self._name}:{node.lineno}: name the context of {called}")
        elif called in self._short:
            context = self._short[called]
            contexts = [context] if context else list(_words(node.args[0]))
            at = self._positions.get(called, 0) if context else 1
            self._add(contexts, node, node.args[at : at + 1])
            if called == _MARK:
                self.noted.update(contexts)

    def _learn_name(self, name: str, value: ast.expr) -> None:
        if ast.unparse(value) == _TRANSLATE:
            self._short[name] = ""
        elif isinstance(value, ast.Call) and ast.unparse(value.func) == "partial":
            whole, *rest = value.args
            if ast.unparse(whole) == _TRANSLATE:
                self._short[name] = next(_words(rest[0]))
            elif ast.unparse(whole) in _TABLES:
                self._tables[name] = _TABLES[ast.unparse(whole)]

    def _learn_function(self, node: ast.FunctionDef) -> None:
        """Note a function that passes one of its arguments on."""
        names = [arg.arg for arg in node.args.args]
        for call in ast.walk(node):
            called = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
            if not isinstance(call, ast.Call) or called not in (_TRANSLATE, _MARK, *_TABLES):
                continue
            words = call.args[1]
            if isinstance(words, ast.Name) and words.id in names:
                self._passing.add(id(call))
                context = _TABLES.get(called) or next(_words(call.args[0]), "")
                if context:
                    self._short[node.name] = context
                    self._positions[node.name] = names.index(words.id)
                    self.noted.update([] if called == _TRANSLATE else [context])

    def _add(self, contexts: list[str], node: ast.Call, texts: list[ast.expr]) -> None:
        words = [word for text in texts for word in _words(text)]
        if not words:
            line = f"{self._name}:{node.lineno}"
            self.loose.update(dict.fromkeys(contexts, line))
        self.found.update(
            TranslatableText(context, word) for context in contexts for word in words
        )


def _words(node: ast.expr) -> Iterator[str]:
    """Yield the text of a literal, or those of both branches of a choice between literals."""
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


def table_texts() -> set[TranslatableText]:
    """Return the texts of all tables."""
    modules = list(_modules())
    plans = {*_plan_words(), *_words_of_tables(modules), *_words_of_tasks(), "on", "off"}
    plans |= {*CORRUPTIONS.values()}
    layers = {BLOCK_GROUP, *FAMILY_LABELS.values(), *_words_of(LAYERS), *_words_of(BLOCKS)}
    return {TranslatableText(CONTEXT, text) for text in plans | layers}


def _modules() -> Iterator[ModuleType]:
    folder = Path(studio.engine.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        rooms = path.relative_to(folder).with_suffix("").parts
        if rooms[0] not in _ELSEWHERE:
            name = ".".join(("studio.engine", *rooms))
            yield importlib.import_module(name.removesuffix(".__init__"))


def _plan_words() -> Iterator[str]:
    """Yield the texts of all plans that forms show."""
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
    """Yield the texts in the reports of all tasks."""
    for task in TASKS.values():
        yield from task.output_names
        reporter = task.reporter
        yield from _words_of((*reporter.report_metrics, *reporter.report_columns))


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


BUILDER = "message"

# What is written into files, code and pages for browsers, or served to other programs.
_NOT_SHOWN = (
    "compute/exporters/",
    "evaluation/report_",
    "evaluation/reports",
    "exporting/readme",
    "exporting/script",
    "networks/code",
    "server/",
)
# Calls whose texts only a mistake of ours can show, or that take no sentences.
_FOR_PROGRAMMERS = re.compile(
    r"(Value|Type|Runtime|Key|Index|Attribute|Assertion|NotImplemented|FileNotFound|OS)Error"
    r"|compile|Thread|plan_field|strftime|digest_of|match|\w+_field|cast|TypeVar|getLogger|Path"
)
_NO_SENTENCE = re.compile(
    r"[<\n\\]|arXiv|\(\?"
    r"|^(pip install|import|No module|cuda error|nccl|device lost|gpu is lost|out of memory)\b"
)
_PROGRESS = "advance"
_ERRORS = re.compile(
    r"(Studio|BadData|DiskFull|NotFinite|DeviceLost|OutOfMemory|LabelingBusy|HostDied"
    r"|ProcessEnded|NoAnswer)Error|Problem"
)
_PARTS = {"hint", "where"}
"""Arguments of an error that are no values of its sentence."""
_VALUE = re.compile(r"\{[^{}]*\}")


def message_texts() -> set[TranslatableText]:
    """Return the texts of all messages."""
    words = {*(kind.value for kind in RecordKind), *(state.value for state in State)}
    found = {TranslatableText(CONTEXT, word) for word in words}
    for path in sorted(ENGINE.rglob("*.py")):
        is_shown = not path.relative_to(ENGINE).as_posix().startswith(_NOT_SHOWN)
        found |= messages_in(path.read_text(encoding="utf-8"), takes_sentences=is_shown)
    for path in sorted(WINDOW.rglob("*.py")):
        found |= messages_in(path.read_text(encoding="utf-8"), takes_sentences=False)
    return found


def messages_in(code: str, *, takes_sentences: bool) -> set[TranslatableText]:
    """Return the texts of the messages in one file.

    Args:
        code: The file.
        takes_sentences: True to take all constant sentences, not only those in errors.
    """
    reader = _MessageReader(takes_sentences=takes_sentences)
    reader.visit(ast.parse(code))
    # Of two equal sources a set keeps the first one: templates know whether they have a plural.
    return reader.templates | reader.sentences


def _has_values(name: str, node: ast.Call) -> bool:
    """Return True for an error whose first argument is a template."""
    names = {keyword.arg for keyword in node.keywords}
    return name.endswith("Error") and bool(_ERRORS.fullmatch(name)) and bool(names - _PARTS)


class _MessageReader(ast.NodeVisitor):
    def __init__(self, *, takes_sentences: bool) -> None:
        self.templates: set[TranslatableText] = set()
        self.sentences: set[TranslatableText] = set()
        self._takes = takes_sentences

    def visit_Expr(self, node: ast.Expr) -> None:
        """Skip docstrings."""
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Skip types."""
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Skip the words of f-strings: they are for files and programmers."""
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)

    def visit_Call(self, node: ast.Call) -> None:
        """Collect the template of a message, and sentences in the arguments of errors."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        before = self._takes
        if _FOR_PROGRAMMERS.fullmatch(name):
            self._takes = False
        elif _ERRORS.fullmatch(name):
            self._takes = True
        values = [
            keyword.value for keyword in node.keywords if keyword.arg not in {"one", "paper"}
        ]
        if name == BUILDER or _has_values(name, node):
            has_plural = any(keyword.arg == "one" for keyword in node.keywords)
            for text in _words(node.args[0]):
                if any(map(str.isalpha, _VALUE.sub("", text))):
                    self.templates.add(TranslatableText(CONTEXT, text, has_plural=has_plural))
            values += node.args[1:]
        else:
            values = [node.func, *node.args, *values]
        if name.endswith(_PROGRESS) and self._takes and len(node.args) > 1:
            # A step may be called by one word.
            self.sentences.update(
                TranslatableText(CONTEXT, word) for word in _words(node.args[-1])
            )
        for value in values:
            self.visit(value)
        self._takes = before

    def visit_Constant(self, node: ast.Constant) -> None:
        """Take a sentence without values, or one whose values are filled in elsewhere."""
        if not self._takes or not isinstance(node.value, str):
            return
        words = re.findall(r"[A-Za-z]{2,}", _VALUE.sub(" ", node.value))
        is_sentence = len(words) >= 2 and " " in node.value and node.value == node.value.strip()
        if is_sentence and not _NO_SENTENCE.search(node.value):
            self.sentences.add(TranslatableText(CONTEXT, node.value))
