"""What reads foreign data: a whole file of each kind, how it is spoiled, and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fuzz.mutations import Mutate, spoiled_bytes

Read = Callable[[Path], object]


@dataclass(frozen=True, slots=True)
class Reader:
    """One kind of foreign data.

    Attributes:
        name: What it is called in reports.
        file: Where the spoiled file goes, relative to a folder that is otherwise as `seeds` left
            it.
        seeds: Makes whole files in an empty folder and gives the bytes that are to be spoiled,
            the first of which lies at `file`.
        read: Reads what lies in that folder.
        count: How many inputs the tests give it.
        mutate: How it is spoiled.
        extra: Further inputs, hostile by design, which are given as they are.
    """

    name: str
    file: str
    seeds: Callable[[Path], Sequence[bytes]]
    read: Read
    count: int
    mutate: Mutate = spoiled_bytes
    extra: Callable[[Path], Sequence[bytes]] = lambda _canary: ()
