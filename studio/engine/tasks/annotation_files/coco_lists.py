"""Images and categories that a COCO file lists, by their ids, with what is doubtful about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.engine.errors import StudioError
from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.coco_ids import Id, IdTable, id_of, order_of
from studio.engine.tasks.annotation_files.json_lists import is_list
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.reports import Tally, entry_name, shown
from studio.engine.tasks.annotation_files.values import name_in, size_in
from studio.engine.tasks.annotations import LeftOut


@dataclass(slots=True)
class ListedImage:
    """An image that a file lists.

    Attributes:
        name: Its name in the file, or its position without one.
        picture: Path of the picture; empty if it cannot be used.
        reason: Why it cannot be used; empty if it can.
        size: Width and height in pixels; None if unknown.
        objects: Number of its annotations.
        others: Other images that the file lists under the same id.
    """

    name: str
    picture: str = ""
    reason: Text = ""
    size: tuple[int, int] | None = None
    objects: int = 0
    others: list[ListedImage] = field(default_factory=list)

    @property
    def is_clear(self) -> bool:
        """True if its annotations can be used."""
        return not self.reason and not self.others

    def left_out(self, file: str) -> list[LeftOut]:
        """Return the pictures that are left out with their annotations, and why.

        Args:
            file: Path of the file that lists it.
        """
        if not self.others or not self.objects:
            every = [self, *self.others]
            return [LeftOut(each.name, each.reason, each.objects) for each in every if each.reason]
        return [
            LeftOut(
                each.name,
                message(
                    "{file} has the id of its annotations for {other}, too", file=file, other=other
                ),
                each.objects,
            )
            for each, other in [
                (self, self.others[0].name),
                *((other, self.name) for other in self.others),
            ]
        ]

    def usable(self) -> list[ListedImage]:
        """Return the images of its id that can be used, with or without annotations."""
        if self.others and self.objects:
            return []
        return [each for each in (self, *self.others) if not each.reason]


@dataclass(slots=True)
class ListedCategory:
    """A category that a file lists.

    Attributes:
        number: Its id.
        name: Its name.
        label: Its class.
        rival: Another name that the file lists under the same id; empty without one.
        objects: Number of its annotations.
    """

    number: Id
    name: str
    label: int
    rival: str = ""
    objects: int = 0


def listed_images(
    file: str,
    document: Mapping[str, Any],
    names: PictureNames,
    problems: list[LeftOut],
    warnings: list[Text],
) -> IdTable[ListedImage]:
    """Return the images of a file by their ids.

    Args:
        file: Path of the file.
        document: Its content.
        names: Finds the pictures.
        problems: Receives entries that cannot be used.
        warnings: Receives what is conspicuous.
    """
    found: IdTable[ListedImage] = IdTable()
    listed: set[str] = set()
    twice = Tally()
    for place, entry in entries_of(file, document, "images", problems):
        image = _image(file, place, entry, names)
        if image.picture in listed:
            twice.add(image.picture)
        elif image.picture:
            listed.add(image.picture)
        number = id_of(entry.get("id"))
        known = None if number is None else found.listed(number)
        if number is None:
            reason = message("it has no id in {file}, so its annotations are unknown", file=file)
            problems.append(LeftOut(image.name, reason))
        elif known is None:
            found.add(number, image)
        elif image.name not in {each.name for each in (known, *known.others)}:
            known.others.append(image)
    if twice:
        warning = message(
            "{file} lists {count} images more than once, such as {first}; their annotations are "
            "joined.",
            one="{file} lists {first} more than once; its annotations are joined.",
            count=twice.count,
            first=twice.first,
            file=file,
        )
        warnings.append(warning)
    return found


def _image(file: str, place: str, entry: dict[str, Any], names: PictureNames) -> ListedImage:
    name = entry.get("file_name") or entry.get("coco_url")  # LVIS has the address alone
    if not isinstance(name, str) or not name.strip():
        return ListedImage(place, reason=message("it has no file_name in {file}", file=file))
    picture = names.find(name, file)
    if picture is None:
        return ListedImage(name, reason=names.missing(name, file))
    return ListedImage(name, picture, size=size_in(entry.get("width"), entry.get("height")))


def listed_categories(
    file: str, document: Mapping[str, Any], problems: list[LeftOut], warnings: list[Text]
) -> list[tuple[Id, str, dict[str, Any]]]:
    """Return id, name and content of the categories of a file, in the order of their ids.

    Args:
        file: Path of the file.
        document: Its content.
        problems: Receives entries that cannot be used.
        warnings: Receives what is assumed.
    """
    found: list[tuple[Id, str, dict[str, Any]]] = []
    without_id, without_name = Tally(), Tally()
    for place, entry in entries_of(file, document, "categories", problems):
        number = id_of(entry.get("id"))
        name = _name(entry.get("name"))
        if number is None:
            without_id.add(place)
            continue
        if not name:
            without_name.add(place)
            name = name_in(str(number))
        found.append((number, name, entry))
    if without_id:
        reason = message(
            "{count} categories have no id; the first is {first}",
            one="a category has no id: {first}",
            count=without_id.count,
            first=without_id.first,
        )
        problems.append(LeftOut(file, reason))
    if without_name:
        warning = message(
            "{count} categories in {file} have no name, such as {first}; their ids are taken as "
            "names.",
            one="A category in {file} has no name: {first}; its id is taken as its name.",
            count=without_name.count,
            file=file,
            first=without_name.first,
        )
        warnings.append(warning)
    return sorted(found, key=lambda each: order_of(each[0]))


def _name(value: object) -> str:
    """Return a name, which may be a number in the file."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return name_in(shown(value) if is_number else value)


