"""Columns of tables of boxes: which of them have the picture, the class and the sides of a box."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic_core import from_json

from studio.engine.tables.cell_table import CellTable, is_image_name
from studio.engine.tables.cells import is_missing, list_in
from studio.engine.tables.columns import PATH_WORDS, SPLIT_WORDS, picture_column, plain_word
from studio.engine.tables.numbers import is_number, whole_number
from studio.engine.tables.pictures import Grade

Kind = Literal["edges", "sides", "center", "list", "via", "vertices"]
"""Left, top, right, bottom; left, top, width, height; center, width, height; one cell with four
numbers; shapes of the VGG Image Annotator; eight cells for the corners, as Google AutoML."""

_EDGES: Final = (
    ("left", "top", "right", "bottom"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("x0", "y0", "x1", "y1"),
    ("x1", "y1", "x2", "y2"),
    ("minx", "miny", "maxx", "maxy"),
    ("boxleft", "boxtop", "boxright", "boxbottom"),
    ("bboxleft", "bboxtop", "bboxright", "bboxbottom"),
    ("bboxxmin", "bboxymin", "bboxxmax", "bboxymax"),
    ("bboxx1", "bboxy1", "bboxx2", "bboxy2"),
    ("boxxmin", "boxymin", "boxxmax", "boxymax"),
    ("boxx1", "boxy1", "boxx2", "boxy2"),
    ("xtl", "ytl", "xbr", "ybr"),
    ("startx", "starty", "endx", "endy"),
    ("xstart", "ystart", "xend", "yend"),
    ("roix1", "roiy1", "roix2", "roiy2"),
    ("topleftx", "toplefty", "bottomrightx", "bottomrighty"),
    ("upperleftx", "upperlefty", "lowerrightx", "lowerrighty"),
    ("xleft", "ytop", "xright", "ybottom"),
    ("esquerda", "topo", "direita", "base"),
    ("izquierda", "arriba", "derecha", "abajo"),
    ("links", "oben", "rechts", "unten"),
    ("gauche", "haut", "droite", "bas"),
)
_SIZES: Final = (
    ("bboxwidth", "bboxheight"),
    ("bboxw", "bboxh"),
    ("boxwidth", "boxheight"),
    ("boxw", "boxh"),
    ("w", "h"),
    ("width", "height"),
    ("largura", "altura"),
    ("ancho", "alto"),
    ("breite", "hohe"),
    ("breite", "hoehe"),
    ("largeur", "hauteur"),
)
"""Width and height of a box; those that cannot be of the picture first."""
_ORIGINS: Final = (
    ("x", "y"),
    ("bboxx", "bboxy"),
    ("boxx", "boxy"),
    ("left", "top"),
    ("xmin", "ymin"),
    ("minx", "miny"),
    ("bboxleft", "bboxtop"),
    ("bboxxmin", "bboxymin"),
    ("x1", "y1"),
    ("x0", "y0"),
    ("topleftx", "toplefty"),
    ("esquerda", "topo"),
    ("izquierda", "arriba"),
    ("links", "oben"),
    ("gauche", "haut"),
)
_CENTERS: Final = (
    ("xcenter", "ycenter"),
    ("centerx", "centery"),
    ("xcentre", "ycentre"),
    ("centrex", "centrey"),
    ("cx", "cy"),
    ("xc", "yc"),
    ("bboxxcenter", "bboxycenter"),
    ("bboxcx", "bboxcy"),
    ("xmid", "ymid"),
)
_LISTS: Final = (
    *("bbox", "box", "boundingbox", "bndbox", "bboxxywh", "bboxxyxy", "xywh", "xyxy", "boxes"),
    *("bboxcoco", "bboxvoc", "bboxes"),
)
_CLASSES: Final = (
    *("class", "classname", "label", "labelname", "category", "categoryname", "name", "object"),
    *("objectname", "species", "type", "classid", "labelid", "categoryid", "classe", "rotulo"),
    *("lbl", "clase", "klasse", "etiqueta", "categoria", "kategorie", "categorie"),
    *("categories", "labels", "classes"),
)
_PICTURE_SIZES: Final = (
    ("imagewidth", "imageheight"),
    ("imgwidth", "imgheight"),
    ("imagew", "imageh"),
    ("imgw", "imgh"),
    ("originalwidth", "originalheight"),
    ("width", "height"),
)
_FLAGS: Final = {
    "difficult": ("difficult", "isdifficult"),
    "crowd": ("crowd", "iscrowd", "isgroupof"),
}
_AUTOML = frozenset({"train", "validation", "test", "unassigned"})
_ROWS_EXAMINED = 20
_VERTEX_CELLS = 7
"""Cells that a row of AutoML has at least from its first corner on."""


@dataclass(frozen=True, slots=True)
class BoxColumns:
    """Layout of a table of boxes.

    Attributes:
        kind: How a box is written.
        path: Index of the column that names the picture.
        sides: Columns of the box, as many as its kind needs.
        has_header: True if the first row has the names of the columns.
        label: Column of the class; None if the table has none.
        split: Column of the split, or None.
        size: Columns of width and height of the picture, or None.
        flags: Columns of flags by their names.
        are_pixels: True if sides are pixels, whatever their values are.
        is_xyxy: For one cell with four numbers: True for corners, False for a corner and a size;
            None if its heading does not say it.
        names: Headings; empty without a header.
    """

    kind: Kind
    path: int
    sides: tuple[int, ...]
    has_header: bool
    label: int | None = None
    split: int | None = None
    size: tuple[int, int] | None = None
    flags: dict[str, int] = field(default_factory=dict)
    are_pixels: bool = False
    is_xyxy: bool | None = None
    names: tuple[str, ...] = ()


def box_columns(table: CellTable, grade_of: Callable[[str], Grade]) -> BoxColumns | None:
    """Return the layout of a table; None if it has no boxes.

    Args:
        table: The table, or its first rows.
        grade_of: Returns how a cell names a picture.
    """
    if not table.rows:
        return None
    return _with_header(table, grade_of) or _without_header(table)


def _with_header(table: CellTable, grade_of: Callable[[str], Grade]) -> BoxColumns | None:
    header = table.rows[0].cells
    words = [plain_word(cell) for cell in header]
    found = _box(words)
    if found is None or any(map(is_number, filter(None, header))):
        return None
    kind, sides, heading = found
    if kind == "list" and not _have_boxes(table, sides[0]):
        return None
    path = _path(table, words, set(sides), grade_of)
    if path is None:
        return None
    free = ["" if index in (*sides, path) else word for index, word in enumerate(words)]
    size = _pair(free, _PICTURE_SIZES)
    split = next((free.index(word) for word in SPLIT_WORDS if word in free), None)
    label = next((free.index(word) for word in _CLASSES if word in free), None)
    if kind == "via":
        label = words.index("regionattributes")
    flags = {
        name: free.index(word) for name, known in _FLAGS.items() for word in known if word in free
    }
    return BoxColumns(
        *(kind, path, sides, True, label, split, size, flags),
        are_pixels=set(_EDGES[0]) <= set(words),
        is_xyxy=True if "xyxy" in heading or "voc" in heading else _is_size(heading),
        names=header,
    )


def _have_boxes(table: CellTable, column: int) -> bool:
    """Return True if most of the first cells of a column that are not empty have four numbers."""
    rows = table.rows[1:]
    cells = [row.cells[column] for row in rows if column < len(row.cells)]
    filled = [cell for cell in cells if not is_empty_box(cell)][:_ROWS_EXAMINED]
    return 2 * sum(four_numbers(cell) is not None for cell in filled) > len(filled)


def is_empty_box(cell: str) -> bool:
    """Return True for a cell for a box that has none."""
    return is_missing(cell) or cell in ("[]", "()")


def _is_size(heading: str) -> bool | None:
    return False if "xywh" in heading or "coco" in heading else None


def _box(words: Sequence[str]) -> tuple[Kind, tuple[int, ...], str] | None:
    """Return how boxes are written, their columns, and the heading of a single column."""
    if {"regionshapeattributes", "regionattributes"} <= set(words):
        return "via", (words.index("regionshapeattributes"),), ""
    for edges in _EDGES:
        if all(word in words for word in edges):
            return "edges", tuple(words.index(word) for word in edges), ""
    size = _pair(words, _SIZES)
    for kind, starts in (("center", _CENTERS), ("sides", _ORIGINS)):
        start = _pair(words, starts)
        if start is not None and size is not None:
            return ("center" if kind == "center" else "sides"), (*start, *size), ""
    one = next((word for word in _LISTS if word in words), None)
    return None if one is None else ("list", (words.index(one),), one)


def _pair(words: Sequence[str], known: Sequence[tuple[str, str]]) -> tuple[int, int] | None:
    for one, other in known:
        if one in words and other in words:
            return words.index(one), words.index(other)
    return None


def _path(
    table: CellTable, words: Sequence[str], taken: set[int], grade_of: Callable[[str], Grade]
) -> int | None:
    """Return the column of the pictures: by its values, or else by its name."""
    found = picture_column(table, grade_of)
    cells = [row.cells[found.index] for row in table.rows[1:] if found.index < len(row.cells)]
    if found.index not in taken and any(grade_of(cell) > Grade.NONE for cell in cells):
        return found.index
    known = [word for word in PATH_WORDS if word not in ("name", "id", "uid", "uuid")]
    return next(
        (words.index(each) for each in known if each in words and words.index(each) not in taken),
        None,
    )


def _without_header(table: CellTable) -> BoxColumns | None:
    rows = [row.cells for row in table.rows[:_ROWS_EXAMINED]]
    if all(map(_is_automl, rows)):
        start = int(rows[0][0].casefold() in _AUTOML)
        sides = tuple(range(start + 2, start + 10))
        split = 0 if start else None
        return BoxColumns("vertices", start, sides, False, start + 1, split)
    if all(map(_is_make_sense, rows)):
        return BoxColumns("sides", 5, (1, 2, 3, 4), False, 0, size=(6, 7), are_pixels=True)
    for sides, label in (((1, 2, 3, 4), 5), ((2, 3, 4, 5), 1)):
        is_box = any(len(row) > max(*sides, label) and row[label] for row in rows)
        if is_box and all(_is_plain(row, sides, label) for row in rows):
            width = max(*sides, label) + 1
            size = (width, width + 1) if any(map(any, (row[width:] for row in rows))) else None
            return BoxColumns("edges", 0, sides, False, label, size=size, are_pixels=True)
    return None


def _is_make_sense(row: Sequence[str]) -> bool:
    """Return True for a class, left, top, width, height, image and its size, as of Make Sense."""
    return (
        len(row) == 8
        and not is_number(row[0])
        and is_image_name(row[5])
        and all(is_number(cell) for cell in (*row[1:5], *row[6:]))
    )


def _is_automl(row: Sequence[str]) -> bool:
    start = int(row[0].casefold() in _AUTOML)
    corners = row[start + 2 : start + 10]
    return (
        len(row) >= start + 2 + _VERTEX_CELLS
        and is_image_name(row[start])
        and all(is_number(cell) for cell in corners if cell)
        and (not any(corners) or "" in corners[2:4] or len(corners) > _VERTEX_CELLS)
    )


def _is_plain(row: Sequence[str], sides: Sequence[int], label: int) -> bool:
    """Return True for a path, four numbers and a class, or a path and nothing.

    The size of the picture may follow, as in SKU-110K.
    """
    if "." not in row[0]:
        return False
    if all(is_missing(cell) for cell in row[1:]):
        return True
    rest = row[max(*sides, label) + 1 :]
    if len(row) <= max(*sides, label) or (any(rest) and not _is_size_of_picture(rest)):
        return False
    numbers = [row[side] for side in sides]
    return bool(row[label]) and all(is_number(cell) or is_missing(cell) for cell in numbers)


def _is_size_of_picture(cells: Sequence[str]) -> bool:
    return len(cells) == 2 and all(whole_number(cell) is not None for cell in cells)


def four_numbers(cell: str) -> tuple[float, ...] | None:
    """Return the numbers of a cell such as "[1, 2, 3, 4]" or "1 2 3 4"; None for others."""
    values = list_in(cell)
    if values is None:
        values = cell.replace(",", " ").replace(";", " ").split()
    if len(values) != 4 or not all(map(is_number, values)):
        return None
    try:
        return tuple(float(value) for value in values)
    except ValueError:
        return None


def via_shape(cell: str) -> tuple[float, ...] | None:
    """Return left, top, right and bottom of a shape of the VGG Image Annotator.

    Returns:
        The box around the shape, of which a number may be NaN; None for a cell without a shape.
    """
    shape = json_object(cell)
    if not shape:
        return None
    name = shape.get("name")
    if name == "rect":
        x, y, width, height = (_number(shape.get(key)) for key in ("x", "y", "width", "height"))
        return x, y, x + width, y + height
    if name in ("circle", "ellipse"):
        x, y = _number(shape.get("cx")), _number(shape.get("cy"))
        wide = _number(shape.get("rx", shape.get("r")))
        high = _number(shape.get("ry", shape.get("r")))
        return x - wide, y - high, x + wide, y + high
    if name in ("polygon", "polyline"):
        xs, ys = (_numbers(shape.get(f"all_points_{axis}")) for axis in "xy")
        return min(xs), min(ys), max(xs), max(ys)
    return (math.nan,) * 4


def via_class(cell: str) -> str:
    """Return the class among the attributes of a region; empty if there is none."""
    attributes = json_object(cell)
    for key in sorted(attributes, key=lambda key: (plain_word(key) not in _CLASSES, key)):
        value = attributes[key]
        if isinstance(value, dict):  # a box to check, with each class that is checked
            checked = [name for name, is_on in value.items() if is_on]
            value = checked[0] if len(checked) == 1 else ""
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value:
            return value
    return ""


def json_object(cell: str) -> dict[str, Any]:
    """Return the JSON object of a cell; empty for anything else."""
    if is_missing(cell):
        return {}
    try:
        found = from_json(cell)
    except ValueError:
        return {"": cell}
    return found if isinstance(found, dict) else {"": found}


def _number(value: object) -> float:
    is_plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_plain and isinstance(value, int | float) else math.nan


def _numbers(values: object) -> list[float]:
    found = list(map(_number, values)) if isinstance(values, list) else []
    return found or [math.nan]
