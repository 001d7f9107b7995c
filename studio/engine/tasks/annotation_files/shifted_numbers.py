"""Numbers of pictures and of their annotations that may be counted from different ones."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from studio.engine.errors import StudioError

_LAST_NUMBER = re.compile(r"\d{1,18}(?=\D*$)", re.ASCII)


def require_same_numbers(
    pairs: Sequence[tuple[str, str]], pictures: Iterable[str], annotations: Iterable[str]
) -> None:
    """Require that annotations paired by their numbers cannot as well be those of other pictures.

    img_000 to img_099 and mask_001 to mask_100 are as many, but img_001 may be the second picture
    and mask_001 the first mask.

    Args:
        pairs: Path of each picture, and of its annotation.
        pictures: Pictures without annotation.
        annotations: Annotations without picture.

    Raises:
        StudioError: The numbers of some are those of the others plus a constant.
    """
    left = [*pictures], [*annotations]
    if not all(left):
        return
    found = [_by_name([pair[side] for pair in pairs] + left[side]) for side in range(2)]
    for names in {(_split(one)[0], _split(other)[0]) for one, other in pairs}:
        one, other = (paths[name] for paths, name in zip(found, names, strict=True))
        both = one.keys() & other.keys()
        shift = min(other) - min(one) if both else 0
        if shift and {number + shift for number in one} == other.keys():
            first = min(both)
            raise StudioError(
                "{count} images and their annotations are numbered differently, {image} and so on "
                "but {annotation} and so on: {same} may belong to {match} or to {shifted}.",
                "Rename the annotations so that each has the number of its image. If equal "
                "numbers belong together, remove the images and annotations without a partner.",
                "source",
                count=len(one),
                image=one[min(one)],
                annotation=other[min(other)],
                same=one[first],
                match=other[first],
                shifted=other[first + shift],
            )


def _by_name(paths: Iterable[str]) -> defaultdict[str, dict[int, str]]:
    """Return paths by what is around the last number of their names, and by this number."""
    found: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for path in paths:
        name, number = _split(path)
        if number is not None:
            found[name][number] = path
    return found


def _split(path: str) -> tuple[str, int | None]:
    """Return a path without the last number of its name and without suffix, and the number."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    number = _LAST_NUMBER.search(stem)
    if number is None:
        return path, None
    return f"{folder}/{stem[: number.start()]}*{stem[number.end() :]}", int(number[0])
