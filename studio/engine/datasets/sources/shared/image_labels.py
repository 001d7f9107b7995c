"""Tables of Open Images with a row for each label of an image, and whether it is there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from studio.engine.messages import Text, message
from studio.engine.tables.cell_table import CellTable, TableRow
from studio.engine.tables.columns import plain_word
from studio.engine.tables.numbers import whole_number
from studio.engine.tasks.annotation_files.open_images import names_beside

_PICTURE, _LABEL, _CONFIDENCE = "imageid", "labelname", "confidence"
_BOX: Final = "xmin"


def joined_labels(table: CellTable, path: Path) -> CellTable:
    """Return a table of labels of Open Images with a row for each image; others as they are.

    A row with the confidence 0 says that people looked for the label and it is not there. It gives
    its image no label.

    Args:
        table: The table.
        path: Its file; the names of the codes are in its folder.
    """
    words = [plain_word(cell) for cell in table.rows[0].cells] if table.rows else []
    if not {_PICTURE, _LABEL, _CONFIDENCE} <= {*words} or _BOX in words:
        return table
    columns = [words.index(word) for word in (_PICTURE, _LABEL, _CONFIDENCE)]
    labels: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    absent: list[TableRow] = []
    rows = [row for row in table.rows[1:] if len(row.cells) == len(words)]
    for row in rows:
        picture, label, confidence = (row.cells[index] for index in columns)
        lines.setdefault(picture, row.line)
        mine = labels.setdefault(picture, [])
        if whole_number(confidence) == 0:
            absent.append(row)
        elif label not in mine:
            mine.append(label)
    warnings: list[Text] = [*table.warnings]
    codes = dict.fromkeys(label for mine in labels.values() for label in mine)
    names = names_beside(codes, path, warnings)
    named = {picture: [names.get(each, each) for each in mine] for picture, mine in labels.items()}
    joined = [
        TableRow(lines[picture], (picture, json.dumps(mine, ensure_ascii=False)))
        for picture, mine in named.items()
    ]
    header = TableRow(table.rows[0].line, tuple(table.rows[0].cells[each] for each in columns[:2]))
    if absent:
        warnings.append(_about_absent(absent))
    others = [row for row in table.rows[1:] if len(row.cells) != len(words)]
    return replace(table, rows=[header, *joined, *others], warnings=warnings)


def _about_absent(rows: Sequence[TableRow]) -> Text:
    return message(
        "{count} rows have the confidence 0: people looked for the label, and it is not in the "
        "image. They give no label (first: line {line}).",
        one="A row has the confidence 0: people looked for the label, and it is not in the image. "
        "It gives no label (line {line}).",
        count=len(rows),
        line=rows[0].line,
    )
