"""Nothing that a user reads is written into the window without being translated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import studio.ui

FOLDER = Path(studio.ui.__file__).parent

# What shows its text, by the name of the function, method or class.
SHOWS = re.compile(
    r"set(Text|ToolTip|WindowTitle|WhatsThis|StatusTip|AccessibleName|AccessibleDescription"
    r"|PlaceholderText|Title|Prefix|Suffix|LabelText|InformativeText|DetailedText|Html|PlainText"
    r"|TabText|TabToolTip|ItemText|HorizontalHeaderLabels|HeaderLabels|HeaderData)"
    r"|set_(title|subtitle|text|texts|words|note)|show_(text|note)|refuse|offer"
    r"|add(Item|Items|Tab|Action|Menu|Section)|add_action|insertItem|insertTab|drawText"
    r"|Q(Label|PushButton|CheckBox|RadioButton|ToolButton|Action|GroupBox|ListWidgetItem"
    r"|TableWidgetItem|TreeWidgetItem|StandardItem|Menu)"
    r"|push_button|icon_button|HintLabel|EmptyState|ElidedLabel|Notice|Card|BugReport|Line"
    r"|critical|warning|information|question|getOpenFileName|getSaveFileName"
    r"|getExistingDirectory|getText|getItem"
)
# These are not read, or are the same in every language.
EXCEPTIONS = {
    "Studio",
    "GPU",
    "RAM",
    "network saved",
    "draft ",
    "A thumbnail could not be loaded: %s",
}
_WORDS = re.compile(r"[A-Za-z]{2,}")
_TAG = re.compile(r"</?\w+>")
# Arguments that are names of ours, not words: icons, kinds of notices. Qt's own take words only.
_NAME = re.compile(r"[a-z0-9_.:/#-]+")


def _literals(node: ast.expr) -> Iterator[str]:
    """The literal words in an argument, also inside choices, lists and sums."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.Constant):
                yield str(part.value)
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)
    elif isinstance(node, ast.BinOp):
        yield from _literals(node.left)
        yield from _literals(node.right)
    elif isinstance(node, ast.List | ast.Tuple):
        for each in node.elts:
            yield from _literals(each)


def untranslated(code: str) -> list[str]:
    """The words that are shown as they are written, with their lines."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        if not SHOWS.fullmatch(name):
            continue
        for value in [*node.args, *(keyword.value for keyword in node.keywords)]:
            found += [
                f"{node.lineno}: {name}({text!r})"
                for text in _literals(value)
                if _WORDS.search(_TAG.sub("", text))
                and not (_NAME.fullmatch(text) and not name.startswith(("set", "Q")))
                and text not in EXCEPTIONS
            ]
    return found


def test_every_word_of_the_window_can_be_translated() -> None:
    found = [
        f"{path.relative_to(FOLDER)}:{line}"
        for path in sorted(FOLDER.rglob("*.py"))
        for line in untranslated(path.read_text(encoding="utf-8"))
    ]

    assert found == [], "write them as self.tr(…), or as an exception here"


@pytest.mark.parametrize(
    "code",
    [
        'label.setText("Two images")',
        'label.setText(f"{n} images")',
        'label.setText("images")',
        'button.setToolTip("Stop it" if runs else "")',
        'QLabel("Runs", self)',
        'table.setHorizontalHeaderLabels(["Name", self.tr("State")])',
        'push_button("Continue", theme)',
        'box.addItem(name + " (Old)")',
    ],
)
def test_a_literal_word_is_noticed(code: str) -> None:
    assert len(untranslated(code)) == 1


@pytest.mark.parametrize(
    "code",
    [
        'label.setText(self.tr("Two images"))',
        'label.setText(self.tr("{n} images").format(n=3))',
        'label.setText(f"{a} · {b} %")',
        'push_button(self.tr("Go"), theme, kind="primary", icon="chevron-up")',
        'other.append("Two images")',
    ],
)
def test_what_is_translated_or_no_word_is_let_pass(code: str) -> None:
    assert untranslated(code) == []
