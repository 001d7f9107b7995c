"""Positions of the images of a dataset on the earth, as stated by their source files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from studio.engine.errors import BadDataError
from studio.engine.files import read_failure, write_atomically
from studio.engine.pictures.info import Affine, Georeference
from studio.engine.tasks.placement import Framing, Tile, placement

POSITIONS_NAME: Final = "positions.json"


class _Document(BaseModel):
    """Content of the file.

    Attributes:
        systems: Coordinate reference systems.
        images: Row of each image, index of its system, and its transform.
    """

    systems: list[str]
    images: list[tuple[int, int, Affine]]


def position_in_dataset(
    georeference: Georeference, full: tuple[int, int], tile: Tile | None, framing: Framing
) -> Georeference:
    """Return the position of an image that a picture, or a part of it, was converted to.

    Args:
        georeference: Position of the picture.
        full: Its width and height in pixels.
        tile: The part; None for all of it.
        framing: Size of the image and way of resizing.
    """
    left, top, *size = tile or (0, 0, *full)
    place = placement((size[0], size[1]), (framing.width, framing.height), framing.resize)
    across, down = place.scale
    x = left + place.box[0] - place.corner[0] / across
    y = top + place.box[1] - place.corner[1] / down
    a, b, c, d, e, f = georeference.transform
    transform = (a / across, b / down, a * x + b * y + c, d / across, e / down, d * x + e * y + f)
    return Georeference(georeference.crs, transform)


def write_positions(folder: Path, positions: Mapping[int, Georeference]) -> None:
    """Write the positions of the images of a dataset, if there are any.

    Args:
        folder: Folder of the dataset.
        positions: Position of each image that has one, by row.

    Raises:
        DiskFullError: No space was left.
    """
    if not positions:
        return
    systems = list(dict.fromkeys(each.crs for each in positions.values()))
    images = [
        (row, systems.index(each.crs), each.transform) for row, each in sorted(positions.items())
    ]
    document = _Document(systems=systems, images=images)
    write_atomically(folder / POSITIONS_NAME, document.model_dump_json() + "\n")


def read_positions(folder: Path) -> dict[int, Georeference]:
    """Read the positions of the images of a dataset by row; empty if it has none.

    Args:
        folder: Folder of the dataset.

    Raises:
        BadDataError: The file is damaged.
    """
    path = folder / POSITIONS_NAME
    try:
        document = _Document.model_validate_json(path.read_bytes())
        return {
            row: Georeference(document.systems[system], transform)
            for row, system, transform in document.images
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError, IndexError) as error:
        raise BadDataError(
            "The positions of the images in {path} cannot be read: {reason}.",
            "Import the dataset again.",
            str(path),
            path=path,
            reason=read_failure(error),
        ) from error
