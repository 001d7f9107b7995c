"""Docstrings of public functions name their arguments and begin with what a function does."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.sources import parsed

REPOSITORY = Path(__file__).resolve().parents[2]
STUDIO = REPOSITORY / "studio"
UNDOCUMENTED = {"studio/ui/pages/": 216}
"""Public functions without documented arguments, by package; these numbers only fall."""

CLAUSE = re.compile(r"(What|Whether|Where|Who|Whom|Whose|Why|How|Of what|That which)\b")
REFERENCE = re.compile(r"\b[Ss]ee `[\w.]+`")
"""A docstring that leaves the arguments to another one: that of the base class."""

QT = {"data", "flags", "index", "paint", "parent", "sort"}
"""Overridden methods of Qt, which documents them, beside those in camel case."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _is_overload_or_override(function: Function) -> bool:
    names = {ast.unparse(each).rpartition(".")[2] for each in function.decorator_list}
    return not names.isdisjoint({"overload", "override", "setter"})


def _is_public(function: Function, *, in_class: bool) -> bool:
    name = function.name
    is_of_qt = in_class and (name in QT or name != name.lower())
    return not (name.startswith("_") or is_of_qt or _is_overload_or_override(function))


def _public_functions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public_functions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, Function) and _is_public(node, in_class=bool(prefix)):
            yield prefix + node.name, node


def _arguments(function: Function) -> list[str]:
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    names += [each.arg for each in (given.vararg, given.kwarg) if each is not None]
    return [name for name in names if name not in ("self", "cls")]


def _is_documented(function: Function) -> bool:
    text = ast.get_docstring(function) or ""
    return "Args:" in text or REFERENCE.search(text) is not None


def _undocumented(source: str) -> list[str]:
    return [
        name
        for name, function in _public_functions(parsed(source).body)
        if len(_arguments(function)) > 1 and not _is_documented(function)
    ]


def test_arguments_are_documented() -> None:
    found: Counter[str] = Counter()
    names = []
    for path in sorted(STUDIO.rglob("*.py")):
        for name in _undocumented(path.read_text(encoding="utf-8")):
            relative = path.relative_to(REPOSITORY).as_posix()
            found[next((each for each in UNDOCUMENTED if relative.startswith(each)), "")] += 1
            names.append(f"{relative}: {name}")

    assert found <= Counter(UNDOCUMENTED), "\n".join(names)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def scale(image, factor):\n    '''Scale an image.'''", ["scale"]),
        ("def scale(image, factor):\n    '''Scale.\n\n    Args:\n        image: It.'''", []),
        ("def scale(image, factor):\n    '''Scale; see `Base.scale`.'''", []),
        ("def scale(image):\n    '''Scale an image.'''", []),
        ("def _scale(image, factor): ...", []),
        ("class A:\n    def scale(self, image, *more):\n        '''Scale.'''", ["A.scale"]),
        ("class A:\n    def scale(self, image):\n        '''Scale.'''", []),
    ],
)
def test_the_check_finds_undocumented_arguments(source: str, expected: list[str]) -> None:
    assert _undocumented(source) == expected


def test_no_docstring_opens_with_a_clause() -> None:
    found = []
    for path in sorted(STUDIO.rglob("*.py")):
        for node in ast.walk(parsed(path.read_text(encoding="utf-8"))):
            # Those of modules, classes and functions, and those below attributes.
            if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
                continue
            text = str(node.value.value)
            if CLAUSE.match(text):
                name = path.relative_to(REPOSITORY)
                found.append(f"{name}:{node.lineno}: {text.splitlines()[0]}")

    assert found == []


NAMES_OF_OTHERS = {
    *(
        "BackupAndRestore",
        "MirroredStrategy",
        "distribute",
        "sgd_solver",
        "PlotDataItem",
        "QVideoFrame",
        "dpi",
    ),
    *("RandomRotation", "RandomZoom", "RandomBrightness", "RandomContrast"),
    *("aug_quad_rot", "aug_scale", "crop_size", "aug_noise", "cpp", "average_precision_score"),
    *("Xft", "rectanglelabels", "poly", "pyi", "_on_NAME"),
}
"""Of other programs and libraries, or a pattern."""
EXAMPLES = re.compile(
    r"(train|val|test)_\w+|\w+_train|img\d+|CON|pt|pt_BR|conv\w+|block\d|fire\d"
    r"|(class|score)_\d|resizing"
)
"""Names in files, columns or networks, as examples."""
IDENTIFIER = re.compile(r"`([A-Za-z_][\w.]*)(?:\(\))?`")
FILE_NAMES = ("py", "json", "jsonl", "h5", "keras", "toml", "md", "ts", "txt", "npz", "xml", "csv")


def test_names_in_docstrings_exist() -> None:
    trees = {path: parsed(path.read_text("utf-8")) for path in sorted(STUDIO.rglob("*.py"))}
    assets = [parsed(each.read_text("utf-8")) for each in (REPOSITORY / "assets").rglob("*.py")]
    known = {*dir(builtins), *keyword.kwlist, *NAMES_OF_OTHERS, *FILE_NAMES}
    known.update(part for path in trees for part in path.with_suffix("").parts)
    known.update(name for tree in (*trees.values(), *assets) for name in _names_in(tree))

    stale = [
        f"{path.relative_to(REPOSITORY)}: `{name}`"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | Function)
        for name in IDENTIFIER.findall(ast.get_docstring(node) or "")
        if not all(part in known or EXAMPLES.fullmatch(part) for part in name.split("."))
    ]

    assert stale == []


def test_the_check_of_names_knows_code_and_not_docstrings() -> None:
    tree = ast.parse("class A:\n    '''See `Gone`.'''\n    def b(self, c): return self.d + E")

    assert {"A", "b", "c", "d", "E"} <= set(_names_in(tree))
    assert "Gone" not in set(_names_in(tree))


def _names_in(tree: ast.AST) -> Iterator[str]:
    """Yield the names that code defines and uses, and the words of its short texts."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | Function)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        for name in ("id", "attr", "arg", "name", "asname"):
            value = getattr(node, name, None)
            if isinstance(value, str):
                yield from value.split(".")
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and id(node) not in docstrings and len(text) < 80:
            yield from re.findall(r"\w+", text)
