"""Pictures and the annotation files that belong to them, matched by their paths."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from studio.engine.files import composed
from studio.engine.messages import Text, message
from studio.engine.tables.pictures import other_case, several, spellings
from studio.engine.tasks.annotation_files.reports import Tally
from studio.engine.tasks.annotations import AnnotatedFiles, LeftOut
from studio.engine.tasks.split_words import split_in

_FOLDERS = frozenset(
    {
        *("image", "images", "img", "imgs", "jpegimages", "image_2", "picture", "pictures"),
        *("photo", "photos", "frame", "frames"),
        *("label", "labels", "label_2", "annotation", "annotations", "annots", "xml", "xmls"),
        *("txt", "txts", "box", "boxes", "bboxes"),
    }
)
"""Names of folders for pictures alone, or for annotations alone."""
_UPLOAD = re.compile(r"^[0-9a-f]{8}-(?=.)")
"""Prefix that Label Studio writes before the name of an uploaded file."""
_DEEPEST = 20
"""Folders of a name that are compared."""
Key = tuple[str, ...]


@dataclass(slots=True)
class Pairs:
    """Pictures and annotation files that belong together.

    Attributes:
        picture_of: The picture of each annotation file, in the order of the files.
        without_file: Pictures without annotation file in folders where others have one.
        without_picture: Annotation files that no picture belongs to.
        problems: Pictures and files that are left out because of their names, and why.
    """

    picture_of: dict[str, str] = field(default_factory=dict)
    without_file: list[str] = field(default_factory=list)
    without_picture: list[str] = field(default_factory=list)
    problems: list[LeftOut] = field(default_factory=list)


def paired(files: AnnotatedFiles, labels: Sequence[str]) -> Pairs:
    """Find the picture of each annotation file.

    Both have the same name and lie beside each other, or in folders for pictures and annotations,
    such as "images" and "labels", above or below folders of splits. A name that occurs once
    among the pictures, and once among the files, is enough.

    Args:
        files: Pictures and annotations.
        labels: Paths of the annotation files.
    """
    result = Pairs()
    pictures = _by_key(files.images.pictures, result.problems)
    names = _once(pictures)
    uploaded = unique((as_uploaded(name), path) for name, path in names.items())
    keys = _by_key(labels, result.problems)
    alone = _once(keys)
    used: set[str] = set()
    for key, path in keys.items():
        picture = pictures.get(key)
        if picture is None and key[-1] in alone:
            picture = names.get(key[-1]) or uploaded.get(upload_of(key[-1]))
        if picture is None or picture in used:
            result.without_picture.append(path)
        else:
            used.add(picture)
            result.picture_of[path] = picture
    folders = {picture.rpartition("/")[0] for picture in used}
    result.without_file = [
        picture
        for picture in pictures.values()
        if picture not in used and picture.rpartition("/")[0] in folders
    ]
    return result


def key_of(path: str) -> Key:
    """Return the common key of a picture and its annotation file: folders and name.

    Folders for pictures alone, or annotations alone, are left out, and so is the suffix. Accents
    have one form.
    """
    *folders, name = PurePosixPath(composed(path)).with_suffix("").parts
    plain = (folder.casefold() for folder in folders)
    return (*(folder for folder in plain if folder not in _FOLDERS), name)


def in_lower_case(key: Key) -> Key:
    """Return a key without capital letters."""
    return tuple(part.casefold() for part in key)


def alone_in_other_case(keys: Iterable[Key]) -> dict[Key, Key]:
    """Return the keys by themselves in lower case, without those that differ in case alone."""
    found: dict[Key, list[Key]] = {}
    for key in keys:
        found.setdefault(in_lower_case(key), []).append(key)
    return {lower: alike[0] for lower, alike in found.items() if len(alike) == 1}


def _by_key(paths: Iterable[str], problems: list[LeftOut]) -> dict[Key, str]:
    found: dict[Key, str] = {}
    for path in paths:
        key = key_of(path)
        if key in found:
            problems.append(
                LeftOut(path, message("it has the same name as {file}", file=found[key]))
            )
        else:
            found[key] = path
    return found


def _once(paths: dict[Key, str]) -> dict[str, str]:
    """Return paths by names that occur once among them."""
    names = Counter(key[-1] for key in paths)
    return {key[-1]: path for key, path in paths.items() if names[key[-1]] == 1}


def unique(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the values of keys that occur once."""
    found: dict[str, list[str]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: values[0] for key, values in found.items() if len(values) == 1}


