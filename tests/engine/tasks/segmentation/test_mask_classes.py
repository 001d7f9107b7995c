"""Files that name classes and their colors."""

from __future__ import annotations

import pytest

from studio.engine.errors import StudioError
from studio.engine.tasks.annotation_files.classes import ClassTable, parsed
from studio.engine.tasks.annotations import MAX_CLASSES, default_colors

BOTH = ClassTable(("sky", "tree house"), ("#0000ff", "#00ff00"))


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("sky\ntree house\n", ClassTable(("sky", "tree house"))),
        ("0 0 255\n0 255 0\n", ClassTable(*[("#0000ff", "#00ff00")] * 2)),
        ("0 0 255 sky\n0,255,0 tree house", BOTH),
        ("sky 0 0 255\ntree house 0 255 0\n", BOTH),
        ("name,r,g,b\nsky,0,0,255\ntree house,0,255,0\n", BOTH),
        ("\ufeffname, r, g, b\r\nsky, 0, 0, 255\r\ntree house, 0, 255, 0\r\n", BOTH),
        ("sky #0000FF\n#00ff00 tree house\n", BOTH),
        ("# label:color_rgb:parts:actions\nsky:0,0,255::\ntree house:0,255,0::\n", BOTH),
        ("name,b,g,r\nsky,255,0,0\ntree house,0,255,0\n", BOTH),
        ('"Blue","Green","Red","Label"\n255,0,0,"sky"\n0,255,0,"tree house"\n', BOTH),
        (
            '[{"name": "sky", "color": "#0000FF"}, {"label": "tree house", "rgb": [0, 255, 0]}]',
            BOTH,
        ),
        ('{"sky": [0, 0, 255], "tree house": [0, 255, 0]}', BOTH),
        ('{"1": "tree house", "0": "sky"}', ClassTable(("sky", "tree house"))),
        ('{"sky": 0, "tree house": 1}', ClassTable(("sky", "tree house"))),
        ('{"classes": ["sky", "tree house"]}', ClassTable(("sky", "tree house"))),
        ('[{"id": 1, "name": "sky"}]', ClassTable(("unlabeled", "sky"))),
        ("", ClassTable()),
    ],
)
def test_names_and_colors_are_read(text: str, table: ClassTable) -> None:
    assert parsed(text) == table


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("sky 0 0 255\ntree\n", "Only 1 of the 2 lines"),
        ("sky\nsky\n", 'same name, "sky"'),
        ("a 0 0 0\nb 0 0 0\n", "same color, #000000"),
        ("\n".join(map(str, range(300))), "255 classes; received 300"),
        ("a " * 250_000 + "1 2", "the longest has 500,003 characters"),
        ("a\n" * 20_000, "has 20,000 lines"),
    ],
)
def test_contradictions_are_refused(text: str, part: str) -> None:
    with pytest.raises(StudioError, match=part):
        parsed(text)


def test_a_number_above_255_is_no_color() -> None:
    assert parsed("room 1 2 300\nhall\n") == ClassTable(("room 1 2 300", "hall"))


def test_every_class_has_a_color_of_its_own() -> None:
    names = [str(number) for number in range(MAX_CLASSES)]
    assert len(set(default_colors(names))) == MAX_CLASSES
    found = default_colors(["Background", "a", "b", "c"], ["", "#e69f00"])
    assert found[:2] == ("#000000", "#e69f00")
    assert len(set(found)) == 4
