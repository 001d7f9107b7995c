"""Classification of file and folder names: images, splits, hidden files."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.base import IMAGE_SUFFIXES, safe_text
from studio.engine.datasets.sources.shared.layout import folders_of, layout_of
from studio.engine.errors import UnlabeledError
from studio.engine.files import natural_key
from studio.engine.messages import Text, joined, message
from studio.engine.web.address import address_of

_NO_ANNOTATIONS = frozenset({".md", ".pdf", ".py", ".ipynb", ".html", ".doc", ".docx", ".log"})
"""Suffixes of files that have no annotations."""
_NOTES = re.compile(r"(readme|license|licence|citation|changelog|requirements)\b")
_MOST_SHOWN = 6
_OF_ONE_SUFFIX = 2
_TABLES = (".csv", ".tsv", ".parquet")
_ONE_FOLDER_EACH = "Put the images of each class into a separate folder, inside one folder."
_FIRST_WORDS = re.compile(r"([^\W\d_]+(?:[ _-][^\W\d_]+){0,5})[ ._-]*\d")
"""Words at the beginning of a name that ends with a number: "cat.12", "golden_retriever_3"."""
_COPY = re.compile(
    r"(?P<of>.*[^/ _.-])[ _.-]{1,3}"
    r"(?:mask|masks|seg|segmentation|matte|gt|label|labels|thumb|thumbnail)(?:[ _.-]?\d{1,3})?",
    re.IGNORECASE,
)
"""Path of a mask or thumbnail without its suffix, and of the image that it belongs to."""


def take_found(
    path: Path, scan: base.Scan, found: Sequence[base.SourceImage], options: base.SourceOptions
) -> None:
    """Add images to a scan, by class and split derived from their keys.

    Args:
        path: The source.
        scan: Receives the images, and the reasons why others are left out.
        found: The images, in natural order of their keys.
        options: The required number of classes.

    Raises:
        StudioError: There are too few classes, or the folders cannot be understood.
    """
    source = address_of(path) or path
    folder_of = _folders_of(found)
    layout = layout_of([folder_of[item.key.rpartition("/")[0]] for item in found], source)
    places = {folder: layout.place(parts) for folder, parts in folder_of.items()}
    for item in found:
        place = places[item.key.rpartition("/")[0]]
        if place.class_name is None:
            scan.problems.append(base.Skipped(safe_text(item.key), place.reason))
        else:
            scan.items.append(replace(item, class_name=place.class_name, split=place.split))
    scan.warnings += layout.warnings
    scan.warnings += _copy_warnings(item.key for item in scan.items)
    scan.warnings += _copied_folders(item.key for item in scan.items)
    if found and not scan.items:
        left = [each.path for each in scan.problems]
        tables = [path for path in left if path.casefold().endswith(_TABLES)]  # named elsewhere
        others = about_unread(possible_annotations({*left} - {*tables}))
        raise UnlabeledError(
            "{source} contains {count} images, but no class folders.",
            joined([_ONE_FOLDER_EACH, *_about_names([item.key for item in found]), *others]),
            "source",
            source=source,
            count=len(found),
        )
    base.complete_scan(path, scan, options, known_images())


def possible_annotations(paths: Iterable[str]) -> list[str]:
    """Return some of the files that may have annotations: no images, notes and programs.

    Args:
        paths: Paths of files; two of each suffix are returned, those near the root first.
    """
    found: dict[str, list[str]] = {}
    for path in sorted(paths, key=lambda path: (path.count("/"), natural_key(path))):
        suffix = PurePosixPath(path).suffix.casefold()
        is_other = looks_like_image(path) or suffix in _NO_ANNOTATIONS or not suffix
        if not is_other and not _NOTES.match(PurePosixPath(path).name.casefold()):
            found.setdefault(suffix, []).append(path)
    return [path for group in found.values() for path in group[:_OF_ONE_SUFFIX]][:_MOST_SHOWN]


def about_unread(paths: Sequence[str]) -> list[Text]:
    """Return a sentence about files that may have annotations; nothing without files."""
    if not paths:
        return []
    files = ", ".join(map(safe_text, paths))
    return [message("Files there that are not read: {files}.", files=files)]


def _about_names(keys: Sequence[str]) -> list[Text]:
    """Return a sentence if the names of files begin with words that may be classes.

    Args:
        keys: Paths of the images.
    """
    found = [
        (key, match[1]) for key in keys if (match := _FIRST_WORDS.match(PurePosixPath(key).stem))
    ]
    words = {word.casefold() for _, word in found}
    if len(found) < len(keys) or not 2 <= len(words) <= len(keys) // 2:
        return []
    key, word = found[0]
    return [
        message(
            "If the names of the files begin with the classes, as {file} with “{word}”, write a "
            "table with the columns path and label, and import that file.",
            file=safe_text(key),
            word=safe_text(word),
        )
    ]


def _copy_warnings(keys: Iterable[str]) -> list[Text]:
    """Return a sentence if images are called like masks or thumbnails of others beside them."""
    by_stem = {key.rpartition(".")[0]: key for key in keys}
    copies = {
        key: by_stem[named["of"]]
        for stem, key in by_stem.items()
        if (named := _COPY.fullmatch(stem)) is not None and named["of"] in by_stem
    }
    if not copies:
        return []
    copy, of = next(iter(copies.items()))
    return [
        message(
            "{count:,} images of classes are called like masks or thumbnails of others: {copy} "
            "beside {of}. If they are no images of their class, move them elsewhere.",
            one="An image of a class is called like a mask or thumbnail of another: {copy} beside "
            "{of}. If it is no image of its class, move it elsewhere.",
            count=len(copies),
            copy=safe_text(copy),
            of=safe_text(of),
        )
    ]


def _copied_folders(keys: Iterable[str]) -> list[Text]:
    """Return a sentence if a folder has the names of images of several folders beside it.

    Names of classes such as 1.jpg, which several others have as well, say nothing.
    """
    names: defaultdict[str, set[str]] = defaultdict(set)
    for key in keys:
        folder, _, name = key.rpartition("/")
        names[folder].add(PurePosixPath(name).stem)
    beside: defaultdict[str, list[str]] = defaultdict(list)
    for folder in names:
        beside[folder.rpartition("/")[0]].append(folder)
    for folders in beside.values():
        counts = Counter(name for folder in folders for name in names[folder])
        shared = {name for name, count in counts.items() if count > 1}
        for folder in folders:
            # The others have no name in common, and several have names of this one.
            is_copy = names[folder] == shared and max(counts.values()) == 2
            of = [each for each in folders if each != folder and names[each] & shared]
            if is_copy and len(of) > 1:
                return [
                    message(
                        "The {count:,} images in {folder} have the names of images in other "
                        "folders, such as {of}. If they are copies or masks of them, and no "
                        "class, move the folder elsewhere.",
                        count=len(shared),
                        folder=safe_text(folder),
                        of=safe_text(of[0]),
                    )
                ]
    return []


def _folders_of(found: Iterable[base.SourceImage]) -> dict[str, tuple[str, ...]]:
    keys = {item.key.rpartition("/")[0]: item.key for item in found}
    return {folder: folders_of(key) for folder, key in keys.items()}


_UNREAD_SUFFIXES = frozenset(
    {
        *(".heic", ".heif", ".avif", ".hif", ".jxl", ".jp2", ".j2k", ".jpx", ".jxr", ".tga"),
        *(".dng", ".cr2", ".cr3", ".crw", ".nef", ".nrw", ".arw", ".orf", ".rw2", ".raf"),
        *(".pef", ".srw", ".raw", ".psd", ".psb", ".xcf", ".svg", ".svgz", ".ai", ".eps"),
        *(".ico", ".icns", ".exr", ".hdr", ".pcx", ".dds", ".nii", ".mha"),
        *(".czi", ".nd2", ".lif", ".ndpi", ".fits", ".fit"),
        *(".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".wmv", ".3gp"),
    }
)
"""Photographs of telephones and cameras, drawings, scans of medicine and microscopes, videos."""
_ARCHIVES = frozenset(
    {".zip", ".tar", ".tgz", ".gz", ".bz2", ".tbz2", ".xz", ".txz", ".7z", ".rar"}
)
_JUNK = frozenset(
    {
        *("__macosx", "thumbs.db", "desktop.ini", "$recycle.bin"),
        *("@eadir", "#recycle", "lost+found", "__pycache__"),
    }
)
"""Files and folders of systems and of network storage, such as its small previews."""


def is_hidden(name: str) -> bool:
    """Return True for hidden and system files and folders."""
    return name.startswith(".") or name.casefold() in _JUNK


def looks_like_image(name: str) -> bool:
    """Return True if a file has the name of an image."""
    return PurePosixPath(name).suffix.casefold() in IMAGE_SUFFIXES


def not_an_image(name: str) -> str:
    """Reason why a file whose name is not that of an image is skipped."""
    suffix = safe_text(PurePosixPath(name).suffix)
    if not suffix:
        return "not an image"
    if is_unread_picture(name):
        return message(
            'unsupported image format: "{suffix}"; convert it to PNG or JPEG', suffix=suffix
        )
    if suffix.casefold() in _ARCHIVES:
        return message("an archive inside of the source is not read; unpack it, or import it")
    return message('unsupported image format: "{suffix}"', suffix=suffix)


def is_unread_picture(name: str) -> bool:
    """Return True if a file has the name of a picture or video of a format that is not read."""
    return PurePosixPath(name).suffix.casefold() in _UNREAD_SUFFIXES


def unread_picture_warnings(paths: Iterable[str]) -> list[Text]:
    """Return a sentence if pictures are left out because of their format.

    Args:
        paths: Paths of all files that are left out.
    """
    suffixes = Counter(
        PurePosixPath(path).suffix.casefold() for path in paths if is_unread_picture(path)
    )
    if not suffixes:
        return []
    return [
        message(
            "Images and videos in formats that are not read: {count:,} ({suffixes}). Convert "
            "them to PNG or JPEG, and import again.",
            count=suffixes.total(),
            suffixes=", ".join(sorted(suffixes)),
        )
    ]


def known_images() -> str:
    """Return a hint that lists the suffixes of images."""
    return message(
        "Images are files that end in {suffixes}.", suffixes=", ".join(sorted(IMAGE_SUFFIXES))
    )
