"""Processes on several computers that train one network together, as one of them sees it.

Each runs the whole program of the training, with the same plan and the same images in the same
order, and computes its part of every batch. What depends on the clock or on commands is decided by
the first process alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from studio.engine.errors import StudioError

VARIABLE = "STUDIO_PROCESS_GROUP"
"""Environment variable with the group of a worker; missing for one that trains alone."""


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """Place of a process in its group.

    Attributes:
        address: Host and port of the first process, where all meet.
        count: Number of processes.
        index: Number of this one, from 0.

    Examples:
        >>> ProcessGroup.parse("10.0.0.7:41000/2/1")
        ProcessGroup(address='10.0.0.7:41000', count=2, index=1)
    """

    address: str
    count: int
    index: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` writes.

        Raises:
            StudioError: It is another text.
        """
        address, _, numbers = text.partition("/")
        count, _, index = numbers.partition("/")
        if not address or not (count.isdecimal() and index.isdecimal()):
            raise StudioError(
                '"{text}" is not a group of processes.',
                "Start the run again.",
                VARIABLE,
                text=text,
            )
        return cls(address, int(count), int(index))

    def __str__(self) -> str:
        return f"{self.address}/{self.count}/{self.index}"


def own_group(environ: Mapping[str, str] = os.environ) -> ProcessGroup | None:
    """Return the group of this process; None if it trains alone.

    Args:
        environ: Its environment variables.

    Raises:
        StudioError: The variable is damaged.
    """
    text = environ.get(VARIABLE, "")
    return ProcessGroup.parse(text) if text else None