def check_names(file: str, categories: IdTable[ListedCategory], warnings: list[Text]) -> None:
    """Check that each category of annotations has one name, and warn of several with the same.

    Args:
        file: Path of the file.
        categories: Its categories, with the numbers of their annotations.
        warnings: Receives what is conspicuous.

    Raises:
        StudioError: Annotations have a category of two names.
    """
    used = [each for each in categories.values() if each.objects]
    for each in used:
        if each.rival:
            raise StudioError(
                '{file} has two categories with the id {id}, "{name}" and "{other}"; '
                "{objects} annotations have this id.",
                "Give each category in the file its own id.",
                "source",
                file=file,
                id=each.number,
                name=each.name,
                other=each.rival,
                objects=each.objects,
            )
    by_name: defaultdict[str, list[ListedCategory]] = defaultdict(list)
    for each in used:
        by_name[each.name].append(each)
    for name, alike in by_name.items():
        if len(alike) > 1:
            warning = message(
                'The categories {ids} in {file} have the same name, "{name}"; they are one class.',
                ids=", ".join(str(each.number) for each in alike[:12]),
                file=file,
                name=name,
            )
            warnings.append(warning)


def entries_of(
    file: str, document: Mapping[str, Any], key: str, problems: list[LeftOut]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the entries of a list of a file, with their names for reports.

    Args:
        file: Path of the file.
        document: Its content.
        key: Key of the list.
        problems: Receives what is no JSON object, and a missing list.
    """
    value = document.get(key)
    if value is None or not is_list(value):
        problems.append(LeftOut(file, message("it has no list of {key}", key=key)))
        return
    no_object = Tally()
    for index, entry in enumerate(value):
        if isinstance(entry, dict):
            yield entry_name(key, index, entry), entry
        else:
            no_object.add(f"{key}[{index}]")
    if no_object and key == "annotations":
        reason = message(
            "left out {count} annotations that are no JSON objects; the first is {first}",
            one="left out an annotation that is no JSON object: {first}",
            count=no_object.count,
            first=no_object.first,
        )
        problems.append(LeftOut(file, reason, no_object.count))
    elif no_object:
        reason = message(
            "{count} entries are no JSON objects; the first is {first}",
            one="an entry is no JSON object: {first}",
            count=no_object.count,
            first=no_object.first,
        )
        problems.append(LeftOut(file, reason))


def of_unlisted_images(path: str, lost: Tally) -> list[LeftOut]:
    """Return a report about annotations of images that a file does not list; none for none.

    Args:
        path: Path of the file.
        lost: The annotations.
    """
    if not lost:
        return []
    reason = message(
        "left out {count} annotations of images that it does not list; the first is {first}",
        one="left out an annotation of an image that it does not list: {first}",
        count=lost.count,
        first=lost.first,
    )
    return [LeftOut(path, reason, lost.count)]
