"""COCO JSON with classes of whole images, as of camera traps, iNaturalist and Azure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from studio.engine.errors import BadDataError
from studio.engine.messages import message
from studio.engine.tasks.annotation_files.coco_ids import IdTable
from studio.engine.tasks.annotation_files.coco_lists import (
    ListedImage,
    entries_of,
    listed_categories,
    listed_images,
    of_unlisted_images,
)
from studio.engine.tasks.annotation_files.json_files import documents
from studio.engine.tasks.annotation_files.json_lists import parsed_in_pieces
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.reports import Tally, shown
from studio.engine.tasks.annotation_files.tools.base import DrawingTool, ToolDocument
from studio.engine.tasks.annotation_files.tools.shapes import DrawnPicture
from studio.engine.tasks.annotations import LeftOut, Tree

_KEY = re.compile(
    rb'\A(?:\xef\xbb\xbf)?\s*\{[\s\S]*?"(images|annotations|categories)"\s*:\s*\[\s*\{'
)
_AREA = re.compile(rb'"(bbox|segmentation)"\s*:\s*(\[\s*[\[\d.-]|\{\s*")')
_LABEL = re.compile(rb'"category_id"\s*:')
_LABELS = (_LABEL, re.compile(rb'"image_id"\s*:'))
_QUESTION: Final = "category"


class CocoLabels(DrawingTool):
    """The classes of a picture are the categories of its annotations, which have no areas."""

    name = "coco_labels"
    label = "COCO JSON with classes of images"
    suffixes = (".json",)
    labels = _LABEL
    hint = "Choose the image folder as the source and the JSON file as the annotations."

    def is_own(self, head: bytes) -> bool:
        """See `DrawingTool.is_own`."""
        return _KEY.match(head) is not None

    def has_label(self, data: bytes) -> bool:
        """Return True for categories of annotations, none of which has a box or an outline."""
        return all(key.search(data) for key in _LABELS) and _AREA.search(data) is None

    def paths(self, files: Tree, *, few: bool = False) -> Iterator[str]:
        """See `DrawingTool.paths`."""
        return documents(files, _KEY, few=few)

    def find(
        self,
        names: PictureNames,  # noqa: ARG002 - of other tools
        picture: DrawnPicture,
        path: str,  # noqa: ARG002 - as above
    ) -> str | None:
        """Return the path of a picture, which its name is here; see `DrawingTool.find`."""
        return picture.name

    def parsed(self, data: bytes, path: str, names: PictureNames) -> ToolDocument:
        """Return the pictures of a file with their categories; see `DrawingTool.parsed`."""
        if _AREA.search(data):
            raise BadDataError(
                "it has boxes or outlines, which are read for detection and segmentation"
            )
        document, result = parsed_in_pieces(data), ToolDocument()
        images = listed_images(path, document, names, result.problems, result.warnings)
        labels = _labels(path, document, images, result)
        for image in images.values():
            result.problems += image.left_out(path)
            for each in image.usable():
                picture = DrawnPicture(each.picture)
                picture.labels = {_QUESTION: [*labels.get(each.picture, ())]}
                result.pictures.append(picture)
        return result


def _labels(
    path: str, document: Mapping[str, Any], images: IdTable[ListedImage], result: ToolDocument
) -> dict[str, dict[str, None]]:
    """Return the categories of each picture, and count the annotations of the images."""
    classes = _classes(path, document, result)
    found: dict[str, dict[str, None]] = {}
    lost, unknown = Tally(), Tally()
    for place, entry in entries_of(path, document, "annotations", result.problems):
        image = images.find(entry.get("image_id"))
        name = classes.find(entry.get("category_id"))
        if image is None:
            lost.add(f"{place}, image_id {shown(entry.get('image_id'))}")
            continue
        image.objects += 1
        if name is None:
            unknown.add(f"{place}, category_id {shown(entry.get('category_id'))}")
        elif image.is_clear:
            found.setdefault(image.picture, {})[name] = None
    result.problems += of_unlisted_images(path, lost) + _of_unlisted_categories(path, unknown)
    return found


def _classes(path: str, document: Mapping[str, Any], result: ToolDocument) -> IdTable[str]:
    """Return the names of the categories by their ids.

    Raises:
        BadDataError: Two of them have the same id.
    """
    found: IdTable[str] = IdTable()
    for number, name, _ in listed_categories(path, document, result.problems, result.warnings):
        if (known := found.listed(number)) is None:
            found.add(number, name)
        elif known != name:
            raise BadDataError(message("two of its categories have the id {id}", id=number))
    return found


def _of_unlisted_categories(path: str, unknown: Tally) -> list[LeftOut]:
    """Return a report about annotations of categories that a file does not list; none for none."""
    if not unknown:
        return []
    reason = message(
        "left out {count} annotations of categories that it does not list; the first is {first}",
        one="left out an annotation of a category that it does not list: {first}",
        count=unknown.count,
        first=unknown.first,
    )
    return [LeftOut(path, reason, unknown.count)]
