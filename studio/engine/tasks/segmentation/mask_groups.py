"""Several masks of one picture, by their names: one for each object, class or person."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from string import digits

from studio.engine.errors import StudioError
from studio.engine.files import composed, natural_key
from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.shifted_numbers import require_same_numbers
from studio.engine.tasks.annotations import AnnotatedFiles, LeftOut
from studio.engine.tasks.segmentation.mask_places import (
    MASK_WORDS,
    PICTURE_WORDS,
    SEPARATORS,
    Key,
    folder_key,
    words_of,
)
from studio.engine.tasks.segmentation.name_pairs import (
    MaskPairs,
    NamedMask,
    pair_unusual,
    pair_usual,
    remove_paired,
    report_duplicates,
    stem_of,
)
from studio.engine.tasks.split_words import split_of

_OBSERVER = re.compile(
    r"\d+(st|nd|rd|th)[a-z]*|(annotator|observer|rater|reader|expert|grader|reviewer|manual"
    r"|labell?er|radiologist|ho)\d*"
)
"""Word about the person who drew a mask: "1st", "2ndHO", "manual1", "expert"."""
_NUMBERED = frozenset({"class", "cls", "category", "channel"})
"""Words whose number is a part of the name of a class."""
_CELLPOSE = "_cp_masks"
_LETTER = re.compile(r"[^\W\d_]\d+")
_MOST = 0.5
"""Fraction of the masks that must belong to pictures."""
_MAX_FOLDERS = 8


def find_masks(files: AnnotatedFiles) -> MaskPairs:
    """Find the mask of each picture, or its masks, by their names.

    Args:
        files: Pictures and masks.

    Raises:
        StudioError: It is unclear which mask belongs to which picture.
    """
    result = pair_usual(files)
    if not _group(result, are_together=files.are_together):
        pair_unusual(result)
    order = {picture: number for number, picture in enumerate(files.images.pictures)}
    result.pairs.sort(key=lambda pair: order[pair[0]])
    report_duplicates(result)
    require_same_numbers(result.pairs, result.pictures, result.masks)
    return result


def _group(result: MaskPairs, *, are_together: bool) -> bool:
    """Give masks without picture to those whose names they begin with; False if they have none.

    Args:
        result: Receives them in `parts`, with the masks that are paired; or in `pairs` if no
            picture has several.
        are_together: True if pictures and masks lie in one folder.
    """
    owners = _Owners(result, are_together=are_together)
    found: dict[str, list[NamedMask]] = {}
    for path in result.masks:
        picture, mask = owners.find(path)
        if picture:
            found.setdefault(picture, []).append(mask)
    count = sum(map(len, found.values()))
    if not count or count < _MOST * len(result.masks):
        return False
    _without_rare_words(found)
    paired = dict(result.pairs)
    words = {mask.word for masks in found.values() for mask in masks}
    if paired and words != {""}:
        return False
    _refuse_mixed(found)
    used = {mask.path for masks in found.values() for mask in masks}
    result.masks = [path for path in result.masks if path not in used]
    result.pictures = [path for path in result.pictures if path not in found]
    for picture, first in paired.items():
        found[picture] = [NamedMask(first), *found.get(picture, [])]
    parts = _of_first_observer(result, found)
    if words == {""} and max(map(len, parts.values())) == 1:
        _take_single(result, parts)
    else:
        result.parts, result.pairs = parts, []
        result.warnings += _about_numbers(class_words(parts.values()))
    return True


def _about_numbers(words: Sequence[str]) -> list[Text]:
    """Return a sentence if a letter and numbers, which may count objects, are the classes."""
    letters = {word[0].casefold() for word in words if _LETTER.fullmatch(word)}
    if len(words) < 2 or len(letters) > 1 or not all(map(_LETTER.fullmatch, words)):
        return []
    return [
        message(
            "The names of the masks have {words}, which were read as classes. If these are the "
            "numbers of objects, leave the letter out (1.png, 2.png).",
            words=", ".join(words[:_MAX_FOLDERS]),
        )
    ]


def _take_single(result: MaskPairs, parts: dict[str, list[NamedMask]]) -> None:
    old = {*result.pairs}
    result.pairs = [(picture, masks[0].path) for picture, masks in parts.items()]
    new = [pair for pair in result.pairs if pair not in old]
    remove_paired(result)
    result.warnings.append(
        message(
            "{count} masks were paired with the images that their names begin with, for example "
            "{image} with {mask}.",
            one="A mask was paired with the image that its name begins with: {image} with {mask}.",
            count=len(new),
            image=new[0][0],
            mask=new[0][1],
        )
    )


def _without_rare_words(found: dict[str, list[NamedMask]]) -> None:
    """Remove words that are no classes, because they hardly ever occur at a second picture.

    Raises:
        StudioError: They are in names that begin with that of a picture.
    """
    pictures: Counter[str] = Counter()
    for masks in found.values():
        pictures.update({mask.word for mask in masks} - {""})
    named = [mask for masks in found.values() for mask in masks if mask.word]
    repeated = sum(pictures[mask.word] > 1 for mask in named)
    if len(found) == 1 or 2 * repeated >= len(named):
        return
    if any(not mask.is_own for mask in named):
        picture = next(iter(found))
        raise StudioError(
            "{image} has {count} masks, such as {mask}, but it is unclear whether “{word}” in "
            "their names is a class, because it occurs at no other image.",
            "Number the masks of an image if they are of one class (a_1.png, a_2.png), or end "
            "their names with the class (a_road.png, b_road.png).",
            "source",
            image=picture,
            count=len(found[picture]),
            mask=named[0].path,
            word=named[0].word,
        )
    for picture, masks in found.items():
        found[picture] = [NamedMask(mask.path, "", mask.observer) for mask in masks]


def _refuse_mixed(found: dict[str, list[NamedMask]]) -> None:
    """Refuse masks of which some name a class and others none.

    Raises:
        StudioError: They are such.
    """
    masks = [mask for each in found.values() for mask in each]
    named = next((mask for mask in masks if mask.word), None)
    bare = next((mask for mask in masks if not mask.word), None)
    if bare is not None and named is not None:
        raise StudioError(
            "The name of {named} says the class “{word}”, but that of {bare} says none.",
            "End the names of all masks with their classes, or of none.",
            "source",
            named=named.path,
            word=named.word,
            bare=bare.path,
        )


def _of_first_observer(
    result: MaskPairs, found: dict[str, list[NamedMask]]
) -> dict[str, list[NamedMask]]:
    """Return the masks without those that another person drew of the same picture and class."""
    kept: dict[str, list[NamedMask]] = {}
    left: list[str] = []
    for picture, masks in found.items():
        people = sorted({mask.observer for mask in masks}, key=natural_key)
        kept[picture] = [mask for mask in masks if mask.observer == people[0]]
        others = [mask.path for mask in masks if mask.observer != people[0]]
        reason = message("the mask of another person, {file}, is used", file=kept[picture][0].path)
        result.problems += [LeftOut(path, reason) for path in others]
        left += others
    if left:
        result.warnings.append(
            message(
                "Several people drew masks of the same images. Those of the first are used; "
                "{count} others, such as {file}, are left out.",
                one="Several people drew masks of the same image. That of the first is used; "
                "{file} is left out.",
                count=len(left),
                file=left[0],
            )
        )
    return kept


class _Owners:
    """Finds the picture that a mask belongs to, and what its name says beside that.

    Args:
        pairs: Pictures and masks.
        are_together: True if they lie in one folder.
    """

    def __init__(self, pairs: MaskPairs, *, are_together: bool) -> None:
        pictures = [*dict(pairs.pairs), *pairs.pictures]
        self._by_stem: dict[Key, dict[str, str]] = {}
        for path in pictures:
            self._by_stem.setdefault(folder_key(path), {}).setdefault(stem_of(path), path)
        for path in pictures:
            shorter = _without_split(stem_of(path))
            self._by_stem[folder_key(path)].setdefault(shorter, path)
        names = Counter(map(stem_of, pictures))
        self._by_name = {stem_of(path): path for path in pictures if names[stem_of(path)] == 1}
        self._are_together = are_together
        self._is_single = len(pictures) == 1

    def find(self, path: str) -> tuple[str, NamedMask]:
        """Return the picture of a mask, empty for none, and the mask.

        Its name begins with that of the picture; or it lies in a folder with the name of the
        picture, or together with this picture alone; or in a folder of a class.
        """
        *above, file = composed(path).split("/")
        folders = above[-_MAX_FOLDERS:]
        name = file.rpartition(".")[0]
        key = folder_key(path)
        if found := self._by_beginning(key, name):
            return found[0], _named(path, found[1])
        if picture := self._of_folder(key, folders):
            return picture, _named(path, name, is_own=True)
        for place, folder in enumerate(folders):
            rest = folder_key("/".join((*folders[:place], *folders[place + 1 :], "x")))
            if rest == key or split_of(folder):
                continue
            if found := self._by_beginning(rest, name, is_whole=True):
                return found[0], _named(path, found[1], folder)
        if not self._are_together and (found := _beginning(self._by_name, name)):
            return found[0], _named(path, found[1])
        return "", NamedMask(path)

    def _by_beginning(
        self, key: Key, name: str, *, is_whole: bool = False
    ) -> tuple[str, str] | None:
        return _beginning(self._by_stem.get(key, {}), name, is_whole=is_whole)

    def _of_folder(self, key: Key, folders: Sequence[str]) -> str | None:
        """Return the only picture of a folder, or the one that has its name."""
        if not folders or split_of(folders[-1]):
            return None
        alone = {*self._by_stem.get(key, {}).values()} if key else set[str]()
        if len(alone) == 1 and not self._is_single:
            return alone.pop()
        above = folder_key("/".join((*folders[:-1], "x")))
        return self._by_stem.get(above, {}).get(folders[-1].casefold())


def _beginning(
    pictures: dict[str, str], name: str, *, is_whole: bool = False
) -> tuple[str, str] | None:
    """Return the picture with the longest name that a name begins with, and the rest of the name.

    Args:
        pictures: Pictures by their names without suffix, in lower case.
        name: Name of a mask without suffix; it may begin with a word such as "mask".
        is_whole: True if it may be the name of a picture.
    """
    for start in _starts(name):
        rest = name[start:]
        ends = [place for place, sign in enumerate(rest) if sign in SEPARATORS]
        for end in [len(rest)] * is_whole + ends[::-1]:
            if picture := pictures.get(rest[:end].casefold()):
                return picture, rest[end:]
    return None


def _starts(name: str) -> Iterator[int]:
    """Yield where the name of a picture may begin in that of a mask."""
    yield 0
    first = re.match(r"[^\W\d_]+[\W_]+", name)
    if first and words_of(first[0])[0] in MASK_WORDS:
        yield first.end()


def _without_split(stem: str) -> str:
    """Return a name without the split at its end: "21_training" gives "21"."""
    head, _, word = stem.rpartition("_")
    return head if head and split_of(word) else stem


def _named(path: str, rest: str, folder: str = "", *, is_own: bool = False) -> NamedMask:
    """Return a mask with the class and the person that its name says.

    Args:
        path: Its path.
        rest: Its name without that of the picture.
        folder: Folder that no folder of pictures corresponds to; empty for none.
        is_own: True if it lies in the folder of its picture.
    """
    if rest.casefold().endswith(_CELLPOSE):  # its masks number objects, whatever the folder is
        return NamedMask(path, is_own=is_own)
    observers: list[str] = []
    words = {text: [*_class_words(text, observers)] for text in (folder, rest)}
    word = "_".join(words[folder] or words[rest])
    return NamedMask(path, word, " ".join(observers), is_own)


def _class_words(text: str, observers: list[str]) -> Iterable[str]:
    """Yield the words of a text that may name a class.

    Args:
        text: A part of a name.
        observers: Receives words about the person who drew a mask, and their numbers.
    """
    is_of_person = is_numbered = False
    for word in re.split(r"[\W_]+", text):
        plain = word.casefold()
        bare = plain.rstrip(digits)
        if not bare:
            if word and is_of_person:
                observers.append(word)
            if word and is_numbered:
                yield word
        elif _OBSERVER.fullmatch(plain):
            observers.append(plain)
        elif bare not in MASK_WORDS | PICTURE_WORDS:
            is_whole = bare in _NUMBERED or len(bare) == 1
            yield word if is_whole else word[: len(bare)]
        is_of_person = bool(_OBSERVER.fullmatch(plain))
        is_numbered = plain in _NUMBERED


def class_words(parts: Iterable[Sequence[NamedMask]]) -> list[str]:
    """Return the classes of masks in natural order, in their most frequent spelling.

    Args:
        parts: Masks of each picture.
    """
    spellings: Counter[str] = Counter(mask.word for masks in parts for mask in masks)
    names: dict[str, str] = {}
    for word, _ in spellings.most_common():
        names.setdefault(word.casefold(), word)
    return sorted(names.values(), key=natural_key)
