"""The sentences of the engine, read from its source: errors, hints, notes, steps of progress.

The engine knows no languages: it writes English into journals and errors, and the window puts
them into the user's language when it shows them (`studio.ui.engine_text`). For that the pattern of
every sentence is taken from the source: an f-string gives its words with `{0}`, `{1}` … for its
values. A value that is one of two literals (`{"image" if n == 1 else "images"}`) gives a pattern
for each. A value that the source writes as a number (`{share:.1%}`) is known as one, so that the
window can write it as the user's country does; a version or a name with a point in it is not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from pathlib import Path

import studio.engine
import studio.ui
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.language_files.files import Source

CONTEXT = "engine"
FOLDER = Path(studio.engine.__file__).parent
WINDOW = Path(studio.ui.__file__).parent

# What is written into files, code and pages for browsers, or served to other programs.
_NOT_SHOWN = (
    "compute/benchmarks/operations",
    "compute/exporters/",
    "evaluation/report_",
    "evaluation/reports",
    "exporting/readme",
    "exporting/script",
    "inference/http",
    "networks/code",
)
# What only a mistake of ours can raise, and what is no sentence.
_OURS = re.compile(
    r"(Value|Type|Runtime|Key|Index|Attribute|Assertion|NotImplemented|FileNotFound|OS)Error"
    r"|compile|Thread|plan_field|strftime|digest_of|match|\w+_field|cast|TypeVar|getLogger|Path"
)
_NO_SENTENCE = re.compile(
    r"[<\n\\]|arXiv|\(\?"
    r"|^(pip install|import|No module|cuda error|nccl|device lost|gpu is lost|out of memory)\b"
)
# Words that sentences have as values.
_VALUES = {
    *(kind.value for kind in RecordKind),
    *(state.value for state in State),
    *("training", "validation", "test", "image", "images"),
    "{0} cores",
}
_ERRORS = re.compile(r"(Studio|BadData|DiskFull)Error|Problem")
_NAMED = re.compile(r"\{[a-z_]\w*(?::[^{}]*)?\}")
_PLACE = re.compile(r"\{\d+\}")
_NUMBER = re.compile(r"[feg%]$|,")
"""How the format of a number looks; `{name:<20}` and `{byte:02x}` are none."""
_MOST_VARIANTS = 8
_Choices = Mapping[str, tuple[str, ...]]
_Patterns = dict[str, tuple[int, ...]]
"""Patterns with the places of their numbers."""
_Piece = tuple[str, tuple[bool, ...]]
"""Words with `{}` for values, and for each of these whether it is a number."""


def engine_texts(known: set[str]) -> set[Source]:
    """The patterns of all sentences.

    Args:
        known: Texts that are looked up elsewhere and need no second translation.
    """
    found = {Source(CONTEXT, text) for text in _VALUES}
    patterns: _Patterns = {}
    for path in sorted(FOLDER.rglob("*.py")):
        if not path.relative_to(FOLDER).as_posix().startswith(_NOT_SHOWN):
            _join(patterns, patterns_of(path.read_text(encoding="utf-8")))
    for path in sorted(WINDOW.rglob("*.py")):
        _join(patterns, patterns_of(path.read_text(encoding="utf-8"), only_errors=True))
    kept = {text: numbers for text, numbers in patterns.items() if text not in known}
    return found | {Source(CONTEXT, text, numbers) for text, numbers in kept.items()}


def patterns_of(code: str, *, only_errors: bool = False) -> _Patterns:
    """The patterns of the sentences of one file, each with the places of its numbers.

    Args:
        code: The file.
        only_errors: Take what is said in errors and problems, as in the code of the window, which
            writes all else through `tr`.
    """
    reader = _Reader(takes=not only_errors)
    reader.visit(ast.parse(code))
    return reader.found


def _join(patterns: _Patterns, others: _Patterns) -> None:
    """Add more; what is a number in one of two equal sentences is one in both."""
    for text, numbers in others.items():
        patterns[text] = tuple(sorted({*patterns.get(text, ()), *numbers}))


class _Reader(ast.NodeVisitor):
    """Goes through a file; knows the short choices of the function that it is in.

    Args:
        takes: Sentences are taken from the beginning, not only inside errors and problems.
    """

    def __init__(self, *, takes: bool) -> None:
        self.found: _Patterns = {}
        self._takes = takes
        self._choices: dict[str, tuple[str, ...]] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Names that stand for one of a few literals are known inside their function."""
        before = self._choices
        self._choices = {**before, **_choices_in(node)}
        for each in node.body:
            self.visit(each)
        for value in (*node.args.defaults, *node.args.kw_defaults):
            if value is not None:
                self.visit(value)
        self._choices = before

    def visit_Expr(self, node: ast.Expr) -> None:
        """A literal that stands alone describes the code."""
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Types hold no sentences."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        """What only we can cause is not for users."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        if _OURS.fullmatch(name):
            return
        if name == "message":  # a template, which is taken as it is
            for keyword in node.keywords:
                if keyword.arg != "one":
                    self.visit(keyword.value)
            return
        before, self._takes = self._takes, self._takes or bool(_ERRORS.fullmatch(name))
        self.visit(node.func)
        for value in node.args:
            self.visit(value)
        for keyword in node.keywords:
            if keyword.arg != "paper":
                self.visit(keyword.value)
        self._takes = before

    def visit_Constant(self, node: ast.Constant) -> None:
        """A sentence without values, or one that is filled by its names later."""
        if isinstance(node.value, str):
            self._take(*_numbered(node.value))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """A sentence with values."""
        for text, numbers in _texts_of(node, self._choices):
            self._take(text, numbers)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)

    def _take(self, text: str, numbers: tuple[int, ...]) -> None:
        words = re.findall(r"[A-Za-z]{2,}", _PLACE.sub(" ", text))
        if (
            self._takes
            and len(words) >= 2
            and " " in text.strip()
            and not _NO_SENTENCE.search(text)
        ):
            _join(self.found, {text.strip(): numbers})


