"""Names of classes: their form without invisible characters, and names that differ hardly."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from studio.engine.datasets.sources.base import Scan
from studio.engine.errors import HIDDEN, with_hidden_shown
from studio.engine.files import composed, natural_key
from studio.engine.messages import Text, joined, message
from studio.engine.tasks.split_words import named_splits, split_of, words_in

_EXAMPLES = 5
_BREAKS = re.compile(r"\s*[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*")
_ESCAPES = str.maketrans({"\n": "\\n", "\t": "\\t", "\r": "\\r"})
_COPY_WORDS = ("copy", "kopie", "copia", "cópia", "copie")
_COPY = re.compile(rf"\s*(?:[-_ ]\s*(?:{'|'.join(_COPY_WORDS)})\s*)?(?:\(\d{{1,3}}\))?")
"""End of the name of the copy of a folder, as systems write it."""
_IMAGE_WORDS = frozenset({"image", "images", "img", "imgs", "jpegimages", "input", "inputs"})
_ANNOTATION_WORDS = frozenset(
    {"mask", "masks", "label", "labels", "annotation", "annotations", "groundtruth", "gt"}
)

_DATE = re.compile(r"(?:19|20)\d\d([-_. ]?)\d\d?\1\d\d?|\d\d?([-_. ])\d\d?\2(?:19|20)\d\d")
_ORIGIN_WORDS = (
    *("patient", "paciente", "subject", "sujeito", "sujeto", "person", "participant", "volunteer"),
    *("pat", "subj", "sub", "case", "caso", "session", "sessão", "sesión", "visit", "day", "dia"),
    *("video", "vídeo", "clip", "slide", "scan", "série", "series", "camera", "câmera", "cámara"),
)
_NUMBERED_ORIGIN = re.compile(rf"(?:{'|'.join(_ORIGIN_WORDS)})[-_ ]?\d+")
"""Name of a folder with the images of a person or a recording."""

_NO_CLASS = frozenset(
    {
        *("unknown", "unk", "unlabeled", "unlabelled", "unclassified", "unannotated", "unsure"),
        *("undefined", "not_labeled", "not_labelled", "no_label", "to_do", "todo", "tbd", "void"),
        *(
            "ignore",
            "ignored",
            "dont_care",
            "don't_care",
            "dontcare",
            "desconhecido",
            "indefinido",
        ),
        *("sem_rótulo", "sem_rotulo", "não_rotulado", "desconocido", "sin_etiqueta", "unbekannt"),
        *("inconnu",),
    }
)
"""Names for what belongs to no class, in plain form with "_" for spaces."""


def clean_name(name: str) -> str:
    """Return the name of a class in one form of accents, without invisible characters.

    Marks of direction, characters without width and controls are left out, unless nothing else
    is in the name. Joiners within scripts and emoji stay. Line breaks and tabs become a space:
    files with a class on each line could not hold them.
    """
    if name.isascii() and name.isprintable():
        return name
    name = _BREAKS.sub(" ", name).strip() or name
    return composed(HIDDEN.sub("", name).strip() if HIDDEN.search(name) else name) or name


def clean_names(scan: Scan) -> None:
    """Give the names of classes and columns of a scan, and its cells, the form of `clean_name`.

    Classes whose names differ only in that become one. Those of masks and boxes stay as their
    files have them, which tell them apart; `gather` joins them.
    """
    known: dict[str, str] = {}
    for index, item in enumerate(scan.items):
        name = known.setdefault(item.class_name, clean_name(item.class_name))
        values = tuple(known.setdefault(each, clean_name(each)) for each in item.values)
        if name != item.class_name or values != item.values:
            scan.items[index] = replace(item, class_name=name, values=values)
    columns = tuple(map(clean_name, scan.columns))
    scan.warnings += invisible_warnings([*known, *scan.columns])
    scan.columns = columns


def invisible_warnings(names: Iterable[str]) -> list[Text]:
    """Return a sentence about names from which invisible characters are removed.

    Args:
        names: The names as the files have them.
    """
    changed = [name for name in names if clean_name(name) != composed(name)]
    if not changed:
        return []
    return [
        message(
            'Invisible characters are removed from {count} names, the first is "{first}"; line '
            "breaks and tabs become spaces.",
            one='Invisible characters are removed from the name "{first}"; line breaks and tabs '
            "become spaces.",
            count=len(changed),
            first=with_hidden_shown(changed[0]).translate(_ESCAPES),
        )
    ]


def join_spellings(scan: Scan) -> None:
    """Give classes of other splits the spelling that their training images have.

    "Cat" in the test images is "cat" of the training images if no split contains both.
    """
    splits: dict[str, set[str]] = {}
    for item in scan.items:
        splits.setdefault(item.class_name, set()).add(item.split or "train")
    spelling, scan.warnings = joined_spellings(splits, "train", scan.warnings)
    scan.items = [
        replace(item, class_name=spelling[item.class_name])
        if item.class_name in spelling
        else item
        for item in scan.items
    ]


def joined_spellings(
    places: Mapping[str, Collection[str]], first: str, warnings: Iterable[Text]
) -> tuple[dict[str, str], list[Text]]:
    """Return the common spelling of names that differ hardly and occur in different places.

    Args:
        places: Places of each name, such as splits or sources.
        first: Place whose spelling is used.
        warnings: Sentences about other things.

    Returns:
        The common spelling by other spellings, and the sentences with one about it.
    """
    found: dict[str, str] = {}
    for group in similar_names(places):
        counts = Counter(place for name in group for place in places[name])
        main = next((name for name in group if first in places[name]), None)
        if main is not None and max(counts.values()) == 1:
            found |= {name: main for name in group if name != main}
    if not found:
        return found, [*warnings]
    other, main = next(iter(found.items()))
    warning = message(
        "{count} classes differ from others only in case or spaces, and never occur beside them: "
        'they were read as the same classes, such as "{other}" as "{class_name}".',
        one='The classes "{other}" and "{class_name}" differ only in case or spaces, and never '
        'occur beside each other: they were read as the class "{class_name}".',
        count=len(found),
        other=other,
        class_name=main,
    )
    return found, [*warnings, warning]


def similar_names(names: Iterable[str]) -> list[list[str]]:
    """Return groups of names that differ only in case, spaces or forms of the same letters.

    Args:
        names: The names, each once.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_plain(name), []).append(name)
    return [sorted(group, key=natural_key) for group in groups.values() if len(group) > 1]


