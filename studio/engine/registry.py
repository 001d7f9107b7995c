"""Ordered tables of named things of one kind: listed by their package, and added by others."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping
from typing import Generic, Protocol, TypeVar

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.messages import as_message
from studio.engine.plug_ins import Kind, LoadedPlugIns, found


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
        plug_ins: Entries of other packages; None for a table that they cannot add to.

    Raises:
        ValueError: Two entries have the same name.
    """

    def __init__(self, kind: str, entries: list[T], plug_ins: Kind | None = None) -> None:
        self.kind = kind
        self._ours = {entry.name: entry for entry in entries}
        self._plug_ins = plug_ins
        self._is_loading = False
        if len(self._ours) != len(entries):
            raise ValueError(f"Two entries of the {kind} registry have the same name.")

    def __getitem__(self, name: str) -> T:
        """Return the entry of that name.

        Raises:
            StudioError: It does not exist; the hint names the closest. Or its package cannot be
                loaded.
        """
        if name in self._ours:
            return self._ours[name]
        entries = self._entries()
        if name in entries:
            return entries[name]
        if name in self.failures():
            raise self.failures()[name]
        raise StudioError(
            'There is no {kind} called "{name}".',
            did_you_mean(name, entries),
            where=self.kind,
            kind=as_message(self.kind),
            name=name,
        )

    def __contains__(self, name: object) -> bool:
        return name in self._ours or name in self._entries()

    def __iter__(self) -> Iterator[T]:
        return iter(self._entries().values())

    def __len__(self) -> int:
        return len(self._entries())

    def names(self) -> list[str]:
        """Return all names, in order."""
        return list(self._entries())

    def failures(self) -> Mapping[str, StudioError]:
        """Return why entries of other packages are left out, by their names."""
        return {} if self._plug_ins is None else self._loaded(self._plug_ins).failures

    def _entries(self) -> Mapping[str, T]:
        if self._plug_ins is None:
            return self._ours
        others = self._loaded(self._plug_ins).objects
        new = {name: entry for name, entry in others.items() if name not in self._ours}
        return {**new, **self._ours} if self._plug_ins.comes_first else {**self._ours, **new}

    def _loaded(self, plug_ins: Kind) -> LoadedPlugIns:
        """Return what other packages add; nothing to one that asks while it is imported."""
        if self._is_loading:
            return LoadedPlugIns({}, {})
        self._is_loading = True
        try:
            return found(plug_ins)
        finally:
            self._is_loading = False


V = TypeVar("V")


class ComputedMapping(Mapping[str, V]):
    """A mapping that is computed whenever it is asked, since plug-ins may add to it.

    Examples:
        >>> labels = {"detection": "Boxes"}
        >>> shown = ComputedMapping(lambda: dict(labels))
        >>> labels["poses"] = "Poses"  # as a plug-in does
        >>> list(shown)
        ['detection', 'poses']

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

    def items(self) -> ItemsView[str, V]:
        """Return the names and values, computed once for all of them."""
        return self._compute().items()