def as_uploaded(name: str) -> str:
    """Return what Label Studio makes of the name of an uploaded file, without its prefix.

    Blanks become underscores, and signs other than letters, digits, ".", "-" and "_" are left out.
    """
    return re.sub(r"[^-\w.]", "", name.strip().replace(" ", "_"))


def upload_of(name: str) -> str:
    """Return a name that Label Studio gave to an upload without its prefix; empty for others."""
    prefix = _UPLOAD.match(name)
    return as_uploaded(name[prefix.end() :]) if prefix else ""


def split_of_picture(path: str) -> str | None:
    """Return the split that the folders of a picture name: a train is no training image."""
    return split_in(path.rpartition("/")[0])


class PictureNames:
    """Finds the pictures that files name, in any of their `spellings`.

    Args:
        files: Pictures and annotations.

    Attributes:
        pictures: All pictures.
        other_case: Names whose pictures differ from them in capital letters, in the order found.
        of_others: Files that name another picture than the one beside them, which is used.
    """

    def __init__(self, files: AnnotatedFiles) -> None:
        self._files = files
        self.pictures = files.images
        self.other_case: dict[str, str] = {}
        self.of_others = Tally()
        self._by_name: dict[str, list[tuple[str, str]]] = {}
        for path in files.images.pictures:
            for spelling in spellings(path):
                name = spelling.rpartition("/")[2]
                self._by_name.setdefault(name, []).append((f"/{spelling}", path))

    def find(self, name: str, file: str) -> str | None:
        """Return the picture of a name: beside the file, or the only one that ends with it.

        Capital letters count only if several pictures differ in nothing else. A name that Label
        Studio gave to an upload is that of the picture that was uploaded.

        Args:
            name: Path in a file; folders above the images are left out.
            file: Path of that file.
        """
        found = self._alike(name, file)
        if not found and len(found := self._in_other_case(name, file)) == 1:
            self.other_case.setdefault(name, found[0])
        return found[0] if len(found) == 1 else None

    def find_exact(self, name: str, file: str) -> str | None:
        """Return the picture of a name whose capital letters are the same, see `find`."""
        found = self._alike(name, file)
        return found[0] if len(found) == 1 else None

    def beside(self, file: str) -> str | None:
        """Return the only picture that a file belongs to by its path, see `key_of`.

        Args:
            file: Path of a file for one picture.
        """
        return self._by_key.get("/".join(key_of(file)))

    def warnings(self) -> list[Text]:
        """Return sentences about names that differ from their pictures, or mean other ones."""
        warnings: list[Text] = []
        if self.other_case:
            name, path = next(iter(self.other_case.items()))
            warnings.append(other_case(len(self.other_case), name, path))
        if tally := self.of_others:
            warning = message(
                "{count} annotation files, such as {first}, name the image of another file. The "
                "images beside them are used.",
                one="{first} names the image of another file. The image beside it is used.",
                count=tally.count,
                first=tally.first,
            )
            warnings.append(warning)
        return warnings

    def missing(self, name: str, file: str) -> Text:
        """Return the reason why a name means no picture.

        Args:
            name: Path in a file, which `find` does not find.
            file: Path of that file.
        """
        if found := self._alike(name, file) or self._in_other_case(name, file):
            return message("{file} names it, but {reason}", file=file, reason=several(found))
        return message("{file} names it, but the image does not exist", file=file)

    def _alike(self, name: str, file: str) -> list[str]:
        """Return the pictures that a name may mean."""
        last = name.replace("\\", "/").rpartition("/")[2]
        for spelling in spellings(name):
            plain = posixpath.normpath(spelling).lstrip("/")
            alike = self._by_name.get(plain.rpartition("/")[2], [])
            if found := self._ending_with(plain, file, alike):
                # Two files may differ in the form of their accents alone.
                return [each for each in found if each.rpartition("/")[2] == last] or found
        uploaded = self._uploaded.get(upload_of(plain.rpartition("/")[2]))
        return [] if uploaded is None else [uploaded]

    def _in_other_case(self, name: str, file: str) -> list[str]:
        """Return the pictures that a name may mean if capital letters do not count."""
        for spelling in spellings(name):
            plain = posixpath.normpath(spelling).lstrip("/").casefold()
            alike = self._by_folded_name.get(plain.rpartition("/")[2], [])
            if found := self._ending_with(plain, file.casefold(), alike):
                return self._nearest(found, file)
        return []

    @cached_property
    def _by_key(self) -> dict[str, str]:
        return unique(("/".join(key_of(path)), path) for path in self.pictures.pictures)

    @cached_property
    def _by_folded_name(self) -> dict[str, list[tuple[str, str]]]:
        """Spellings and paths of pictures by their names, all but the paths in lower case."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name, pictures in self._by_name.items():
            folded = [(spelling.casefold(), path) for spelling, path in pictures]
            found.setdefault(name.casefold(), []).extend(folded)
        return found

    def _ending_with(self, plain: str, file: str, alike: Sequence[tuple[str, str]]) -> list[str]:
        """Return the pictures beside a file, or else those whose paths end as a path does.

        Args:
            plain: The path.
            file: Path of the file that names it.
            alike: Spellings and paths of the pictures with the name at its end.
        """
        if self._files.are_together:
            beside = composed(f"/{PurePosixPath(file).parent / plain}")
            if found := [path for spelling, path in alike if spelling == beside]:
                return found
        parts = plain.split("/")
        for start in range(max(len(parts) - _DEEPEST, 0), len(parts)):
            ending = "/".join(parts[start:])
            found = [path for spelling, path in alike if spelling.endswith(f"/{ending}")]
            if found:
                return self._nearest(list(dict.fromkeys(found)), file)
        return []

    def _nearest(self, found: list[str], file: str) -> list[str]:
        """Return the pictures of the split of a file, or below its folder; all if there are none.

        The same name may occur in several folders.
        """
        split = split_in(file)
        if len(found) > 1 and split is not None:
            found = [each for each in found if split_of_picture(each) == split] or found
        if len(found) > 1:
            folder = str(PurePosixPath(file).parent)
            found = [each for each in found if f"/{each}".startswith(f"/{folder}/")] or found
        return found

    def find_stem(self, stem: str) -> str | None:
        """Return the only picture with a name without suffix, as frames of videos have it.

        Capital letters count only if several pictures differ in nothing else.
        """
        found = self._by_stem.get(stem)
        if found is None and (found := self._by_folded_stem.get(stem.casefold())) is not None:
            self.other_case.setdefault(stem, found)
        return found

    @cached_property
    def _by_stem(self) -> dict[str, str]:
        return unique((PurePosixPath(path).stem, path) for path in self.pictures.pictures)

    @cached_property
    def _by_folded_stem(self) -> dict[str, str]:
        pictures = self.pictures.pictures
        return unique((PurePosixPath(path).stem.casefold(), path) for path in pictures)

    @cached_property
    def _uploaded(self) -> dict[str, str]:
        """Pictures by the name that Label Studio gives to them, without its prefix."""
        paths = self._files.images.pictures
        return unique((as_uploaded(path.rpartition("/")[2]), path) for path in paths)
