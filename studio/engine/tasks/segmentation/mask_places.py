"""Places of pictures and masks: how their folders and files are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from string import digits

from studio.engine.files import composed
from studio.engine.tasks.annotations import AnnotatedFiles
from studio.engine.tasks.segmentation.array_masks import ARRAY_SUFFIXES
from studio.engine.tasks.split_words import split_of

MASK_WORDS = frozenset(
    {
        *("mask", "masks", "label", "labels", "annotation", "annotations", "annot", "annots"),
        *("anno", "annos", "target", "targets", "seg", "segs", "segmentation", "segmentations"),
        *(
            "segmentationclass",
            "segmentationclasspng",
            "segmentationclassraw",
            "gt",
            "groundtruth",
            "groundtruths",
            "labelids",
            "labelmap",
        ),
        *("labelmaps", "trimap", "trimaps"),
        *("lbl", "lbls", "msk", "msks", "truth", "truths"),
        *("máscara", "máscaras", "mascara", "mascaras", "maske", "masken", "masque", "masques"),
    }
)
"""Words in names of folders with masks, and at an end of names of masks."""
PICTURE_WORDS = frozenset(
    {
        *("image", "images", "img", "imgs", "jpegimages", "input", "inputs", "picture"),
        *("pictures", "photo", "photos", "frame", "frames", "original", "originals"),
        *("imagem", "imagens", "imagen", "imagenes", "imágenes", "bild", "bilder"),
    }
)
CAMVID_END = "_L"
"""End of the names of masks of CamVid, without suffix."""
SEPARATORS = " _-.,(["
"""Signs between the words of a name."""
_BY_PRODUCT = re.compile(r"(?P<of>.+)_(flows|cp_flows|cp_outlines|outlines|cp_output)")
_Y = re.compile(r"(?<![^\W_])y(?![^\W_])")
"""The letter alone in the name of a folder: "Y", "y_train"."""
_MANUAL = re.compile(r"\d+(st|nd|rd|th)?[\W_]*manual|manual[\W_]*\d+", re.IGNORECASE)
"""Folders of masks in DRIVE and HRF, beside which "mask" is the field of view."""

Key = tuple[str, ...]


def separated(files: AnnotatedFiles) -> tuple[Sequence[str], Sequence[str]]:
    """Return the paths of pictures and of masks.

    In one folder they are told apart by their folders, or else by their names. Arrays are masks
    where there are pictures of other kinds.

    Args:
        files: Pictures and masks.
    """
    paths = files.images.pictures
    arrays = [path for path in files.labels.paths if path.casefold().endswith(ARRAY_SUFFIXES)]
    if not files.are_together:
        return paths, [*dict.fromkeys([*files.labels.pictures, *arrays])]
    others = {*arrays}
    ordinary = [path for path in paths if path not in others]
    if ordinary:
        paths = ordinary
    else:
        arrays = []
    masks = [path for path in paths if any(map(is_of_masks, PurePosixPath(path).parts[:-1]))]
    masks = masks or _of_camvid(paths) or _of_y(paths)
    if not masks:
        masks = [path for path in paths if _is_mask_name(PurePosixPath(path).stem)]
    if not (masks or arrays):
        masks = _extended_names(paths)
    others = {*masks, *arrays}
    return [path for path in paths if path not in others], [*masks, *arrays]


def by_products(paths: Iterable[str]) -> list[str]:
    """Return pictures of flows and outlines that Cellpose writes beside its masks.

    Args:
        paths: Pictures and masks.
    """
    known = {_place(path) for path in paths}
    found = ((path, _place(path)) for path in paths)
    return [
        path
        for path, (folder, name) in found
        if (own := _BY_PRODUCT.fullmatch(name)) and (folder, f"{own['of']}_cp_masks") in known
    ]


def pairs_of_x(masks: Iterable[str], pictures: Iterable[str]) -> list[tuple[str, str]]:
    """Return pictures in folders X and masks with the same names in folders Y.

    Args:
        masks: Paths of masks.
        pictures: Paths of pictures.

    Returns:
        The picture and its mask.
    """
    by_place = {_place(path): path for path in pictures}
    found = ((by_place.get(_place_in_x(path)), path) for path in masks)
    return [(picture, mask) for picture, mask in found if picture is not None]


def _of_y(paths: Sequence[str]) -> list[str]:
    """Return the pictures in folders Y, if most have the name of one in a folder X beside it."""
    masks = [path for path in paths if _Y.search(_place(path)[0])]
    return masks if 2 * len(pairs_of_x(masks, paths)) > len(masks) else []


def _place(path: str) -> tuple[str, str]:
    """Return the folder and the name without suffix of a file, for comparison."""
    folder, _, name = composed(path).casefold().rpartition("/")
    return folder, PurePosixPath(name).stem


def _place_in_x(path: str) -> tuple[str, str]:
    folder, name = _place(path)
    return _Y.sub("x", folder), name


def fields_of_view(masks: Iterable[str]) -> dict[str, str]:
    """Return files that are no masks of classes: those in "mask" beside "1st_manual", as in DRIVE.

    Args:
        masks: Paths of masks.

    Returns:
        The folder of the masks of classes by the path of each field of view.
    """
    folder_of = {path: PurePosixPath(path).parent for path in masks}
    manual = {each for each in folder_of.values() if _MANUAL.fullmatch(each.name)}
    beside = {each.parent: each for each in sorted(manual)}
    return {
        path: str(beside[folder.parent])
        for path, folder in folder_of.items()
        if folder not in manual and folder.parent in beside and is_of_masks(folder.name)
    }


@lru_cache(2**17)
def is_of_masks(folder: str) -> bool:
    """Return True if a folder is called as those of masks."""
    plain = _plain(folder)
    is_named = not MASK_WORDS.isdisjoint((*words_of(folder), plain))
    return is_named or bool(_MANUAL.fullmatch(folder) or _split_before(plain))


def is_of_pictures(folder: str) -> bool:
    """Return True if a folder is called as those of pictures."""
    return not PICTURE_WORDS.isdisjoint(words_of(folder))


def words_of(name: str) -> list[str]:
    """Return the words and numbers of a name, in lower case."""
    return re.split(r"[\W_]+", name.casefold())


def folder_key(path: str) -> Key:
    """Return the folders of a path without words such as "images" and "masks"."""
    return _key_of_folder(path.rpartition("/")[0])


@lru_cache(2**17)
def _key_of_folder(folder: str) -> Key:
    shortened = map(_without_words, PurePosixPath(composed(folder)).parts)
    return tuple(each for each in shortened if each)


def _extended_names(paths: Iterable[str]) -> list[str]:
    """Return pictures called like another with one more word: "a_road.png" beside "a.png".

    Such a word must occur at least twice.
    """
    stems = {str(PurePosixPath(path).with_suffix("")) for path in paths}
    found: dict[str, list[str]] = {}
    for path in paths:
        stem, _, word = str(PurePosixPath(path).with_suffix("")).rpartition("_")
        if stem in stems:
            found.setdefault(word.rstrip(digits).casefold(), []).append(path)
    return [path for word, mine in found.items() if word and len(mine) > 1 for path in mine]


def _of_camvid(paths: Iterable[str]) -> list[str]:
    """Return masks called like a picture and "_L", as those in "LabeledApproved_full" are.

    All pictures of a folder must be such masks, and half of the pictures elsewhere have one.
    """
    stems = {PurePosixPath(path).stem for path in paths}
    folders: dict[PurePosixPath, list[str]] = {}
    for path in paths:
        folders.setdefault(PurePosixPath(path).parent, []).append(path)
    masks = [
        path
        for mine in folders.values()
        if all(PurePosixPath(path).stem.endswith(CAMVID_END) for path in mine)
        for path in mine
        if PurePosixPath(path).stem.removesuffix(CAMVID_END) in stems
    ]
    return masks if 3 * len(masks) >= len(stems) else []


def is_camvid(path: str) -> bool:
    """Return True if a mask is called as those of CamVid."""
    return PurePosixPath(path).stem.endswith(CAMVID_END)


def _bare_words(name: str) -> list[str]:
    """Return the words of a name without the numbers at their ends."""
    return [word.rstrip(digits) for word in words_of(name)]


def _is_mask_name(stem: str) -> bool:
    words = _bare_words(stem)
    last = next((word for word in reversed(words) if word), "")  # masks may be numbered
    return last in MASK_WORDS or words[0] in MASK_WORDS


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _without_words(folder: str) -> str:
    """Return the name of a folder without words such as "masks": "train_masks" gives "train"."""
    words = MASK_WORDS | PICTURE_WORDS
    if _plain(folder) in words:
        return ""
    kept = [_split_before(word) or word for word in words_of(folder) if word not in words]
    return folder.casefold() if kept == words_of(folder) else "_".join(kept)


def _split_before(word: str) -> str:
    """Return the split before a word of masks, as in "trainannot" of SegNet; empty for others."""
    starts = (word.removesuffix(end) for end in MASK_WORDS if word.endswith(end))
    return next((start for start in starts if split_of(start)), "")
