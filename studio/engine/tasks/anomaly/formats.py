"""Folders of good images and of kinds of defects, as MVTec AD has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import PurePosixPath
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, as_message, message
from studio.engine.picture_files import opened_picture
from studio.engine.progress import Progress
from studio.engine.registry import Registry
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotatedPicture,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    LeftOut,
    Mask,
    MaskAnnotations,
    Remark,
    Tree,
    WritableFormat,
    require_size,
)
from studio.engine.tasks.anomaly.geometry import GEOMETRY
from studio.engine.tasks.anomaly.task import DEFECT, GOOD
from studio.engine.tasks.split_words import split_of

_GOOD_NAMES: Final = frozenset({"good", "normal", "ok", "pass", "nominal"})
_MASK_NAMES: Final = frozenset({"ground_truth", "masks", "mask", "ground truth"})
_COLOR, _POINTS, _TRUTH = "rgb", "xyz", "gt"
"""Folders inside those of a kind, as in MVTec 3D-AD: images, points in space, and masks."""
_NO_IMAGE: Final = "its pixels are points in space; the image in the folder “rgb” is used"
_MASK_ENDINGS: Final = ("", "_mask", "_gt")
TEST_EVERY: Final = 5
"""One good image in this number tests the network where folders name no splits."""
FEWEST_TO_SPLIT: Final = 10
"""Good images of which some test the network."""
_MOST_CLASSES: Final = 16
"""Values of a mask whose numbers are classes; more are the shades of a lossy compression."""


def has_meaning(folder: str) -> bool:
    """Return True if the name of a folder means good images, masks or a split, not a kind."""
    return folder.casefold() in _GOOD_NAMES | _MASK_NAMES or bool(split_of(folder))


_Key = tuple[str, str, str]
"""Product, kind and name of an image."""


@dataclass(frozen=True, slots=True)
class _Found:
    """An image.

    Attributes:
        path: Its path.
        folder: Name of the folder of its kind; empty where there is none.
        split: Split that a folder names; empty for none.
        product: Path of the folder that its splits or kinds are in.
    """

    path: str
    folder: str
    split: str
    product: str

    @property
    def is_good(self) -> bool:
        """True if its folder says that it has no defect."""
        return self.folder.casefold() in _GOOD_NAMES


@dataclass(slots=True, kw_only=True)
class DefectMasks(MaskAnnotations):
    """Masks of defects; an annotation is the number of the kind, and the path of its mask.

    Attributes:
        files: The masks.
        others: Further masks of the same image by the path of its first one.
    """

    files: Tree
    others: Mapping[str, Sequence[str]] = field(default_factory=dict)
    can_rename: bool = field(default=False)

    def mask(self, annotation: str, size: tuple[int, int]) -> tuple[Mask, list[Remark]]:
        """Return the mask of an image, all of it where a defect has no mask.

        Args:
            annotation: Number and path, see above.
            size: Width and height of the image in pixels.

        Raises:
            BadDataError: The mask cannot be read, or has another size.
        """
        number, _, path = annotation.partition(":")
        kind = int(number)
        if not path:
            return np.full(size[::-1], kind, np.uint8), []
        marked = np.zeros(size[::-1], np.bool_)
        for each in (path, *self.others.get(path, ())):
            marked |= self._part(each, size)
        return (marked * np.uint8(kind)).astype(np.uint8), []

    def _part(self, path: str, size: tuple[int, int]) -> NDArray[np.bool_]:
        try:
            with opened_picture(BytesIO(self.files.read(path))) as image:
                require_size(image.size, size)
                marked = _marked(np.asarray(image.convert("L")), is_lossy=image.format == "JPEG")
        except BadDataError as error:
            raise BadDataError(
                "its mask {file} cannot be used: {reason}",
                file=path,
                reason=as_message(error.message),
            ) from error
        if not marked.any():
            raise BadDataError("its mask {file} marks no defect", file=path)
        return marked


class AnomalyFolders(AnnotationFormat):
    """Folders `train/good`, `test/good`, `test/<kind>` and masks in `ground_truth/<kind>`.

    As in MVTec 3D-AD, images and masks may be in `<kind>/rgb` and `<kind>/gt`.

    An image may have a folder of masks, as in MVTec LOCO: `ground_truth/<kind>/000/000.png`.
    A folder of good images alone is read as well, and folders of kinds beside one called `good`.
    """

    name = "anomaly_folders"
    label = "Folders of good images and kinds of defects"
    split_origin = "folders"

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True for any images: where no folder says otherwise, all are good."""
        return bool(_pictures(files.images))

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if folders tell good images from defects in a way of this task alone.

        All training images are good and test images have kinds of defects, or some kinds beside
        good images have masks in a folder of their name.
        """
        found = _pictures(files.images)
        folders = {each.folder for each in found if each.folder and not each.is_good}
        if any(each.is_good for each in found) and any(
            kind in folders for keys, _ in _masks(files.labels) for _, kind, _ in keys
        ):
            return True
        training = [each for each in found if each.split == "train"]
        test = [each for each in found if each.split == "test"]
        kinds = {each.folder for each in test if each.folder and not each.is_good}
        return bool(training and kinds) and all(each.is_good for each in training)

    def read(
        self,
        files: AnnotatedFiles,
        options: AnnotationOptions,  # noqa: ARG002 - folders name the kinds
        progress: Progress,  # noqa: ARG002 - nothing is opened
    ) -> Annotations:
        """Find the images, their kinds and masks; see `AnnotationFormat.read`."""
        found = _pictures(files.images)
        _require_one_product(found, files.images.location)
        found, unnamed = _named_good(found, files.images.location)
        kinds = sorted({each.folder for each in found if not each.is_good})
        names = (GOOD, *(kinds or (DEFECT,)))
        masks, unused = _by_image(found, _masks(files.labels))
        found, notes = _with_test(found)
        pictures = []
        for each in found:
            number = 0 if each.is_good else names.index(each.folder)
            mask = masks.get(each.path, [""])[0]
            annotation = f"{number}:{mask}" if number else "0:"
            pictures.append(AnnotatedPicture(each.path, annotation, each.split or None))
        return DefectMasks(
            pictures=pictures,
            names=names,
            colors=GEOMETRY.colors(names),
            problems=[
                *unnamed,
                *unused,
                *(LeftOut(path, _NO_IMAGE) for path in _points(files.images)),
            ],
            warnings=[*notes, *_without_masks(pictures)],
            files=files.labels,
            others={first: others for first, *others in masks.values()},
        )


def _marked(values: Mask, *, is_lossy: bool) -> NDArray[np.bool_]:
    """Return the marked pixels: all but 0, or the brighter half where values are blurred.

    Args:
        values: Gray values of a mask.
        is_lossy: True if its compression changes values.
    """
    highest = int(values.max(initial=0))
    is_blurred = is_lossy or len(np.unique(values)) > _MOST_CLASSES
    least = max(1, (highest + 1) // 2 if is_blurred else 1)
    marked: NDArray[np.bool_] = values >= least
    return marked


def _pictures(tree: Tree) -> list[_Found]:
    """Return the images, without masks."""
    named = _folders(tree)
    images = [(path, folders) for path, folders in named if _mask_folder(folders) is None]
    around = _around([folders for _, folders in images])
    found = []
    for path, folders in images:
        splits = [at for at, each in enumerate(folders) if split_of(each)]
        kinds = [at for at in range(around, len(folders)) if at not in splits]
        found.append(
            _Found(
                path,
                folders[kinds[-1]] if kinds else "",
                (split_of(folders[splits[0]]) or "") if splits else "",
                "/".join(folders[: min([*splits[:1], *kinds[-1:]], default=len(folders))]),
            )
        )
    return found


def _folders(tree: Tree) -> list[tuple[str, tuple[str, ...]]]:
    """Return the pictures and their folders, those of MVTec 3D-AD as those of MVTec AD."""
    points = {*_points(tree)}
    found = [(path, PurePosixPath(path).parts[:-1]) for path in tree.pictures]
    kinds = _with_points(found)
    return [
        (path, _flat(folders) if folders[:-1] in kinds else folders)
        for path, folders in found
        if path not in points
    ]


def _points(tree: Tree) -> list[str]:
    """Return pictures whose pixels are points in space: those beside a folder "rgb"."""
    found = [(path, PurePosixPath(path).parts[:-1]) for path in tree.pictures]
    kinds = _with_points(found)
    return [
        path for path, folders in found if folders[-1:] == (_POINTS,) and folders[:-1] in kinds
    ]


def _with_points(found: Sequence[tuple[str, tuple[str, ...]]]) -> set[tuple[str, ...]]:
    """Return the folders of kinds whose images are in a folder "rgb"."""
    return {
        folders[:-1]
        for _, folders in found
        if folders[-1:] == (_COLOR,) and folders[1:] and not split_of(folders[-2])
    }


def _flat(folders: tuple[str, ...]) -> tuple[str, ...]:
    """Return the folders of MVTec AD for those of MVTec 3D-AD."""
    *above, kind, last = folders
    if last == _COLOR:
        return (*above, kind)
    return (*above, "ground_truth", kind) if last == _TRUTH else folders


def _around(paths: Sequence[tuple[str, ...]]) -> int:
    """Return how many folders are around everything, and name no split and no good images."""
    if not paths:
        return 0
    first = paths[0]
    for at, name in enumerate(first):
        is_shared = all(len(each) > at and each[at] == name for each in paths)
        if not is_shared or split_of(name) or name.casefold() in _GOOD_NAMES:
            return at
    return len(first)


def _mask_folder(folders: Sequence[str]) -> int | None:
    """Return the position of the folder of masks, None without one."""
    return next((at for at, each in enumerate(folders) if each.casefold() in _MASK_NAMES), None)


def _require_one_product(found: Sequence[_Found], location: str) -> None:
    """Require training images of one product: a network learns one.

    Raises:
        StudioError: There are several, as in the whole of MVTec AD.
    """
    products = sorted({each.product for each in found if each.split == "train" and each.is_good})
    if len(products) > 1:
        raise StudioError(
            "{location} has good images of {count} products: {products}.",
            "Import the folder of one product.",
            "source",
            location=location,
            count=len(products),
            products=", ".join(each or "." for each in products[:8]),
        )


def _named_good(found: Sequence[_Found], location: str) -> tuple[list[_Found], list[LeftOut]]:
    """Return the images with one name for good ones, and those of which nothing is known.

    The images of a lone folder are good, and images of a training split that has no folders.

    Raises:
        StudioError: There are several folders, and no name says which one has the good images.
    """
    if any(each.is_good for each in found):
        known = [each for each in found if each.folder or each.split == "train"]
        unnamed = [
            LeftOut(each.path, "no folder says that it is good or what defect it has")
            for each in found
            if not each.folder and each.split != "train"
        ]
        return [replace(each, folder=each.folder or GOOD) for each in known], unnamed
    folders = list(dict.fromkeys(each.folder for each in found))
    if len(folders) > 1:
        raise StudioError(
            "No folder in {location} is called “good”; there are {folders}.",
            "Call the folder of the images without defects “good”, or name the good classes "
            "(--good).",
            "source",
            location=location,
            folders=", ".join([name for name in folders if name][:8]),
        )
    return [replace(each, folder=GOOD) for each in found], []


def _with_test(found: list[_Found]) -> tuple[list[_Found], list[Text]]:
    """Keep defects, and some good images, for the test where no folder names splits."""
    good = [each for each in found if each.is_good]
    if len(good) == len(found) or any(each.split for each in found):
        return found, []
    chosen = set(good[::TEST_EVERY]) if len(good) >= FEWEST_TO_SPLIT else set()
    kept = [
        replace(each, split="test") if not each.is_good or each in chosen else each
        for each in found
    ]
    return kept, [
        message(
            "All images with defects ({defects}) and some good images ({good}) are for the test: "
            "training needs good images only.",
            defects=len(found) - len(good),
            good=len(chosen),
        )
    ]


def _masks(tree: Tree) -> list[tuple[list[_Key], str]]:
    """Return the masks with the product, kind and name that their image may have.

    The second, if any, is that of the image whose name their folder has.
    """
    found = []
    for path, folders in _folders(tree):
        at = _mask_folder(folders)
        if at is not None:
            before = [split for split, each in enumerate(folders[:at]) if split_of(each)]
            product = "/".join(folders[: min([*before, at])])
            keys = [(product, folders[-1], _name(path))]
            if len(folders) > at + 2:
                keys.append((product, folders[-2], _without_ending(folders[-1])))
            found.append((keys, path))
    return found


def _by_image(
    found: Sequence[_Found], masks: Sequence[tuple[list[_Key], str]]
) -> tuple[dict[str, list[str]], list[LeftOut]]:
    """Return the masks by the paths of their images, and those that are not used.

    Where images and masks are each in one folder, they belong together, wherever it is.

    Args:
        found: The images.
        masks: See `_masks`.
    """
    products = {each.product for each in found}, {keys[0][0] for keys, _ in masks}
    is_one = all(len(each) <= 1 for each in products)
    images = {
        ("" if is_one else each.product, each.folder, _name(each.path)): each.path
        for each in found
        if not each.is_good
    }
    used: dict[str, list[str]] = {}
    unused = []
    for keys, path in masks:
        owners = [
            images.get(("" if is_one else product, kind, name)) for product, kind, name in keys
        ]
        image = next((each for each in owners if each), None)
        if image is None and keys[0][1].casefold() in _GOOD_NAMES:
            unused.append(LeftOut(path, "its image is good, and needs no mask"))
        elif image is None:
            unused.append(LeftOut(path, "no image belongs to this mask"))
        elif owners[0] and image in used:
            reason = message("its image has the mask {file} already", file=used[image][0])
            unused.append(LeftOut(path, reason))
        else:
            used.setdefault(image, []).append(path)
    return used, unused


def _name(path: str) -> str:
    """Return the name of the image of a mask, or of an image."""
    return _without_ending(PurePosixPath(path).stem)


def _without_ending(stem: str) -> str:
    return next(stem.removesuffix(each) for each in _MASK_ENDINGS[::-1] if stem.endswith(each))


def _without_masks(pictures: Sequence[AnnotatedPicture]) -> list[Text]:
    """Say how many defects have no mask, if some have one."""
    masked = Counter(
        not each.annotation.endswith(":") for each in pictures if each.annotation != "0:"
    )
    if not masked[True] or not masked[False]:
        return []
    return [
        message(
            "{count} images with defects have no mask; they count in metrics of images only.",
            one="{count} image with a defect has no mask; it counts in metrics of images only.",
            count=masked[False],
        )
    ]


FORMATS: Registry[AnnotationFormat] = Registry("annotation format", [AnomalyFolders()])
WRITABLE: Registry[WritableFormat] = Registry("annotation format", [])
