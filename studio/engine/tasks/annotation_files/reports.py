"""Reports about what annotation files lose: counts with an example, and errors with a reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from studio.engine.errors import StudioError, one_line, shortened
from studio.engine.messages import Text, as_message, joined, message
from studio.engine.tasks.annotations import LeftOut, Remark

_LONGEST = 60
_MOST = 3
"""Reasons in an error at most."""


class Tally:
    """Number and first example of what happens several times.

    Attributes:
        count: How often it happened.
        first: The first example.
    """

    __slots__ = ("count", "first")

    def __init__(self) -> None:
        self.count = 0
        self.first = ""

    def __bool__(self) -> bool:
        return self.count > 0

    def add(self, example: str, count: int = 1) -> None:
        """Count an event.

        Args:
            example: Name of it, for a person to find it.
            count: How often it happens.
        """
        self.first = self.first or example
        self.count += count


Reason = Callable[[Tally], Text]
"""Returns the report about what happened so often, with its first example."""


class Losses:
    """Objects that are left out, counted by the reason."""

    __slots__ = ("_tallies",)

    def __init__(self) -> None:
        self._tallies: dict[Reason, Tally] = {}

    def add(self, reason: Reason, example: str = "", count: int = 1) -> None:
        """Count objects.

        Args:
            reason: Returns the report about all of them.
            example: Name of the first one, for a person to find it.
            count: Their number.
        """
        self._tallies.setdefault(reason, Tally()).add(example, count)

    def remarks(self) -> list[Remark]:
        """Return the reports, in the order in which the reasons occurred."""
        return [Remark(reason(tally), tally.count) for reason, tally in self._tallies.items()]


def keypoint_warnings(objects: Tally) -> list[Text]:
    """Return a sentence about objects whose keypoints are not used.

    Args:
        objects: Objects with keypoints.
    """
    if not objects:
        return []
    return [
        message(
            "{count} objects, the first in {first}, have keypoints. Their boxes or outlines are "
            "used, their keypoints are not.",
            one="An object in {first} has keypoints. Its box or outline is used, its keypoints "
            "are not.",
            count=objects.count,
            first=objects.first,
        )
    ]


def shown(value: object) -> str:
    """Return a value of a file as it can be shown on a line."""
    return shortened(one_line(str(value)), _LONGEST)


def entry_name(name: str, index: int, entry: dict[str, Any]) -> str:
    """Return the name of an entry of a list in a JSON file: `annotations[3] (id 17)`.

    Args:
        name: Name of the list.
        index: Position in it.
        entry: The entry.
    """
    number = entry.get("id")
    has_id = isinstance(number, int | float | str) and not isinstance(number, bool)
    return f"{name}[{index}] (id {shown(number)})" if has_id else f"{name}[{index}]"


def unannotated(
    pictures: Sequence[str], known: Collection[str], problems: Sequence[LeftOut]
) -> list[LeftOut]:
    """Return reports about pictures that no annotation belongs to.

    Args:
        pictures: Paths of all pictures.
        known: Those with an annotation.
        problems: What is reported already.
    """
    reported = {each.path for each in problems}
    return [
        LeftOut(picture, "it has no annotation")
        for picture in pictures
        if picture not in known and picture not in reported
    ]


def unreadable(file: str, reason: Text, picture: str | None) -> LeftOut:
    """Return the report about an annotation file that cannot be read, by its picture if known.

    The picture is then not reported a second time as one without annotation.

    Args:
        file: The file.
        reason: Why it cannot be read: a few words.
        picture: The picture that it belongs to; None if it is unknown.
    """
    if picture is None:
        return LeftOut(file, reason)
    return LeftOut(
        picture,
        message(
            "its annotation {file} cannot be used: {reason}", file=file, reason=as_message(reason)
        ),
    )


def nothing_usable(what: Text, problems: Sequence[LeftOut], hint: Text) -> StudioError:
    """Return the error about files with nothing to learn from; it names the first reasons.

    Those of objects that are left out come first; without them it is the first reason of all.

    Args:
        what: Sentence about the files.
        problems: What is left out of them, and why.
        hint: What to do.
    """
    first = [each for each in problems if each.objects][:_MOST] or problems[:1]
    reasons = [
        message("{file}: {reason}", file=each.path, reason=as_message(each.reason))
        for each in first
    ]
    if len(reasons) == 1:
        what = message(
            "{what} The first problem: {reason}.", what=as_message(what), reason=reasons[0]
        )
    elif reasons:
        what = message(
            "{what} The first problems: {reasons}.",
            what=as_message(what),
            reasons=joined(reasons, "; "),
        )
    return StudioError(what, hint, "source")


def without_outline(count: int) -> Remark:
    """Return the report about a number of objects that have a box alone."""
    reason = message(
        "left out {count} objects without an outline; the pixels of their boxes count nowhere",
        one="left out an object without an outline; the pixels of its box count nowhere",
        count=count,
    )
    return Remark(reason, count)


def without_pixel(count: int) -> list[Remark]:
    """Return the report about a number of objects that have no pixel; nothing for none."""
    if not count:
        return []
    reason = message(
        "left out {count} objects without a pixel inside the image",
        one="left out an object without a pixel inside the image",
        count=count,
    )
    return [Remark(reason, count)]