def _choices_in(function: ast.FunctionDef) -> dict[str, tuple[str, ...]]:
    """The local names that are only ever one of a few literals."""
    found: dict[str, tuple[str, ...] | None] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, words = node.targets[0].id, _literals(node.value)
            known = found.get(name, ())
            found[name] = None if known is None or words is None else (*known, *words)
    return {name: words for name, words in found.items() if words}


def _literals(node: ast.expr) -> tuple[str, ...] | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (node.value,)
    if isinstance(node, ast.IfExp):
        body, other = _literals(node.body), _literals(node.orelse)
        return None if body is None or other is None else (*body, *other)
    return None


def _texts_of(node: ast.JoinedStr, choices: _Choices) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The patterns of an f-string, one for each choice of words in it."""
    parts = [_part(part, choices) for part in node.values]
    if prod(map(len, parts)) > _MOST_VARIANTS:
        parts = [part if len(part) == 1 else (("{}", (False,)),) for part in parts]
    for chosen in product(*parts):
        first, *rest = "".join(words for words, _ in chosen).split("{}")
        are_numbers = (each for _, flags in chosen for each in flags)
        numbers = tuple(place for place, is_number in enumerate(are_numbers) if is_number)
        yield first + "".join(f"{{{place}}}{words}" for place, words in enumerate(rest)), numbers


def _part(part: ast.expr, choices: _Choices) -> tuple[_Piece, ...]:
    if isinstance(part, ast.Constant):
        text = str(part.value)
        flags = tuple(map(_is_number, _NAMED.findall(text)))
        return ((_NAMED.sub("{}", text), flags),)
    value = part.value if isinstance(part, ast.FormattedValue) else part
    words = choices.get(value.id) if isinstance(value, ast.Name) else _literals(value)
    if words:
        return tuple((word, ()) for word in dict.fromkeys(words))
    return (("{}", (_is_number(f":{_format_of(part)}"),)),)


def _format_of(part: ast.expr) -> str:
    """How a value of an f-string is written: `.1f`; without what is known only later."""
    if not isinstance(part, ast.FormattedValue) or not isinstance(part.format_spec, ast.JoinedStr):
        return ""
    pieces = part.format_spec.values
    return "".join(str(each.value) for each in pieces if isinstance(each, ast.Constant))


def _is_number(place: str) -> bool:
    """Whether the format behind the colon of a place is that of a number."""
    return bool(_NUMBER.search(place.partition(":")[2].rstrip("}")))


def _numbered(text: str) -> tuple[str, tuple[int, ...]]:
    """`{count:,}` and `{names}` as `{0}` and `{1}`, in their order; 0 is a number."""
    names: list[str] = []
    numbers: set[int] = set()

    def number(found: re.Match[str]) -> str:
        name = found.group().strip("{}").partition(":")[0]
        if name not in names:
            names.append(name)
        if _is_number(found.group()):
            numbers.add(names.index(name))
        return f"{{{names.index(name)}}}"

    return _NAMED.sub(number, text), tuple(sorted(numbers))
