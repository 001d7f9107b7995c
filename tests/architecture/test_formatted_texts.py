"""Texts for users reach errors, problems, findings, notes and progress as data, not formatted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import studio
from helpers.sources import parsed
from studio.engine.errors import StudioError

FOLDER = Path(studio.__file__).parent
# Errors of the command line and of the Python API are English.
PACKAGES = ("engine", "ui")
SINKS = {
    *("StudioError", "ForeignCodeError", "TransferError", "UnreachableError", "HostDiedError"),
    *("Problem", "Finding", "NotChecked", "Words", "Hint", "Note", "Notice", "Skipped", "Warned"),
    *("Outcome", "LatencyOutcome", "Growth", "StateChanged", "Suggestion", "Advice", "Missing"),
    *("message", "as_message", "joined"),
    *("warn", "advance", "skip", "damaged", "locked", "require_space", "require_completed"),
}


def _errors(kind: type[StudioError]) -> Iterator[str]:
    for each in kind.__subclasses__():
        yield each.__name__
        yield from _errors(each)


def formatted(code: str) -> list[int]:
    """Return the lines of sinks that receive a sentence that is formatted already."""
    tree = parsed(code)
    sinks = SINKS | set(_errors(StudioError))
    found = set()
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.Module):
            accepted = sinks | ({"ValueError"} if _is_validator(scope) else set())
            nodes = _own_nodes(scope)
            texts = _formatted_names(nodes)
            for call in nodes:
                if isinstance(call, ast.Call) and _name(call) in accepted:
                    values = (*call.args, *(keyword.value for keyword in call.keywords))
                    if any(_is_formatted(value, texts) for value in values):
                        found.add(call.lineno)
    return sorted(found)


def _is_validator(scope: ast.FunctionDef | ast.Module) -> bool:
    """Return whether a scope is a validator of a plan, whose errors are problems in a form."""
    decorators = scope.decorator_list if isinstance(scope, ast.FunctionDef) else []
    return any("validator" in ast.unparse(decorator) for decorator in decorators)


def unfilled(code: str) -> list[str]:
    """Return the placeholders of texts and messages that receive no value, with their lines."""
    found = []
    for call in ast.walk(parsed(code)):
        if isinstance(call, ast.Call) and None not in {each.arg for each in call.keywords}:
            given = {each.arg for each in call.keywords} | set(map(str, range(len(call.args))))
            for text in _templates(call):
                missing = {name for _, name, _, _ in Formatter().parse(text) if name} - given
                found += [f"{call.lineno}: {name}" for name in sorted(missing)]
    return found


def _templates(call: ast.Call) -> list[str]:
    """Return the literal templates that a call fills: of `tr(…).format(…)` or `message(…)`."""
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr == "format":
        inner = function.value
        sources = (
            inner.args
            if isinstance(inner, ast.Call) and _name(inner) in {"tr", "translate"}
            else []
        )
    else:
        sources = call.args[:1] if _name(call) == "message" else []
        sources += [each.value for each in call.keywords if sources and each.arg == "one"]
    return [
        each.value
        for each in sources
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)


def _own_nodes(scope: ast.AST) -> list[ast.AST]:
    """Return the nodes below a function or module, without those of functions in it."""
    found: list[ast.AST] = []
    waiting = [scope]
    while waiting:
        children = list(ast.iter_child_nodes(waiting.pop()))
        found += children
        waiting += [child for child in children if not isinstance(child, ast.FunctionDef)]
    return found


def _formatted_names(nodes: list[ast.AST]) -> set[str]:
    """Return the local names that may be a formatted sentence."""
    return {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign | ast.AugAssign) and _is_formatted(node.value, set())
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def _is_formatted(value: ast.expr, texts: set[str]) -> bool:
    """Return whether a value is, or may be, an f-string or another formatted sentence."""
    if isinstance(value, ast.IfExp):
        return _is_formatted(value.body, texts) or _is_formatted(value.orelse, texts)
    if isinstance(value, ast.BoolOp | ast.Tuple | ast.List):
        parts = value.values if isinstance(value, ast.BoolOp) else value.elts
        return any(_is_formatted(part, texts) for part in parts)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        # The window's own texts are `tr("…").format(…)`.
        is_own = isinstance(value.func.value, ast.Call)
        return (
            value.func.attr in {"format", "format_map"} and not is_own and _has_words(value.func)
        )
    is_built = isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod | ast.Add)
    )
    return (isinstance(value, ast.Name) and value.id in texts) or (is_built and _has_words(value))


def _has_words(node: ast.AST) -> bool:
    """Return whether the constants below a node have two words, or the end of a sentence."""
    text = " ".join(
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )
    is_command = text.startswith("pip install")
    has_two = len(re.findall(r"[A-Za-z]{2,}", text)) > 1 and " " in text.strip()
    last = node.values[-1] if isinstance(node, ast.JoinedStr) else None
    has_end = isinstance(last, ast.Constant) and str(last.value).endswith(".")
    return (has_two or has_end) and not is_command


def test_no_formatted_sentence_reaches_a_user() -> None:
    offenders = [
        f"{path.relative_to(FOLDER)}:{line}: message(…) with a value for each place"
        for package in PACKAGES
        for path in sorted((FOLDER / package).rglob("*.py"))
        if "language_files" not in path.parts
        for line in formatted(path.read_text(encoding="utf-8"))
    ]

    assert offenders == []


def test_every_placeholder_receives_a_value() -> None:
    offenders = [
        f"{path.relative_to(FOLDER)}:{each}"
        for path in sorted(FOLDER.rglob("*.py"))
        for each in unfilled(path.read_text(encoding="utf-8"))
    ]

    assert offenders == []


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ('self.tr("{a} of {b}").format(a=1)', 1),
        ('QCoreApplication.translate("c", "{a}").format(b=1)', 1),
        ('message("There is no {name}.")', 1),
        ('message("{a} images", one="{b} image", a=1)', 1),
        ('self.tr("{a}").format(**values)', 0),
        ('"{a}".format(b=1)', 0),
    ],
)
def test_unfilled_placeholders_are_found(code: str, count: int) -> None:
    assert len(unfilled(code)) == count


@pytest.mark.parametrize(
    "code",
    [
        'raise StudioError(f"There is no {name}.")',
        'raise BadDataError("There is no %s." % name)',
        'Problem("field", "There is no {}.".format(name))',
        'progress.warn("There is no " + name + " here.")',
        'raise StudioError("No.", f"Choose {name} then." if name else "")',
        'def f():\n    text = f"There is no {name}."\n    raise StudioError(text)',
        'message("{reason}", reason=f"there is no {name}")',
        'Problem("field", f"{reason}.")',
        '@field_validator("a")\ndef f(a):\n    raise ValueError(f"there is no {a}")',
    ],
)
def test_formatted_sentences_are_found(code: str) -> None:
    assert formatted(code)


@pytest.mark.parametrize(
    "code",
    [
        'raise StudioError(message("There is no {name}.", name=name))',
        'raise StudioError("There is none.", where=f"auxiliary.{place}")',
        'raise ValueError(f"There is no {name}.")',
        'progress.advance(1, 2, "Reading images")',
    ],
)
def test_messages_and_constants_are_allowed(code: str) -> None:
    assert formatted(code) == []
