"""Search for images in the background, with previews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.engine.datasets.decode import describe, load_image, load_parts
from studio.engine.datasets.encoding import stored_and_seen
from studio.engine.datasets.picture_values import needs_reader
from studio.engine.datasets.pixel_sample import format_for_files
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import SourceImage
from studio.engine.datasets.suggestion import color_of
from studio.engine.datasets.survey import SurveyedImage, SurveyQuestion, SurveyResult
from studio.engine.datasets.surveying import survey_elsewhere
from studio.engine.display_mapping import DisplayMapping
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import Cancelled
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import Regions
from studio.engine.tasks.geometry import unpacked
from studio.ui.bridge.background import Background
from studio.ui.bridge.request import Request, RequestProgress
from studio.ui.language import translated
from studio.ui.pages.datasets.sample_grid import Sample
from studio.ui.tasks import view_of
from studio.ui.tasks.targets import TargetTable
from studio.ui.widgets.overlay import (
    Overlay,
    OverlayStyle,
    painted,
)
from studio.ui.widgets.pictures import to_image
from studio.ui.widgets.region_overlays import overlay_of_regions


@dataclass(frozen=True, slots=True)
class Preview:
    """One of the images found: its place, picture or problem, and its class or targets.

    Attributes:
        regions: Regions of the whole picture, see `packed`; empty if there are none.
    """

    path: Path
    item: SourceImage
    data: bytes
    before: QImage
    problem: str = ""
    caption: str = ""
    regions: bytes = b""

    @property
    def text(self) -> str:
        """The class or the targets, or what is wrong with the picture."""
        return f"{self.caption}: {self.problem}" if self.problem else self.caption


@dataclass(frozen=True, slots=True)
class PreviewedImage:
    """A picture after the import.

    Attributes:
        image: Null if it cannot be read.
        overlay: Regions over it that are painted in the size of a widget; None without. Others
            are painted already.
        packed: Bytes that a PNG or a JPEG of it takes; 0 where raw pixels are kept.
    """

    image: QImage
    packed: int = 0
    overlay: Overlay | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(SurveyResult):
    """The images found in one or more locations.

    Attributes:
        previews: Some of the images.
        samples: Random images with their annotations, if the images were examined.
        is_proposed: Size, color and task are proposals.
    """

    previews: list[Preview]
    is_proposed: bool
    samples: list[Sample] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """Names of the classes."""
        return [each.name for each in self.classes]

    @property
    def colors(self) -> list[str]:
        """Colors of the classes of masks or boxes."""
        return [each.color for each in self.classes]


PREVIEWS = 4
# Side of the "before" pictures in pixels: twice what they are shown at.
BEFORE = 288


def find_images(
    recipe: DatasetRecipe,
    search: RequestProgress,
    known: Found | None = None,
    *,
    suggest: bool = True,
    first: int = 0,
    examine: bool = False,
) -> Found:
    """Find the images that a recipe would import.

    Args:
        recipe: Places and filters.
        search: Receives the progress, and can cancel.
        known: The result with other settings, whose pictures are reused.
        suggest: Propose a size and a color instead of those of the recipe.
        first: Number of the first place with previews.
        examine: Decode all images, and return the summary of their import with a random sample.

    Raises:
        StudioError: There is nothing to import.
        Cancelled: Through `search`.
    """
    # An unreadable one is read again: the new settings may allow it.
    previews = known.previews if known and not any(each.problem for each in known.previews) else []
    question = SurveyQuestion(
        recipe,
        suggest,
        examine,
        first,
        PREVIEWS,
        [index.path for index in known.locations] if known else [],
        [(str(each.path), each.item.key, each.item.position) for each in previews],
    )
    found = survey_elsewhere(question, search)
    if known is not None:
        found = replace(found, columns=known.columns)
    result = Found(
        **{
            **{each.name: getattr(found, each.name) for each in fields(found)},
            "warnings": [*map(translated, dict.fromkeys([*search.warnings, *found.warnings]))],
        },
        previews=_captioned([_preview(image, previews) for image in found.images], found),
        is_proposed=suggest,
    )
    if not examine:
        return result
    samples = [Sample(annotated_picture(each, result), each.text) for each in result.previews]
    return replace(result, samples=samples)


def results_of(found: Found, recipe: DatasetRecipe) -> list[PreviewedImage]:
    """Apply a recipe to each preview; masks and boxes lie over the pictures."""
    recipe = _resolved(recipe, [each.data for each in found.previews if not each.problem])
    return [
        PreviewedImage(QImage()) if preview.problem else _result(preview, recipe, found)
        for preview in found.previews
    ]


def _result(preview: Preview, recipe: DatasetRecipe, found: Found) -> PreviewedImage:
    if not preview.regions:
        return _decoded(preview.data, recipe)[0]
    regions = unpacked(preview.regions)
    try:
        parts = load_parts(
            BytesIO(preview.data), recipe, lambda _size: regions, [preview.item.tile]
        )
        pixels, fitted = next(iter(parts))
    except (BadDataError, OSError):
        return PreviewedImage(QImage())
    image = to_image(pixels, DisplayMapping.of(recipe.pixel_format))
    if fitted is None:
        return PreviewedImage(image)
    overlay = _overlay(fitted, (recipe.width, recipe.height), found, recipe)
    if overlay is None or overlay.is_scaled:
        return PreviewedImage(image, overlay=overlay)
    return PreviewedImage(painted(image, overlay, OverlayStyle()))


def annotated_picture(preview: Preview, found: Found) -> QImage:
    """Return the original picture of a preview with its mask or its boxes."""
    overlay: Overlay | None = None
    if preview.regions and preview.data:
        width, height, _ = describe(BytesIO(preview.data))
        overlay = _overlay(unpacked(preview.regions), (width, height), found, found.recipe)
    return painted(preview.before, overlay, replace(OverlayStyle(), has_tags=False))


def _overlay(
    regions: Regions, size: tuple[int, int], found: Found, recipe: DatasetRecipe
) -> Overlay | None:
    part = TASKS[recipe.task].geometry.part_type
    return overlay_of_regions(part, regions, size, found.names, found.colors)


def _captioned(previews: Sequence[Preview], found: SurveyResult) -> list[Preview]:
    """Add the class or the targets to each preview."""
    values = np.array([image.values for image in found.images])
    task = TASKS[found.recipe.task]
    units = [output.unit for output in found.classes]
    names = [output.name for output in found.classes]
    targets = TargetTable(task, names, units, values)
    view = view_of(task)
    captions = (view.caption(targets, row) for row in range(len(previews)))
    return [
        replace(each, caption=caption or each.item.class_name)
        for each, caption in zip(previews, captions, strict=True)
    ]


def _preview(image: SurveyedImage, known: Sequence[Preview]) -> Preview:
    path, item = Path(image.location), image.item
    if image.is_known:
        for each in known:
            if (each.path, each.item.key, each.item.position) == (path, item.key, item.position):
                return replace(each, item=item)
    if image.problem:
        return Preview(path, item, b"", QImage(), translated(image.problem))
    try:
        width, height, _ = describe(BytesIO(image.data))
    except (BadDataError, OSError) as error:
        return Preview(path, item, b"", QImage(), translated(str(error)))
    # Squash into its own shape: the picture as it is, upright, smaller.
    scale = min(1.0, BEFORE / max(width, height))
    size = {"width": max(1, round(width * scale)), "height": max(1, round(height * scale))}
    data = BytesIO(image.data)
    color = color_of(data) if needs_reader(data) else "rgb"
    recipe = DatasetRecipe.parse({"source": "", "color": color, **size})
    result, problem = _decoded(image.data, _resolved(recipe, [image.data]))
    return Preview(path, item, image.data, result.image, problem, regions=image.regions)


def _resolved(recipe: DatasetRecipe, files: Sequence[bytes]) -> DatasetRecipe:
    """Return a recipe with the number format of some pictures, if its value range fits them."""
    try:
        return format_for_files(recipe, files)
    except StudioError:
        return recipe  # the import will say so


def _decoded(data: bytes, recipe: DatasetRecipe) -> tuple[PreviewedImage, str]:
    try:
        stored, pixels = stored_and_seen(load_image(BytesIO(data), recipe), recipe)
        packed = 0 if recipe.encoding == "raw" else stored.nbytes
        return PreviewedImage(to_image(pixels, DisplayMapping.of(recipe.pixel_format)), packed), ""
    except (BadDataError, OSError) as error:
        return PreviewedImage(QImage()), translated(str(error))


class Survey(QObject):
    """Finds in the background the images that a recipe would import.

    Signals:
        found: A `Found`.
        refused: A `StudioError` if there is nothing to import; None if the search was canceled or
            failed with an error shown elsewhere.
        advanced: See `Request.advanced`.
    """

    found = Signal(object)
    refused = Signal(object)
    advanced = Signal(object, object, str)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._search = Request(background, self)
        self._search.advanced.connect(self.advanced)

    def inspect(
        self,
        recipe: DatasetRecipe,
        known: Found | None = None,
        *,
        suggest: bool = False,
        first: int = 0,
        examine: bool = False,
    ) -> None:
        """Start a search; see `find_images`."""
        work = partial(
            find_images, recipe, known=known, suggest=suggest, first=first, examine=examine
        )
        self._search.track(work, self.found.emit, self._on_failed)

    def cancel(self) -> None:
        """Cancel the search; `refused` follows."""
        self._search.stop()

    def forget(self) -> None:
        """Cancel the search; no signal follows."""
        self._search.drop()

    def _on_failed(self, error: BaseException) -> None:
        known = isinstance(error, StudioError)
        if not known and not isinstance(error, Cancelled):
            self._background.failed.emit(error)
        self.refused.emit(error if known else None)
