"""An ordered table of named things of one kind, listed explicitly by their package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, Protocol, TypeVar

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.messages import as_message


class Named(Protocol):
    """Anything with a unique, stable name that files may contain."""

    @property
    def name(self) -> str:
        """The stable name, lower case, as in files and on the command line."""


T = TypeVar("T", bound=Named)


class Registry(Generic[T]):
    """Things of one kind by name, in the order in which they are offered.

    Args:
        kind: Name of an entry in messages, for example `"network"`.
        entries: The entries.

    Raises:
        ValueError: Two entries have the same name.
    """

    def __init__(self, kind: str, entries: list[T]) -> None:
        self.kind = kind
        self._by_name = {entry.name: entry for entry in entries}
        if len(self._by_name) != len(entries):
            raise ValueError(f"Two entries of the {kind} registry have the same name.")

    def __getitem__(self, name: str) -> T:
        """Return the entry of that name.

        Raises:
            StudioError: It does not exist; the hint names the closest.
        """
        try:
            return self._by_name[name]
        except KeyError:
            raise StudioError(
                'There is no {kind} called "{name}".',
                did_you_mean(name, self._by_name),
                where=self.kind,
                kind=as_message(self.kind),
                name=name,
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[T]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def names(self) -> list[str]:
        """Return all names, in order."""
        return list(self._by_name)


V = TypeVar("V")


class ComputedMapping(Mapping[str, V]):
    """A mapping that is computed whenever it is asked, since plug-ins may add to it.

    Example:
        `ComputedMapping(lambda: {task.name: task.label for task in TASKS.values()})`

    Args:
        compute: Returns the mapping.
    """

    def __init__(self, compute: Callable[[], dict[str, V]]) -> None:
        self._compute = compute

    def __getitem__(self, key: str) -> V:
        return self._compute()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._compute())

    def __len__(self) -> int:
        return len(self._compute())