def copied_names(names: Iterable[str]) -> list[list[str]]:
    """Return groups of a name and the names that copies of its folder would have.

    Args:
        names: The names, each once.
    """
    plain = {_plain(name): name for name in names}
    groups: dict[str, list[str]] = {}
    for name in (each for each in plain if each.endswith((")", *_COPY_WORDS))):
        starts = (name[:end] for end in range(len(name) - 1, 0, -1))
        original = next((each for each in starts if _is_copy(name, each) and each in plain), None)
        if original is not None:
            groups.setdefault(original, [plain[original]]).append(plain[name])
    return [sorted(group, key=natural_key) for group in groups.values()]


def _is_copy(name: str, original: str) -> bool:
    return _COPY.fullmatch(name, len(original)) is not None


def split_like(names: Iterable[str]) -> list[str]:
    """Return the classes that are called like splits: "train", "test set", "box_test"."""
    names = [*names]
    alike: dict[object, dict[str, str]] = {}
    for name, each in named_splits(names).items():
        alike.setdefault(each.others, {})[name] = each.split
    found = {name for name in names if split_of(name) is not None}
    found.update(*(group for group in alike.values() if len({*group.values()}) > 1))
    return [name for name in names if name in found]


def class_name_warnings(counts: Mapping[str, int | None]) -> list[Text]:
    """Return a sentence for each kind of conspicuous names of classes.

    Args:
        counts: Number of images or objects by class; None where it is not known.
    """
    warnings: list[Text] = [
        message(
            "The classes {classes} differ only in case or spaces. If they are the same, give them "
            "one name in the source.",
            classes=joined([_with_count(name, counts[name]) for name in group[:_EXAMPLES]], ", "),
        )
        for group in similar_names(counts)
    ]
    warnings += [
        message(
            "The classes {classes} are named like copies of one folder. If they are the same, "
            "give them one name in the source.",
            classes=joined([_with_count(name, counts[name]) for name in group[:_EXAMPLES]], ", "),
        )
        for group in copied_names(counts)
    ]
    if unknown := [name for name in counts if _is_no_class(name)]:
        warnings.append(
            message(
                "The classes {classes} are called as if the class were unknown. If so, leave them "
                "out (--only-classes), or give their images or objects a class.",
                one="The class {classes} is called as if the class were unknown. If so, leave it "
                "out (--only-classes), or give its images or objects a class.",
                count=len(unknown),
                classes=joined([_with_count(name, counts[name]) for name in unknown], ", "),
            )
        )
    if parts := _parts_of_annotations(counts):
        warnings.append(
            message(
                "The classes {classes} are called like folders of images and of their "
                "annotations. If they are, choose the task of the annotations, such as "
                "segmentation or detection.",
                classes=", ".join(parts[:_EXAMPLES]),
            )
        )
    if len(counts) > 1 and all(map(_is_origin, counts)):
        warnings.append(
            message(
                "All classes, such as {classes}, are called like dates, persons or recordings. If "
                "images only come from them, they are no classes: put the images of each class "
                "into a folder, or import a table with paths and classes.",
                classes=", ".join([*counts][:_EXAMPLES]),
            )
        )
    splits = split_like(counts)
    if splits and 2 * len(splits) >= len(counts):
        warnings.append(
            message(
                "Classes are called like splits: {classes}. Check that they are not folders of "
                "training, validation or test images.",
                classes=", ".join(splits[:_EXAMPLES]),
            )
        )
    return warnings


def background_warnings(names: Iterable[str]) -> list[Text]:
    """Return a sentence about classes of objects that are called like what is no object."""
    found = [name for name in names if _plain(name).strip("_") == "background"]
    return [
        message(
            'Objects have the class "{class_name}". Images or places without objects need no '
            "object; if it is no class, leave it out (--only-classes).",
            class_name=name,
        )
        for name in found
    ]


def _parts_of_annotations(names: Iterable[str]) -> list[str]:
    """Return classes called like folders of images or annotations, if there are both."""
    found = {name: {*words_in(name)} for name in names}
    images = [name for name, words in found.items() if words & _IMAGE_WORDS]
    labels = [name for name, words in found.items() if words & _ANNOTATION_WORDS]
    return [*images, *labels] if images and labels else []


def _is_origin(name: str) -> bool:
    """Return True for a name such as "patient_003" or "2024-01-05"."""
    plain = _plain(name)
    return bool(_DATE.fullmatch(plain) or _NUMBERED_ORIGIN.fullmatch(plain))


def _is_no_class(name: str) -> bool:
    """Return True for a name such as "Unknown", "not_labeled" or "?"."""
    plain = "_".join(re.split(r"[\s_-]+", _plain(name))).strip("_")
    return plain in _NO_CLASS or (name.strip() != "" and not name.strip("? "))


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKC", HIDDEN.sub("", name)).casefold()
    return " ".join(letters.split())


def _with_count(name: str, count: int | None) -> Text:
    if count is None:
        return f'"{name}"'
    return message('"{class_name}" ({count:,})', class_name=name, count=count)
